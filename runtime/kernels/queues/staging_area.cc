// Stage, Unstage, StagePeek, StageSize and StageClear: tensors that one step leaves for a later one.
// The ops of one staging area have its name in common.
#include <deque>
#include <utility>

#include "graph/shape_context.h"
#include "kernels/framework/async_op_kernel.h"
#include "kernels/framework/handle_reference.h"
#include "kernels/queues/staged_values.h"

namespace tfbuild {
namespace {

#define TFBUILD_STAGING_ATTRS(types)     \
  Attr("capacity: int >= 0 = 0")         \
      .Attr("memory_limit: int >= 0 = 0") \
      .Attr("dtypes: list(type) >= " types) \
      .Attr("container: string = ''")    \
      .Attr("shared_name: string = ''")  \
      .Stateful()

REGISTER_OP("Stage").Input("values: dtypes").TFBUILD_STAGING_ATTRS("1").ShapeFunction(NoOutputs);
REGISTER_OP("Unstage")
    .Output("values: dtypes")
    .TFBUILD_STAGING_ATTRS("1")
    .ShapeFunction(UnknownShape);
REGISTER_OP("StagePeek")
    .Input("index: int32")
    .Output("values: dtypes")
    .TFBUILD_STAGING_ATTRS("1")
    .ShapeFunction(UnknownShape);
REGISTER_OP("StageSize")
    .Output("size: int32")
    .TFBUILD_STAGING_ATTRS("0")
    .ShapeFunction(ScalarShape);
REGISTER_OP("StageClear").TFBUILD_STAGING_ATTRS("0").ShapeFunction(NoOutputs);

// Comes out in the order in which it was put in.
class StagingArea final : public WaitingStore {
 public:
  static constexpr char kKind[] = "staging area";
  using Values = std::vector<Tensor>;

  void Put(Values values, StagingLimits limits, StepContext* step, Done done) {
    const size_t bytes = BytesOf(values);
    const Status fits = limits.CheckFits(bytes);
    if (!fits.ok()) return done(fits);
    const auto shared = std::make_shared<Values>(std::move(values));
    Try(step, [this, shared, bytes, limits](Status*) {
      if (!limits.HasRoom(static_cast<int64_t>(staged_.size()), bytes_, bytes)) return false;
      bytes_ += bytes;
      staged_.push_back(std::move(*shared));
      return true;
    }, std::move(done));
  }
  // Calls `take(values)` with the element of that number, which stays, or takes the first one away.
  using Take = std::function<Status(const Values&)>;
  void Get(int64_t index, bool stays, StepContext* step, Take take, Done done) {
    Try(step, [this, index, stays, take = std::move(take)](Status* status) {
      if (index >= static_cast<int64_t>(staged_.size())) return false;
      *status = take(staged_[static_cast<size_t>(index)]);
      if (stays || !status->ok()) return true;
      bytes_ -= BytesOf(staged_.front());
      staged_.pop_front();
      return true;
    }, std::move(done));
  }
  // Nobody waits for room when it returns.
  void Clear(Done done) {
    Try(nullptr, [this](Status*) {
      staged_.clear();
      bytes_ = 0;
      return true;
    }, std::move(done));
  }
  int32_t size() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<int32_t>(staged_.size());
  }

 private:
  std::deque<Values> staged_;
  size_t bytes_ = 0;
};

class StageOp final : public StagedOp<StagingArea> {
  void ComputeAsync(OpKernelContext* context, Done done) override {
    Result<StagingArea::Values> values = context->KeptInputs(0, context->num_inputs());
    if (!values.ok()) return done(values.status());
    area()->Put(*std::move(values), limits(), context->step(), std::move(done));
  }
};

template <bool kStays>
class UnstageOp final : public StagedOp<StagingArea> {
  void ComputeAsync(OpKernelContext* context, Done done) override {
    int64_t index = 0;
    if (kStays) {
      const Tensor& wanted = context->input(0);
      if (wanted.rank() != 0) return done(InvalidArgument("index must be a scalar"));
      index = *wanted.data<int32_t>();
      if (index < 0) return done(InvalidArgument("index must not be negative: ", index));
    }
    const auto take = [this, context](const StagingArea::Values& values) {
      return GiveValues(values, dtypes(), 0, context);
    };
    area()->Get(index, kStays, context->step(), take, std::move(done));
  }
};

class StageSizeOp final : public StagedOp<StagingArea> {
  void ComputeAsync(OpKernelContext* context, Done done) override {
    context->SetOutput(0, Tensor::Scalar<int32_t>(area()->size()));
    done(OkStatus());
  }
};

class StageClearOp final : public StagedOp<StagingArea> {
  void ComputeAsync(OpKernelContext*, Done done) override { area()->Clear(std::move(done)); }
};

REGISTER_KERNEL(Kernel("Stage").OnCpu(), StageOp);
REGISTER_KERNEL(Kernel("Unstage").OnCpu(), UnstageOp<false>);
REGISTER_KERNEL(Kernel("StagePeek").OnCpu(), UnstageOp<true>);
REGISTER_KERNEL(Kernel("StageSize").OnCpu(), StageSizeOp);
REGISTER_KERNEL(Kernel("StageClear").OnCpu(), StageClearOp);

}  // namespace
}  // namespace tfbuild
