// GeneratorDataset: elements that functions make one after the other out of a state of theirs.
#include "kernels/data/captured_function.h"

namespace tfbuild {
namespace {

REGISTER_OP("GeneratorDataset")
    .Input("init_func_other_args: Tinit_func_args")
    .Input("next_func_other_args: Tnext_func_args")
    .Input("finalize_func_other_args: Tfinalize_func_args")
    .Output("handle: variant")
    .Attr("init_func: func")
    .Attr("next_func: func")
    .Attr("finalize_func: func")
    .Attr("Tinit_func_args: list(type) >= 0")
    .Attr("Tnext_func_args: list(type) >= 0")
    .Attr("Tfinalize_func_args: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS
    .Stateful()
    .TFBUILD_DATASET_METADATA;

struct GeneratorFunctions {
  CapturedPtr init, next, finalize;
};

class GeneratorDataset final : public DatasetOf<GeneratorDataset> {
 public:
  GeneratorDataset(ElementSpec spec, GeneratorFunctions functions,
                   std::shared_ptr<FunctionRuntime> runtime)
      : DatasetOf(std::move(spec)),
        functions_(std::move(functions)),
        runtime_(std::move(runtime)) {}

  class Iterator final : public IteratorOver<GeneratorDataset> {
   public:
    using IteratorOver::IteratorOver;
    ~Iterator() override {
      if (state_.empty()) return;
      Element results;  // what an end says, nobody hears
      static_cast<void>(dataset().functions_.finalize->Call(dataset().runtime_->background(),
                                                            std::move(state_), &results));
    }
    Result<bool> Advance(StepContext* step, Element* element) override {
      if (done_) return false;
      if (state_.empty()) RETURN_IF_ERROR(dataset().functions_.init->Call(step, {}, &state_));
      const Status status = dataset().functions_.next->Call(step, state_, element);
      if (status.ok()) return true;
      if (status.code() != Code::kOutOfRange) return status;
      done_ = true;
      Element results;
      Element state = std::move(state_);
      state_.clear();
      RETURN_IF_ERROR(dataset().functions_.finalize->Call(step, std::move(state), &results));
      return false;
    }

   private:
    Element state_;
    bool done_ = false;
  };

 private:
  GeneratorFunctions functions_;
  std::shared_ptr<FunctionRuntime> runtime_;
};

class GeneratorDatasetOp final : public DatasetOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    for (int i = 0; i < 3; ++i) {
      ASSIGN_OR_RETURN(functions_[i],
                       construction.Attr<FunctionAttr>(StrCat(kFunctions[i], "_func")));
      ASSIGN_OR_RETURN(num_captured_[i],
                       NumTypes(construction, StrCat("T", kFunctions[i], "_func_args")));
    }
    runtime_ = FunctionRuntime::Of(construction.resources);
    return DatasetOp::Init(construction);
  }

 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    CapturedPtr made[3];
    int first = 0;
    for (int i = 0; i < 3; ++i) {
      ASSIGN_OR_RETURN(made[i], CapturedFunction::Make(runtime_.get(), functions_[i], *context,
                                                       first, num_captured_[i]));
      first += num_captured_[i];
    }
    return std::shared_ptr<Dataset>(std::make_shared<GeneratorDataset>(
        spec(), GeneratorFunctions{made[0], made[1], made[2]}, runtime_));
  }

 private:
  static constexpr const char* kFunctions[3] = {"init", "next", "finalize"};
  FunctionAttr functions_[3];
  int num_captured_[3] = {0, 0, 0};
  std::shared_ptr<FunctionRuntime> runtime_;
};

REGISTER_KERNEL(Kernel("GeneratorDataset").OnCpu(), GeneratorDatasetOp);

}  // namespace
}  // namespace tfbuild
