#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace tfbuild {
namespace python {

// Calls `body`, which takes the GIL or calls Python code that does. An interpreter that is ending
// ends each thread that asks for the GIL then, by unwinding its stack, which C++ answers with
// std::terminate where it meets a destructor, and running destructors without the GIL where it does
// not. Such a thread stays here instead until the process has ended, as it does in CPython 3.14.
template <typename Body>
auto StayWhenPythonEnds(const Body& body) -> decltype(body()) {
  try {
    return body();
  } catch (abi::__forced_unwind&) {  // must not be left
    while (true) pause();
  }
}

// Whether the interpreter is ending: threads that ask for the GIL stay where they are.
inline bool PythonEnds() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

// Whether this thread has the GIL of the main interpreter.
inline bool HasGil() {
  PyThreadState* const current = _PyThreadState_UncheckedGet();
  return current != nullptr && current == PyGILState_GetThisThreadState();
}

// The GIL is free while this lives.
class GilReleased {
 public:
  GilReleased() : state_(PyEval_SaveThread()) {}
  ~GilReleased() {
    StayWhenPythonEnds([this] { PyEval_RestoreThread(state_); });
  }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace python
}  // namespace tfbuild
