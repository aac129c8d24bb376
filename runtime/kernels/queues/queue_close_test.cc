#include "testing/queue_user.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(QueueClose, IsSeenAndLasts) {
  QueueUser queue("FIFOQueueV2", {{"component_types", std::vector<DType>{DType::kInt64}}});
  EXPECT_TRUE(!queue.closed());
  EXPECT_EQ(queue.size(), 0);
  EXPECT_OK(queue.Close());
  EXPECT_TRUE(queue.closed());
  EXPECT_ERROR(queue.Close(), Code::kCancelled, "already closed");
  EXPECT_ERROR(queue.Put("QueueEnqueueV2", {Tensor::Scalar<int64_t>(1)}), Code::kCancelled,
               "FIFOQueue 'q' is closed.");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
