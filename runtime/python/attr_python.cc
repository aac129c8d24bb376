#include "graph/attr_wire.h"
#include "python/attr_python.h"

#include "python/python_error.h"
#include "python/tensor_numpy.h"
#include "python/text.h"

namespace nb = nanobind;

namespace tfbuild {
namespace python {
namespace {

int64_t IntFromPython(nb::handle value) {
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  const long long number = PyLong_AsLongLong(index.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return number;
}

float FloatFromPython(nb::handle value) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1.0 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return static_cast<float>(number);
}

bool BoolFromPython(nb::handle value) {
  const int truth = PyObject_IsTrue(value.ptr());
  if (truth < 0) throw nb::python_error();
  return truth != 0;
}

DType TypeFromPython(nb::handle value) {
  const int64_t number = IntFromPython(value);
  const DType dtype = DTypeFromNumber(static_cast<int>(number));
  if (dtype == DType::kInvalid) throw nb::type_error("not the number of a data type");
  return dtype;
}

template <typename T, typename Convert>
std::vector<T> ListFromPython(nb::handle value, const Convert& convert) {
  std::vector<T> items;
  const nb::object sequence = nb::steal(PySequence_Fast(value.ptr(), "expected a list"));
  if (!sequence.is_valid()) throw nb::python_error();
  // A conversion runs Python code, which may change the list: the size is read each time.
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence.ptr()); ++i) {
    items.push_back(convert(nb::borrow(PySequence_Fast_GET_ITEM(sequence.ptr(), i))));
  }
  return items;
}

// A name, or a name and an encoded NameAttrList.
FunctionAttr FunctionFromPython(nb::handle value) {
  if (!PyTuple_Check(value.ptr())) return FunctionNamed(TextFromPython(value));
  const nb::tuple pair = nb::borrow<nb::tuple>(value);
  if (pair.size() != 2) throw nb::type_error("expected (name of a function, bytes)");
  return {TextFromPython(pair[0]), TextFromPython(pair[1])};
}

AttrValue ListAttrFromPython(const std::string& kind, nb::handle value) {
  if (kind == "list(int)") return ListFromPython<int64_t>(value, IntFromPython);
  if (kind == "list(float)") return ListFromPython<float>(value, FloatFromPython);
  if (kind == "list(bool)") return ListFromPython<bool>(value, BoolFromPython);
  if (kind == "list(string)") return ListFromPython<std::string>(value, TextFromPython);
  if (kind == "list(type)") return ListFromPython<DType>(value, TypeFromPython);
  if (kind == "list(shape)") return ListFromPython<PartialShape>(value, ShapeFromPython);
  if (kind == "list(func)") return ListFromPython<FunctionAttr>(value, FunctionFromPython);
  if (kind == "list(tensor)") return ListFromPython<Tensor>(value, CopyFromArray);
  throw nb::type_error(("attributes of kind " + kind + " cannot be given").c_str());
}

// Turns each alternative of AttrValue into (kind, value).
struct ToPython {
  static nb::object Plain(const std::string& v) { return nb::bytes(v.data(), v.size()); }
  static nb::object Plain(int64_t v) { return nb::int_(v); }
  static nb::object Plain(float v) { return nb::float_(static_cast<double>(v)); }
  static nb::object Plain(bool v) { return nb::bool_(v); }
  static nb::object Plain(DType v) { return nb::int_(static_cast<int>(v)); }
  static nb::object Plain(const PartialShape& v) { return ShapeToPython(v); }
  static nb::object Plain(const Tensor& v) { return ToArray(v); }

  static const char* Kind(const std::string*) { return "string"; }
  static const char* Kind(const int64_t*) { return "int"; }
  static const char* Kind(const float*) { return "float"; }
  static const char* Kind(const bool*) { return "bool"; }
  static const char* Kind(const DType*) { return "type"; }
  static const char* Kind(const PartialShape*) { return "shape"; }
  static const char* Kind(const Tensor*) { return "tensor"; }

  nb::tuple operator()(std::monostate) const { return nb::make_tuple("none", nb::none()); }
  static nb::object Plain(const FunctionAttr& v) {
    return nb::make_tuple(nb::str(v.name.c_str()), nb::bytes(v.encoded.data(), v.encoded.size()));
  }
  static const char* Kind(const FunctionAttr*) { return "func"; }
  nb::tuple operator()(const PlaceholderAttr& v) const {
    return nb::make_tuple("placeholder", nb::str(v.name.c_str()));
  }
  template <typename T>
  nb::tuple operator()(const T& v) const {
    return nb::make_tuple(Kind(&v), Plain(v));
  }
  template <typename T>
  nb::tuple operator()(const std::vector<T>& values) const {
    nb::list items;
    for (const T& value : values) items.append(Plain(value));
    const T* none = nullptr;
    return nb::make_tuple(nb::str(("list(" + std::string(Kind(none)) + ")").c_str()), items);
  }
};

}  // namespace

AttrValue AttrFromPython(const std::string& kind, nb::handle value) {
  if (kind == "type") return TypeFromPython(value);
  if (kind == "int") return IntFromPython(value);
  if (kind == "float") return FloatFromPython(value);
  if (kind == "bool") return BoolFromPython(value);
  if (kind == "string") return TextFromPython(value);
  if (kind == "shape") return ShapeFromPython(value);
  if (kind == "tensor") return CopyFromArray(value);
  if (kind == "none") return std::monostate();
  if (kind == "func") return FunctionFromPython(value);
  if (kind == "placeholder") return PlaceholderAttr{TextFromPython(value)};
  return ListAttrFromPython(kind, value);
}

AttrValue AttrFromPythonValue(nb::handle value) {
  PyObject* object = value.ptr();
  if (PyBool_Check(object)) return BoolFromPython(value);
  if (PyLong_Check(object)) return IntFromPython(value);
  if (PyFloat_Check(object)) return FloatFromPython(value);
  if (PyBytes_Check(object) || PyUnicode_Check(object)) return TextFromPython(value);
  if (!PyList_Check(object) && !PyTuple_Check(object)) {
    throw nb::type_error("an attribute that the op does not define must be a bool, int, float, "
                         "string or a list of one of them");
  }
  if (PyTuple_Check(object) && PyTuple_GET_SIZE(object) == 2) {
    const nb::tuple pair = nb::borrow<nb::tuple>(value);
    const bool typed = PyUnicode_Check(pair[0].ptr()) && TextFromPython(pair[0]) == "shape";
    if (typed && !PyUnicode_Check(pair[1].ptr())) return ShapeFromPython(pair[1]);
  }
  if (PySequence_Size(object) == 0) return std::vector<int64_t>();
  const nb::object first = nb::steal(PySequence_GetItem(object, 0));
  if (!first.is_valid()) throw nb::python_error();
  if (PyBool_Check(first.ptr())) return ListAttrFromPython("list(bool)", value);
  if (PyLong_Check(first.ptr())) return ListAttrFromPython("list(int)", value);
  if (PyFloat_Check(first.ptr())) return ListAttrFromPython("list(float)", value);
  return ListAttrFromPython("list(string)", value);
}

nb::tuple AttrToPython(const AttrValue& value) {
  return std::visit(ToPython{}, static_cast<const AttrKinds&>(value));
}

nb::object ShapeToPython(const PartialShape& shape) {
  if (!shape.known_rank()) return nb::none();
  nb::object sizes = nb::steal(PyTuple_New(shape.rank()));
  if (!sizes.is_valid()) throw nb::python_error();
  for (int i = 0; i < shape.rank(); ++i) {
    PyTuple_SET_ITEM(sizes.ptr(), i, nb::int_(shape.dim(i)).release().ptr());
  }
  return sizes;
}

PartialShape ShapeFromPython(nb::handle value) {
  if (value.is_none()) return PartialShape();
  std::vector<int64_t> dims = ListFromPython<int64_t>(value, IntFromPython);
  if (dims.size() > static_cast<size_t>(kMaxRank)) throw nb::value_error("the rank is too high");
  for (const int64_t dim : dims) {
    if (dim < kUnknownDim) throw nb::value_error("a dimension is negative");
  }
  return PartialShape(std::move(dims));
}

}  // namespace python
}  // namespace tfbuild
