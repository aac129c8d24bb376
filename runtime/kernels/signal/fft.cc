// FFT, IFFT, RFFT and IRFFT over the last one, two or three dimensions.
#include <algorithm>
#include <limits>
#include <memory>

#include "base/parallel.h"
#include "base/stop_look.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/signal/fourier.h"
#include "tensor/complex.h"
#include "tensor/limited_product.h"

namespace tfbuild {
namespace {

template <int kRank>
Status ComplexShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, kRank));
  return UnchangedShape(context);
}

// Of a real transform: lengths, of which the last is halved where the result is the spectrum.
template <int kRank, bool kHalved>
Status RealShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, kRank));
  ASSIGN_OR_RETURN(const PartialShape lengths, context->WithRank(1, 1));
  RETURN_IF_ERROR(lengths.MergeWith(PartialShape{kRank}).status());
  const PartialShape& input = context->input(0);
  if (!input.known_rank()) return OkStatus();
  std::vector<int64_t> dims = input.dims();
  ASSIGN_OR_RETURN(const auto known, KnownInts(*context, 1));
  for (size_t k = 0; k < kRank; ++k) {
    int64_t& dim = dims[dims.size() - kRank + k];
    dim = known ? (*known)[k] : kUnknownDim;
    if (known && dim < 0) return InvalidArgument("fft_length[", k, "] must be >= 0, but got: ", dim);
    if (k == kRank - 1 && kHalved && dim > 0) dim = dim / 2 + 1;
  }
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

#define TFBUILD_FFT_DEFINITION(name, rank)                                 \
  REGISTER_OP(name)                                                        \
      .Input("input: Tcomplex")                                            \
      .Output("output: Tcomplex")                                          \
      .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")            \
      .ShapeFunction(ComplexShape<rank>)
#define TFBUILD_RFFT_DEFINITION(name, rank)                                \
  REGISTER_OP(name)                                                        \
      .Input("input: Treal")                                               \
      .Input("fft_length: int32")                                          \
      .Output("output: Tcomplex")                                          \
      .Attr("Treal: {float, double} = DT_FLOAT")                           \
      .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")            \
      .ShapeFunction(RealShape<rank, true>)
#define TFBUILD_IRFFT_DEFINITION(name, rank)                               \
  REGISTER_OP(name)                                                        \
      .Input("input: Tcomplex")                                            \
      .Input("fft_length: int32")                                          \
      .Output("output: Treal")                                             \
      .Attr("Treal: {float, double} = DT_FLOAT")                           \
      .Attr("Tcomplex: {complex64, complex128} = DT_COMPLEX64")            \
      .ShapeFunction(RealShape<rank, false>)
TFBUILD_FFT_DEFINITION("FFT", 1);
TFBUILD_FFT_DEFINITION("FFT2D", 2);
TFBUILD_FFT_DEFINITION("FFT3D", 3);
TFBUILD_FFT_DEFINITION("IFFT", 1);
TFBUILD_FFT_DEFINITION("IFFT2D", 2);
TFBUILD_FFT_DEFINITION("IFFT3D", 3);
TFBUILD_RFFT_DEFINITION("RFFT", 1);
TFBUILD_RFFT_DEFINITION("RFFT2D", 2);
TFBUILD_RFFT_DEFINITION("RFFT3D", 3);
TFBUILD_IRFFT_DEFINITION("IRFFT", 1);
TFBUILD_IRFFT_DEFINITION("IRFFT2D", 2);
TFBUILD_IRFFT_DEFINITION("IRFFT3D", 3);
#undef TFBUILD_FFT_DEFINITION
#undef TFBUILD_RFFT_DEFINITION
#undef TFBUILD_IRFFT_DEFINITION

using Number = Fourier::Number;

// Numbers of a block as they are transformed: dims[0] x dims[1] x ... rows, one after the other.
struct Block {
  std::vector<int64_t> dims;
  std::vector<std::unique_ptr<Fourier>> plans;  // one for each dimension

  explicit Block(std::vector<int64_t> sizes) : dims(std::move(sizes)) {
    for (const int64_t size : dims) plans.push_back(std::make_unique<Fourier>(size));
  }
  int64_t size() const {
    int64_t product = 1;
    for (const int64_t dim : dims) product *= dim;
    return product;
  }
  // Transforms along one dimension. `step` counts the numbers from one to the next along it.
  void Along(size_t axis, Number* values, int64_t step, int64_t count, bool inverse) const {
    const int64_t length = dims[axis];
    std::vector<Number> line(static_cast<size_t>(length));
    StopLook look;
    for (int64_t outer = 0; outer < count / (length * step); ++outer) {
      for (int64_t inner = 0; inner < step; ++inner) {
        look.Turn();
        Number* first = values + outer * length * step + inner;
        for (int64_t k = 0; k < length; ++k) line[static_cast<size_t>(k)] = first[k * step];
        plans[axis]->Run(line.data(), inverse);
        for (int64_t k = 0; k < length; ++k) first[k * step] = line[static_cast<size_t>(k)];
      }
    }
  }
  // Transforms along all dimensions but the last `left_out`, of blocks that are `width` wide.
  void Run(Number* values, int64_t width, size_t left_out, bool inverse) const {
    int64_t step = width, count = width;
    for (size_t k = 0; k + 1 < dims.size(); ++k) count *= dims[k];
    for (size_t k = dims.size() - 1; k-- > 0;) {
      Along(k, values, step, count, inverse);
      step *= dims[k];
    }
    if (left_out == 0) Along(dims.size() - 1, values, 1, count, inverse);
  }
};

// Where the transforms of a tensor are: `count` blocks of the last dimensions.
struct Transforms {
  int64_t count = 1;
  std::vector<int64_t> lead;    // dimensions before
  std::vector<int64_t> blocks;  // the last dimensions, as the input has them

  static Result<Transforms> Of(const Tensor& input, size_t rank) {
    Transforms made;
    const std::vector<int64_t> dims = input.shape().dims();
    if (dims.size() < rank) {
      return InvalidArgument("Input must have rank of at least ", rank, " but got: ",
                             input.shape());
    }
    made.lead.assign(dims.begin(), dims.end() - static_cast<int64_t>(rank));
    made.blocks.assign(dims.end() - static_cast<int64_t>(rank), dims.end());
    made.count = LimitedProduct(made.lead.begin(), made.lead.end());
    return made;
  }
  Result<Shape> With(const std::vector<int64_t>& last) const {
    std::vector<int64_t> dims = lead;
    dims.insert(dims.end(), last.begin(), last.end());
    return Shape::Make(dims);
  }
};

constexpr int64_t kFftGrain = 4096;  // numbers that are worth a thread

template <typename Body>
void ForEachBlock(int64_t count, int64_t size, const Body& body) {
  ParallelFor(count, kFftGrain / std::max<int64_t>(size, 1) + 1, [&](int64_t begin, int64_t end) {
    std::vector<Number> work(static_cast<size_t>(size));
    for (int64_t i = begin; i < end; ++i) body(i, work.data());
  });
}

// The numbers of rows that are `from` wide, cut to the first corner of `to`; both end with a row.
template <typename T>
void CopyCorner(const T* from, const std::vector<int64_t>& from_dims,
                const std::vector<int64_t>& to_dims, Number* to) {
  if (to_dims.size() == 1) {
    for (int64_t k = 0; k < to_dims[0]; ++k) to[k] = Number(from[k]);
    return;
  }
  const std::vector<int64_t> from_rest(from_dims.begin() + 1, from_dims.end());
  const std::vector<int64_t> to_rest(to_dims.begin() + 1, to_dims.end());
  int64_t from_step = 1, to_step = 1;
  for (const int64_t dim : from_rest) from_step *= dim;
  for (const int64_t dim : to_rest) to_step *= dim;
  for (int64_t k = 0; k < to_dims[0]; ++k) {
    CopyCorner(from + k * from_step, from_rest, to_rest, to + k * to_step);
  }
}

template <typename C, int kRank, bool kInverse>
class ComplexOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const Transforms all, Transforms::Of(input, kRank));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, input.shape()));
    if (input.num_elements() == 0) return OkStatus();
    const Block block(all.blocks);
    const int64_t size = block.size();
    const double scale = kInverse ? 1.0 / static_cast<double>(size) : 1.0;
    const C* from = input.data<C>();
    C* to = output->mutable_data<C>();
    ForEachBlock(all.count, size, [&](int64_t i, Number* work) {
      for (int64_t k = 0; k < size; ++k) work[k] = Number(from[i * size + k]);
      block.Run(work, block.dims.back(), 0, kInverse);
      for (int64_t k = 0; k < size; ++k) to[i * size + k] = C(work[k] * scale);
    });
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }
};

// The lengths that a real transform is asked for; the input has at least as many numbers as they
// take, of the last dimension only half where `halved`.
Result<std::vector<int64_t>> LengthsFrom(const Tensor& given, const Transforms& all, size_t rank,
                                         bool halved) {
  if (given.rank() != 1 || given.dim(0) != static_cast<int64_t>(rank)) {
    return InvalidArgument("fft_length must have shape [", rank, "]");
  }
  ASSIGN_OR_RETURN(std::vector<int64_t> lengths, given.IntValues());
  for (size_t k = 0; k < rank; ++k) {
    if (lengths[k] < 0) return InvalidArgument("fft_length[", k, "] must >= 0, but got: ", lengths[k]);
    const bool half = halved && k == rank - 1;
    const int64_t least = half && lengths[k] > 0 ? lengths[k] / 2 + 1 : lengths[k];
    if (all.blocks[k] < least) {
      return InvalidArgument("Input dimension ", k, " must have length of at least ", least,
                             " but got: ", all.blocks[k]);
    }
  }
  return lengths;
}

template <typename T, int kRank>
class ToSpectrumOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const Transforms all, Transforms::Of(input, kRank));
    ASSIGN_OR_RETURN(const std::vector<int64_t> lengths,
                     LengthsFrom(context->input(1), all, kRank, false));
    std::vector<int64_t> kept = lengths;
    if (kept.back() > 0) kept.back() = kept.back() / 2 + 1;
    ASSIGN_OR_RETURN(const Shape shape, all.With(kept));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const Block block(lengths);
    const int64_t size = block.size(), rows = size / lengths.back();
    const int64_t step = input.num_elements() / all.count;
    const T* from = input.data<T>();
    std::complex<T>* to = output->mutable_data<std::complex<T>>();
    ForEachBlock(all.count, size, [&](int64_t i, Number* work) {
      CopyCorner(from + i * step, all.blocks, lengths, work);
      block.Run(work, lengths.back(), 0, false);
      for (int64_t row = 0; row < rows; ++row) {
        for (int64_t k = 0; k < kept.back(); ++k) {
          to[(i * rows + row) * kept.back() + k] =
              std::complex<T>(work[row * lengths.back() + k]);
        }
      }
    });
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }
};

template <typename T, int kRank>
class FromSpectrumOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const Transforms all, Transforms::Of(input, kRank));
    ASSIGN_OR_RETURN(const std::vector<int64_t> lengths,
                     LengthsFrom(context->input(1), all, kRank, true));
    ASSIGN_OR_RETURN(const Shape shape, all.With(lengths));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const Block block(lengths);
    const int64_t size = block.size(), width = lengths.back();
    std::vector<int64_t> kept = lengths;
    kept.back() = width / 2 + 1;
    const int64_t rows = size / width, half = kept.back();
    const int64_t step = input.num_elements() / all.count;
    const std::complex<T>* from = input.data<std::complex<T>>();
    T* to = output->mutable_data<T>();
    ForEachBlock(all.count, rows * half, [&](int64_t i, Number* work) {
      CopyCorner(from + i * step, all.blocks, kept, work);
      block.Run(work, half, 1, true);
      std::vector<Number> line(static_cast<size_t>(width));
      for (int64_t row = 0; row < rows; ++row) {
        Unfold(work + row * half, width, line.data());
        block.plans.back()->Run(line.data(), true);
        for (int64_t k = 0; k < width; ++k) {
          to[i * size + row * width + k] =
              T(line[static_cast<size_t>(k)].real() / static_cast<double>(size));
        }
      }
    });
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 private:
  // The whole spectrum of real numbers from its first half.
  static void Unfold(const Number* half, int64_t width, Number* whole) {
    for (int64_t k = 0; k < width / 2 + 1; ++k) whole[k] = half[k];
    whole[0] = half[0].real();
    if (width % 2 == 0) whole[width / 2] = half[width / 2].real();
    for (int64_t k = width / 2 + 1; k < width; ++k) whole[k] = std::conj(half[width - k]);
  }
};

#define REGISTER_REAL(T, suffix, rank)                                     \
  REGISTER_KERNEL(Kernel("FFT" suffix).OnCpu().Type<std::complex<T>>("Tcomplex"), \
                  ComplexOp<std::complex<T>, rank, false>);                \
  REGISTER_KERNEL(Kernel("IFFT" suffix).OnCpu().Type<std::complex<T>>("Tcomplex"), \
                  ComplexOp<std::complex<T>, rank, true>);                 \
  REGISTER_KERNEL(                                                         \
      Kernel("RFFT" suffix).OnCpu().Type<T>("Treal").Type<std::complex<T>>("Tcomplex"), \
      ToSpectrumOp<T, rank>);                                              \
  REGISTER_KERNEL(                                                         \
      Kernel("IRFFT" suffix).OnCpu().Type<T>("Treal").Type<std::complex<T>>("Tcomplex"), \
      FromSpectrumOp<T, rank>);
#define REGISTER(T) REGISTER_REAL(T, "", 1) REGISTER_REAL(T, "2D", 2) REGISTER_REAL(T, "3D", 3)
REGISTER(float)
REGISTER(double)
#undef REGISTER
#undef REGISTER_REAL

}  // namespace
}  // namespace tfbuild
