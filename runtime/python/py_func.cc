// Functions of Python as ops: the kernel asks for a call, here it is made.
#include <nanobind/stl/string.h>

#include <mutex>

#include "base/exceptions.h"
#include "base/fork.h"
#include "kernels/framework/host_function.h"
#include "python/bindings.h"
#include "python/gil.h"
#include "python/numpy_api.h"
#include "python/tensor_numpy.h"
#include "python/text.h"

namespace nb = nanobind;

namespace tfbuild {
namespace python {
namespace {

// Called as caller(token, [array, ...]); returns (0, "", [array, ...]), or the code and the text of
// an error and no arrays.
nb::object& FunctionCaller() {
  static nb::object* caller = new nb::object;
  return *caller;
}

// What Python knows of a thread that it has not started. CPython takes a lock of its own for it, without
// the GIL, that it also takes in the child of a fork (3.11, before it makes that lock anew): nobody may
// fork meanwhile.
PyThreadState* MakeThreadState() {
  static std::mutex* const mutex = new std::mutex;
  static const LockedByFork* const locked = new LockedByFork(mutex);
  static_cast<void>(locked);
  const std::lock_guard<std::mutex> lock(*mutex);
  return PyThreadState_New(PyInterpreterState_Main());
}

// A thread that has the GIL while this lives, whether Python knew it before or not.
class GilTaken {
 public:
  GilTaken() : made_(PyGILState_GetThisThreadState() == nullptr ? MakeThreadState() : nullptr) {
    StayWhenPythonEnds([this] {
      if (made_ != nullptr) {
        PyEval_RestoreThread(made_);
      } else {
        state_ = PyGILState_Ensure();
      }
    });
  }
  ~GilTaken() {
    if (made_ != nullptr) {
      PyThreadState_Clear(made_);
      PyThreadState_DeleteCurrent();
    } else {
      PyGILState_Release(state_);
    }
  }
  GilTaken(const GilTaken&) = delete;
  GilTaken& operator=(const GilTaken&) = delete;

 private:
  PyThreadState* const made_;
  PyGILState_STATE state_{};
};

Status CallWithGil(const std::string& token, const std::vector<Tensor>& inputs,
                   std::vector<Tensor>* outputs) {
  nb::list arrays;
  for (const Tensor& input : inputs) arrays.append(ToNumpy(input));
  const nb::object answer =
      StayWhenPythonEnds([&] { return FunctionCaller()(nb::cast(token), arrays); });
  const auto parts = nb::cast<nb::tuple>(answer);
  const int code = nb::cast<int>(parts[0]);
  if (code != 0) return Status(static_cast<Code>(code), MessageFromPython(parts[1]));
  for (nb::handle array : nb::cast<nb::list>(parts[2])) outputs->push_back(CopyFromArray(array));
  return OkStatus();
}

// Of what was raised beside what the caller answers with, such as SystemExit.
Status StatusOfPython(const nb::python_error& error) {
  try {
    return Status(Code::kUnknown, MessageOfError(error));
  } catch (const nb::python_error&) {
    return Status(Code::kUnknown, "an exception that has no text");
  }
}

Status CallFunction(const std::string& token, const std::vector<Tensor>& inputs,
                    std::vector<Tensor>* outputs) {
  if (!Py_IsInitialized()) return Status(Code::kCancelled, "Python has ended");
  const GilTaken gil;
  try {
    return CallWithGil(token, inputs, outputs);
  } catch (nb::python_error& error) {
    return StatusOfPython(error);
  } catch (const std::bad_alloc&) {
    return StatusOfException();
  } catch (const std::exception& error) {
    return Status(Code::kInvalidArgument, error.what());
  }
}

}  // namespace

void BindFunctions(nb::module_& module) {
  module.def("set_function_caller", [](nb::object caller) {
    FunctionCaller() = std::move(caller);
    SetHostFunctionCaller(&CallFunction);
  });
  // An address of 0 takes the token back.
  module.def("set_native_kernel", [](nb::str token, uintptr_t address) {
    SetNativeKernel(TextFromPython(token), reinterpret_cast<NativeKernel>(address));
  });
}

}  // namespace python
}  // namespace tfbuild
