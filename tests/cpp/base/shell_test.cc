#include "base/shell.h"

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

TEST(ShellQuoteTest, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(ShellQuote("train.py"), "train.py");
  EXPECT_EQ(ShellQuote("a/b_c.py::T::t"), "a/b_c.py::T::t");
}

TEST(ShellQuoteTest, WhatAShellWouldReadIsQuoted) {
  EXPECT_EQ(ShellQuote("t[a b]"), "'t[a b]'");
  EXPECT_EQ(ShellQuote("$(rm x)"), "'$(rm x)'");
  EXPECT_EQ(ShellQuote("a;b"), "'a;b'");
  EXPECT_EQ(ShellQuote("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellQuote(""), "''");
}

TEST(ShellQuoteTest, ControlCharactersGo) {
  EXPECT_EQ(ShellQuote("a\nb\x1b[0m"), "'ab[0m'");
}

}  // namespace
}  // namespace pt2triage
