#pragma once

// What cuDNN's graphs are made of, each attribute checked.

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "emulation/include/cudnn_graph.h"

namespace emulation {

struct BackendNode;
using BackendNodes = std::vector<std::shared_ptr<BackendNode>>;

// What an attribute holds: elements of one type, as bytes or, where they are descriptors, as nodes.
struct BackendAttribute {
  cudnnBackendAttributeType_t type;
  int64_t count;
  std::vector<char> bytes;
  BackendNodes nodes;
};

// What a descriptor stands for. Who refers to it keeps it.
struct BackendNode {
  explicit BackendNode(cudnnBackendDescriptorType_t its_type) : type(its_type) {}
  const cudnnBackendDescriptorType_t type;
  bool finalized = false;
  std::map<cudnnBackendAttributeName_t, BackendAttribute> attributes;

  bool has(cudnnBackendAttributeName_t name) const { return attributes.count(name) > 0; }
  template <typename T>
  std::vector<T> All(cudnnBackendAttributeName_t name) const {
    const std::vector<char>& bytes = attributes.at(name).bytes;
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  template <typename T>
  T One(cudnnBackendAttributeName_t name) const {
    T value;
    std::memcpy(&value, attributes.at(name).bytes.data(), sizeof(value));
    return value;
  }
  template <typename T>
  T OneOr(cudnnBackendAttributeName_t name, T otherwise) const {
    return has(name) ? One<T>(name) : otherwise;
  }
  const BackendNode& NodeAt(cudnnBackendAttributeName_t name) const {
    return *attributes.at(name).nodes.at(0);
  }

  template <typename T>
  void Put(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t its_type,
           const std::vector<T>& values) {
    const char* const bytes = reinterpret_cast<const char*>(values.data());
    attributes[name] = {its_type, static_cast<int64_t>(values.size()),
                        {bytes, bytes + values.size() * sizeof(T)}, {}};
  }
  void Put(cudnnBackendAttributeName_t name, BackendNodes nodes) {
    const int64_t count = static_cast<int64_t>(nodes.size());
    attributes[name] = {CUDNN_TYPE_BACKEND_DESCRIPTOR, count, {}, std::move(nodes)};
  }
};

// The node behind a descriptor; null where there is none.
std::shared_ptr<BackendNode> NodeOf(cudnnBackendDescriptor_t descriptor);
// Notes why a call fails, for cudnnGetLastErrorString.
cudnnStatus_t Refuse(cudnnStatus_t status, const std::string& why);

// Ends what can be checked only for whole operations, graphs, heuristics and plans: cudnn_graph.cc.
cudnnStatus_t FinalizeWhole(const std::shared_ptr<BackendNode>& node);

}  // namespace emulation
