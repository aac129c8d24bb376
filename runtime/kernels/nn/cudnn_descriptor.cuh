#pragma once

// The descriptors that cuDNN's graphs are made of (cudnn_graph.h), as values that own them.

#include <cudnn.h>

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace tfbuild {

// By which name cuDNN knows the type of an attribute's elements.
template <typename T>
struct CudnnTypeOf;
#define TFBUILD_CUDNN_TYPE(T, NAME) \
  template <>                       \
  struct CudnnTypeOf<T> {           \
    static constexpr cudnnBackendAttributeType_t value = NAME; \
  }
TFBUILD_CUDNN_TYPE(int64_t, CUDNN_TYPE_INT64);
TFBUILD_CUDNN_TYPE(bool, CUDNN_TYPE_BOOLEAN);
TFBUILD_CUDNN_TYPE(float, CUDNN_TYPE_FLOAT);
TFBUILD_CUDNN_TYPE(double, CUDNN_TYPE_DOUBLE);
TFBUILD_CUDNN_TYPE(char, CUDNN_TYPE_CHAR);
TFBUILD_CUDNN_TYPE(void*, CUDNN_TYPE_VOID_PTR);
TFBUILD_CUDNN_TYPE(cudnnHandle_t, CUDNN_TYPE_HANDLE);
TFBUILD_CUDNN_TYPE(cudnnDataType_t, CUDNN_TYPE_DATA_TYPE);
TFBUILD_CUDNN_TYPE(cudnnConvolutionMode_t, CUDNN_TYPE_CONVOLUTION_MODE);
TFBUILD_CUDNN_TYPE(cudnnPointwiseMode_t, CUDNN_TYPE_POINTWISE_MODE);
TFBUILD_CUDNN_TYPE(cudnnNanPropagation_t, CUDNN_TYPE_NAN_PROPOGATION);
TFBUILD_CUDNN_TYPE(cudnnBackendHeurMode_t, CUDNN_TYPE_HEUR_MODE);
TFBUILD_CUDNN_TYPE(cudnnBackendNumericalNote_t, CUDNN_TYPE_NUMERICAL_NOTE);
TFBUILD_CUDNN_TYPE(cudnnBackendKnobType_t, CUDNN_TYPE_KNOB_TYPE);
#undef TFBUILD_CUDNN_TYPE

// One descriptor, to be read; who refers to it in cuDNN needs it as long as itself. Movable.
class CudnnDescriptor {
 public:
  // An empty one, for cuDNN to fill.
  static Result<CudnnDescriptor> Make(cudnnBackendDescriptorType_t type);
  CudnnDescriptor(CudnnDescriptor&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, nullptr)) {}
  CudnnDescriptor& operator=(CudnnDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~CudnnDescriptor();

  cudnnBackendDescriptor_t get() const { return descriptor_; }

  // An attribute of one element, or of any number.
  template <typename T>
  Result<T> Get(cudnnBackendAttributeName_t name) const {
    T value{};
    int64_t count = 0;
    RETURN_IF_ERROR(Read(name, CudnnTypeOf<T>::value, 1, &count, &value));
    return value;
  }
  template <typename T>
  Result<std::vector<T>> GetAll(cudnnBackendAttributeName_t name) const {
    int64_t count = 0;
    RETURN_IF_ERROR(Read(name, CudnnTypeOf<T>::value, 0, &count, nullptr));
    std::vector<T> values(static_cast<size_t>(count));
    if (count > 0) {
      RETURN_IF_ERROR(Read(name, CudnnTypeOf<T>::value, count, &count, values.data()));
      values.resize(static_cast<size_t>(count));
    }
    return values;
  }
  // Descriptors of this type that are in an attribute, in their order; the first `most` of them.
  Result<std::vector<CudnnDescriptor>> GetDescriptors(cudnnBackendAttributeName_t name,
                                                      cudnnBackendDescriptorType_t type,
                                                      int64_t most) const;

 private:
  friend class CudnnBuilder;
  explicit CudnnDescriptor(cudnnBackendDescriptor_t descriptor) : descriptor_(descriptor) {}
  Status Read(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t room,
              int64_t* count, void* elements) const;
  cudnnBackendDescriptor_t descriptor_;
};

// Makes a descriptor: attributes, then Finalize. Of several errors the first is returned.
class CudnnBuilder {
 public:
  explicit CudnnBuilder(cudnnBackendDescriptorType_t type) : made_(CudnnDescriptor::Make(type)) {}

  template <typename T>
  CudnnBuilder& Set(cudnnBackendAttributeName_t name, T value) {
    return Write(name, CudnnTypeOf<T>::value, 1, &value);
  }
  template <typename T>
  CudnnBuilder& Set(cudnnBackendAttributeName_t name, const std::vector<T>& values) {
    return Write(name, CudnnTypeOf<T>::value, static_cast<int64_t>(values.size()), values.data());
  }
  CudnnBuilder& Set(cudnnBackendAttributeName_t name, const CudnnDescriptor& other) {
    const cudnnBackendDescriptor_t descriptor = other.get();
    return Write(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &descriptor);
  }
  CudnnBuilder& Set(cudnnBackendAttributeName_t name, const std::vector<CudnnDescriptor>& others);

  // Once. Unimplemented where cuDNN does not take what was set.
  Result<CudnnDescriptor> Finalize();

 private:
  CudnnBuilder& Write(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                      int64_t count, const void* elements);
  Result<CudnnDescriptor> made_;
  Status status_;
};

}  // namespace tfbuild
