// What all descriptors of cuDNN's graphs have in common.
#include "kernels/nn/cudnn_descriptor.cuh"
#include "tensor/cuda_device.h"

namespace tfbuild {
namespace {

// With cuDNN's own words, which say what it did not like.
Status Explained(cudnnStatus_t status, const char* call) {
  const Status plain = CudnnStatus(status, call);
  if (plain.ok()) return plain;
  char why[512] = "";
  cudnnGetLastErrorString(why, sizeof(why));
  return Status(plain.code(), StrCat(plain.message(), why[0] == 0 ? "" : ": ", why));
}

}  // namespace

Result<CudnnDescriptor> CudnnDescriptor::Make(cudnnBackendDescriptorType_t type) {
  cudnnBackendDescriptor_t made = nullptr;
  RETURN_IF_ERROR(Explained(cudnnBackendCreateDescriptor(type, &made), "cudnnBackendCreateDescriptor"));
  return CudnnDescriptor(made);
}

CudnnDescriptor::~CudnnDescriptor() {
  if (descriptor_ != nullptr) cudnnBackendDestroyDescriptor(descriptor_);
}

Status CudnnDescriptor::Read(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                             int64_t room, int64_t* count, void* elements) const {
  return Explained(cudnnBackendGetAttribute(descriptor_, name, type, room, count, elements),
                   "cudnnBackendGetAttribute");
}

Result<std::vector<CudnnDescriptor>> CudnnDescriptor::GetDescriptors(
    cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t type, int64_t most) const {
  std::vector<CudnnDescriptor> made;
  std::vector<cudnnBackendDescriptor_t> room;
  while (static_cast<int64_t>(made.size()) < most) {
    ASSIGN_OR_RETURN(CudnnDescriptor one, Make(type));
    room.push_back(one.get());
    made.push_back(std::move(one));
  }
  int64_t count = 0;
  RETURN_IF_ERROR(Read(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, &count, room.data()));
  while (static_cast<int64_t>(made.size()) > count) made.pop_back();
  return Result<std::vector<CudnnDescriptor>>(std::move(made));
}

CudnnBuilder& CudnnBuilder::Set(cudnnBackendAttributeName_t name,
                                const std::vector<CudnnDescriptor>& others) {
  std::vector<cudnnBackendDescriptor_t> descriptors;
  for (const CudnnDescriptor& other : others) descriptors.push_back(other.get());
  return Write(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<int64_t>(descriptors.size()),
               descriptors.data());
}

CudnnBuilder& CudnnBuilder::Write(cudnnBackendAttributeName_t name,
                                  cudnnBackendAttributeType_t type, int64_t count,
                                  const void* elements) {
  if (!made_.ok() || !status_.ok()) return *this;
  status_ = Explained(cudnnBackendSetAttribute(made_->get(), name, type, count, elements),
                      "cudnnBackendSetAttribute");
  return *this;
}

Result<CudnnDescriptor> CudnnBuilder::Finalize() {
  if (!made_.ok()) return made_.status();
  RETURN_IF_ERROR(status_);
  RETURN_IF_ERROR(Explained(cudnnBackendFinalize(made_->get()), "cudnnBackendFinalize"));
  return *std::move(made_);
}

}  // namespace tfbuild
