#pragma once

// The seam to oneDNN: where its objects come from, how a primitive is kept and run, and how its
// errors become a Status. A kernel does three things:
//
//   IntraOpTeam team;                                     // oneDNN plans for the threads of now
//   ASSIGN_OR_RETURN(auto program, cache_.FindOrMake(team, key, make));
//   return RunOnednn(context, program->relu, {{DNNL_ARG_SRC, program->source, data}, ...});

#include <initializer_list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/intra_op_team.h"
#include "base/parallel.h"
#include "base/reserve.h"
#include "base/stop.h"
#include "kernels/framework/op_kernel.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace tfbuild {

// The CPU engine of the process.
const dnnl::engine& OnednnEngine();

// oneDNN's name of an element type; undef for types it does not know.
dnnl::memory::data_type OnednnType(DType dtype);

// Whether this processor computes on such elements in oneDNN without a detour: float always, the
// 16-bit types where the instructions are there.
bool OnednnIsNative(DType dtype);

// Attributes that every primitive needs here: scratchpads come from the kernel's context.
dnnl::primitive_attr OnednnAttr();

// A dense row-major (last dimension contiguous) description of that shape.
dnnl::memory::desc OnednnDense(const std::vector<int64_t>& dims, DType dtype);

// The status that stands for an exception of oneDNN; called inside a catch block.
Status OnednnStatus();

// Calls `body`, a function that makes oneDNN objects and answers with a Result or a Status.
template <typename Body>
auto CatchOnednn(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    return OnednnStatus();
  }
}

// A primitive and the memory it needs while it runs.
struct OnednnPrimitive {
  OnednnPrimitive() = default;
  // From a primitive descriptor made with OnednnAttr().
  template <typename Descriptor>
  OnednnPrimitive(const dnnl::primitive& made, const Descriptor& descriptor)
      : primitive(made), scratchpad(descriptor.scratchpad_desc()) {}
  dnnl::primitive primitive;
  dnnl::memory::desc scratchpad;
};

// One operand: DNNL_ARG_..., its description (which must outlive the call) and its bytes.
struct OnednnArg {
  int id;
  const dnnl::memory::desc& desc;
  const void* data;
};

// Runs the primitive on this thread's team and waits for it. The caller holds an IntraOpTeam since
// before the primitive was made or found.
Status RunOnednn(OpKernelContext* context, const OnednnPrimitive& primitive,
                 std::initializer_list<OnednnArg> args);

// Runs part(team of this thread alone, 0), ..., each on whatever thread is free. The first that
// fails says how.
template <typename Part>
Status RunAlone(int64_t parts, const Part& part) {
  std::mutex mutex;
  Status first;
  ParallelFor(parts, 1, [&](int64_t begin, int64_t end) {
    const IntraOpTeam alone(0);
    for (int64_t i = begin; i < end; ++i) {
      ThrowIfStopped();
      Status ended = part(alone, i);
      if (ended.ok()) continue;
      std::lock_guard<std::mutex> lock(mutex);
      if (first.ok()) first = std::move(ended);
    }
  });
  return first;
}

// Programs (a struct of primitives and descriptions) by a key of numbers: shapes, types, whatever
// they depend on besides the kernel. Keeps the few used last; the number of threads is part of the
// key. A member of a kernel; thread-safe.
template <typename Program>
class OnednnCache {
 public:
  using Key = std::vector<int64_t>;

  // The program for `key`; made by `make() -> Result<Program>` when it is not here. `team` is the
  // one it will run on.
  template <typename Make>
  Result<std::shared_ptr<const Program>> FindOrMake(const IntraOpTeam& team, Key key,
                                                    const Make& make) {
    key.push_back(team.size());
    if (auto known = Find(key)) return known;
    RETURN_IF_ERROR(CheckReserve());  // oneDNN writes to code that it could not map
    Result<Program> made = CatchOnednn(make);
    if (!made.ok()) return made.status();
    std::shared_ptr<const Program> program = std::make_shared<Program>(*std::move(made));
    std::lock_guard<std::mutex> lock(mutex_);
    if (entries_.size() >= kMaxEntries) entries_.pop_back();
    entries_.insert(entries_.begin(), {std::move(key), program});
    return program;
  }

 private:
  static constexpr size_t kMaxEntries = 32;

  std::shared_ptr<const Program> Find(const Key& key) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].first != key) continue;
      if (i > 0) std::swap(entries_[i], entries_[i - 1]);  // drifts to the front with use
      return entries_[i > 0 ? i - 1 : 0].second;
    }
    return nullptr;
  }

  std::mutex mutex_;
  std::vector<std::pair<Key, std::shared_ptr<const Program>>> entries_;
};

}  // namespace tfbuild
