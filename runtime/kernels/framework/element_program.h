#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/shape_context.h"
#include "kernels/framework/element_formula.h"
#include "kernels/framework/element_inputs.h"
#include "kernels/framework/elementwise.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/reduce.h"

namespace tfbuild {

// Several elementwise ops in one loop: all of them are applied to a tile, which stays in the
// first-level cache, before the next tile is read. Their loops are those of their own kernels, or some
// steps are one loop (element_formula.h), so the result has the same bits. Reductions of rows may stand
// between them (row_run.h).

// The loop of an op from elements of that type to as many of the same; none where it is of another
// kind.
std::optional<ElementLoop> ElementLoopOf(const std::string& op, DType dtype);

class ElementProgram {
 public:
  // Whether a step may be a reduction, of one operand and along its last dimension.
  enum class Reductions { kNone, kOfRows };

  // Steps in their order; `operands` has two numbers for each: i is input i, inputs + k the result of
  // step k. The last step gives the result. InvalidArgument where that is no program.
  static Result<ElementProgram> Make(const std::vector<std::string>& ops,
                                     const std::vector<int64_t>& operands, int inputs,
                                     DType dtype, Reductions reductions = Reductions::kNone);
  // As the attributes "ops" and "operands" of the node say.
  static Result<ElementProgram> Read(const OpKernelConstruction& construction, int inputs,
                                     Reductions reductions = Reductions::kNone);

  int inputs() const { return inputs_; }
  int64_t size() const { return size_; }    // bytes of an element
  int64_t grain() const { return grain_; }  // elements that are worth a thread

 private:
  friend class ElementRun;
  friend class RowRun;
  struct Step {
    ElementLoop loop;
    const ReduceLoops* reduce;  // of a reduction, which has no loop; else null
    int left;
    int right;    // of one operand: left
    int scratch;  // the tile for its result; of the last step none
    int formula = -1;  // of which it is a step, or none
  };
  static Result<Step> MakeStep(const std::string& op, DType dtype, Reductions reductions);
  void PlaceTiles();

  std::vector<Step> steps_;
  std::vector<Formula> formulas_;
  int inputs_ = 0;
  int tiles_ = 0;  // that are needed at once
  int64_t size_ = 0;
  int64_t grain_ = 0;
};

// A program over certain tensors, which outlive it. `result`, of `shape`, may be the memory of one
// of them that has that shape.
class ElementRun {
 public:
  static Result<ElementRun> Make(OpKernelContext* context, const ElementProgram& program,
                                 const ElementInputs& inputs, const Shape& shape, void* result);

  // Computes the elements [begin, end) of the result. Any thread may.
  void Run(int64_t begin, int64_t end) const;
  // Computes all of them.
  void RunAll() const;

 private:
  // How an input goes along with the elements of the result.
  struct Input {
    const char* data = nullptr;
    int64_t repeats = 1;  // so many neighbours have the same element
    int64_t period = 0;   // elements after which it begins again; 0: never
    bool moves = true;    // false: one element for each run of `repeats`
  };
  struct Value {
    const char* data;
    bool moves;
  };
  Status Add(OpKernelContext* context, const Tensor& tensor, const Shape& shape);
  void ChooseFormulas();
  void ChooseTile();
  void RunFormula(const Formula& formula, const Value* values, int64_t count, char* to) const;
  bool RunStep(const ElementProgram::Step& step, const Value* values, int64_t count,
               char* to) const;
  Value At(const Input& input, int64_t at) const;
  int64_t TileFrom(int64_t at, int64_t end) const;
  void RunTile(int64_t at, int64_t count, char* scratch, Value* values) const;

  const ElementProgram* program_ = nullptr;
  std::array<Input, kMaxElementInputs> inputs_;
  int num_inputs_ = 0;
  uint64_t chosen_ = 0;       // the formulas, by bits, that are run as such
  int64_t tile_ = 0;          // elements that are computed at a time, at most
  std::vector<Tensor> kept_;  // inputs in another form
  int64_t count_ = 0;
  char* result_ = nullptr;
};

// What a kernel does behind its own result, which is the first input of the program; the others are
// the kernel's inputs from `first_arg` on.
class ElementEpilogue {
 public:
  // Output 0 has the shape that the kernel's result and the arguments broadcast to.
  static Status InferShape(ShapeContext* context, PartialShape result, int first_arg);

  Status Init(const OpKernelConstruction& construction, int first_arg);

  // Calls compute(result, then) for a result of that shape. Where `then` is not null, `compute` has
  // it run over each part of the result that is done, once.
  template <typename Compute>
  Status Run(OpKernelContext* context, const Shape& shape, const Compute& compute) const {
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    ElementInputs inputs;
    inputs.Add(*output);
    for (int i = first_arg_; i < context->num_inputs(); ++i) inputs.Add(context->input(i));
    ASSIGN_OR_RETURN(const Shape whole, BroadcastAll(inputs));
    if (whole == shape) {
      ASSIGN_OR_RETURN(const ElementRun run,
                       ElementRun::Make(context, program_, inputs, whole, output->raw()));
      return compute(output, &run);
    }
    Tensor alone = *output;
    RETURN_IF_ERROR(compute(&alone, nullptr));
    inputs.tensors[0] = &alone;
    ASSIGN_OR_RETURN(output, context->AllocateOutput(0, whole));
    ASSIGN_OR_RETURN(const ElementRun run,
                     ElementRun::Make(context, program_, inputs, whole, output->raw()));
    run.RunAll();
    return OkStatus();
  }

 private:
  ElementProgram program_;
  int first_arg_ = 0;
};

}  // namespace tfbuild
