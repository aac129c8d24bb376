// Cast: every number type, bool and complex type into every other. Of a complex number another type
// takes the real part.
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/half_rows.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/vector_target.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

REGISTER_OP("Cast")
    .Input("x: SrcT")
    .Output("y: DstT")
    .Attr("SrcT: type")
    .Attr("DstT: type")
    .Attr("Truncate: bool = false")
    .ShapeFunction(UnchangedShape);

constexpr int64_t kCastGrain = 32768;  // elements that are worth a thread

// Towards zero. Numbers beyond the type, and NaN, give what x86 gives: the smallest number of the
// integer that the processor converts to, cut down to the type.
template <typename Dst, typename Src>
TFBUILD_ALWAYS_INLINE Dst FloatToInteger(Src x) {
  using Wide = std::conditional_t<sizeof(Dst) == 8, int64_t, int32_t>;
  constexpr Src kEnd = -static_cast<Src>(std::numeric_limits<Wide>::min());  // a power of two
  const bool fits = (x >= -kEnd) & (x < kEnd);
  return static_cast<Dst>(fits ? static_cast<Wide>(x) : std::numeric_limits<Wide>::min());
}

template <typename T>
constexpr bool kIsComplex =
    std::is_same<T, std::complex<float>>::value || std::is_same<T, std::complex<double>>::value;

template <typename Dst, typename Src>
TFBUILD_ALWAYS_INLINE Dst CastOne(Src x) {
  using From = ComputeTypeOf<Src>;
  if constexpr (kIsComplex<Src> && kIsComplex<Dst>) {
    return Dst(x);
  } else if constexpr (kIsComplex<Src>) {
    return CastOne<Dst>(x.real());
  } else if constexpr (kIsComplex<Dst>) {
    return Dst(CastOne<typename Dst::value_type>(x));
  } else if constexpr (std::is_same<Dst, bool>::value) {
    return From(x) != From(0);
  } else if constexpr (std::is_floating_point<From>::value && std::is_integral<Dst>::value) {
    return FloatToInteger<Dst>(From(x));
  } else {
    return static_cast<Dst>(From(x));
  }
}

template <typename Src, typename Dst>
struct CastRowLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const Src* x, Dst* y, int64_t count) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) y[i] = CastOne<Dst>(x[i]);
  }
};

template <typename Src, typename Dst>
void CastLoop(const void* from, void* to, int64_t begin, int64_t end) {
  const Src* x = static_cast<const Src*>(from) + begin;
  Dst* y = static_cast<Dst*>(to) + begin;
  constexpr bool kFromHalf = !std::is_same<ComputeTypeOf<Src>, Src>::value;
  constexpr bool kToHalf = !std::is_same<ComputeTypeOf<Dst>, Dst>::value;
  if constexpr (kIsComplex<Src> || kIsComplex<Dst>) {
    CastRowLoop<Src, Dst>::template Run<16>(x, y, end - begin);
  } else if constexpr (kFromHalf && std::is_same<Dst, float>::value) {
    WidenRow(x, end - begin, y);
  } else if constexpr (kToHalf && std::is_same<Src, float>::value) {
    NarrowRow(x, end - begin, y);
  } else {
    RunVectorised<CastRowLoop<Src, Dst>, int>(x, y, end - begin);
  }
}

// Bits of the fraction, without the hidden one.
int FractionBits(DType dtype) {
  switch (dtype) {
    case DType::kDouble: return 52;
    case DType::kFloat: return 23;
    case DType::kHalf: return 10;
    case DType::kBFloat16: return 7;
    default: return 0;
  }
}

// Clears the bits that the narrower type has no place for, so that rounding finds nothing to round.
template <typename Src, typename Bits, typename Dst>
void TruncateLoop(const void* from, void* to, int64_t begin, int64_t end) {
  const Bits* x = static_cast<const Bits*>(from);
  Dst* y = static_cast<Dst*>(to);
  const int lost = FractionBits(DTypeOf<Src>::value) - FractionBits(DTypeOf<Dst>::value);
  const Bits mask = static_cast<Bits>(~((Bits{1} << lost) - 1));
  for (int64_t i = begin; i < end; ++i) {
    const Bits bits = static_cast<Bits>(x[i] & mask);
    Src value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof(value));
    y[i] = static_cast<Dst>(static_cast<ComputeTypeOf<Src>>(value));
  }
}

using Loop = void (*)(const void* from, void* to, int64_t begin, int64_t end);

template <typename Src>
Loop LoopFrom(DType to) {
  switch (to) {
#define CASE(Dst) \
  case DTypeOf<Dst>::value: return CastLoop<Src, Dst>;
    TFBUILD_NUMBER_TYPES(CASE)
    TFBUILD_COMPLEX_TYPES(CASE)
    CASE(bool)
#undef CASE
    default: return nullptr;
  }
}

// A bool is a byte that is 0 or 1.
Loop FindLoop(DType from, DType to) {
  switch (from) {
#define CASE(Src) \
  case DTypeOf<Src>::value: return LoopFrom<Src>(to);
    TFBUILD_NUMBER_TYPES(CASE)
    TFBUILD_COMPLEX_TYPES(CASE)
#undef CASE
    case DType::kBool: return LoopFrom<uint8_t>(to);
    default: return nullptr;
  }
}

// Null when nothing would be lost, so that the plain loop does.
Loop FindTruncatingLoop(DType from, DType to) {
  const auto pair = [from, to](DType a, DType b) { return from == a && to == b; };
  if (pair(DType::kDouble, DType::kFloat)) return TruncateLoop<double, uint64_t, float>;
  if (pair(DType::kDouble, DType::kHalf)) return TruncateLoop<double, uint64_t, Half>;
  if (pair(DType::kDouble, DType::kBFloat16)) return TruncateLoop<double, uint64_t, BFloat16>;
  if (pair(DType::kFloat, DType::kHalf)) return TruncateLoop<float, uint32_t, Half>;
  if (pair(DType::kFloat, DType::kBFloat16)) return TruncateLoop<float, uint32_t, BFloat16>;
  if (pair(DType::kHalf, DType::kBFloat16)) return TruncateLoop<Half, uint16_t, BFloat16>;
  return nullptr;
}

class CastOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const DType from, construction.Attr<DType>("SrcT"));
    ASSIGN_OR_RETURN(const DType to, construction.Attr<DType>("DstT"));
    ASSIGN_OR_RETURN(const bool truncate, construction.Attr<bool>("Truncate"));
    same_ = from == to;
    loop_ = truncate ? FindTruncatingLoop(from, to) : nullptr;
    if (loop_ == nullptr) loop_ = FindLoop(from, to);
    if (loop_ == nullptr && !same_) {
      return Unimplemented("Cast ", DTypeName(from), " to ", DTypeName(to), " is not supported");
    }
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    if (same_) {
      context->SetOutput(0, x);
      return OkStatus();
    }
    ASSIGN_OR_RETURN(Tensor * y, context->AllocateOutput(0, x.shape()));
    const void* from = x.raw();
    void* to = y->raw();
    ParallelFor(x.num_elements(), kCastGrain, [this, from, to](int64_t begin, int64_t end) {
      loop_(from, to, begin, end);
    });
    return OkStatus();
  }

 private:
  bool same_ = false;
  Loop loop_ = nullptr;
};

REGISTER_KERNEL(Kernel("Cast").OnCpu(), CastOp);

}  // namespace
}  // namespace tfbuild
