#pragma once

#include "kernels/framework/elementwise.h"

namespace tfbuild {

// The functions that oneDNN computes with the vector instructions of the machine it runs on.
enum class Eltwise { kExp, kLog, kTanh, kSigmoid };

// Input 0 of type float into output 0: by oneDNN when there are enough elements for its overhead to
// vanish, else by the loop.
class EltwiseOp : public OpKernel {
 public:
  EltwiseOp(Eltwise function, UnaryLoop loop);
  ~EltwiseOp() override;
  Status Compute(OpKernelContext* context) override;

 private:
  struct Cache;
  Eltwise function_;
  UnaryLoop loop_;
  std::unique_ptr<Cache> cache_;
};

template <UnaryLoop loop, Eltwise function>
class EltwiseKernel final : public EltwiseOp {
 public:
  EltwiseKernel() : EltwiseOp(function, loop) {}
};

}  // namespace tfbuild
