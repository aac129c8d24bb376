#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/status.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {

// What a program of elementwise ops (element_program.h) reads and writes, on any device.

// The second operand of an op that has one alone.
constexpr int64_t kNoOperand = -1;

// Longer programs are not taken: what a call needs lies on the stack.
constexpr int kMaxElementInputs = 16;
constexpr int kMaxElementSteps = 64;

// Whether the attributes "ops" and "operands" of the node are a program: ElementProgram::Read.
Status CheckElementProgram(const OpKernelConstruction& construction, int inputs);

// The inputs of a program.
struct ElementInputs {
  std::array<const Tensor*, kMaxElementInputs> tensors;
  int count = 0;
  void Add(const Tensor& tensor) { tensors[static_cast<size_t>(count++)] = &tensor; }
  const Tensor& operator[](int i) const { return *tensors[static_cast<size_t>(i)]; }
};

// The shape that all of them broadcast to together.
Result<Shape> BroadcastAll(const ElementInputs& inputs);
// How elements lie along those of a shape that they are broadcast to: element i of that is element
// (i % period) / repeats.
struct Stretch {
  int64_t period;
  int64_t repeats;
};
// None where it is not as simple: dimensions between others are stretched.
std::optional<Stretch> StretchOf(const Shape& from, const Shape& to);
// Output 0, in the memory of one of the first inputs where one has the shape and is not needed again.
Result<Tensor*> ForwardOneOf(OpKernelContext* context, const ElementInputs& inputs,
                             const Shape& shape);
// The tensor broadcast to that shape, in memory of its own.
Result<Tensor> WriteOut(OpKernelContext* context, const Tensor& tensor, const Shape& shape);
// The tensor's elements again and again: `count` of them, and once more, so that a run of `count` can begin
// at any of them.
Result<Tensor> WriteOften(OpKernelContext* context, const Tensor& tensor, int64_t count);

}  // namespace tfbuild
