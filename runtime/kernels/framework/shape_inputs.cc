#include "kernels/framework/shape_inputs.h"

namespace tfbuild {

Result<std::vector<int64_t>> IntsFrom(const Tensor& values) {
  if (values.dtype() != DType::kInt16) return values.IntValues();
  if (values.rank() > 1) {
    return InvalidArgument("expected a scalar or a vector, not shape ", values.shape());
  }
  const int16_t* begin = values.data<int16_t>();
  return std::vector<int64_t>(begin, begin + values.num_elements());
}

Result<std::vector<int64_t>> VectorFrom(const Tensor& values, const char* name) {
  if (values.rank() != 1) {
    return InvalidArgument(name, " must be a vector, but its shape is ", values.shape());
  }
  return IntsFrom(values);
}

Result<int64_t> ScalarFrom(const Tensor& value, const char* name) {
  if (value.num_elements() != 1 || value.rank() > 1) {
    return InvalidArgument(name, " must be a scalar, but its shape is ", value.shape());
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> values, IntsFrom(value));
  return values[0];
}

Result<int> AxisFrom(const Tensor& axis, int rank) {
  ASSIGN_OR_RETURN(const int64_t value, ScalarFrom(axis, "axis"));
  return CanonicalAxis(value, rank);
}

Result<Shape> ShapeFrom(const Tensor& dims, const char* name) {
  ASSIGN_OR_RETURN(std::vector<int64_t> values, VectorFrom(dims, name));
  return Shape::Make(std::move(values));
}

Result<std::optional<std::vector<int64_t>>> KnownInts(const ShapeContext& context, int i) {
  const Tensor* value = context.input_tensor(i);
  if (value == nullptr) return std::optional<std::vector<int64_t>>();
  ASSIGN_OR_RETURN(std::vector<int64_t> values, IntsFrom(*value));
  return std::optional<std::vector<int64_t>>(std::move(values));
}

Result<std::optional<int64_t>> KnownScalar(const ShapeContext& context, int i) {
  const Tensor* value = context.input_tensor(i);
  if (value == nullptr) return std::optional<int64_t>();
  ASSIGN_OR_RETURN(const int64_t scalar, ScalarFrom(*value, "input"));
  return std::optional<int64_t>(scalar);
}

}  // namespace tfbuild
