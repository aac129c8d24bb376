#pragma once

#include <string>
#include <vector>

#include "kernels/data/dataset.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {

inline const ElementSpec& OneInt() {
  static const auto* spec = new ElementSpec{{DType::kInt64}, {PartialShape(Shape{})}};
  return *spec;
}

inline Tensor Int(int64_t value) { return Tensor::Scalar<int64_t>(value); }
inline Tensor Text(const std::string& value) { return Tensor::Strings(Shape{}, {value}); }

// A dataset op that states its elements, by default as one int64.
inline OpTest DatasetOpTest(const std::string& op, const ElementSpec& spec = OneInt()) {
  return OpTest(op).Attr("output_types", spec.types).Attr("output_shapes", spec.shapes);
}

// The dataset that an op puts out; a test that fails where there is none.
inline Tensor DatasetOf(OpTest op) {
  const auto made = op.RunOnCpu();
  EXPECT_OK(made);
  return made.ok() ? (*made)[0] : Tensor();
}

inline Tensor RangeOf(int64_t count) {
  return DatasetOf(DatasetOpTest("RangeDataset").Input(Int(0)).Input(Int(count)).Input(Int(1)));
}

// Up to `limit` elements of a dataset.
inline Result<std::vector<Element>> ReadAll(const Tensor& tensor, size_t limit = 100) {
  ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetIn(tensor));
  StepContext step(1);
  ASSIGN_OR_RETURN(const auto iterator, dataset->MakeIterator(&step));
  std::vector<Element> elements;
  while (elements.size() < limit) {
    Element element;
    ASSIGN_OR_RETURN(const bool found, iterator->Next(&step, &element));
    if (!found) break;
    elements.push_back(std::move(element));
  }
  return elements;
}

// All numbers of the first component of each element, one after the other, as text: "0 1 2".
inline std::string Numbers(const Tensor& dataset, size_t limit = 100) {
  const auto elements = ReadAll(dataset, limit);
  if (!elements.ok()) return elements.status().message();
  std::string text;
  for (const Element& element : *elements) {
    for (const double value : Values(element[0])) {
      text += StrCat(text.empty() ? "" : " ", static_cast<int64_t>(value));
    }
  }
  return text;
}

// The strings of each element, "a,b;c,d".
inline std::string Words(const Tensor& dataset) {
  const auto elements = ReadAll(dataset);
  if (!elements.ok()) return elements.status().message();
  std::string text;
  for (const Element& element : *elements) {
    if (!text.empty()) text += ";";
    for (const Tensor& component : element) {
      if (&component != element.data()) text += ",";
      text += component.dtype() == DType::kString ? *component.data<std::string>()
                                                  : StrCat(Values(component)[0]);
    }
  }
  return text;
}

inline int64_t CardinalityOf(const Tensor& tensor) {
  const auto dataset = DatasetIn(tensor);
  return dataset.ok() ? (*dataset)->Cardinality() : -3;
}

// What a dataset op with a function says where there are no functions.
constexpr char kNoFunctions[] = "only a session has functions";

inline FunctionAttr SomeFunction() { return {"f", ""}; }

}  // namespace testing
}  // namespace tfbuild
