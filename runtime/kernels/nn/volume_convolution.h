#pragma once

#include "kernels/framework/matmul_sizes.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/nn/volume_dimensions.h"

namespace tfbuild {

// Convolutions of volumes as products of matrices: a row of `columns` holds what the places of the
// filter see from one pixel of the output, [places, channels in], so that columns times the filter are
// pixels. Columns are made for some pixels at a time. Each device has its own of these steps, on
// arrays of its memory with channels last.
class VolumeSteps {
 public:
  // Pixels of all outputs one after another.
  struct Pixels {
    int64_t first;
    int64_t count;
  };

  virtual ~VolumeSteps() = default;
  // How many elements the columns of one product may be.
  virtual int64_t MostColumns() const = 0;
  // What is outside the input is 0.
  virtual Status TakeColumns(const VolumeDimensions& dims, Pixels pixels, const void* input,
                             void* columns) = 0;
  // Adds to each element of the input what the columns have of it.
  virtual Status AddColumns(const VolumeDimensions& dims, Pixels pixels, const void* columns,
                            void* input) = 0;
  virtual Status Multiply(const MatMulSizes& sizes, const void* a, const void* b, void* c) = 0;
  virtual Status Add(const void* from, int64_t count, void* to) = 0;
};

// Writes the whole result; operands as the pass says, none of them empty.
Status RunVolumeConvolution(OpKernelContext* context, VolumeSteps* steps, ConvPass pass,
                            const VolumeDimensions& dims, const Tensor& first,
                            const Tensor& second, Tensor* result);

// Conv3D or one of its gradients on some device.
class VolumeConvolutionOp : public OpKernel {
 public:
  explicit VolumeConvolutionOp(ConvPass pass) : pass_(pass) {}
  Status Init(const OpKernelConstruction& construction) override;
  Status Compute(OpKernelContext* context) final;
  bool IsExpensive() const override { return true; }

 protected:
  // As RunVolumeConvolution.
  virtual Status Run(OpKernelContext* context, const VolumeDimensions& dims, const Tensor& first,
                     const Tensor& second, Tensor* result) = 0;

 private:
  Status Make(OpKernelContext* context, const VolumeDimensions& dims, const Shape& shape,
              const Tensor& first, const Tensor& second);

  ConvPass pass_;
  VolumeSliding sliding_;
};

}  // namespace tfbuild
