#include "graph/attr_value.h"

namespace tfbuild {

AttrValue::AttrValue() = default;
AttrValue::AttrValue(const AttrValue& other) = default;
AttrValue::AttrValue(AttrValue&& other) noexcept = default;
AttrValue& AttrValue::operator=(const AttrValue& other) = default;
AttrValue& AttrValue::operator=(AttrValue&& other) noexcept = default;
AttrValue::~AttrValue() = default;

AttrMap::AttrMap() = default;
AttrMap::AttrMap(std::initializer_list<value_type> attrs) : map(attrs) {}
AttrMap::AttrMap(const AttrMap& other) = default;
AttrMap::AttrMap(AttrMap&& other) noexcept = default;
AttrMap& AttrMap::operator=(const AttrMap& other) = default;
AttrMap& AttrMap::operator=(AttrMap&& other) noexcept = default;
AttrMap::~AttrMap() = default;

template <typename T>
Result<T> GetAttr(const AttrMap& attrs, std::string_view name) {
  const auto found = attrs.find(std::string(name));
  if (found == attrs.end()) return NotFound("no attribute named ", name);
  const T* value = std::get_if<T>(&found->second);
  if (value == nullptr) return InvalidArgument("attribute ", name, " is of another kind");
  return *value;
}

template Result<std::string> GetAttr(const AttrMap&, std::string_view);
template Result<int64_t> GetAttr(const AttrMap&, std::string_view);
template Result<float> GetAttr(const AttrMap&, std::string_view);
template Result<bool> GetAttr(const AttrMap&, std::string_view);
template Result<DType> GetAttr(const AttrMap&, std::string_view);
template Result<PartialShape> GetAttr(const AttrMap&, std::string_view);
template Result<Tensor> GetAttr(const AttrMap&, std::string_view);
template Result<FunctionAttr> GetAttr(const AttrMap&, std::string_view);
template Result<std::vector<std::string>> GetAttr(const AttrMap&, std::string_view);
template Result<std::vector<int64_t>> GetAttr(const AttrMap&, std::string_view);
template Result<std::vector<float>> GetAttr(const AttrMap&, std::string_view);
template Result<std::vector<bool>> GetAttr(const AttrMap&, std::string_view);
template Result<std::vector<DType>> GetAttr(const AttrMap&, std::string_view);
template Result<std::vector<PartialShape>> GetAttr(const AttrMap&, std::string_view);
template Result<std::vector<Tensor>> GetAttr(const AttrMap&, std::string_view);
template Result<std::vector<FunctionAttr>> GetAttr(const AttrMap&, std::string_view);

}  // namespace tfbuild
