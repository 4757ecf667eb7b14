#include "record/trace_reader.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "line/line_splitter.h"
#include "record/md5.h"

namespace pt2triage {
namespace {

constexpr size_t kMega = size_t{1024} * 1024;

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

std::string Line(std::string_view json, std::string_view process = "4487") {
  return "V1129 15:16:46.099000 " + std::string(process) +
         " torch/_dynamo/utils.py:2350] " + std::string(json) + "\n";
}

std::string Md5Of(std::string_view text) {
  Md5 md5;
  md5.Update(text);
  return md5.HexDigest();
}

// A record as it was when it was handed out.
struct Seen {
  TraceRecord record;
  std::string name;
  std::string metadata;
};

struct Trace {
  std::vector<Seen> seen;
  std::vector<std::string> plain;
  ParseStats stats;
  uint64_t malformed_bytes = 0;
  uint64_t unknown_keys = 0;
  std::optional<std::string> version;
  FlatMap<std::string, uint64_t> unknown_names;

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    names.reserve(seen.size());
    for (const Seen& one : seen) names.push_back(one.name);
    return names;
  }
  std::vector<std::string> issues() const {
    std::vector<std::string> kinds;
    kinds.reserve(stats.kept().size());
    for (const Diagnostic& one : stats.kept()) kinds.push_back(one.kind);
    return kinds;
  }
};

// `[name]` at the start of a line is its stream.
Trace Read(std::string_view text, bool verify = false) {
  Trace trace;
  TraceReader reader(7, verify, &trace.stats, [&trace](TraceRecord& record) {
    trace.seen.push_back(
        {record, std::string(record.name), std::string(record.metadata_json)});
  });
  LineSplitter splitter;
  auto sink = [&](const PhysicalLine& physical) {
    std::string_view line = physical.text;
    std::string_view stream;
    if (line.starts_with('[')) {
      stream = line.substr(1, line.find(']') - 1);
      line.remove_prefix(stream.size() + 2);
    }
    const Evidence at = {7, physical.number, physical.offset, physical.length};
    if (!reader.OnLine(line, at, stream)) trace.plain.emplace_back(line);
  };
  splitter.Feed(text, sink);
  splitter.Finish(sink);
  reader.Finish();
  trace.malformed_bytes = reader.malformed_bytes();
  trace.unknown_keys = reader.unknown_keys();
  trace.version = reader.torch_version();
  trace.unknown_names = reader.unknown_names();
  return trace;
}

TEST(TraceReaderTest, RefersToPayloadsByPlace) {
  const std::string envelope =
      Line(R"({"aot_joint_graph": {}, "has_payload": "x"})");
  const std::string payload = "\tclass A:\n\t\n\t\tpass\n";
  const Trace trace =
      Read("noise\n" + envelope + payload + Line(R"({"link": {}})"));
  ASSERT_THAT(trace.names(), ElementsAre("aot_joint_graph", "link"));
  const TraceRecord& record = trace.seen[0].record;
  EXPECT_EQ(record.payload_offset, 6 + envelope.size());
  EXPECT_EQ(record.payload_length, payload.size());
  EXPECT_EQ(record.payload_lines, 3u);
  EXPECT_FALSE(record.payload_interrupted);
  EXPECT_FALSE(record.kept_payload);
  EXPECT_EQ(record.payload, "");
  EXPECT_EQ(record.evidence,
            (Evidence{7, 2, 6, envelope.size() + payload.size()}));
  EXPECT_EQ(record.process, "4487");
  EXPECT_EQ(record.time, "1129 15:16:46.099000");
  EXPECT_EQ(record.location, "torch/_dynamo/utils.py:2350");
  EXPECT_THAT(trace.plain, ElementsAre("noise"));
  EXPECT_THAT(trace.issues(), IsEmpty());
}

TEST(TraceReaderTest, KeepsPayloadsThatEventsRead) {
  const Trace trace = Read(Line(R"({"artifact": {"name": "dynamo_error"}, )"
                                R"("has_payload": "x"})") +
                           "\tTraceback\n\t\n\t\tText: a\n");
  ASSERT_THAT(trace.seen, SizeIs(1));
  EXPECT_TRUE(trace.seen[0].record.kept_payload);
  EXPECT_EQ(trace.seen[0].record.payload, "Traceback\n\n\tText: a");
}

TEST(TraceReaderTest, LongPayloadsKeepBothEnds) {
  std::string text =
      Line(R"({"artifact": {"name": "dynamo_error"}, "has_payload": "x"})");
  text += "\tfirst\n";
  for (int i = 0; i < 100000; ++i) text += "\tsome line of output\n";
  text += "\tlast\n";
  const Trace trace = Read(text);
  ASSERT_THAT(trace.seen, SizeIs(1));
  const std::string& payload = trace.seen[0].record.payload;
  EXPECT_LE(payload.size(), Payload::kMaxKept + 100);
  EXPECT_TRUE(payload.starts_with("first\n"));
  EXPECT_TRUE(payload.ends_with("\nlast"));
  EXPECT_THAT(payload, ::testing::HasSubstr("bytes left out"));
}

TEST(TraceReaderTest, OtherOutputDoesNotEndAPayload) {
  const Trace trace = Read(
      Line(R"({"artifact": {"name": "dynamo_error"}, "has_payload": "x"})") +
      "\tone\nprinted by the program\n\n\ttwo\n");
  ASSERT_THAT(trace.seen, SizeIs(1));
  EXPECT_EQ(trace.seen[0].record.payload, "one\ntwo");
  EXPECT_TRUE(trace.seen[0].record.payload_interrupted);
  EXPECT_THAT(trace.plain, ElementsAre("printed by the program", ""));
}

TEST(TraceReaderTest, ReadsCrlf) {
  std::string text = Line(R"({"artifact": {"name": "dynamo_error"}, )"
                          R"("has_payload": ")" +
                          Md5Of("a\nb") + "\"}") +
                     "\ta\n\tb\n";
  for (size_t at = 0; (at = text.find('\n', at)) != text.npos; at += 2) {
    text.replace(at, 1, "\r\n");
  }
  const Trace trace = Read(text, /*verify=*/true);
  ASSERT_THAT(trace.seen, SizeIs(1));
  EXPECT_EQ(trace.seen[0].record.payload, "a\nb");
  EXPECT_THAT(trace.issues(), IsEmpty());
}

TEST(TraceReaderTest, ChecksumsAreCheckedOnlyIfAskedFor) {
  const std::string right =
      Line(R"({"link": {}, "has_payload": ")" + Md5Of("a\r\n\tb\r") + "\"}") +
      "\ta\r\n\t\tb\r\n";
  const std::string wrong =
      Line(R"({"link": {}, "has_payload": "00"})") + "\ta\n";
  EXPECT_THAT(Read(right + wrong, false).issues(), IsEmpty());
  const Trace trace = Read(right + wrong, true);
  EXPECT_THAT(trace.seen, SizeIs(2));
  ASSERT_THAT(trace.issues(), SizeIs(1));
  EXPECT_EQ(trace.stats.kept()[0].at.offset, right.size());
}

TEST(TraceReaderTest, AnUnreadableEnvelopeOwnsItsPayload) {
  const std::string bad = Line("{\"\xFF");
  const Trace trace = Read(Line(R"({"link": {}})") + bad + "\tlost\n" +
                           Line(R"({"link": {}})"));
  EXPECT_THAT(trace.seen, SizeIs(2));
  EXPECT_THAT(trace.plain, IsEmpty());
  EXPECT_THAT(trace.issues(), SizeIs(1));
  EXPECT_EQ(trace.malformed_bytes, bad.size() + 6);
}

TEST(TraceReaderTest, AnEndlessEnvelopeIsLeftOut) {
  const std::string text =
      Line("{\"link\": {\"a\": \"" + std::string(20 * kMega, 'x') + "\"}}") +
      "\tlost\n" + Line(R"({"link": {}})");
  const Trace trace = Read(text);
  EXPECT_THAT(trace.names(), ElementsAre("link"));
  EXPECT_THAT(trace.plain, IsEmpty());
  EXPECT_THAT(trace.issues(), SizeIs(1));
  EXPECT_GT(trace.malformed_bytes, 20 * kMega);
}

TEST(TraceReaderTest, AnEndlessPayloadLineIsOneLine) {
  const std::string body(20 * kMega, 'x');
  const Trace trace =
      Read(Line(R"({"link": {}, "has_payload": ")" + Md5Of(body) + "\"}") +
               "\t" + body + "\n",
           /*verify=*/true);
  ASSERT_THAT(trace.seen, SizeIs(1));
  EXPECT_EQ(trace.seen[0].record.payload_lines, 1u);
  EXPECT_EQ(trace.seen[0].record.payload_length, body.size() + 2);
  EXPECT_THAT(trace.issues(), IsEmpty());
}

TEST(TraceReaderTest, TabsOfOtherProgramsAreNotOurs) {
  EXPECT_THAT(Read("\tat main\n").plain, SizeIs(1));
  const Trace mixed = Read("hello\n" + Line(R"({"link": {}})") + "\tat main\n");
  EXPECT_THAT(mixed.plain, ElementsAre("hello", "\tat main"));
  const Trace pure = Read(Line(R"({"link": {}})") + "\torphan\n\torphan\n");
  EXPECT_THAT(pure.plain, IsEmpty());
  EXPECT_THAT(pure.issues(), SizeIs(1));
  EXPECT_EQ(pure.malformed_bytes, 16u);
}

TEST(TraceReaderTest, AMissingPayloadIsTold) {
  EXPECT_THAT(Read(Line(R"({"link": {}, "has_payload": "ab"})")).issues(),
              SizeIs(1));
}

TEST(TraceReaderTest, CountsWhatItDoesNotKnow) {
  const Trace trace =
      Read(Line(R"({"brand_new": {}, "frame_id": 0, "extra": 1})") +
           Line(R"({"artifact": {"name": "brand_new_too"}})") +
           Line(R"({"brand_new": {}, "frame_id": 0})"));
  EXPECT_THAT(trace.seen, SizeIs(3));
  EXPECT_EQ(trace.unknown_keys, 1u);
  EXPECT_THAT(
      trace.unknown_names,
      UnorderedElementsAre(Pair("brand_new", 2u), Pair("brand_new_too", 1u)));
}

TEST(TraceReaderTest, LogMessagesThatAreJsonStayText) {
  const Trace trace = Read(
      Line(R"({"artifact": {"name": "dynamo_error"}, "has_payload": "x"})") +
      "\tone\n" + Line(R"({"loss": 0.5})") + "\ttwo\n");
  ASSERT_THAT(trace.seen, SizeIs(1));
  EXPECT_EQ(trace.seen[0].record.payload, "one\ntwo");
  EXPECT_THAT(trace.plain, SizeIs(1));
}

std::string Start(std::string_view process, int file) {
  return Line(R"({"dynamo_start": {"stack": [{"line": 1, "name": "f", )"
              R"("filename": )" +
                  std::to_string(file) +
                  "}]}, \"frame_id\": 0, \"frame_compile_id\": 0}",
              process);
}

std::string Str(std::string_view process, std::string_view text, int64_t id) {
  return Line(
      "{\"str\": [\"" + std::string(text) + "\", " + std::to_string(id) + "]}",
      process);
}

std::vector<std::string> Files(const Trace& trace) {
  std::vector<std::string> files;
  for (const Seen& one : trace.seen) {
    for (const StackFrame& frame : one.record.stack) {
      files.push_back(frame.file);
    }
  }
  return files;
}

TEST(TraceReaderTest, EachProcessHasItsStrings) {
  const Trace trace =
      Read(Str("1", "a.py", 0) + Str("2", "b.py", 0) + Start("1", 0) +
           Start("2", 0) + Str("1", "c.py", 0) + Start("1", 0));
  EXPECT_THAT(Files(trace), ElementsAre("a.py", "b.py", "c.py"));
  EXPECT_NE(trace.seen[2].record.session, trace.seen[5].record.session);
  EXPECT_THAT(trace.issues(), IsEmpty());
}

TEST(TraceReaderTest, ForksInheritStrings) {
  const Trace trace = Read(Str("1", "a.py", 0) + Start("2", 0) +
                           Str("2", "b.py", 1) + Start("2", 1) + Start("2", 0));
  EXPECT_THAT(Files(trace), ElementsAre("a.py", "b.py", "a.py"));
}

TEST(TraceReaderTest, ThreadsShareStrings) {
  const Trace trace =
      Read(Str("139968694107008", "a.py", 0) + Start("139968694109999", 0));
  EXPECT_THAT(Files(trace), ElementsAre("a.py"));
}

TEST(TraceReaderTest, HugeIdsAndUnknownIdsCostNothing) {
  const Trace trace = Read(Str("1", "a.py", 4294967295) + Start("1", 5));
  EXPECT_THAT(Files(trace), ElementsAre(""));
  EXPECT_THAT(trace.issues(), SizeIs(1));
}

TEST(TraceReaderTest, StringsAreBounded) {
  std::string text;
  const std::string name(kMega, 'x');
  for (int i = 0; i < 12; ++i) text += Str("1", name, i);
  EXPECT_GE(Read(text).stats.places(), 4u);
}

TEST(TraceReaderTest, StreamsHaveTheirOwnOpenRecords) {
  const std::string error =
      Line(R"({"artifact": {"name": "dynamo_error"}, "has_payload": "x"})");
  const Trace trace = Read("[r0]" + error + "[r1]" + error + "[r0]\ta\n" +
                           "[r1]\tb\n[r0]\tc\n[r1]\td\n");
  ASSERT_THAT(trace.seen, SizeIs(2));
  EXPECT_EQ(trace.seen[0].record.payload, "a\nc");
  EXPECT_EQ(trace.seen[1].record.payload, "b\nd");
  EXPECT_TRUE(trace.seen[0].record.payload_interrupted);
}

std::string InStream(int i, std::string_view line) {
  return "[r" + std::to_string(i) + "]" + std::string(line);
}

const std::string kError =
    Line(R"({"artifact": {"name": "dynamo_error"}, "has_payload": "x"})");

TEST(TraceReaderTest, PayloadsOfManyStreamsShareTheirMemory) {
  constexpr int kStreams = 256;
  std::string text;
  for (int i = 0; i < kStreams; ++i) text += InStream(i, kError);
  for (int i = 0; i < kStreams; ++i) text += InStream(i, "\tfirst\n");
  for (int k = 0; k < 20; ++k) {
    for (int i = 0; i < kStreams; ++i) {
      text += InStream(i, "\t" + std::string(1000, 'x') + "\n");
    }
  }
  for (int i = 0; i < kStreams; ++i) text += InStream(i, "\tlast\n");
  const Trace trace = Read(text);
  ASSERT_THAT(trace.seen, SizeIs(kStreams));
  EXPECT_THAT(trace.issues(), IsEmpty());
  size_t kept = 0;
  for (const Seen& seen : trace.seen) {
    const std::string& payload = seen.record.payload;
    kept += payload.size();
    EXPECT_TRUE(payload.starts_with("first\nxxx"));
    EXPECT_TRUE(payload.ends_with("xxx\nlast"));
    // What is left out is counted, cut by cut.
    size_t note = payload.find("\n[... ");
    ASSERT_NE(note, std::string::npos);
    const size_t left_out = std::stoul(payload.substr(note + 6));
    const size_t end = payload.find(" ...]\n", note) + 6;
    EXPECT_EQ(payload.size() - (end - note) + left_out, 10 + 20 * 1001);
  }
  EXPECT_LE(kept, TraceReader::kMaxPayloads + kStreams * 100);
  EXPECT_GE(kept, TraceReader::kMaxPayloads / 4);
}

TEST(TraceReaderTest, PayloadsOfFewStreamsAreWhole) {
  std::string text;
  std::string payload;
  for (int i = 0; i < 8; ++i) text += InStream(i, kError);
  for (int k = 0; k < 200; ++k) {
    payload += std::string(999, 'x') + "\n";
    for (int i = 0; i < 8; ++i) {
      text += InStream(i, "\t" + std::string(999, 'x') + "\n");
    }
  }
  payload.pop_back();
  const Trace trace = Read(text);
  ASSERT_THAT(trace.seen, SizeIs(8));
  for (const Seen& seen : trace.seen) EXPECT_EQ(seen.record.payload, payload);
}

TEST(TraceReaderTest, SmallPayloadsStayWholeBesideLargeOnes) {
  std::string text = InStream(0, kError) + InStream(0, "\tsmall\n");
  for (int i = 1; i < 40; ++i) text += InStream(i, kError);
  for (int k = 0; k < 100; ++k) {
    for (int i = 1; i < 40; ++i) {
      text += InStream(i, "\t" + std::string(1000, 'x') + "\n");
    }
  }
  text += InStream(0, "\tmore\n");
  const Trace trace = Read(text);
  ASSERT_THAT(trace.seen, SizeIs(40));
  EXPECT_EQ(trace.seen[0].record.payload, "small\nmore");
}

TEST(TraceReaderTest, LargeRecordsWithoutPayloadAreHandedOutEarly) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text += InStream(
        i, Line(R"({"dynamo_start": {"x": ")" + std::string(kMega / 4, 'y') +
                R"("}, "frame_id": )" + std::to_string(i + 10) + "}"));
  }
  text += InStream(3, kError) + InStream(3, "\tpayload\n");
  const Trace trace = Read(text);
  ASSERT_THAT(trace.seen, SizeIs(41));
  EXPECT_THAT(trace.issues(), IsEmpty());
  EXPECT_EQ(trace.seen[0].record.evidence.line, 1u);
  EXPECT_EQ(trace.seen[0].metadata.size(), kMega / 4 + 9);
  std::set<uint64_t> lines;
  for (const Seen& seen : trace.seen) lines.insert(seen.record.evidence.line);
  EXPECT_THAT(lines, SizeIs(41));
}

TEST(TraceReaderTest, OfLargeRecordsWithPayloadSomeAreCutAndCounted) {
  const std::string large =
      Line(R"({"artifact": {"name": "dynamo_error"}, "x": ")" +
           std::string(kMega / 2, 'y') + R"(", "has_payload": "x"})");
  std::string text;
  for (int i = 0; i < 10; ++i) text += InStream(i, large);
  for (int i = 0; i < 10; ++i) text += InStream(i, "\tpayload\n");
  const Trace trace = Read(text);
  ASSERT_THAT(trace.seen, SizeIs(10));
  EXPECT_THAT(trace.plain, IsEmpty());
  size_t whole = 0;
  for (const Seen& seen : trace.seen) {
    whole += seen.record.payload == "payload" ? 1 : 0;
  }
  EXPECT_EQ(whole, 4u);
  EXPECT_EQ(trace.issues(),
            std::vector<std::string>(10 - whole, "truncated-record"));
}

TEST(TraceReaderTest, OneRecordMayBeAsLargeAsALine) {
  const std::string text =
      Line(R"({"artifact": {"name": "dynamo_error"}, "x": ")" +
           std::string(7 * kMega, 'y') + R"(", "has_payload": "x"})") +
      "\tpayload\n";
  const Trace trace = Read(text + InStream(1, kError) + InStream(1, "\tb\n"));
  ASSERT_THAT(trace.seen, SizeIs(2));
  EXPECT_EQ(trace.seen[0].record.payload, "payload");
  EXPECT_THAT(trace.issues(), IsEmpty());
}

TEST(PayloadTest, LimitsKeepBothEnds) {
  for (const size_t size : {10u, 99u, 100u, 101u, 150u, 300u}) {
    for (const size_t more : {0u, 1u, 40u, 60u, 1000u}) {
      std::string text;
      for (size_t i = 0; i < size + more; ++i) {
        text += static_cast<char>('a' + i % 26);
      }
      Payload payload;
      payload.Start(/*keep=*/true, /*verify=*/false);
      payload.AddLine(text.substr(0, size));
      payload.LimitTo(100);
      EXPECT_LE(payload.kept(), 100u);
      payload.ContinueLine(text.substr(size));
      payload.LimitTo(100);
      const std::string taken = payload.TakeText();
      EXPECT_EQ(payload.kept(), 0u);
      if (text.size() <= 100) {
        EXPECT_EQ(taken, text);
        continue;
      }
      const size_t left_out = text.size() - 100;
      EXPECT_EQ(taken, text.substr(0, 50) + "\n[... " +
                           std::to_string(left_out) + " bytes left out ...]\n" +
                           text.substr(text.size() - 50));
    }
  }
}

TEST(TraceReaderTest, ReadsTheVersion) {
  EXPECT_THAT(Read(Line(R"({"artifact": {"name": "torch_version"}, )"
                        R"("has_payload": "x"})") +
                   "\t{\n\t\"pytorch_version\": \"2.13.0+cpu\"\n\t}\n")
                  .version,
              Optional(std::string("2.13.0+cpu")));
}

TEST(Md5Test, VectorsOfRfc1321) {
  EXPECT_EQ(Md5Of(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(Md5Of("a"), "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(Md5Of("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(Md5Of("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(Md5Of("abcdefghijklmnopqrstuvwxyz"),
            "c3fcd3d76192e4007dfb496cca67e13b");
  EXPECT_EQ(Md5Of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                  "0123456789"),
            "d174ab98d277d9f5a5611c2c9f419d9f");
  EXPECT_EQ(Md5Of("1234567890123456789012345678901234567890123456789012345678"
                  "9012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(Md5Test, AnySplitGivesTheSame) {
  const std::string text(200, 'x');
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    Md5 md5;
    md5.Update(std::string_view(text).substr(0, cut));
    md5.Update(std::string_view(text).substr(cut));
    EXPECT_EQ(md5.HexDigest(), Md5Of(text)) << cut;
  }
}

}  // namespace
}  // namespace pt2triage
