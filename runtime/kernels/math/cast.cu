// Cast on a GPU: every number type and bool into every other.
#include <type_traits>

#include "kernels/framework/cuda_launch.cuh"

namespace tfbuild {
namespace {

// The source's element; `mask` clears the bits of a fraction that are to be cut off.
template <typename Src>
__device__ ComputeTypeOf<Src> Load(const void* from, int64_t i, uint64_t mask) {
  const Src value = static_cast<const Src*>(from)[i];
  if constexpr (std::is_same<Src, double>::value) {
    return __longlong_as_double(__double_as_longlong(value) & static_cast<int64_t>(mask));
  } else if constexpr (std::is_same<Src, float>::value) {
    return __uint_as_float(__float_as_uint(value) & static_cast<uint32_t>(mask));
  } else if constexpr (std::is_same<Src, Half>::value) {
    Half masked;
    masked.bits = static_cast<uint16_t>(value.bits & mask);
    return Widen(masked);
  } else {
    return Widen(value);
  }
}

// As on the CPU: towards zero, and numbers beyond the type give the smallest integer of the width
// that x86 converts to.
template <typename Dst, typename Src>
__device__ Dst FloatToInteger(Src x) {
  using Wide = std::conditional_t<sizeof(Dst) == 8, int64_t, int32_t>;
  constexpr Wide kMin = static_cast<Wide>(uint64_t{1} << (8 * sizeof(Wide) - 1));
  constexpr Src kEnd = -static_cast<Src>(kMin);  // a power of two
  const bool fits = x >= -kEnd && x < kEnd;
  return static_cast<Dst>(fits ? static_cast<Wide>(x) : kMin);
}

template <typename Dst, typename From>
__device__ Dst CastOne(From x) {
  if constexpr (std::is_same<Dst, bool>::value) {
    return x != From(0);
  } else if constexpr (std::is_floating_point<From>::value && std::is_integral<Dst>::value) {
    return FloatToInteger<Dst>(x);
  } else {
    return Narrow<Dst>::From(x);
  }
}

// One kernel for each target: the branch is the same for all threads and costs nothing beside the
// memory.
template <typename Dst>
__global__ void CastKernel(DType source, int64_t count, uint64_t mask, const void* from, Dst* to) {
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    switch (source) {
#define CASE(Src) \
  case DTypeOf<Src>::value: to[i] = CastOne<Dst>(Load<Src>(from, i, mask)); break;
      TFBUILD_COMMON_NUMBER_TYPES(CASE)
      CASE(bool)
#undef CASE
      default: break;
    }
  }
}

template <typename Dst>
Status RunCast(CudaDevice* device, const Tensor& from, uint64_t mask, Tensor* to) {
  const int64_t count = from.num_elements();
  return Launch(device, LoopOver(*device, count), CastKernel<Dst>, from.dtype(), count, mask,
                from.raw(), to->mutable_data<Dst>());
}

using Runner = Status (*)(CudaDevice* device, const Tensor& from, uint64_t mask, Tensor* to);

Runner FindRunner(DType to) {
  switch (to) {
#define CASE(Dst) \
  case DTypeOf<Dst>::value: return RunCast<Dst>;
    TFBUILD_COMMON_NUMBER_TYPES(CASE)
    CASE(bool)
#undef CASE
    default: return nullptr;
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

class CudaCastOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const DType from, construction.Attr<DType>("SrcT"));
    ASSIGN_OR_RETURN(const DType to, construction.Attr<DType>("DstT"));
    ASSIGN_OR_RETURN(const bool truncate, construction.Attr<bool>("Truncate"));
    same_ = from == to;
    run_ = FindRunner(to);
    const int lost = FractionBits(from) - FractionBits(to);
    if (truncate && IsFloating(to) && lost > 0) mask_ = ~((uint64_t{1} << lost) - 1);
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    if (same_) {
      context->SetOutput(0, x);
      return OkStatus();
    }
    ASSIGN_OR_RETURN(Tensor * y, context->AllocateOutput(0, x.shape()));
    if (x.num_elements() == 0) return OkStatus();
    return run_(CudaDeviceOf(context), x, mask_, y);
  }

 private:
  bool same_ = false;
  uint64_t mask_ = ~uint64_t{0};
  Runner run_ = nullptr;
};

// Not for complex numbers, so that these are cast on the CPU.
#define REGISTER_ONE(Src, Dst) \
  REGISTER_KERNEL(Kernel("Cast").OnGpu().Type<Src>("SrcT").Type<Dst>("DstT"), CudaCastOp);
#define REGISTER(Src)                                                                   \
  REGISTER_ONE(Src, float) REGISTER_ONE(Src, double) REGISTER_ONE(Src, Half)            \
  REGISTER_ONE(Src, BFloat16) REGISTER_ONE(Src, int32_t) REGISTER_ONE(Src, int64_t)     \
  REGISTER_ONE(Src, int16_t) REGISTER_ONE(Src, int8_t) REGISTER_ONE(Src, uint8_t)       \
  REGISTER_ONE(Src, bool)
TFBUILD_COMMON_NUMBER_TYPES(REGISTER)
REGISTER(bool)
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
