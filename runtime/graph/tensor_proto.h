#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace tfbuild {

// TensorFlow's TensorShapeProto and TensorProto messages (tensor_shape.proto, tensor.proto).
Result<PartialShape> ParseShape(std::string_view message);
std::string SerializeShape(const PartialShape& shape);

// What a file may still grow to in memory beyond its own bytes, as a message with fewer values than
// elements repeats the last one: at first what one message could have held.
struct ParseBudget {
  size_t repeated_bytes = size_t{1} << 31;
};

// A host tensor; DataLoss for bytes that are no such message, InvalidArgument for contents that do
// not fit the announced shape or go beyond the budget, which is reported before memory is asked for,
// and Unimplemented for element types that the runtime lacks.
Result<Tensor> ParseTensor(std::string_view message, ParseBudget* budget);
std::string SerializeTensor(const Tensor& tensor);
// The elements alone, without type and shape, in the field that such a message has for their type.
// Unimplemented for a type that has none.
Result<std::string> SerializeTensorValues(const Tensor& tensor);

}  // namespace tfbuild
