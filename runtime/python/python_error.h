#pragma once

#include <nanobind/nanobind.h>

#include "base/status.h"

namespace tfbuild {
namespace python {

// The exception classes by error code (a dict), and the one for codes without a class. Each is
// called with (node_def, op, message).
void SetErrorClasses(nanobind::dict by_code, nanobind::object fallback);

// From now on every function of the module raises ResourceExhaustedError when memory runs out.
void TranslateOutOfMemory();

// Sets the Python exception that stands for a status that is not ok.
void SetPythonError(const Status& status);
// Throws it as nanobind's python_error; does nothing when ok.
void ThrowIfError(const Status& status);

template <typename T>
T ValueOrThrow(Result<T> result) {
  ThrowIfError(result.status());
  return *std::move(result);
}

}  // namespace python
}  // namespace tfbuild
