#include "testing/queue_user.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(PaddingFifoQueue, FillsUpWithZeros) {
  QueueUser queue("PaddingFIFOQueueV2",
                  {{"component_types", std::vector<DType>{DType::kInt64}},
                   {"shapes", std::vector<PartialShape>{PartialShape({kUnknownDim, 2})}}});
  EXPECT_OK(queue.Put("QueueEnqueueV2", {MakeTensor<int64_t>({1, 2}, {1, 2})}));
  EXPECT_OK(queue.Put("QueueEnqueueV2", {MakeTensor<int64_t>({2, 2}, {3, 4, 5, 6})}));
  ExpectClose((*queue.Take("QueueDequeueManyV2", 2))[0],
              MakeTensor<int64_t>({2, 2, 2}, {1, 2, 0, 0, 3, 4, 5, 6}), Ulps(0));
  EXPECT_ERROR(queue.Put("QueueEnqueueV2", {MakeTensor<int64_t>({1, 3}, {1, 2, 3})}),
               Code::kInvalidArgument, "Expected [?,2], got [1,3]");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
