#include "kernels/data/captured_function.h"

#include <utility>

namespace tfbuild {

Result<CapturedPtr> CapturedFunction::Make(FunctionRuntime* runtime, const FunctionAttr& function,
                                           const OpKernelContext& context, int first_captured,
                                           int count, KeptFunction* kept) {
  auto captured = std::make_shared<CapturedFunction>();
  captured->op_ = context.node().op().name;
  const StepContext* step = context.step();
  if (step != nullptr && !step->is_inner) {
    ASSIGN_OR_RETURN(captured->function_, runtime->FindOrBegin(function));
  } else if (kept != nullptr) {
    std::lock_guard<std::mutex> lock(kept->mutex);
    if (kept->function == nullptr) {
      ASSIGN_OR_RETURN(kept->function, runtime->FindOrBegin(function));
    }
    captured->function_ = kept->function;
  } else {
    ASSIGN_OR_RETURN(captured->function_, runtime->Find(function));
  }
  ASSIGN_OR_RETURN(captured->captured_, context.KeptInputs(first_captured, count));
  return CapturedPtr(std::move(captured));
}

Status CapturedFunction::Call(StepContext* step, Element arguments, Element* results) const {
  arguments.insert(arguments.end(), captured_.begin(), captured_.end());
  const std::vector<DType>& types = function_->argument_types();
  if (arguments.size() != types.size()) {
    return InvalidArgument("the function of ", op_, " takes ", types.size(), " arguments, not ",
                           arguments.size());
  }
  const Status status = function_->Call(step, arguments, results);
  if (status.ok() || status.code() == Code::kCancelled) return status;
  return status.Annotate(StrCat("Error in user-defined function passed to ", op_));
}

Result<bool> CapturedFunction::CallPredicate(StepContext* step, Element arguments) const {
  Element results;
  RETURN_IF_ERROR(Call(step, std::move(arguments), &results));
  if (results.size() != 1 || results[0].dtype() != DType::kBool || results[0].num_elements() != 1) {
    return InvalidArgument("the predicate of ", op_, " must give one scalar of bool");
  }
  return *results[0].data<bool>();
}

Result<DatasetPtr> CapturedFunction::CallForDataset(StepContext* step, Element arguments) const {
  Element results;
  RETURN_IF_ERROR(Call(step, std::move(arguments), &results));
  if (results.size() != 1) return InvalidArgument("the function of ", op_, " must give a dataset");
  return DatasetIn(results[0]);
}

Result<int> NumTypes(const OpKernelConstruction& construction, const std::string& attr) {
  const auto types = construction.Attr<std::vector<DType>>(attr);
  if (types.ok()) return static_cast<int>(types->size());
  const auto empty = construction.Attr<std::vector<int64_t>>(attr);
  if (empty.ok() && empty->empty()) return 0;
  return types.status();
}

Status FunctionDatasetOp::Init(const OpKernelConstruction& construction) {
  RETURN_IF_ERROR(DatasetOp::Init(construction));
  ASSIGN_OR_RETURN(function_, construction.Attr<FunctionAttr>(function_attr_));
  ASSIGN_OR_RETURN(num_captured_, NumTypes(construction, "Targuments"));
  runtime_ = FunctionRuntime::Of(construction.resources);
  return OkStatus();
}

Result<CapturedPtr> FunctionDatasetOp::Function(const OpKernelContext& context,
                                                int first_captured) const {
  return CapturedFunction::Make(runtime_.get(), function_, context, first_captured, num_captured_,
                                &kept_);
}

}  // namespace tfbuild
