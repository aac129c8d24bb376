#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace tfbuild {

// A function that an attribute names, with values for the attributes of its signature: TensorFlow's
// NameAttrList, of which the name is read and the rest kept as it came.
struct FunctionAttr {
  std::string name;
  std::string encoded;
};

// In the body of a function: the value that the attribute of that name has in the call.
struct PlaceholderAttr {
  std::string name;
};

// The value of an attribute of a node: one of the kinds that TensorFlow's AttrValue knows.
using AttrValue =
    std::variant<std::monostate, std::string, int64_t, float, bool, DType, PartialShape, Tensor,
                 std::vector<std::string>, std::vector<int64_t>, std::vector<float>,
                 std::vector<bool>, std::vector<DType>, std::vector<PartialShape>,
                 std::vector<Tensor>, FunctionAttr, std::vector<FunctionAttr>, PlaceholderAttr>;

// Sorted by name, so that the same node always has the same bytes.
using AttrMap = std::map<std::string, AttrValue>;

// The attribute as a T; NotFound or InvalidArgument when it is missing or of another kind.
// T is one of the kinds above.
template <typename T>
Result<T> GetAttr(const AttrMap& attrs, std::string_view name);

}  // namespace tfbuild
