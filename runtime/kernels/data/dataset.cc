#include "kernels/data/dataset.h"

namespace tfbuild {

Result<DatasetPtr> DatasetIn(const Tensor& tensor) {
  std::shared_ptr<Dataset> dataset;
  if (tensor.initialized() && tensor.dtype() == DType::kVariant && tensor.num_elements() == 1) {
    dataset = std::dynamic_pointer_cast<Dataset>(*tensor.data<Variant>());
  }
  if (dataset == nullptr) return InvalidArgument("the variant tensor is no dataset");
  return DatasetPtr(std::move(dataset));
}

Tensor DatasetTensor(std::shared_ptr<Dataset> dataset) {
  return Tensor::Scalar<Variant>(std::move(dataset));
}

Result<ElementSpec> StatedSpec(const OpKernelConstruction& construction, const char* types) {
  ElementSpec spec;
  ASSIGN_OR_RETURN(spec.types, construction.Attr<std::vector<DType>>(types));
  ASSIGN_OR_RETURN(spec.shapes, construction.Attr<std::vector<PartialShape>>("output_shapes"));
  if (spec.types.size() != spec.shapes.size()) {
    return InvalidArgument(types, " and output_shapes must be the same length, got:\n",
                           spec.types.size(), " and ", spec.shapes.size());
  }
  return spec;
}

Status DatasetIterator::CheckTypes(const Element& element) const {
  if (element.size() != types_.size()) {
    return InvalidArgument("an element of a dataset has ", element.size(), " components, and the "
                           "dataset states ", types_.size());
  }
  for (size_t i = 0; i < types_.size(); ++i) {
    if (element[i].dtype() == types_[i]) continue;
    return InvalidArgument("component ", i, " of an element is ", DTypeName(element[i].dtype()),
                           ", and the dataset states ", DTypeName(types_[i]));
  }
  return OkStatus();
}

Status CheckSpec(const ElementSpec& stated, const ElementSpec& found) {
  if (stated.types.size() != found.types.size()) {
    return InvalidArgument("Number of components does not match: expected ", stated.types.size(),
                           " types but got ", found.types.size(), ".");
  }
  for (size_t i = 0; i < stated.types.size(); ++i) {
    if (stated.types[i] != found.types[i]) {
      return InvalidArgument("Data type mismatch at component ", i, ": expected ",
                             DTypeName(stated.types[i]), " but got ", DTypeName(found.types[i]),
                             ".");
    }
    if (!stated.shapes[i].CompatibleWith(found.shapes[i])) {
      return InvalidArgument("Incompatible shapes at component ", i, ": expected ",
                             stated.shapes[i], " but got ", found.shapes[i], ".");
    }
  }
  return OkStatus();
}

Status SetComponents(OpKernelContext* context, Element element) {
  ElementSpec stated, found;
  for (int i = 0; i < context->num_outputs(); ++i) {
    stated.types.push_back(context->node().output(i).dtype);
    stated.shapes.push_back(context->node().output(i).shape);
  }
  for (const Tensor& component : element) {
    found.types.push_back(component.dtype());
    found.shapes.emplace_back(component.shape());
  }
  RETURN_IF_ERROR(CheckSpec(stated, found));
  for (int i = 0; i < context->num_outputs(); ++i) {
    context->SetOutput(i, std::move(element[static_cast<size_t>(i)]));
  }
  return OkStatus();
}

Result<std::vector<std::string>> StringsAt(const OpKernelContext& context, int i,
                                           const char* name) {
  const Tensor& value = context.input(i);
  if (value.dtype() != DType::kString || value.rank() > 1) {
    return InvalidArgument("`", name, "` must be a scalar or a vector.");
  }
  const std::string* strings = value.data<std::string>();
  return std::vector<std::string>(strings, strings + value.num_elements());
}

int64_t AddCardinality(int64_t a, int64_t b) {
  if (a == kInfinite || b == kInfinite) return kInfinite;
  return a < 0 || b < 0 ? kUnknownCardinality : a + b;
}

}  // namespace tfbuild
