// Functions of probability: Lgamma, Digamma, Erfc, Zeta, Polygamma, Igamma, Igammac, their
// derivative IgammaGradA, and Betainc. All are computed in double.
#include <cmath>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/elementwise.h"
#include "kernels/math/special_functions.h"

namespace tfbuild {
namespace {

#define TFBUILD_SPECIAL_TYPES "T: {bfloat16, half, float, double}"

REGISTER_OP("Lgamma").Input("x: T").Output("y: T").Attr(TFBUILD_SPECIAL_TYPES)
    .ShapeFunction(UnchangedShape);
REGISTER_OP("Digamma").Input("x: T").Output("y: T").Attr(TFBUILD_SPECIAL_TYPES)
    .ShapeFunction(UnchangedShape);
REGISTER_OP("Erfc").Input("x: T").Output("y: T").Attr(TFBUILD_SPECIAL_TYPES)
    .ShapeFunction(UnchangedShape);
REGISTER_OP("Igamma").Input("a: T").Input("x: T").Output("z: T").Attr(TFBUILD_SPECIAL_TYPES)
    .ShapeFunction(BroadcastBinaryShape);
REGISTER_OP("Igammac").Input("a: T").Input("x: T").Output("z: T").Attr(TFBUILD_SPECIAL_TYPES)
    .ShapeFunction(BroadcastBinaryShape);
REGISTER_OP("IgammaGradA").Input("a: T").Input("x: T").Output("z: T").Attr("T: {float, double}")
    .ShapeFunction(BroadcastBinaryShape);
REGISTER_OP("Zeta").Input("x: T").Input("q: T").Output("z: T").Attr("T: {float, double}")
    .ShapeFunction(BroadcastBinaryShape);
REGISTER_OP("Polygamma").Input("a: T").Input("x: T").Output("z: T").Attr("T: {float, double}")
    .ShapeFunction(BroadcastBinaryShape);

Status BetaincShape(ShapeContext* context) {
  // Scalars stretch; all others have one shape.
  PartialShape shape({});
  for (int i = 0; i < 3; ++i) {
    const PartialShape& input = context->input(i);
    if (input.known_rank() && input.rank() == 0) continue;
    if (shape.known_rank() && shape.rank() == 0) {
      shape = input;
      continue;
    }
    ASSIGN_OR_RETURN(shape, shape.MergeWith(input));
  }
  context->set_output(0, shape);
  return OkStatus();
}

REGISTER_OP("Betainc").Input("a: T").Input("b: T").Input("x: T").Output("z: T")
    .Attr("T: {float, double}").ShapeFunction(BetaincShape);

struct LgammaOf {
  template <typename T>
  static T Apply(T x) { return static_cast<T>(special::LogGamma(static_cast<double>(x))); }
};
struct DigammaOf {
  template <typename T>
  static T Apply(T x) { return static_cast<T>(special::Digamma(static_cast<double>(x))); }
};
struct ErfcOf {
  template <typename T>
  static T Apply(T x) { return static_cast<T>(std::erfc(static_cast<double>(x))); }
};

template <double (*kFunction)(double, double)>
struct OfTwo {
  template <typename T>
  static T Apply(T x, T y) {
    return static_cast<T>(kFunction(static_cast<double>(x), static_cast<double>(y)));
  }
};

template <typename T>
class BetaincOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    Shape shape;
    bool stretches = true;
    for (int i = 0; i < 3; ++i) {
      const Shape& other = context->input(i).shape();
      if (other.rank() == 0) continue;
      if (!stretches && other != shape) {
        return InvalidArgument("Shapes of a, b and x are inconsistent: ", shape, " vs. ", other);
      }
      shape = other;
      stretches = false;
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    const T* from[3];
    int64_t step[3];
    for (int i = 0; i < 3; ++i) {
      from[i] = context->input(i).data<T>();
      step[i] = context->input(i).rank() == 0 ? 0 : 1;
    }
    T* out = output->mutable_data<T>();
    ParallelFor(shape.num_elements(), 256, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        out[i] = static_cast<T>(special::Betainc(static_cast<double>(from[0][i * step[0]]),
                                                 static_cast<double>(from[1][i * step[1]]),
                                                 static_cast<double>(from[2][i * step[2]])));
      }
    });
    return OkStatus();
  }
};

constexpr int64_t kSpecialGrain = 512;  // elements that are worth a thread

#define REGISTER(T)                                                                           \
  REGISTER_KERNEL(Kernel("Lgamma").OnCpu().Type<T>("T"),                                      \
                  UnaryKernel<RunUnary<LgammaOf, T>, kSpecialGrain>);                         \
  REGISTER_KERNEL(Kernel("Digamma").OnCpu().Type<T>("T"),                                     \
                  UnaryKernel<RunUnary<DigammaOf, T>, kSpecialGrain>);                        \
  REGISTER_KERNEL(Kernel("Erfc").OnCpu().Type<T>("T"),                                        \
                  UnaryKernel<RunUnary<ErfcOf, T>, kSpecialGrain>);                           \
  REGISTER_KERNEL(Kernel("Igamma").OnCpu().Type<T>("T"),                                      \
                  BinaryKernel<RunBinary<OfTwo<special::Igamma>, T>, kSpecialGrain>);         \
  REGISTER_KERNEL(Kernel("Igammac").OnCpu().Type<T>("T"),                                     \
                  BinaryKernel<RunBinary<OfTwo<special::Igammac>, T>, kSpecialGrain>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

#define REGISTER(T)                                                                           \
  REGISTER_KERNEL(Kernel("IgammaGradA").OnCpu().Type<T>("T"),                                 \
                  BinaryKernel<RunBinary<OfTwo<special::IgammaGradA>, T>, kSpecialGrain>);    \
  REGISTER_KERNEL(Kernel("Zeta").OnCpu().Type<T>("T"),                                        \
                  BinaryKernel<RunBinary<OfTwo<special::Zeta>, T>, kSpecialGrain>);           \
  REGISTER_KERNEL(Kernel("Polygamma").OnCpu().Type<T>("T"),                                   \
                  BinaryKernel<RunBinary<OfTwo<special::Polygamma>, T>, kSpecialGrain>);      \
  REGISTER_KERNEL(Kernel("Betainc").OnCpu().Type<T>("T"), BetaincOp<T>);
REGISTER(float)
REGISTER(double)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
