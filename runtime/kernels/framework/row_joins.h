#pragma once

#include <cstdint>
#include <vector>

#include "kernels/framework/elementwise.h"
#include "kernels/framework/reduce.h"
#include "kernels/framework/vector_target.h"

namespace tfbuild {

// Normalisations end in (x - mean) * factor * scale: of float such products are one loop. What is
// multiplied is a sum, a difference or a product before, so no rounding is left out.
inline constexpr int64_t kInProduct = -1;  // the place of a step that is computed with who reads it
inline constexpr int64_t kInSum = -2;      // the same of squares that are added up

template <typename F, bool kOneB, bool kOneC, bool kOneD>
struct ProductsLoop {
  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const float* a, const float* b, const float* c,
                                        const float* d, float* out, int64_t count) {
    const float one_b = *b;
    const float one_c = *c;
    const float one_d = *d;
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      const float product = F::Apply(a[i], kOneB ? one_b : b[i]) * (kOneC ? one_c : c[i]);
      out[i] = product * (kOneD ? one_d : d[i]);
    }
  }
};

using Products = void (*)(const float*, const float*, const float*, const float*, float*, int64_t);

template <typename F, bool kOneB, bool kOneC, bool kOneD>
void RunProducts(const float* a, const float* b, const float* c, const float* d, float* out,
                 int64_t count) {
  RunVectorised<ProductsLoop<F, kOneB, kOneC, kOneD>>(a, b, c, d, out, count);
}

// By which of b, c and d are one number.
template <typename F>
Products ProductsOf(int ones) {
  static constexpr Products kLoops[] = {
      RunProducts<F, false, false, false>, RunProducts<F, true, false, false>,
      RunProducts<F, false, true, false>,  RunProducts<F, true, true, false>,
      RunProducts<F, false, false, true>,  RunProducts<F, true, false, true>,
      RunProducts<F, false, true, true>,   RunProducts<F, true, true, true>};
  return kLoops[ones];
}

inline bool IsProduct(BinaryLoop loop) { return loop == &RunBinary<functor::Mul, float>; }

inline bool BeginsProducts(BinaryLoop loop) {
  return IsProduct(loop) || loop == &RunBinary<functor::Sub, float> ||
         loop == &RunBinary<functor::Add, float>;
}

inline Products ProductsBehind(BinaryLoop first, int ones) {
  if (first == &RunBinary<functor::Sub, float>) return ProductsOf<functor::Sub>(ones);
  if (first == &RunBinary<functor::Add, float>) return ProductsOf<functor::Add>(ones);
  return ProductsOf<functor::Mul>(ones);
}

// For each step the one at which it is computed: what a product multiplies is computed with it where
// nobody else reads that, and once more the same for what that multiplies. Squares are computed where
// they are added up. Of all values, inputs first, `whole` says whether they have all elements of the
// rows, and `one_in_row` whether all of a row are the same.
template <typename Steps>
class Joining {
 public:
  Joining(const Steps& steps, const std::vector<bool>& whole, const std::vector<bool>& one_in_row)
      : steps_(steps),
        inputs_(whole.size() - steps.size()),
        whole_(whole),
        one_in_row_(one_in_row),
        readers_(whole.size()) {
    for (const auto& step : steps) {
      ++readers_[static_cast<size_t>(step.left)];
      // A step of one operand has it on both sides.
      if (step.loop.binary != nullptr) ++readers_[static_cast<size_t>(step.right)];
    }
  }

  std::vector<size_t> ComputedAt() const {
    std::vector<size_t> computed_at(steps_.size());
    for (size_t k = 0; k < steps_.size(); ++k) computed_at[k] = k;
    for (size_t k = steps_.size(); k-- > 0;) {
      if (computed_at[k] != k) continue;
      if (AddsSquares(k)) {
        computed_at[static_cast<size_t>(steps_[k].left) - inputs_] = k;
      } else if (IsProduct(steps_[k].loop.binary)) {
        const size_t second = Joined(k);
        const size_t first = IsProduct(steps_[second].loop.binary) ? Joined(second) : second;
        computed_at[second] = computed_at[first] = k;
      }
    }
    return computed_at;
  }

 private:
  // Whether the value is a step's that has all elements, and one step alone reads it.
  bool IsReadOnce(size_t value) const {
    return value >= inputs_ && readers_[value] == 1 && whole_[value];
  }

  // Whether the step reduces the squares of what differs from one number for each row.
  bool AddsSquares(size_t reduction) const {
    const size_t value = static_cast<size_t>(steps_[reduction].left);
    if (steps_[reduction].reduce == nullptr || steps_[reduction].reduce->squares == nullptr ||
        !IsReadOnce(value)) {
      return false;
    }
    const auto& step = steps_[value - inputs_];
    return step.loop.binary == &RunBinary<functor::SquaredDifference, float> &&
           whole_[static_cast<size_t>(step.left)] && one_in_row_[static_cast<size_t>(step.right)];
  }

  size_t Joined(size_t product) const {
    for (const int operand : {steps_[product].left, steps_[product].right}) {
      const size_t value = static_cast<size_t>(operand);
      if (!IsReadOnce(value)) continue;
      const auto& step = steps_[value - inputs_];
      if (BeginsProducts(step.loop.binary) && whole_[static_cast<size_t>(step.left)]) {
        return value - inputs_;
      }
    }
    return product;
  }

  const Steps& steps_;
  size_t inputs_;
  const std::vector<bool>& whole_;
  const std::vector<bool>& one_in_row_;
  std::vector<int> readers_;
};

}  // namespace tfbuild
