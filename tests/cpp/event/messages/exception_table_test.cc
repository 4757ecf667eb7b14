#include "event/messages/exception_table.h"

#include <set>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

TEST(ExceptionTableTest, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const ExceptionClass& entry : ExceptionTable()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(entry.name.find('.'), std::string_view::npos) << entry.name;
  }
}

TEST(ExceptionTableTest, PrimaryClassesHaveACategory) {
  for (const ExceptionClass& entry : ExceptionTable()) {
    if (entry.flags & ExceptionClass::kPt2) {
      EXPECT_NE(entry.category, Category::kNone) << entry.name;
    } else {
      EXPECT_EQ(entry.category, Category::kNone) << entry.name;
    }
  }
}

TEST(ExceptionTableTest, EveryClassIsFoundByAllItsNames) {
  for (const ExceptionClass& entry : ExceptionTable()) {
    EXPECT_EQ(FindExceptionClass(entry.name), &entry);
    const std::string full =
        std::string(entry.module) + "." + std::string(entry.name);
    if (!entry.module.empty()) {
      EXPECT_EQ(FindExceptionClass(full), &entry) << full;
    }
  }
}

TEST(ExceptionTableTest, AnotherModuleOfTorchIsTheSameClass) {
  // Classes moved, and old versions printed where they were imported.
  EXPECT_NE(FindExceptionClass("torch._inductor.runtime.triton_compat."
                               "OutOfResources"),
            nullptr);
  EXPECT_NE(FindExceptionClass("torch._higher_order_ops.cond."
                               "UnsupportedAliasMutationException"),
            nullptr);
  EXPECT_NE(FindExceptionClass("triton.compiler.code_generator."
                               "CompilationError"),
            nullptr);
}

TEST(ExceptionTableTest, AUsersClassOfThatNameIsAnother) {
  EXPECT_EQ(FindExceptionClass("my.pkg.Unsupported"), nullptr);
  EXPECT_EQ(FindExceptionClass("pydantic.UserError"), nullptr);
  EXPECT_EQ(FindExceptionClass("torchfoo.exc.Unsupported"), nullptr);
  EXPECT_EQ(FindExceptionClass("__main__.UserError"), nullptr);
}

TEST(ExceptionTableTest, ForeignClassesAreUnknown) {
  EXPECT_EQ(FindExceptionClass("ValueError"), nullptr);
  EXPECT_EQ(FindExceptionClass(""), nullptr);
  EXPECT_EQ(FindExceptionClass("."), nullptr);
}

TEST(ExceptionTableTest, CategoriesOfTheVersions) {
  const struct {
    std::string_view type;
    Category category;
  } kClasses[] = {
      {"torch._dynamo.exc.Unsupported", Category::kGraphBreak},
      {"torch._dynamo.exc.UserError", Category::kGraphBreak},
      {"torch._dynamo.exc.TorchRuntimeError", Category::kGraphBreak},
      {"torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode",
       Category::kGraphBreak},
      {"torch._dynamo.exc.BackendCompilerFailed",
       Category::kBackendCompilerFailed},
      {"torch._inductor.exc.InductorError", Category::kBackendCompilerFailed},
      {"torch._inductor.exc.LoweringException",
       Category::kBackendCompilerFailed},
      {"torch._dynamo.exc.RecompileError", Category::kRecompilation},
      {"torch._dynamo.exc.FailOnRecompileLimitHit", Category::kRecompilation},
      {"torch._dynamo.debug_utils.AccuracyError", Category::kAccuracy},
      {"torch._dynamo.exc.InternalTorchDynamoError", Category::kDynamoInternal},
      {"triton.compiler.errors.CompilationError", Category::kTritonKernel},
  };
  for (const auto& [type, category] : kClasses) {
    const ExceptionClass* known = FindExceptionClass(type);
    ASSERT_NE(known, nullptr) << type;
    EXPECT_EQ(known->category, category) << type;
  }
}

TEST(ExceptionTableTest, QualifiedNames) {
  EXPECT_TRUE(IsTorchQualified("torch._dynamo.exc.Unsupported"));
  EXPECT_TRUE(IsTorchQualified("triton.compiler.errors.CompilationError"));
  EXPECT_FALSE(IsTorchQualified("Unsupported"));
  EXPECT_FALSE(IsTorchQualified("torchvision.Error"));
}

}  // namespace
}  // namespace pt2triage
