#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/status.h"

namespace tfbuild {

// Which algorithm was the fastest for what on one kind of GPU, kept in a file from one process to the
// next. Thread-safe; writers of several processes may lose each other's latest lines, never more.
class AlgorithmFile {
 public:
  // `device` is all that may change what is fastest: the GPU's name, driver, versions of libraries.
  // What the file of that name in `folder` holds is read where it was written for the same device; a
  // damaged or foreign one is reported on the standard error and left alone. No folder: nothing is kept.
  AlgorithmFile(const std::string& folder, std::string device);

  std::optional<std::string> Find(const std::string& task) const;
  // Notes it, and writes the file anew, aside and then into place. Neither word may hold a tab or the
  // end of a line. An error says why nothing was written; it is noted all the same.
  Status Keep(const std::string& task, const std::string& algorithm);

  // TFBUILD_GPU_ALGORITHMS, empty for none; else tfbuild-runtime/gpu_algorithms in the user's folder
  // for caches (XDG_CACHE_HOME, ~/.cache). Empty where there is none.
  static std::string Folder();

 private:
  using Lines = std::map<std::string, std::string>;
  Result<Lines> Read() const;
  Status Write() const;

  const std::string folder_;
  const std::string device_;
  const std::string path_;
  mutable std::mutex mutex_;
  Lines lines_;
};

}  // namespace tfbuild
