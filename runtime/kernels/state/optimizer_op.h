#pragma once

#include <cstdint>
#include <vector>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/state/training_rules.h"

namespace tfbuild {

// What optimisers on the CPU share, those that change all of a variable and those that change rows of
// it: their inputs are checked here, and only the step itself knows the type of the elements.
struct OptimizerInputs {
  int variables;     // so many come first
  int gradient;      // the indices of rows follow it
  const char* flag;  // an attribute, or null
  bool sparse;

  bool IsScalar(int i) const { return i >= variables && i != gradient && !(sparse && i == gradient + 1); }
};

template <typename Optimizer>
constexpr OptimizerInputs InputsOf(bool sparse) {
  return {Optimizer::kVariables, Optimizer::kGradient, Optimizer::kFlag, sparse};
}

// Variables agree in shape, which is that of the output where there is one; the gradient fits them
// and what remains is scalar.
Status OptimizerShape(ShapeContext* context, const OptimizerInputs& inputs);

class OptimizerOp : public OpKernel {
 public:
  explicit OptimizerOp(const OptimizerInputs& inputs) : inputs_(inputs) {}
  Status Init(const OpKernelConstruction& construction) final;
  Status Compute(OpKernelContext* context) final;

 protected:
  bool flag() const { return flag_; }
  const Tensor& Gradient(const OpKernelContext& context) const {
    return context.input(inputs_.gradient);
  }

 private:
  // Takes the step; `rows` are those that the indices name.
  virtual void Apply(const OpKernelContext& context, const std::vector<Tensor*>& values,
                     const std::vector<int64_t>& rows) const = 0;

  const OptimizerInputs inputs_;
  bool flag_ = false;
};

}  // namespace tfbuild
