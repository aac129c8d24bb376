#include "emulation/block.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "emulation/include/cuda_runtime.h"
#include "emulation/names.h"

uint3 threadIdx;
uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;

namespace emulation {
namespace {

constexpr unsigned kLanes = 32;
constexpr size_t kStack = size_t{256} << 10;
constexpr unsigned kNobody = ~0u;

uint64_t Seed() {
  const char* text = std::getenv("EMULATION_SEED");
  const uint64_t seed =
      text != nullptr ? std::strtoull(text, nullptr, 10)
                      : static_cast<uint64_t>(
                            std::chrono::steady_clock::now().time_since_epoch().count()) %
                            1000000000;
  std::fprintf(stderr, "EMULATION_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

// How many blocks of one grid run: EMULATION_BLOCKS, or all of them.
size_t MostBlocks() {
  const char* text = std::getenv("EMULATION_BLOCKS");
  return text == nullptr ? ~size_t{0} : std::strtoull(text, nullptr, 10);
}

// In a random order. Of more blocks than that only the first ones and the last ones.
std::vector<size_t> ChooseBlocks(size_t blocks) {
  static const size_t most = MostBlocks();
  std::vector<size_t> order(std::min(blocks, most));
  std::iota(order.begin(), order.end(), size_t{0});
  if (blocks > most) {
    for (size_t i = 0; i < most / 2; ++i) order[i] = blocks - 1 - i;
    std::iota(order.begin() + static_cast<int64_t>(most / 2), order.end(), size_t{0});
  }
  std::shuffle(order.begin(), order.end(), Random());
  return order;
}

// A stack, and where to go on on it. Begun by makecontext; from then on _longjmp is ten times faster
// than swapcontext, which asks the kernel for the signal mask.
struct Fibre {
  ucontext_t start;
  std::jmp_buf place;
  bool started = false;
};

enum class State { kReady, kAtBarrier, kInWarp, kDone };

struct Thread {
  State state = State::kReady;
  Fibre* fibre = nullptr;  // none before it has begun
  Site site{};
  unsigned mask = 0;
  unsigned source = 0;
  uint64_t brought = 0;
  uint64_t received = 0;
};

bool IsSame(const Site& a, const Site& b) {
  return a.line == b.line && std::strcmp(a.file, b.file) == 0;
}

std::string Where(const Site& site) { return std::string(site.file) + ":" + std::to_string(site.line); }

// The threads of a block and their order. A thread runs until it waits for others; a fibre whose
// thread has ended takes one that has not begun. Who comes next is chosen in one of two ways, since
// each finds missing barriers that the other does not: anybody, or always the first warp, in an
// order drawn for the block, that can go on.
class Block {
 public:
  void Run(unsigned count, const std::function<void()>& thread);
  void MeetBlock(Site site);
  uint64_t MeetWarp(unsigned mask, uint64_t bits, unsigned source, Site site);
  void Yield();
  unsigned lane() const { return current_ % kLanes; }
  void set_kernel(const void* kernel) { kernel_ = kernel; }
  bool is_running() const { return current_ != kNobody; }
  const void* kernel() const { return kernel_; }

 private:
  static void Begin();
  static void Prepare(ucontext_t* start, void* stack);
  [[noreturn]] void Serve();
  void Switch(std::jmp_buf& from, Fibre* to);
  void Wait();
  void SetReady(unsigned id);
  unsigned Take();
  void GoOnAs(unsigned id);
  Fibre* IdleFibre();
  void JoinWarp(unsigned mask, const Site& site);
  [[noreturn]] void Stop(const std::string& what) const;
  [[noreturn]] void StopStuck() const;

  const void* kernel_ = nullptr;
  const std::function<void()>* body_ = nullptr;
  std::vector<Thread> threads_;
  unsigned count_ = 0;
  unsigned current_ = kNobody;
  unsigned picked_ = kNobody;  // by a fibre that cannot run it itself
  unsigned at_barrier_ = 0;
  Site barrier_{};  // where they wait
  std::jmp_buf scheduler_;
  std::vector<std::unique_ptr<Fibre>> fibres_;
  std::vector<Fibre*> idle_;
  std::vector<unsigned> ready_[kLanes];  // by the rank of the warp
  unsigned ranks_with_ready_ = 0;
  unsigned rank_[kLanes];
  bool any_warp_ = false;
};

Block& TheBlock() {
  static Block* block = new Block;  // never destroyed: its fibres have no end
  return *block;
}

uint32_t Below(uint32_t limit) {
  return static_cast<uint32_t>(((Random()() >> 32) * uint64_t{limit}) >> 32);
}

void Block::Run(unsigned count, const std::function<void()>& thread) {
  count_ = count;
  body_ = &thread;
  threads_.assign(count, Thread());
  at_barrier_ = 0;
  any_warp_ = Below(2) == 0;
  std::iota(rank_, rank_ + kLanes, 0u);
  std::shuffle(rank_, rank_ + kLanes, Random());
  for (unsigned id = 0; id < count; ++id) SetReady(id);
  while (picked_ != kNobody || ranks_with_ready_ != 0) {
    const unsigned id = picked_ != kNobody ? picked_ : Take();
    picked_ = kNobody;
    if (threads_[id].fibre == nullptr) threads_[id].fibre = IdleFibre();
    GoOnAs(id);
    Switch(scheduler_, threads_[id].fibre);
  }
  for (const Thread& left : threads_) {
    if (left.state != State::kDone) StopStuck();
  }
  current_ = kNobody;
}

void Block::SetReady(unsigned id) {
  const unsigned rank = rank_[id / kLanes];
  threads_[id].state = State::kReady;
  ready_[rank].push_back(id);
  ranks_with_ready_ |= 1u << rank;
}

unsigned Block::Take() {
  unsigned ranks = ranks_with_ready_;
  if (any_warp_) {
    for (uint32_t skip = Below(static_cast<uint32_t>(__builtin_popcount(ranks))); skip > 0; --skip) {
      ranks &= ranks - 1;
    }
  }
  const unsigned rank = static_cast<unsigned>(__builtin_ctz(ranks));
  std::vector<unsigned>& ready = ready_[rank];
  std::swap(ready[Below(static_cast<uint32_t>(ready.size()))], ready.back());
  const unsigned id = ready.back();
  ready.pop_back();
  if (ready.empty()) ranks_with_ready_ &= ~(1u << rank);
  return id;
}

void Block::GoOnAs(unsigned id) {
  current_ = id;
  threadIdx = {id % blockDim.x, id / blockDim.x % blockDim.y, id / blockDim.x / blockDim.y};
}

Fibre* Block::IdleFibre() {
  if (!idle_.empty()) {
    Fibre* fibre = idle_.back();
    idle_.pop_back();
    return fibre;
  }
  fibres_.push_back(std::make_unique<Fibre>());
  Fibre* fibre = fibres_.back().get();
  void* stack = mmap(nullptr, kStack, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED) Stop("no memory for the stack of a thread");
  mprotect(stack, static_cast<size_t>(sysconf(_SC_PAGESIZE)), PROT_NONE);  // it grows downwards
  Prepare(&fibre->start, stack);
  return fibre;
}

// By itself, since a compiler takes getcontext for a place that is come back to.
[[gnu::noinline]] void Block::Prepare(ucontext_t* start, void* stack) {
  getcontext(start);
  start->uc_stack.ss_sp = stack;
  start->uc_stack.ss_size = kStack;
  start->uc_link = nullptr;
  makecontext(start, Begin, 0);
}

// To a fibre, or to the scheduler where none is named.
[[gnu::noinline]] void Block::Switch(std::jmp_buf& from, Fibre* to) {
  if (_setjmp(from) != 0) return;
  if (to == nullptr) _longjmp(scheduler_, 1);
  if (to->started) _longjmp(to->place, 1);
  to->started = true;
  setcontext(&to->start);
}

void Block::Begin() { TheBlock().Serve(); }

void Block::Serve() {
  for (;;) {
    const unsigned id = current_;
    (*body_)();
    Fibre* fibre = threads_[id].fibre;
    threads_[id].state = State::kDone;
    threads_[id].fibre = nullptr;
    if (ranks_with_ready_ != 0) {
      const unsigned next = Take();
      if (threads_[next].fibre == nullptr) {
        threads_[next].fibre = fibre;
        GoOnAs(next);
        continue;
      }
      picked_ = next;
    }
    idle_.push_back(fibre);
    Switch(fibre->place, nullptr);
  }
}

void Block::Wait() { Switch(threads_[current_].fibre->place, nullptr); }

void Block::Yield() {
  SetReady(current_);
  Wait();
}

void Block::MeetBlock(Site site) {
  Thread& self = threads_[current_];
  if (at_barrier_ > 0 && !IsSame(barrier_, site)) {
    Stop("a barrier at " + Where(site) + " while others wait at " + Where(barrier_));
  }
  barrier_ = site;
  self.state = State::kAtBarrier;
  self.site = site;
  if (++at_barrier_ == count_) {
    at_barrier_ = 0;
    for (unsigned id = 0; id < count_; ++id) SetReady(id);
  }
  Wait();
}

// Checks that whoever waits in this warp for one of the same lanes waits for the same.
void Block::JoinWarp(unsigned mask, const Site& site) {
  const unsigned first = current_ / kLanes * kLanes;
  if ((mask >> lane() & 1) == 0) Stop("a shuffle at " + Where(site) + " whose mask lacks the caller");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const bool wanted = (mask >> lane & 1) != 0;
    if (first + lane >= count_) {
      if (wanted) Stop("a shuffle at " + Where(site) + " with lanes that the block has not");
      continue;
    }
    const Thread& other = threads_[first + lane];
    if (wanted && other.state == State::kDone) {
      Stop("a shuffle at " + Where(site) + " waits for lane " + std::to_string(lane) +
           ", which has ended");
    }
    if (other.state != State::kInWarp || (other.mask & mask) == 0) continue;
    if (other.mask != mask || !IsSame(other.site, site)) {
      Stop("a shuffle at " + Where(site) + " while lane " + std::to_string(lane) + " waits at " +
           Where(other.site));
    }
  }
}

uint64_t Block::MeetWarp(unsigned mask, uint64_t bits, unsigned source, Site site) {
  JoinWarp(mask, site);
  if (source >= kLanes || (mask >> source & 1) == 0) {
    Stop("a shuffle at " + Where(site) + " from a lane that is not in its mask");
  }
  const unsigned id = current_;
  Thread& self = threads_[id];
  self.state = State::kInWarp;
  self.site = site;
  self.mask = mask;
  self.source = source;
  self.brought = bits;
  Thread* warp = &threads_[id / kLanes * kLanes];
  bool complete = true;
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    complete = complete && warp[__builtin_ctz(rest)].state == State::kInWarp;
  }
  if (complete) {
    for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
      warp[lane].received = warp[warp[lane].source].brought;
      SetReady(id / kLanes * kLanes + lane);
    }
  }
  Wait();
  return threads_[id].received;
}

void Block::Stop(const std::string& what) const {
  std::fprintf(stderr, "%s: %s\n", DescribeRunningThread(), what.c_str());
  std::abort();
}

void Block::StopStuck() const {
  std::fprintf(stderr, "%s, block (%u, %u, %u): its threads wait for each other for ever:\n",
               KernelName(kernel_).c_str(), blockIdx.x, blockIdx.y, blockIdx.z);
  std::map<std::string, unsigned> places;
  for (const Thread& thread : threads_) {
    const bool done = thread.state == State::kDone;
    ++places[done ? "have ended" : "wait at " + Where(thread.site)];
  }
  for (const auto& [place, threads] : places) {
    std::fprintf(stderr, "  %u %s\n", threads, place.c_str());
  }
  std::abort();
}

}  // namespace

std::mt19937_64& Random() {
  static auto* random = new std::mt19937_64(Seed());
  return *random;
}

const char* DescribeRunningThread() {
  const Block& block = TheBlock();
  if (!block.is_running()) return nullptr;
  static char text[512];
  std::snprintf(text, sizeof(text), "%.400s, block (%u, %u, %u), thread (%u, %u, %u)",
                KernelName(block.kernel()).c_str(), blockIdx.x, blockIdx.y, blockIdx.z,
                threadIdx.x, threadIdx.y, threadIdx.z);
  return text;
}

void RunGrid(const dim3& grid, const dim3& block, const void* kernel,
             const std::function<void()>& thread) {
  gridDim = grid;
  blockDim = block;
  const SharedMemory shared = SharedMemoryOf(kernel);
  TheBlock().set_kernel(kernel);
  for (const size_t index : ChooseBlocks(size_t{grid.x} * grid.y * grid.z)) {
    const size_t row = index / grid.x;
    blockIdx = {static_cast<unsigned>(index % grid.x), static_cast<unsigned>(row % grid.y),
                static_cast<unsigned>(row / grid.y)};
    if (shared.bytes > 0) std::memset(shared.data, 0xff, shared.bytes);
    TheBlock().Run(block.x * block.y * block.z, thread);
  }
}

void MeetBlock(Site site) { TheBlock().MeetBlock(site); }
uint64_t MeetWarp(unsigned mask, uint64_t bits, unsigned source, Site site) {
  return TheBlock().MeetWarp(mask, bits, source, site);
}
unsigned Lane() { return TheBlock().lane(); }
void Yield() { TheBlock().Yield(); }

}  // namespace emulation
