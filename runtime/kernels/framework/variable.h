#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tensor/device.h"

namespace tfbuild {

// A variable of a session: a tensor that lives from step to step on one device. Whoever reads or
// writes `value` holds `mutex`. Readers share the buffer; a writer that finds it shared works on a
// copy, so a value once read never changes under its reader.
struct Variable {
  std::mutex mutex;
  Tensor value;
  Device* device = nullptr;
};

// The variables of one session by name. Thread-safe.
class VariableStore {
 public:
  // The variable of that name, made uninitialised on first use.
  std::shared_ptr<Variable> FindOrCreate(const std::string& name, Device* device) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<Variable>& variable = variables_[name];
    if (variable == nullptr) {
      variable = std::make_shared<Variable>();
      variable->device = device;
    }
    return variable;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Variable>> variables_;
};

}  // namespace tfbuild
