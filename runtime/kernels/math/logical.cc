// LogicalAnd, LogicalOr (with broadcasting) and LogicalNot.
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"

namespace tfbuild {
namespace {

REGISTER_OP("LogicalAnd")
    .Input("x: bool")
    .Input("y: bool")
    .Output("z: bool")
    .ShapeFunction(BroadcastBinaryShape);

REGISTER_OP("LogicalOr")
    .Input("x: bool")
    .Input("y: bool")
    .Output("z: bool")
    .ShapeFunction(BroadcastBinaryShape);

REGISTER_OP("LogicalNot").Input("x: bool").Output("y: bool").ShapeFunction(UnchangedShape);

REGISTER_KERNEL(Kernel("LogicalAnd").OnCpu(), BinaryKernel<RunBinary<functor::LogicalAnd, bool>>);
REGISTER_KERNEL(Kernel("LogicalOr").OnCpu(), BinaryKernel<RunBinary<functor::LogicalOr, bool>>);
REGISTER_KERNEL(Kernel("LogicalNot").OnCpu(), UnaryKernel<RunUnary<functor::LogicalNot, bool>>);

}  // namespace
}  // namespace tfbuild
