#include "kernels/framework/add_tensors.h"

#include <array>

#include "kernels/framework/functors.h"

namespace tfbuild {
namespace {

template <typename T>
Status AddElements(const Tensor& x, const Tensor& y, Tensor* sum) {
  T* to = sum->mutable_data<T>();
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    to[i] = functor::Add::Apply(x.data<T>()[i], y.data<T>()[i]);
  }
  return OkStatus();
}

Status CpuAdd(Device* /*device*/, const Tensor& x, const Tensor& y, Tensor* sum) {
  switch (x.dtype()) {
#define CASE(T) \
  case DTypeOf<T>::value: return AddElements<T>(x, y, sum);
    TFBUILD_ARITHMETIC_TYPES(CASE)
#undef CASE
    default: return InvalidArgument("elements of type ", DTypeName(x.dtype()), " cannot be added");
  }
}

std::array<TensorAdder, 2>& Adders() {
  static std::array<TensorAdder, 2> adders{CpuAdd, nullptr};
  return adders;
}

}  // namespace

bool SetTensorAdder(DeviceType type, TensorAdder adder) {
  Adders()[static_cast<size_t>(type)] = adder;
  return true;
}

Status AddTensors(OpKernelContext* context, const Tensor& x, const Tensor& y, Tensor* sum) {
  const TensorAdder adder = Adders()[static_cast<size_t>(context->device()->type())];
  if (adder == nullptr) return Unimplemented("nothing adds on ", context->device()->name());
  return adder(context->device(), x, y, sum);
}

}  // namespace tfbuild
