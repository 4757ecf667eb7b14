#include "line/literal_filter.h"

#include <random>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

TEST(LiteralFilterTest, FindsEachLiteralAtEachPlace) {
  const LiteralFilter filter({"Traceback (most", "torch._", "FAILED "});
  for (std::string_view literal : {"Traceback (most", "torch._", "FAILED "}) {
    for (size_t before = 0; before < 40; ++before) {
      for (size_t after = 0; after < 8; ++after) {
        const std::string text = std::string(before, '.') +
                                 std::string(literal) + std::string(after, '.');
        EXPECT_TRUE(filter.MayContain(text)) << text;
      }
    }
  }
}

TEST(LiteralFilterTest, NeverMissesInRandomText) {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    auto bytes = [&](size_t n) {
      std::string text;
      while (text.size() < n) text += static_cast<char>(random() % 256);
      return text;
    };
    const std::string literal =
        bytes(LiteralFilter::kMinLiteral + random() % 12);
    const LiteralFilter filter({literal});
    const std::string text =
        bytes(random() % 50) + literal + bytes(random() % 50);
    EXPECT_TRUE(filter.MayContain(text)) << round;
  }
}

TEST(LiteralFilterTest, RejectsMostOtherText) {
  const LiteralFilter filter({"Traceback (most", "Fatal Python"});
  EXPECT_FALSE(filter.MayContain(""));
  EXPECT_FALSE(filter.MayContain("abc"));
  EXPECT_FALSE(filter.MayContain("loss 0.123 step 17 lr 3e-4 tokens 81920"));
}

TEST(LiteralFilterTest, PartsOfLiteralsDoNotPass) {
  const LiteralFilter filter({"InductorError:", "torch._", "FAILED "});
  for (std::string_view text :
       {"test/inductor/test_ops.py::TestOps::test_add PASSED [ 12%]",
        "import torch; torch.ones(3)", "FAILE", "torch.", "xFAILEDx",
        "InductorError InductorError"}) {
    for (size_t before = 0; before < 4; ++before) {
      EXPECT_FALSE(
          filter.MayContain(std::string(before, ' ') + std::string(text)))
          << text;
    }
  }
}

TEST(LiteralFilterTest, AgreesWithPlainSearch) {
  std::mt19937 random(13);
  auto letters = [&](size_t n) {
    std::string text;
    while (text.size() < n) text += static_cast<char>('a' + random() % 2);
    return text;
  };
  for (int round = 0; round < 3000; ++round) {
    const std::string a = letters(LiteralFilter::kMinLiteral);
    const std::string b = letters(LiteralFilter::kMinLiteral + 3);
    const LiteralFilter filter({a, b});
    const std::string text = letters(random() % 80);
    const bool found =
        text.find(a) != std::string::npos || text.find(b) != std::string::npos;
    EXPECT_EQ(filter.MayContain(text), found) << text << " " << a << " " << b;
  }
}

}  // namespace
}  // namespace pt2triage
