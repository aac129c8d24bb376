#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/framework/handle_reference.h"
#include "kernels/queues/waiting_store.h"

namespace tfbuild {

// What an accumulator was asked to be.
struct AccumulatorSpec {
  std::string name;
  DType dtype = DType::kFloat;
  PartialShape shape;
  bool averages = true;  // else it adds up
};

// A sum of gradients, each of some tensors. For one thread at a time.
class GradientSum {
 public:
  virtual ~GradientSum() = default;
  // Of the tensors of a gradient, and of the sum.
  virtual std::vector<DType> types() const = 0;
  // Nothing has changed where it fails.
  virtual Status Add(const std::vector<Tensor>& gradient) = 0;
  // The tensors of what was added, of which there were so many gradients; then it is empty.
  virtual Result<std::vector<Tensor>> Take(int64_t count) = 0;
};

// Gradients that steps add up until another one takes their sum or mean, which then waits for as many as
// it wants. A gradient that was computed before the accumulator's last step is dropped, as TensorFlow
// does it for workers that are late. Thread-safe.
class Accumulator final : public WaitingStore {
 public:
  static constexpr char kKind[] = "accumulator";
  using SumMaker = std::function<std::unique_ptr<GradientSum>(const AccumulatorSpec&)>;

  // Makes it what the spec says; later ones must say the same, else InvalidArgument.
  Status Configure(const AccumulatorSpec& spec, const SumMaker& make) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<GradientSum> sum = make(spec);
    if (sum_ == nullptr) {
      spec_ = spec;
      sum_ = std::move(sum);
      return OkStatus();
    }
    const bool same = spec_.dtype == spec.dtype && spec_.shape == spec.shape &&
                      spec_.averages == spec.averages && sum_->types() == sum->types();
    if (same) return OkStatus();
    return InvalidArgument("Shared accumulator '", spec_.name,
                           "' has another type, shape or reduction, or holds other tensors");
  }
  // InvalidArgument unless a gradient, or a sum, is of these types.
  Status CheckTypes(const std::vector<DType>& types) const {
    std::lock_guard<std::mutex> lock(mutex_);
    if (sum_ == nullptr || sum_->types() != types) {
      return InvalidArgument("the accumulator '", spec_.name, "' has tensors of other types, or ",
                             "another number of them");
    }
    return OkStatus();
  }
  const AccumulatorSpec& spec() const { return spec_; }

  void Apply(int64_t local_step, std::vector<Tensor> gradient, StepContext* step, Done done) {
    Try(step, [this, local_step, gradient = std::move(gradient)](Status* status) {
      if (local_step < global_step_) return true;
      *status = sum_->Add(gradient);
      if (status->ok()) ++count_;
      return true;
    }, std::move(done));
  }
  using Taken = std::function<void(std::vector<Tensor>)>;
  void Take(int64_t wanted, StepContext* step, Taken taken, Done done) {
    Try(step, [this, wanted, taken = std::move(taken)](Status* status) {
      if (count_ < wanted) return false;
      Result<std::vector<Tensor>> sum = sum_->Take(count_);
      *status = sum.status();
      if (sum.ok()) taken(*std::move(sum));
      count_ = 0;
      ++global_step_;
      return true;
    }, std::move(done));
  }
  void SetGlobalStep(int64_t step, Done done) {
    Try(nullptr, [this, step](Status*) {
      global_step_ = step;
      return true;
    }, std::move(done));
  }
  int32_t count() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<int32_t>(count_);
  }

 private:
  AccumulatorSpec spec_;
  std::unique_ptr<GradientSum> sum_;
  int64_t count_ = 0;
  int64_t global_step_ = 0;
};

// The kernel of an op that makes an accumulator, with `Sum` for its gradients.
template <typename Sum>
class AccumulatorOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    AccumulatorSpec spec;
    ASSIGN_OR_RETURN(const SharedName name, SharedName::Of(construction));
    spec.name = name.name;
    ASSIGN_OR_RETURN(spec.dtype, construction.Attr<DType>("dtype"));
    ASSIGN_OR_RETURN(spec.shape, construction.Attr<PartialShape>("shape"));
    ASSIGN_OR_RETURN(const std::string reduction, construction.Attr<std::string>("reduction_type"));
    spec.averages = reduction == "MEAN";
    ASSIGN_OR_RETURN(const std::shared_ptr<Accumulator> made, output_.Init(construction, name));
    return made->Configure(spec, [](const AccumulatorSpec& chosen) -> std::unique_ptr<GradientSum> {
      return std::make_unique<Sum>(chosen);
    });
  }
  Status Compute(OpKernelContext* context) override {
    output_.Set(context);
    return OkStatus();
  }

 private:
  HandleOutput<Accumulator> output_;
};

// A kernel whose first input is an accumulator.
class OnAccumulatorOp : public AsyncOpKernel {
 public:
  void ComputeAsync(OpKernelContext* context, Done done) final {
    const Result<std::shared_ptr<Accumulator>> found = SharedAt<Accumulator>(*context, 0);
    if (!found.ok()) return done(found.status());
    Run(*found, context, [held = *found, done = std::move(done)](const Status& s) { done(s); });
  }

 protected:
  virtual void Run(const std::shared_ptr<Accumulator>& accumulator, OpKernelContext* context,
                   Done done) = 0;
};

// Adds the tensors from input 2 on as a gradient of the step that input 1 names.
class ApplyGradientOp final : public OnAccumulatorOp {
  void Run(const std::shared_ptr<Accumulator>& accumulator, OpKernelContext* context,
           Done done) override {
    const Tensor& local_step = context->input(1);
    if (local_step.rank() != 0) return done(InvalidArgument("local_step must be a scalar"));
    std::vector<Tensor> gradient;
    std::vector<DType> types;
    for (int i = 2; i < context->num_inputs(); ++i) {
      gradient.push_back(context->input(i));
      types.push_back(context->input(i).dtype());
    }
    const Status fits = accumulator->CheckTypes(types);
    if (!fits.ok()) return done(fits);
    accumulator->Apply(*local_step.data<int64_t>(), std::move(gradient), context->step(),
                       std::move(done));
  }
};

// Waits for as many gradients as input 1 says; the outputs are the tensors of their sum or mean.
class TakeGradientOp final : public OnAccumulatorOp {
  void Run(const std::shared_ptr<Accumulator>& accumulator, OpKernelContext* context,
           Done done) override {
    const Tensor& wanted = context->input(1);
    if (wanted.rank() != 0) return done(InvalidArgument("num_required must be a scalar"));
    const int32_t count = *wanted.data<int32_t>();
    if (count < 1) return done(InvalidArgument("Argument num_required must be positive: ", count));
    std::vector<DType> types;
    for (int i = 0; i < context->num_outputs(); ++i) {
      types.push_back(context->node().output(i).dtype);
    }
    const Status fits = accumulator->CheckTypes(types);
    if (!fits.ok()) return done(fits);
    const auto taken = [context](std::vector<Tensor> sum) {
      for (size_t i = 0; i < sum.size(); ++i) {
        context->SetOutput(static_cast<int>(i), std::move(sum[i]));
      }
    };
    accumulator->Take(count, context->step(), taken, std::move(done));
  }
};

// What the definitions of all accumulators have beside their name and output.
#define TFBUILD_ACCUMULATOR_ATTRS()                       \
  Attr("dtype: {half, bfloat16, float, double}")          \
      .Attr("shape: shape")                               \
      .Attr("container: string = ''")                     \
      .Attr("shared_name: string = ''")                   \
      .Attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'")   \
      .Stateful()

}  // namespace tfbuild
