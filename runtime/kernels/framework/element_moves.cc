#include "kernels/framework/element_moves.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/parallel_fill.h"
#include "tensor/variant.h"

namespace tfbuild {
namespace {

// Calls move(E()) for a type E whose objects are copied as elements of this type are.
template <typename Move>
void WithElementOf(DType dtype, const Move& move) {
  if (dtype == DType::kString) return move(std::string());
  if (dtype == DType::kVariant) return move(Variant());
  switch (DTypeSize(dtype)) {
    case 1: return move(uint8_t());
    case 2: return move(uint16_t());
    case 4: return move(uint32_t());
    case 8: return move(uint64_t());
    default: return move(std::array<uint64_t, 2>());
  }
}

}  // namespace

void GatherElements(const Tensor& from, const std::vector<int64_t>& index, Tensor* to) {
  WithElementOf(from.dtype(), [&](auto element) {
    using E = decltype(element);
    E* out = to->mutable_data<E>();
    for (const int64_t i : index) *out++ = from.data<E>()[i];
  });
}

void ScatterElements(const Tensor& from, const int64_t* index, Tensor* to) {
  WithElementOf(from.dtype(), [&](auto element) {
    using E = decltype(element);
    for (int64_t i = 0; i < from.num_elements(); ++i) {
      to->mutable_data<E>()[index[i]] = from.data<E>()[i];
    }
  });
}

void CopyRange(const Tensor& from, int64_t first, int64_t count, Tensor* to, int64_t place) {
  if (count == 0) return;
  WithElementOf(from.dtype(), [&](auto element) {
    using E = decltype(element);
    std::copy_n(from.data<E>() + first, count, to->mutable_data<E>() + place);
  });
}

void FillElements(const Tensor& value, Tensor* to) {
  WithElementOf(to->dtype(), [&](auto element) {
    using E = decltype(element);
    ParallelFill(to->mutable_data<E>(), to->num_elements(), *value.data<E>());
  });
}

}  // namespace tfbuild
