#include "triage/knowledge/playbook.h"

#include <cctype>
#include <set>

#include "base/strings.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

TEST(PlaybookTest, EachOfTheSevenCategoriesHasAPlay) {
  EXPECT_EQ(Playbook().size(), 7u);
  for (int i = 1; i < static_cast<int>(Category::kOther); ++i) {
    const Play* play = FindPlay(static_cast<Category>(i));
    ASSERT_NE(play, nullptr) << i;
    EXPECT_FALSE(play->recipes.empty());
    EXPECT_FALSE(play->files.empty());
    EXPECT_FALSE(play->causes.empty());
    EXPECT_FALSE(play->fixes.empty());
    EXPECT_FALSE(play->artifacts.empty());
  }
  EXPECT_EQ(FindPlay(Category::kOther), nullptr);
  EXPECT_EQ(FindPlay(Category::kNone), nullptr);
}

TEST(PlaybookTest, FirstRecipesAreTheGuides) {
  auto first = [](Category category) {
    return ShellVariables(FindPlay(category)->recipes.front());
  };
  EXPECT_EQ(first(Category::kGraphBreak), "TORCH_LOGS=\"graph_breaks\"");
  EXPECT_EQ(first(Category::kBackendCompilerFailed),
            "TORCHDYNAMO_REPRO_AFTER=aot TORCHDYNAMO_REPRO_LEVEL=2");
  EXPECT_EQ(first(Category::kRecompilation),
            "TORCH_LOGS=\"recompiles,recompiles_verbose,guards\"");
  EXPECT_EQ(first(Category::kAccuracy),
            "TORCHDYNAMO_REPRO_AFTER=aot TORCHDYNAMO_REPRO_LEVEL=4");
  EXPECT_EQ(first(Category::kRuntimeCrash),
            "PYTORCH_NO_CUDA_MEMORY_CACHING=1 CUDA_LAUNCH_BLOCKING=1");
  EXPECT_EQ(first(Category::kTritonKernel),
            "TORCH_LOGS=\"output_code,schedule\"");
}

// Values go into a shell line as they are, so they must be plain.
TEST(PlaybookTest, ValuesArePlain) {
  for (const Play& play : Playbook()) {
    for (const Recipe& recipe : play.recipes) {
      EXPECT_FALSE(recipe.shows.empty());
      for (const PlaybookVariable& variable : recipe.variables) {
        for (char c : variable.value) {
          EXPECT_TRUE(IsWord(c) || c == ',' || c == '+' || c == '/')
              << variable.value;
        }
      }
    }
  }
}

TEST(PlaybookTest, QuestionsHaveAnswers) {
  for (const Question& question : Questions()) {
    std::set<std::string_view> answers;
    for (const Answer& answer : question.answers) {
      EXPECT_TRUE(answers.insert(answer.answer).second);
      EXPECT_FALSE(answer.proof.empty());
    }
    EXPECT_GT(answers.size(), 1u);
  }
}

}  // namespace
}  // namespace pt2triage
