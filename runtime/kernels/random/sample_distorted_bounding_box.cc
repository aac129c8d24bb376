// SampleDistortedBoundingBox: a random part of an image that shows enough of an object in it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/random/random_seed.h"

namespace tfbuild {
namespace {

Status PartShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 1).status());
  RETURN_IF_ERROR(context->WithRank(1, 3).status());
  context->set_output(0, {3});
  context->set_output(1, {3});
  context->set_output(2, {1, 1, 4});
  return OkStatus();
}

REGISTER_OP("SampleDistortedBoundingBox")
    .Input("image_size: T")
    .Input("bounding_boxes: float")
    .Output("begin: T")
    .Output("size: T")
    .Output("bboxes: float")
    .Attr("T: {uint8, int8, int16, int32, int64}")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("min_object_covered: float = 0.1")
    .Attr("aspect_ratio_range: list(float) = [0.75, 1.33]")
    .Attr("area_range: list(float) = [0.05, 1.0]")
    .Attr("max_attempts: int = 100")
    .Attr("use_image_if_no_bounding_boxes: bool = false")
    .ShapeFunction(PartShape)
    .Stateful();
REGISTER_OP("SampleDistortedBoundingBoxV2")
    .Input("image_size: T")
    .Input("bounding_boxes: float")
    .Input("min_object_covered: float")
    .Output("begin: T")
    .Output("size: T")
    .Output("bboxes: float")
    .Attr("T: {uint8, int8, int16, int32, int64}")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .Attr("aspect_ratio_range: list(float) = [0.75, 1.33]")
    .Attr("area_range: list(float) = [0.05, 1.0]")
    .Attr("max_attempts: int = 100")
    .Attr("use_image_if_no_bounding_boxes: bool = false")
    .ShapeFunction(PartShape)
    .Stateful();

// Random numbers one by one, in the order and with the roundings of TensorFlow.
class BoxDraws {
 public:
  explicit BoxDraws(Philox generator) : generator_(generator) {}

  float Share() { return UniformFloat(Word()); }  // in [0, 1)
  // In [0, count): words at the low end would make some numbers likelier than others.
  int Below(int count) {
    const uint32_t n = static_cast<uint32_t>(count);
    if ((n & (n - 1)) == 0) return static_cast<int>(Word() & (n - 1));
    const uint32_t left_over = ~uint32_t{0} % n + 1;
    uint32_t word = Word();
    while (word < left_over) word = Word();
    return static_cast<int>(word % n);
  }

 private:
  uint32_t Word() {
    if (used_ == 4) {
      words_ = generator_();
      used_ = 0;
    }
    return words_.word[used_++];
  }

  Philox generator_;
  PhiloxWords words_ = {};
  int used_ = 4;
};

struct Rectangle {
  int min_x = 0, min_y = 0, max_x = 0, max_y = 0;

  float Area() const { return static_cast<float>(max_x - min_x) * static_cast<float>(max_y - min_y); }
  Rectangle With(const Rectangle& other) const {
    const Rectangle both{std::max(min_x, other.min_x), std::max(min_y, other.min_y),
                         std::min(max_x, other.max_x), std::min(max_y, other.max_y)};
    return both.min_x < both.max_x && both.min_y < both.max_y ? both : Rectangle();
  }
};

int Rounded(float value) { return static_cast<int>(std::lrint(value)); }

// What parts may be.
struct Limits {
  float least_ratio = 0.75f, most_ratio = 1.33f;  // of width to height
  float least_area = 0.05f, most_area = 1;        // of the image's

  // A random part of an image; false where rounding leaves none within the limits.
  bool Draw(int width, int height, BoxDraws* draws, Rectangle* part) const {
    const float ratio = draws->Share() * (most_ratio - least_ratio) + least_ratio;
    const float whole = static_cast<float>(width) * static_cast<float>(height);
    const float least = least_area * whole, most = most_area * whole;
    int tall = Rounded(std::sqrt(least / ratio));
    const int tallest = std::min(Tallest(most, ratio, width), height);
    tall = std::min(tall, tallest);
    if (tall < tallest) tall += draws->Below(tallest - tall + 1);
    int wide = Rounded(static_cast<float>(tall) * ratio);
    const auto area = [&] { return static_cast<float>(wide) * static_cast<float>(tall); };
    if (area() < least) wide = Rounded(static_cast<float>(++tall) * ratio);
    if (area() > most) wide = Rounded(static_cast<float>(--tall) * ratio);
    if (area() < least || area() > most || wide > width || tall > height || wide <= 0 || tall <= 0) {
      return false;
    }
    part->min_y = tall < height ? draws->Below(height - tall) : 0;
    part->min_x = wide < width ? draws->Below(width - wide) : 0;
    part->max_y = part->min_y + tall;
    part->max_x = part->min_x + wide;
    return true;
  }

 private:
  // Rows of a part of that area which is not wider than the image.
  static int Tallest(float area, float ratio, int width) {
    constexpr double kLittle = 1e-7f;
    const int tallest = Rounded(std::sqrt(area / ratio));
    if (Rounded(static_cast<float>(tallest) * ratio) <= width) return tallest;
    const int fitting = static_cast<int>((width + 0.5 - kLittle) / static_cast<double>(ratio));
    return Rounded(static_cast<float>(fitting) * ratio) > width ? fitting - 1 : fitting;
  }
};

template <typename T>
class SampleDistortedBoundingBoxOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    RETURN_IF_ERROR(stream_.Init(construction));
    ASSIGN_OR_RETURN(const std::vector<float> ratios, Range(construction, "aspect_ratio_range"));
    ASSIGN_OR_RETURN(const std::vector<float> areas, Range(construction, "area_range"));
    limits_ = {ratios[0], ratios[1], areas[0], areas[1]};
    if (areas[1] > 1) return InvalidArgument("Max area must be less then or equal to 1.0: ", areas[1]);
    ASSIGN_OR_RETURN(attempts_, construction.Attr<int64_t>("max_attempts"));
    if (attempts_ <= 0 || attempts_ > (int64_t{1} << 31)) {
      return InvalidArgument("Max attempts must be positive: ", attempts_);
    }
    ASSIGN_OR_RETURN(may_take_image_, construction.Attr<bool>("use_image_if_no_bounding_boxes"));
    const Result<float> covered = construction.Attr<float>("min_object_covered");  // else an input
    covered_ = covered.ok() ? *covered : 0;
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& size = context->input(0);
    if (size.rank() != 1 || size.dim(0) != 3) {
      return InvalidArgument("image_size must have 3 elements: ", size.shape());
    }
    const int64_t height = static_cast<int64_t>(size.data<T>()[0]);
    const int64_t width = static_cast<int64_t>(size.data<T>()[1]);
    constexpr int64_t kMost = int64_t{1} << 24;  // what float can count
    if (height <= 0 || width <= 0 || height > kMost || width > kMost) {
      return InvalidArgument("image of ", height, " rows and ", width, " columns");
    }
    ASSIGN_OR_RETURN(const float covered, Covered(*context));
    const Rectangle image{0, 0, static_cast<int>(width), static_cast<int>(height)};
    ASSIGN_OR_RETURN(const std::vector<Rectangle> objects, Objects(context->input(1), image));
    BoxDraws draws(stream_.ReserveCalls(static_cast<uint64_t>(attempts_)));
    Rectangle part = image;
    StopLook look;
    for (int64_t i = 0; i < attempts_; ++i) {
      look.Turn();
      Rectangle drawn;
      if (!limits_.Draw(image.max_x, image.max_y, &draws, &drawn)) continue;
      if (!Shows(drawn, objects, covered, &look)) continue;
      part = drawn;
      break;
    }
    return SetOutputs(context, part, image);
  }

 private:
  static Result<std::vector<float>> Range(const OpKernelConstruction& construction, const char* name) {
    ASSIGN_OR_RETURN(std::vector<float> range, construction.Attr<std::vector<float>>(name));
    if (range.size() != 2) return InvalidArgument(name, " must have 2 numbers, not ", range.size());
    if (range[0] > 0 && range[1] > 0 && range[0] <= range[1]) return range;
    return InvalidArgument(name, " must be two positive numbers, the smaller first: ", range[0],
                           " and ", range[1]);
  }

  Result<float> Covered(const OpKernelContext& context) const {
    if (context.num_inputs() < 3) return covered_;
    const Tensor& covered = context.input(2);
    if (covered.rank() != 0) {
      return InvalidArgument("min_object_covered must be 0-D, got shape ", covered.shape());
    }
    if (*covered.data<float>() >= 0) return *covered.data<float>();
    return InvalidArgument("Min object covered must be non-negative: ", *covered.data<float>());
  }

  Result<std::vector<Rectangle>> Objects(const Tensor& boxes, const Rectangle& image) const {
    if (boxes.rank() != 3 || boxes.dim(2) != 4) {
      return InvalidArgument("input boxes must be [batch, num_boxes, 4]: ", boxes.shape());
    }
    std::vector<Rectangle> objects;
    const float* box = boxes.data<float>();
    const float width = static_cast<float>(image.max_x), height = static_cast<float>(image.max_y);
    for (int64_t i = 0; i < boxes.num_elements() / 4; ++i, box += 4) {
      for (int c = 0; c < 4; ++c) {
        if (!(box[c] >= 0 && box[c] <= 1)) {
          return InvalidArgument("All bounding box coordinates must be in [0.0, 1.0]: ", box[c]);
        }
      }
      objects.push_back({static_cast<int>(box[1] * width), static_cast<int>(box[0] * height),
                         static_cast<int>(box[3] * width), static_cast<int>(box[2] * height)});
    }
    if (objects.empty() && !may_take_image_) {
      return InvalidArgument("No bounding boxes provided as input. One must enable "
                             "use_image_if_no_bounding_boxes if you wish to not provide any bounding boxes.");
    }
    if (objects.empty()) objects.push_back(image);
    return objects;
  }

  static bool Shows(const Rectangle& part, const std::vector<Rectangle>& objects, float covered,
                    StopLook* look) {
    if (part.Area() < 1) return false;
    return std::any_of(objects.begin(), objects.end(), [&](const Rectangle& object) {
      look->Turn();
      return object.Area() >= 1 && part.With(object).Area() / object.Area() >= covered;
    });
  }

  static Status SetOutputs(OpKernelContext* context, const Rectangle& part, const Rectangle& image) {
    ASSIGN_OR_RETURN(Tensor * begin, context->AllocateOutput(0, Shape{3}));
    ASSIGN_OR_RETURN(Tensor * size, context->AllocateOutput(1, Shape{3}));
    ASSIGN_OR_RETURN(Tensor * box, context->AllocateOutput(2, Shape{1, 1, 4}));
    const int begins[] = {part.min_y, part.min_x, 0};
    const int sizes[] = {part.max_y - part.min_y, part.max_x - part.min_x, -1};
    std::transform(begins, begins + 3, begin->mutable_data<T>(), [](int n) { return static_cast<T>(n); });
    std::transform(sizes, sizes + 3, size->mutable_data<T>(), [](int n) { return static_cast<T>(n); });
    const float height = static_cast<float>(image.max_y), width = static_cast<float>(image.max_x);
    float* sides = box->mutable_data<float>();
    sides[0] = static_cast<float>(part.min_y) / height;
    sides[1] = static_cast<float>(part.min_x) / width;
    sides[2] = static_cast<float>(part.max_y) / height;
    sides[3] = static_cast<float>(part.max_x) / width;
    return OkStatus();
  }

  RandomStream stream_;
  Limits limits_;
  int64_t attempts_ = 100;
  bool may_take_image_ = false;
  float covered_ = 0;
};

#define REGISTER(T)                                                             \
  REGISTER_KERNEL(Kernel("SampleDistortedBoundingBox").OnCpu().Type<T>("T"),    \
                  SampleDistortedBoundingBoxOp<T>);                             \
  REGISTER_KERNEL(Kernel("SampleDistortedBoundingBoxV2").OnCpu().Type<T>("T"),  \
                  SampleDistortedBoundingBoxOp<T>);
TFBUILD_COMMON_INTEGER_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
