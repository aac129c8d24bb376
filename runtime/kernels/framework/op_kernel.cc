#include "kernels/framework/op_kernel.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "base/fork.h"
#include "kernels/framework/async_op_kernel.h"
#include "kernels/framework/step_context.h"
#include "kernels/framework/variable.h"
#include "tensor/queued_device.h"

namespace tfbuild {
namespace {

// Marks the tensors of each argument, in order, by `on_host(argument name)`.
std::vector<bool> MarkTensors(const std::vector<ArgDef>& args, const AttrMap& attrs,
                              const Kernel& kernel) {
  std::vector<bool> marks;
  for (const ArgDef& arg : args) {
    int64_t count = 1;
    if (!arg.number_attr.empty()) {
      const Result<int64_t> number = GetAttr<int64_t>(attrs, arg.number_attr);
      count = number.ok() ? *number : 0;
    } else if (!arg.type_list_attr.empty()) {
      const auto types = GetAttr<std::vector<DType>>(attrs, arg.type_list_attr);
      count = types.ok() ? static_cast<int64_t>(types->size()) : 0;
    }
    const bool on_host = kernel.device() == DeviceType::kCpu || kernel.OnHost(arg.name);
    marks.insert(marks.end(), static_cast<size_t>(count), on_host);
  }
  return marks;
}

// Variants come from no allocator, and are handed on all the same.
bool IsSoleOwner(const Tensor& tensor) {
  if (tensor.dtype() != DType::kVariant || tensor.buffer().use_count() != 1) {
    return tensor.SoleOwner();
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return true;
}

// A step may have host memory of its own.
Allocator* HostAllocator(const StepContext* step) {
  return step != nullptr && step->memory != nullptr ? step->memory : CpuAllocator();
}

}  // namespace

Allocator* OpKernelContext::OutputAllocator(int i) const {
  // Handles lie on the host, whatever the device.
  const bool on_host = params_.output_on_host[i] || node().output(i).dtype == DType::kResource;
  return on_host ? HostAllocator(step()) : device()->allocator();
}

Result<std::vector<Tensor>> OpKernelContext::KeptInputs(int first, int count) const {
  std::vector<Tensor> kept;
  for (int i = first; i < first + count; ++i) {
    ASSIGN_OR_RETURN(Tensor value, input(i).Kept());
    kept.push_back(std::move(value));
  }
  return kept;
}

Result<Tensor*> OpKernelContext::AllocateOutput(int i, const Shape& shape) {
  ASSIGN_OR_RETURN(params_.outputs[i].value,
                   Tensor::Allocate(OutputAllocator(i), node().output(i).dtype, shape));
  return &params_.outputs[i].value;
}

Result<Tensor*> OpKernelContext::ForwardOrAllocateOutput(std::initializer_list<int> candidates,
                                                         int i, const Shape& shape) {
  for (const int candidate : candidates) {
    const Tensor& input = params_.inputs[candidate]->value;
    if (params_.input_is_last != nullptr && !params_.input_is_last[candidate]) continue;
    const bool same_place = params_.input_on_host[candidate] == params_.output_on_host[i];
    if (same_place && IsSoleOwner(input) && input.dtype() == node().output(i).dtype &&
        input.shape() == shape) {
      params_.outputs[i].value = input;
      return &params_.outputs[i].value;
    }
  }
  return AllocateOutput(i, shape);
}

Result<Tensor> OpKernelContext::AllocateTemp(DType dtype, const Shape& shape) {
  const bool on_host = device()->type() == DeviceType::kCpu;
  return Tensor::Allocate(on_host ? HostAllocator(step()) : device()->allocator(), dtype, shape);
}

Result<Tensor*> OpKernelContext::MutableValue(Variable* variable) {
  Tensor& value = variable->value;
  if (!value.initialized()) {
    return FailedPrecondition("Attempting to use uninitialized value in ", node().name());
  }
  if (value.SoleOwner()) return &value;
  QueuedDevice* const queued = QueuedDevice::From(device());
  if (queued != nullptr && queued->CheckCapture().ok()) {
    return FailedPrecondition(node().name(), " changes in captured work what somebody still reads");
  }
  ASSIGN_OR_RETURN(Tensor copy,
                   Tensor::Allocate(device()->allocator(), value.dtype(), value.shape()));
  RETURN_IF_ERROR(device()->CopyWithin(value, &copy));
  value = std::move(copy);
  return &value;
}

Status AsyncOpKernel::Compute(OpKernelContext* context) {
  std::mutex mutex;
  std::condition_variable arrived;
  std::optional<Status> status;
  ComputeAsync(context, [&](const Status& outcome) {
    std::lock_guard<std::mutex> lock(mutex);
    status = outcome;
    arrived.notify_one();
  });
  const auto has_arrived = [&] { return status.has_value(); };
  StepContext* step = context->step();
  std::optional<ForkAllowed> allowed;  // outlives the lock, which a fork must not wait for
  std::unique_lock<std::mutex> lock(mutex);
  if (has_arrived()) return *status;
  allowed.emplace();  // nothing is computed here meanwhile
  if (step != nullptr) {
    step->Wait(&lock, &arrived, has_arrived);
  } else {
    arrived.wait(lock, has_arrived);
  }
  return *status;
}

Kernel::Kernel(std::string_view op) : op_(op) {}
Kernel::Kernel(const Kernel& other) = default;
Kernel::~Kernel() = default;

Kernel& Kernel::OnCpu() {
  device_ = DeviceType::kCpu;
  return *this;
}

Kernel& Kernel::OnGpu() {
  device_ = DeviceType::kGpu;
  return *this;
}

Kernel& Kernel::Type(std::string_view attr, DType dtype) {
  types_.emplace_back(attr, dtype);
  return *this;
}

Kernel& Kernel::HostMemory(std::string_view argument) {
  host_memory_.emplace_back(argument);
  return *this;
}

bool Kernel::TypesMatch(const AttrMap& attrs) const {
  return std::all_of(types_.begin(), types_.end(), [&attrs](const auto& constraint) {
    const Result<DType> type = GetAttr<DType>(attrs, constraint.first);
    return type.ok() && *type == constraint.second;
  });
}

bool Kernel::OnHost(const std::string& argument) const {
  return std::find(host_memory_.begin(), host_memory_.end(), argument) != host_memory_.end();
}

std::string Kernel::Key() const {
  std::string key = StrCat(op_, " ", DeviceTypeName(device_));
  for (const auto& [attr, type] : types_) key += StrCat(" ", attr, "=", DTypeName(type));
  return key;
}

KernelRegistry& KernelRegistry::Global() {
  static KernelRegistry* registry = new KernelRegistry;
  return *registry;
}

void KernelRegistry::Register(const Kernel& kernel, KernelFactory make, const char* file) {
  const std::string key = kernel.Key();
  const auto [begin, end] = by_op_.equal_range(kernel.op());
  for (auto known = begin; known != end; ++known) {
    if (known->second.kernel.Key() != key) continue;
    std::fprintf(stderr, "tfbuild: kernel %s is registered in %s and %s\n", key.c_str(),
                 known->second.file, file);
    std::abort();
  }
  by_op_.emplace(kernel.op(), KernelRegistration{kernel, make, file});
}

std::unique_ptr<OpKernel> KernelRegistry::MakeOnCpu(const std::string& op, DType dtype) const {
  const auto range = by_op_.equal_range(op);
  for (auto found = range.first; found != range.second; ++found) {
    const Kernel& kernel = found->second.kernel;
    if (kernel.device() == DeviceType::kCpu && kernel.types().size() == 1 &&
        kernel.types()[0] == std::pair<std::string, DType>("T", dtype)) {
      return found->second.make();
    }
  }
  return nullptr;
}

Result<const KernelRegistration*> KernelRegistry::Find(const Node& node, DeviceType device) const {
  const auto [begin, end] = by_op_.equal_range(node.op().name);
  std::vector<std::string> known;
  for (auto candidate = begin; candidate != end; ++candidate) {
    const Kernel& kernel = candidate->second.kernel;
    if (kernel.device() == device && kernel.TypesMatch(node.attrs())) return &candidate->second;
    known.push_back(kernel.Key());
  }
  return NotFound("no ", DeviceTypeName(device), " kernel for node '", node.name(), "' (",
                  node.op().name, ") with these types; registered: ",
                  known.empty() ? "none" : StrJoin(known, ", "));
}

std::vector<bool> InputsOnHost(const KernelRegistration& registration, const Node& node) {
  return MarkTensors(node.op().inputs, node.attrs(), registration.kernel);
}

std::vector<bool> OutputsOnHost(const KernelRegistration& registration, const Node& node) {
  return MarkTensors(node.op().outputs, node.attrs(), registration.kernel);
}

}  // namespace tfbuild
