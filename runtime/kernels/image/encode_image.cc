// EncodeJpeg, EncodeJpegVariableQuality and EncodePng: images as files.
#include "graph/shape_context.h"
#include "io/jpeg.h"
#include "io/png.h"
#include "kernels/framework/op_kernel.h"
#include "tensor/limited_product.h"

namespace tfbuild {
namespace {

Status OneFile(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 3).status());
  context->set_output(0, PartialShape(std::vector<int64_t>{}));
  return OkStatus();
}

// A file for each image of a batch.
Status FilesShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 3));
  const PartialShape& images = context->input(0);
  if (!images.known_rank()) return UnknownShape(context);
  context->set_output(0, std::vector<int64_t>(images.dims().begin(), images.dims().end() - 3));
  return OkStatus();
}

REGISTER_OP("EncodeJpeg")
    .Input("image: uint8")
    .Output("contents: string")
    .Attr("format: {'', 'grayscale', 'rgb'} = ''")
    .Attr("quality: int = 95")
    .Attr("progressive: bool = false")
    .Attr("optimize_size: bool = false")
    .Attr("chroma_downsampling: bool = true")
    .Attr("density_unit: {'in', 'cm'} = 'in'")
    .Attr("x_density: int = 300")
    .Attr("y_density: int = 300")
    .Attr("xmp_metadata: string = ''")
    .ShapeFunction(OneFile);
REGISTER_OP("EncodeJpegVariableQuality")
    .Input("images: uint8")
    .Input("quality: int32")
    .Output("contents: string")
    .ShapeFunction(OneFile);
REGISTER_OP("EncodePng")
    .Input("image: T")
    .Output("contents: string")
    .Attr("compression: int = -1")
    .Attr("T: {uint8, uint16} = DT_UINT8")
    .ShapeFunction(FilesShape);

Result<ImageSize> SizeOf(const Tensor& image) {
  if (image.rank() != 3) return InvalidArgument("image must be 3-dimensional: ", image.shape());
  return ImageSize{1, image.dim(0), image.dim(1), image.dim(2)};
}

Status SetFile(OpKernelContext* context, const Tensor& image, const JpegWriting& writing) {
  ASSIGN_OR_RETURN(const ImageSize size, SizeOf(image));
  if (size.channels != 1 && size.channels != 3) {
    return InvalidArgument("image must have 1 or 3 channels, got ", image.shape());
  }
  ASSIGN_OR_RETURN(std::string file, EncodeJpeg(image.data<uint8_t>(), size, writing));
  context->SetOutput(0, Tensor::Strings({}, {std::move(file)}));
  return OkStatus();
}

class EncodeJpegOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const std::string format, construction.Attr<std::string>("format"));
    channels_ = format == "grayscale" ? 1 : format == "rgb" ? 3 : 0;
    ASSIGN_OR_RETURN(writing_.quality, Bounded(construction, "quality", 0, 100));
    ASSIGN_OR_RETURN(writing_.progressive, construction.Attr<bool>("progressive"));
    ASSIGN_OR_RETURN(writing_.optimize_size, construction.Attr<bool>("optimize_size"));
    ASSIGN_OR_RETURN(writing_.chroma_downsampling, construction.Attr<bool>("chroma_downsampling"));
    ASSIGN_OR_RETURN(const std::string unit, construction.Attr<std::string>("density_unit"));
    writing_.density_unit = unit == "in" ? DensityUnit::kInch : DensityUnit::kCentimetre;
    ASSIGN_OR_RETURN(writing_.x_density, Bounded(construction, "x_density", 0, 65535));
    ASSIGN_OR_RETURN(writing_.y_density, Bounded(construction, "y_density", 0, 65535));
    ASSIGN_OR_RETURN(writing_.xmp_metadata, construction.Attr<std::string>("xmp_metadata"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& image = context->input(0);
    if (channels_ != 0 && image.rank() == 3 && image.dim(2) != channels_) {
      return InvalidArgument("format wants ", channels_, " channels, not images of ", image.shape());
    }
    return SetFile(context, image, writing_);
  }

  bool IsExpensive() const override { return true; }

 private:
  static Result<int> Bounded(const OpKernelConstruction& construction, const char* name, int64_t least,
                             int64_t most) {
    ASSIGN_OR_RETURN(const int64_t value, construction.Attr<int64_t>(name));
    if (value >= least && value <= most) return static_cast<int>(value);
    return InvalidArgument(name, " must be in [", least, ",", most, "], got ", value);
  }

  JpegWriting writing_;
  int64_t channels_ = 0;
};

class EncodeJpegVariableQualityOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& quality = context->input(1);
    if (quality.rank() != 0) return InvalidArgument("quality must be scalar: ", quality.shape());
    JpegWriting writing;
    writing.quality = *quality.data<int32_t>();
    return SetFile(context, context->input(0), writing);
  }

  bool IsExpensive() const override { return true; }
};

template <typename T>
class EncodePngOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(level_, construction.Attr<int64_t>("compression"));
    if (level_ >= -1 && level_ <= 9) return OkStatus();
    return InvalidArgument("compression should be in [-1,9], got ", level_);
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& images = context->input(0);
    const int rank = images.rank();
    if (rank < 3) return InvalidArgument("images must be at least rank 3, got ", images.shape());
    const ImageSize size{1, images.dim(rank - 3), images.dim(rank - 2), images.dim(rank - 1)};
    const int64_t sides[] = {size.height, size.width, size.channels};
    const int64_t pixels = LimitedProduct(std::begin(sides), std::end(sides));
    if (pixels == 0) return InvalidArgument("image cannot be empty: ", images.shape());
    std::vector<int64_t> dims = images.shape().dims();
    dims.resize(static_cast<size_t>(rank - 3));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    std::vector<std::string> files;
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      ASSIGN_OR_RETURN(std::string file,
                       EncodePng(images.data<T>() + i * pixels, size, 8 * sizeof(T),
                                 static_cast<int>(level_)));
      files.push_back(std::move(file));
    }
    context->SetOutput(0, Tensor::Strings(shape, std::move(files)));
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  int64_t level_ = -1;
};

REGISTER_KERNEL(Kernel("EncodeJpeg").OnCpu(), EncodeJpegOp);
REGISTER_KERNEL(Kernel("EncodeJpegVariableQuality").OnCpu(), EncodeJpegVariableQualityOp);
REGISTER_KERNEL(Kernel("EncodePng").OnCpu().Type<uint8_t>("T"), EncodePngOp<uint8_t>);
REGISTER_KERNEL(Kernel("EncodePng").OnCpu().Type<uint16_t>("T"), EncodePngOp<uint16_t>);

}  // namespace
}  // namespace tfbuild
