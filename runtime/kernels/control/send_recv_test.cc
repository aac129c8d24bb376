#include <thread>

#include "kernels/framework/step_context.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

AttrMap EdgeAttrs() {
  return {{"tensor_name", std::string("edge_1_x")},
          {"send_device", CpuDevice()->name()},
          {"send_device_incarnation", int64_t{1}},
          {"recv_device", CpuDevice()->name()}};
}

struct Ends {
  Graph graph;
  Node* send = nullptr;
  Node* recv = nullptr;
  std::unique_ptr<OpKernel> sender;
  std::unique_ptr<OpKernel> receiver;

  Ends() {
    const Tensor value = MakeTensor<float>({2}, {1, 2});
    Node* source = *graph.AddNode(
        {"x", "Const", {}, {}, {{"value", value}, {"dtype", value.dtype()}}, ""});
    AttrMap attrs = EdgeAttrs();
    send = *graph.AddNode({"send", "_Send", {{source, 0}}, {}, attrs, ""});
    attrs["tensor_type"] = DType::kFloat;
    recv = *graph.AddNode({"recv", "_Recv", {}, {}, attrs, ""});
    ResourceManager resources;
    for (auto [node, kernel] : {std::make_pair(send, &sender), std::make_pair(recv, &receiver)}) {
      *kernel = (*KernelRegistry::Global().Find(*node, DeviceType::kCpu))->make();
      EXPECT_OK((*kernel)->Init({*node, CpuDevice(), &resources}));
    }
  }

  Status Send(StepContext* step) {
    Entry value{MakeTensor<float>({2}, {1, 2}), nullptr};
    Entry* const input = &value;
    OpKernelContext context(
        {send, CpuDevice(), &input, nullptr, &on_host, &on_host, nullptr, step});
    return sender->Compute(&context);
  }

  Result<Tensor> Receive(StepContext* step) {
    Entry output;
    OpKernelContext context(
        {recv, CpuDevice(), nullptr, &output, &on_host, &on_host, nullptr, step});
    RETURN_IF_ERROR(receiver->Compute(&context));
    return output.value;
  }
  bool on_host = true;
};

TEST(SendRecv, MeetInEitherOrder) {
  Ends ends;
  StepContext step(1);
  ASSERT_OK(ends.Send(&step));
  const auto sent_before = ends.Receive(&step);
  ASSERT_OK(sent_before);
  ExpectClose(*sent_before, MakeTensor<float>({2}, {1, 2}), Ulps(0));
  Result<Tensor> waited = Internal("not yet");
  std::thread receiver([&] { waited = ends.Receive(&step); });
  EXPECT_OK(ends.Send(&step));
  receiver.join();
  ASSERT_OK(waited);
  ExpectClose(*waited, MakeTensor<float>({2}, {1, 2}), Ulps(0));
}

TEST(SendRecv, ACancelledStepWakesWhoWaits) {
  Ends ends;
  StepContext step(1);
  Result<Tensor> waited = Internal("not yet");
  std::thread receiver([&] { waited = ends.Receive(&step); });
  step.Fail(Status(Code::kCancelled, "stopped"));
  receiver.join();
  EXPECT_ERROR(waited, Code::kCancelled, "stopped");
  EXPECT_ERROR(ends.Send(&step), Code::kCancelled, "stopped");
}

TEST(SendRecv, ADeadlineEndsTheWait) {
  Ends ends;
  StepContext step(1);
  step.deadline = StepContext::Clock::now();
  EXPECT_ERROR(ends.Receive(&step), Code::kDeadlineExceeded, "timeout_in_ms");
}

TEST(Rendezvous, KeysAreTensorFlows) {
  EXPECT_EQ(Rendezvous::Key("/job:a/device:CPU:0", 1, "/job:a/device:GPU:0", "edge_3_x", 2, 7),
            "/job:a/device:CPU:0;0000000000000001;/job:a/device:GPU:0;edge_3_x;2:7");
}

TEST(Rendezvous, TheSameKeyTwiceIsAnError) {
  LocalRendezvous rendezvous;
  ASSERT_OK(rendezvous.Send("key", {}));
  EXPECT_ERROR(rendezvous.Send("key", {}), Code::kAborted, "sent twice");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
