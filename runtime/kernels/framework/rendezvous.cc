#include "kernels/framework/rendezvous.h"

#include <cstdio>
#include <utility>

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

Result<Tensor> MoveTo(const Tensor& value, Device* from, bool from_host, Device* to,
                      bool to_host) {
  const bool here = from_host || from->type() == DeviceType::kCpu;
  const bool there = to_host || to->type() == DeviceType::kCpu;
  if (here == there && (here || from == to)) return value;
  if (DTypeSize(value.dtype()) == 0 || value.dtype() == DType::kResource) return value;  // the host's
  Tensor host = value;
  if (!here) {
    ASSIGN_OR_RETURN(host, Tensor::Allocate(CpuAllocator(), value.dtype(), value.shape()));
    RETURN_IF_ERROR(from->CopyToHost(value, &host));
  }
  if (there) return host;
  ASSIGN_OR_RETURN(Tensor moved, Tensor::Allocate(to->allocator(), value.dtype(), value.shape()));
  RETURN_IF_ERROR(to->CopyFromHost(host, &moved));
  return moved;
}

}  // namespace tfbuild
