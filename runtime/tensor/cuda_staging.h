#pragma once

// Seen by tensor/cuda_*.cc only.

#include <cuda_runtime_api.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>

#include "base/status.h"

namespace tfbuild {

// Pinned memory of the host through which one GPU's copies flow: pieces of one size, at most
// kPieces of them, which are made when they are needed first. Several are on their way at once.
// Thread-safe.
class CudaStaging {
 public:
  static constexpr size_t kPiece = size_t{1} << 20;
  static constexpr int kPieces = 16;
  static constexpr size_t kOnTheirWay = 4;  // of one copy to the host

  // Queues a copy; `source` has been read when it returns.
  Status ToDevice(const char* source, char* target, size_t bytes, cudaStream_t stream);
  // Queues a copy and waits for it.
  Status ToHost(const char* source, char* target, size_t bytes, cudaStream_t stream);

 private:
  struct Piece {
    char* data = nullptr;
    cudaEvent_t event = nullptr;  // behind the copy that reads it or has written it
  };
  struct Arrival {
    Piece piece;
    char* target;
    size_t bytes;
  };

  // A piece that no copy uses. Where all are in use it waits; or, if it may not, gives one without
  // data.
  Result<Piece> Take(bool may_wait);
  Result<Piece> Make();
  void GiveBack(const Piece& piece);
  Status Arrive(const Arrival& arrival);

  std::mutex mutex_;
  std::condition_variable freed_;
  std::deque<Piece> free_;  // those that have been given back first are in front
  int made_ = 0;
  int most_ = kPieces;
};

}  // namespace tfbuild
