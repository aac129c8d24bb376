#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "io/coding.h"
#include "io/file.h"

// What the targets share. Each target is one file that defines LLVMFuzzerTestOneInput.
namespace tfbuild {
namespace fuzz {

inline std::string_view TextOf(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Ends the process, which is how a target says that something came out wrong.
inline void Require(bool right) {
  if (!right) std::abort();
}

// A folder of this process, which goes with it; for readers that take the path of a file.
class Folder {
 public:
  Folder() {
    const char* parent = std::getenv("TMPDIR");
    path_ = std::string(parent == nullptr ? "/tmp" : parent) + "/fuzz-XXXXXX";
    Require(mkdtemp(path_.data()) != nullptr);
  }
  ~Folder() { rmdir(path_.c_str()); }
  std::string At(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A file with these bytes, as long as this lives.
class WrittenFile {
 public:
  WrittenFile(std::string path, std::string_view bytes) : path_(std::move(path)) {
    const auto file = FileOutput::Open(path_, FileOutput::Mode::kTruncate);
    Require(file.ok() && (*file)->Append(bytes).ok() && (*file)->Close().ok());
  }
  ~WrittenFile() { unlink(path_.c_str()); }

 private:
  const std::string path_;
};

// An input of two files: the length of the first in four bytes, then both.
inline std::pair<std::string_view, std::string_view> TwoFiles(std::string_view input) {
  if (input.size() < 4) return {input, {}};
  const size_t first = Fixed32At(input.data());
  input.remove_prefix(4);
  return {input.substr(0, first), first < input.size() ? input.substr(first) : std::string_view()};
}

// The first byte says how to read the rest.
inline uint8_t TakeByte(std::string_view* input) {
  if (input->empty()) return 0;
  const uint8_t byte = static_cast<uint8_t>(input->front());
  input->remove_prefix(1);
  return byte;
}

}  // namespace fuzz
}  // namespace tfbuild
