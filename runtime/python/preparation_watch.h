#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>
#include <utility>

#include "base/stop.h"
#include "kernels/framework/step_context.h"
#include "session/session.h"

namespace tfbuild {
namespace python {

// Ends the preparation of a step at its time, and after Ctrl-C. The GIL is held all the while, as it
// guards the graph.
class PreparationWatch final : public Stoppable {
 public:
  explicit PreparationWatch(std::chrono::milliseconds timeout)
      : deadline_(timeout.count() > 0 && timeout < kForever ? Clock::now() + timeout
                                                            : Clock::time_point::max()) {}

  Status Check() override {
    if (Clock::now() >= deadline_) return Status(Code::kDeadlineExceeded, kDeadlineExceeded);
    if (PyErr_CheckSignals() == 0) return OkStatus();
    error_.emplace();  // takes what was raised
    return Status(Code::kCancelled, "interrupted");
  }
  // Raises what a handler of a signal has raised.
  void Raise() {
    if (error_) throw std::move(*error_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline_;
  std::optional<nanobind::python_error> error_;
};

}  // namespace python
}  // namespace tfbuild
