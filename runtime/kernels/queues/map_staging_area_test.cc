#include "testing/step_ops.h"

namespace tfbuild {
namespace testing {
namespace {

Tensor Number(int64_t value) { return Tensor::Scalar<int64_t>(value); }
Tensor Places(std::vector<int32_t> places) { return Tensor::Vector(places); }

class Pairs {
 public:
  Result<std::vector<Tensor>> Call(const std::string& op, const std::vector<Tensor>& values,
                                   size_t taken = 2) {
    AttrMap attrs = attrs_;
    attrs["dtypes"] = std::vector<DType>(taken, DType::kInt64);
    if (op == "OrderedMapStage") {
      attrs["fake_dtypes"] = std::vector<DType>(values.size() - 2, DType::kInt64);
    }
    return ops_.Call(op, values, attrs);
  }
  int64_t Size(const std::string& op) { return *(*Call(op, {}))[0].data<int32_t>(); }
  AttrMap& attrs() { return attrs_; }
  StepContext* step() { return ops_.step(); }

 private:
  StepOps ops_;
  AttrMap attrs_{{"shared_name", std::string("a")}};
};

TEST(MapStagingArea, GivesWhatIsUnderAKey) {
  Pairs pairs;
  for (const int64_t key : {7, 3}) {
    EXPECT_OK(pairs.Call("OrderedMapStage", {Number(key), Places({0, 1}), Number(10 * key),
                                             Number(key)}).status());
  }
  EXPECT_EQ(pairs.Size("OrderedMapSize"), 2);
  const auto seen = pairs.Call("OrderedMapPeek", {Number(7), Places({1})}, 1);
  EXPECT_EQ(*(*seen)[0].data<int64_t>(), int64_t{7});
  const auto any = pairs.Call("OrderedMapUnstageNoKey", {Places({0, 1})});
  EXPECT_EQ(*(*any)[0].data<int64_t>(), int64_t{3});
  EXPECT_EQ(*(*any)[1].data<int64_t>(), int64_t{30});
  const auto part = pairs.Call("OrderedMapUnstage", {Number(7), Places({0})}, 1);
  EXPECT_EQ(*(*part)[0].data<int64_t>(), int64_t{70});
  EXPECT_ERROR(pairs.Call("OrderedMapUnstage", {Number(7), Places({0})}, 1), Code::kInvalidArgument,
               "already been removed");
  EXPECT_OK(pairs.Call("OrderedMapUnstage", {Number(7), Places({1})}, 1).status());
  EXPECT_EQ(pairs.Size("OrderedMapSize"), 0);
}

TEST(MapStagingArea, IsPutInComponentByComponent) {
  Pairs pairs;
  EXPECT_OK(pairs.Call("OrderedMapStage", {Number(1), Places({1}), Number(5)}).status());
  EXPECT_EQ(pairs.Size("OrderedMapSize"), 0);
  EXPECT_EQ(pairs.Size("OrderedMapIncompleteSize"), 1);
  EXPECT_ERROR(pairs.Call("OrderedMapStage", {Number(1), Places({1}), Number(5)}),
               Code::kInvalidArgument, "already initialized");
  EXPECT_OK(pairs.Call("OrderedMapStage", {Number(1), Places({0}), Number(4)}).status());
  EXPECT_EQ(pairs.Size("OrderedMapIncompleteSize"), 0);
  const auto whole = pairs.Call("OrderedMapUnstage", {Number(1), Places({0, 1})});
  EXPECT_EQ(*(*whole)[0].data<int64_t>(), int64_t{4});
  EXPECT_EQ(*(*whole)[1].data<int64_t>(), int64_t{5});
}

TEST(MapStagingArea, RefusesWhatDoesNotFit) {
  Pairs pairs;
  EXPECT_ERROR(pairs.Call("OrderedMapStage", {Number(1), Places({1, 0}), Number(5), Number(6)}),
               Code::kInvalidArgument, "strictly ordered");
  EXPECT_ERROR(pairs.Call("OrderedMapStage", {Number(1), Places({2}), Number(5)}),
               Code::kInvalidArgument, "out of bounds");
  EXPECT_ERROR(pairs.Call("OrderedMapStage", {Number(1), Places({0, 1}), Number(5)}),
               Code::kInvalidArgument, "one for each component");
  EXPECT_OK(pairs.Call("OrderedMapStage", {Number(1), Places({0}), Number(5)}, 1).status());
  EXPECT_ERROR(pairs.Call("OrderedMapUnstage", {Number(1), Places({3})}, 1), Code::kInvalidArgument,
               "out of bounds");
}

TEST(MapStagingArea, WaitsUntilItsStepEndsAndForgets) {
  Pairs pairs;
  pairs.attrs()["capacity"] = int64_t{1};
  const std::vector<Tensor> first = {Number(1), Places({0}), Number(5)};
  const std::vector<Tensor> second = {Number(2), Places({0}), Number(5)};
  EXPECT_OK(pairs.Call("OrderedMapStage", first, 1).status());
  EXPECT_OK(pairs.Call("OrderedMapClear", {}).status());
  EXPECT_OK(pairs.Call("OrderedMapStage", first, 1).status());
  pairs.step()->Fail(Status(Code::kCancelled, "by the test"));
  EXPECT_ERROR(pairs.Call("OrderedMapStage", second, 1), Code::kCancelled, "by the test");
  EXPECT_ERROR(pairs.Call("OrderedMapUnstage", {Number(2), Places({0})}, 1), Code::kCancelled,
               "by the test");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
