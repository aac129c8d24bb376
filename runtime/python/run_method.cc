// The short way into a step: `run(fetch)` of a session that has prepared the fetch before, without a
// line of Python. Everything else goes the long way, by the class's own method.
#include "python/bindings.h"

#include <structmember.h>

#include <cstring>

namespace nb = nanobind;

namespace tfbuild {
namespace python {
namespace {

// What the short way needs of the class; kept for good.
struct RunNames {
  Py_ssize_t simple;  // where sessions have the slot: dict from a fetch to its step
  PyObject* explain;  // method: (exception), called where a step fails; may raise another
  PyObject* long_way;  // the function that the class had as `run`
};
RunNames& Names() {
  static RunNames names{};
  return names;
}

// Lets the session add to what was raised, or raise something else.
void Explain(PyObject* session) {
  nb::python_error raised;  // takes it
  const nb::object done = nb::steal(
      PyObject_CallMethodObjArgs(session, Names().explain, raised.value().ptr(), nullptr));
  if (done.is_valid()) raised.restore();
}

// The step of a fetch, borrowed; null, with no exception set, where there is none.
PyObject* StepOf(PyObject* session, PyObject* fetch) {
  PyObject* held;  // null in a session whose __init__ has not come so far
  std::memcpy(&held, reinterpret_cast<char*>(session) + Names().simple, sizeof(held));
  const nb::object simple = nb::borrow(held);
  PyObject* const step = simple.is_valid() && PyDict_CheckExact(simple.ptr())
                             ? PyDict_GetItemWithError(simple.ptr(), fetch)
                             : nullptr;
  if (step == nullptr) PyErr_Clear();  // of what is no key, too: the long way says so
  return step;
}

PyObject* Run(PyObject* session, PyObject* const* values, Py_ssize_t count, PyObject* keywords) {
  if (count == 1 && keywords == nullptr) {
    PyObject* const found = StepOf(session, values[0]);
    if (found != nullptr) {
      const nb::object step = nb::borrow(found);  // the session may be closed meanwhile
      PyObject* const answer = CallWithoutFeeds(step.ptr());
      if (answer == nullptr) Explain(session);
      return answer;
    }
  }
  const size_t given = static_cast<size_t>(count);
  const size_t named = keywords == nullptr ? 0 : static_cast<size_t>(PyTuple_Size(keywords));
  std::vector<PyObject*> all{session};
  all.insert(all.end(), values, values + given + named);
  return PyObject_Vectorcall(Names().long_way, all.data(), given + 1, keywords);
}

PyMethodDef& RunMethod() {
  static PyMethodDef method = {
      "run", nullptr, METH_FASTCALL | METH_KEYWORDS,
      "run($self, fetches, feed_dict=None, options=None, run_metadata=None)\n--\n\n"
      "Return the values of fetches, in the same nesting; None for operations.\n\n"
      "Raises an OpError when an operation fails, ValueError or TypeError for what cannot be\n"
      "fetched or fed, RuntimeError on a closed session."};
  // By way of void*: the table knows only one type of function.
  method.ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&Run));
  return method;
}

// Where the objects of a class have one of its __slots__.
Py_ssize_t OffsetOf(nb::handle cls, const char* slot) {
  const nb::object member = cls.attr(slot);
  if (!PyObject_TypeCheck(member.ptr(), &PyMemberDescr_Type)) {
    throw nb::type_error("the class has no such slot");
  }
  return reinterpret_cast<PyMemberDescrObject*>(member.ptr())->d_member->offset;
}

// Puts the short way before `run` of a class of sessions.
void ShortenRun(nb::handle cls, const char* simple, const char* explain) {
  Names() = {OffsetOf(cls, simple), PyUnicode_InternFromString(explain),
             nb::object(cls.attr("run")).release().ptr()};
  const nb::object method = nb::steal(
      PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(cls.ptr()), &RunMethod()));
  if (!method.is_valid()) throw nb::python_error();
  cls.attr("run") = method;
}

}  // namespace

void BindRunMethod(nb::module_& module) { module.def("shorten_run", &ShortenRun); }

}  // namespace python
}  // namespace tfbuild
