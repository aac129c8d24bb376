#pragma once

#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"

namespace tfbuild {

// Cumsum and Cumprod, on whichever device: lines of numbers along an axis, `inner` apart, each of
// which becomes what all up to it give.
class CumulativeKernel : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(exclusive_, construction.Attr<bool>("exclusive"));
    ASSIGN_OR_RETURN(reverse_, construction.Attr<bool>("reverse"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) final {
    const Tensor& x = context->input(0);
    ASSIGN_OR_RETURN(const int axis, AxisFrom(context->input(1), x.rank()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, x.shape()));
    if (x.num_elements() == 0) return OkStatus();
    Lines lines{x.num_elements() / x.dim(axis), x.dim(axis), 1};
    for (int k = axis + 1; k < x.rank(); ++k) lines.inner *= x.dim(k);
    return RunLines(context, lines, x, output);
  }

 protected:
  struct Lines {
    int64_t count;
    int64_t length;
    int64_t inner;  // elements from one of a line to the next
  };
  virtual Status RunLines(OpKernelContext* context, const Lines& lines, const Tensor& x,
                          Tensor* output) const = 0;

  bool exclusive_ = false;  // without the number itself
  bool reverse_ = false;    // from the last one on
};

}  // namespace tfbuild
