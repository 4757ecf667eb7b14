#include "line/learned_prefixes.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "event/text_events.h"
#include "gtest/gtest.h"
#include "line/decorations.h"
#include "record/dull_lines.h"

namespace pt2triage {
namespace {

constexpr std::string_view kTraceback = "Traceback (most recent call last):";

// The texts that are left, and how many writers are told apart by them.
std::vector<std::string> Clean(const std::vector<std::string>& lines) {
  LineCleaner cleaner;
  std::vector<std::string> out;
  uint64_t number = 0;
  for (const std::string& text : lines) {
    const Line line = cleaner.Clean({text, ++number, 0, text.size() + 1});
    out.push_back(std::string(line.stream) + "~" + std::string(line.text));
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST(LearnedPrefixesTest, SrunLabels) {
  const std::string head(kTraceback);
  EXPECT_EQ(Clean({"3: step 1", "3: " + head, "3:   File \"a.py\"", "4: x"}),
            (Texts{"~3: step 1", "3:~" + head, "3:~  File \"a.py\"", "~4: x"}));
  EXPECT_EQ(Clean({"03: [rank3]:V1129 15:22:18.930000 9036 torch/x.py:1] y"}),
            (Texts{"03:[rank3]:~V1129 15:22:18.930000 9036 torch/x.py:1] y"}));
}

TEST(LearnedPrefixesTest, ComposeServices) {
  const std::string head(kTraceback);
  EXPECT_EQ(
      Clean({"web-1  | " + head, "web-1  |", "web-1  |   x", "db  | y"}),
      (Texts{"web-1  |~" + head, "web-1  |~", "web-1  |~  x", "~db  | y"}));
  EXPECT_EQ(Clean({"2025-04-17T06:19:22.0392577Z web-1  | " + head}),
            (Texts{"web-1  |~" + head}));
  EXPECT_EQ(Clean({"t  | 2025-04-17T06:19:22.039257712Z " + head}),
            (Texts{"t  |~" + head}));
}

TEST(LearnedPrefixesTest, TablesAreNoServices) {
  for (std::string_view text :
       {"name | value", "name  | Traceback (most recent call last): | x",
        "| a | b |", "a | torch._dynamo | x", "a||b"}) {
    EXPECT_EQ(Clean({std::string(text)}), Texts{"~" + std::string(text)});
  }
}

TEST(LearnedPrefixesTest, LineNumbersGoOnFromLineToLine) {
  const std::string head(kTraceback);
  EXPECT_EQ(Clean({"     1\tx", "     2\t" + head, "     3\t  y", "7\tz",
                   "     4\t", "     5"}),
            (Texts{"~     1\tx", "~" + head, "~  y", "~7\tz", "~", "~     5"}));
}

TEST(LearnedPrefixesTest, ColumnsOfGh) {
  LineCleaner cleaner;
  auto clean = [&](const std::string& text) {
    return cleaner.Clean({text, 1, 0, text.size() + 1});
  };
  const std::string stamp = "2025-04-17T06:19:22.0392577Z ";
  EXPECT_EQ(clean("build / x\tRun tests\tno stamp").job, "");
  EXPECT_FALSE(cleaner.learned());
  const std::string first = "build / x\tRun tests\t\xEF\xBB\xBF" + stamp + "hi";
  Line line = clean(first);
  EXPECT_EQ(line.text, "hi");
  EXPECT_EQ(line.job, "build / x");
  EXPECT_EQ(line.step, "Run tests");
  EXPECT_TRUE(cleaner.learned());
  const std::string second = "build / x\tRun tests\tno stamp";
  EXPECT_EQ(clean(second).text, "no stamp");
  const std::string third = "build / x\tUNKNOWN STEP\t" + stamp + "hi";
  line = clean(third);
  EXPECT_EQ(line.job, "build / x");
  EXPECT_EQ(line.step, "");
  EXPECT_EQ(clean("a\t2\t2025-04-17T06:19:22Z hi").job, "");  // seven digits
}

// Or what is learnt of a source would depend on how it is read.
TEST(LearnedPrefixesTest, WhatTellsIsNeverDull) {
  for (std::string_view text :
       {kTraceback, std::string_view("Fatal Python error: Aborted"),
        std::string_view("Segmentation fault (core dumped)"),
        std::string_view("terminate called after throwing"),
        std::string_view("torch._dynamo.exc.Unsupported: x"),
        std::string_view("torch._inductor.exc.InductorError: x"),
        std::string_view("  File \"a.py\", line 3, in f"),
        std::string_view("V1129 15:22:18.930000 9036 torch/x.py:1] y"),
        std::string_view("[2023-07-26 06:31:09,284] torch._dynamo.x: [INFO] y"),
        std::string_view("[rank1]: Traceback (most recent call last):")}) {
    EXPECT_TRUE(IsTelling(text)) << text;
    for (std::string_view prefix : {"3: ", "name  | ", "     3\t"}) {
      const std::string line =
          std::string(prefix) + std::string(text) + "\nand more\n";
      DullLines lines(TextEventBuilder::Rules());
      DullRun run;
      lines.Take(line, false, {}, &run);
      EXPECT_EQ(run.bytes, 0u) << line;
    }
  }
}

}  // namespace
}  // namespace pt2triage
