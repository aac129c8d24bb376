#pragma once

#include <string>
#include <string_view>

#include "graph/attr_value.h"
#include "graph/tensor_proto.h"

namespace tfbuild {

// TensorFlow's AttrValue message (attr_value.proto).
Result<AttrValue> ParseAttrValue(std::string_view message, ParseBudget* budget);
std::string SerializeAttrValue(const AttrValue& value);

// One entry of a map from names to AttrValues, as nodes, functions and calls have.
Status ParseAttrEntry(std::string_view message, ParseBudget* budget, AttrMap* attrs);
// Such entries, each as a field of that number; names that begin with an underscore are left out.
std::string SerializeAttrs(int field, const AttrMap& attrs);

// A function without attributes of its own.
FunctionAttr FunctionNamed(const std::string& name);
// The values that a call gives to the attributes of the function's signature.
Result<AttrMap> AttrsOfCall(const FunctionAttr& function);

}  // namespace tfbuild
