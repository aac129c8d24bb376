#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "tensor/device.h"
#include "tensor/tensor.h"

namespace tfbuild {

class Moment;

// What crosses from one device to another: a value in the memory of the sender, or the word that
// there is none, since its branch was not taken.
struct Message {
  Tensor value;
  Device* device = nullptr;
  bool on_host = true;
  bool dead = false;
  std::shared_ptr<Moment> ready = nullptr;  // of the sender, where it queues its work; null elsewhere
};

// Where the senders and receivers of one step meet. Each key is sent once and received once, in any
// order; nobody waits but the receiver. Thread-safe.
class Rendezvous {
 public:
  using Receiver = std::function<void(const Status&, Message)>;
  virtual ~Rendezvous() = default;

  // As TensorFlow forms it: "source;incarnation;target;edge;frame:iteration".
  static std::string Key(const std::string& source, uint64_t incarnation,
                         const std::string& target, const std::string& edge, uint64_t frame,
                         int64_t iteration);

  // Aborted where the key was sent before.
  virtual Status Send(const std::string& key, Message message) = 0;
  // Calls `receive` when the message is there, at once or on another thread.
  virtual void Receive(const std::string& key, Receiver receive) = 0;
  // Everybody who waits, or will, gets this error.
  virtual void Abort(const Status& why) = 0;
};

// Of senders and receivers in this process.
class LocalRendezvous final : public Rendezvous {
 public:
  Status Send(const std::string& key, Message message) override;
  void Receive(const std::string& key, Receiver receive) override;
  void Abort(const Status& why) override;

 private:
  std::mutex mutex_;
  Status aborted_;
  std::map<std::string, Message> sent_;
  std::map<std::string, Receiver> waiting_;
};

// When a value that lies on the device, or on the host as it may be, will be there; null for at once.
Result<std::shared_ptr<Moment>> MomentOf(Device* device, bool on_host);

// The value of a message for a place: the same memory where it can be read there, else a copy.
Result<Tensor> MoveTo(const Message& message, Device* to, bool to_host);

}  // namespace tfbuild
