#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

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

// The value of an attribute of a node, and all of them by their names. Hundreds of files ask nodes
// for attributes, and few look into the map or at a value of any kind: those alone read
// attr_value.h, which takes a compiler longer than a kernel.
class AttrValue;
class AttrMap;

// The attribute as a T; NotFound or InvalidArgument when it is missing or of another kind.
// T is one of the kinds in attr_value.h.
template <typename T>
Result<T> GetAttr(const AttrMap& attrs, std::string_view name);

}  // namespace tfbuild
