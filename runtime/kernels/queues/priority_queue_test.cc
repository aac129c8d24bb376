#include "testing/queue_user.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(PriorityQueue, GivesTheLeastFirst) {
  QueueUser queue("PriorityQueueV2",
                  {{"component_types", std::vector<DType>{DType::kInt64}},
                   {"shapes", std::vector<PartialShape>{PartialShape(Shape{})}}});
  queue.Types({DType::kInt64, DType::kInt64});
  EXPECT_OK(queue.Put("QueueEnqueueManyV2",
                      {Tensor::Vector<int64_t>({3, 1, 2}), Tensor::Vector<int64_t>({30, 10, 20})}));
  const auto taken = queue.Take("QueueDequeueManyV2", 3);
  ASSERT_OK(taken);
  ExpectClose((*taken)[1], Tensor::Vector<int64_t>({10, 20, 30}), Ulps(0));
  EXPECT_ERROR(queue.Put("QueueEnqueueV2", {Tensor::Vector<int64_t>({1}), Tensor::Scalar<int64_t>(1)}),
               Code::kInvalidArgument, "tuple component 0");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
