#pragma once

#include <string>
#include <vector>

#include "kernels/framework/step_context.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {

// Ops that are run one after another on a device in one step of one session, by their kernels alone:
// for those that share something by a handle. Values are given and taken on the host.
class StepOps {
 public:
  explicit StepOps(Device* device = CpuDevice()) : device_(device) {}
  Result<std::vector<Tensor>> Call(const std::string& op, const std::vector<Tensor>& values,
                                   AttrMap attrs);
  // The first output.
  Result<Tensor> First(const std::string& op, const std::vector<Tensor>& values, AttrMap attrs);
  StepContext* step() { return &step_; }

 private:
  Device* const device_;
  ResourceManager resources_;
  StepContext step_{1, &resources_};
};

}  // namespace testing
}  // namespace tfbuild
