#include "python/tensor_numpy.h"

#include <cstring>
#include <mutex>
#include <vector>

#include "python/gil.h"
#include "python/numpy_api.h"
#include "python/python_error.h"
#include "python/text.h"

namespace nb = nanobind;

namespace tfbuild {
namespace python {
namespace {

// Below this a copy costs less than handing the memory over.
constexpr size_t kCopyBytes = 2048;

const NumpyApi::Array* AsArray(nb::handle object) {
  return reinterpret_cast<const NumpyApi::Array*>(object.ptr());
}

Shape ShapeOf(const NumpyApi::Array* array) {
  return ValueOrThrow(Shape::Make(std::vector<int64_t>(array->dims, array->dims + array->rank)));
}

Tensor StringsFromArray(const NumpyApi::Array* array, const Shape& shape) {
  PyObject* const* objects = reinterpret_cast<PyObject* const*>(array->data);
  std::vector<std::string> values;
  values.reserve(static_cast<size_t>(shape.num_elements()));
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    values.push_back(TextFromPython(objects[i] == nullptr ? Py_None : objects[i]));
  }
  return Tensor::Strings(shape, std::move(values));
}

nb::object StringsToArray(const Tensor& tensor) {
  nb::object array =
      NumpyApi::Get().NewArray(DType::kString, tensor.rank(), tensor.shape().dims().data());
  PyObject** objects = reinterpret_cast<PyObject**>(AsArray(array)->data);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const std::string& value = tensor.data<std::string>()[i];
    PyObject* bytes =
        PyBytes_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size()));
    if (bytes == nullptr) throw nb::python_error();
    Py_XDECREF(objects[i]);
    objects[i] = bytes;
  }
  return array;
}

// An object that keeps the tensor's memory alive.
nb::object OwnerOf(Tensor tensor) {
  return nb::capsule(new Tensor(std::move(tensor)),
                     [](void* owned) noexcept { delete static_cast<Tensor*>(owned); });
}

// What threads without the GIL gave up. To wait for it there could be to wait for ever: whoever forks
// has it, and waits for the work of that thread.
class GivenUp {
 public:
  static void Add(PyObject* object) {
    std::lock_guard<std::mutex> lock(Mutex());
    Objects().push_back(object);
    // Asked for again with the next one where Python has no room for it now.
    Py_AddPendingCall(&Release, nullptr);
  }

 private:
  static std::mutex& Mutex() {
    static auto* mutex = new std::mutex;
    return *mutex;
  }
  static std::vector<PyObject*>& Objects() {
    static auto* objects = new std::vector<PyObject*>;
    return *objects;
  }
  static int Release(void*) {
    std::vector<PyObject*> objects;
    {
      std::lock_guard<std::mutex> lock(Mutex());
      objects.swap(Objects());
    }
    for (PyObject* object : objects) Py_DECREF(object);
    return 0;
  }
};

}  // namespace

Tensor CopyFromArray(nb::handle object) {
  const NumpyApi::Array* array = AsArray(object);
  if (!NumpyApi::Get().IsArray(object.ptr()) || !NumpyApi::IsPlain(array)) {
    throw nb::type_error("expected a NumPy array in C order");
  }
  const DType dtype = NumpyApi::TypeOf(array);
  if (dtype == DType::kInvalid) throw nb::type_error("no tensor has elements of this NumPy type");
  const Shape shape = ShapeOf(array);
  if (dtype == DType::kString) return StringsFromArray(array, shape);
  Tensor tensor = ValueOrThrow(Tensor::Allocate(CpuAllocator(), dtype, shape));
  if (tensor.num_bytes() > 0) std::memcpy(tensor.raw(), array->data, tensor.num_bytes());
  return tensor;
}

Tensor BorrowArray(nb::handle object, DType dtype) {
  const NumpyApi::Array* array = AsArray(object);
  const Shape shape = ShapeOf(array);
  if (dtype == DType::kString) return StringsFromArray(array, shape);
  std::shared_ptr<void> owner(object.inc_ref().ptr(), [](PyObject* held) {
    if (!Py_IsInitialized()) return;
    if (HasGil()) {
      Py_DECREF(held);
    } else {
      GivenUp::Add(held);
    }
  });
  const size_t bytes =
      static_cast<size_t>(shape.num_elements()) * static_cast<size_t>(DTypeSize(dtype));
  return Tensor(dtype, shape, std::make_shared<Buffer>(array->data, bytes, std::move(owner)));
}

nb::object ToArray(Tensor tensor) {
  const NumpyApi& numpy = NumpyApi::Get();
  if (tensor.dtype() == DType::kString) return StringsToArray(tensor);
  const DType dtype = tensor.dtype();
  const int rank = tensor.rank();
  const size_t bytes = tensor.num_bytes();
  if (bytes >= kCopyBytes && tensor.SoleOwner()) {
    void* data = tensor.raw();
    const std::vector<int64_t> dims = tensor.shape().dims();
    return numpy.ArrayOn(dtype, rank, dims.data(), data, OwnerOf(std::move(tensor)));
  }
  nb::object array = numpy.NewArray(dtype, rank, tensor.shape().dims().data());
  if (bytes > 0) std::memcpy(AsArray(array)->data, tensor.raw(), bytes);
  return array;
}

nb::object ToNumpy(Tensor tensor) {
  if (tensor.rank() > 0) return ToArray(std::move(tensor));
  if (tensor.dtype() == DType::kString) {
    const std::string& value = *tensor.data<std::string>();
    return nb::bytes(value.data(), value.size());
  }
  return NumpyApi::Get().NewScalar(tensor.dtype(), tensor.raw());
}

}  // namespace python
}  // namespace tfbuild
