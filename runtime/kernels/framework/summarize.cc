#include "kernels/framework/summarize.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <type_traits>

#include "base/c_locale.h"
#include "base/strings.h"
#include "tensor/half.h"

namespace tfbuild {
namespace {

// As few digits as give the same number again, of two choices.
template <typename T>
std::string NumberText(T value, const char* few, const char* all) {
  const std::string text = FormatReal(few, static_cast<double>(value));
  if (static_cast<T>(ReadDouble(text.c_str(), nullptr)) == value) return text;
  return FormatReal(all, static_cast<double>(value));
}

std::string TextOf(double value) { return NumberText(value, "%.15g", "%.17g"); }
std::string TextOf(float value) { return NumberText(value, "%.6g", "%.9g"); }
std::string TextOf(Half value) { return TextOf(static_cast<float>(value)); }
std::string TextOf(BFloat16 value) { return TextOf(static_cast<float>(value)); }

// What is no printable character is written as \n, \t or in octal digits.
std::string TextOf(const std::string& value) {
  std::string text;
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else if (c == '\r') {
      text += "\\r";
    } else if (c == '"' || c == '\'' || c == '\\') {
      text += std::string("\\") + c;
    } else if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      char octal[8];
      std::snprintf(octal, sizeof(octal), "\\%03o", static_cast<unsigned>(c) & 0xffU);
      text += octal;
    }
  }
  return text;
}

template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
std::string TextOf(T value) {
  return StrCat(+value);  // a number, also of bytes
}

class Summary {
 public:
  Summary(const Shape& shape, int64_t limit, std::function<std::string(int64_t)> element)
      : shape_(shape), limit_(limit), element_(std::move(element)) {}

  std::string Text() {
    if (shape_.rank() == 0) {
      if (limit_ > 0) text_ = element_(0);
    } else {
      Dimension(0);
    }
    if (shape_.num_elements() > limit_) text_ += "...";
    return text_;
  }

 private:
  void Dimension(int dim) {
    if (next_ >= limit_) return;
    if (dim == shape_.rank() - 1) return Row(dim);
    for (int64_t i = 0; i < shape_.dim(dim) && next_ < limit_; ++i) {
      text_ += "[";
      Dimension(dim + 1);
      text_ += "]";
    }
  }

  void Row(int dim) {
    for (int64_t i = 0; i < shape_.dim(dim); ++i) {
      if (next_ >= limit_) {
        if (dim != 0) text_ += "...";
        return;
      }
      if (i > 0) text_ += " ";
      text_ += element_(next_++);
    }
  }

  const Shape& shape_;
  const int64_t limit_;
  const std::function<std::string(int64_t)> element_;
  int64_t next_ = 0;
  std::string text_;
};

template <typename T>
std::string SummaryOf(const Tensor& tensor, int64_t limit) {
  const T* data = tensor.data<T>();
  return Summary(tensor.shape(), limit, [data](int64_t i) { return TextOf(data[i]); }).Text();
}

}  // namespace

std::string Summarize(const Tensor& tensor, int64_t max_elements) {
  const int64_t count = tensor.num_elements();
  const int64_t limit = max_elements < 0 ? count : std::min(count, max_elements);
  switch (tensor.dtype()) {
    case DType::kFloat: return SummaryOf<float>(tensor, limit);
    case DType::kDouble: return SummaryOf<double>(tensor, limit);
    case DType::kHalf: return SummaryOf<Half>(tensor, limit);
    case DType::kBFloat16: return SummaryOf<BFloat16>(tensor, limit);
    case DType::kInt8: return SummaryOf<int8_t>(tensor, limit);
    case DType::kInt16: return SummaryOf<int16_t>(tensor, limit);
    case DType::kInt32: return SummaryOf<int32_t>(tensor, limit);
    case DType::kInt64: return SummaryOf<int64_t>(tensor, limit);
    case DType::kUint8: return SummaryOf<uint8_t>(tensor, limit);
    case DType::kUint16: return SummaryOf<uint16_t>(tensor, limit);
    case DType::kUint32: return SummaryOf<uint32_t>(tensor, limit);
    case DType::kUint64: return SummaryOf<uint64_t>(tensor, limit);
    case DType::kBool: return SummaryOf<bool>(tensor, limit);
    case DType::kString: return SummaryOf<std::string>(tensor, limit);
    default: return StrCat("<", DTypeName(tensor.dtype()), " of shape ", tensor.shape(), ">");
  }
}

}  // namespace tfbuild
