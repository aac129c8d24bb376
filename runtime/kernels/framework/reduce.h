#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/framework/functors.h"
#include "kernels/framework/op_kernel.h"
#include "tensor/half.h"

namespace tfbuild {

// Reductions on the CPU. A reducer says in which type it adds up, how two numbers become one, and
// how the end result is made:
//
//   struct SumOf<T> {
//     using Lane = ...;    // many of them side by side in registers, for a short while
//     using Total = ...;   // what lanes are merged into; at most 8 bytes
//     static Lane Init();
//     template <typename V> static V Combine(V a, V b);  // of lanes, or of vectors of lanes
//     static Total Merge(Total a, Total b);
//     static T Finish(Total total, int64_t count);
//   };

constexpr int64_t kReduceRows = 64;  // that lanes take in before they are merged, for precision
constexpr int64_t kReduceVectors = 8;  // side by side in registers
constexpr int64_t kReduceLanes = 16;   // the same where there are no vectors

// The loops of one reducer and element type.
struct ReduceLoops {
  int64_t total_size;  // bytes
  void (*init)(void* totals, int64_t count);
  // Takes `count` neighbours into the one total.
  void (*row)(const void* x, int64_t count, void* total);
  // Takes `width` columns of up to kReduceRows rows, which begin at x + offsets[r], into as many
  // totals.
  void (*columns)(const void* x, const int64_t* offsets, int64_t rows, int64_t width, void* totals);
  void (*merge)(const void* from, int64_t count, void* totals);
  void (*finish)(const void* totals, int64_t count, int64_t reduced, void* out);
};

template <template <typename> class Reducer, typename T>
struct ReduceCode {
  using R = Reducer<T>;
  using C = ComputeTypeOf<T>;
  using Lane = typename R::Lane;
  using Total = typename R::Total;
  static_assert(sizeof(Total) <= sizeof(int64_t), "totals lie in words of 8 bytes");

  // Whether lanes are vectors of T itself. Otherwise (16-bit floats, sums of small integers) each
  // element is converted on its way into a lane.
  static constexpr bool kVectors = std::is_same<Lane, T>::value && !std::is_same<T, bool>::value;
  typedef std::conditional_t<kVectors, T, float> Element;
  typedef Element Vector __attribute__((vector_size(16)));
  static constexpr int64_t kPerVector = 16 / sizeof(Element);

  static Lane Load(T x) { return static_cast<Lane>(C(x)); }
  static Vector LoadVector(const T* x) {
    Vector vector;
    __builtin_memcpy(&vector, x, sizeof(vector));
    return vector;
  }

  static void Init(void* to, int64_t count) {
    std::fill_n(static_cast<Total*>(to), count, static_cast<Total>(R::Init()));
  }

  // Reduces lanes to one, by halves.
  template <int64_t kLanes>
  static Total Fold(Lane* lanes) {
    for (int64_t half = kLanes / 2; half > 0; half /= 2) {
      for (int64_t j = 0; j < half; ++j) lanes[j] = R::Combine(lanes[j], lanes[j + half]);
    }
    return static_cast<Total>(lanes[0]);
  }

  // One block of a row: `steps` times so many elements as there are lanes.
  static Total VectorBlock(const T* x, int64_t steps) {
    Vector vectors[kReduceVectors];
    for (int64_t v = 0; v < kReduceVectors; ++v) vectors[v] = LoadVector(x + v * kPerVector);
    for (int64_t i = 1; i < steps; ++i) {
      x += kReduceVectors * kPerVector;
      for (int64_t v = 0; v < kReduceVectors; ++v) {
        vectors[v] = R::Combine(vectors[v], LoadVector(x + v * kPerVector));
      }
    }
    Lane lanes[kReduceVectors * kPerVector];
    __builtin_memcpy(lanes, vectors, sizeof(vectors));
    return Fold<kReduceVectors * kPerVector>(lanes);
  }

  static Total ScalarBlock(const T* x, int64_t steps) {
    Lane lanes[kReduceLanes];
    for (int64_t j = 0; j < kReduceLanes; ++j) lanes[j] = Load(x[j]);
    for (int64_t i = 1; i < steps; ++i) {
      x += kReduceLanes;
      for (int64_t j = 0; j < kReduceLanes; ++j) lanes[j] = R::Combine(lanes[j], Load(x[j]));
    }
    return Fold<kReduceLanes>(lanes);
  }

  static void Row(const void* from, int64_t count, void* to) {
    constexpr int64_t kLanes = kVectors ? kReduceVectors * kPerVector : kReduceLanes;
    const T* x = static_cast<const T*>(from);
    Total total = *static_cast<Total*>(to);
    while (count >= kLanes) {
      const int64_t steps = std::min(count / kLanes, kReduceRows);
      if constexpr (kVectors) {
        total = R::Merge(total, VectorBlock(x, steps));
      } else {
        total = R::Merge(total, ScalarBlock(x, steps));
      }
      x += steps * kLanes;
      count -= steps * kLanes;
    }
    for (int64_t i = 0; i < count; ++i) total = R::Merge(total, static_cast<Total>(Load(x[i])));
    *static_cast<Total*>(to) = total;
  }

  // As many columns as a strip is wide, whose lanes stay in registers. A narrow strip takes several
  // rows at once, so that one addition does not wait for the last.
  template <int64_t kCount, int64_t kAtOnce>
  static void VectorStrip(const T* x, const int64_t* offsets, int64_t rows, Total* totals) {
    Vector vectors[kAtOnce][kCount];
    for (auto& row : vectors) std::fill_n(row, kCount, Vector{} + R::Init());
    int64_t r = 0;
    for (; r + kAtOnce <= rows; r += kAtOnce) {
      for (int64_t k = 0; k < kAtOnce; ++k) AddRow<kCount>(x + offsets[r + k], vectors[k]);
    }
    for (; r < rows; ++r) AddRow<kCount>(x + offsets[r], vectors[0]);
    for (int64_t v = 0; v < kCount; ++v) {
      for (int64_t k = 1; k < kAtOnce; ++k) {
        vectors[0][v] = R::Combine(vectors[0][v], vectors[k][v]);
      }
      for (int64_t j = 0; j < kPerVector; ++j) {
        Total& total = totals[v * kPerVector + j];
        total = R::Merge(total, static_cast<Total>(vectors[0][v][j]));
      }
    }
  }

  template <int64_t kCount>
  static void AddRow(const T* row, Vector* vectors) {
    for (int64_t v = 0; v < kCount; ++v) {
      vectors[v] = R::Combine(vectors[v], LoadVector(row + v * kPerVector));
    }
  }

  template <int64_t kWidth>
  static void ScalarStrip(const T* x, const int64_t* offsets, int64_t rows, Total* totals) {
    Lane lanes[kWidth];
    for (int64_t j = 0; j < kWidth; ++j) lanes[j] = R::Init();
    for (int64_t r = 0; r < rows; ++r) {
      const T* row = x + offsets[r];
      for (int64_t j = 0; j < kWidth; ++j) lanes[j] = R::Combine(lanes[j], Load(row[j]));
    }
    for (int64_t j = 0; j < kWidth; ++j) {
      totals[j] = R::Merge(totals[j], static_cast<Total>(lanes[j]));
    }
  }

  static void Columns(const void* from, const int64_t* offsets, int64_t rows, int64_t width,
                      void* to) {
    const T* x = static_cast<const T*>(from);
    Total* totals = static_cast<Total*>(to);
    int64_t j = 0;
    if constexpr (kVectors) {
      constexpr int64_t kStrip = kReduceVectors * kPerVector;
      for (; j + kStrip <= width; j += kStrip) {
        VectorStrip<kReduceVectors, 1>(x + j, offsets, rows, totals + j);
      }
      for (; j + 2 * kPerVector <= width; j += 2 * kPerVector) {
        VectorStrip<2, 4>(x + j, offsets, rows, totals + j);
      }
      for (; j + kPerVector <= width; j += kPerVector) {
        VectorStrip<1, 4>(x + j, offsets, rows, totals + j);
      }
    } else {
      for (; j + kReduceLanes <= width; j += kReduceLanes) {
        ScalarStrip<kReduceLanes>(x + j, offsets, rows, totals + j);
      }
    }
    for (; j < width; ++j) ScalarStrip<1>(x + j, offsets, rows, totals + j);
  }

  static void Merge(const void* from, int64_t count, void* to) {
    const Total* other = static_cast<const Total*>(from);
    Total* totals = static_cast<Total*>(to);
    for (int64_t i = 0; i < count; ++i) totals[i] = R::Merge(totals[i], other[i]);
  }

  static void Finish(const void* from, int64_t count, int64_t reduced, void* to) {
    const Total* totals = static_cast<const Total*>(from);
    T* out = static_cast<T*>(to);
    for (int64_t i = 0; i < count; ++i) out[i] = R::Finish(totals[i], reduced);
  }

  static constexpr ReduceLoops kLoops{sizeof(Total), Init, Row, Columns, Merge, Finish};
};

// Reduces input 0 along the axes of input 1 into output 0.
Status ComputeReduction(OpKernelContext* context, bool keep_dims, const ReduceLoops& loops);

template <template <typename> class Reducer, typename T>
class ReduceKernel final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(keep_dims_, construction.Attr<bool>("keep_dims"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    return ComputeReduction(context, keep_dims_, ReduceCode<Reducer, T>::kLoops);
  }

 private:
  bool keep_dims_ = false;
};

// Sums and products: floats in their own type for a short while, then in double; integers in 64
// bits, cut down to the type at the end.
template <typename T>
using LaneOf = std::conditional_t<std::is_integral<ComputeTypeOf<T>>::value, int64_t,
                                  ComputeTypeOf<T>>;
template <typename T>
using TotalOf = std::conditional_t<std::is_integral<ComputeTypeOf<T>>::value, int64_t, double>;

}  // namespace tfbuild
