#include "event/traceback_text.h"

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

TEST(IsPrefixTest, WhatProgramsPutBeforeLines) {
  for (const char* text :
       {"       > ", "model-test> ", "#14 12.301 ", "web-1  | ", "[pod/a/b] ",
        "[INFO] ", "stderr: ", "[1,0]<stderr>:",
        "bench (3.12)\tRun decode bench\t2025-01-02T03:04:05.6Z "}) {
    EXPECT_TRUE(IsPrefix(text)) << text;
  }
}

TEST(IsPrefixTest, SentencesListsAndSourceAreNot) {
  for (const char* text :
       {"", "the call failed with ", "we now raise an error: ", "- ", "# ",
        "        44  |        # ", "    44 | ", "a/b.py:745: ", "except ",
        "assertRaises(", "see `"}) {
    EXPECT_FALSE(IsPrefix(text)) << text;
  }
}

}  // namespace
}  // namespace pt2triage
