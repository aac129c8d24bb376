#pragma once

// What staging areas share: their limits, and the kernels that find them by their names.

#include <memory>
#include <string>
#include <vector>

#include "kernels/framework/async_op_kernel.h"
#include "kernels/framework/handle_reference.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/resource_manager.h"
#include "kernels/queues/waiting_store.h"

namespace tfbuild {

struct StagingLimits {
  int64_t elements = 0;  // at most; 0: any number
  int64_t bytes = 0;

  // ResourceExhausted for an element that never fits.
  Status CheckFits(size_t size) const {
    if (bytes == 0 || size <= static_cast<size_t>(bytes)) return OkStatus();
    return Status(Code::kResourceExhausted,
                  StrCat("Attempted to insert tensors with combined size of '", size,
                         "' bytes into Staging Area with a memory limit of '", bytes, "'."));
  }
  bool HasRoom(int64_t there, size_t bytes_there, size_t size) const {
    return (elements == 0 || there < elements) &&
           (bytes == 0 || bytes_there + size <= static_cast<size_t>(bytes));
  }
};

// What tensors take, strings by what is in them.
size_t BytesOf(const std::vector<Tensor>& values);
// Sets outputs `first` and on; InvalidArgument unless the values are of these types.
Status GiveValues(const std::vector<Tensor>& values, const std::vector<DType>& dtypes, int first,
                  OpKernelContext* context);

// A kernel for the Area that has the name of its attributes.
template <typename Area>
class StagedOp : public AsyncOpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) final {
    ASSIGN_OR_RETURN(limits_.elements, construction.Attr<int64_t>("capacity"));
    ASSIGN_OR_RETURN(limits_.bytes, construction.Attr<int64_t>("memory_limit"));
    ASSIGN_OR_RETURN(dtypes_, construction.Attr<std::vector<DType>>("dtypes"));
    ASSIGN_OR_RETURN(const SharedName name, SharedName::Of(construction));
    ResourceManager* const resources = construction.resources;
    if (resources == nullptr) return FailedPrecondition("only a session has a ", Area::kKind);
    const int64_t handle = resources->Handle<Area>(name.container, name.name);
    ASSIGN_OR_RETURN(area_, resources->FindOrCreate<Area>(handle));
    return OkStatus();
  }

 protected:
  Area* area() const { return area_.get(); }
  const StagingLimits& limits() const { return limits_; }
  const std::vector<DType>& dtypes() const { return dtypes_; }

 private:
  StagingLimits limits_;
  std::vector<DType> dtypes_;
  std::shared_ptr<Area> area_;
};

}  // namespace tfbuild
