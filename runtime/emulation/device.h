#pragma once

// The emulated GPUs: their memory, which only they can touch, and the work that waits for them.

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "emulation/include/cuda_runtime_api.h"

namespace emulation {

// Device memory. Each block lies between two pages that nobody can touch, its last byte beside the
// second one (so it is aligned no better than its size is), and is itself out of reach but for work
// of this GPU. Addresses come back late, so that what still uses a freed block is found. New memory
// holds 0xff (NaN, or -1), large blocks at both ends.
class Memory {
 public:
  explicit Memory(size_t bytes);
  // Null where there is no room for it.
  void* Allocate(size_t bytes);
  // Whether `data` was the beginning of a block.
  bool Free(void* data);
  // Lets the blocks be touched, and ends that.
  void Open();
  void Close();

  // Whether the address lies in this memory, blocks or not.
  bool Holds(const void* address) const;
  // Says on the standard error what lies around an address that was touched wrongly.
  void Describe(const void* address) const;

 private:
  struct Block {
    char* data;
    size_t bytes;
    char* pages;  // what of it is not guard
    size_t page_bytes;
  };
  char* TakePages(size_t bytes);
  void Protect(const Block& block, int protection) const;
  const size_t limit_;
  size_t used_ = 0;
  char* base_;
  size_t next_ = 0;
  std::map<size_t, size_t> free_;   // offset to bytes, neighbours joined
  std::map<char*, Block> blocks_;   // by data
  int openings_ = 0;  // that have not been closed
  bool is_open_ = false;
};

struct Gpu {
  Gpu(int number, int of_processors);
  const int ordinal;
  const int processors;
  Memory memory;
};

// The memory that each GPU says it has: EMULATION_GIGABYTES, or 8.
size_t GpuBytes();

// All calls of the interface and all kernels hold this: one thing happens at a time.
std::mutex& TheMutex();
// The GPUs that EMULATION_GPUS lists by their number of processors ("2,5" if it is not set).
const std::vector<std::unique_ptr<Gpu>>& TheGpus();
// All that were made, of all GPUs.
std::vector<std::unique_ptr<CUstream_st>>& Streams();
// The one that this thread's calls go to.
Gpu* CurrentGpu();

// As memset; zeros take no memory of the host.
void Fill(void* to, int value, size_t bytes);
// One thing that a stream has to do.
struct Work {
  std::function<void()> run;      // on the stream's GPU; null where it only waits
  Gpu* peer = nullptr;            // whose memory it touches as well
  CUstream_st* after = nullptr;   // a stream of which number `last` must be done before
  uint64_t last = 0;
};

// Notes the work, in the graph where the stream is being captured. It is done when somebody waits for
// it, or when very much has been noted; with EMULATION_STRICT=1 of some streams, for a while, now and
// then at once.
void Enqueue(cudaStream_t stream, Work work);
inline void Enqueue(cudaStream_t stream, std::function<void()> run) {
  Enqueue(stream, Work{std::move(run)});
}
// Does what is queued up to and with item `last`, and what that waits for. The caller holds
// TheMutex().
void RunUntil(CUstream_st* stream, uint64_t last);
// Notes an error for cudaGetLastError.
cudaError_t Note(cudaError_t error);

}  // namespace emulation

struct CUgraph_st {
  std::vector<emulation::Work> work;
  bool is_valid = true;
};

struct CUgraphExec_st {
  std::vector<emulation::Work> work;
  emulation::Gpu* gpu;
};

struct CUstream_st {
  emulation::Gpu* gpu;
  std::deque<emulation::Work> work;
  uint64_t queued = 0;
  uint64_t done = 0;
  CUgraph_st* captured = nullptr;  // while it is being captured
  bool is_hasty = false;           // goes on now and then before somebody waits
};

struct CUevent_st {
  CUstream_st* stream = nullptr;
  uint64_t last = 0;
  bool of_capture = false;
};
