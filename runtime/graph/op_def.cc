#include "graph/op_def.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace tfbuild {
namespace {

[[noreturn]] void Die(const std::string& message) {
  std::fprintf(stderr, "tfbuild: %s\n", message.c_str());
  std::abort();
}

size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

const AttrDef* OpDef::FindAttr(const std::string& attr_name) const {
  for (const AttrDef& attr : attrs) {
    if (attr.name == attr_name) return &attr;
  }
  return nullptr;
}

OpRegistry& OpRegistry::Global() {
  static OpRegistry* registry = new OpRegistry;
  return *registry;
}

void OpRegistry::Register(OpDef def, const char* file) {
  const std::string name = def.name;
  const auto [entry, inserted] = ops_.emplace(name, Entry{std::move(def), file});
  if (!inserted) Die(StrCat("op ", name, " is defined in ", entry->second.file, " and ", file));
}

Result<const OpDef*> OpRegistry::Find(const std::string& name) const {
  const auto found = ops_.find(name);
  if (found != ops_.end()) return &found->second.def;
  std::string nearest;
  size_t best = 3;  // further away it is no help
  for (const auto& [known, entry] : ops_) {
    const size_t distance = EditDistance(name, known);
    if (distance < best) {
      best = distance;
      nearest = known;
    }
  }
  return NotFound("op type not registered: '", name, "'",
                  nearest.empty() ? "" : StrCat("; did you mean '", nearest, "'?"));
}

OpRegistration operator<<(OpRegistration::Here here, const OpDefBuilder& builder) {
  OpRegistry::Global().Register(builder.def(), here.file);
  return {};
}

std::vector<std::string> OpRegistry::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : ops_) names.push_back(name);
  return names;
}

}  // namespace tfbuild
