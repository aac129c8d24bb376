// Convolutions by cuDNN: which of its ways is taken, and its workspace. cuDNN is asked for a graph; what it
// has no graph for, or none that works, its functions do.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>

#include "kernels/framework/cuda_algorithms.cuh"
#include "kernels/framework/cuda_context.cuh"
#include "kernels/nn/cudnn_ways.cuh"

namespace tfbuild {
namespace {

// Memory that a way may ask for.
constexpr size_t kMaxWorkspace = size_t{1} << 30;
constexpr int64_t kMostAlignment = 16;  // of an access

// What is known of one convolution. Used under the lock of the handle.
struct Plan {
  CudnnWays ways;         // best first; those that cuDNN turned out not to do are taken out
  bool of_graph = true;   // what the ways are
  bool ordered = false;   // by time, where that counts
  std::string why;        // the last one was taken out, or there was none
  std::string task;       // in words for AlgorithmFile
};

bool AllowsGraphs() {
  static const bool allowed = [] {
    const char* const value = std::getenv("TFBUILD_CUDNN_GRAPHS");
    return value == nullptr || std::string(value) != "0";
  }();
  return allowed;
}

Status CheckSizes(const CudnnConvolution& c) {
  for (const int64_t size : {c.batch, c.in_channels, c.out_channels, c.rows.input, c.cols.input,
                             c.rows.filter, c.cols.filter, c.rows.stride, c.cols.stride,
                             c.rows.dilation, c.cols.dilation, c.rows.pad, c.cols.pad}) {
    if (size > std::numeric_limits<int>::max()) {
      return Unimplemented("a convolution with a size of ", size, " on a GPU");
    }
  }
  return OkStatus();
}

using Key = std::vector<int64_t>;

Key MakeKey(const CudaDevice& device, const CudnnConvolution& c) {
  Key key = {device.ordinal(), static_cast<int64_t>(c.direction), static_cast<int64_t>(c.dtype),
             c.channels_last, c.batch, c.in_channels, c.out_channels, c.groups, c.then.bias,
             c.then.residual, static_cast<int64_t>(c.then.activation), c.alignment};
  for (const CudnnWindow* w : {&c.rows, &c.cols}) {
    key.insert(key.end(), {w->input, w->filter, w->stride, w->dilation, w->pad, w->output});
  }
  return key;
}

// The plans of the process. A plan belongs to one device and is used under the lock of its handle.
class Plans {
 public:
  static Plans& Global() {
    static Plans* plans = new Plans;  // never destroyed: cuDNN may be gone by then
    return *plans;
  }
  Plan* Find(const Key& key) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = plans_.find(key);
    return found == plans_.end() ? nullptr : found->second.get();
  }
  Plan* Add(const Key& key, std::unique_ptr<Plan> plan) {
    std::lock_guard<std::mutex> lock(mutex_);
    return plans_.emplace(key, std::move(plan)).first->second.get();
  }

 private:
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<Plan>> plans_;
};

std::string NameOf(const CudnnConvolution& c) {
  std::vector<std::string> ops = c.then.fused_ops();
  ops.insert(ops.begin(), "convolution");
  return StrCat(StrJoin(ops, ", "), " of ", DTypeName(c.dtype), " with ",
                c.channels_last ? "NHWC" : "NCHW", " images");
}

Status NoAlgorithm(const CudnnConvolution& c, const Plan& plan) {
  return Unimplemented("cuDNN has no algorithm for this ", NameOf(c), plan.why.empty() ? "" : "; ",
                       plan.why);
}

// Takes the ways that were found. An error other than that there are none is returned.
Status TakeWays(Result<CudnnWays> found, Plan* plan) {
  plan->ordered = false;
  plan->ways.clear();
  if (!found.ok()) {
    plan->why = found.status().message();
    return found.status().code() == Code::kUnimplemented ? OkStatus() : found.status();
  }
  plan->ways = *std::move(found);
  // The same numbers in each run are worth more than the last bit of speed.
  std::stable_partition(plan->ways.begin(), plan->ways.end(),
                        [](const auto& way) { return way->deterministic(); });
  return OkStatus();
}

// Those of the graph, where the same bits are wanted each time without engines that do not promise them.
Status TakeGraph(const CudaDevice& device, cudnnHandle_t handle, const CudnnConvolution& c,
                 Plan* plan) {
  RETURN_IF_ERROR(TakeWays(FindGraphWays(handle, c, device.allow_tf32()), plan));
  if (!device.wants_one_result()) return OkStatus();
  const auto end = std::find_if(plan->ways.begin(), plan->ways.end(),
                                [](const auto& way) { return !way->deterministic(); });
  plan->ways.erase(end, plan->ways.end());
  return OkStatus();
}

// The functions' ways in the place of the graph's, of which none is left.
Status TakeCalls(const CudaDevice& device, cudnnHandle_t handle, const CudnnConvolution& c,
                 Plan* plan) {
  const std::string why = plan->why;
  plan->of_graph = false;
  RETURN_IF_ERROR(TakeWays(FindCallWays(handle, c, device.allow_tf32()), plan));
  if (!plan->ways.empty() && AllowsGraphs()) {
    std::fprintf(stderr, "tfbuild: cuDNN's functions compute a %s, as it has no graph for it%s%s\n",
                 NameOf(c).c_str(), why.empty() ? "" : ": ", why.c_str());
  }
  return OkStatus();
}

// The plan, made when it is not there yet. The caller holds the handle.
Result<Plan*> FindOrMakePlan(const CudaDevice& device, cudnnHandle_t handle,
                             const CudnnConvolution& c) {
  const Key key = MakeKey(device, c);
  if (Plan* known = Plans::Global().Find(key)) return known;
  RETURN_IF_ERROR(CheckSizes(c));
  auto plan = std::make_unique<Plan>();
  // The device's number, which comes first, is no part of it.
  plan->task = StrCat(device.allow_tf32() ? "convolution tf32 " : "convolution ",
                      StrJoin(Key(key.begin() + 1, key.end()), " "));
  if (AllowsGraphs()) RETURN_IF_ERROR(TakeGraph(device, handle, c, plan.get()));
  if (plan->ways.empty()) RETURN_IF_ERROR(TakeCalls(device, handle, c, plan.get()));
  return Plans::Global().Add(key, std::move(plan));
}

Status Try(OpKernelContext* context, cudnnHandle_t handle, CudnnWay* way,
           const CudnnBuffers& buffers) {
  ASSIGN_OR_RETURN(const size_t bytes, way->Prepare(handle));
  if (bytes > kMaxWorkspace) return Unimplemented("it wants a workspace of ", bytes, " bytes");
  ASSIGN_OR_RETURN(Tensor workspace,
                   context->AllocateTemp(DType::kUint8, Shape{static_cast<int64_t>(bytes)}));
  return way->Run(handle, buffers, workspace.raw());
}

// Of those that give the same numbers in each run, if there are any: they come first.
size_t NumTimed(const Plan& plan) {
  const auto count = std::count_if(plan.ways.begin(), plan.ways.end(),
                                   [](const auto& way) { return way->deterministic(); });
  return count > 0 ? static_cast<size_t>(count) : plan.ways.size();
}

// Puts the fastest one first: the one that was so in an earlier program, else by trying all.
template <typename Run>
Status Order(const CudaDevice& device, const Run& run, Plan* plan) {
  plan->ordered = true;
  auto best = plan->ways.end();
  if (const auto text = AlgorithmsOf(device)->Find(plan->task)) {
    best = std::find_if(plan->ways.begin(), plan->ways.end(),
                        [&](const auto& way) { return way->name() == *text; });
  }
  if (best == plan->ways.end()) {
    const Result<Fastest> fastest = FindFastest(device, NumTimed(*plan), run);
    const Code code = fastest.status().code();
    if (code == Code::kUnimplemented || code == Code::kResourceExhausted) return OkStatus();
    RETURN_IF_ERROR(fastest.status());
    best = plan->ways.begin() + static_cast<std::ptrdiff_t>(fastest->index);
    if (fastest->all_tried) KeepAlgorithm(device, plan->task, (*best)->name());
  }
  std::rotate(plan->ways.begin(), best, best + 1);
  return OkStatus();
}

// Runs the first way that works, the fastest first where that counts. Unimplemented where none does.
template <typename Run>
Status RunBest(const CudaDevice& device, const CudnnConvolution& c, const Run& run, Plan* plan) {
  if (!plan->ordered && !device.wants_one_result()) RETURN_IF_ERROR(Order(device, run, plan));
  // Memory that is not there may be there the next time: only what cuDNN does not do is taken out.
  std::string lack;
  for (size_t i = 0; i < plan->ways.size();) {
    const Status status = run(i);
    if (status.code() == Code::kUnimplemented) {
      plan->why = status.message();
      plan->ways.erase(plan->ways.begin() + static_cast<std::ptrdiff_t>(i));
    } else if (status.code() == Code::kResourceExhausted) {
      lack = status.message();
      ++i;
    } else {
      return status;
    }
  }
  return lack.empty() ? NoAlgorithm(c, *plan) : ResourceExhausted(lack);
}

// What divides all addresses, up to kMostAlignment.
int64_t AlignmentOf(const CudnnBuffers& buffers) {
  uintptr_t bits = kMostAlignment;
  for (const void* data : {static_cast<const void*>(buffers.input),
                           static_cast<const void*>(buffers.filter),
                           static_cast<const void*>(buffers.output), buffers.bias,
                           buffers.residual}) {
    bits |= reinterpret_cast<uintptr_t>(data);
  }
  return static_cast<int64_t>(bits & (~bits + 1));
}

}  // namespace

Status CheckCudnnConvolution(OpKernelContext* context, const CudnnConvolution& convolution) {
  CudaDevice* device = CudaDeviceOf(context);
  ASSIGN_OR_RETURN(const LockedHandle<cudnnContext> cudnn, device->LockCudnn());
  ASSIGN_OR_RETURN(const Plan* plan, FindOrMakePlan(*device, cudnn.handle, convolution));
  return plan->ways.empty() ? NoAlgorithm(convolution, *plan) : OkStatus();
}

Status RunCudnnConvolution(OpKernelContext* context, CudnnConvolution convolution,
                           const CudnnBuffers& buffers) {
  convolution.alignment = AlignmentOf(buffers);
  CudaDevice* device = CudaDeviceOf(context);
  ASSIGN_OR_RETURN(const LockedHandle<cudnnContext> cudnn, device->LockCudnn());
  ASSIGN_OR_RETURN(Plan * plan, FindOrMakePlan(*device, cudnn.handle, convolution));
  const auto run = [&](size_t i) {
    return Try(context, cudnn.handle, plan->ways[i].get(), buffers);
  };
  const Status status = RunBest(*device, convolution, run, plan);
  if (status.code() != Code::kUnimplemented || !plan->of_graph) return status;
  RETURN_IF_ERROR(TakeCalls(*device, cudnn.handle, convolution, plan));
  return RunBest(*device, convolution, run, plan);
}

}  // namespace tfbuild
