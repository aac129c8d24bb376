#pragma once

#include "base/status.h"

namespace tfbuild {

// The status that stands for the exception being handled; called inside a catch block.
// The reason of Stopped, ResourceExhausted for memory and threads that are not to be had, Internal
// for all else.
Status StatusOfException();

// What `body`, which answers with a Status or a Result, answers, or the status that stands for the
// exception that it threw.
template <typename Body>
auto CatchExceptions(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    return StatusOfException();
  }
}

}  // namespace tfbuild
