#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "io/whole_file.h"
#include "tensor/device.h"
#include "testing/test.h"

namespace tfbuild {
namespace testing {

// Whether the tests run on emulated GPUs, whose fastest algorithm is known, and note it in a folder of
// their own.
inline bool KeepsEmulatedAlgorithms() {
  const Device* last = LocalDevices().back();
  return last->description().find("emulated") != std::string::npos &&
         std::getenv("TFBUILD_GPU_ALGORITHMS") != nullptr &&
         std::getenv("TF_DETERMINISTIC_OPS") == nullptr;
}

// What the only file there says of the first task that begins so; empty where it has none.
inline std::string KeptAlgorithm(const std::string& task) {
  for (const auto& file :
       std::filesystem::directory_iterator(std::getenv("TFBUILD_GPU_ALGORITHMS"))) {
    const std::string text = *ReadWholeFile(file.path().string());
    const size_t at = text.find("\n" + task);
    if (at == std::string::npos) continue;
    const size_t tab = text.find('\t', at);
    return text.substr(tab + 1, text.find('\n', tab) - tab - 1);
  }
  return "";
}

}  // namespace testing
}  // namespace tfbuild
