#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "tensor/dtype.h"

namespace tfbuild {
namespace python {

// The few functions of NumPy's C API that conversions need, taken from NumPy at run time: the module
// is built without NumPy's headers and works with NumPy 1 and 2, whose binary interface agrees in
// all that is named here.
class NumpyApi {
 public:
  // The beginning of NumPy's PyArray_Descr and PyArrayObject, which extensions may rely on.
  struct Descr {
    PyObject_HEAD
    PyTypeObject* scalar_type;
    char kind;
    char type;
    char byteorder;
    char flags;
    int type_number;
  };
  struct Array {
    PyObject_HEAD
    char* data;
    int rank;
    Py_ssize_t* dims;
    Py_ssize_t* strides;
    PyObject* base;
    Descr* descr;
    int flags;
  };

  // The functions; throws python_error when NumPy is missing or of an unknown generation. The
  // caller holds the GIL, as for everything here.
  static const NumpyApi& Get();

  bool IsArray(PyObject* object) const { return PyObject_TypeCheck(object, array_type_) != 0; }
  // Whether the elements lie densely in C order, aligned and in this machine's byte order.
  static bool IsPlain(const Array* array);
  // The type of an array's elements: kInvalid for those that no tensor has; kString for objects.
  static DType TypeOf(const Array* array);

  // Where a NumPy scalar of a type of numbers or bool has its value: behind the head that all objects
  // have. (bfloat16 is not NumPy's.)
  static char* ValueOf(PyObject* scalar) {
    return reinterpret_cast<char*>(scalar) + sizeof(PyObject);
  }

  // NumPy's type; a borrowed reference. Throws for bfloat16 where ml_dtypes is missing.
  Descr* DescrOf(DType dtype) const;
  // A new array with memory of its own, uninitialised.
  nanobind::object NewArray(DType dtype, int rank, const int64_t* dims) const;
  // A new array on `data`, which lives as long as `owner`.
  nanobind::object ArrayOn(DType dtype, int rank, const int64_t* dims, void* data,
                           nanobind::object owner) const;
  // The NumPy scalar with the value at `data`.
  nanobind::object NewScalar(DType dtype, const void* data) const;

 private:
  NumpyApi();
  using DescrFromType = Descr* (*)(int);
  using Scalar = PyObject* (*)(void*, Descr*, PyObject*);
  using NewFromDescr = PyObject* (*)(PyTypeObject*, Descr*, int, const Py_ssize_t*,
                                     const Py_ssize_t*, void*, int, PyObject*);
  using SetBaseObject = int (*)(PyObject*, PyObject*);

  PyTypeObject* array_type_ = nullptr;
  DescrFromType descr_from_type_ = nullptr;
  Scalar scalar_ = nullptr;
  NewFromDescr new_from_descr_ = nullptr;
  SetBaseObject set_base_object_ = nullptr;
  mutable Descr* descrs_[32] = {};  // by DType; owned references, kept for good
};

}  // namespace python
}  // namespace tfbuild
