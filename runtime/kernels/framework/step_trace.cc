#include "kernels/framework/step_trace.h"

#include <algorithm>

#include "base/c_locale.h"
#include "graph/tensor_proto.h"
#include "graph/wire_format.h"
#include "kernels/framework/variable.h"

namespace tfbuild {
namespace {

constexpr int64_t kNanosPerMicro = 1000;
// Kernels that take less are not worth a word in their label.
constexpr double kShown = 0.1 * 1048576;

// Fields of zero are left out, as in all messages.
void WriteInt(WireWriter* writer, int field, int64_t value) {
  if (value != 0) writer->Int(field, value);
}

bool IsCopy(const TracedRun& run) {
  return run.kind != TracedRun::Kind::kKernel && run.kind != TracedRun::Kind::kOnGpu;
}

// What TensorFlow calls the copies of a GPU, and what runs there.
const char* Activity(TracedRun::Kind kind) {
  switch (kind) {
    case TracedRun::Kind::kCopyToGpu: return "MEMCPYHtoD";
    case TracedRun::Kind::kCopyToHost: return "MEMCPYDtoH";
    default: return "MEMCPYP2P";
  }
}

std::string DeviceOf(const TracedRun& run) {
  if (run.kind == TracedRun::Kind::kKernel) return run.device->name();
  return StrCat("/device:", DeviceTypeName(run.device->type()), ":", run.device->ordinal(),
                IsCopy(run) ? "/memcpy" : "/stream:all");
}

std::string NameOf(const TracedRun& run) {
  if (run.kind == TracedRun::Kind::kKernel) return run.node->name();
  return StrCat(run.node->name(), ":", IsCopy(run) ? Activity(run.kind) : run.node->op().name);
}

}  // namespace

int64_t StepTrace::Now() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() -
                                                              begin_)
      .count();
}

void StepTrace::Add(TracedRun run) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (run.device->type() == DeviceType::kGpu) {
    std::string& name = allocators_[const_cast<Device*>(run.device)->allocator()];
    if (name.empty()) name = StrCat("GPU_", run.device->ordinal());
  }
  if (runs_.size() >= kMaxRuns) {
    ++dropped_;
    return;
  }
  const uint32_t next = static_cast<uint32_t>(threads_.size());
  run.thread = threads_.emplace(std::this_thread::get_id(), next).first->second;
  runs_.push_back(std::move(run));
}

size_t StepTrace::num_runs() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return runs_.size();
}

size_t StepTrace::num_dropped() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return dropped_;
}

std::string StepTrace::AllocatorName(const Allocator* allocator) const {
  const auto known = allocators_.find(allocator);
  return known == allocators_.end() ? "cpu" : known->second;
}

std::map<std::string, int64_t> StepTrace::PeakBytes() const {
  const std::vector<MemoryUse> uses = memory_.uses();
  std::lock_guard<std::mutex> lock(mutex_);
  std::map<std::string, int64_t> peaks;
  for (const MemoryUse& use : uses) peaks[AllocatorName(use.allocator)] += use.peak;
  return peaks;
}

std::string StepTrace::StepStats() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::map<std::string, std::vector<const TracedRun*>> by_device;
  for (const TracedRun& run : runs_) by_device[DeviceOf(run)].push_back(&run);
  WireWriter stats;
  for (auto& [device, runs] : by_device) {
    std::stable_sort(runs.begin(), runs.end(), [](const TracedRun* a, const TracedRun* b) {
      return a->start < b->start;
    });
    WireWriter writer;
    writer.Bytes(1, device);
    for (const TracedRun* run : runs) writer.Bytes(2, SerializeRun(*run));
    stats.Bytes(1, writer.Take());
  }
  return stats.Take();
}

std::string StepTrace::SerializeRun(const TracedRun& run) const {
  const int64_t began = std::chrono::duration_cast<std::chrono::nanoseconds>(
                            begin_of_day_.time_since_epoch())
                            .count();
  WireWriter writer;
  writer.Bytes(1, NameOf(run));
  WriteInt(&writer, 2, (began + run.start) / kNanosPerMicro);
  WriteInt(&writer, 3, (run.op_start - run.start) / kNanosPerMicro);
  WriteInt(&writer, 4, (run.op_end - run.start) / kNanosPerMicro);
  WriteInt(&writer, 5, (run.end - run.start) / kNanosPerMicro);
  int64_t temporary = 0;
  for (const MemoryUse& use : run.memory) {
    writer.Bytes(6, SerializeMemory(use));
    temporary += use.total - std::max<int64_t>(use.live, 0);
  }
  for (const TracedOutput& output : run.outputs) writer.Bytes(7, SerializeOutput(run, output));
  writer.Bytes(8, LabelOf(run));
  WriteInt(&writer, 9, (began + run.scheduled) / kNanosPerMicro);
  WriteInt(&writer, 10, run.thread);
  if (temporary > 0) {
    WireWriter memory_stats;
    memory_stats.Int(1, temporary);
    writer.Bytes(12, memory_stats.Take());
  }
  WriteInt(&writer, 13, began + run.start);
  WriteInt(&writer, 14, run.op_start - run.start);
  WriteInt(&writer, 15, run.op_end - run.start);
  WriteInt(&writer, 16, run.end - run.start);
  WriteInt(&writer, 17, began + run.scheduled);
  return writer.Take();
}

std::string StepTrace::SerializeOutput(const TracedRun& run, const TracedOutput& output) const {
  WireWriter allocation;
  WriteInt(&allocation, 1, output.bytes);
  WriteInt(&allocation, 2, output.allocated_bytes);
  const Allocator* allocator = const_cast<Device*>(run.device)->allocator();
  allocation.Bytes(3, output.on_host ? "cpu" : AllocatorName(allocator));
  WriteInt(&allocation, 5, output.sole_owner ? 1 : 0);
  WriteInt(&allocation, 6, static_cast<int64_t>(output.address));
  WireWriter tensor;
  tensor.Int(1, static_cast<int64_t>(output.dtype));
  tensor.Bytes(2, SerializeShape(output.shape));
  tensor.Bytes(4, allocation.Take());
  WireWriter writer;
  WriteInt(&writer, 1, output.slot);
  writer.Bytes(3, tensor.Take());
  return writer.Take();
}

std::string StepTrace::SerializeMemory(const MemoryUse& use) const {
  WireWriter writer;
  writer.Bytes(1, AllocatorName(use.allocator));
  WriteInt(&writer, 2, use.total);
  WriteInt(&writer, 3, use.peak);
  WriteInt(&writer, 4, use.live);
  return writer.Take();
}

std::string StepTrace::LabelOf(const TracedRun& run) const {
  if (run.label == nullptr) return NameOf(run);
  std::string label;
  for (const MemoryUse& use : run.memory) {
    if (static_cast<double>(use.total) < kShown) continue;
    const auto megabytes = [](int64_t bytes) {
      return FormatReal(" %.1fMB", static_cast<double>(bytes) / 1048576);
    };
    label += StrCat("[", AllocatorName(use.allocator), megabytes(use.total), megabytes(use.peak),
                    "] ");
  }
  return label + *run.label;
}

void TraceOutput(int slot, const Entry& output, bool on_host, TracedRun* run) {
  std::unique_lock<std::mutex> lock;
  if (output.variable != nullptr) lock = std::unique_lock<std::mutex>(output.variable->mutex);
  const Tensor& value = output.variable != nullptr ? output.variable->value : output.value;
  if (!value.initialized()) return;
  run->outputs.push_back({slot, value.dtype(), value.shape(),
                          static_cast<int64_t>(value.num_bytes()),
                          static_cast<int64_t>(value.buffer()->bytes()),
                          reinterpret_cast<uint64_t>(value.raw()),
                          value.buffer().use_count() == 1, on_host});
}

}  // namespace tfbuild
