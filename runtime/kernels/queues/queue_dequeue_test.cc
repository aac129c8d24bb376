#include "testing/queue_user.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(QueueDequeue, GivesWhatIsLeftOfAClosedQueue) {
  QueueUser queue("FIFOQueueV2", {{"component_types", std::vector<DType>{DType::kInt64}},
                                  {"shapes", std::vector<PartialShape>{PartialShape(Shape{})}}});
  EXPECT_OK(queue.Put("QueueEnqueueManyV2", {Tensor::Vector<int64_t>({1, 2})}));
  EXPECT_EQ((*queue.Take("QueueDequeueManyV2", 0))[0].num_elements(), int64_t{0});
  EXPECT_ERROR(queue.Take("QueueDequeueUpToV2", -1), Code::kInvalidArgument, "-1 < 0 elements");
  EXPECT_OK(queue.Close());
  EXPECT_ERROR(queue.Take("QueueDequeueManyV2", 3), Code::kOutOfRange,
               "(requested 3, current size 2)");
  EXPECT_EQ((*queue.Take("QueueDequeueUpToV2", 3))[0].num_elements(), int64_t{2});
  EXPECT_ERROR(queue.Take(), Code::kOutOfRange, "FIFOQueue 'q' is closed");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
