#include "testing/queue_user.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(RandomShuffleQueue, ShufflesAsTensorFlow) {
  QueueUser queue("RandomShuffleQueueV2",
                  {{"component_types", std::vector<DType>{DType::kInt64}},
                   {"shapes", std::vector<PartialShape>{PartialShape(Shape{})}},
                   {"min_after_dequeue", int64_t{3}},
                   {"seed", int64_t{87654321}},
                   {"seed2", int64_t{7}}});
  EXPECT_OK(queue.Put("QueueEnqueueManyV2",
                      {Tensor::Vector<int64_t>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})}));
  ExpectClose((*queue.Take("QueueDequeueManyV2", 5))[0],
              Tensor::Vector<int64_t>({3, 10, 5, 4, 0}), Ulps(0));
}

TEST(RandomShuffleQueue, RefusesWhatCannotBeKept) {
  StepOps ops;
  EXPECT_ERROR(ops.First("RandomShuffleQueueV2", {},
                         {{"component_types", std::vector<DType>{DType::kInt64}},
                          {"capacity", int64_t{3}},
                          {"min_after_dequeue", int64_t{3}}}),
               Code::kInvalidArgument, "must be < capacity 3");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
