#include "line/wrapped_lines.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

struct Read {
  std::string text;
  std::string time;
  std::string writer;
  uint64_t line = 0;
  uint64_t length = 0;
};

struct Result {
  std::vector<Read> lines;  // rebuilt or not, in the order of reading
  uint64_t bytes = 0;
};

Result ReadAll(const std::vector<std::string>& lines) {
  Result result;
  WrappedLines wrapped([&](const WrappedLine& w) {
    result.lines.push_back({std::string(w.line.text), std::string(w.time),
                            std::string(w.stream) + std::string(w.channel),
                            w.line.number, w.line.length});
    result.bytes += w.bytes;
  });
  PhysicalLine line;
  for (const std::string& text : lines) {
    line.text = text;
    line.length = text.size() + 1;
    if (!wrapped.OnLine(line)) {
      result.lines.push_back({text, {}, {}, line.number, line.length});
      result.bytes += line.length;
    }
    ++line.number;
    line.offset += line.length;
  }
  wrapped.Finish();
  EXPECT_EQ(result.bytes, line.offset);
  return result;
}

std::vector<std::string> Texts(const std::vector<std::string>& lines) {
  std::vector<std::string> texts;
  for (Read& read : ReadAll(lines).lines) texts.push_back(read.text);
  return texts;
}

using Strings = std::vector<std::string>;

TEST(WrappedLinesTest, DockerLinesAreJoined) {
  const Result result = ReadAll(
      {R"({"log":"one \"two\"\u003c\ttab\n","stream":"stdout","time":"2025-01-01T00:00:00.1Z"})",
       R"({"log":"half ","stream":"stderr","time":"2025-01-01T00:00:00.2Z"})",
       R"({"log":"other\n","stream":"stdout","attrs":{"a":"}"},"time":"2025-01-01T00:00:00.3Z"})",
       R"({"log": "whole\n", "stream": "stderr", "time": "2025-01-01T00:00:00.4Z"})"});
  ASSERT_EQ(result.lines.size(), 3u);
  EXPECT_EQ(result.lines[0].text, "one \"two\"<\ttab");
  EXPECT_EQ(result.lines[0].time, "2025-01-01T00:00:00.1Z");
  EXPECT_EQ(result.lines[0].writer, "stdout");
  EXPECT_EQ(result.lines[1].text, "other");
  EXPECT_EQ(result.lines[2].text, "half whole");
  EXPECT_EQ(result.lines[2].time, "2025-01-01T00:00:00.2Z");
  EXPECT_EQ(result.lines[2].line, 2u);
}

TEST(WrappedLinesTest, OtherJsonIsText) {
  const Strings lines = {
      R"({"log":"x\n","stream":"other","time":"2025-01-01T00:00:00Z"})",
      R"({"log":"x\n","stream":"stdout","time":"now"})",
      R"({"log":"x\n","stream":"stdout","time":"2025-01-01T00:00:00Z"} y)",
      R"({"log":"x\q","stream":"stdout","time":"2025-01-01T00:00:00Z"})",
      R"({"log":"x\ud8","stream":"stdout","time":"2025-01-01T00:00:00Z"})",
      R"({"log":"cut)",
      R"({"log":7,"stream":"stdout","time":"2025-01-01T00:00:00Z"})",
      R"({"MESSAGE":"x"})",
      R"({"MESSAGE":"x","__REALTIME_TIMESTAMP":"now"})",
      R"({"MESSAGE":[1,256],"__REALTIME_TIMESTAMP":"1"})",
      R"({"MESSAGE":[[],"__REALTIME_TIMESTAMP":"1"})",
      "{\"",
      "{}",
  };
  EXPECT_EQ(Texts(lines), lines);
}

TEST(WrappedLinesTest, Surrogates) {
  EXPECT_EQ(
      Texts(
          {R"({"log":"\ud83d\ude00 \u00e9 \ud83d\n","stream":"stdout","time":"2025-01-01T00:00:00Z"})"}),
      Strings{"\xF0\x9F\x98\x80 \xC3\xA9 \xEF\xBF\xBD"});
}

TEST(WrappedLinesTest, JournalsMessages) {
  const Result result = ReadAll(
      {R"({"__REALTIME_TIMESTAMP":"1764429738000001","_PID":"42","SYSLOG_IDENTIFIER":"python3","MESSAGE":"one\ntwo"})",
       R"({"MESSAGE":[27,91,51,49,109,120],"__REALTIME_TIMESTAMP":"1764429738000001"})",
       R"({"MESSAGE":null,"__REALTIME_TIMESTAMP":"1764429738000001"})"});
  ASSERT_EQ(result.lines.size(), 4u);
  EXPECT_EQ(result.lines[0].text, "one");
  EXPECT_EQ(result.lines[0].time, "2025-11-29T15:22:18.000001Z");
  EXPECT_EQ(result.lines[0].writer, "python3[42]");
  EXPECT_EQ(result.lines[1].text, "two");
  EXPECT_EQ(result.lines[1].line, 1u);
  EXPECT_EQ(result.lines[2].text, "\x1b[31mx");
  EXPECT_EQ(result.lines[3].text, "");
}

TEST(WrappedLinesTest, CriPartsAreJoinedByStream) {
  EXPECT_EQ(Texts({"2025-01-01T00:00:00.123456789Z stderr P one ",
                   "2025-01-01T00:00:00.123456790Z stdout F other",
                   "2025-01-01T00:00:00.123456791Z stderr P two ",
                   "2025-01-01T00:00:00.123456792Z stderr F three",
                   "2025-01-01T00:00:00.123456793Z stderr F four"}),
            (Strings{"2025-01-01T00:00:00.123456790Z stdout F other",
                     "2025-01-01T00:00:00.123456789Z stderr P one two three",
                     "2025-01-01T00:00:00.123456793Z stderr F four"}));
}

TEST(WrappedLinesTest, GitlabLinesGoOn) {
  EXPECT_EQ(Texts({"2025-01-01T00:00:00.123456Z 01O one ",
                   "2025-01-01T00:00:00.123457Z 01E other",
                   "2025-01-01T00:00:00.123458Z 01O+two",
                   "2025-01-01T00:00:00.123459Z 01O three",
                   "2025-01-01T00:00:00.123460Z 02O+alone", "plain"}),
            (Strings{"2025-01-01T00:00:00.123456Z 01O one two",
                     "2025-01-01T00:00:00.123457Z 01E other",
                     "2025-01-01T00:00:00.123459Z 01O three",
                     "2025-01-01T00:00:00.123460Z 02O+alone", "plain"}));
}

TEST(WrappedLinesTest, WhatIsTooLongComesInPieces) {
  const std::string part(LineSplitter::kMaxLine / 4, 'x');
  const std::string head = "2025-01-01T00:00:00.123456789Z stderr P ";
  Strings lines(9, head + part);
  lines.push_back("2025-01-01T00:00:00.123456789Z stderr F end");
  const Strings texts = Texts(lines);
  EXPECT_EQ(texts.size(), 3u);
  for (const std::string& text : texts) {
    EXPECT_LE(text.size(), LineSplitter::kMaxLine);
  }
}

TEST(WrappedLinesTest, ManyStreamsAreBounded) {
  Strings lines;
  for (int i = 0; i < 100; ++i) {
    lines.push_back("2025-01-01T00:00:00.123456Z " +
                    std::to_string(i % 90 + 10) + "O x");
  }
  EXPECT_EQ(Texts(lines).size(), 100u);
}

}  // namespace
}  // namespace pt2triage
