#pragma once

#include <memory>
#include <vector>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/variant_sum.h"

namespace tfbuild {

// Tensors in a row, in a scalar of variants: what TensorFlow's loops collect values in. An element that
// nobody has set is zeros, of the shape that is known of the others.
struct TensorList final : public SummableVariant {
  // More would be a mistake, and its bookkeeping alone a gigabyte.
  static constexpr int64_t kMaxLength = int64_t{1} << 24;

  DType dtype = DType::kInvalid;
  PartialShape element_shape;
  int64_t max_length = kUnknownDim;
  std::vector<Tensor> elements;

  int64_t size() const { return static_cast<int64_t>(elements.size()); }
  // What is known of the shape of an element: by the list, by the caller and by those that are set.
  Result<PartialShape> ShapeOfElements(const PartialShape& also) const;
  // An element; zeros of `shape` where it is not set.
  Result<Tensor> Element(int64_t index, const PartialShape& shape) const;
  // InvalidArgument unless a value of that type and shape may be an element.
  Status CheckElement(const Tensor& value) const;

  Result<Variant> ZerosLike() const override;
  Result<Variant> Plus(const VariantValue& other) const override;
};

// The list in input `i`, to be looked at.
Result<const TensorList*> ListIn(const OpKernelContext& context, int i);
// The list in input 0 as output 0, to be changed: the same where nobody else has a share of it.
Result<TensorList*> ChangedList(OpKernelContext* context);
// A new list as output 0.
Result<TensorList*> NewList(OpKernelContext* context, DType dtype, PartialShape element_shape);
// The shape that an input describes: a vector of sizes of which -1 is any, or -1 alone.
Result<PartialShape> ShapeInput(const Tensor& value);
// A number of elements, from a scalar of int32.
Result<int64_t> LengthInput(const Tensor& value);

// Shape functions. A list is a scalar.
Status ListShape(ShapeContext* context);

}  // namespace tfbuild
