#include "io/whole_file.h"

#include <algorithm>
#include <memory>

#include "base/stop.h"
#include "io/file.h"
#include "tensor/memory_limit.h"

namespace tfbuild {

Status AppendBytes(InputStream* in, size_t count, std::string* to) {
  constexpr size_t kFirstStep = size_t{1} << 20;
  constexpr size_t kLargestStep = size_t{1} << 24;  // takes milliseconds to unpack
  for (size_t step = kFirstStep; count > 0; step = std::min(2 * step, kLargestStep)) {
    ThrowIfStopped();
    const size_t before = to->size();
    const size_t wanted = std::min(count, step);
    to->resize(before + wanted);
    ASSIGN_OR_RETURN(const size_t found, in->Read(to->data() + before, wanted));
    to->resize(before + found);
    if (found < wanted) break;
    count -= wanted;
  }
  return OkStatus();
}

Result<std::string> ReadWholeFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::unique_ptr<FileInput> file, FileInput::Open(path));
  const size_t limit = MemoryLimit();
  std::string contents;
  RETURN_IF_ERROR(AppendBytes(file.get(), limit, &contents));
  if (contents.size() == limit) return ResourceExhausted(path, " is larger than the memory");
  return contents;
}

}  // namespace tfbuild
