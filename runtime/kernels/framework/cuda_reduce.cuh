#pragma once

#include "kernels/framework/op_kernel.h"
#include "kernels/framework/reduction.h"

namespace tfbuild {

enum class CudaReduction { kSum, kProduct, kMaximum, kMinimum, kSumOfSquares, kAll, kAny };

// Reduces `input`, of a floating type or int64 (of bool for kAll and kAny), to plan.outputs elements, each
// divided by `divisor`. The order of the additions depends on nothing but the shape.
Status RunCudaReduction(OpKernelContext* context, CudaReduction kind, const ReductionPlan& plan,
                        const Tensor& input, double divisor, Tensor* output);

}  // namespace tfbuild
