// Convolutions as sums of matrix products, one for each place of the filter: along a row of the
// output, the pixels under that place are a matrix with evenly spaced rows. For double.
#include <algorithm>

#include "base/parallel.h"
#include "base/stop.h"
#include "kernels/framework/gemm_loops.h"
#include "kernels/nn/convolution.h"

namespace tfbuild {
namespace {

// The output positions [begin, end) whose window covers the input at filter place `place`, and the
// input position under the first.
struct Run {
  int64_t begin, end, input;
};

Run RunOf(const Window& window, int64_t place) {
  const int64_t offset = place * window.dilation - window.pad_before;
  // Smallest o with o * stride + offset >= 0, and the first with o * stride + offset >= input.
  const auto first_from = [&window](int64_t distance) {
    return distance <= 0 ? 0 : (distance + window.stride - 1) / window.stride;
  };
  const int64_t begin = std::min(first_from(-offset), window.output);
  const int64_t end = std::min(first_from(window.input - offset), window.output);
  return {begin, std::max(begin, end), begin * window.stride + offset};
}

// One convolution with channels last.
struct Images {
  const ConvDimensions& dims;
  int64_t in_group() const { return dims.in_channels / dims.groups; }
  int64_t out_group() const { return dims.out_channels / dims.groups; }
  int64_t input_at(int64_t batch, int64_t row, int64_t col) const {
    return ((batch * dims.rows.input + row) * dims.cols.input + col) * dims.in_channels;
  }
  int64_t output_at(int64_t batch, int64_t row, int64_t col) const {
    return ((batch * dims.rows.output + row) * dims.cols.output + col) * dims.out_channels;
  }
  int64_t filter_at(int64_t row, int64_t col) const {
    return (row * dims.cols.filter + col) * in_group() * dims.out_channels;
  }
  // Distance of the input pixels under neighbouring pixels of an output row.
  int64_t input_step() const { return dims.cols.stride * dims.in_channels; }

  // Calls body(input, output, filter, pixels) with offsets, for each run of pixels along a row of
  // the output under one place of the filter.
  template <typename Body>
  void ForEachRun(int64_t batch, int64_t filter_row, int64_t filter_col, const Body& body) const {
    const Run rows = RunOf(dims.rows, filter_row);
    const Run cols = RunOf(dims.cols, filter_col);
    if (cols.begin == cols.end) return;
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      ThrowIfStopped();
      const int64_t input_row = rows.input + (row - rows.begin) * dims.rows.stride;
      body(input_at(batch, input_row, cols.input), output_at(batch, row, cols.begin),
           filter_at(filter_row, filter_col), cols.end - cols.begin);
    }
  }
};

void Forward(const Images& images, const double* input, const double* filter, double* output) {
  const ConvDimensions& dims = images.dims;
  const int64_t image = dims.output_shape().num_elements() / dims.batch;
  ParallelFor(dims.batch, 1, [&](int64_t begin, int64_t end) {
    std::fill(output + begin * image, output + end * image, 0.0);
    for (int64_t batch = begin; batch < end; ++batch) {
      for (int64_t place = 0; place < dims.rows.filter * dims.cols.filter; ++place) {
        images.ForEachRun(
            batch, place / dims.cols.filter, place % dims.cols.filter,
            [&](int64_t in, int64_t out, int64_t at, int64_t pixels) {
              for (int64_t group = 0; group < dims.groups; ++group) {
                const int64_t shift = group * images.out_group();
                AddProduct(ProductPart<double>{
                    input + in + group * images.in_group(), images.input_step(), 1,
                    filter + at + shift, dims.out_channels, output + out + shift,
                    dims.out_channels, pixels, images.in_group(), images.out_group()});
              }
            });
      }
    }
  });
}

// `turned` is the filter with its last two dimensions exchanged.
void BackwardInput(const Images& images, const double* turned, const double* gradient,
                   double* result) {
  const ConvDimensions& dims = images.dims;
  const int64_t image = dims.input_shape().num_elements() / dims.batch;
  ParallelFor(dims.batch, 1, [&](int64_t begin, int64_t end) {
    std::fill(result + begin * image, result + end * image, 0.0);
    for (int64_t batch = begin; batch < end; ++batch) {
      for (int64_t place = 0; place < dims.rows.filter * dims.cols.filter; ++place) {
        images.ForEachRun(
            batch, place / dims.cols.filter, place % dims.cols.filter,
            [&](int64_t in, int64_t out, int64_t at, int64_t pixels) {
              for (int64_t group = 0; group < dims.groups; ++group) {
                const int64_t shift = group * images.out_group();
                AddProduct(ProductPart<double>{
                    gradient + out + shift, dims.out_channels, 1,
                    turned + at + shift * images.in_group(), images.in_group(),
                    result + in + group * images.in_group(), images.input_step(), pixels,
                    images.out_group(), images.in_group()});
              }
            });
      }
    }
  });
}

void BackwardFilter(const Images& images, const double* input, const double* gradient,
                    double* result) {
  const ConvDimensions& dims = images.dims;
  const int64_t size = images.in_group() * dims.out_channels;
  ParallelFor(dims.rows.filter * dims.cols.filter, 1, [&](int64_t begin, int64_t end) {
    std::fill(result + begin * size, result + end * size, 0.0);
    for (int64_t place = begin; place < end; ++place) {
      for (int64_t batch = 0; batch < dims.batch; ++batch) {
        images.ForEachRun(
            batch, place / dims.cols.filter, place % dims.cols.filter,
            [&](int64_t in, int64_t out, int64_t at, int64_t pixels) {
              for (int64_t group = 0; group < dims.groups; ++group) {
                const int64_t shift = group * images.out_group();
                AddProduct(ProductPart<double>{
                    input + in + group * images.in_group(), 1, images.input_step(),
                    gradient + out + shift, dims.out_channels, result + at + shift,
                    dims.out_channels, images.in_group(), pixels, images.out_group()});
              }
            });
      }
    }
  });
}

// out[i][c][r] = in[i][r][c] for `count` matrices.
void TransposeEach(const double* in, int64_t count, int64_t rows, int64_t cols, double* out) {
  ParallelFor(count, 1, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const double* from = in + i * rows * cols;
      double* to = out + i * rows * cols;
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < cols; ++c) to[c * rows + r] = from[r * cols + c];
      }
    }
  });
}

Status RunChannelsLast(OpKernelContext* context, ConvPass pass, const ConvDimensions& dims,
                       const double* first, const double* second, double* result) {
  const Images images{dims};
  if (pass == ConvPass::kForward) Forward(images, first, second, result);
  if (pass == ConvPass::kFilter) BackwardFilter(images, first, second, result);
  if (pass == ConvPass::kInput) {
    const int64_t places = dims.rows.filter * dims.cols.filter;
    const int64_t size = images.in_group() * dims.out_channels;
    ASSIGN_OR_RETURN(Tensor turned, context->AllocateTemp(DType::kDouble, Shape{places, size}));
    TransposeEach(first, places, images.in_group(), dims.out_channels,
                  turned.mutable_data<double>());
    BackwardInput(images, turned.data<double>(), second, result);
  }
  return OkStatus();
}

}  // namespace

Status RunConvLoops(OpKernelContext* context, ConvPass pass, const ConvDimensions& dims,
                    const double* first, const double* second, double* result) {
  if (dims.format == DataFormat::kNHWC) {
    return RunChannelsLast(context, pass, dims, first, second, result);
  }
  ConvDimensions last = dims;
  last.format = DataFormat::kNHWC;
  const std::array<int64_t, 3> sizes = ConvOperandSizes(pass, dims);
  const int64_t in_pixels = dims.rows.input * dims.cols.input;
  const int64_t out_pixels = dims.rows.output * dims.cols.output;
  const bool first_is_input = pass != ConvPass::kInput;
  const bool second_is_output = pass != ConvPass::kForward;
  std::array<Tensor, 3> turned;
  for (size_t i = 0; i < turned.size(); ++i) {
    ASSIGN_OR_RETURN(turned[i], context->AllocateTemp(DType::kDouble, Shape{sizes[i]}));
  }
  if (first_is_input) {
    TransposeEach(first, dims.batch, dims.in_channels, in_pixels, turned[0].mutable_data<double>());
    first = turned[0].data<double>();
  }
  if (second_is_output) {
    TransposeEach(second, dims.batch, dims.out_channels, out_pixels,
                  turned[1].mutable_data<double>());
    second = turned[1].data<double>();
  }
  if (pass == ConvPass::kFilter) return RunChannelsLast(context, pass, last, first, second, result);
  RETURN_IF_ERROR(RunChannelsLast(context, pass, last, first, second,
                                  turned[2].mutable_data<double>()));
  const bool forward = pass == ConvPass::kForward;
  TransposeEach(turned[2].data<double>(), dims.batch, forward ? out_pixels : in_pixels,
                forward ? dims.out_channels : dims.in_channels, result);
  return OkStatus();
}

}  // namespace tfbuild
