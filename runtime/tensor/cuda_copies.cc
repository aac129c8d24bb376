// Copies to, from and between GPUs. Each way has a stream of its own beside the one that kernels run
// on; events order them.
#include "tensor/cuda_device.h"

namespace tfbuild {
namespace {

Status CheckCopy(const Tensor& source, const Tensor& target) {
  if (IsHostObject(source.dtype())) {
    return InvalidArgument("strings and variants stay on the host: a tensor of type ",
                           DTypeName(source.dtype()), " cannot be copied to or from a GPU");
  }
  if (source.dtype() != target.dtype() || source.num_elements() != target.num_elements()) {
    return Internal("copy between tensors that differ: ", DTypeName(source.dtype()),
                    source.shape(), " and ", DTypeName(target.dtype()), target.shape());
  }
  return OkStatus();
}

}  // namespace

Result<std::shared_ptr<Moment>> CudaDevice::Mark() {
  ASSIGN_OR_RETURN(std::shared_ptr<CudaMoment> now, CudaMoment::Record(&events_, stream_));
  return std::shared_ptr<Moment>(std::move(now));
}

// The target may still be in use by work that was queued before its memory was given back.
Status CudaDevice::BeginArrival(void* target, cudaStream_t stream) {
  std::shared_ptr<CudaMoment> free_since = arrivals_->FreeSince(target);
  if (free_since == nullptr) {
    ASSIGN_OR_RETURN(free_since, CudaMoment::Record(&events_, stream_));
  }
  return free_since->HoldUp(stream);
}

Result<std::shared_ptr<CudaMoment>> CudaDevice::EndArrival(cudaStream_t stream) {
  ASSIGN_OR_RETURN(std::shared_ptr<CudaMoment> arrived, CudaMoment::Record(&events_, stream));
  RETURN_IF_ERROR(arrived->HoldUp(stream_));
  return arrived;
}

Status CudaDevice::CopyFromHost(const Tensor& source, Tensor* target) {
  RETURN_IF_ERROR(CheckCopy(source, *target));
  RETURN_IF_ERROR(RefuseInCapture("a copy from the host"));
  if (source.num_bytes() == 0) return OkStatus();
  RETURN_IF_ERROR(Activate());
  RETURN_IF_ERROR(BeginArrival(target->raw(), from_host_));
  RETURN_IF_ERROR(staging_.ToDevice(source.data<char>(), target->mutable_data<char>(),
                                    source.num_bytes(), from_host_));
  return EndArrival(from_host_).status();
}

Status CudaDevice::CopyToHost(const Tensor& source, Tensor* target) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Moment> now, Mark());
  return CopyToHostAfter(now.get(), source, target);
}

Status CudaDevice::CopyToHostAfter(Moment* ready, const Tensor& source, Tensor* target) {
  RETURN_IF_ERROR(CheckCopy(source, *target));
  RETURN_IF_ERROR(RefuseInCapture("a copy to the host"));
  if (source.num_bytes() == 0) return OkStatus();
  RETURN_IF_ERROR(Activate());
  RETURN_IF_ERROR(static_cast<CudaMoment*>(ready)->HoldUp(to_host_));
  return staging_.ToHost(source.data<char>(), target->mutable_data<char>(), source.num_bytes(),
                         to_host_);
}

Status CudaDevice::CopyWithin(const Tensor& source, Tensor* target) {
  RETURN_IF_ERROR(CheckCopy(source, *target));
  if (source.num_bytes() == 0) return OkStatus();
  RETURN_IF_ERROR(Activate());
  CUDA_RETURN_IF_ERROR(cudaMemcpyAsync(target->raw(), source.raw(), source.num_bytes(),
                                       cudaMemcpyDeviceToDevice, stream()));
  return OkStatus();
}

bool CudaDevice::IsPeer(const Device& other) const {
  return dynamic_cast<const CudaDevice*>(&other) != nullptr;
}

Status CudaDevice::CopyFromPeer(QueuedDevice* peer, Moment* ready, const Tensor& source,
                                Tensor* target) {
  RETURN_IF_ERROR(CheckCopy(source, *target));
  RETURN_IF_ERROR(RefuseInCapture("a copy from another GPU"));
  if (source.num_bytes() == 0) return OkStatus();
  RETURN_IF_ERROR(Activate());
  RETURN_IF_ERROR(BeginArrival(target->raw(), from_peers_));
  RETURN_IF_ERROR(static_cast<CudaMoment*>(ready)->HoldUp(from_peers_));
  CUDA_RETURN_IF_ERROR(cudaMemcpyPeerAsync(target->raw(), ordinal(), source.raw(),
                                           peer->ordinal(), source.num_bytes(), from_peers_));
  ASSIGN_OR_RETURN(const std::shared_ptr<CudaMoment> arrived, EndArrival(from_peers_));
  // Its later work may be given the source's memory.
  return arrived->HoldUp(static_cast<CudaDevice*>(peer)->stream_);
}

// Where the machine's wiring allows it, copies between the two go from one to the other; elsewhere
// the driver takes them through the host.
Status CudaDevice::ReachPeer(int peer) const {
  int reachable = 0;
  CUDA_RETURN_IF_ERROR(cudaDeviceCanAccessPeer(&reachable, ordinal(), peer));
  if (reachable == 0) return OkStatus();
  RETURN_IF_ERROR(Activate());
  const cudaError_t error = cudaDeviceEnablePeerAccess(peer, 0);
  if (error == cudaSuccess) return OkStatus();
  cudaGetLastError();
  return error == cudaErrorPeerAccessAlreadyEnabled
             ? OkStatus()
             : CudaStatus(error, "cudaDeviceEnablePeerAccess");
}

}  // namespace tfbuild
