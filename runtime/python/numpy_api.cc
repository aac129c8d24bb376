#include "python/numpy_api.h"

#include <cstring>

namespace nb = nanobind;

namespace tfbuild {
namespace python {
namespace {

// Places of functions in NumPy's table, the same in every release since 1.7.
constexpr int kVersionIndex = 0;
constexpr int kArrayTypeIndex = 2;
constexpr int kDescrFromTypeIndex = 45;
constexpr int kScalarIndex = 60;
constexpr int kNewFromDescrIndex = 94;
constexpr int kSetBaseObjectIndex = 282;

constexpr int kCContiguous = 0x0001;
constexpr int kAligned = 0x0100;
constexpr int kWriteable = 0x0400;
constexpr int kObjectType = 17;

struct TypeRow {
  DType dtype;
  int number;  // NumPy's
};
// On Linux int64 is `long`; `long long` (9, without a sign 10) is another type of the same kind.
constexpr TypeRow kTypes[] = {
    {DType::kBool, 0},  {DType::kInt8, 1},   {DType::kUint8, 2},  {DType::kInt16, 3},
    {DType::kUint16, 4}, {DType::kInt32, 5},  {DType::kUint32, 6}, {DType::kInt64, 7},
    {DType::kUint64, 8}, {DType::kInt64, 9},  {DType::kUint64, 10}, {DType::kFloat, 11},
    {DType::kDouble, 12}, {DType::kComplex64, 14}, {DType::kComplex128, 15},
    {DType::kHalf, 23}, {DType::kString, kObjectType},
};

void** ApiTable() {
  nb::object module = nb::steal(PyImport_ImportModule("numpy._core._multiarray_umath"));
  if (!module.is_valid()) {  // NumPy 1
    PyErr_Clear();
    module = nb::steal(PyImport_ImportModule("numpy.core._multiarray_umath"));
  }
  if (!module.is_valid()) throw nb::python_error();
  const nb::object capsule = module.attr("_ARRAY_API");
  void* table = PyCapsule_GetPointer(capsule.ptr(), nullptr);
  if (table == nullptr) throw nb::python_error();
  return static_cast<void**>(table);
}

template <typename Function>
Function FunctionAt(void** table, int index) {
  Function function;
  std::memcpy(&function, &table[index], sizeof(function));
  return function;
}

NumpyApi::Descr* BFloat16Descr() {
  const nb::object module = nb::steal(PyImport_ImportModule("ml_dtypes"));
  if (!module.is_valid()) {
    PyErr_Clear();
    PyErr_SetString(PyExc_TypeError,
                    "bfloat16 arrays need the package ml_dtypes: pip install ml_dtypes");
    throw nb::python_error();
  }
  nb::object descr = nb::module_::import_("numpy").attr("dtype")(module.attr("bfloat16"));
  return reinterpret_cast<NumpyApi::Descr*>(descr.release().ptr());
}

}  // namespace

NumpyApi::NumpyApi() {
  void** table = ApiTable();
  const unsigned version = FunctionAt<unsigned (*)()>(table, kVersionIndex)();
  if (version >> 24 != 1 && version >> 24 != 2) {
    PyErr_Format(PyExc_ImportError, "this NumPy has C interface %x; tfbuild_runtime knows 1 and 2",
                 version);
    throw nb::python_error();
  }
  array_type_ = static_cast<PyTypeObject*>(table[kArrayTypeIndex]);
  descr_from_type_ = FunctionAt<DescrFromType>(table, kDescrFromTypeIndex);
  scalar_ = FunctionAt<Scalar>(table, kScalarIndex);
  new_from_descr_ = FunctionAt<NewFromDescr>(table, kNewFromDescrIndex);
  set_base_object_ = FunctionAt<SetBaseObject>(table, kSetBaseObjectIndex);
}

const NumpyApi& NumpyApi::Get() {
  static const NumpyApi* api = new NumpyApi;
  return *api;
}

bool NumpyApi::IsPlain(const Array* array) {
  constexpr int kNeeded = kCContiguous | kAligned;
  return (array->flags & kNeeded) == kNeeded && array->descr->byteorder != '>';
}

DType NumpyApi::TypeOf(const Array* array) {
  for (const TypeRow& row : kTypes) {
    if (row.number == array->descr->type_number) return row.dtype;
  }
  const char* name = std::strrchr(array->descr->scalar_type->tp_name, '.');
  name = name == nullptr ? array->descr->scalar_type->tp_name : name + 1;
  if (std::strcmp(name, "bfloat16") != 0) return DType::kInvalid;
  // Any type may have that name, and elements of any size.
  const Descr* known = Get().DescrOf(DType::kBFloat16);
  return array->descr->scalar_type == known->scalar_type ? DType::kBFloat16 : DType::kInvalid;
}

NumpyApi::Descr* NumpyApi::DescrOf(DType dtype) const {
  Descr*& known = descrs_[static_cast<int>(dtype)];
  if (known != nullptr) return known;
  if (dtype == DType::kBFloat16) return known = BFloat16Descr();
  for (const TypeRow& row : kTypes) {
    if (row.dtype == dtype) return known = descr_from_type_(row.number);
  }
  PyErr_Format(PyExc_TypeError, "NumPy has no type for %s", DTypeName(dtype));
  throw nb::python_error();
}

nb::object NumpyApi::NewArray(DType dtype, int rank, const int64_t* dims) const {
  return ArrayOn(dtype, rank, dims, nullptr, nb::object());
}

nb::object NumpyApi::ArrayOn(DType dtype, int rank, const int64_t* dims, void* data,
                             nb::object owner) const {
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t), "dimensions are handed over as they are");
  Descr* descr = DescrOf(dtype);
  Py_INCREF(descr);  // the call takes it
  nb::object array = nb::steal(new_from_descr_(
      array_type_, descr, rank, reinterpret_cast<const Py_ssize_t*>(dims), nullptr, data,
      data == nullptr ? 0 : kCContiguous | kAligned | kWriteable, nullptr));
  if (!array.is_valid()) throw nb::python_error();
  if (owner.is_valid() && set_base_object_(array.ptr(), owner.release().ptr()) != 0) {
    throw nb::python_error();
  }
  return array;
}

nb::object NumpyApi::NewScalar(DType dtype, const void* data) const {
  Descr* const descr = DescrOf(dtype);
  // There are but two truth values, and bfloat16 is not NumPy's.
  if (dtype != DType::kBool && dtype != DType::kBFloat16) {
    nb::object number = nb::steal(descr->scalar_type->tp_alloc(descr->scalar_type, 0));
    if (!number.is_valid()) throw nb::python_error();
    std::memcpy(ValueOf(number.ptr()), data, static_cast<size_t>(DTypeSize(dtype)));
    return number;
  }
  nb::object scalar = nb::steal(scalar_(const_cast<void*>(data), descr, nullptr));
  if (!scalar.is_valid()) throw nb::python_error();
  return scalar;
}

}  // namespace python
}  // namespace tfbuild
