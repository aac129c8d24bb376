#include "testing/step_ops.h"

namespace tfbuild {
namespace testing {
namespace {

AttrMap Area(const std::string& name, std::vector<DType> dtypes) {
  return {{"shared_name", name}, {"dtypes", std::move(dtypes)}};
}

TEST(StagingArea, GivesWhatWasPutInFirst) {
  StepOps ops;
  const AttrMap numbers = Area("a", {DType::kInt64});
  EXPECT_OK(ops.Call("Stage", {Tensor::Scalar<int64_t>(4)}, numbers).status());
  EXPECT_OK(ops.Call("Stage", {Tensor::Scalar<int64_t>(5)}, numbers).status());
  const Tensor second = Tensor::Scalar<int32_t>(1);
  EXPECT_EQ(*ops.First("StagePeek", {second}, numbers)->data<int64_t>(), int64_t{5});
  EXPECT_EQ(*ops.First("Unstage", {}, numbers)->data<int64_t>(), int64_t{4});
  EXPECT_EQ(*ops.First("StageSize", {}, numbers)->data<int32_t>(), 1);
  EXPECT_OK(ops.Call("StageClear", {}, numbers).status());
  EXPECT_EQ(*ops.First("StageSize", {}, numbers)->data<int32_t>(), 0);
}

TEST(StagingArea, RefusesOtherTypesAndWhatNeverFits) {
  StepOps ops;
  EXPECT_OK(ops.Call("Stage", {Tensor::Scalar<float>(4)}, Area("a", {DType::kFloat})).status());
  EXPECT_ERROR(ops.Call("Unstage", {}, Area("a", {DType::kInt64})), Code::kInvalidArgument,
               "component 0 was staged as float");
  AttrMap small = Area("b", {DType::kFloat});
  small["memory_limit"] = int64_t{3};
  EXPECT_ERROR(ops.Call("Stage", {Tensor::Scalar<float>(4)}, small), Code::kResourceExhausted,
               "memory limit of '3'");
  EXPECT_ERROR(ops.Call("StagePeek", {Tensor::Scalar<int32_t>(-1)}, small), Code::kInvalidArgument,
               "negative");
}

TEST(StagingArea, WaitsUntilItsStepEnds) {
  StepOps ops;
  AttrMap full = Area("a", {DType::kFloat});
  full["capacity"] = int64_t{1};
  EXPECT_OK(ops.Call("Stage", {Tensor::Scalar<float>(4)}, full).status());
  ops.step()->Fail(Status(Code::kCancelled, "by the test"));
  EXPECT_ERROR(ops.Call("Stage", {Tensor::Scalar<float>(4)}, full), Code::kCancelled, "by the test");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
