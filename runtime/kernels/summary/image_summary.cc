// ImageSummary: images, as PNG files.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "io/png.h"
#include "kernels/summary/summary_value.h"

namespace tfbuild {
namespace {

REGISTER_OP("ImageSummary")
    .Input("tag: string")
    .Input("tensor: T")
    .Output("summary: string")
    .Attr("max_images: int >= 1 = 3")
    .Attr("T: {uint8, float, half, double} = DT_FLOAT")
    .Attr("bad_color: tensor = [255, 0, 0, 255]")
    .ShapeFunction(ScalarShape);

template <typename T>
bool IsFinitePixel(const T* pixel, int channels) {
  for (int i = 0; i < channels; ++i) {
    if (!std::isfinite(static_cast<double>(pixel[i]))) return false;
  }
  return true;
}

// What numbers are multiplied by and moved to, to be shades: from zero to the largest where none is
// negative, else both ways around the middle.
template <typename T>
struct Shades {
  T scale;
  T offset;
};

// Computed in float, as TensorFlow does, whatever the numbers are.
template <typename T>
Shades<T> ShadesOf(const T* values, int64_t pixels, int channels) {
  float smallest = std::numeric_limits<float>::infinity();
  float largest = -smallest;
  StopLook look;
  for (int64_t i = 0; i < pixels; ++i) {
    look.Turn();
    const T* pixel = values + i * channels;
    if (!IsFinitePixel(pixel, channels)) continue;
    for (int j = 0; j < channels; ++j) {
      smallest = std::min(smallest, static_cast<float>(pixel[j]));
      largest = std::max(largest, static_cast<float>(pixel[j]));
    }
  }
  constexpr float kZero = 1e-6f;
  const bool centred = smallest < 0;
  const float range = centred ? std::max(std::abs(smallest), std::abs(largest)) : largest;
  const float scale = range < kZero ? 0.0f : (centred ? 127.0f : 255.0f) / range;
  return {T(scale), T(centred ? 128.0f : 0.0f)};
}

// Pixels with a number that is not finite have the bad colour.
template <typename T>
void ToBytes(const T* values, int64_t pixels, int channels, const uint8_t* bad, uint8_t* out) {
  const Shades<T> shades = ShadesOf(values, pixels, channels);
  StopLook look;
  for (int64_t i = 0; i < pixels; ++i, values += channels, out += channels) {
    look.Turn();
    const bool finite = IsFinitePixel(values, channels);
    for (int j = 0; j < channels; ++j) {
      const T scaled = T(values[j] * shades.scale);
      const double shade = static_cast<double>(T(scaled + shades.offset));
      out[j] = finite ? static_cast<uint8_t>(std::min(std::max(shade, 0.0), 255.0)) : bad[j];
    }
  }
}

template <typename T>
class ImageSummaryOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(max_images_, construction.Attr<int64_t>("max_images"));
    ASSIGN_OR_RETURN(bad_color_, construction.Attr<Tensor>("bad_color"));
    if (bad_color_.dtype() != DType::kUint8 || bad_color_.rank() != 1) {
      return InvalidArgument("bad_color must be a vector of uint8");
    }
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::string tag, TagOf(*context));
    const Tensor& images = context->input(1);
    if (images.rank() != 4 || (images.dim(3) != 1 && images.dim(3) != 3 && images.dim(3) != 4)) {
      return InvalidArgument("Tensor must be 4-D with last dim 1, 3, or 4, not ", images.shape());
    }
    if (images.dim(3) > bad_color_.num_elements()) {
      return InvalidArgument("expected depth <= bad_color.size, got depth = ", images.dim(3),
                             ", bad_color.size = ", bad_color_.num_elements());
    }
    WireWriter summary;
    for (int64_t i = 0; i < std::min(max_images_, images.dim(0)); ++i) {
      WireWriter value;
      value.Bytes(kValueTag, NumberedTag(tag, "image", max_images_, i));
      ASSIGN_OR_RETURN(const std::string image, Encode(images, i));
      value.Bytes(kValueImage, image);
      AddSummaryValue(&summary, &value);
    }
    SetSummary(context, &summary);
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 private:
  // The message Summary.Image of one image of the batch.
  Result<std::string> Encode(const Tensor& images, int64_t i) const {
    const int64_t height = images.dim(1);
    const int64_t width = images.dim(2);
    const int channels = static_cast<int>(images.dim(3));
    const T* values = images.data<T>() + i * height * width * channels;
    std::vector<uint8_t> pixels(static_cast<size_t>(height * width * channels));
    if constexpr (std::is_same_v<T, uint8_t>) {
      std::copy_n(values, pixels.size(), pixels.begin());
    } else {
      ToBytes(values, height * width, channels, bad_color_.data<uint8_t>(), pixels.data());
    }
    ASSIGN_OR_RETURN(const std::string png, EncodePng(pixels.data(), {1, height, width, channels}));
    WireWriter image;
    image.Int(1, height);
    image.Int(2, width);
    image.Int(3, channels);
    image.Bytes(4, png);
    return image.Take();
  }

  int64_t max_images_ = 3;
  Tensor bad_color_;
};

REGISTER_KERNEL(Kernel("ImageSummary").OnCpu().Type<uint8_t>("T"), ImageSummaryOp<uint8_t>);
REGISTER_KERNEL(Kernel("ImageSummary").OnCpu().Type<float>("T"), ImageSummaryOp<float>);
REGISTER_KERNEL(Kernel("ImageSummary").OnCpu().Type<Half>("T"), ImageSummaryOp<Half>);
REGISTER_KERNEL(Kernel("ImageSummary").OnCpu().Type<double>("T"), ImageSummaryOp<double>);

}  // namespace
}  // namespace tfbuild
