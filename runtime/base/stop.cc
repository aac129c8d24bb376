#include "base/stop.h"

#include <utility>

namespace tfbuild {
namespace {

thread_local Stoppable* work_here = nullptr;

}  // namespace

StopScope::StopScope(Stoppable* work) : before_(work_here) { work_here = work; }
StopScope::~StopScope() { work_here = before_; }

Stoppable* StoppableHere() { return work_here; }

void ThrowIfStopped() {
  if (work_here == nullptr) return;
  Status why = work_here->Check();
  if (!why.ok()) throw Stopped(std::move(why));
}

}  // namespace tfbuild
