#include "kernels/framework/row_run.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/parallel.h"

namespace tfbuild {
namespace {

constexpr int64_t kBlockElements = 4096;  // of the rows at a time: some such blocks fit in cache
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
  std::vector<size_t> last(steps.size());  // that reads the result of a step
  for (size_t k = 0; k < steps.size(); ++k) {
    last[k] = k;
    const auto see = [&](int operand) {
      const size_t value = static_cast<size_t>(operand);
      if (value < inputs) return inputs_[value].along;
      last[value - inputs] = k;
      return along_[value - inputs];
    };
    const Along left = see(steps[k].left);
    const Along right = see(steps[k].right);
    const auto crosses = [](Along along) {
      return along == Along::kColumns || along == Along::kBoth;
    };
    if (steps[k].reduce != nullptr && !crosses(left)) {
      return InvalidArgument("step ", k, " reduces what has one element for each row");
    }
    const bool full = steps[k].reduce == nullptr && (crosses(left) || crosses(right));
    along_.push_back(full ? Along::kBoth : Along::kRows);
  }
  result_ = along_.back();
  // Places of either size, each free again behind the last step that reads it.
  std::vector<int64_t> free[2];
  places_.resize(steps.size());
  for (size_t k = 0; k < steps.size(); ++k) {
    for (size_t done = 0; done < k; ++done) {
      if (last[done] == k) free[along_[done] == Along::kBoth].push_back(places_[done]);
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
  for (size_t k = 0; k < steps; ++k) {
    const ElementProgram::Step& step = program_->steps_[k];
    const Value& left = values[step.left];
    const Value& right = values[step.right];
    const int64_t width = result_ == Along::kBoth ? width_ : 1;
    char* const to = k + 1 == steps ? result + block.first * width * program_->size()
                                    : block.scratch + places_[k];
    if (step.reduce != nullptr) {
      Reduce(*step.reduce, left, block.count, to);
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
