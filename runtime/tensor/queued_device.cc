#include "tensor/queued_device.h"

namespace tfbuild {

Moment::~Moment() = default;

CapturedWork::~CapturedWork() = default;

QueuedDevice* QueuedDevice::From(Device* device) { return dynamic_cast<QueuedDevice*>(device); }

}  // namespace tfbuild
