#include "passes/place.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <unordered_map>

#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

// Sets of nodes that must share a device, as a union-find forest over positions in `nodes`.
class Groups {
 public:
  explicit Groups(size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), size_t{0});
  }
  size_t Find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Join(size_t a, size_t b) { parent_[Find(b)] = Find(a); }

 private:
  std::vector<size_t> parent_;
};

void JoinColocated(const std::vector<Node*>& nodes, Groups* groups) {
  std::unordered_map<const Node*, size_t> position;
  std::unordered_map<std::string, size_t> by_name;
  for (size_t i = 0; i < nodes.size(); ++i) {
    position[nodes[i]] = i;
    by_name[nodes[i]->name()] = i;
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node* node = nodes[i];
    for (size_t input = 0; input < node->inputs().size(); ++input) {
      const auto source = position.find(node->inputs()[input].node);
      if (node->input_is_ref(static_cast<int>(input)) && source != position.end()) {
        groups->Join(source->second, i);
      }
    }
    const Result<std::vector<std::string>> classes = node->Attr<std::vector<std::string>>("_class");
    if (!classes.ok()) continue;
    for (const std::string& entry : *classes) {
      const auto other = by_name.find(entry.substr(std::min<size_t>(entry.size(), 5)));
      if (entry.rfind("loc:@", 0) == 0 && other != by_name.end()) groups->Join(other->second, i);
    }
  }
}

bool HasKernel(const Node& node, DeviceType type) {
  return KernelRegistry::Global().Find(node, type).ok();
}

// Strings are objects of the host, and int32 values are mostly shapes and axes, which kernels read
// there: without a request such nodes stay on the host, as in TensorFlow.
bool BelongsOnHost(const Node& node) {
  for (int i = 0; i < node.num_outputs(); ++i) {
    const DType dtype = node.output(i).dtype;
    if (dtype == DType::kString) return true;
    if (dtype != DType::kInt32) return false;
  }
  return node.num_outputs() > 0;
}

// The request of a group: its members may not ask for different devices.
Result<Device*> GroupRequest(const std::vector<Node*>& members, const std::vector<Device*>& devices,
                             const PlacementOptions& options) {
  Device* requested = nullptr;
  for (const Node* node : members) {
    const Result<Device*> device = FindRequestedDevice(node->device(), devices);
    if (!device.ok()) {
      if (options.allow_soft_placement && device.status().code() == Code::kNotFound) continue;
      // As TensorFlow: whatever is wrong with the request, it is the caller's argument.
      return InvalidArgument("cannot place node '", node->name(), "': ", device.status().message());
    }
    if (*device == nullptr) continue;
    if (requested != nullptr && requested != *device && !options.allow_soft_placement) {
      return InvalidArgument("node '", node->name(), "' asks for ", (*device)->name(),
                             " but shares a variable with nodes on ", requested->name());
    }
    if (requested == nullptr) requested = *device;
  }
  return requested;
}

Result<Device*> PlaceGroup(const std::vector<Node*>& members, const std::vector<Device*>& devices,
                           const PlacementOptions& options) {
  const auto runs_on = [&members](const Device* device) {
    return std::all_of(members.begin(), members.end(),
                       [device](const Node* node) { return HasKernel(*node, device->type()); });
  };
  ASSIGN_OR_RETURN(Device * requested, GroupRequest(members, devices, options));
  if (requested != nullptr) {
    if (runs_on(requested)) return requested;
    if (!options.allow_soft_placement) {
      return InvalidArgument("node '", members.front()->name(), "' (", members.front()->op().name,
                             ") or a node that shares its variable has no kernel for ",
                             requested->name());
    }
  }
  const bool host = std::any_of(members.begin(), members.end(),
                                [](const Node* node) { return BelongsOnHost(*node); });
  for (Device* device : devices) {
    const bool gpu = device->type() == DeviceType::kGpu;
    if (requested == nullptr && gpu && !host && runs_on(device)) return device;
  }
  return devices.front();
}

std::string LowerCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

Result<Device*> FindRequestedDevice(const std::string& request,
                                    const std::vector<Device*>& devices) {
  Device* const none = nullptr;
  for (const std::string& raw : StrSplit(request, '/')) {
    std::string part = LowerCase(raw);
    if (part.rfind("device:", 0) == 0) part = part.substr(7);
    const size_t colon = part.find(':');
    const std::string kind = part.substr(0, colon);
    if (kind != "cpu" && kind != "gpu") {
      if (part.empty() || kind == "job" || kind == "replica" || kind == "task") continue;
      return InvalidArgument("malformed device name '", request, "'");
    }
    const std::string ordinal = colon == std::string::npos ? "0" : part.substr(colon + 1);
    const std::string suffix = LowerCase(StrCat("/device:", kind, ":", ordinal == "*" ? "0" : ordinal));
    for (Device* device : devices) {
      if (LowerCase(device->name()).find(suffix) != std::string::npos) return device;
    }
    return NotFound("device '", request, "' is not here; known: ", [&devices] {
      std::vector<std::string> names;
      for (const Device* device : devices) names.push_back(device->name());
      return StrJoin(names, ", ");
    }());
  }
  return none;
}

Result<std::vector<Device*>> Place(const std::vector<Node*>& nodes,
                                   const std::vector<Device*>& devices,
                                   const PlacementOptions& options) {
  Groups groups(nodes.size());
  JoinColocated(nodes, &groups);
  std::unordered_map<size_t, std::vector<Node*>> members;
  for (size_t i = 0; i < nodes.size(); ++i) members[groups.Find(i)].push_back(nodes[i]);
  std::unordered_map<size_t, Device*> device_of_group;
  for (const auto& [group, group_members] : members) {
    ASSIGN_OR_RETURN(device_of_group[group], PlaceGroup(group_members, devices, options));
  }
  std::vector<Device*> placement;
  for (size_t i = 0; i < nodes.size(); ++i) placement.push_back(device_of_group[groups.Find(i)]);
  return placement;
}

}  // namespace tfbuild
