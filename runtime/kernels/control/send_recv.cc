// _Send and _Recv: a value crosses from one device to another. A pass puts them on edges; the forms
// that begin with _Host have their end in the memory of the host although they run on a GPU.
#include "graph/shape_context.h"
#include "kernels/framework/async_op_kernel.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/step_context.h"
#include "kernels/framework/step_trace.h"

namespace tfbuild {
namespace {

#define REGISTER(send, recv)                        \
  REGISTER_OP(send)                                 \
      .Input("tensor: T")                           \
      .Attr("T: type")                              \
      .Attr("tensor_name: string")                  \
      .Attr("send_device: string")                  \
      .Attr("send_device_incarnation: int")         \
      .Attr("recv_device: string")                  \
      .Attr("client_terminated: bool = false")      \
      .Stateful()                                   \
      .ShapeFunction(NoOutputs);                    \
  REGISTER_OP(recv)                                 \
      .Output("tensor: tensor_type")                \
      .Attr("tensor_type: type")                    \
      .Attr("tensor_name: string")                  \
      .Attr("send_device: string")                  \
      .Attr("send_device_incarnation: int")         \
      .Attr("recv_device: string")                  \
      .Attr("client_terminated: bool = false")      \
      .Stateful()                                   \
      .ShapeFunction(UnknownShape);
REGISTER("_Send", "_Recv")
REGISTER("_HostSend", "_HostRecv")
#undef REGISTER

// The parts of a key that are the same in each step.
struct Edge {
  std::string source;
  std::string target;
  std::string name;
  int64_t incarnation = 0;

  Status Read(const OpKernelConstruction& construction) {
    ASSIGN_OR_RETURN(source, construction.Attr<std::string>("send_device"));
    ASSIGN_OR_RETURN(target, construction.Attr<std::string>("recv_device"));
    ASSIGN_OR_RETURN(name, construction.Attr<std::string>("tensor_name"));
    ASSIGN_OR_RETURN(incarnation, construction.Attr<int64_t>("send_device_incarnation"));
    return OkStatus();
  }
  std::string Key(const FrameIteration& iteration) const {
    return Rendezvous::Key(source, static_cast<uint64_t>(incarnation), target, name,
                           iteration.frame, iteration.iteration);
  }
};

Status CheckInStep(const OpKernelContext& context) {
  return context.step() != nullptr ? OkStatus() : FailedPrecondition("only a step has a rendezvous");
}

template <bool kOnHost>
class SendOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return edge_.Read(construction);
  }
  Status Compute(OpKernelContext* context) override {
    RETURN_IF_ERROR(CheckInStep(*context));
    const bool on_host = kOnHost || context->device()->type() == DeviceType::kCpu;
    ASSIGN_OR_RETURN(std::shared_ptr<Moment> ready, MomentOf(context->device(), on_host));
    return context->step()->rendezvous().Send(
        edge_.Key(context->iteration()),
        {context->input(0), context->device(), on_host, false, std::move(ready)});
  }

 private:
  Edge edge_;
};

template <bool kOnHost>
class RecvOp final : public AsyncOpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return edge_.Read(construction);
  }
  void ComputeAsync(OpKernelContext* context, Done done) override {
    const Status in_step = CheckInStep(*context);
    if (!in_step.ok()) return done(in_step);
    context->step()->rendezvous().Receive(
        edge_.Key(context->iteration()),
        [context, done = std::move(done)](const Status& status, const Message& message) {
          done(status.ok() ? Take(context, message) : status);
        });
  }

 private:
  static Status Take(OpKernelContext* context, const Message& message) {
    if (message.value.dtype() != context->node().output(0).dtype) {
      return InvalidArgument("expected ", DTypeName(context->node().output(0).dtype), ", received ",
                             DTypeName(message.value.dtype()));
    }
    StepTrace* trace = context->step()->trace;
    const int64_t start = trace == nullptr ? 0 : trace->Now();
    ASSIGN_OR_RETURN(Tensor value, MoveTo(message, context->device(), kOnHost));
    if (trace != nullptr && value.raw() != message.value.raw()) {
      TraceCopy(*context, message, value, start, trace);
    }
    context->SetOutput(0, std::move(value));
    return OkStatus();
  }

  static void TraceCopy(const OpKernelContext& context, const Message& message,
                        const Tensor& value, int64_t start, StepTrace* trace) {
    const bool from_gpu = message.device->type() == DeviceType::kGpu && !message.on_host;
    const bool to_gpu = context.device()->type() == DeviceType::kGpu && !kOnHost;
    TracedRun run;
    run.kind = !from_gpu ? TracedRun::Kind::kCopyToGpu
               : to_gpu  ? TracedRun::Kind::kCopyWithinGpus
                         : TracedRun::Kind::kCopyToHost;
    run.node = &context.node();
    run.device = to_gpu ? context.device() : message.device;
    run.scheduled = run.start = run.op_start = start;
    Entry copy;
    copy.value = value;
    TraceOutput(0, copy, !to_gpu, &run);
    run.op_end = run.end = trace->Now();
    trace->Add(std::move(run));
  }
  Edge edge_;
};

REGISTER_KERNEL(Kernel("_Send").OnCpu(), SendOp<false>);
REGISTER_KERNEL(Kernel("_Send").OnGpu(), SendOp<false>);
REGISTER_KERNEL(Kernel("_HostSend").OnCpu(), SendOp<true>);
REGISTER_KERNEL(Kernel("_HostSend").OnGpu().HostMemory("tensor"), SendOp<true>);
REGISTER_KERNEL(Kernel("_Recv").OnCpu(), RecvOp<false>);
REGISTER_KERNEL(Kernel("_Recv").OnGpu(), RecvOp<false>);
REGISTER_KERNEL(Kernel("_HostRecv").OnCpu(), RecvOp<true>);
REGISTER_KERNEL(Kernel("_HostRecv").OnGpu().HostMemory("tensor"), RecvOp<true>);

}  // namespace
}  // namespace tfbuild
