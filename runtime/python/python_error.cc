#include "python/python_error.h"

#include <new>
#include <stdexcept>

#include "base/exceptions.h"
#include "python/gil.h"

namespace nb = nanobind;

namespace tfbuild {
namespace python {
namespace {

// Never destroyed: they may be needed while the interpreter ends.
nb::dict& ClassesByCode() {
  static nb::dict* classes = new nb::dict;
  return *classes;
}

nb::object& FallbackClass() {
  static nb::object* fallback = new nb::object;
  return *fallback;
}

}  // namespace

void SetErrorClasses(nb::dict by_code, nb::object fallback) {
  ClassesByCode() = std::move(by_code);
  FallbackClass() = std::move(fallback);
}

void SetPythonError(const Status& status) {
  const nb::int_ code(static_cast<int>(status.code()));
  nb::handle kind = PyDict_GetItem(ClassesByCode().ptr(), code.ptr());
  if (!kind.is_valid()) kind = FallbackClass();
  if (!kind.is_valid()) kind = PyExc_RuntimeError;
  // Messages quote names out of files, which need not be UTF-8.
  const std::string& text = status.message();
  const nb::object message = nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
  if (!message.is_valid()) return;
  const nb::object error = nb::steal(StayWhenPythonEnds([&] {
    return PyObject_CallFunctionObjArgs(kind.ptr(), Py_None, Py_None, message.ptr(), nullptr);
  }));
  if (error.is_valid()) PyErr_SetObject(kind.ptr(), error.ptr());
}

void TranslateOutOfMemory() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      SetPythonError(StatusOfException());
    } catch (const std::length_error&) {
      SetPythonError(StatusOfException());
    }
  });
}

void ThrowIfError(const Status& status) {
  if (status.ok()) return;
  SetPythonError(status);
  throw nb::python_error();
}

}  // namespace python
}  // namespace tfbuild
