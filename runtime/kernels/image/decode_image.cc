// DecodeJpeg, DecodePng, DecodeBmp, DecodeGif, DecodeImage and DecodeAndCropJpeg: the pixels of image
// files. As in TensorFlow, each reads what the file is, and not only what its own name says.
#include <cstring>

#include "graph/shape_context.h"
#include "io/bmp.h"
#include "io/gif.h"
#include "io/jpeg.h"
#include "io/png.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

// An image of any size; its channels are known where they are asked for.
Status ImageShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 0).status());
  ASSIGN_OR_RETURN(const int64_t channels, context->Attr<int64_t>("channels"));
  if (channels < 0) return InvalidArgument("channels must be non-negative, got ", channels);
  context->set_output(0, {kUnknownDim, kUnknownDim, channels == 0 ? kUnknownDim : channels});
  return OkStatus();
}

Status CroppedShape(ShapeContext* context) {
  RETURN_IF_ERROR(ImageShape(context));
  RETURN_IF_ERROR(context->WithRank(1, 1).status());
  const Tensor* window = context->input_tensor(1);
  if (window == nullptr || window->num_elements() != 4) return OkStatus();
  const int32_t* sides = window->data<int32_t>();
  if (sides[2] < 0 || sides[3] < 0) return OkStatus();
  context->set_output(0, {sides[2], sides[3], context->outputs()[0].dim(2)});
  return OkStatus();
}

Status FramesShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 0).status());
  context->set_output(0, {kUnknownDim, kUnknownDim, kUnknownDim, 3});
  return OkStatus();
}

// One image or several: only the file says.
Status ImageOrFramesShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 0).status());
  ASSIGN_OR_RETURN(const bool expands, context->Attr<bool>("expand_animations"));
  if (!expands) return ImageShape(context);
  return UnknownShape(context);
}

REGISTER_OP("DecodeJpeg")
    .Input("contents: string")
    .Output("image: uint8")
    .Attr("channels: int = 0")
    .Attr("ratio: int = 1")
    .Attr("fancy_upscaling: bool = true")
    .Attr("try_recover_truncated: bool = false")
    .Attr("acceptable_fraction: float = 1.0")
    .Attr("dct_method: string = ''")
    .ShapeFunction(ImageShape);
REGISTER_OP("DecodeAndCropJpeg")
    .Input("contents: string")
    .Input("crop_window: int32")
    .Output("image: uint8")
    .Attr("channels: int = 0")
    .Attr("ratio: int = 1")
    .Attr("fancy_upscaling: bool = true")
    .Attr("try_recover_truncated: bool = false")
    .Attr("acceptable_fraction: float = 1.0")
    .Attr("dct_method: string = ''")
    .ShapeFunction(CroppedShape);
REGISTER_OP("DecodePng")
    .Input("contents: string")
    .Output("image: dtype")
    .Attr("channels: int = 0")
    .Attr("dtype: {uint8, uint16} = DT_UINT8")
    .ShapeFunction(ImageShape);
REGISTER_OP("DecodeBmp")
    .Input("contents: string")
    .Output("image: uint8")
    .Attr("channels: int = 0")
    .ShapeFunction(ImageShape);
REGISTER_OP("DecodeGif")
    .Input("contents: string")
    .Output("image: uint8")
    .ShapeFunction(FramesShape);
REGISTER_OP("DecodeImage")
    .Input("contents: string")
    .Output("image: dtype")
    .Attr("channels: int = 0")
    .Attr("dtype: {uint8, uint16, float} = DT_UINT8")
    .Attr("expand_animations: bool = true")
    .ShapeFunction(ImageOrFramesShape);

enum class Decoder { kJpeg, kCroppedJpeg, kPng, kBmp, kGif, kAny };

const char* NameOf(ImageFormat format) {
  switch (format) {
    case ImageFormat::kJpeg: return "JPEG";
    case ImageFormat::kPng: return "PNG";
    case ImageFormat::kGif: return "GIF";
    default: return "BMP";
  }
}

template <Decoder kDecoder>
class DecodeImageOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    if constexpr (kDecoder == Decoder::kJpeg || kDecoder == Decoder::kCroppedJpeg) {
      RETURN_IF_ERROR(ReadJpegAttrs(construction));
    }
    if constexpr (kDecoder == Decoder::kPng || kDecoder == Decoder::kAny) {
      ASSIGN_OR_RETURN(dtype_, construction.Attr<DType>("dtype"));
    }
    if constexpr (kDecoder == Decoder::kAny) {
      ASSIGN_OR_RETURN(expands_animations_, construction.Attr<bool>("expand_animations"));
    }
    if constexpr (kDecoder != Decoder::kGif) {
      ASSIGN_OR_RETURN(channels_, construction.Attr<int64_t>("channels"));
    }
    if (channels_ == 0 || channels_ == 1 || channels_ == 3 || channels_ == 4) return OkStatus();
    return InvalidArgument("`channels` must be 0, 1, 3 or 4 but got ", channels_);
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& contents = context->input(0);
    if (contents.rank() != 0) {
      return InvalidArgument("`contents` must be scalar but got shape ", contents.shape());
    }
    const std::string& bytes = *contents.data<std::string>();
    if (bytes.empty()) return InvalidArgument("Input is empty.");
    const ImageFormat format = ImageFormatOf(bytes);
    RETURN_IF_ERROR(CheckFormat(format));
    switch (format) {
      case ImageFormat::kJpeg: return Jpeg(context, bytes);
      case ImageFormat::kPng: return Png(context, bytes);
      case ImageFormat::kGif: return Gif(context, bytes);
      default: return Bmp(context, bytes);
    }
  }

  bool IsExpensive() const override { return true; }

 private:
  Status ReadJpegAttrs(const OpKernelConstruction& construction) {
    ASSIGN_OR_RETURN(const int64_t ratio, construction.Attr<int64_t>("ratio"));
    if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8) {
      return InvalidArgument("ratio must be 1, 2, 4, or 8, got ", ratio);
    }
    jpeg_.ratio = static_cast<int>(ratio);
    ASSIGN_OR_RETURN(jpeg_.fancy_upscaling, construction.Attr<bool>("fancy_upscaling"));
    ASSIGN_OR_RETURN(jpeg_.try_recover_truncated, construction.Attr<bool>("try_recover_truncated"));
    ASSIGN_OR_RETURN(jpeg_.min_acceptable_fraction, construction.Attr<float>("acceptable_fraction"));
    ASSIGN_OR_RETURN(const std::string method, construction.Attr<std::string>("dct_method"));
    if (!method.empty() && method != "INTEGER_FAST" && method != "INTEGER_ACCURATE") {
      return InvalidArgument("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}");
    }
    jpeg_.fast_dct = method != "INTEGER_ACCURATE";
    return OkStatus();
  }

  // As TensorFlow: speed, unless somebody asks for more.
  static JpegReading Fast() {
    JpegReading reading;
    reading.fast_dct = true;
    return reading;
  }

  // Which files an op reads although they are of another kind.
  Status CheckFormat(ImageFormat format) const {
    if (format == ImageFormat::kUnknown) {
      return InvalidArgument("Unknown image file format. One of JPEG, PNG, GIF, BMP required.");
    }
    const bool is_bmp = format == ImageFormat::kBmp;
    const bool reads = kDecoder == Decoder::kAny || (kDecoder == Decoder::kBmp) == is_bmp;
    const bool crops = kDecoder == Decoder::kCroppedJpeg && format != ImageFormat::kJpeg;
    if (reads && !crops) return OkStatus();
    return InvalidArgument("Trying to decode ", NameOf(format), " format using another op: use "
                           "`decode_image`, or the op of that format, instead.");
  }

  Status Jpeg(OpKernelContext* context, const std::string& bytes) const {
    if (channels_ == 4) return InvalidArgument("JPEG does not support 4 channels");
    JpegReading reading = jpeg_;
    reading.channels = kDecoder == Decoder::kGif ? 3 : static_cast<int>(channels_);
    if constexpr (kDecoder == Decoder::kCroppedJpeg) {
      const Tensor& window = context->input(1);
      if (window.rank() != 1 || window.dim(0) != 4) {
        return InvalidArgument("crop_window must have four elements: ", window.shape());
      }
      const int32_t* sides = window.data<int32_t>();
      reading.window = ImageWindow{sides[0], sides[1], sides[2], sides[3]};
    }
    // 8 bits become 16 by another factor than in a PNG: so TensorFlow does it.
    return Widened(context, 256, [&](const MakePixels& make) { return DecodeJpeg(bytes, reading, make); });
  }

  Status Png(OpKernelContext* context, const std::string& bytes) const {
    PngReading reading;
    reading.channels = kDecoder == Decoder::kGif ? 3 : static_cast<int>(channels_);
    if (dtype_ == DType::kUint8) return DecodePng(bytes, reading, Into(context));
    reading.bits = 16;
    if (dtype_ == DType::kUint16) return DecodePng(bytes, reading, Into(context));
    std::vector<uint16_t> wide;
    ImageSize size;
    RETURN_IF_ERROR(DecodePng(bytes, reading, [&](const ImageSize& found) -> Result<void*> {
      size = found;
      wide.resize(static_cast<size_t>(found.height * found.width * found.channels));
      return static_cast<void*>(wide.data());
    }));
    ASSIGN_OR_RETURN(void* made, Into(context)(size));
    float* out = static_cast<float*>(made);
    constexpr float kShare = 1.0f / 65535;
    for (const uint16_t value : wide) *out++ = static_cast<float>(value) * kShare;
    return OkStatus();
  }

  Status Gif(OpKernelContext* context, const std::string& bytes) const {
    if (channels_ != 0 && channels_ != 3) {
      return InvalidArgument("channels must be 0 or 3 for GIF, got ", channels_);
    }
    const bool is_one = kDecoder == Decoder::kAny && !expands_animations_;
    return Widened(context, 256, [&](const MakePixels& make) { return DecodeGif(bytes, is_one, make); });
  }

  Status Bmp(OpKernelContext* context, const std::string& bytes) const {
    return Widened(context, 256, [&](const MakePixels& make) { return DecodeBmp(bytes, channels_, make); });
  }

  // Memory for the output: of four dimensions for animations and DecodeGif.
  MakePixels Into(OpKernelContext* context) const {
    return [this, context](const ImageSize& size) -> Result<void*> {
      constexpr bool kTakesAnimations = kDecoder == Decoder::kGif || kDecoder == Decoder::kAny;
      if (!kTakesAnimations && size.frames > 1) {
        return InvalidArgument("Got ", size.frames, " frames, but animated gifs can only be decoded by "
                               "tf.io.decode_gif or tf.io.decode_image");
      }
      const bool has_frames = kDecoder == Decoder::kGif ||
                              (is_animation_format(context) && expands_animations_);
      const Shape shape = has_frames ? Shape{size.frames, size.height, size.width, size.channels}
                                     : Shape{size.height, size.width, size.channels};
      ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
      return output->raw();
    };
  }

  static bool is_animation_format(OpKernelContext* context) {
    return kDecoder == Decoder::kAny &&
           ImageFormatOf(*context->input(0).data<std::string>()) == ImageFormat::kGif;
  }

  // What gives pixels of 8 bits, in the type that is wanted.
  template <typename Decode>
  Status Widened(OpKernelContext* context, int factor, const Decode& decode) const {
    if (dtype_ == DType::kUint8) return decode(Into(context));
    std::vector<uint8_t> narrow;
    ImageSize size;
    RETURN_IF_ERROR(decode([&](const ImageSize& found) -> Result<void*> {
      size = found;
      narrow.resize(static_cast<size_t>(found.frames * found.height * found.width * found.channels));
      return static_cast<void*>(narrow.data());
    }));
    ASSIGN_OR_RETURN(void* made, Into(context)(size));
    if (dtype_ == DType::kUint16) {
      uint16_t* out = static_cast<uint16_t*>(made);
      for (const uint8_t value : narrow) *out++ = static_cast<uint16_t>(value * factor);
    } else {
      float* out = static_cast<float*>(made);
      constexpr float kShare = 1.0f / 255;
      for (const uint8_t value : narrow) *out++ = static_cast<float>(value) * kShare;
    }
    return OkStatus();
  }

  JpegReading jpeg_ = Fast();
  DType dtype_ = DType::kUint8;
  int64_t channels_ = 0;
  bool expands_animations_ = true;
};

REGISTER_KERNEL(Kernel("DecodeJpeg").OnCpu(), DecodeImageOp<Decoder::kJpeg>);
REGISTER_KERNEL(Kernel("DecodeAndCropJpeg").OnCpu(), DecodeImageOp<Decoder::kCroppedJpeg>);
REGISTER_KERNEL(Kernel("DecodePng").OnCpu(), DecodeImageOp<Decoder::kPng>);
REGISTER_KERNEL(Kernel("DecodeBmp").OnCpu(), DecodeImageOp<Decoder::kBmp>);
REGISTER_KERNEL(Kernel("DecodeGif").OnCpu(), DecodeImageOp<Decoder::kGif>);
REGISTER_KERNEL(Kernel("DecodeImage").OnCpu(), DecodeImageOp<Decoder::kAny>);

}  // namespace
}  // namespace tfbuild
