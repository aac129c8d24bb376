#pragma once

#include <cstdint>
#include <vector>

#include "kernels/framework/element_program.h"

namespace tfbuild {

// A program of elementwise ops and reductions of rows, over some rows at a time, which stay in cache
// from the first step to the last: a layer normalisation reads its input once. What a reduction
// gives, one element for each row, may go into further steps.
class RowRun {
 public:
  // Rows are the last dimension of `shape`, to which the inputs broadcast together.
  static Result<RowRun> Make(OpKernelContext* context, const ElementProgram& program,
                             const ElementInputs& inputs, const Shape& shape);

  // Whether the result has an element for each row, and not one for each of theirs.
  bool reduces() const { return result_ == Along::kRows; }
  // Computes all rows. `result` may be the memory of an input of the result's shape.
  void RunAll(void* result) const;

 private:
  // Along which sides of the matrix of all rows a value has different elements.
  enum class Along { kNeither, kRows, kColumns, kBoth };
  struct Value {
    const char* data;
    Along along;
  };
  // How a step is computed.
  enum class StepKind { kElsewhere, kReduced, kSquares, kProducts, kOnRows, kOnElements };
  struct Block {
    int64_t first;
    int64_t count;
    char* scratch;
  };

  Status Add(OpKernelContext* context, const Tensor& tensor, const Shape& shape);
  Status FindAlongs();
  void PlaceSteps();
  StepKind KindOf(size_t k) const;
  // Elements from what a row has of a value to what the next row has.
  int64_t StrideOf(const Value& value) const;
  Value At(const Value& value, int64_t row) const;
  void Run(int64_t begin, int64_t end, char* result) const;
  void RunBlock(const Block& block, const Block& next, char* result, Value* values) const;
  void RunProducts(const ElementProgram::Step* step, const Value* values, int64_t count,
                   char* to) const;
  // Whether the operand is the result of a step at that place.
  bool IsAt(int operand, int64_t place) const;
  void Prefetch(const Block& block) const;
  void Reduce(const ReduceLoops& loops, const Value& from, const Value* less, int64_t count,
              char* to) const;
  void RunOnRows(const ElementLoop& loop, const Value& left, const Value& right, int64_t count,
                 char* to) const;
  void RunOnElements(const ElementLoop& loop, const Value& left, const Value& right,
                     int64_t count, char* to) const;

  const ElementProgram* program_ = nullptr;
  std::vector<Value> inputs_;
  std::vector<Tensor> kept_;  // inputs in another form
  int64_t width_ = 0;         // elements of a row
  int64_t rows_ = 0;
  int64_t block_ = 1;  // rows at a time
  // Of each step: along what its result goes, where it lies in the scratch memory, and how it is
  // computed.
  std::vector<Along> along_;
  std::vector<int64_t> places_;
  std::vector<StepKind> kinds_;
  int64_t scratch_ = 0;  // bytes
  Along result_ = Along::kBoth;
};

}  // namespace tfbuild
