#pragma once

#include <string>
#include <vector>

#include "testing/step_ops.h"

namespace tfbuild {
namespace testing {

// One array of a step, used through its kernels on a device.
class ArrayUser {
 public:
  ArrayUser(int32_t size, bool grows, Device* device = CpuDevice()) : ops_(device) {
    Result<std::vector<Tensor>> made =
        Call("TensorArrayV3", {Tensor::Scalar<int32_t>(size)},
             {{"dtype", DType::kFloat}, {"dynamic_size", grows}});
    EXPECT_OK(made);
    handle_ = (*made)[0];
  }
  Status Write(int32_t index, const Tensor& value) {
    return Call("TensorArrayWriteV3",
                {handle_, Tensor::Scalar(index), value, Tensor::Scalar<float>(0)}, {})
        .status();
  }
  Result<Tensor> Read(int32_t index) {
    ASSIGN_OR_RETURN(const auto values,
                     Call("TensorArrayReadV3",
                          {handle_, Tensor::Scalar(index), Tensor::Scalar<float>(0)},
                          {{"dtype", DType::kFloat}}));
    return values[0];
  }
  int32_t Size() {
    const auto values = Call("TensorArraySizeV3", {handle_, Tensor::Scalar<float>(0)}, {});
    EXPECT_OK(values);
    return *(*values)[0].data<int32_t>();
  }
  Status Close() { return Call("TensorArrayCloseV3", {handle_}, {}).status(); }
  Status Scatter(const Tensor& indices, const Tensor& value) {
    return Call("TensorArrayScatterV3", {handle_, indices, value, Tensor::Scalar<float>(0)}, {})
        .status();
  }
  Result<Tensor> Gather(const Tensor& indices) {
    ASSIGN_OR_RETURN(const auto values,
                     Call("TensorArrayGatherV3", {handle_, indices, Tensor::Scalar<float>(0)},
                          {{"dtype", DType::kFloat}}));
    return values[0];
  }
  // From now on this is the array of gradients.
  Status BecomeGradient() {
    ASSIGN_OR_RETURN(const auto values, Call("TensorArrayGradV3",
                                             {handle_, Tensor::Scalar<float>(0)},
                                             {{"source", std::string("gradients")}}));
    handle_ = values[0];
    return OkStatus();
  }

 private:
  Result<std::vector<Tensor>> Call(const std::string& op, const std::vector<Tensor>& values,
                                   AttrMap attrs) {
    return ops_.Call(op, values, std::move(attrs));
  }
  StepOps ops_;
  Tensor handle_;
};

}  // namespace testing
}  // namespace tfbuild
