#include "triage/chain.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pt2triage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

ExceptionBlock Block(std::string_view type, std::string_view message) {
  ExceptionBlock block;
  block.type.assign(type);
  block.message.assign(message);
  return block;
}

std::vector<std::string> Types(const std::vector<ChainMember>& chain) {
  std::vector<std::string> types;
  for (const ChainMember& member : chain) types.push_back(member.type);
  return types;
}

TEST(BuildChainTest, OutermostFirst) {
  const auto chain =
      BuildChain({Block("KeyError", "'k'"), Block("RuntimeError", "outer")});
  EXPECT_THAT(Types(chain), ElementsAre("RuntimeError", "KeyError"));
  EXPECT_EQ(chain[0].block, 1u);
  EXPECT_EQ(chain[1].block, 0u);
}

TEST(BuildChainTest, BackendFailuresHoldWhatWasRaised) {
  const auto chain =
      BuildChain({Block("torch._dynamo.exc.BackendCompilerFailed",
                        "backend='inductor' raised:\n"
                        "LoweringException: AssertionError: bad layout\n"
                        "  target: aten.add.Tensor")});
  EXPECT_THAT(Types(chain),
              ElementsAre("torch._dynamo.exc.BackendCompilerFailed",
                          "LoweringException", "AssertionError"));
  EXPECT_EQ(chain[2].message, "bad layout\n  target: aten.add.Tensor");
}

TEST(BuildChainTest, InductorErrorsHoldWhatWasRaised) {
  const auto chain =
      BuildChain({Block("torch._inductor.exc.InductorError",
                        "LoweringException: AssertionError: bad layout")});
  EXPECT_THAT(Types(chain), ElementsAre("torch._inductor.exc.InductorError",
                                        "LoweringException", "AssertionError"));
}

TEST(BuildChainTest, InternalErrorsHoldTheirCause) {
  const auto chain = BuildChain(
      {Block("torch._dynamo.exc.InternalTorchDynamoError", "KeyError: 'k'")});
  EXPECT_THAT(
      Types(chain),
      ElementsAre("torch._dynamo.exc.InternalTorchDynamoError", "KeyError"));
  EXPECT_EQ(chain[1].message, "'k'");
}

TEST(BuildChainTest, FakeTensorFailuresSayWhatTheyGot) {
  const auto chain = BuildChain({Block(
      "torch._dynamo.exc.TorchRuntimeError",
      "Dynamo failed to run FX node with fake tensors: call_function <built-in "
      "method matmul>(*(), **{}): got RuntimeError('size mismatch')")});
  EXPECT_THAT(Types(chain), ElementsAre("torch._dynamo.exc.TorchRuntimeError",
                                        "RuntimeError"));
  EXPECT_EQ(chain[1].message, "size mismatch");
}

TEST(BuildChainTest, NoTritonConfigsHoldTheLastFailure) {
  const auto chain = BuildChain(
      {Block("torch._inductor.exc.InductorError",
             "NoTritonConfigsError: No valid triton configs. OutOfResources: "
             "out of resource: shared memory, Required: 294912")});
  EXPECT_THAT(Types(chain),
              ElementsAre("torch._inductor.exc.InductorError",
                          "NoTritonConfigsError", "OutOfResources"));
}

TEST(BuildChainTest, AQuotedCauseIsNotListedTwice) {
  const auto chain = BuildChain(
      {Block("AssertionError", "bad layout"),
       Block("torch._dynamo.exc.BackendCompilerFailed",
             "backend='inductor' raised:\nAssertionError: bad layout")});
  EXPECT_THAT(
      Types(chain),
      ElementsAre("torch._dynamo.exc.BackendCompilerFailed", "AssertionError"));
}

TEST(BuildChainTest, WordsBeforeAColonAreNoType) {
  const auto chain = BuildChain({Block(
      "torch._dynamo.exc.InternalTorchDynamoError", "Something: went wrong")});
  EXPECT_THAT(chain, SizeIs(1));
}

TEST(BuildChainTest, LaunchersSummariesAreLeftOut) {
  const auto chain =
      BuildChain({Block("torch.distributed.elastic.multiprocessing.errors."
                        "ChildFailedError",
                        "train.py FAILED")});
  EXPECT_THAT(chain, IsEmpty());
  EXPECT_EQ(SelectMember(chain), nullptr);
}

TEST(BuildChainTest, EndlessNestingIsBounded) {
  std::string message;
  for (int i = 0; i < 500; ++i) message += "LoweringException: ";
  const auto chain =
      BuildChain({Block("torch._inductor.exc.InductorError", message + "x")});
  EXPECT_LE(chain.size(), 100u);
}

TEST(SelectMemberTest, TheOutermostOfPt2Decides) {
  const auto chain = BuildChain({Block("torch._dynamo.exc.Unsupported", "x"),
                                 Block("torch._dynamo.exc.UserError", "y"),
                                 Block("mylib.WrapperError", "z")});
  EXPECT_EQ(SelectMember(chain)->type, "torch._dynamo.exc.UserError");
}

TEST(SelectMemberTest, AccuracyInsideABackendFailureDecides) {
  const auto chain =
      BuildChain({Block("torch._dynamo.exc.BackendCompilerFailed",
                        "backend='inductor' raised:\n"
                        "AccuracyError: Bad accuracy detected")});
  EXPECT_EQ(SelectMember(chain)->type, "AccuracyError");
}

TEST(SelectMemberTest, WithoutPt2WhatEscaped) {
  const auto chain =
      BuildChain({Block("KeyError", "'k'"), Block("RuntimeError", "outer")});
  EXPECT_EQ(SelectMember(chain)->type, "RuntimeError");
}

TEST(BackendNameTest, AllQuotes) {
  EXPECT_EQ(BackendName("backend='inductor' raised:"), "inductor");
  EXPECT_EQ(BackendName("backend=‘my_backend’ raised:"), "my_backend");
  EXPECT_EQ(BackendName("backend=\"x\" raised:"), "x");
  EXPECT_EQ(BackendName("backend=x raised:"), "");
  EXPECT_EQ(BackendName("the backend='inductor'"), "");
}

}  // namespace
}  // namespace pt2triage
