#include "kernels/framework/rendezvous.h"

#include <cstdio>
#include <utility>

#include "tensor/queued_device.h"

namespace tfbuild {

std::string Rendezvous::Key(const std::string& source, uint64_t incarnation,
                            const std::string& target, const std::string& edge, uint64_t frame,
                            int64_t iteration) {
  char hexadecimal[17];
  std::snprintf(hexadecimal, sizeof(hexadecimal), "%016llx",
                static_cast<unsigned long long>(incarnation));
  return StrCat(source, ";", hexadecimal, ";", target, ";", edge, ";", frame, ":", iteration);
}

Status LocalRendezvous::Send(const std::string& key, Message message) {
  Receiver receive;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!aborted_.ok()) return aborted_;
    const auto waiting = waiting_.find(key);
    if (waiting == waiting_.end()) {
      if (sent_.emplace(key, std::move(message)).second) return OkStatus();
      return Status(Code::kAborted, StrCat("sent twice: ", key));
    }
    receive = std::move(waiting->second);
    waiting_.erase(waiting);
  }
  receive(OkStatus(), std::move(message));
  return OkStatus();
}

void LocalRendezvous::Receive(const std::string& key, Receiver receive) {
  Message message;
  Status status;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto sent = sent_.find(key);
    if (!aborted_.ok()) {
      status = aborted_;
    } else if (sent != sent_.end()) {
      message = std::move(sent->second);
      sent_.erase(sent);
    } else if (waiting_.emplace(key, std::move(receive)).second) {
      return;
    } else {
      status = Status(Code::kAborted, StrCat("received twice: ", key));
    }
  }
  receive(status, std::move(message));
}

void LocalRendezvous::Abort(const Status& why) {
  std::map<std::string, Receiver> waiting;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!aborted_.ok()) return;
    aborted_ = why;
    waiting.swap(waiting_);
    sent_.clear();
  }
  for (const auto& [key, receive] : waiting) receive(why, Message());
}

namespace {

Result<Tensor> CopyToHost(const Message& message) {
  const Tensor& value = message.value;
  ASSIGN_OR_RETURN(Tensor host, Tensor::Allocate(CpuAllocator(), value.dtype(), value.shape()));
  if (message.ready == nullptr) {
    RETURN_IF_ERROR(message.device->CopyToHost(value, &host));
  } else {
    QueuedDevice* const from = QueuedDevice::From(message.device);
    RETURN_IF_ERROR(from->CopyToHostAfter(message.ready.get(), value, &host));
  }
  return host;
}

}  // namespace

Result<std::shared_ptr<Moment>> MomentOf(Device* device, bool on_host) {
  QueuedDevice* const queued = on_host ? nullptr : QueuedDevice::From(device);
  return queued == nullptr ? Result<std::shared_ptr<Moment>>(nullptr) : queued->Mark();
}

Result<Tensor> MoveTo(const Message& message, Device* to, bool to_host) {
  const Tensor& value = message.value;
  Device* const from = message.device;
  const bool here = message.on_host || from->type() == DeviceType::kCpu;
  const bool there = to_host || to->type() == DeviceType::kCpu;
  if (here == there && (here || from == to)) return value;
  if (DTypeSize(value.dtype()) == 0 || value.dtype() == DType::kResource) return value;  // the host's
  if (there) return CopyToHost(message);
  QueuedDevice* const queued = QueuedDevice::From(to);
  Allocator* const memory = queued == nullptr ? to->allocator() : queued->arrivals();
  ASSIGN_OR_RETURN(Tensor moved, Tensor::Allocate(memory, value.dtype(), value.shape()));
  if (!here && message.ready != nullptr && queued != nullptr && queued->IsPeer(*from)) {
    RETURN_IF_ERROR(queued->CopyFromPeer(QueuedDevice::From(from), message.ready.get(), value,
                                         &moved));
    return moved;
  }
  Tensor host = value;
  if (!here) {
    ASSIGN_OR_RETURN(host, CopyToHost(message));
  }
  RETURN_IF_ERROR(to->CopyFromHost(host, &moved));
  return moved;
}

}  // namespace tfbuild
