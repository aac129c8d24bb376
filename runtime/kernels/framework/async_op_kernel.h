#pragma once

#include <functional>

#include "kernels/framework/op_kernel.h"

namespace tfbuild {

// A kernel that waits for something: for another device, a queue, another function. It says when it
// has done, so that no thread waits with it.
class AsyncOpKernel : public OpKernel {
 public:
  using Done = std::function<void(const Status&)>;
  // Calls `done` once, at any time and on any thread; the context lives until then. When the step
  // is cancelled it calls it soon.
  virtual void ComputeAsync(OpKernelContext* context, Done done) = 0;
  // Waits.
  Status Compute(OpKernelContext* context) final;
  AsyncOpKernel* AsAsync() final { return this; }
};

}  // namespace tfbuild
