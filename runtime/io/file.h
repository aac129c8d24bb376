#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/stream.h"

namespace tfbuild {

// The error of a system call that failed on a file, by errno: NotFound, PermissionDenied,
// ResourceExhausted for a full disk, Unknown for the rest.
Status FileError(const std::string& path, const char* what);

// A regular file that is written from its beginning, or on from its end; InvalidArgument for all
// else that can be opened: a pipe may keep us waiting.
class FileOutput final : public OutputStream {
 public:
  enum class Mode { kTruncate, kAppend, kNew };  // kNew: AlreadyExists where there is one
  static Result<std::unique_ptr<FileOutput>> Open(const std::string& path, Mode mode);
  ~FileOutput() override;

  Status Append(std::string_view bytes) override;
  Status Flush() override;
  Status Close() override;
  // Forgets what was not flushed and closes: for a process that does not own the file.
  void Abandon();
  // Bytes that were appended.
  uint64_t size() const { return size_; }

 private:
  FileOutput(std::string path, int file) : path_(std::move(path)), file_(file) {}
  Status WriteAll(std::string_view bytes);
  std::string path_;
  int file_;
  std::string buffer_;
  uint64_t size_ = 0;
};

// A file that is read from its beginning: a regular one, InvalidArgument for all else.
class FileInput final : public InputStream {
 public:
  static Result<std::unique_ptr<FileInput>> Open(const std::string& path);
  ~FileInput() override;
  Result<size_t> Read(char* to, size_t count) override;

 private:
  FileInput(std::string path, int file) : path_(std::move(path)), file_(file) {}
  Result<size_t> ReadSome(char* to, size_t count);
  Status CheckEnd();
  std::string path_;
  int file_;
  std::string buffer_;
  size_t at_ = 0;
  size_t filled_ = 0;
  uint64_t read_ = 0;
  uint64_t checked_size_ = 0;
};

// A regular file that is read at any place. Reading is thread-safe.
class RandomAccessFile {
 public:
  static Result<std::unique_ptr<RandomAccessFile>> Open(const std::string& path);
  ~RandomAccessFile();
  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;

  // Exactly `count` bytes from `offset`; DataLoss where the file has fewer.
  Status Read(uint64_t offset, size_t count, char* to) const;
  uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }

 private:
  RandomAccessFile(std::string path, int file, uint64_t size)
      : path_(std::move(path)), file_(file), size_(size) {}
  std::string path_;
  int file_;
  uint64_t size_;
};

bool FileExists(const std::string& path);
// Gives a file another name, in one step; what had that name is gone.
Status RenameFile(const std::string& from, const std::string& to);
Status DeleteFile(const std::string& path);

}  // namespace tfbuild
