#include "python/scalar_feed.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "python/numpy_api.h"

namespace tfbuild {
namespace python {
namespace {

template <typename T>
std::optional<T> NumberOfNumpy(PyObject* value) {
  const NumpyApi::Descr* descr = NumpyApi::Get().DescrOf(DTypeOf<T>::value);
  if (Py_TYPE(value) != descr->scalar_type) return {};
  T number;
  std::memcpy(&number, NumpyApi::ValueOf(value), sizeof(T));
  return number;
}

template <typename T>
std::optional<T> NumberOfPython(PyObject* value) {
  if constexpr (std::is_same<T, bool>::value) {
    if (PyBool_Check(value)) return value == Py_True;
  } else if constexpr (std::is_floating_point<T>::value) {
    if (!PyFloat_CheckExact(value)) return {};
    const double number = PyFloat_AS_DOUBLE(value);
    // NumPy warns where a finite number becomes infinite.
    if (!std::isfinite(number) || std::fabs(number) <= std::numeric_limits<T>::max()) {
      return static_cast<T>(number);
    }
  } else if (PyLong_CheckExact(value)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow == 0 && number >= std::numeric_limits<T>::min() &&
        number <= std::numeric_limits<T>::max()) {
      return static_cast<T>(number);
    }
  }
  return {};
}

template <typename T>
std::optional<Tensor> TensorOf(PyObject* value) {
  std::optional<T> number = NumberOfPython<T>(value);
  if (!number) number = NumberOfNumpy<T>(value);
  if (!number) return {};
  return Tensor::Scalar<T>(*number);
}

}  // namespace

std::optional<Tensor> TensorOfNumber(PyObject* value, DType dtype) {
  switch (dtype) {
    case DType::kFloat: return TensorOf<float>(value);
    case DType::kDouble: return TensorOf<double>(value);
    case DType::kInt32: return TensorOf<int32_t>(value);
    case DType::kInt64: return TensorOf<int64_t>(value);
    case DType::kBool: return TensorOf<bool>(value);
    default: return {};
  }
}

}  // namespace python
}  // namespace tfbuild
