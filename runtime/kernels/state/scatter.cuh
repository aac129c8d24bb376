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

}  // namespace tfbuild
