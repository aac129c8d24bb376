// CUDA's streams, events and graphs: how pieces of work wait for each other, and work that is kept and
// queued again. What waits for work that is only being captured is refused, as CUDA does.
#include "emulation/device.h"

namespace emulation {
namespace {

uint64_t num_waits = 0;

// The host waits.
void WaitFor(CUstream_st* stream, uint64_t last) {
  num_waits += stream->done < last;
  RunUntil(stream, last);
}

// Whoever waits for a stream that is being captured makes the capture come to nothing.
cudaError_t Invalidate(CUstream_st* stream, cudaError_t error) {
  stream->captured->is_valid = false;
  return Note(error);
}

}  // namespace

std::vector<std::unique_ptr<CUstream_st>>& Streams() {
  static auto* streams = new std::vector<std::unique_ptr<CUstream_st>>;
  return *streams;
}

}  // namespace emulation

using emulation::Note;

extern "C" {

// For tests: how often the host has waited for what was not done yet, and how much is left to do.
uint64_t EmulationWaits() {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  return emulation::num_waits;
}
uint64_t EmulationWorkLeft() {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  uint64_t left = 0;
  for (const auto& stream : emulation::Streams()) left += stream->queued - stream->done;
  return left;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  emulation::Streams().push_back(std::make_unique<CUstream_st>());
  *stream = emulation::Streams().back().get();
  (*stream)->gpu = emulation::CurrentGpu();
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  if (stream->captured != nullptr) {
    return emulation::Invalidate(stream, cudaErrorStreamCaptureUnsupported);
  }
  emulation::WaitFor(stream, stream->queued);
  return cudaSuccess;
}

// For what the event is now: it may be recorded again at once.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  if (stream->captured != nullptr) {
    return emulation::Invalidate(stream, cudaErrorStreamCaptureIsolation);
  }
  if (event->of_capture) return Note(cudaErrorInvalidValue);
  if (event->stream != nullptr) {
    emulation::Enqueue(stream, emulation::Work{nullptr, nullptr, event->stream, event->last});
  }
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  *event = {stream, stream->queued, stream->captured != nullptr};
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  if (event->stream == nullptr) return cudaSuccess;
  return event->stream->done >= event->last ? cudaSuccess : Note(cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  if (event->stream == nullptr) return cudaSuccess;
  if (event->of_capture) return Note(cudaErrorInvalidValue);
  emulation::WaitFor(event->stream, event->last);
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  if (stream->captured != nullptr) return Note(cudaErrorInvalidValue);
  stream->captured = new CUgraph_st;
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  *status = stream->captured == nullptr    ? cudaStreamCaptureStatusNone
            : stream->captured->is_valid ? cudaStreamCaptureStatusActive
                                         : cudaStreamCaptureStatusInvalidated;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  *graph = stream->captured;
  stream->captured = nullptr;
  if (*graph == nullptr) return Note(cudaErrorInvalidValue);
  if ((*graph)->is_valid) return cudaSuccess;
  delete *graph;
  *graph = nullptr;
  return Note(cudaErrorStreamCaptureInvalidated);
}

// Only how many there are.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  if (nodes != nullptr) return Note(cudaErrorInvalidValue);
  *count = graph->work.size();
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long) {
  *executable = new CUgraphExec_st{graph->work, emulation::CurrentGpu()};
  return cudaSuccess;
}

// Each time with the arguments of then.
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(emulation::TheMutex());
  if (executable->gpu != stream->gpu) return Note(cudaErrorInvalidValue);
  for (const emulation::Work& work : executable->work) emulation::Enqueue(stream, work);
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}

}  // extern "C"
