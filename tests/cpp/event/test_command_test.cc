#include "event/test_command.h"

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

TEST(TestCommandTest, ReadsVariablesFileAndTest) {
  auto found = ParseTestCommand(
      "    PYTORCH_TEST_WITH_SLOW=1 PYTORCH_OPINFO_SAMPLE_INPUT_INDEX=3 python "
      "test/inductor/test_a.py ATest.test_b_cpu");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->test, "ATest.test_b_cpu");
  EXPECT_EQ(found->command,
            "PYTORCH_TEST_WITH_SLOW=1 PYTORCH_OPINFO_SAMPLE_INPUT_INDEX=3 "
            "python test/inductor/test_a.py ATest.test_b_cpu");
}

TEST(TestCommandTest, WhatAShellWouldRunIsQuoted) {
  auto found = ParseTestCommand("python test/$(x).py ATest.test_b;id");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->command, "python 'test/$(x).py' 'ATest.test_b;id'");
}

TEST(TestCommandTest, OtherCommandsAreNot) {
  for (const char* text :
       {"", "python", "python test/a.py", "rm -rf test/a.py A.b",
        "LD_PRELOAD=x.so python test/a.py A.b", "python -c.py A.b",
        "python test/a.py A.b --more", "python test/a.py -A.b"}) {
    EXPECT_FALSE(ParseTestCommand(text)) << text;
  }
}

TEST(TestCommandTest, NamesOfAllRunners) {
  for (const char* id :
       {"test_b (__main__.ATest)", "test_b (inductor.test_a.ATest)",
        "test_b (__main__.ATest.test_b)", "test/test_a.py::ATest::test_b",
        "ATest.test_b"}) {
    EXPECT_EQ(ClassAndName(id), "ATest.test_b") << id;
  }
  EXPECT_EQ(ClassAndName("test_a.py::test_b"), "test_b");
}

}  // namespace
}  // namespace pt2triage
