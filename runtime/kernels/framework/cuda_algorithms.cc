// Where the fastest algorithms of a GPU are kept.
#include "kernels/framework/cuda_algorithms.cuh"

#include <cublasLt.h>
#include <cudnn.h>

#include <cstdio>
#include <fstream>
#include <memory>

namespace tfbuild {
namespace {

// The kernel module's own line; where there is none, the newest CUDA that the driver knows.
std::string DriverVersion() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  if (std::getline(file, line)) {
    std::replace(line.begin(), line.end(), '\t', ' ');
    return line;
  }
  int version = 0;
  cudaDriverGetVersion(&version);
  return StrCat("CUDA ", version);
}

}  // namespace

AlgorithmFile* AlgorithmsOf(const CudaDevice& device) {
  static std::mutex* mutex = new std::mutex;
  static auto* files = new std::map<std::string, std::unique_ptr<AlgorithmFile>>;
  std::lock_guard<std::mutex> lock(*mutex);
  std::unique_ptr<AlgorithmFile>& file = (*files)[device.description()];
  if (file == nullptr) {
    const std::string name = StrCat(device.description(), "; driver ", DriverVersion(), "; cuDNN ",
                                    cudnnGetVersion(), "; cuBLAS ", cublasLtGetVersion());
    file = std::make_unique<AlgorithmFile>(AlgorithmFile::Folder(), name);
  }
  return file.get();
}

void KeepAlgorithm(const CudaDevice& device, const std::string& task,
                   const std::string& algorithm) {
  const Status kept = AlgorithmsOf(device)->Keep(task, algorithm);
  static std::atomic<bool> reported{false};
  if (kept.ok() || reported.exchange(true)) return;
  std::fprintf(stderr, "tfbuild: GPU algorithms are not kept for later programs: %s\n",
               kept.message().c_str());
}

}  // namespace tfbuild
