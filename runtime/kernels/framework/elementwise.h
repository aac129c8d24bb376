#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "base/status.h"
#include "kernels/framework/functors.h"
#include "kernels/framework/half_rows.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/vector_target.h"
#include "tensor/half.h"

namespace tfbuild {

// Elementwise CPU kernels: one small loop for each op and type, and everything else (broadcasting,
// memory, threads) once for all of them.

// Which operands of a loop advance; the other is one element.
enum class Operands { kBoth, kOnlyRight, kOnlyLeft };

using BinaryLoop = void (*)(const void* x, const void* y, void* z, int64_t count,
                            Operands operands);
using UnaryLoop = void (*)(const void* x, void* y, int64_t count);

// The loops on one type. z may be x or y itself, never a shifted view of it: hence ivdep.
template <typename F, typename T, typename Out>
struct BinaryRowLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const T* x, const T* y, Out* z, int64_t count,
                                        Operands operands) {
    if (operands == Operands::kBoth) {
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) z[i] = static_cast<Out>(F::Apply(x[i], y[i]));
    } else if (operands == Operands::kOnlyRight) {
      const T a = x[0];
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) z[i] = static_cast<Out>(F::Apply(a, y[i]));
    } else {
      const T b = y[0];
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) z[i] = static_cast<Out>(F::Apply(x[i], b));
    }
  }
};

template <typename F, typename T, typename Out>
struct UnaryRowLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const T* x, Out* y, int64_t count) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) y[i] = static_cast<Out>(F::Apply(x[i]));
  }
};

template <typename F, typename T, typename Out>
void BinaryRow(const T* x, const T* y, Out* z, int64_t count, Operands operands) {
  RunVectorised<BinaryRowLoop<F, T, Out>, T>(x, y, z, count, operands);
}

// Whether F::IsRare(x) finds floats for which not Apply but ApplyRare has the answer.
template <typename F, typename T, typename = bool>
struct HasRare : std::false_type {};
template <typename F>
struct HasRare<F, float, decltype(F::IsRare(0.0f))> : std::true_type {};

// Whether F::Avx512Row is a loop over floats of its own.
template <typename F, typename T, typename Out, typename = void>
struct HasAvx512Row : std::false_type {};
#ifdef TFBUILD_X86
template <typename F>
struct HasAvx512Row<F, float, float, std::void_t<decltype(&F::Avx512Row)>> : std::true_type {};
#endif

template <typename F, typename T>
struct CountRareLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const T* x, int64_t count, int32_t* rare) {
    int32_t found = 0;
    for (int64_t i = 0; i < count; ++i) found += F::IsRare(x[i]) ? 1 : 0;
    *rare = found;
  }
};

template <typename F, typename T, typename Out>
void UnaryRow(const T* x, Out* y, int64_t count) {
  if constexpr (HasAvx512Row<F, T, Out>::value) {
    if (vector_level.load(std::memory_order_relaxed) == VectorLevel::kAvx512) {
      return F::Avx512Row(x, y, count);
    }
  }
  if constexpr (!HasRare<F, T>::value) {
    RunVectorised<UnaryRowLoop<F, T, Out>, T>(x, y, count);
  } else {
    constexpr int64_t kBlock = 1024;
    T kept[kBlock];  // y may be x
    for (int64_t at = 0; at < count; at += kBlock) {
      const int64_t length = std::min(count - at, kBlock);
      int32_t rare = 0;
      RunVectorised<CountRareLoop<F, T>, T>(x + at, length, &rare);
      if (rare > 0) std::copy_n(x + at, length, kept);
      RunVectorised<UnaryRowLoop<F, T, Out>, T>(x + at, y + at, length);
      for (int64_t i = 0; rare > 0 && i < length; ++i) {
        if (F::IsRare(kept[i])) y[at + i] = static_cast<Out>(F::ApplyRare(kept[i]));
      }
    }
  }
}

constexpr int64_t kHalfBlock = 512;  // 16-bit floats that are computed in float at once

// 16-bit floats go through the loop of float, block by block.
template <typename F, typename T, typename Out>
void BinaryHalves(const T* x, const T* y, Out* z, int64_t count, Operands operands) {
  float a[kHalfBlock];
  float b[kHalfBlock];
  for (int64_t at = 0; at < count; at += kHalfBlock) {
    const int64_t length = std::min(count - at, kHalfBlock);
    const bool x_moves = operands != Operands::kOnlyRight;
    const bool y_moves = operands != Operands::kOnlyLeft;
    if (x_moves || at == 0) WidenRow(x + (x_moves ? at : 0), x_moves ? length : 1, a);
    if (y_moves || at == 0) WidenRow(y + (y_moves ? at : 0), y_moves ? length : 1, b);
    if constexpr (std::is_same<T, Out>::value) {
      float* result = x_moves ? a : b;
      BinaryRow<F>(a, b, result, length, operands);
      NarrowRow(result, length, z + at);
    } else {
      BinaryRow<F>(a, b, z + at, length, operands);
    }
  }
}

template <typename F, typename T, typename Out>
void UnaryHalves(const T* x, Out* y, int64_t count) {
  float a[kHalfBlock];
  for (int64_t at = 0; at < count; at += kHalfBlock) {
    const int64_t length = std::min(count - at, kHalfBlock);
    WidenRow(x + at, length, a);
    if constexpr (std::is_same<T, Out>::value) {
      UnaryRow<F>(a, a, length);
      NarrowRow(a, length, y + at);
    } else {
      UnaryRow<F>(a, y + at, length);
    }
  }
}

template <typename T>
constexpr bool kIsHalf = !std::is_same<ComputeTypeOf<T>, T>::value;

template <typename F, typename T, typename Out = T>
void RunBinary(const void* left, const void* right, void* result, int64_t count,
               Operands operands) {
  const T* x = static_cast<const T*>(left);
  const T* y = static_cast<const T*>(right);
  Out* z = static_cast<Out*>(result);
  if constexpr (kIsHalf<T>) {
    BinaryHalves<F>(x, y, z, count, operands);
  } else if constexpr (std::is_arithmetic<T>::value) {
    BinaryRow<F>(x, y, z, count, operands);
  } else {
    BinaryRowLoop<F, T, Out>::template Run<16>(x, y, z, count, operands);  // strings
  }
}

template <typename F, typename T, typename Out = T>
void RunUnary(const void* argument, void* result, int64_t count) {
  const T* x = static_cast<const T*>(argument);
  Out* y = static_cast<Out*>(result);
  if constexpr (kIsHalf<T>) {
    UnaryHalves<F>(x, y, count);
  } else {
    UnaryRow<F>(x, y, count);
  }
}

struct BroadcastPlan;

// Elements that are worth a thread: ten microseconds and more, as to wake one costs up to fifty.
constexpr int64_t kCheapGrain = 131072;  // memory bound
constexpr int64_t kMathGrain = 16384;    // a function of the mathematical library for each element

// Runs the loop over two tensors that broadcast together into output 0.
Status ComputeBinary(OpKernelContext* context, BinaryLoop loop, int64_t grain);
// Runs the loop over inputs 0 and 1, whose elements pair up as planned, into the output; it may be the
// memory of one that has as many elements.
Status RunBroadcast(OpKernelContext* context, const BroadcastPlan& plan, BinaryLoop loop,
                    int64_t grain, Tensor* output);
// As ComputeBinary for inputs of the same shape; other shapes are InvalidArgument.
Status ComputeSameShape(OpKernelContext* context, BinaryLoop loop, int64_t grain);
// Runs the loop over input 0 into output 0.
Status ComputeUnary(OpKernelContext* context, UnaryLoop loop, int64_t grain);

// What an elementwise kernel does to a row, for those who apply several of them to a tile
// (element_program.h). One of the loops is there.
struct ElementLoop {
  UnaryLoop unary = nullptr;
  BinaryLoop binary = nullptr;
  int64_t grain = 0;
  bool same_shape = false;  // whether operands of different shapes are refused
};

class ElementwiseKernel : public OpKernel {
 public:
  virtual ElementLoop loop() const = 0;
};

template <BinaryLoop kLoop, int64_t kGrain = kCheapGrain>
class BinaryKernel final : public ElementwiseKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    return ComputeBinary(context, kLoop, kGrain);
  }
  ElementLoop loop() const override { return {nullptr, kLoop, kGrain, false}; }
};

template <BinaryLoop kLoop, int64_t kGrain = kCheapGrain>
class SameShapeKernel final : public ElementwiseKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    return ComputeSameShape(context, kLoop, kGrain);
  }
  ElementLoop loop() const override { return {nullptr, kLoop, kGrain, true}; }
};

template <UnaryLoop kLoop, int64_t kGrain = kCheapGrain>
class UnaryKernel final : public ElementwiseKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    return ComputeUnary(context, kLoop, kGrain);
  }
  ElementLoop loop() const override { return {kLoop, nullptr, kGrain, false}; }
};

}  // namespace tfbuild
