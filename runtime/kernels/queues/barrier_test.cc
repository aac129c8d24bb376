#include <limits>

#include "testing/reference_ops.h"

namespace tfbuild {
namespace testing {
namespace {

// A barrier of a string and a number, used through its ops in one step.
class BarrierUser {
 public:
  BarrierUser()
      : ops_("Barrier",
             {{"component_types", std::vector<DType>{DType::kString, DType::kInt64}}}) {}
  Status Insert(int64_t component, std::vector<std::string> keys, const Tensor& values) {
    const int64_t count = static_cast<int64_t>(keys.size());
    return ops_.Call("BarrierInsertMany", {Tensor::Strings({count}, std::move(keys)), values},
                {{"component_index", component}});
  }
  // The keys and numbers, as "a1 b2".
  Result<std::string> Take(int32_t count, bool allow_fewer = false) {
    const std::vector<DType> types{DType::kString, DType::kInt64};
    RETURN_IF_ERROR(ops_.Call("BarrierTakeMany", {Tensor::Scalar(count)},
                         {{"component_types", types}, {"allow_small_batch", allow_fewer}}));
    std::vector<std::string> taken;
    for (int64_t i = 0; i < ops_.output(1).num_elements(); ++i) {
      taken.push_back(StrCat(ops_.output(1).data<std::string>()[i],
                             ops_.output(3).data<int64_t>()[i]));
    }
    return StrJoin(taken, " ");
  }
  Status Close(bool cancel) {
    return ops_.Call("BarrierClose", {}, {{"cancel_pending_enqueues", cancel}});
  }
  int32_t Size(const std::string& op) {
    EXPECT_OK(ops_.Call(op, {}, {}));
    return *ops_.output(0).data<int32_t>();
  }
  int64_t first_index() const { return *ops_.output(0).data<int64_t>(); }

 private:
  ReferenceOps ops_;
};

TEST(Barrier, GivesWholeElementsInTheOrderOfTheirFirstParts) {
  BarrierUser barrier;
  EXPECT_OK(barrier.Insert(0, {"a", "b"}, Tensor::Strings({2}, {"x", "y"})));
  EXPECT_OK(barrier.Insert(1, {"c", "b"}, Tensor::Vector<int64_t>({3, 2})));
  EXPECT_EQ(barrier.Size("BarrierIncompleteSize"), 2);
  EXPECT_OK(barrier.Insert(0, {"c"}, Tensor::Strings({1}, {"z"})));
  EXPECT_OK(barrier.Insert(1, {"a"}, Tensor::Vector<int64_t>({1})));
  EXPECT_EQ(barrier.Size("BarrierReadySize"), 3);
  EXPECT_EQ(*barrier.Take(2), "b2 a1");
  EXPECT_EQ(barrier.first_index(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(*barrier.Take(1), "c3");
  EXPECT_EQ(barrier.first_index(), std::numeric_limits<int64_t>::min() + 1);
}

TEST(Barrier, OnceClosedTakesNoNewKeys) {
  BarrierUser barrier;
  EXPECT_OK(barrier.Insert(0, {"a", "b"}, Tensor::Strings({2}, {"x", "y"})));
  EXPECT_OK(barrier.Insert(1, {"a"}, Tensor::Vector<int64_t>({1})));
  EXPECT_OK(barrier.Close(false));
  EXPECT_ERROR(barrier.Close(false), Code::kCancelled, "already closed");
  EXPECT_ERROR(barrier.Insert(0, {"c"}, Tensor::Strings({1}, {"z"})), Code::kCancelled,
               "brand new key: c");
  EXPECT_ERROR(barrier.Take(3), Code::kOutOfRange, "requested 3, total size 2");
  EXPECT_EQ(*barrier.Take(3, true), "a1");
  EXPECT_ERROR(barrier.Take(1, true), Code::kOutOfRange, "insufficient elements");
  EXPECT_OK(barrier.Insert(1, {"b"}, Tensor::Vector<int64_t>({2})));
  EXPECT_EQ(*barrier.Take(1), "b2");
}

TEST(Barrier, RefusesWhatDoesNotFit) {
  BarrierUser barrier;
  EXPECT_OK(barrier.Insert(0, {"a"}, Tensor::Strings({1}, {"x"})));
  EXPECT_ERROR(barrier.Insert(0, {"a"}, Tensor::Strings({1}, {"x"})), Code::kInvalidArgument,
               "already has a value for component 0");
  EXPECT_ERROR(barrier.Insert(2, {"a"}, Tensor::Strings({1}, {"x"})), Code::kInvalidArgument,
               "component ID is out of range 2");
  EXPECT_ERROR(barrier.Insert(1, {"a"}, Tensor::Strings({1}, {"x"})), Code::kInvalidArgument,
               "is of int64, not string");
  EXPECT_ERROR(barrier.Insert(1, {"a", "b"}, Tensor::Vector<int64_t>({1})), Code::kInvalidArgument,
               "as many rows");
  EXPECT_ERROR(barrier.Take(-1), Code::kInvalidArgument, "negative");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
