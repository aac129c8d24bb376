#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "kernels/framework/functors.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/rounded.h"
#include "kernels/framework/vector_target.h"
#include "tensor/half.h"

namespace tfbuild {

// Reductions on the CPU. A reducer says in which type it adds up, how two numbers become one, and
// how the end result is made:
//
//   struct SumOf<T> {
//     using Lane = ...;    // many of them side by side in registers, for a short while
//     using Total = ...;   // what lanes are merged into; at most 8 bytes
//     static Lane Init();
//     static Lane Combine(Lane a, Lane b);
//     static Total Merge(Total a, Total b);
//     static T Finish(Total total, int64_t count);
//   };

constexpr int64_t kReduceRows = 16;  // that lanes take in before they are merged, for precision
constexpr int64_t kReduceVectors = 4;    // side by side
constexpr int64_t kReduceColumns = 256;  // at most, together
constexpr int64_t kWholeRow = 16384;     // elements; shorter rows are reduced by one thread

// The loops of one reducer and element type.
struct ReduceLoops {
  int64_t total_size;  // bytes
  void (*init)(void* totals, int64_t count);
  // Takes `count` neighbours of each of `rows` rows, which begin `stride` elements apart, into as many
  // totals.
  void (*rows)(const void* x, int64_t stride, int64_t rows, int64_t count, void* totals);
  // The same for (x - less)^2, rounded like the result of an op of its own: each row has a number that
  // is subtracted, `less_stride` elements behind the last one's. Null but for sums of float.
  void (*squares)(const void* x, int64_t stride, int64_t rows, int64_t count, const void* less,
                  int64_t less_stride, void* totals);
  // Takes `width` columns, at most kReduceColumns, of up to kReduceRows rows, which begin at
  // x + offsets[r], into as many totals.
  void (*columns)(const void* x, const int64_t* offsets, int64_t rows, int64_t width, void* totals);
  void (*merge)(const void* from, int64_t count, void* totals);
  void (*finish)(const void* totals, int64_t count, int64_t reduced, void* out);
};

// The loops over the elements, in vectors of kVectorBytes.
template <template <typename> class Reducer, typename T, int kVectorBytes>
struct ReduceVectors {
  using R = Reducer<T>;
  using C = ComputeTypeOf<T>;
  using Lane = typename R::Lane;
  using Total = typename R::Total;

  // Side by side: some vectors, so that an addition does not wait for the last one.
  static constexpr int64_t kNarrow = kVectorBytes / sizeof(Lane);
  static constexpr int64_t kWide = kReduceVectors * kNarrow;

  static TFBUILD_ALWAYS_INLINE Lane Load(T x) { return static_cast<Lane>(C(x)); }

  // What is taken in of an element.
  struct Itself {
    TFBUILD_ALWAYS_INLINE Lane operator()(T x) const { return Load(x); }
  };
  struct SquareOfDifference {
    T less;
    int32_t zero;
    TFBUILD_ALWAYS_INLINE Lane operator()(T x) const {
      return Rounded((x - less) * (x - less), zero);
    }
  };

  template <int64_t kLanes, typename Term>
  static TFBUILD_ALWAYS_INLINE void Add(const T* x, Term term, Lane* lanes) {
#pragma omp simd
    for (int64_t j = 0; j < kLanes; ++j) lanes[j] = R::Combine(lanes[j], term(x[j]));
  }

  // All into the first, half of them into the other half at a time. Sizes that the compiler knows
  // leave no branches.
  template <int64_t kCount, typename V, V (*kCombine)(V, V)>
  static TFBUILD_ALWAYS_INLINE V Halve(V* x) {
    if constexpr (kCount > 1) {
      constexpr int64_t kHalf = kCount / 2;
#pragma omp simd
      for (int64_t j = 0; j < kHalf; ++j) x[j] = kCombine(x[j], x[kHalf + j]);
      return Halve<kHalf, V, kCombine>(x);
    }
    return x[0];
  }

  // One block of a row: `steps` times so many elements as there are lanes.
  template <typename Term>
  static TFBUILD_ALWAYS_INLINE Total Block(const T* x, int64_t steps, Term term) {
    // Combined with Init, as compilers copy memory in pieces of 16 bytes: a longer vector that is read
    // from such pieces waits until they are in the cache.
    Lane lanes[kWide];
#pragma omp simd
    for (int64_t j = 0; j < kWide; ++j) lanes[j] = R::Combine(R::Init(), term(x[j]));
    for (int64_t i = 1; i < steps; ++i) Add<kWide>(x + i * kWide, term, lanes);
    return static_cast<Total>(Halve<kWide, Lane, R::Combine>(lanes));
  }

  // What blocks leave of a row, in totals side by side and then in fewer of them.
  template <int64_t kTotals, typename Term>
  static TFBUILD_ALWAYS_INLINE Total Rest(const T* x, int64_t count, Term term, Total total) {
    if (count >= kTotals) {
      Total totals[kTotals];
#pragma omp simd
      for (int64_t j = 0; j < kTotals; ++j) {
        totals[j] = R::Merge(static_cast<Total>(R::Init()), static_cast<Total>(term(x[j])));
      }
      for (x += kTotals, count -= kTotals; count >= kTotals; x += kTotals, count -= kTotals) {
#pragma omp simd
        for (int64_t j = 0; j < kTotals; ++j) {
          totals[j] = R::Merge(totals[j], static_cast<Total>(term(x[j])));
        }
      }
      total = R::Merge(total, Halve<kTotals, Total, R::Merge>(totals));
    }
    if constexpr (kTotals > 1) {
      return Rest<std::max<int64_t>(kTotals / 4, 1)>(x, count, term, total);
    }
    return total;
  }

  template <typename Term>
  static TFBUILD_ALWAYS_INLINE void Row(const T* x, int64_t count, Term term, Total* to) {
    Total total = *to;
    while (count >= kWide) {
      const int64_t steps = std::min(count / kWide, kReduceRows);
      total = R::Merge(total, Block(x, steps, term));
      x += steps * kWide;
      count -= steps * kWide;
    }
    *to = Rest<2 * kVectorBytes / sizeof(Total)>(x, count, term, total);
  }

  static TFBUILD_ALWAYS_INLINE void Columns(const T* x, const int64_t* offsets, int64_t rows,
                                            int64_t width, Total* totals) {
    Lane lanes[kReduceColumns];
    for (int64_t j = 0; j < width; ++j) lanes[j] = R::Init();
    for (int64_t r = 0; r < rows; ++r) {
      const T* row = x + offsets[r];
      int64_t j = 0;
      for (; j + kNarrow <= width; j += kNarrow) Add<kNarrow>(row + j, Itself(), lanes + j);
      for (; j < width; ++j) lanes[j] = R::Combine(lanes[j], Load(row[j]));
    }
    for (int64_t j = 0; j < width; ++j) {
      totals[j] = R::Merge(totals[j], static_cast<Total>(lanes[j]));
    }
  }
};

// Whether a reducer has loops over squares: Reducer::kTakesSquares says so.
template <typename R, typename = void>
constexpr bool kHasSquares = false;
template <typename R>
constexpr bool kHasSquares<R, std::void_t<decltype(R::kTakesSquares)>> = R::kTakesSquares;

template <template <typename> class Reducer, typename T>
struct ReduceCode {
  using R = Reducer<T>;
  using Total = typename R::Total;
  static_assert(sizeof(Total) <= sizeof(int64_t), "totals lie in words of 8 bytes");

  struct RowsLoop {
    template <int kVectorBytes>
    static TFBUILD_ALWAYS_INLINE void Run(const T* x, int64_t stride, int64_t rows, int64_t count,
                                          Total* to) {
      using Vectors = ReduceVectors<Reducer, T, kVectorBytes>;
      for (int64_t i = 0; i < rows; ++i) {
        Vectors::Row(x + i * stride, count, typename Vectors::Itself(), to + i);
      }
    }
  };
  struct SquaresLoop {
    template <int kVectorBytes>
    static TFBUILD_ALWAYS_INLINE void Run(const T* x, int64_t stride, int64_t rows, int64_t count,
                                          const T* less, int64_t less_stride, int32_t zero,
                                          Total* to) {
      using Vectors = ReduceVectors<Reducer, T, kVectorBytes>;
      for (int64_t i = 0; i < rows; ++i) {
        const typename Vectors::SquareOfDifference term{less[i * less_stride], zero};
        Vectors::Row(x + i * stride, count, term, to + i);
      }
    }
  };
  struct ColumnsLoop {
    template <int kVectorBytes>
    static TFBUILD_ALWAYS_INLINE void Run(const T* x, const int64_t* offsets, int64_t rows,
                                          int64_t width, Total* totals) {
      ReduceVectors<Reducer, T, kVectorBytes>::Columns(x, offsets, rows, width, totals);
    }
  };

  static void Init(void* to, int64_t count) {
    std::fill_n(static_cast<Total*>(to), count, static_cast<Total>(R::Init()));
  }

  // Reductions of small integers are rare, and their loops long in every machine code.
  static constexpr bool kOnce = std::is_integral<T>::value && sizeof(T) < 4;

  static void Rows(const void* from, int64_t stride, int64_t rows, int64_t count, void* to) {
    const T* x = static_cast<const T*>(from);
    Total* totals = static_cast<Total*>(to);
    if constexpr (kOnce) {
      RowsLoop::template Run<16>(x, stride, rows, count, totals);
    } else {
      RunVectorised<RowsLoop, T>(x, stride, rows, count, totals);
    }
  }

  static void Squares(const void* from, int64_t stride, int64_t rows, int64_t count,
                      const void* less, int64_t less_stride, void* to) {
    if constexpr (kHasSquares<R>) {
      static volatile int32_t zero = 0;
      RunVectorised<SquaresLoop, T>(static_cast<const T*>(from), stride, rows, count,
                                    static_cast<const T*>(less), less_stride, int32_t{zero},
                                    static_cast<Total*>(to));
    }
  }

  static void Columns(const void* from, const int64_t* offsets, int64_t rows, int64_t width,
                      void* to) {
    const T* x = static_cast<const T*>(from);
    Total* totals = static_cast<Total*>(to);
    if constexpr (kOnce) {
      ColumnsLoop::template Run<16>(x, offsets, rows, width, totals);
    } else {
      RunVectorised<ColumnsLoop, T>(x, offsets, rows, width, totals);
    }
  }

  static void Merge(const void* from, int64_t count, void* to) {
    const Total* other = static_cast<const Total*>(from);
    Total* totals = static_cast<Total*>(to);
    for (int64_t i = 0; i < count; ++i) totals[i] = R::Merge(totals[i], other[i]);
  }

  template <typename End>
  static void Finish(const void* from, int64_t count, int64_t reduced, void* to) {
    const Total* totals = static_cast<const Total*>(from);
    T* out = static_cast<T*>(to);
    for (int64_t i = 0; i < count; ++i) out[i] = End::Finish(totals[i], reduced);
  }

  template <typename End>
  static constexpr ReduceLoops kLoops{
      sizeof(Total), Init, Rows, kHasSquares<R> ? Squares : nullptr, Columns, Merge, Finish<End>};
};

// Reduces input 0 along the axes of input 1 into output 0.
Status ComputeReduction(OpKernelContext* context, bool keep_dims, const ReduceLoops& loops);

// What a reduction does to a row, for those who apply it between other loops (row_run.h).
class ReductionKernel : public OpKernel {
 public:
  virtual const ReduceLoops& loops() const = 0;
};

// The loops of a reduction of that type; null where the op is none.
const ReduceLoops* ReduceLoopsOf(const std::string& op, DType dtype);

// End::Finish makes the result, where not the reducer's own does.
template <template <typename> class Reducer, typename T, typename End = Reducer<T>>
class ReduceKernel final : public ReductionKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(keep_dims_, construction.Attr<bool>("keep_dims"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    return ComputeReduction(context, keep_dims_, loops());
  }
  const ReduceLoops& loops() const override {
    return ReduceCode<Reducer, T>::template kLoops<End>;
  }

 private:
  bool keep_dims_ = false;
};

// Sums and products: floats in their own type for a short while, then in double; integers in 64
// bits, cut down to the type at the end.
template <typename T>
using WideInteger = std::conditional_t<std::is_same<T, uint64_t>::value, uint64_t, int64_t>;
template <typename T>
using LaneOf = std::conditional_t<std::is_integral<ComputeTypeOf<T>>::value, WideInteger<T>,
                                  ComputeTypeOf<T>>;
template <typename T>
using TotalOf = std::conditional_t<std::is_integral<ComputeTypeOf<T>>::value, WideInteger<T>, double>;

}  // namespace tfbuild
