// ExtractImagePatches: the surroundings of each pixel, one behind the other as its channels.
#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

constexpr int64_t kExtractImagePatchesGrain = 8192;  // elements that are worth a thread

// How patches lie along one direction of the images.
struct Patches {
  int64_t size = 1, stride = 1, rate = 1;
  bool same = false;

  int64_t Reach() const { return (size - 1) * rate + 1; }
  // 0 where a patch reaches beyond the image by less than a step, negative where by more.
  int64_t Count(int64_t length) const {
    return same ? (length + stride - 1) / stride : (length - Reach() + stride) / stride;
  }
  // Pixels of zero before the first.
  int64_t Before(int64_t length) const {
    return same ? std::max<int64_t>(0, (Count(length) - 1) * stride + Reach() - length) / 2 : 0;
  }
  Status Check(int64_t length) const {
    if (Count(length) >= 0) return OkStatus();
    return InvalidArgument("Computed output size would be negative: ", Count(length),
                           " [input_size: ", length, ", effective_filter_size: ", Reach(),
                           ", stride: ", stride, "]");
  }
};

struct Ways {
  Patches rows, cols;

  template <typename Source>
  Status Read(const Source& source) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> sizes, Four(source, "ksizes"));
    ASSIGN_OR_RETURN(const std::vector<int64_t> strides, Four(source, "strides"));
    ASSIGN_OR_RETURN(const std::vector<int64_t> rates, Four(source, "rates"));
    ASSIGN_OR_RETURN(const std::string padding, source.template Attr<std::string>("padding"));
    rows = {sizes[1], strides[1], rates[1], padding == "SAME"};
    cols = {sizes[2], strides[2], rates[2], padding == "SAME"};
    return OkStatus();
  }

 private:
  template <typename Source>
  static Result<std::vector<int64_t>> Four(const Source& source, const char* name) {
    ASSIGN_OR_RETURN(std::vector<int64_t> values, source.template Attr<std::vector<int64_t>>(name));
    if (values.size() != 4 || values[0] != 1 || values[3] != 1) {
      return InvalidArgument(name, " must be [1, rows, columns, 1]");
    }
    for (const int64_t value : values) {
      if (value < 1 || value > (int64_t{1} << 31)) {
        return InvalidArgument(name, " must be positive, not ", value);
      }
    }
    return values;
  }
};

Status PatchesShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const PartialShape images, context->WithRank(0, 4));
  Ways ways;
  RETURN_IF_ERROR(ways.Read(*context));
  const auto count = [](const Patches& patches, int64_t length) -> Result<int64_t> {
    if (length == kUnknownDim) return kUnknownDim;
    RETURN_IF_ERROR(patches.Check(length));
    return patches.Count(length);
  };
  const int64_t depth = images.dim(3);
  ASSIGN_OR_RETURN(const int64_t rows, count(ways.rows, images.dim(1)));
  ASSIGN_OR_RETURN(const int64_t cols, count(ways.cols, images.dim(2)));
  context->set_output(0, {images.dim(0), rows, cols,
                          depth == kUnknownDim ? kUnknownDim : depth * ways.rows.size * ways.cols.size});
  return OkStatus();
}

REGISTER_OP("ExtractImagePatches")
    .Input("images: T")
    .Output("patches: T")
    .Attr("ksizes: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("rates: list(int) >= 4")
    .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, complex64, "
          "complex128, bool}")
    .Attr("padding: {'SAME', 'VALID'}")
    .ShapeFunction(PatchesShape);

class ExtractImagePatchesOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override { return ways_.Read(construction); }

  Status Compute(OpKernelContext* context) override {
    const Tensor& images = context->input(0);
    if (images.rank() != 4) return InvalidArgument("input must be 4-dimensional: ", images.shape());
    const int64_t height = images.dim(1), width = images.dim(2), depth = images.dim(3);
    RETURN_IF_ERROR(ways_.rows.Check(height));
    RETURN_IF_ERROR(ways_.cols.Check(width));
    const int64_t rows = ways_.rows.Count(height), cols = ways_.cols.Count(width);
    ASSIGN_OR_RETURN(const Shape patch, Shape::Make({ways_.rows.size, ways_.cols.size, depth}));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make({images.dim(0), rows, cols, patch.num_elements()}));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const size_t pixel = static_cast<size_t>(depth * DTypeSize(images.dtype()));
    const size_t row_bytes = static_cast<size_t>(cols) * static_cast<size_t>(patch.num_elements()) *
                             static_cast<size_t>(DTypeSize(images.dtype()));
    const char* in = static_cast<const char*>(images.raw());
    char* out = static_cast<char*>(output->raw());
    const int64_t row_size = cols * patch.num_elements();
    const int64_t grain = kExtractImagePatchesGrain / row_size + 1;
    ParallelFor(images.dim(0) * rows, grain, [&](int64_t begin, int64_t end) {
      StopLook look;
      for (int64_t i = begin; i < end; ++i) {
        const char* image = in + static_cast<size_t>(i / rows * height * width) * pixel;
        Row(image, height, width, i % rows, pixel,
            out + static_cast<size_t>(i) * row_bytes, &look);
      }
    });
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  // The patches of one row, as bytes: zero is zero in every type.
  void Row(const char* image, int64_t height, int64_t width, int64_t row, size_t pixel, char* to,
           StopLook* look) const {
    const int64_t top = row * ways_.rows.stride - ways_.rows.Before(height);
    const int64_t cols = ways_.cols.Count(width), before = ways_.cols.Before(width);
    for (int64_t col = 0; col < cols; ++col) {
      const int64_t left = col * ways_.cols.stride - before;
      for (int64_t r = 0; r < ways_.rows.size; ++r) {
        const int64_t y = top + r * ways_.rows.rate;
        for (int64_t c = 0; c < ways_.cols.size; ++c, to += pixel) {
          look->Turn();
          const int64_t x = left + c * ways_.cols.rate;
          if (y < 0 || y >= height || x < 0 || x >= width) {
            std::memset(to, 0, pixel);
          } else {
            std::memcpy(to, image + static_cast<size_t>(y * width + x) * pixel, pixel);
          }
        }
      }
    }
  }

  Ways ways_;
};

REGISTER_KERNEL(Kernel("ExtractImagePatches").OnCpu(), ExtractImagePatchesOp);

}  // namespace
}  // namespace tfbuild
