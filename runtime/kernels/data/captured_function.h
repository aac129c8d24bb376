#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernels/data/dataset.h"
#include "kernels/framework/function_runtime.h"

namespace tfbuild {

// The function that a kernel keeps for its calls.
struct KeptFunction {
  std::mutex mutex;
  std::shared_ptr<CallableFunction> function;
};

// A function of the graph with the tensors that it took from around it: they follow the arguments of
// each call. Thread-safe.
class CapturedFunction {
 public:
  // The function and the captured inputs of a dataset op: all inputs from `first_captured` on, `count`
  // of them. As in TensorFlow, who reads a dataset anew draws the same numbers by a seed, so a step
  // that makes the dataset begins such a function anew; within functions it is that of `kept`, the
  // kernel's own, for as long as the function around it.
  static Result<std::shared_ptr<const CapturedFunction>> Make(FunctionRuntime* runtime,
                                                              const FunctionAttr& function,
                                                              const OpKernelContext& context,
                                                              int first_captured, int count,
                                                              KeptFunction* kept = nullptr);
  // The results for these arguments, which are given up.
  Status Call(StepContext* step, Element arguments, Element* results) const;
  // A result that is one scalar truth value.
  Result<bool> CallPredicate(StepContext* step, Element arguments) const;
  // A result that is a dataset.
  Result<DatasetPtr> CallForDataset(StepContext* step, Element arguments) const;

 private:
  std::string op_;
  std::shared_ptr<CallableFunction> function_;
  Element captured_;
};

using CapturedPtr = std::shared_ptr<const CapturedFunction>;

// A dataset op with one function, `f` or `predicate`, whose captured inputs are a run of that many
// tensors from input 1 on.
class FunctionDatasetOp : public DatasetOp {
 public:
  explicit FunctionDatasetOp(const char* function_attr = "f") : function_attr_(function_attr) {}
  Status Init(const OpKernelConstruction& construction) override;

 protected:
  Result<CapturedPtr> Function(const OpKernelContext& context, int first_captured = 1) const;
  int num_captured() const { return num_captured_; }

 private:
  const char* function_attr_;
  FunctionAttr function_;
  int num_captured_ = 0;
  std::shared_ptr<FunctionRuntime> runtime_;
  mutable KeptFunction kept_;
};

// How many tensors a list of types stands for; 0 for an empty list, however it was read.
Result<int> NumTypes(const OpKernelConstruction& construction, const std::string& attr);

}  // namespace tfbuild
