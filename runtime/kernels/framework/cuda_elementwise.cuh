#pragma once

// Elementwise kernels: one loop for each formula and type, and everything else (broadcasting,
// memory) once for all of them. The twin of elementwise.h.

#include "kernels/framework/cuda_launch.cuh"
#include "kernels/framework/functors.h"

namespace tfbuild {

constexpr int kMaxBroadcastDims = 8;

// Where the elements of two operands lie for each element of the output. The innermost dimension
// has steps of 0 or 1; those outside of it have strides.
struct BroadcastMap {
  int64_t count = 0;
  int outer = 0;
  Divider sizes[kMaxBroadcastDims];  // of the dimensions, the innermost last
  int64_t x_strides[kMaxBroadcastDims] = {};
  int64_t y_strides[kMaxBroadcastDims] = {};
  int64_t x_step = 1;
  int64_t y_step = 1;

  __device__ void Locate(int64_t index, int64_t* x, int64_t* y) const {
    *x = 0;
    *y = 0;
#pragma unroll 1
    for (int k = outer; k > 0; --k) {
      int64_t coordinate = index;
      index = sizes[k].Split(&coordinate);
      *x += coordinate * x_strides[k];
      *y += coordinate * y_strides[k];
    }
    *x += index * x_strides[0];
    *y += index * y_strides[0];
  }
};

// A pack of an operand: neighbours, or one element for all.
template <int N, typename T>
__device__ inline Pack<T, N> LoadOperand(const T* from, int64_t step) {
  if (step == 1) return LoadPack<N>(from);
  Pack<T, N> pack;
  const T value = *from;
#pragma unroll
  for (int j = 0; j < N; ++j) pack.at[j] = value;
  return pack;
}

template <typename F, typename T, typename R>
__device__ inline R ApplyBinary(T x, T y) {
  return Narrow<R>::From(F::Apply(Widen(x), Widen(y)));
}

// The first `packs` packs by packs, the rest element by element.
template <typename F, typename T, typename R>
__global__ void BinaryMapKernel(BroadcastMap map, int64_t packs, const T* x, const T* y, R* z) {
  constexpr int kN = kPackSize<T>;
  int64_t x_at;
  int64_t y_at;
  for (int64_t i = FirstIndex(); i < packs; i += IndexStep()) {
    map.Locate(i * kN, &x_at, &y_at);
    const Pack<T, kN> a = LoadOperand<kN>(x + x_at, map.x_step);
    const Pack<T, kN> b = LoadOperand<kN>(y + y_at, map.y_step);
    Pack<R, kN> c;
#pragma unroll
    for (int j = 0; j < kN; ++j) c.at[j] = ApplyBinary<F, T, R>(a.at[j], b.at[j]);
    StorePack(z + i * kN, c);
  }
  for (int64_t i = packs * kN + FirstIndex(); i < map.count; i += IndexStep()) {
    map.Locate(i, &x_at, &y_at);
    z[i] = ApplyBinary<F, T, R>(x[x_at], y[y_at]);
  }
}

template <typename F, typename T, typename R>
__global__ void UnaryMapKernel(int64_t count, int64_t packs, const T* x, R* y) {
  constexpr int kN = kPackSize<T>;
  for (int64_t i = FirstIndex(); i < packs; i += IndexStep()) {
    const Pack<T, kN> a = LoadPack<kN>(x + i * kN);
    Pack<R, kN> b;
#pragma unroll
    for (int j = 0; j < kN; ++j) b.at[j] = Narrow<R>::From(F::Apply(Widen(a.at[j])));
    StorePack(y + i * kN, b);
  }
  for (int64_t i = packs * kN + FirstIndex(); i < count; i += IndexStep()) {
    y[i] = Narrow<R>::From(F::Apply(Widen(x[i])));
  }
}

// How many packs of N elements the kernel may take. Rows of a broadcast must be whole packs.
template <int N, typename T, typename R>
int64_t CountPacks(const BroadcastMap& map, const T* x, const T* y, const R* z) {
  const bool aligned = (map.x_step == 0 || IsAligned<N>(x)) &&
                       (map.y_step == 0 || IsAligned<N>(y)) && IsAligned<N>(z);
  const bool whole = map.outer == 0 || map.sizes[map.outer].size % N == 0;
  return aligned && whole ? map.count / N : 0;
}

using CudaBinaryLoop = Status (*)(CudaDevice* device, const BroadcastMap& map, const void* x,
                                  const void* y, void* z);
using CudaUnaryLoop = Status (*)(CudaDevice* device, int64_t count, const void* x, void* y);

template <typename F, typename T, typename R = T>
Status CudaBinary(CudaDevice* device, const BroadcastMap& map, const void* left, const void* right,
                  void* result) {
  const T* x = static_cast<const T*>(left);
  const T* y = static_cast<const T*>(right);
  R* z = static_cast<R*>(result);
  const int64_t packs = CountPacks<kPackSize<T>>(map, x, y, z);
  const int64_t work = packs > 0 ? packs : map.count;
  return Launch(device, LoopOver(*device, work), BinaryMapKernel<F, T, R>, map, packs, x, y, z);
}

template <typename F, typename T, typename R = T>
Status CudaUnary(CudaDevice* device, int64_t count, const void* argument, void* result) {
  constexpr int kN = kPackSize<T>;
  const T* x = static_cast<const T*>(argument);
  R* y = static_cast<R*>(result);
  const int64_t packs = IsAligned<kN>(x) && IsAligned<kN>(y) ? count / kN : 0;
  const int64_t work = packs > 0 ? packs : count;
  return Launch(device, LoopOver(*device, work), UnaryMapKernel<F, T, R>, count, packs, x, y);
}

// Runs the loop over inputs 0 and 1, which broadcast together, into output 0.
Status ComputeCudaBinary(OpKernelContext* context, CudaBinaryLoop loop);
// As ComputeCudaBinary for inputs of the same shape; other shapes are InvalidArgument.
Status ComputeCudaSameShape(OpKernelContext* context, CudaBinaryLoop loop);
// Runs the loop over input 0 into output 0.
Status ComputeCudaUnary(OpKernelContext* context, CudaUnaryLoop loop);
// The map for two operands of these shapes and the shape they broadcast to.
Result<BroadcastMap> MakeBroadcastMap(const Shape& x, const Shape& y, Shape* output);

// The loop that adds numbers of that floating type.
CudaBinaryLoop FindCudaAdd(DType dtype);

template <CudaBinaryLoop loop>
class CudaBinaryOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override { return ComputeCudaBinary(context, loop); }
};

template <CudaBinaryLoop loop>
class CudaSameShapeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override { return ComputeCudaSameShape(context, loop); }
};

template <CudaUnaryLoop loop>
class CudaUnaryOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override { return ComputeCudaUnary(context, loop); }
};

}  // namespace tfbuild
