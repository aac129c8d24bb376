#include "kernels/framework/algorithm_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/c_locale.h"
#include "io/crc32c.h"
#include "io/file.h"
#include "io/temporary_name.h"
#include "io/whole_file.h"

namespace tfbuild {
namespace {

constexpr char kFirstWords[] = "tfbuild algorithms 1\t";
constexpr char kLastWords[] = "crc32c\t";

// A name that files can have.
std::string FileName(std::string device) {
  for (char& letter : device) {
    if (!IsAlphanumeric(letter) && letter != '.') letter = '_';
  }
  return StrCat(device.substr(0, 150), ".", Crc32c(device), ".txt");
}

bool IsOurs(const std::string& path) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0) return false;
  return (found.st_uid == geteuid() || found.st_uid == 0) &&
         (found.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

void MakeFolders(const std::string& folder) {
  for (size_t at = folder.find('/', 1); ; at = folder.find('/', at + 1)) {
    mkdir(folder.substr(0, at).c_str(), 0700);
    if (at == std::string::npos) return;
  }
}

// The next line and what is behind it; false where no line ends any more.
bool TakeLine(std::string_view* text, std::string_view* line) {
  const size_t end = text->find('\n');
  if (end == std::string_view::npos) return false;
  *line = text->substr(0, end);
  text->remove_prefix(end + 1);
  return true;
}

bool IsWord(const std::string& word) {
  return word.find_first_of("\t\n") == std::string::npos;
}

Status WriteWhole(const std::string& path, const std::string& text) {
  ASSIGN_OR_RETURN(const auto file, FileOutput::Open(path, FileOutput::Mode::kNew));
  RETURN_IF_ERROR(file->Append(text));
  return file->Close();
}

}  // namespace

std::string AlgorithmFile::Folder() {
  const auto variable = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text == nullptr ? "" : text);
  };
  if (std::getenv("TFBUILD_GPU_ALGORITHMS") != nullptr) return variable("TFBUILD_GPU_ALGORITHMS");
  const std::string caches = variable("XDG_CACHE_HOME");
  const std::string home = variable("HOME");
  if (caches.empty() && home.empty()) return "";
  return StrCat(caches.empty() ? home + "/.cache" : caches, "/tfbuild-runtime/gpu_algorithms");
}

AlgorithmFile::AlgorithmFile(const std::string& folder, std::string device)
    : folder_(folder),
      device_(std::move(device)),
      path_(folder.empty() ? "" : StrCat(folder, "/", FileName(device_))) {
  Result<Lines> lines = Read();
  if (lines.ok()) {
    lines_ = std::move(*lines);
  } else if (lines.status().code() != Code::kNotFound) {
    std::fprintf(stderr, "tfbuild: GPU algorithms of earlier programs are not used: %s\n",
                 lines.status().message().c_str());
  }
}

std::optional<std::string> AlgorithmFile::Find(const std::string& task) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = lines_.find(task);
  return found == lines_.end() ? std::nullopt : std::optional<std::string>(found->second);
}

Status AlgorithmFile::Keep(const std::string& task, const std::string& algorithm) {
  if (!IsWord(task) || !IsWord(algorithm)) return Internal("no word of a file: ", task);
  std::lock_guard<std::mutex> lock(mutex_);
  lines_[task] = algorithm;
  if (path_.empty()) return OkStatus();
  MakeFolders(folder_);
  if (!IsOurs(folder_)) return FailedPrecondition(folder_, " can be changed by other users");
  // What other processes have found meanwhile. What is damaged is written anew, and nothing else.
  Result<Lines> lines = Read();
  if (lines.ok()) lines_.merge(*lines);
  else if (lines.status().code() == Code::kFailedPrecondition) return lines.status();
  return Write();
}

Result<AlgorithmFile::Lines> AlgorithmFile::Read() const {
  if (path_.empty() || access(path_.c_str(), F_OK) != 0) return NotFound("no file ", path_);
  if (!IsOurs(folder_) || !IsOurs(path_)) {
    return FailedPrecondition(path_, " can be changed by other users");
  }
  ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(path_));
  const size_t end = text.rfind(kLastWords);
  if (end == std::string::npos ||
      text.substr(end) != StrCat(kLastWords, Crc32c(std::string_view(text).substr(0, end)), "\n")) {
    return DataLoss(path_, " is damaged");
  }
  std::string_view rest = std::string_view(text).substr(0, end);
  std::string_view line;
  if (!TakeLine(&rest, &line) || line != kFirstWords + device_) {
    return FailedPrecondition(path_, " was written for another GPU, driver or library");
  }
  Lines lines;
  while (TakeLine(&rest, &line)) {
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return DataLoss(path_, " is damaged");
    lines.emplace(line.substr(0, tab), line.substr(tab + 1));
  }
  return lines;
}

Status AlgorithmFile::Write() const {
  std::string text = StrCat(kFirstWords, device_, "\n");
  for (const auto& [task, algorithm] : lines_) text += StrCat(task, "\t", algorithm, "\n");
  text += StrCat(kLastWords, Crc32c(text), "\n");
  const std::string aside = TemporaryName(path_);
  const Status written = WriteWhole(aside, text);
  // A wide umask would let others change it, and nobody would read it then.
  if (written.ok() && chmod(aside.c_str(), 0600) == 0) return RenameFile(aside, path_);
  const Status failed = written.ok() ? FileError(aside, "change the mode of") : written;
  unlink(aside.c_str());
  return failed;
}

}  // namespace tfbuild
