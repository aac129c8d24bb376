#include "emulation/device.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "emulation/block.h"

namespace emulation {
namespace {

constexpr size_t kAddresses = size_t{256} << 30;  // so that they come back late
// At both ends of a new block. No more, since all pages that were ever touched make it slow to open
// and to close the memory.
constexpr size_t kOverwritten = size_t{256} << 10;
constexpr size_t kMostQueued = 1024;
constexpr uint64_t kPace = 128;  // pieces of work that a stream goes on at one pace for

// To open and to close takes most of a run: without EMULATION_STRICT memory is closed now and then.
constexpr unsigned kOneClosingOf = 8;

bool IsStrict() {
  static const bool is_strict = std::getenv("EMULATION_STRICT") != nullptr;
  return is_strict;
}

size_t PageSize() {
  static const size_t size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

size_t RoundUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

[[noreturn]] void Stop(const char* what) {
  std::fprintf(stderr, "emulation: %s\n", what);
  std::abort();
}

// Says which kernel, or the host, touched what, where it is our memory. The process ends by the same
// signal when the handler returns.
void OnFault(int number, siginfo_t* info, void*) {
  for (const auto& gpu : TheGpus()) {
    if (!gpu->memory.Holds(info->si_addr)) continue;
    const char* thread = DescribeRunningThread();
    std::fprintf(stderr, "%s touched the memory of GPU:%d ",
                 thread == nullptr ? "the host, or work that is no kernel," : thread,
                 gpu->ordinal);
    gpu->memory.Describe(info->si_addr);
  }
  std::signal(number, SIG_DFL);
}

std::vector<std::unique_ptr<Gpu>> MakeGpus() {
  struct sigaction action {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  std::vector<std::unique_ptr<Gpu>> gpus;
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr && *visible == '\0') return gpus;
  const char* text = std::getenv("EMULATION_GPUS");
  for (const char* at = text == nullptr ? "2,5" : text; *at != '\0';) {
    char* end = nullptr;
    const long processors = std::strtol(at, &end, 10);
    if (end == at || processors < 1) Stop("EMULATION_GPUS lists numbers of processors: 2,5");
    gpus.push_back(std::make_unique<Gpu>(static_cast<int>(gpus.size()),
                                         static_cast<int>(processors)));
    at = *end == ',' ? end + 1 : end;
  }
  return gpus;
}

}  // namespace

Memory::Memory(size_t bytes) : limit_(bytes), free_{{0, kAddresses}} {
  void* base = mmap(nullptr, kAddresses, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) Stop("no addresses for the memory of a GPU");
  base_ = static_cast<char*>(base);
}

// From the first free range behind the last one that was taken, round and round.
char* Memory::TakePages(size_t bytes) {
  auto at = free_.lower_bound(next_);
  for (size_t looked = 0; looked <= free_.size(); ++looked) {
    if (at == free_.end()) at = free_.begin();
    if (at == free_.end()) return nullptr;
    if (at->second >= bytes) {
      const size_t offset = at->first;
      const size_t left = at->second - bytes;
      free_.erase(at);
      next_ = offset + bytes;
      if (left > 0) free_[next_] = left;
      return base_ + offset;
    }
    ++at;
  }
  return nullptr;
}

void Memory::Protect(const Block& block, int protection) const {
  if (mprotect(block.pages, block.page_bytes, protection) != 0) Stop("mprotect failed");
}

void* Memory::Allocate(size_t bytes) {
  const size_t page_bytes = RoundUp(bytes, PageSize());
  if (bytes == 0 || bytes > limit_ || page_bytes > limit_ - used_) return nullptr;
  char* pages = TakePages(page_bytes + 2 * PageSize());
  if (pages == nullptr) return nullptr;
  pages += PageSize();
  const Block block{pages + page_bytes - bytes, bytes, pages, page_bytes};
  Protect(block, PROT_READ | PROT_WRITE);
  const size_t part = std::min(kOverwritten, page_bytes);
  std::memset(pages, 0xff, part);
  std::memset(pages + page_bytes - part, 0xff, part);
  if (!is_open_) Protect(block, PROT_NONE);
  used_ += page_bytes;
  blocks_[block.data] = block;
  return block.data;
}

bool Memory::Free(void* data) {
  const auto found = blocks_.find(static_cast<char*>(data));
  if (found == blocks_.end()) return false;
  const Block block = found->second;
  blocks_.erase(found);
  madvise(block.pages, block.page_bytes, MADV_DONTNEED);
  Protect(block, PROT_NONE);
  used_ -= block.page_bytes;
  size_t begin = static_cast<size_t>(block.pages - PageSize() - base_);
  size_t bytes = block.page_bytes + 2 * PageSize();
  auto after = free_.lower_bound(begin);
  if (after != free_.end() && after->first == begin + bytes) {
    bytes += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == begin) {
      begin = before->first;
      bytes += before->second;
    }
  }
  free_[begin] = bytes;
  return true;
}

void Memory::Open() {
  if (openings_++ > 0 || is_open_) return;
  is_open_ = true;
  for (const auto& [data, block] : blocks_) Protect(block, PROT_READ | PROT_WRITE);
}

void Memory::Close() {
  if (--openings_ > 0 || (!IsStrict() && Random()() % kOneClosingOf != 0)) return;
  is_open_ = false;
  for (const auto& [data, block] : blocks_) Protect(block, PROT_NONE);
}

bool Memory::Holds(const void* address) const {
  const char* byte = static_cast<const char*>(address);
  return byte >= base_ && byte < base_ + kAddresses;
}

void Memory::Describe(const void* address) const {
  char* byte = static_cast<char*>(const_cast<void*>(address));
  const auto after = blocks_.upper_bound(byte);
  if (after != blocks_.begin()) {
    const Block& block = std::prev(after)->second;
    const auto offset = static_cast<size_t>(byte - block.data);
    if (offset < block.bytes) {
      std::fprintf(stderr, "at byte %zu of a block of %zu, which it cannot reach\n", offset,
                   block.bytes);
      return;
    }
    if (byte < block.pages + block.page_bytes + PageSize()) {
      std::fprintf(stderr, "%zu bytes behind a block of %zu\n", offset - block.bytes, block.bytes);
      return;
    }
  }
  if (after != blocks_.end() && byte >= after->second.pages - PageSize()) {
    std::fprintf(stderr, "%td bytes before a block of %zu\n", after->second.data - byte,
                 after->second.bytes);
    return;
  }
  std::fprintf(stderr, "where no block is, or where one has been freed\n");
}

Gpu::Gpu(int number, int of_processors)
    : ordinal(number), processors(of_processors), memory(GpuBytes()) {}

size_t GpuBytes() {
  const char* text = std::getenv("EMULATION_GIGABYTES");
  return (text == nullptr ? size_t{8} : std::strtoull(text, nullptr, 10)) << 30;
}

std::mutex& TheMutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

const std::vector<std::unique_ptr<Gpu>>& TheGpus() {
  static const auto* gpus = new std::vector<std::unique_ptr<Gpu>>(MakeGpus());
  return *gpus;
}

void Fill(void* to, int value, size_t bytes) {
  char* begin = static_cast<char*>(to);
  const size_t head = std::min(bytes, RoundUp(reinterpret_cast<uintptr_t>(to), PageSize()) -
                                          reinterpret_cast<uintptr_t>(to));
  const size_t pages = value == 0 ? (bytes - head) / PageSize() * PageSize() : 0;
  std::memset(begin, value, head);
  if (pages > 0) madvise(begin + head, pages, MADV_DONTNEED);  // anonymous pages: zeros from now on
  std::memset(begin + head + pages, value, bytes - head - pages);
}

void Enqueue(cudaStream_t stream, Work work) {
  if (stream->captured != nullptr) {
    stream->captured->work.push_back(std::move(work));
    return;
  }
  if (IsStrict() && stream->queued % kPace == 0) stream->is_hasty = Random()() % 2 == 0;
  stream->work.push_back(std::move(work));
  ++stream->queued;
  if (stream->is_hasty && Random()() % 2 == 0) RunUntil(stream, stream->queued);
  if (stream->work.size() > kMostQueued) RunUntil(stream, stream->queued - kMostQueued / 2);
}

void RunUntil(CUstream_st* stream, uint64_t last) {
  Memory& memory = stream->gpu->memory;
  bool is_open = false;
  while (stream->done < last) {
    const Work work = std::move(stream->work.front());
    stream->work.pop_front();
    if (work.after != nullptr && work.after->done < work.last) {
      if (is_open && work.after->gpu != stream->gpu) {  // whose work cannot reach this memory
        memory.Close();
        is_open = false;
      }
      RunUntil(work.after, work.last);
    }
    if (work.run != nullptr) {
      if (!is_open) memory.Open();
      is_open = true;
      if (work.peer != nullptr) work.peer->memory.Open();
      work.run();
      if (work.peer != nullptr) work.peer->memory.Close();
    }
    ++stream->done;
  }
  if (is_open) memory.Close();
}

}  // namespace emulation
