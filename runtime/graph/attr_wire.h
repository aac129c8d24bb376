#pragma once

#include <string>
#include <string_view>

#include "graph/attr_value.h"
#include "graph/tensor_proto.h"

namespace tfbuild {

// TensorFlow's AttrValue message (attr_value.proto).
Result<AttrValue> ParseAttrValue(std::string_view message, ParseBudget* budget);
std::string SerializeAttrValue(const AttrValue& value);

}  // namespace tfbuild
