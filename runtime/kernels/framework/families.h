#pragma once

// Ops of one kind: a line is the definition of an op and its kernels for the CPU. The functor of
// the same name has the formula; it stands in functors.h where a .cu file uses it as well, else in
// the op's own file. A line in a .cu file registers the kernel for GPUs.

#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"

namespace tfbuild {

#define TFBUILD_FLOATS "T: {bfloat16, half, float, double}"

// y = NAME(x). GRAIN says how many elements are worth a thread.
#define TFBUILD_UNARY_OP(NAME, GRAIN) TFBUILD_UNARY_OP_OF(NAME, GRAIN, TFBUILD_FLOATS)
// The same for an op that math/complex_functions.cc has complex kernels of.
#define TFBUILD_COMPLEX_UNARY_OP(NAME, GRAIN) \
  TFBUILD_UNARY_OP_OF(NAME, GRAIN, "T: {bfloat16, half, float, double, complex64, complex128}")

#define TFBUILD_UNARY_OP_OF(NAME, GRAIN, TYPES) \
  REGISTER_OP(#NAME)                    \
      .Input("x: T")                    \
      .Output("y: T")                   \
      .Attr(TYPES)                      \
      .ShapeFunction(UnchangedShape);   \
  TFBUILD_UNARY_KERNEL(NAME, float, GRAIN)  \
  TFBUILD_UNARY_KERNEL(NAME, double, GRAIN) \
  TFBUILD_UNARY_KERNEL(NAME, Half, GRAIN)   \
  TFBUILD_UNARY_KERNEL(NAME, BFloat16, GRAIN)

#define TFBUILD_UNARY_KERNEL(NAME, T, GRAIN)          \
  REGISTER_KERNEL(Kernel(#NAME).OnCpu().Type<T>("T"), \
                  UnaryKernel<RunUnary<functor::NAME, T>, GRAIN>);

// Whether NAME(x).
#define TFBUILD_PREDICATE_OP(NAME)    \
  REGISTER_OP(#NAME)                  \
      .Input("x: T")                  \
      .Output("y: bool")              \
      .Attr(TFBUILD_FLOATS)           \
      .ShapeFunction(UnchangedShape); \
  TFBUILD_PREDICATE_KERNEL(NAME, float)  \
  TFBUILD_PREDICATE_KERNEL(NAME, double) \
  TFBUILD_PREDICATE_KERNEL(NAME, Half)   \
  TFBUILD_PREDICATE_KERNEL(NAME, BFloat16)

#define TFBUILD_PREDICATE_KERNEL(NAME, T)             \
  REGISTER_KERNEL(Kernel(#NAME).OnCpu().Type<T>("T"), \
                  UnaryKernel<RunUnary<functor::NAME, T, bool>>);

// z = NAME(y, dy), the gradient by the argument of an op whose result is y.
#define TFBUILD_GRADIENT_OP(NAME)     \
  REGISTER_OP(#NAME)                  \
      .Input("y: T")                  \
      .Input("dy: T")                 \
      .Output("z: T")                 \
      .Attr(TFBUILD_FLOATS)           \
      .ShapeFunction(UnchangedShape); \
  TFBUILD_GRADIENT_KERNEL(NAME, float)  \
  TFBUILD_GRADIENT_KERNEL(NAME, double) \
  TFBUILD_GRADIENT_KERNEL(NAME, Half)   \
  TFBUILD_GRADIENT_KERNEL(NAME, BFloat16)

#define TFBUILD_GRADIENT_KERNEL(NAME, T)              \
  REGISTER_KERNEL(Kernel(#NAME).OnCpu().Type<T>("T"), \
                  SameShapeKernel<RunBinary<functor::NAME, T>>);

}  // namespace tfbuild
