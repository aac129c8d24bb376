#pragma once

#include <memory>

#include "tensor/device.h"

namespace tfbuild {

// A moment in a device's queue: it has come when all that was queued before is done.
class Moment {
 public:
  virtual ~Moment();
  // Waits for it; an error may be that of any work so far.
  virtual Status Wait() = 0;
};

// Work that can be queued again as it was: the same kernels with the same arguments on the same
// memory, of which part is its own.
class CapturedWork {
 public:
  virtual ~CapturedWork();
  // Queues it once more, for that step (its StepContext), whose EndStep then reports what kernels of it
  // have found. What the last run left in memory of its own is overwritten.
  virtual Status Queue(const void* step) = 0;
  // Whether no step that has not ended yet may still find something in it: else it is not queued.
  virtual bool IsIdle() const = 0;
  virtual size_t num_parts() const = 0;  // kernels, copies, fills
  virtual size_t bytes() const = 0;      // of memory of its own
};

// A device whose work is queued, with what only such a device has. Thread-safe.
class QueuedDevice : public Device {
 public:
  using Device::Device;
  // Null for another kind of device.
  static QueuedDevice* From(Device* device);

  // Whether convolutions of images of that type are faster with channels last than with channels first.
  virtual bool PrefersChannelsLast(DType dtype) const = 0;

  // Now: behind what is queued so far.
  virtual Result<std::shared_ptr<Moment>> Mark() = 0;
  // Memory for what comes by CopyFromHost or CopyFromPeer. A copy into it need not wait for older
  // work, as one into memory of allocator() must.
  virtual Allocator* arrivals() = 0;
  // As CopyToHost, but waits only for the work before `ready`, a moment of this device.
  virtual Status CopyToHostAfter(Moment* ready, const Tensor& source, Tensor* target) = 0;
  // Whether CopyFromPeer takes from that device.
  virtual bool IsPeer(const Device& other) const = 0;
  // Queues a copy of what the peer holds from the peer's moment `ready` on; `source` may be freed at
  // once.
  virtual Status CopyFromPeer(QueuedDevice* peer, Moment* ready, const Tensor& source,
                              Tensor* target) = 0;

  // From here on what this thread queues is noted instead of done, until EndCapture. In between it
  // may neither wait for the device nor copy to or from it. Unimplemented where it is switched off.
  virtual Status BeginCapture() = 0;
  // Whether all since BeginCapture can be queued again; FailedPrecondition says why not.
  virtual Status CheckCapture() = 0;
  // The work, none of which is done yet; or why it cannot be queued.
  virtual Result<std::unique_ptr<CapturedWork>> EndCapture() = 0;
};

}  // namespace tfbuild
