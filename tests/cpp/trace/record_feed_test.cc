#include "trace/record_feed.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "record/md5.h"

namespace pt2triage {
namespace {

using ::testing::SizeIs;

std::string Md5Of(std::string_view text) {
  Md5 sum;
  sum.Update(text);
  return sum.HexDigest();
}

std::string Record(std::string_view name, std::string_view payload,
                   std::string_view process = "7",
                   std::string_view prefix = "") {
  std::string text =
      std::string(prefix) + "V1129 15:16:46.099000 " + std::string(process) +
      " torch/a.py:1] {\"" + std::string(name) + "\": {\"k\": 1}, " +
      "\"frame_id\": 0, \"frame_compile_id\": 2, \"attempt\": 1, " +
      "\"has_payload\": \"" + Md5Of(payload) + "\"}\n";
  while (true) {
    const size_t end = payload.find('\n');
    text +=
        std::string(prefix) + "\t" + std::string(payload.substr(0, end)) + "\n";
    if (end == payload.npos) break;
    payload.remove_prefix(end + 1);
  }
  return text;
}

std::vector<FullRecord> ReadAll(std::string_view text,
                                std::vector<std::string> names = {},
                                size_t chunk = 1 << 16,
                                size_t max_payload = 0) {
  RecordFeed feed(std::move(names), {}, max_payload);
  std::vector<FullRecord> all;
  for (size_t at = 0; at < text.size(); at += chunk) {
    feed.Feed(text.substr(at, chunk));
    for (FullRecord& record : feed.Take()) all.push_back(std::move(record));
  }
  feed.Finish();
  for (FullRecord& record : feed.Take()) all.push_back(std::move(record));
  return all;
}

// Payloads that a reader of lines gets wrong.
const std::vector<std::string>& Payloads() {
  static const auto& payloads = *new std::vector<std::string>{
      "one line",
      "two\nlines",
      "",
      "\n",
      "\n\n",
      "a\n",
      "\ttab\n\ttab",
      "carriage\rreturn",
      "ends with one\r",
      "form\ffeed",
      "\xE2\x80\xA8 u2028",
      "\xFF\xFE not UTF-8",
      std::string("nul\0inside", 10),
      "V1129 15:16:46.099000 7 torch/a.py:1] {\"str\": [\"x\", 0]}",
      std::string(200000, 'x')};
  return payloads;
}

TEST(RecordFeed, GivesPayloadsByteForByte) {
  for (const std::string& payload : Payloads()) {
    const std::string text = Record("aot_joint_graph", payload) +
                             Record("dynamo_output_graph", "after");
    for (size_t chunk : {size_t{1} << 16, size_t{13}, size_t{1}}) {
      if (chunk == 1 && payload.size() > 1000) continue;
      const auto records = ReadAll(text, {}, chunk);
      ASSERT_THAT(records, SizeIs(2)) << payload.substr(0, 40);
      EXPECT_EQ(records[0].payload, payload);
      EXPECT_EQ(records[0].md5, Md5Of(payload));
      EXPECT_EQ(records[0].md5, records[0].checksum);
      EXPECT_EQ(records[1].payload, "after");
    }
  }
}

TEST(RecordFeed, GivesPayloadsUnderPrefixesOfEachLine) {
  const std::string text = Record("aot_joint_graph", "a\n b", "7", "[rank0]:");
  const auto records = ReadAll(text);
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_EQ(records[0].payload, "a\n b");
}

TEST(RecordFeed, TakesAddedReturnsAway) {
  std::string text = Record("aot_joint_graph", "a\nb");
  for (size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 2) {
    text.insert(at, "\r");
  }
  const auto records = ReadAll(text);
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_EQ(records[0].payload, "a\nb");
}

TEST(RecordFeed, TellsDamage) {
  std::string text = Record("aot_joint_graph", "abc");
  text.replace(text.find("\tabc"), 4, "\tabd");
  const auto records = ReadAll(text);
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_EQ(records[0].payload, "abd");
  EXPECT_NE(records[0].md5, records[0].checksum);
}

TEST(RecordFeed, CutsPayloadsThatAreTooLong) {
  const std::string payload(5000, 'x');
  for (size_t chunk : {size_t{100}, size_t{1} << 16}) {
    const auto records =
        ReadAll(Record("aot_joint_graph", payload), {}, chunk, 100);
    ASSERT_THAT(records, SizeIs(1));
    EXPECT_TRUE(records[0].too_long);
    EXPECT_EQ(records[0].payload, payload.substr(0, 100));
    EXPECT_EQ(records[0].md5, Md5Of(payload));
  }
}

TEST(RecordFeed, SaysWhatTheRecordIs) {
  const auto records = ReadAll(Record("aot_joint_graph", "a", "1") +
                               Record("aot_joint_graph", "b", "2"));
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[0].process, 0);
  EXPECT_EQ(records[1].process, 1);
  EXPECT_EQ(records[1].pid, "2");
  EXPECT_EQ(records[0].compile_id, "0/2");
  EXPECT_EQ(records[0].attempt, 1);
  EXPECT_EQ(records[0].metadata, "{\"k\": 1}");
  EXPECT_EQ(records[0].line, 1u);
}

TEST(RecordFeed, GivesOnlyWhatIsWanted) {
  const std::string text = Record("aot_joint_graph", "a") +
                           Record("chromium_event", "{}") +
                           Record("dynamo_output_graph", "b");
  EXPECT_THAT(ReadAll(text, {"chromium_event"}), SizeIs(1));
  EXPECT_THAT(ReadAll(text), SizeIs(3));
  RecordFeed feed({}, {"chromium_event"}, 0);
  feed.Feed(text);
  feed.Finish();
  EXPECT_THAT(feed.Take(), SizeIs(2));
}

}  // namespace
}  // namespace pt2triage
