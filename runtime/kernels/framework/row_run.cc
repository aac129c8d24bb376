#include "kernels/framework/row_run.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/parallel.h"

namespace tfbuild {
namespace {

constexpr int64_t kBlockElements = 1024;  // of the rows at a time: some fit in first-level caches
constexpr int64_t kMaxBlock = 64;         // rows
constexpr int64_t kAlignment = 64;

int64_t Aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Normalisations end in (x - mean) * factor * scale: of float such products are one loop. What is
// multiplied is a sum, a difference or a product before, so no rounding is left out.
constexpr int64_t kInProduct = -1;  // the place of a step that is computed with who reads it

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

bool IsProduct(BinaryLoop loop) { return loop == &RunBinary<functor::Mul, float>; }

bool BeginsProducts(BinaryLoop loop) {
  return IsProduct(loop) || loop == &RunBinary<functor::Sub, float> ||
         loop == &RunBinary<functor::Add, float>;
}

Products ProductsBehind(BinaryLoop first, int ones) {
  if (first == &RunBinary<functor::Sub, float>) return ProductsOf<functor::Sub>(ones);
  if (first == &RunBinary<functor::Add, float>) return ProductsOf<functor::Add>(ones);
  return ProductsOf<functor::Mul>(ones);
}

// For each step the one at which it is computed: what a product multiplies is computed with it where
// nobody else reads that, and once more the same for what that multiplies. `whole` tells of all
// values, inputs first, whether they have all elements of the rows.
template <typename Steps>
std::vector<size_t> JoinProducts(const Steps& steps, size_t inputs, const std::vector<bool>& whole) {
  std::vector<size_t> computed_at(steps.size());
  std::vector<int> readers(inputs + steps.size());
  for (size_t k = 0; k < steps.size(); ++k) {
    computed_at[k] = k;
    ++readers[static_cast<size_t>(steps[k].left)];
    // A step of one operand has it on both sides.
    if (steps[k].loop.binary != nullptr) ++readers[static_cast<size_t>(steps[k].right)];
  }
  const auto joined = [&](size_t product) {
    for (const int operand : {steps[product].left, steps[product].right}) {
      const size_t value = static_cast<size_t>(operand);
      if (value < inputs || readers[value] != 1 || !whole[value]) continue;
      const auto& step = steps[value - inputs];
      if (BeginsProducts(step.loop.binary) && whole[static_cast<size_t>(step.left)]) {
        return value - inputs;
      }
    }
    return product;
  };
  for (size_t k = steps.size(); k-- > 0;) {
    if (computed_at[k] != k || !IsProduct(steps[k].loop.binary)) continue;
    const size_t second = joined(k);
    const size_t first = IsProduct(steps[second].loop.binary) ? joined(second) : second;
    computed_at[second] = computed_at[first] = k;
  }
  return computed_at;
}

}  // namespace

Result<RowRun> RowRun::Make(OpKernelContext* context, const ElementProgram& program,
                            const ElementInputs& inputs, const Shape& shape) {
  if (shape.rank() == 0) return InvalidArgument("scalars have no rows");
  RowRun run;
  run.program_ = &program;
  run.width_ = shape.dim(shape.rank() - 1);
  run.rows_ = run.width_ == 0 ? 0 : shape.num_elements() / run.width_;
  run.block_ = std::clamp<int64_t>(kBlockElements / std::max<int64_t>(run.width_, 1), 1, kMaxBlock);
  for (int i = 0; i < inputs.count; ++i) RETURN_IF_ERROR(run.Add(context, inputs[i], shape));
  RETURN_IF_ERROR(run.PlaceSteps());
  return run;
}

Status RowRun::Add(OpKernelContext* context, const Tensor& tensor, const Shape& shape) {
  const int64_t last = tensor.rank() == 0 ? 1 : tensor.dim(tensor.rank() - 1);
  const int64_t rows = last == 0 ? 0 : tensor.num_elements() / last;
  const bool columns = last != 1;
  if (rows == 1) {
    inputs_.push_back({tensor.data<char>(), columns ? Along::kColumns : Along::kNeither});
    return OkStatus();
  }
  const Along along = columns ? Along::kBoth : Along::kRows;
  if (rows == rows_) {
    inputs_.push_back({tensor.data<char>(), along});
    return OkStatus();
  }
  std::vector<int64_t> dims = shape.dims();
  dims.back() = last;
  ASSIGN_OR_RETURN(const Shape whole, Shape::Make(dims));
  ASSIGN_OR_RETURN(Tensor written, WriteOut(context, tensor, whole));
  inputs_.push_back({written.data<char>(), along});
  kept_.push_back(std::move(written));
  return OkStatus();
}

Status RowRun::PlaceSteps() {
  const auto& steps = program_->steps_;
  const size_t inputs = inputs_.size();
  std::vector<bool> whole;  // values that have all elements
  for (const Value& input : inputs_) whole.push_back(input.along == Along::kBoth);
  for (size_t k = 0; k < steps.size(); ++k) {
    const auto see = [&](int operand) {
      const size_t value = static_cast<size_t>(operand);
      return value < inputs ? inputs_[value].along : along_[value - inputs];
    };
    const Along left = see(steps[k].left);
    const Along right = see(steps[k].right);
    const auto crosses = [](Along along) {
      return along == Along::kColumns || along == Along::kBoth;
    };
    if (steps[k].reduce != nullptr && !crosses(left)) {
      return InvalidArgument("step ", k, " reduces what has one element for each row");
    }
    whole.push_back(steps[k].reduce == nullptr && (crosses(left) || crosses(right)));
    along_.push_back(whole.back() ? Along::kBoth : Along::kRows);
  }
  result_ = along_.back();
  const std::vector<size_t> computed_at = JoinProducts(steps, inputs, whole);
  std::vector<size_t> last(steps.size());  // where the result of a step is read last
  for (size_t k = 0; k < steps.size(); ++k) {
    last[k] = k;
    for (const int operand : {steps[k].left, steps[k].right}) {
      if (operand < static_cast<int>(inputs)) continue;
      size_t& read = last[static_cast<size_t>(operand) - inputs];
      read = std::max(read, computed_at[k]);
    }
  }
  // Places of either size, each free again behind the last step that reads it.
  std::vector<int64_t> free[2];
  places_.assign(steps.size(), kInProduct);
  for (size_t k = 0; k < steps.size(); ++k) {
    if (computed_at[k] != k) continue;
    for (size_t done = 0; done < k; ++done) {
      if (last[done] != k || computed_at[done] != done) continue;
      free[along_[done] == Along::kBoth].push_back(places_[done]);
    }
    const bool full = along_[k] == Along::kBoth;
    if (free[full].empty()) {
      free[full].push_back(scratch_);
      scratch_ += Aligned(block_ * (full ? width_ : 1) * program_->size());
    }
    places_[k] = free[full].back();
    free[full].pop_back();
  }
  return OkStatus();
}

RowRun::Value RowRun::At(const Value& value, int64_t row) const {
  const int64_t elements = value.along == Along::kBoth   ? row * width_
                           : value.along == Along::kRows ? row
                                                         : 0;
  return {value.data + elements * program_->size(), value.along};
}

void RowRun::Reduce(const ReduceLoops& loops, const Value& from, int64_t count, char* to) const {
  for (int64_t i = 0; i < count; ++i) {
    int64_t total;
    loops.init(&total, 1);
    loops.row(At(from, i).data, width_, &total);
    loops.finish(&total, 1, width_, to + i * program_->size());
  }
}

// One element for each row.
void RowRun::RunOnRows(const ElementLoop& loop, const Value& left, const Value& right,
                       int64_t count, char* to) const {
  const bool left_moves = left.along == Along::kRows;
  const bool right_moves = right.along == Along::kRows;
  const int64_t computed = left_moves || right_moves ? count : 1;
  if (loop.unary != nullptr) {
    loop.unary(left.data, to, computed);
  } else {
    loop.binary(left.data, right.data, to, computed,
                left_moves == right_moves ? Operands::kBoth
                : left_moves              ? Operands::kOnlyLeft
                                          : Operands::kOnlyRight);
  }
  const int64_t size = program_->size();
  for (int64_t i = computed; i < count; ++i) {
    std::memcpy(to + i * size, to, static_cast<size_t>(size));
  }
}

void RowRun::RunOnElements(const ElementLoop& loop, const Value& left, const Value& right,
                           int64_t count, char* to) const {
  // All rows are one where operands are alike from row to row.
  const auto is_even = [](const Value& value) {
    return value.along == Along::kBoth || value.along == Along::kNeither;
  };
  const bool together = is_even(left) && is_even(right);
  const int64_t length = together ? count * width_ : width_;
  const auto moves = [](const Value& value) {
    return value.along == Along::kBoth || value.along == Along::kColumns;
  };
  const Operands operands = moves(left) == moves(right) ? Operands::kBoth
                            : moves(left)               ? Operands::kOnlyLeft
                                                        : Operands::kOnlyRight;
  for (int64_t i = 0; i < (together ? 1 : count); ++i) {
    char* const row = to + i * width_ * program_->size();
    if (loop.unary != nullptr) {
      loop.unary(At(left, i).data, row, length);
    } else {
      loop.binary(At(left, i).data, At(right, i).data, row, length, operands);
    }
  }
}

void RowRun::RunBlock(const Block& block, char* result, Value* values) const {
  const size_t inputs = inputs_.size();
  for (size_t i = 0; i < inputs; ++i) values[i] = At(inputs_[i], block.first);
  const size_t steps = along_.size();
  const auto is_joined = [&](int operand) {
    return operand >= static_cast<int>(inputs) &&
           places_[static_cast<size_t>(operand) - inputs] == kInProduct;
  };
  // (((a op b) * c) * d), of what was joined; without a third product d is 1.
  const auto run_products = [&](const ElementProgram::Step* step, char* to) {
    static constexpr float kOne = 1;
    Value factors[4];
    factors[3] = {reinterpret_cast<const char*>(&kOne), Along::kNeither};
    int first = 2;
    for (; is_joined(step->left) || is_joined(step->right); --first) {
      const bool left = is_joined(step->left);
      factors[first] = values[left ? step->right : step->left];
      step = &program_->steps_[static_cast<size_t>(left ? step->left : step->right) - inputs];
    }
    factors[first] = values[step->right];
    const Value& of = values[step->left];
    const Value* const by = factors + first;
    int ones = 0;
    bool together = true;  // all rows are one where operands are alike from row to row
    for (int i = 0; i < 3; ++i) {
      const bool one = by[i].along == Along::kRows || by[i].along == Along::kNeither;
      ones |= one ? 1 << i : 0;
      together = together && (by[i].along == Along::kBoth || by[i].along == Along::kNeither);
    }
    const Products loop = ProductsBehind(step->loop.binary, ones);
    const auto data = [&](const Value& value, int64_t row) {
      return reinterpret_cast<const float*>(At(value, row).data);
    };
    for (int64_t i = 0; i < (together ? 1 : block.count); ++i) {
      loop(data(of, i), data(by[0], i), data(by[1], i), data(by[2], i),
           reinterpret_cast<float*>(to) + i * width_, together ? block.count * width_ : width_);
    }
  };
  for (size_t k = 0; k < steps; ++k) {
    if (places_[k] == kInProduct) continue;
    const ElementProgram::Step& step = program_->steps_[k];
    const Value& left = values[step.left];
    const Value& right = values[step.right];
    const int64_t width = result_ == Along::kBoth ? width_ : 1;
    char* const to = k + 1 == steps ? result + block.first * width * program_->size()
                                    : block.scratch + places_[k];
    if (step.reduce != nullptr) {
      Reduce(*step.reduce, left, block.count, to);
    } else if (is_joined(step.left) || is_joined(step.right)) {
      run_products(&step, to);
    } else if (along_[k] == Along::kRows) {
      RunOnRows(step.loop, left, right, block.count, to);
    } else {
      RunOnElements(step.loop, left, right, block.count, to);
    }
    values[inputs + k] = {to, along_[k]};
  }
}

void RowRun::Run(int64_t begin, int64_t end, char* result) const {
  const size_t bytes = static_cast<size_t>(scratch_ + kAlignment);
  const std::unique_ptr<char[]> memory(new char[bytes]);
  const int64_t off = static_cast<int64_t>(reinterpret_cast<uintptr_t>(memory.get()) % kAlignment);
  Value values[kMaxElementInputs + kMaxElementSteps];
  for (int64_t row = begin; row < end; row += block_) {
    RunBlock({row, std::min(block_, end - row), memory.get() + kAlignment - off}, result, values);
  }
}

void RowRun::RunAll(void* result) const {
  const int64_t grain = program_->grain() / std::max<int64_t>(width_, 1) + 1;
  ParallelFor(rows_, grain, [this, result](int64_t begin, int64_t end) {
    Run(begin, end, static_cast<char*>(result));
  });
}

}  // namespace tfbuild
