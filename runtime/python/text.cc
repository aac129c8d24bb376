#include "python/text.h"

namespace nb = nanobind;

namespace tfbuild {
namespace python {
namespace {

std::string BytesOf(nb::handle bytes) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(bytes.ptr(), &data, &size) != 0) throw nb::python_error();
  return std::string(data, static_cast<size_t>(size));
}

}  // namespace

std::string TextFromPython(nb::handle text) {
  if (PyBytes_Check(text.ptr())) return BytesOf(text);
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (data == nullptr) throw nb::python_error();
  return std::string(data, static_cast<size_t>(size));
}

std::string MessageFromPython(nb::handle text) {
  const nb::object bytes =
      nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) throw nb::python_error();
  return BytesOf(bytes);
}

// Not what(), which ends the process where the message is no text.
std::string MessageOfError(const nb::python_error& error) {
  const std::string kind = MessageFromPython(error.type().attr("__name__"));
  const nb::object message = nb::steal(PyObject_Str(error.value().ptr()));
  if (message.is_valid()) return kind + ": " + MessageFromPython(message);
  PyErr_Clear();
  return kind;
}

}  // namespace python
}  // namespace tfbuild
