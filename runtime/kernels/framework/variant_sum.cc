#include "kernels/framework/variant_sum.h"

#include <cstring>

#include "base/stack_room.h"
#include "kernels/framework/elementwise.h"

namespace tfbuild {
namespace {

template <typename T>
void Add(const Tensor& a, const Tensor& b, Tensor* sum) {
  using C = ComputeTypeOf<T>;
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    sum->mutable_data<T>()[i] =
        static_cast<T>(functor::Add::Apply(C(a.data<T>()[i]), C(b.data<T>()[i])));
  }
}

Result<const SummableVariant*> Summable(const Variant& variant) {
  const auto* value = dynamic_cast<const SummableVariant*>(variant.get());
  if (value == nullptr) return InvalidArgument("a variant that has no zero and no sum");
  return value;
}

}  // namespace

Result<Tensor> HostZeros(DType dtype, const Shape& shape) {
  if (dtype == DType::kVariant && shape.num_elements() > 0) {
    return InvalidArgument("nothing says what the zero of a variant is");
  }
  ASSIGN_OR_RETURN(Tensor zeros, Tensor::Allocate(CpuAllocator(), dtype, shape));
  if (zeros.num_bytes() > 0) std::memset(zeros.raw(), 0, zeros.num_bytes());
  return zeros;
}

Result<Tensor> HostZerosLike(const Tensor& value) {
  if (value.dtype() != DType::kVariant) return HostZeros(value.dtype(), value.shape());
  RETURN_IF_ERROR(CheckStackRoom());
  ASSIGN_OR_RETURN(Tensor zeros, Tensor::Allocate(CpuAllocator(), value.dtype(), value.shape()));
  for (int64_t i = 0; i < value.num_elements(); ++i) {
    ASSIGN_OR_RETURN(const SummableVariant* element, Summable(value.data<Variant>()[i]));
    ASSIGN_OR_RETURN(zeros.mutable_data<Variant>()[i], element->ZerosLike());
  }
  return zeros;
}

Result<Tensor> HostSum(const Tensor& a, const Tensor& b) {
  RETURN_IF_ERROR(CheckStackRoom());
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) {
    return InvalidArgument("values of shapes ", a.shape(), " and ", b.shape(), " have no sum");
  }
  ASSIGN_OR_RETURN(Tensor sum, Tensor::Allocate(CpuAllocator(), a.dtype(), a.shape()));
  switch (a.dtype()) {
#define CASE(T) \
  case DTypeOf<T>::value: Add<T>(a, b, &sum); return sum;
    TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
    case DType::kVariant: break;
    default: return InvalidArgument("values of type ", DTypeName(a.dtype()), " have no sum");
  }
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    const Variant& other = b.data<Variant>()[i];
    ASSIGN_OR_RETURN(const SummableVariant* element, Summable(a.data<Variant>()[i]));
    RETURN_IF_ERROR(Summable(other).status());
    ASSIGN_OR_RETURN(sum.mutable_data<Variant>()[i], element->Plus(*other));
  }
  return sum;
}

}  // namespace tfbuild
