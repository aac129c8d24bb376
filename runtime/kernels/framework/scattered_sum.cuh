#pragma once

// Sums of which each addend says where it belongs, on a GPU: those of segments and of slices.
//
// Additions come in any order, which shows in the last places of a sum of floating numbers. Where
// the same bits are wanted each time, integers are added instead, since their sums know no order:
// each number in units that are a small part of the largest of its sum.

#include <type_traits>

#include "kernels/framework/cuda_launch.cuh"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {

template <typename T, typename Places>
__global__ void AddKernel(int64_t elements, Places places, const T* addends,
                          ComputeTypeOf<T>* sums) {
  for (int64_t e = FirstIndex(); e < elements; e += IndexStep()) {
    const int64_t place = places(e);
    if (place != kNowhere) atomicAdd(sums + place, Widen(addends[e]));
  }
}

template <typename T>
__global__ void NarrowKernel(int64_t count, const ComputeTypeOf<T>* from, T* to) {
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) to[i] = Narrow<T>::From(from[i]);
}

// Sums as integers. All words are 0 at first.
struct WholeSums {
  // Of each sum: addends are below 2^(magnitude - kBias); 0 where all are zeros.
  int* magnitudes;
  // Of each sum two words, the second in units of 2^-bits of the first's. Of a sum that is not finite
  // the first says what was met: kPlus, kMinus and kNan.
  unsigned long long* words;
  // Addends have so many in a word, which leaves room for their number.
  int bits;
};
constexpr int kBias = 1100;         // so that no double's magnitude is 0 or less
constexpr int kNotFinite = 1 << 20;
constexpr unsigned long long kPlus = 1;
constexpr unsigned long long kMinus = 2;
constexpr unsigned long long kNan = 4;

template <typename T, typename Places>
__global__ void MeasureAddendsKernel(int64_t elements, Places places, const T* addends,
                                     WholeSums sums) {
  for (int64_t e = FirstIndex(); e < elements; e += IndexStep()) {
    const int64_t place = places(e);
    const double addend = Widen(addends[e]);
    if (place == kNowhere || addend == 0) continue;
    const bool finite = fabs(addend) < static_cast<double>(INFINITY);
    atomicMax(sums.magnitudes + place, finite ? ilogb(addend) + 1 + kBias : kNotFinite);
  }
}

template <typename T, typename Places>
__global__ void AddWholeKernel(int64_t elements, Places places, const T* addends, WholeSums sums) {
  for (int64_t e = FirstIndex(); e < elements; e += IndexStep()) {
    const int64_t place = places(e);
    const double addend = Widen(addends[e]);
    if (place == kNowhere || addend == 0) continue;
    unsigned long long* words = sums.words + 2 * place;
    const int magnitude = sums.magnitudes[place];
    if (magnitude == kNotFinite) {
      const bool finite = fabs(addend) < static_cast<double>(INFINITY);
      if (!finite) atomicOr(words, addend > 0 ? kPlus : addend < 0 ? kMinus : kNan);
      continue;
    }
    const double scaled = scalbn(addend, sums.bits - (magnitude - kBias));
    const double whole = rint(scaled);
    const double rest = rint(scalbn(scaled - whole, sums.bits));
    // As in arithmetic modulo 2^64, negative numbers are large ones.
    atomicAdd(words, static_cast<unsigned long long>(static_cast<long long>(whole)));
    if (rest != 0) {
      atomicAdd(words + 1, static_cast<unsigned long long>(static_cast<long long>(rest)));
    }
  }
}

template <typename T>
__global__ void FromWholeKernel(int64_t count, WholeSums sums, T* out) {
  using C = ComputeTypeOf<T>;
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    const int magnitude = sums.magnitudes[i];
    const unsigned long long first = sums.words[2 * i];
    double sum = 0;
    if (magnitude == kNotFinite) {
      sum = static_cast<double>(first == kPlus ? INFINITY : first == kMinus ? -INFINITY : NAN);
    } else if (magnitude != 0) {
      const double rest = static_cast<double>(static_cast<long long>(sums.words[2 * i + 1]));
      const double units = static_cast<double>(static_cast<long long>(first)) +
                           scalbn(rest, -sums.bits);
      sum = scalbn(units, magnitude - kBias - sums.bits);
    }
    out[i] = Narrow<T>::From(static_cast<C>(sum));
  }
}

template <typename T, typename Places>
Status SumAsWhole(OpKernelContext* context, const Tensor& addends, int64_t most,
                  const Places& places, Tensor* output) {
  const int64_t count = output->num_elements();
  const int64_t elements = addends.num_elements();
  // Two words of 64 bits and one of 32 for each sum.
  ASSIGN_OR_RETURN(Tensor memory, context->AllocateTemp(DType::kInt64, Shape{(5 * count + 1) / 2}));
  if (count > 0) RETURN_IF_ERROR(RunZero(context, &memory));
  auto* words = static_cast<unsigned long long*>(memory.raw());
  WholeSums sums{reinterpret_cast<int*>(words + 2 * count), words, 62};
  while (sums.bits > 1 && (most >> (62 - sums.bits)) > 0) --sums.bits;
  CudaDevice* device = CudaDeviceOf(context);
  RETURN_IF_ERROR(Launch(device, LoopOver(*device, elements), MeasureAddendsKernel<T, Places>,
                         elements, places, addends.data<T>(), sums));
  if (count == 0) return OkStatus();
  RETURN_IF_ERROR(Launch(device, LoopOver(*device, elements), AddWholeKernel<T, Places>, elements,
                         places, addends.data<T>(), sums));
  return Launch(device, LoopOver(*device, count), FromWholeKernel<T>, count, sums,
                output->mutable_data<T>());
}

// Fills `output` with the sums of the addends that `places` puts there: a function of the GPU from an
// addend's index to an index of the output or kNowhere, where it may report what is wrong. At most
// `most` addends belong to one sum.
template <typename T, typename Places>
Status SumScattered(OpKernelContext* context, const Tensor& addends, int64_t most,
                    const Places& places, Tensor* output) {
  using C = ComputeTypeOf<T>;
  CudaDevice* device = CudaDeviceOf(context);
  const int64_t count = output->num_elements();
  const int64_t elements = addends.num_elements();
  if (elements > 0 && device->wants_one_result()) {
    return SumAsWhole<T>(context, addends, most, places, output);
  }
  Tensor sums = *output;
  if (!std::is_same<T, C>::value) {
    ASSIGN_OR_RETURN(sums, context->AllocateTemp(DTypeOf<C>::value, output->shape()));
  }
  if (count > 0) RETURN_IF_ERROR(RunZero(context, &sums));
  if (elements > 0) {  // also where there are no sums: no place is right then
    RETURN_IF_ERROR(Launch(device, LoopOver(*device, elements), AddKernel<T, Places>, elements,
                           places, addends.data<T>(), sums.mutable_data<C>()));
  }
  if (std::is_same<T, C>::value || count == 0) return OkStatus();
  return Launch(device, LoopOver(*device, count), NarrowKernel<T>, count, sums.data<C>(),
                output->mutable_data<T>());
}

}  // namespace tfbuild
