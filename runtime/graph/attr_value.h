#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "graph/attrs.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace tfbuild {

// What an attribute of a node may be: the kinds that TensorFlow's AttrValue knows.
using AttrKinds =
    std::variant<std::monostate, std::string, int64_t, float, bool, DType, PartialShape, Tensor,
                 std::vector<std::string>, std::vector<int64_t>, std::vector<float>,
                 std::vector<bool>, std::vector<DType>, std::vector<PartialShape>,
                 std::vector<Tensor>, FunctionAttr, std::vector<FunctionAttr>, PlaceholderAttr>;

// The value of an attribute: one of them. Its copies and moves, and those of the map, are compiled
// once, in attr_value.cc, and not in each file that has one. std::visit takes it as AttrKinds: that of
// GCC before 11 knows no class that derives from a variant.
class AttrValue : public AttrKinds {
 public:
  AttrValue();
  template <typename T, typename = std::enable_if_t<
                            !std::is_base_of_v<AttrKinds, std::decay_t<T>> &&
                            std::is_constructible_v<AttrKinds, T>>>
  AttrValue(T&& value) : AttrKinds(std::forward<T>(value)) {}  // NOLINT: as a variant's, not explicit
  AttrValue(const AttrValue& other);
  AttrValue(AttrValue&& other) noexcept;
  AttrValue& operator=(const AttrValue& other);
  AttrValue& operator=(AttrValue&& other) noexcept;
  ~AttrValue();
};

// Sorted by name, so that the same node always has the same bytes.
class AttrMap : public std::map<std::string, AttrValue> {
 public:
  AttrMap();
  AttrMap(std::initializer_list<value_type> attrs);
  AttrMap(const AttrMap& other);
  AttrMap(AttrMap&& other) noexcept;
  AttrMap& operator=(const AttrMap& other);
  AttrMap& operator=(AttrMap&& other) noexcept;
  ~AttrMap();
};

// Whether both have the same names with the same values, to the bit. Tensors are not compared: maps that
// have some are never the same.
bool AreSame(const AttrMap& a, const AttrMap& b);

}  // namespace tfbuild
