// Complex, Real, Imag, Conj, ComplexAbs and Angle: complex numbers and their parts.
#include <cmath>

#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

REGISTER_OP("Complex")
    .Input("real: T")
    .Input("imag: T")
    .Output("out: Tout")
    .Attr("T: {float, double} = DT_FLOAT")
    .Attr("Tout: {complex64, complex128} = DT_COMPLEX64")
    .ShapeFunction(BroadcastBinaryShape);

#define TFBUILD_PART_OP(op)                                         \
  REGISTER_OP(op)                                                   \
      .Input("input: T")                                            \
      .Output("output: Tout")                                       \
      .Attr("T: {complex64, complex128} = DT_COMPLEX64")            \
      .Attr("Tout: {float, double} = DT_FLOAT")                     \
      .ShapeFunction(UnchangedShape);
TFBUILD_PART_OP("Real")
TFBUILD_PART_OP("Imag")
TFBUILD_PART_OP("Angle")
#undef TFBUILD_PART_OP

REGISTER_OP("ComplexAbs")
    .Input("x: T")
    .Output("y: Tout")
    .Attr("T: {complex64, complex128} = DT_COMPLEX64")
    .Attr("Tout: {float, double} = DT_FLOAT")
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Conj")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {complex64, complex128} = DT_COMPLEX64")
    .ShapeFunction(UnchangedShape);

TFBUILD_BINARY_FUNCTOR(JoinParts, std::complex<T>(x, y))
TFBUILD_UNARY_FUNCTOR(RealPart, x.real())
TFBUILD_UNARY_FUNCTOR(ImaginaryPart, x.imag())
TFBUILD_UNARY_FUNCTOR(Conjugate, std::conj(x))
TFBUILD_UNARY_FUNCTOR(Magnitude, std::hypot(x.real(), x.imag()))
TFBUILD_UNARY_FUNCTOR(Argument, std::atan2(x.imag(), x.real()))

// A kernel is for the complex type of T alone.
template <typename Functor, typename From, typename To>
void ComplexLoop(const void* argument, void* result, int64_t count) {
  UnaryRowLoop<Functor, From, To>::template Run<16>(static_cast<const From*>(argument),
                                                    static_cast<To*>(result), count);
}
template <typename T>
void JoinLoop(const void* real, const void* imag, void* result, int64_t count, Operands operands) {
  BinaryRowLoop<JoinParts, T, std::complex<T>>::template Run<16>(
      static_cast<const T*>(real), static_cast<const T*>(imag),
      static_cast<std::complex<T>*>(result), count, operands);
}

#define REGISTER_PART(op, T, Functor, grain)                                                     \
  REGISTER_KERNEL(Kernel(op).OnCpu().Type<std::complex<T>>("T").Type<T>("Tout"),                 \
                  UnaryKernel<ComplexLoop<Functor, std::complex<T>, T>, grain>);
#define REGISTER(T)                                                                              \
  REGISTER_KERNEL(Kernel("Complex").OnCpu().Type<T>("T").Type<std::complex<T>>("Tout"),          \
                  BinaryKernel<JoinLoop<T>>);                                                    \
  REGISTER_KERNEL(Kernel("Conj").OnCpu().Type<std::complex<T>>("T"),                             \
                  UnaryKernel<ComplexLoop<Conjugate, std::complex<T>, std::complex<T>>>);               \
  REGISTER_PART("Real", T, RealPart, kCheapGrain)                                                \
  REGISTER_PART("Imag", T, ImaginaryPart, kCheapGrain)                                           \
  REGISTER_PART("ComplexAbs", T, Magnitude, kMathGrain)                                          \
  REGISTER_PART("Angle", T, Argument, kMathGrain)
REGISTER(float)
REGISTER(double)
#undef REGISTER
#undef REGISTER_PART

}  // namespace
}  // namespace tfbuild
