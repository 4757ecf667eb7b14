#include "triage/frame_owner.h"

#include <initializer_list>
#include <string_view>

#include "gtest/gtest.h"

namespace pt2triage {
namespace {

struct Row {
  std::string_view file;
  FrameOwner owner;
};

void Expect(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    EXPECT_EQ(static_cast<int>(OwnerOf(row.file)), static_cast<int>(row.owner))
        << row.file;
  }
}

TEST(FrameOwnerTest, TorchOfAWheel) {
  Expect({
      {"/v/lib/python3.11/site-packages/torch/_dynamo/exc.py",
       FrameOwner::kTorch},
      {"/usr/lib/python3/dist-packages/torch/nn/modules/module.py",
       FrameOwner::kTorch},
      {"site-packages/torch/_dynamo/eval_frame.py", FrameOwner::kTorch},
      {"torch/_dynamo/eval_frame.py", FrameOwner::kTorch},
      {"../torch/_inductor/graph.py", FrameOwner::kTorch},
      {"/v/lib/python3.11/site-packages/torch/new_folder/x.py",
       FrameOwner::kTorch},
  });
}

TEST(FrameOwnerTest, TorchOfACheckout) {
  Expect({
      {"/home/me/pytorch/torch/_dynamo/exc.py", FrameOwner::kTorch},
      {"/data/users/me/torch/fx/graph_module.py", FrameOwner::kTorch},
      {"/pytorch/torch/__init__.py", FrameOwner::kTorch},
  });
}

TEST(FrameOwnerTest, TestsAndBenchmarksOfACheckoutAreTheUsers) {
  Expect({
      {"/home/me/pytorch/test/dynamo/test_misc.py", FrameOwner::kUser},
      {"/pytorch/test/inductor/test_torchinductor.py", FrameOwner::kUser},
      {"/pytorch/benchmarks/dynamo/common.py", FrameOwner::kUser},
      {"benchmarks/dynamo/huggingface.py", FrameOwner::kUser},
  });
}

TEST(FrameOwnerTest, AFolderNamedTorchIsTheUsers) {
  Expect({
      {"/home/me/torch/train.py", FrameOwner::kUser},
      {"/home/me/my_torch/nn/model.py", FrameOwner::kUser},
      {"/home/torch/project/main.py", FrameOwner::kUser},
  });
}

TEST(FrameOwnerTest, Windows) {
  Expect({
      {"C:\\env\\Lib\\site-packages\\torch\\_dynamo\\exc.py",
       FrameOwner::kTorch},
      {"C:\\Python311\\Lib\\threading.py", FrameOwner::kStdlib},
      {"C:\\Users\\me\\train.py", FrameOwner::kUser},
      {"C:\\env\\Lib\\site-packages\\numpy\\core.py", FrameOwner::kPackage},
      {"C:\\Users\\me\\AppData\\Local\\Temp\\torchinductor_me\\ab\\cab.py",
       FrameOwner::kGenerated},
  });
}

TEST(FrameOwnerTest, Packages) {
  Expect({
      {"/v/lib/python3.11/site-packages/transformers/models/x.py",
       FrameOwner::kPackage},
      {"/usr/lib/python3/dist-packages/numpy/core.py", FrameOwner::kPackage},
      {"/v/lib/python3.11/site-packages/torchvision/ops.py",
       FrameOwner::kPackage},
      {"/v/lib/python3.11/site-packages/triton/compiler/compiler.py",
       FrameOwner::kTriton},
  });
}

TEST(FrameOwnerTest, Stdlib) {
  Expect({
      {"/usr/lib/python3.11/threading.py", FrameOwner::kStdlib},
      {"/opt/conda/lib/python3.10/contextlib.py", FrameOwner::kStdlib},
      {"/usr/lib64/python3.9/runpy.py", FrameOwner::kStdlib},
      {"<frozen runpy>", FrameOwner::kStdlib},
      {"<frozen importlib._bootstrap>", FrameOwner::kStdlib},
  });
}

TEST(FrameOwnerTest, GeneratedCode) {
  Expect({
      {"/tmp/torchinductor_me/ab/cabcdef.py", FrameOwner::kGenerated},
      {"/cache/abc/"
       "cqxr3nvm4pzfkqkqyjsvf3yhhcahmmzxkpqzvzsxj2l4zkkzw5oa.py",
       FrameOwner::kGenerated},
      {"<eval_with_key>.9", FrameOwner::kGenerated},
      {"<string>", FrameOwner::kGenerated},
  });
}

TEST(FrameOwnerTest, NotebooksAndScriptsAreTheUsers) {
  Expect({
      {"/tmp/ipykernel_12/1234.py", FrameOwner::kUser},
      {"<ipython-input-4-7a1b2c>", FrameOwner::kUser},
      {"Cell In[3]", FrameOwner::kUser},
      {"<stdin>", FrameOwner::kUser},
      {"main.py", FrameOwner::kUser},
      {"", FrameOwner::kUser},
  });
}

TEST(FrameOwnerTest, Launchers) {
  Expect({
      {"/v/bin/torchrun", FrameOwner::kLauncher},
      {"/usr/local/bin/pytest", FrameOwner::kLauncher},
  });
}

TEST(TorchPathTest, IsBelowThePackage) {
  EXPECT_EQ(TorchPath("/v/site-packages/torch/_dynamo/exc.py"),
            "_dynamo/exc.py");
  EXPECT_EQ(TorchPath("/home/me/pytorch/torch/fx/graph.py"), "fx/graph.py");
  EXPECT_EQ(TorchPath("/home/me/train.py"), "");
}

}  // namespace
}  // namespace pt2triage
