#pragma once

// Groups of threads of one block that work on one row together: a power of two of at most 32
// neighbours in a warp, or the whole block.

#include "kernels/framework/cuda_launch.cuh"
#include "kernels/framework/functors.h"

namespace tfbuild {

// Of shared memory that GroupReduce needs.
constexpr int kMaxWarps = kThreads / 32;

// Threads for rows of that many elements.
inline int GroupWidth(int64_t elements) {
  if (elements > 1024) return kThreads;
  int width = 1;
  while (width < 32 && width < elements) width *= 2;
  return width;
}

// Blocks for `rows` rows with a group of that width for each, looping where there are more.
inline LaunchShape GroupsFor(const CudaDevice& device, int64_t rows, int width) {
  const int64_t per_block = kThreads / width;
  const int64_t wanted = (rows + per_block - 1) / per_block;
  const int64_t most = int64_t{device.processors()} * 64;
  return {dim3(static_cast<unsigned>(std::max<int64_t>(1, std::min(wanted, most)))),
          dim3(kThreads)};
}

template <typename Op, typename C>
__device__ inline C ReduceInWarp(C value, int width) {
  for (int offset = width / 2; offset > 0; offset /= 2) {
    value = Op::template Combine<C>(value, __shfl_xor_sync(0xffffffffu, value, offset));
  }
  return value;
}

// Combines the values of a group; all of its threads get the result. All threads of the block must
// come here. `shared` has kMaxWarps places.
template <typename Op, typename C>
__device__ inline C GroupReduce(C value, int width, C* shared) {
  if (width <= 32) return ReduceInWarp<Op>(value, width);
  value = ReduceInWarp<Op>(value, 32);
  const int lane = threadIdx.x % 32;
  if (lane == 0) shared[threadIdx.x / 32] = value;
  __syncthreads();
  value = ReduceInWarp<Op>(shared[lane % kMaxWarps], kMaxWarps);
  __syncthreads();  // the next reduction may write
  return value;
}

// What every other number is at least: the lowest one of an integer.
template <typename C>
__device__ inline C Lowest() { return -static_cast<C>(INFINITY); }
template <>
__device__ inline int64_t Lowest<int64_t>() { return -0x7fffffffffffffff - 1; }
template <typename C>
__device__ inline C Highest() { return static_cast<C>(INFINITY); }
template <>
__device__ inline int64_t Highest<int64_t>() { return 0x7fffffffffffffff; }

// How values combine, and the value that changes nothing. Integers wrap around.
struct SumOf {
  template <typename C>
  static __device__ C Identity() { return C(0); }
  template <typename C>
  static __device__ C Combine(C a, C b) { return functor::Add::Apply(a, b); }
};
struct ProductOf {
  template <typename C>
  static __device__ C Identity() { return C(1); }
  template <typename C>
  static __device__ C Combine(C a, C b) { return functor::Mul::Apply(a, b); }
};
// NaN wins.
struct MaximumOf {
  template <typename C>
  static __device__ C Identity() { return Lowest<C>(); }
  template <typename C>
  static __device__ C Combine(C a, C b) { return (a > b || a != a) ? a : b; }
};
struct MinimumOf {
  template <typename C>
  static __device__ C Identity() { return Highest<C>(); }
  template <typename C>
  static __device__ C Combine(C a, C b) { return (a < b || a != a) ? a : b; }
};
struct AllOf {
  template <typename C>
  static __device__ C Identity() { return true; }
  template <typename C>
  static __device__ C Combine(C a, C b) { return a && b; }
};
struct AnyOf {
  template <typename C>
  static __device__ C Identity() { return false; }
  template <typename C>
  static __device__ C Combine(C a, C b) { return a || b; }
};

}  // namespace tfbuild
