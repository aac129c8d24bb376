#include "io/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/c_locale.h"

namespace tfbuild {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 18;
constexpr Code kPermissionDenied = Code{7};  // only files are refused so

Code CodeOfErrno(int error) {
  switch (error) {
    case ENOENT: case ENOTDIR: return Code::kNotFound;
    case EEXIST: return Code::kAlreadyExists;
    case EACCES: case EPERM: case EROFS: return kPermissionDenied;
    case ENOSPC: case EDQUOT: case EFBIG: case EMFILE: case ENFILE: case ENOMEM:
      return Code::kResourceExhausted;
    case EISDIR: case ENOTEMPTY: return Code::kFailedPrecondition;
    case ENAMETOOLONG: case EINVAL: return Code::kInvalidArgument;
    default: return Code::kUnknown;
  }
}

// Opens for reading; a folder is an error at once, and so is a pipe or device, which may have no end
// or keep us waiting for one, by opening it already.
Result<int> OpenToRead(const std::string& path, struct stat* status) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return FileError(path, "cannot be opened");
  if (fstat(file, status) != 0 || S_ISDIR(status->st_mode)) {
    if (S_ISDIR(status->st_mode)) errno = EISDIR;
    const Status error = FileError(path, "cannot be read");
    close(file);
    return error;
  }
  if (!S_ISREG(status->st_mode)) {
    close(file);
    return InvalidArgument(path, " cannot be read: it is not a regular file");
  }
  return file;
}

}  // namespace

Status FileError(const std::string& path, const char* what) {
  const int error = errno;
  return Status(CodeOfErrno(error),
                StrCat(path, " ", what, ": ", ErrnoText(error)));
}

Result<std::unique_ptr<FileOutput>> FileOutput::Open(const std::string& path, Mode mode) {
  // A pipe without a reader would keep us waiting for one, by opening it already.
  int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  if (mode == Mode::kTruncate) flags |= O_TRUNC;
  if (mode == Mode::kAppend) flags |= O_APPEND;
  if (mode == Mode::kNew) flags |= O_EXCL;
  const int file = open(path.c_str(), flags, 0666);
  const bool lacks_reader = file < 0 && errno == ENXIO;
  if (file < 0 && !lacks_reader) return FileError(path, "cannot be opened for writing");
  struct stat status = {};
  if (lacks_reader || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    if (file >= 0) close(file);
    return InvalidArgument(path, " cannot be written: it is not a regular file");
  }
  return std::unique_ptr<FileOutput>(new FileOutput(path, file));
}

FileOutput::~FileOutput() {
  if (file_ >= 0) close(file_);
}

Status FileOutput::WriteAll(std::string_view bytes) {
  if (file_ < 0) return FailedPrecondition(path_, " is closed");
  while (!bytes.empty()) {
    const ssize_t written = write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileError(path_, "cannot be written");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return OkStatus();
}

Status FileOutput::Append(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) RETURN_IF_ERROR(Flush());
  if (bytes.size() >= kBufferBytes) {
    RETURN_IF_ERROR(WriteAll(bytes));
  } else {
    buffer_.append(bytes);
  }
  size_ += bytes.size();
  return OkStatus();
}

Status FileOutput::Flush() {
  RETURN_IF_ERROR(WriteAll(buffer_));
  buffer_.clear();
  return OkStatus();
}

Status FileOutput::Close() {
  const Status flushed = Flush();
  const int file = file_;
  file_ = -1;
  if (file >= 0 && close(file) != 0 && flushed.ok()) return FileError(path_, "cannot be closed");
  return flushed;
}

void FileOutput::Abandon() {
  buffer_.clear();
  if (file_ >= 0) close(file_);
  file_ = -1;
}

Result<std::unique_ptr<FileInput>> FileInput::Open(const std::string& path) {
  struct stat status = {};
  ASSIGN_OR_RETURN(const int file, OpenToRead(path, &status));
  return std::unique_ptr<FileInput>(new FileInput(path, file));
}

FileInput::~FileInput() { close(file_); }

// What a system makes up while it is read, as below /proc, has no size, and need not have an end.
Status FileInput::CheckEnd() {
  constexpr uint64_t kMostBeyondSize = uint64_t{64} << 20;
  if (read_ <= checked_size_ + kMostBeyondSize) return OkStatus();
  struct stat status = {};
  if (fstat(file_, &status) != 0) return FileError(path_, "cannot be read");
  checked_size_ = static_cast<uint64_t>(status.st_size);
  if (read_ <= checked_size_ + kMostBeyondSize) return OkStatus();
  return InvalidArgument(path_, " cannot be read: it goes on beyond its size, ", checked_size_);
}

Result<size_t> FileInput::ReadSome(char* to, size_t count) {
  while (true) {
    const ssize_t found = read(file_, to, count);
    if (found >= 0) {
      read_ += static_cast<uint64_t>(found);
      RETURN_IF_ERROR(CheckEnd());
      return static_cast<size_t>(found);
    }
    if (errno != EINTR) return FileError(path_, "cannot be read");
  }
}

Result<size_t> FileInput::Read(char* to, size_t count) {
  size_t done = 0;
  while (done < count) {
    if (at_ < filled_) {
      const size_t taken = std::min(count - done, filled_ - at_);
      std::memcpy(to + done, buffer_.data() + at_, taken);
      at_ += taken;
      done += taken;
      continue;
    }
    size_t found = 0;
    if (count - done >= kBufferBytes) {
      ASSIGN_OR_RETURN(found, ReadSome(to + done, count - done));
      done += found;
    } else {
      buffer_.resize(kBufferBytes);
      ASSIGN_OR_RETURN(found, ReadSome(buffer_.data(), kBufferBytes));
      at_ = 0;
      filled_ = found;
    }
    if (found == 0) break;
  }
  return done;
}

Result<std::unique_ptr<RandomAccessFile>> RandomAccessFile::Open(const std::string& path) {
  struct stat status = {};
  ASSIGN_OR_RETURN(const int file, OpenToRead(path, &status));
  const uint64_t size = static_cast<uint64_t>(status.st_size);
  return std::unique_ptr<RandomAccessFile>(new RandomAccessFile(path, file, size));
}

RandomAccessFile::~RandomAccessFile() { close(file_); }

Status RandomAccessFile::Read(uint64_t offset, size_t count, char* to) const {
  if (offset > size_ || count > size_ - offset) {
    return DataLoss(path_, " ends before ", count, " bytes from ", offset, ": it has ", size_);
  }
  while (count > 0) {
    const ssize_t found = pread(file_, to, count, static_cast<off_t>(offset));
    if (found < 0 && errno == EINTR) continue;
    if (found < 0) return FileError(path_, "cannot be read");
    if (found == 0) return DataLoss(path_, " was cut while it was read");
    to += found;
    count -= static_cast<size_t>(found);
    offset += static_cast<uint64_t>(found);
  }
  return OkStatus();
}

bool FileExists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

Status RenameFile(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) return FileError(to, "cannot be put into place");
  return OkStatus();
}

Status DeleteFile(const std::string& path) {
  if (unlink(path.c_str()) != 0) return FileError(path, "cannot be removed");
  return OkStatus();
}

}  // namespace tfbuild
