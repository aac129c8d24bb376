// Add, AddV2, Sub, Mul and SquaredDifference with broadcasting.
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

REGISTER_OP("Add")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
          "complex128, string}")
    .ShapeFunction(BroadcastBinaryShape);

REGISTER_OP("AddV2")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
          "complex128, uint16, uint32, uint64}")
    .ShapeFunction(BroadcastBinaryShape);

REGISTER_OP("Sub")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
          "complex128, uint16, uint32, uint64}")
    .ShapeFunction(BroadcastBinaryShape);

REGISTER_OP("Mul")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
          "complex128, uint16, uint32, uint64}")
    .ShapeFunction(BroadcastBinaryShape);

REGISTER_OP("SquaredDifference")
    .Input("x: T")
    .Input("y: T")
    .Output("z: T")
    .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
    .ShapeFunction(BroadcastBinaryShape);

#define REGISTER_ONE(NAME, F, T)                     \
  REGISTER_KERNEL(Kernel(NAME).OnCpu().Type<T>("T"), \
                  BinaryKernel<RunBinary<functor::F, SignedOf<T>>>);
#define REGISTER(T) REGISTER_ONE("Add", Add, T)
TFBUILD_COMMON_NUMBER_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER
#define REGISTER(T)             \
  REGISTER_ONE("AddV2", Add, T) \
  REGISTER_ONE("Sub", Sub, T)   \
  REGISTER_ONE("Mul", Mul, T)
TFBUILD_NUMBER_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE

#define REGISTER(T)                                             \
  REGISTER_KERNEL(Kernel("SquaredDifference").OnCpu().Type<T>("T"), \
                  BinaryKernel<RunBinary<functor::SquaredDifference, T>>);
TFBUILD_ARITHMETIC_TYPES(REGISTER)
#undef REGISTER

// Strings are joined.
struct Join {
  static std::string Apply(const std::string& x, const std::string& y) { return x + y; }
};
REGISTER_KERNEL(Kernel("Add").OnCpu().Type<std::string>("T"),
                BinaryKernel<RunBinary<Join, std::string>>);

}  // namespace
}  // namespace tfbuild
