#include "kernels/framework/element_program.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "kernels/framework/broadcast.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

constexpr int64_t kTile = 1024;        // elements
constexpr int64_t kLongTile = 16384;   // where nothing lies between steps, which are one loop
constexpr int64_t kShortRun = 128;     // shorter runs of one element are written out
constexpr int64_t kLeastGrain = 2048;

// Whether all arguments have the one type T.
bool HasOneType(const OpDef& op) {
  const auto is_t = [](const ArgDef& arg) {
    return arg.type_attr == "T" && !arg.is_run() && !arg.is_ref;
  };
  return op.outputs.size() == 1 && is_t(op.outputs[0]) &&
         std::all_of(op.inputs.begin(), op.inputs.end(), is_t);
}

int64_t LastDims(const Shape& shape, int from) {
  int64_t count = 1;
  for (int k = from; k < shape.rank(); ++k) count *= shape.dim(k);
  return count;
}

}  // namespace

std::optional<ElementLoop> ElementLoopOf(const std::string& op, DType dtype) {
  const Result<const OpDef*> def = OpRegistry::Global().Find(op);
  if (!def.ok() || dtype == DType::kString || !HasOneType(**def)) return std::nullopt;
  const std::unique_ptr<OpKernel> made = KernelRegistry::Global().MakeOnCpu(op, dtype);
  const auto* elementwise = dynamic_cast<const ElementwiseKernel*>(made.get());
  return elementwise == nullptr ? std::nullopt : std::optional<ElementLoop>(elementwise->loop());
}

Result<ElementProgram::Step> ElementProgram::MakeStep(const std::string& op, DType dtype,
                                                      Reductions reductions) {
  if (const std::optional<ElementLoop> loop = ElementLoopOf(op, dtype)) {
    return Step{*loop, nullptr, 0, 0, 0};
  }
  const ReduceLoops* reduce =
      reductions == Reductions::kNone ? nullptr : ReduceLoopsOf(op, dtype);
  if (reduce != nullptr) return Step{{nullptr, nullptr, kCheapGrain, false}, reduce, 0, 0, 0};
  return InvalidArgument("'", op, "' of ", DTypeName(dtype), " is not elementwise",
                         reductions == Reductions::kNone ? "" : " and no reduction");
}

Result<ElementProgram> ElementProgram::Make(const std::vector<std::string>& ops,
                                            const std::vector<int64_t>& operands, int inputs,
                                            DType dtype, Reductions reductions) {
  if (ops.empty() || inputs < 1 || operands.size() != 2 * ops.size()) {
    return InvalidArgument("a program of elementwise ops has inputs, ops, and two operands for each");
  }
  if (inputs > kMaxElementInputs || ops.size() > size_t{kMaxElementSteps}) {
    return InvalidArgument("a program of elementwise ops has at most ", kMaxElementInputs,
                           " inputs and ", kMaxElementSteps, " ops");
  }
  ElementProgram program;
  program.inputs_ = inputs;
  program.size_ = DTypeSize(dtype);
  double cost = 0;
  for (size_t k = 0; k < ops.size(); ++k) {
    ASSIGN_OR_RETURN(Step step, MakeStep(ops[k], dtype, reductions));
    const int64_t left = operands[2 * k];
    const int64_t right = operands[2 * k + 1];
    const auto known = [&](int64_t operand) {
      return operand >= 0 && operand < inputs + static_cast<int64_t>(k);
    };
    const bool fits = step.loop.binary != nullptr ? known(right) : right == kNoOperand;
    if (!known(left) || !fits) {
      return InvalidArgument("op ", k, " ('", ops[k], "') has wrong operands: ", left, ", ", right);
    }
    step.left = static_cast<int>(left);
    step.right = static_cast<int>(right == kNoOperand ? left : right);
    program.steps_.push_back(step);
    cost += 1.0 / static_cast<double>(step.loop.grain);
  }
  program.grain_ = std::max(kLeastGrain, static_cast<int64_t>(1 / cost));
  if (dtype == DType::kFloat && reductions == Reductions::kNone) {
    program.formulas_ = FindFormulas(ops, operands, inputs);
  }
  program.PlaceTiles();
  return program;
}

Result<ElementProgram> ElementProgram::Read(const OpKernelConstruction& construction, int inputs,
                                            Reductions reductions) {
  ASSIGN_OR_RETURN(const auto ops, construction.Attr<std::vector<std::string>>("ops"));
  ASSIGN_OR_RETURN(const auto operands, construction.Attr<std::vector<int64_t>>("operands"));
  ASSIGN_OR_RETURN(const DType dtype, construction.Attr<DType>("T"));
  return Make(ops, operands, inputs, dtype, reductions);
}

Status CheckElementProgram(const OpKernelConstruction& construction, int inputs) {
  return ElementProgram::Read(construction, inputs).status();
}

// A tile is free behind the last step that reads it: that one may write into it. Where steps are one
// loop, the last of them reads what all read.
void ElementProgram::PlaceTiles() {
  for (size_t i = 0; i < formulas_.size(); ++i) {
    for (const int step : formulas_[i].steps) {
      steps_[static_cast<size_t>(step)].formula = static_cast<int>(i);
    }
  }
  std::vector<size_t> last(steps_.size());
  for (size_t k = 0; k < steps_.size(); ++k) {
    last[k] = k;
    const int formula = steps_[k].formula;
    const size_t read = formula < 0 ? k
                                    : static_cast<size_t>(
                                          formulas_[static_cast<size_t>(formula)].steps.back());
    for (const int operand : {steps_[k].left, steps_[k].right}) {
      if (operand < inputs_) continue;
      size_t& reader = last[static_cast<size_t>(operand - inputs_)];
      reader = std::max(reader, read);
    }
  }
  std::vector<int> free;
  for (size_t k = 0; k < steps_.size(); ++k) {
    for (size_t done = 0; done < k; ++done) {
      if (last[done] == k) free.push_back(steps_[done].scratch);
    }
    if (free.empty()) free.push_back(tiles_++);
    steps_[k].scratch = free.back();
    free.pop_back();
    if (last[k] == k) free.push_back(steps_[k].scratch);  // nobody reads it
  }
}

Result<Shape> BroadcastAll(const ElementInputs& inputs) {
  Shape shape = inputs[0].shape();
  for (int i = 1; i < inputs.count; ++i) {
    const Shape& other = inputs[i].shape();
    if (other == shape || other.rank() == 0) continue;
    ASSIGN_OR_RETURN(BroadcastPlan plan, PlanBroadcast({&shape, &other}));
    shape = std::move(plan.output);
  }
  return shape;
}

std::optional<Stretch> StretchOf(const Shape& from, const Shape& to) {
  // Leading dimensions of 1 count for nothing; behind them dimensions agree up to `last`, or from
  // there on.
  if (from.num_elements() == 1) return Stretch{to.num_elements(), to.num_elements()};
  const int shift = to.rank() - from.rank();
  const auto dim = [&](int k) { return k < shift ? 1 : from.dim(k - shift); };
  int first = 0;
  while (first < to.rank() && dim(first) == 1) ++first;
  int last = to.rank();
  while (last > first && dim(last - 1) == 1) --last;
  for (int k = first; k < last; ++k) {
    if (dim(k) != to.dim(k)) return std::nullopt;
  }
  const int64_t behind = LastDims(to, last);
  return Stretch{from.num_elements() * behind, behind};
}

Result<Tensor*> ForwardOneOf(OpKernelContext* context, const ElementInputs& inputs,
                             const Shape& shape) {
  const auto candidate = [&](int i) { return std::min(i, inputs.count - 1); };
  return context->ForwardOrAllocateOutput({0, candidate(1), candidate(2), candidate(3)}, 0, shape);
}

Result<Tensor> WriteOut(OpKernelContext* context, const Tensor& tensor, const Shape& shape) {
  ASSIGN_OR_RETURN(Tensor whole, context->AllocateTemp(tensor.dtype(), shape));
  const int shift = shape.rank() - tensor.rank();
  const auto dim = [&](int k) { return k < shift ? 1 : tensor.dim(k - shift); };
  int64_t stride = 1;
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()));
  for (int k = shape.rank() - 1; k >= 0; stride *= dim(k--)) {
    strides[static_cast<size_t>(k)] = dim(k) == 1 ? 0 : stride;
  }
  const std::vector<int64_t> dense = DenseStrides(shape.dims());
  StridedCopy copy;
  for (int k = 0; k < shape.rank(); ++k) {
    copy.AddDim(shape.dim(k), strides[static_cast<size_t>(k)], dense[static_cast<size_t>(k)]);
  }
  RETURN_IF_ERROR(RunStridedCopy(context, copy, tensor, &whole));
  return whole;
}

Result<Tensor> WriteOften(OpKernelContext* context, const Tensor& tensor, int64_t count) {
  const int64_t length = count + tensor.num_elements();
  ASSIGN_OR_RETURN(Tensor often, context->AllocateTemp(tensor.dtype(), Shape{length}));
  const int64_t period = tensor.num_elements() * DTypeSize(tensor.dtype());
  const int64_t all = length * DTypeSize(tensor.dtype());
  char* const to = often.mutable_data<char>();
  for (int64_t at = 0; at < all; at += period) {
    std::memcpy(to + at, tensor.data<char>(), static_cast<size_t>(std::min(period, all - at)));
  }
  return often;
}

Result<ElementRun> ElementRun::Make(OpKernelContext* context, const ElementProgram& program,
                                    const ElementInputs& inputs, const Shape& shape,
                                    void* result) {
  ElementRun run;
  run.program_ = &program;
  run.count_ = shape.num_elements();
  run.result_ = static_cast<char*>(result);
  if (run.count_ == 0) return run;
  for (int i = 0; i < inputs.count; ++i) RETURN_IF_ERROR(run.Add(context, inputs[i], shape));
  run.ChooseFormulas();
  run.ChooseTile();
  return run;
}

// A single loop needs no tile that stays in cache: longer ones are fewer calls. What was written out for
// tiles must be.
void ElementRun::ChooseTile() {
  const bool one_loop = program_->formulas_.size() == 1 && chosen_ == 1 &&
                        program_->formulas_[0].steps.size() == program_->steps_.size();
  bool written_out = false;
  for (int i = 0; i < num_inputs_; ++i) {
    const Input& input = inputs_[static_cast<size_t>(i)];
    written_out = written_out || (input.period > 0 && input.period < kTile);
  }
  tile_ = one_loop && !written_out ? kLongTile : kTile;
}

// Where a function's argument is one number, so is its result: then its steps are run alone.
void ElementRun::ChooseFormulas() {
  if (program_->formulas_.empty()) return;
  std::vector<bool> moves;
  for (int i = 0; i < num_inputs_; ++i) moves.push_back(inputs_[static_cast<size_t>(i)].moves);
  for (const ElementProgram::Step& step : program_->steps_) {
    moves.push_back(moves[static_cast<size_t>(step.left)] ||
                    moves[static_cast<size_t>(step.right)]);
  }
  for (size_t i = 0; i < program_->formulas_.size(); ++i) {
    for (int place = kFormulaX; place <= kFormulaC; ++place) {
      const int value = program_->formulas_[i].values[static_cast<size_t>(place)];
      if (value != Formula::kNone && moves[static_cast<size_t>(value)]) chosen_ |= uint64_t{1} << i;
    }
  }
}

Status ElementRun::Add(OpKernelContext* context, const Tensor& tensor, const Shape& shape) {
  Input input;
  input.data = tensor.data<char>();
  const std::optional<Stretch> stretch = StretchOf(tensor.shape(), shape);
  if (tensor.num_elements() == 1) {
    input.moves = false;
    input.repeats = count_;
  } else if (stretch && stretch->repeats == 1) {
    input.period = stretch->period == count_ ? 0 : stretch->period;
  } else if (stretch && stretch->repeats >= kShortRun && stretch->period == count_) {
    input.moves = false;
    input.repeats = stretch->repeats;
  } else {  // written out
    ASSIGN_OR_RETURN(Tensor whole, WriteOut(context, tensor, shape));
    input.data = whole.data<char>();
    kept_.push_back(std::move(whole));
  }
  // A short period is written often enough that a tile can begin anywhere in the first.
  if (input.period > 0 && input.period < kTile) {
    ASSIGN_OR_RETURN(Tensor often, WriteOften(context, tensor, std::min(kTile, count_)));
    input.data = often.data<char>();
    kept_.push_back(std::move(often));
  }
  inputs_[static_cast<size_t>(num_inputs_++)] = input;
  return OkStatus();
}

ElementRun::Value ElementRun::At(const Input& input, int64_t at) const {
  int64_t place = at;
  if (input.period > 0) place = at % input.period;
  if (!input.moves) place = input.repeats == count_ ? 0 : at / input.repeats;
  return {input.data + place * program_->size(), input.moves};
}

// The end of a tile that begins there: within one run of each input.
int64_t ElementRun::TileFrom(int64_t at, int64_t end) const {
  int64_t length = std::min(tile_, end - at);
  for (int i = 0; i < num_inputs_; ++i) {
    const Input& input = inputs_[static_cast<size_t>(i)];
    if (!input.moves && input.repeats < count_) {
      length = std::min(length, input.repeats - at % input.repeats);
    }
    if (input.period >= kTile) length = std::min(length, input.period - at % input.period);
  }
  return at + length;
}

void ElementRun::RunFormula(const Formula& formula, const Value* values, int64_t count,
                            char* to) const {
  FormulaOperands operands;
  for (size_t place = 0; place < operands.size(); ++place) {
    if (formula.values[place] == Formula::kNone) continue;
    const Value& value = values[formula.values[place]];
    operands[place] = {reinterpret_cast<const float*>(value.data), value.moves};
  }
  formula.Run(operands, reinterpret_cast<float*>(to), count);
}

// Whether the result is more than a single element, which is what comes from single ones.
bool ElementRun::RunStep(const ElementProgram::Step& step, const Value* values, int64_t count,
                         char* to) const {
  const Value& left = values[step.left];
  const Value& right = values[step.right];
  const bool moves = left.moves || right.moves;
  if (step.loop.unary != nullptr) {
    step.loop.unary(left.data, to, moves ? count : 1);
  } else {
    step.loop.binary(left.data, right.data, to, moves ? count : 1,
                     left.moves == right.moves ? Operands::kBoth
                     : left.moves              ? Operands::kOnlyLeft
                                               : Operands::kOnlyRight);
  }
  return moves;
}

void ElementRun::RunTile(int64_t at, int64_t count, char* scratch, Value* values) const {
  const int64_t size = program_->size();
  const int inputs = program_->inputs_;
  for (int i = 0; i < inputs; ++i) values[i] = At(inputs_[static_cast<size_t>(i)], at);
  char* const result = result_ + at * size;
  const int steps = static_cast<int>(program_->steps_.size());
  for (int k = 0; k < steps; ++k) {
    const ElementProgram::Step& step = program_->steps_[static_cast<size_t>(k)];
    char* const to = k + 1 == steps ? result : scratch + step.scratch * kTile * size;
    if (step.formula < 0 || (chosen_ >> step.formula & 1) == 0) {
      values[inputs + k] = {to, RunStep(step, values, count, to)};
      continue;
    }
    const Formula& formula = program_->formulas_[static_cast<size_t>(step.formula)];
    if (k != formula.steps.back()) continue;
    RunFormula(formula, values, count, to);
    values[inputs + k] = {to, true};
  }
  if (values[inputs + steps - 1].moves) return;
  for (int64_t i = 1; i < count; ++i) {
    std::memcpy(result + i * size, result, static_cast<size_t>(size));
  }
}

void ElementRun::Run(int64_t begin, int64_t end) const {
  constexpr int64_t kStackBytes = 4 * kTile * int64_t{sizeof(float)};
  alignas(64) char on_stack[kStackBytes];
  const int64_t bytes = program_->tiles_ * kTile * program_->size();
  std::unique_ptr<char[]> more(bytes > kStackBytes ? new char[static_cast<size_t>(bytes)] : nullptr);
  Value values[kMaxElementInputs + kMaxElementSteps];
  while (begin < end) {
    const int64_t tile_end = TileFrom(begin, end);
    RunTile(begin, tile_end - begin, more ? more.get() : on_stack, values);
    begin = tile_end;
  }
}

void ElementRun::RunAll() const {
  ParallelFor(count_, program_->grain(),
              [this](int64_t begin, int64_t end) { Run(begin, end); });
}

Status ElementEpilogue::InferShape(ShapeContext* context, PartialShape result, int first_arg) {
  for (int i = first_arg; i < context->num_inputs(); ++i) {
    ASSIGN_OR_RETURN(result, BroadcastShapes(result, context->input(i)));
  }
  context->set_output(0, std::move(result));
  return OkStatus();
}

Status ElementEpilogue::Init(const OpKernelConstruction& construction, int first_arg) {
  first_arg_ = first_arg;
  const int args = static_cast<int>(construction.node.inputs().size()) - first_arg;
  ASSIGN_OR_RETURN(program_, ElementProgram::Read(construction, args + 1));
  return OkStatus();
}

}  // namespace tfbuild
