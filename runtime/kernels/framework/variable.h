#pragma once

#include <mutex>

#include "kernels/framework/resource_manager.h"
#include "tensor/device.h"

namespace tfbuild {

// A variable of a session: a tensor that lives from step to step on one device. Whoever reads or
// writes `value` holds `mutex`. Readers share the buffer; a writer that finds it shared works on a
// copy, so a value once read never changes under its reader.
struct Variable : Resource {
  static constexpr char kKind[] = "variable";
  std::mutex mutex;
  Tensor value;
  Device* device = nullptr;
};

// One that ops reach by a reference instead of a handle; a name may have one of each.
struct ReferenceVariable final : Variable {
  static constexpr char kKind[] = "reference variable";
};

}  // namespace tfbuild
