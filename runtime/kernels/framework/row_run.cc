#include "kernels/framework/row_run.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/parallel.h"
#include "kernels/framework/row_joins.h"

namespace tfbuild {
namespace {

constexpr int64_t kBlockElements = 2048;  // of the rows at a time: some fit in first-level caches
constexpr int64_t kMaxBlock = 64;         // rows
constexpr int64_t kAlignment = 64;

int64_t Aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

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
  RETURN_IF_ERROR(run.FindAlongs());
  run.PlaceSteps();
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

// Along what each step's result goes.
Status RowRun::FindAlongs() {
  const auto& steps = program_->steps_;
  const size_t inputs = inputs_.size();
  const auto crosses = [&](int operand) {
    const size_t value = static_cast<size_t>(operand);
    const Along along = value < inputs ? inputs_[value].along : along_[value - inputs];
    return along == Along::kColumns || along == Along::kBoth;
  };
  for (size_t k = 0; k < steps.size(); ++k) {
    const bool whole = crosses(steps[k].left) || crosses(steps[k].right);
    if (steps[k].reduce != nullptr && !whole) {
      return InvalidArgument("step ", k, " reduces what has one element for each row");
    }
    along_.push_back(whole && steps[k].reduce == nullptr ? Along::kBoth : Along::kRows);
  }
  result_ = along_.back();
  return OkStatus();
}

void RowRun::PlaceSteps() {
  const auto& steps = program_->steps_;
  const size_t inputs = inputs_.size();
  std::vector<bool> whole, one_in_row;
  const auto add = [&](Along along) {
    whole.push_back(along == Along::kBoth);
    one_in_row.push_back(along == Along::kRows || along == Along::kNeither);
  };
  for (const Value& input : inputs_) add(input.along);
  for (const Along along : along_) add(along);
  const std::vector<size_t> computed_at = Joining(steps, whole, one_in_row).ComputedAt();
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
    if (computed_at[k] != k) {
      if (steps[computed_at[k]].reduce != nullptr) places_[k] = kInSum;
      continue;
    }
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
  for (size_t k = 0; k < steps.size(); ++k) kinds_.push_back(KindOf(k));
}

RowRun::StepKind RowRun::KindOf(size_t k) const {
  const ElementProgram::Step& step = program_->steps_[k];
  if (places_[k] < 0) return StepKind::kElsewhere;
  if (step.reduce != nullptr) {
    return IsAt(step.left, kInSum) ? StepKind::kSquares : StepKind::kReduced;
  }
  if (IsAt(step.left, kInProduct) || IsAt(step.right, kInProduct)) return StepKind::kProducts;
  return along_[k] == Along::kRows ? StepKind::kOnRows : StepKind::kOnElements;
}

int64_t RowRun::StrideOf(const Value& value) const {
  return value.along == Along::kBoth ? width_ : value.along == Along::kRows ? 1 : 0;
}

RowRun::Value RowRun::At(const Value& value, int64_t row) const {
  return {value.data + row * StrideOf(value) * program_->size(), value.along};
}

// Where `less` is not null, the squares of what differs from it.
void RowRun::Reduce(const ReduceLoops& loops, const Value& from, const Value* less, int64_t count,
                    char* to) const {
  int64_t totals[kMaxBlock];
  loops.init(totals, count);
  if (less != nullptr) {
    loops.squares(from.data, StrideOf(from), count, width_, less->data, StrideOf(*less), totals);
  } else {
    loops.rows(from.data, StrideOf(from), count, width_, totals);
  }
  loops.finish(totals, count, width_, to);
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

// (((a op b) * c) * d), of what was joined with the step; without a third product d is 1.
void RowRun::RunProducts(const ElementProgram::Step* step, const Value* values, int64_t count,
                         char* to) const {
  static constexpr float kOne = 1;
  Value factors[4];
  factors[3] = {reinterpret_cast<const char*>(&kOne), Along::kNeither};
  int first = 2;
  for (; IsAt(step->left, kInProduct) || IsAt(step->right, kInProduct); --first) {
    const bool left = IsAt(step->left, kInProduct);
    factors[first] = values[left ? step->right : step->left];
    const int joined = left ? step->left : step->right;
    step = &program_->steps_[static_cast<size_t>(joined) - inputs_.size()];
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
  const auto data = [](const Value& value) { return reinterpret_cast<const float*>(value.data); };
  const float *a = data(of), *b = data(by[0]), *c = data(by[1]), *d = data(by[2]);
  float* out = reinterpret_cast<float*>(to);
  if (together) return loop(a, b, c, d, out, count * width_);
  for (int64_t i = 0; i < count; ++i) {
    loop(a, b, c, d, out, width_);
    a += StrideOf(of);
    b += StrideOf(by[0]);
    c += StrideOf(by[1]);
    d += StrideOf(by[2]);
    out += width_;
  }
}

bool RowRun::IsAt(int operand, int64_t place) const {
  const int inputs = static_cast<int>(inputs_.size());
  return operand >= inputs && places_[static_cast<size_t>(operand - inputs)] == place;
}

// Asks for the inputs of rows that come next: processors look ahead within a page of memory only. Of
// long rows for the beginning, which leaves room in the first-level cache.
void RowRun::Prefetch(const Block& block) const {
  constexpr int64_t kLine = 64;
  constexpr int64_t kMost = 16384;
  const int64_t bytes = std::min(kMost, block.count * width_ * program_->size());
  for (const Value& input : inputs_) {
    if (input.along != Along::kBoth) continue;
    const char* const data = At(input, block.first).data;
    for (int64_t at = 0; at < bytes; at += kLine) __builtin_prefetch(data + at);
  }
}

void RowRun::RunBlock(const Block& block, const Block& next, char* result, Value* values) const {
  const size_t inputs = inputs_.size();
  for (size_t i = 0; i < inputs; ++i) values[i] = At(inputs_[i], block.first);
  const size_t steps = along_.size();
  bool asked = false;
  for (size_t k = 0; k < steps; ++k) {
    if (kinds_[k] == StepKind::kElsewhere) continue;
    const ElementProgram::Step& step = program_->steps_[k];
    const Value& left = values[step.left];
    const Value& right = values[step.right];
    const int64_t width = result_ == Along::kBoth ? width_ : 1;
    char* const to = k + 1 == steps ? result + block.first * width * program_->size()
                                    : block.scratch + places_[k];
    switch (kinds_[k]) {
      case StepKind::kSquares: {
        const auto& square = program_->steps_[static_cast<size_t>(step.left) - inputs];
        Reduce(*step.reduce, values[square.left], &values[square.right], block.count, to);
        break;
      }
      case StepKind::kReduced: Reduce(*step.reduce, left, nullptr, block.count, to); break;
      case StepKind::kProducts: RunProducts(&step, values, block.count, to); break;
      case StepKind::kOnRows: RunOnRows(step.loop, left, right, block.count, to); break;
      default: RunOnElements(step.loop, left, right, block.count, to);
    }
    values[inputs + k] = {to, along_[k]};
    if (!asked) Prefetch(next);  // what the first step read is here
    asked = true;
  }
}

void RowRun::Run(int64_t begin, int64_t end, char* result) const {
  const size_t bytes = static_cast<size_t>(scratch_ + kAlignment);
  const std::unique_ptr<char[]> memory(new char[bytes]);
  const int64_t off = static_cast<int64_t>(reinterpret_cast<uintptr_t>(memory.get()) % kAlignment);
  Value values[kMaxElementInputs + kMaxElementSteps];
  const auto block_at = [&](int64_t row) {
    return Block{row, std::clamp<int64_t>(end - row, 0, block_), memory.get() + kAlignment - off};
  };
  for (int64_t row = begin; row < end; row += block_) {
    RunBlock(block_at(row), block_at(row + block_), result, values);
  }
}

void RowRun::RunAll(void* result) const {
  const int64_t grain = program_->grain() / std::max<int64_t>(width_, 1) + 1;
  ParallelFor(rows_, grain, [this, result](int64_t begin, int64_t end) {
    Run(begin, end, static_cast<char*>(result));
  });
}

}  // namespace tfbuild
