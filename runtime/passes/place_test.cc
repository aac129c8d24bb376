#include "passes/place.h"

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Place, UnderstandsTheWaysToNameADevice) {
  const std::vector<Device*> devices{CpuDevice()};
  for (const char* name : {"/cpu:0", "/CPU:0", "/device:CPU:0", "CPU", "/job:localhost/device:CPU:0",
                           "/job:localhost/replica:0/task:0/device:CPU:0", "/device:CPU:*"}) {
    const Result<Device*> device = FindRequestedDevice(name, devices);
    ASSERT_OK(device);
    EXPECT_TRUE(*device == CpuDevice());
  }
  EXPECT_TRUE(*FindRequestedDevice("", devices) == nullptr);
  EXPECT_ERROR(FindRequestedDevice("/gpu:7", devices), Code::kNotFound, "device:CPU:0");
  EXPECT_ERROR(FindRequestedDevice("/tpu:0", devices), Code::kInvalidArgument, "malformed");
}

TEST(Place, AMissingDeviceIsAnErrorOrDropped) {
  Graph graph;
  const Tensor value = MakeTensor<float>({1}, {1});
  Node* node = *graph.AddNode(
      {"x", "Const", {}, {}, {{"value", value}, {"dtype", DType::kFloat}}, "/gpu:7"});
  Placement hard({CpuDevice()}, {false});
  hard.Update(graph);
  EXPECT_ERROR(hard.DeviceOf(*node), Code::kInvalidArgument, "cannot place node 'x'");
  Placement soft({CpuDevice()}, {true});
  soft.Update(graph);
  EXPECT_TRUE(*soft.DeviceOf(*node) == CpuDevice());
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
