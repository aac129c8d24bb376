#include "graph/attr_value.h"

#include <algorithm>
#include <cstring>

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

namespace {

template <typename T>
bool IsSameValue(const T& a, const T& b) { return a == b; }
bool IsSameValue(float a, float b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }  // -0 is not 0
bool IsSameValue(const Tensor&, const Tensor&) { return false; }
bool IsSameValue(const FunctionAttr& a, const FunctionAttr& b) {
  return a.name == b.name && a.encoded == b.encoded;
}
bool IsSameValue(const PlaceholderAttr& a, const PlaceholderAttr& b) { return a.name == b.name; }
bool IsSameValue(const std::vector<bool>& a, const std::vector<bool>& b) { return a == b; }
template <typename T>
bool IsSameValue(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return IsSameValue(x, y); });
}

}  // namespace

bool AreSame(const AttrMap& a, const AttrMap& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    if (x.first != y.first || x.second.index() != y.second.index()) return false;
    return std::visit(
        [&y](const auto& value) {
          return IsSameValue(value, std::get<std::decay_t<decltype(value)>>(y.second));
        },
        static_cast<const AttrKinds&>(x.second));
  });
}

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
