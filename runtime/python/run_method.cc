// The short way into a step: `run(fetches, feed_dict)` of a session that has prepared the like before,
// without a line of Python. Everything else goes the long way, by the class's own method.
#include "python/bindings.h"

#include <structmember.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "python/gil.h"

namespace nb = nanobind;

namespace tfbuild {
namespace python {
namespace {

// What the short way needs of the class; kept for good.
struct RunNames {
  Py_ssize_t steps;   // where sessions have the slot: dict from a key to its step
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
  const nb::object done = nb::steal(StayWhenPythonEnds([&] {
    return PyObject_CallMethodObjArgs(session, Names().explain, raised.value().ptr(), nullptr);
  }));
  if (done.is_valid()) raised.restore();
}

nb::object Checked(PyObject* made) {
  if (made == nullptr) throw nb::python_error();
  return nb::steal(made);
}

// More tuples in each other are no key: Python's hash of one calls itself for each, and looks at no limit.
constexpr int kMaxKeyDepth = 64;

// Whether what equals it is answered alike. Tuples of all classes are equal.
bool IsKey(PyObject* fetch, int depth = 0) {
  if (!PyTuple_Check(fetch)) return true;
  if (!PyTuple_CheckExact(fetch) || depth == kMaxKeyDepth) return false;
  PyObject* const* const items = PySequence_Fast_ITEMS(fetch);
  return std::all_of(items, items + PyTuple_GET_SIZE(fetch),
                     [depth](PyObject* item) { return IsKey(item, depth + 1); });
}

// By what a session knows the step of these fetches, with the tuple of what is fed or None: of one
// fetch and nothing fed the fetch itself. Not valid where there is no key.
nb::object StepKey(nb::handle fetches, nb::handle fed) {
  PyTypeObject* const kind = Py_TYPE(fetches.ptr());
  if (kind == &PyList_Type || kind == &PyTuple_Type) {
    const nb::object all = Checked(PySequence_Tuple(fetches.ptr()));
    return IsKey(all.ptr()) ? Checked(PyTuple_Pack(3, kind, all.ptr(), fed.ptr())) : nb::object();
  }
  if (!IsKey(fetches.ptr())) return nb::object();
  return fed.is_none() ? nb::borrow(fetches) : Checked(PyTuple_Pack(2, fetches.ptr(), fed.ptr()));
}

// The keys and the values of a dict, as tuples.
struct Fed {
  nb::object keys;
  nb::object values;

  explicit Fed(PyObject* dict) {
    const Py_ssize_t size = PyDict_GET_SIZE(dict);
    keys = Checked(PyTuple_New(size));
    values = Checked(PyTuple_New(size));
    // Memory that was asked for may have been made free by a finalizer, which can do anything.
    if (PyDict_GET_SIZE(dict) != size) throw std::runtime_error("feed_dict changed its size");
    PyObject *key, *value;
    Py_ssize_t at = 0;
    for (Py_ssize_t i = 0; PyDict_Next(dict, &at, &key, &value); ++i) {
      PyTuple_SET_ITEM(keys.ptr(), i, nb::borrow(key).release().ptr());
      PyTuple_SET_ITEM(values.ptr(), i, nb::borrow(value).release().ptr());
    }
  }
};

// The step that the session has for them; not valid, with no exception set, where there is none.
nb::object StepOf(PyObject* session, PyObject* fetches, nb::handle fed) {
  PyObject* held;  // null in a session whose __init__ has not come so far
  std::memcpy(&held, reinterpret_cast<char*>(session) + Names().steps, sizeof(held));
  const nb::object steps = nb::borrow(held);
  if (!steps.is_valid() || !PyDict_CheckExact(steps.ptr())) return nb::object();
  const nb::object key = StepKey(fetches, fed);
  if (!key.is_valid()) return nb::object();
  PyObject* const step = PyDict_GetItemWithError(steps.ptr(), key.ptr());
  if (step == nullptr) PyErr_Clear();  // of what is no key, too: the long way says so
  return nb::borrow(step);  // the session may be closed while it runs
}

// What is fed, of the arguments behind `self` that run() takes; null where they are others.
PyObject* FeedDictOf(PyObject* const* values, Py_ssize_t count, PyObject* keywords) {
  const Py_ssize_t named = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  if (count == 1 && named == 0) return Py_None;
  if (count < 1 || count + named != 2) return nullptr;
  if (named == 1) {
    const char* const name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(keywords, 0));
    if (name == nullptr) PyErr_Clear();
    if (name == nullptr || std::string_view(name) != "feed_dict") return nullptr;
  }
  return values[1] == Py_None || PyDict_CheckExact(values[1]) ? values[1] : nullptr;
}

PyObject* RunLong(PyObject* session, PyObject* const* values, Py_ssize_t count,
                  PyObject* keywords) {
  const size_t given = static_cast<size_t>(count);
  const size_t named = keywords == nullptr ? 0 : static_cast<size_t>(PyTuple_GET_SIZE(keywords));
  std::vector<PyObject*> all{session};
  all.insert(all.end(), values, values + given + named);
  return StayWhenPythonEnds([&] {
    return PyObject_Vectorcall(Names().long_way, all.data(), given + 1, keywords);
  });
}

PyObject* Run(PyObject* session, PyObject* const* values, Py_ssize_t count, PyObject* keywords) {
  try {
    PyObject* const feed_dict = FeedDictOf(values, count, keywords);
    if (feed_dict == nullptr) return RunLong(session, values, count, keywords);
    std::optional<Fed> fed;
    if (feed_dict != Py_None && PyDict_GET_SIZE(feed_dict) > 0) fed.emplace(feed_dict);
    const nb::object step = StepOf(session, values[0], fed ? fed->keys.ptr() : Py_None);
    if (!step.is_valid()) return RunLong(session, values, count, keywords);
    PyObject* const answer =
        fed ? CallStepFunction(step.ptr(), PySequence_Fast_ITEMS(fed->values.ptr()),
                               static_cast<size_t>(PyTuple_GET_SIZE(fed->values.ptr())))
            : CallStepFunction(step.ptr(), nullptr, 0);
    if (answer == nullptr) Explain(session);
    return answer;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
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
void ShortenRun(nb::handle cls, const char* steps, const char* explain) {
  Names() = {OffsetOf(cls, steps), PyUnicode_InternFromString(explain),
             nb::object(cls.attr("run")).release().ptr()};
  const nb::object method = nb::steal(
      PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(cls.ptr()), &RunMethod()));
  if (!method.is_valid()) throw nb::python_error();
  cls.attr("run") = method;
}

}  // namespace

void BindRunMethod(nb::module_& module) {
  module.def("shorten_run", &ShortenRun);
  module.def("step_key", [](nb::handle fetches, nb::handle fed) {
    const nb::object key = StepKey(fetches, fed);
    return key.is_valid() ? key : nb::none();
  }, nb::arg("fetches").none(), nb::arg("fed").none());
}

}  // namespace python
}  // namespace tfbuild
