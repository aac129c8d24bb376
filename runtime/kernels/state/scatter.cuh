#pragma once

// How rows of a variable change on a GPU, each by the updates of its chain.

#include "kernels/state/row_chains.cuh"

namespace tfbuild {

// What becomes of an element, in the type in which arithmetic is done.
struct Update {
  template <typename C>
  static __device__ C Apply(C, C by) { return by; }
};

template <typename T, typename Change>
__global__ void ScatterKernel(int64_t elements, Divider width, RowChains chains, bool in_order,
                              bool one_for_all, const T* updates, T* variable) {
  for (int64_t e = FirstIndex(); e < elements; e += IndexStep()) {
    int64_t column = e;
    const int i = static_cast<int>(width.Split(&column));
    const int64_t row = chains.RowOfHead(i);
    if (row == kOutside) continue;
    T* to = variable + row * width.size + column;
    auto value = Widen(*to);
    const auto change = [&](int at) {
      value = Change::Apply(value, Widen(updates[one_for_all ? 0 : at * width.size + column]));
    };
    if (in_order) {
      chains.ForEachInOrder(i, change);
    } else {
      chains.ForEach(i, change);
    }
    *to = Narrow<T>::From(value);
  }
}

// Of ops that change rows by indices: `Base` finds the rows, with a Scatter that it calls.
template <typename Base, typename T, typename Change, bool kInOrder>
class CudaScatterOfType final : public Base {
 private:
  Status Scatter(CudaDevice* device, const RowChains& chains, int64_t count, const Divider& width,
                 const Tensor& updates, bool one_for_all, Tensor* variable) override {
    const int64_t elements = count * width.size;
    return Launch(device, LoopOver(*device, elements), ScatterKernel<T, Change>, elements, width,
                  chains, kInOrder || device->wants_one_result(), one_for_all, updates.data<T>(),
                  variable->mutable_data<T>());
  }
};

#define TFBUILD_SCATTER_BY(Index, kernel, ...) \
  REGISTER_KERNEL(kernel.Type<Index>("Tindices"), CudaScatterOfType<__VA_ARGS__>);
// `kernel` for both types of indices; behind it the arguments of CudaScatterOfType.
#define TFBUILD_SCATTER(kernel, ...)               \
  TFBUILD_SCATTER_BY(int32_t, kernel, __VA_ARGS__) \
  TFBUILD_SCATTER_BY(int64_t, kernel, __VA_ARGS__)

}  // namespace tfbuild
