// DrawBoundingBoxes: frames around parts of images.
#include <algorithm>
#include <cmath>

#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

REGISTER_OP("DrawBoundingBoxes")
    .Input("images: T").Input("boxes: float").Output("output: T")
    .Attr("T: {float, half} = DT_FLOAT").ShapeFunction(UnchangedShape);
REGISTER_OP("DrawBoundingBoxesV2")
    .Input("images: T").Input("boxes: float").Input("colors: float").Output("output: T")
    .Attr("T: {float, half} = DT_FLOAT").ShapeFunction(UnchangedShape);

// Yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia; taken in turns.
constexpr float kColours[10][4] = {{1, 1, 0, 1}, {0, 0, 1, 1}, {1, 0, 0, 1}, {0, 1, 0, 1},
                                   {0.5f, 0, 0.5f, 1}, {0.5f, 0.5f, 0, 1}, {0.5f, 0, 0, 1},
                                   {0, 0, 0.5f, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}};

// The rows or columns where the sides of a box lie, and what of them is inside.
struct Sides {
  int64_t first, last, begin, end;

  Sides(float from, float to, int64_t size)
      : first(Pixel(from, size)), last(Pixel(to, size)), begin(std::max<int64_t>(first, 0)),
        end(std::min(last, size - 1)) {}
  bool AreInside(int64_t size) const { return first <= last && first < size && last >= 0; }

 private:
  // What lies far outside is as far as any number: it is not drawn.
  static int64_t Pixel(float share, int64_t size) {
    constexpr float kFar = 1e9f;
    const float pixel = share * static_cast<float>(size - 1);
    return static_cast<int64_t>(pixel > -kFar ? std::min(pixel, kFar) : -kFar);
  }
};

template <typename T>
class DrawBoundingBoxesOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& images = context->input(0);
    const Tensor& boxes = context->input(1);
    RETURN_IF_ERROR(Check(*context));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, images.shape()));
    T* out = output->mutable_data<T>();
    std::copy_n(images.data<T>(), images.num_elements(), out);
    const int64_t image = images.dim(1) * images.dim(2) * images.dim(3);
    StopLook look;
    for (int64_t i = 0; image > 0 && i < boxes.dim(0) * boxes.dim(1); ++i) {
      look.Turns(1 + images.dim(1) + images.dim(2));
      const int64_t b = i / boxes.dim(1);
      float colour[4];
      ColourOf(*context, i % boxes.dim(1), images.dim(3), colour);
      Draw(boxes.data<float>() + 4 * i, colour, images.shape(), out + b * image);
    }
    return OkStatus();
  }

 private:
  static Status Check(const OpKernelContext& context) {
    const Tensor& images = context.input(0);
    const Tensor& boxes = context.input(1);
    if (images.rank() != 4) return InvalidArgument("The rank of the images should be 4: ", images.shape());
    const int64_t depth = images.dim(3);
    if (depth != 1 && depth != 3 && depth != 4) {
      return InvalidArgument("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA), not ", depth);
    }
    if (boxes.rank() != 3 || boxes.dim(2) != 4 || boxes.dim(0) != images.dim(0)) {
      return InvalidArgument("The boxes tensor must be [batch, num_bounding_boxes, 4], not ", boxes.shape(),
                             " for images of ", images.shape());
    }
    if (context.num_inputs() < 3) return OkStatus();
    const Tensor& colours = context.input(2);
    if (colours.rank() == 2 && (colours.num_elements() == 0 || colours.dim(1) >= depth)) return OkStatus();
    return InvalidArgument("colors must be a 2-D matrix of at least ", depth, " columns: ", colours.shape());
  }

  static void ColourOf(const OpKernelContext& context, int64_t box, int64_t depth, float* colour) {
    if (context.num_inputs() > 2 && context.input(2).num_elements() > 0) {
      const Tensor& colours = context.input(2);
      const float* row = colours.data<float>() + box % colours.dim(0) * colours.dim(1);
      std::copy_n(row, depth, colour);
      return;
    }
    std::copy_n(kColours[box % 10], 4, colour);
    if (depth == 1) colour[0] = 1;
  }

  static void Draw(const float* box, const float* colour, const Shape& shape, T* out) {
    const int64_t height = shape.dim(1), width = shape.dim(2), depth = shape.dim(3);
    const Sides rows(box[0], box[2], height), cols(box[1], box[3], width);
    if (!rows.AreInside(height) || !cols.AreInside(width)) return;
    const auto paint = [&](int64_t row, int64_t col) {
      T* pixel = out + (row * width + col) * depth;
      for (int64_t c = 0; c < depth; ++c) pixel[c] = static_cast<T>(colour[c]);
    };
    for (const int64_t row : {rows.first, rows.last}) {
      if (row < 0 || row >= height) continue;
      for (int64_t col = cols.begin; col <= cols.end; ++col) paint(row, col);
    }
    for (const int64_t col : {cols.first, cols.last}) {
      if (col < 0 || col >= width) continue;
      for (int64_t row = rows.begin; row <= rows.end; ++row) paint(row, col);
    }
  }
};

#define REGISTER(T)                                                                              \
  REGISTER_KERNEL(Kernel("DrawBoundingBoxes").OnCpu().Type<T>("T"), DrawBoundingBoxesOp<T>);     \
  REGISTER_KERNEL(Kernel("DrawBoundingBoxesV2").OnCpu().Type<T>("T"), DrawBoundingBoxesOp<T>);
REGISTER(float)
REGISTER(Half)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
