#include "testing/queue_user.h"

namespace tfbuild {
namespace testing {
namespace {

AttrMap Attrs() {
  return {{"component_types", std::vector<DType>{DType::kInt64}},
          {"shapes", std::vector<PartialShape>{PartialShape(Shape{})}}};
}

TEST(FifoQueue, KeepsTheOrder) {
  QueueUser queue("FIFOQueueV2", Attrs());
  EXPECT_OK(queue.Put("QueueEnqueueV2", {Tensor::Scalar<int64_t>(7)}));
  EXPECT_OK(queue.Put("QueueEnqueueManyV2", {Tensor::Vector<int64_t>({8, 9})}));
  EXPECT_EQ(*(*queue.Take())[0].data<int64_t>(), int64_t{7});
  ExpectClose((*queue.Take("QueueDequeueManyV2", 2))[0], Tensor::Vector<int64_t>({8, 9}), Ulps(0));
}

TEST(FifoQueue, AgreesOnWhatIsShared) {
  QueueUser queue("FIFOQueueV2", Attrs());
  AttrMap other = Attrs();
  other["shared_name"] = std::string("q");
  other["capacity"] = int64_t{5};
  EXPECT_ERROR(queue.ops()->First("FIFOQueueV2", {}, other), Code::kInvalidArgument,
               "has capacity -1 but requested capacity was 5");
  other = Attrs();
  other["shapes"] = std::vector<PartialShape>{PartialShape({kUnknownDim})};
  EXPECT_TRUE(!queue.ops()->First("FIFOQueueV2", {}, other).ok());
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
