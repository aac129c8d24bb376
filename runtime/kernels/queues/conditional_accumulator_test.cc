#include "testing/step_ops.h"

namespace tfbuild {
namespace testing {
namespace {

// An accumulator of pairs, used through its ops in one step.
class PairAccumulator {
 public:
  explicit PairAccumulator(DType dtype = DType::kFloat, const std::string& reduction = "MEAN")
      : dtype_(dtype) {
    const auto made = Make(reduction);
    EXPECT_OK(made);
    if (made.ok()) handle_ = *made;
  }
  Result<Tensor> Make(const std::string& reduction) {
    return ops_.First("ResourceConditionalAccumulator", {},
                      {{"dtype", dtype_}, {"shape", PartialShape{2}},
                       {"reduction_type", reduction}, {"shared_name", std::string("a")}});
  }
  Status Apply(int64_t step, const Tensor& gradient) {
    return ops_.Call("ResourceAccumulatorApplyGradient",
                     {handle_, Tensor::Scalar<int64_t>(step), gradient}, {{"dtype", dtype_}})
        .status();
  }
  Result<Tensor> Take(int32_t count) {
    return ops_.First("ResourceAccumulatorTakeGradient", {handle_, Tensor::Scalar(count)},
                      {{"dtype", dtype_}});
  }
  Status SetStep(int64_t step) {
    return ops_.Call("ResourceAccumulatorSetGlobalStep", {handle_, Tensor::Scalar<int64_t>(step)},
                     {}).status();
  }
  int32_t count() {
    return *ops_.First("ResourceAccumulatorNumAccumulated", {handle_}, {})->data<int32_t>();
  }

 private:
  DType dtype_;
  StepOps ops_;
  Tensor handle_;
};

template <typename T>
void Averages() {
  PairAccumulator of(DTypeOf<T>::value);
  EXPECT_OK(of.Apply(0, MakeTensor<T>({2}, {1, 2})));
  EXPECT_OK(of.Apply(0, MakeTensor<T>({2}, {3, 6})));
  EXPECT_EQ(of.count(), 2);
  const Result<Tensor> taken = of.Take(1);
  EXPECT_OK(taken);
  EXPECT_TRUE(Values(*taken) == (std::vector<double>{2, 4}));
  EXPECT_EQ(of.count(), 0);
}

TEST(ConditionalAccumulator, AveragesFloat) { Averages<float>(); }
TEST(ConditionalAccumulator, AveragesDouble) { Averages<double>(); }
TEST(ConditionalAccumulator, AveragesHalf) { Averages<Half>(); }
TEST(ConditionalAccumulator, AveragesBFloat16) { Averages<BFloat16>(); }

TEST(ConditionalAccumulator, AddsUp) {
  PairAccumulator of(DType::kFloat, "SUM");
  EXPECT_OK(of.Apply(0, MakeTensor<float>({2}, {1, 2})));
  EXPECT_OK(of.Apply(0, MakeTensor<float>({2}, {3, 6})));
  EXPECT_TRUE(Values(*of.Take(2)) == (std::vector<double>{4, 8}));
}

TEST(ConditionalAccumulator, DropsWhatIsLate) {
  PairAccumulator of;
  EXPECT_OK(of.Apply(0, MakeTensor<float>({2}, {1, 2})));
  EXPECT_OK(of.Take(1));  // the next step begins
  EXPECT_OK(of.Apply(0, MakeTensor<float>({2}, {1, 2})));
  EXPECT_EQ(of.count(), 0);
  EXPECT_OK(of.SetStep(5));
  EXPECT_OK(of.Apply(4, MakeTensor<float>({2}, {1, 2})));
  EXPECT_EQ(of.count(), 0);
  EXPECT_OK(of.Apply(5, MakeTensor<float>({2}, {1, 2})));
  EXPECT_EQ(of.count(), 1);
}

// What was taken is not what is added to next.
TEST(ConditionalAccumulator, LeavesInputsAlone) {
  PairAccumulator of;
  const Tensor gradient = MakeTensor<float>({2}, {1, 2});
  EXPECT_OK(of.Apply(0, gradient));
  EXPECT_OK(of.Apply(0, gradient));
  EXPECT_OK(of.Take(2));
  EXPECT_TRUE(Values(gradient) == (std::vector<double>{1, 2}));
}

TEST(ConditionalAccumulator, Refuses) {
  PairAccumulator of;
  EXPECT_TRUE(of.Take(0).status().code() == Code::kInvalidArgument);
  EXPECT_TRUE(of.Apply(0, MakeTensor<float>({3}, {1, 2, 3})).code() == Code::kInvalidArgument);
  EXPECT_EQ(of.count(), 0);
  EXPECT_TRUE(of.Make("SUM").status().code() == Code::kInvalidArgument);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
