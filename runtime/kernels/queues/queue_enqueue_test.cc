#include "testing/queue_user.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(QueueEnqueue, RefusesWhatDoesNotFit) {
  QueueUser queue("FIFOQueueV2",
                  {{"component_types", std::vector<DType>{DType::kInt64, DType::kFloat}}});
  queue.Types({DType::kInt64, DType::kFloat});
  const Tensor one = Tensor::Scalar<int64_t>(1);
  EXPECT_OK(queue.Put("QueueEnqueueV2", {one, Tensor::Scalar<float>(1)}));
  EXPECT_ERROR(queue.Put("QueueEnqueueManyV2",
                         {Tensor::Vector<int64_t>({1, 2}), Tensor::Vector<float>({1})}),
               Code::kInvalidArgument, "same size in the 0th dimension");
  EXPECT_ERROR(queue.Put("QueueEnqueueManyV2", {one, Tensor::Vector<float>({1})}),
               Code::kInvalidArgument, "is a scalar");
  queue.Types({DType::kInt64});
  EXPECT_ERROR(queue.Put("QueueEnqueueV2", {one}), Code::kInvalidArgument, "holds [int64, float]");
  EXPECT_EQ(queue.size(), 1);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
