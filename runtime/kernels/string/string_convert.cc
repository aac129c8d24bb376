// Strings from numbers and numbers from strings: AsString, StringToNumber, hashes of strings,
// lengths, parts, base 64, letters and white space.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>

#include "base/c_locale.h"
#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/text_number.h"
#include "kernels/string/each_string.h"
#include "kernels/string/string_hash.h"

namespace tfbuild {
namespace {

Status SubstrShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->input(1).MergeWith(context->input(2)).status());
  const PartialShape &input = context->input(0), &places = context->input(1);
  ASSIGN_OR_RETURN(PartialShape shape, BroadcastShapes(input, places));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

REGISTER_OP("AsString")
    .Input("input: T").Output("output: string")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
          "uint64, bool, string}")
    .Attr("precision: int = -1").Attr("scientific: bool = false").Attr("shortest: bool = false")
    .Attr("width: int = -1").Attr("fill: string = ''").ShapeFunction(UnchangedShape);
REGISTER_OP("StringToNumber")
    .Input("string_tensor: string").Output("output: out_type")
    .Attr("out_type: {float, double, int32, int64, uint32, uint64} = DT_FLOAT").ShapeFunction(UnchangedShape);
REGISTER_OP("StringToHashBucket")
    .Input("string_tensor: string").Output("output: int64")
    .Attr("num_buckets: int >= 1").ShapeFunction(UnchangedShape);
REGISTER_OP("StringToHashBucketFast")
    .Input("input: string").Output("output: int64")
    .Attr("num_buckets: int >= 1").ShapeFunction(UnchangedShape);
REGISTER_OP("StringToHashBucketStrong")
    .Input("input: string").Output("output: int64")
    .Attr("num_buckets: int >= 1").Attr("key: list(int)").ShapeFunction(UnchangedShape);
REGISTER_OP("StringLength")
    .Input("input: string").Output("output: int32")
    .Attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'").ShapeFunction(UnchangedShape);
REGISTER_OP("Substr")
    .Input("input: string").Input("pos: T").Input("len: T").Output("output: string")
    .Attr("T: {int32, int64}").Attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'")
    .ShapeFunction(SubstrShape);
REGISTER_OP("EncodeBase64")
    .Input("input: string").Output("output: string").Attr("pad: bool = false")
    .ShapeFunction(UnchangedShape);
REGISTER_OP("DecodeBase64")
    .Input("input: string").Output("output: string").ShapeFunction(UnchangedShape);
REGISTER_OP("StringStrip")
    .Input("input: string").Output("output: string").ShapeFunction(UnchangedShape);
REGISTER_OP("StringLower")
    .Input("input: string").Output("output: string").Attr("encoding: string = ''")
    .ShapeFunction(UnchangedShape);
REGISTER_OP("StringUpper")
    .Input("input: string").Output("output: string").Attr("encoding: string = ''")
    .ShapeFunction(UnchangedShape);

class AsStringOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const DType dtype, construction.Attr<DType>("T"));
    ASSIGN_OR_RETURN(const int64_t precision, construction.Attr<int64_t>("precision"));
    ASSIGN_OR_RETURN(const int64_t width, construction.Attr<int64_t>("width"));
    ASSIGN_OR_RETURN(const bool scientific, construction.Attr<bool>("scientific"));
    ASSIGN_OR_RETURN(const bool shortest, construction.Attr<bool>("shortest"));
    ASSIGN_OR_RETURN(const std::string fill, construction.Attr<std::string>("fill"));
    if (scientific && shortest) {
      return InvalidArgument("Cannot select both scientific and shortest notation");
    }
    if (!IsFloating(dtype) && (scientific || shortest || precision > -1)) {
      return InvalidArgument("scientific and shortest format and precision are for floating point "
                             "numbers alone, not for ", DTypeName(dtype));
    }
    const bool flag = fill.size() == 1 && std::string("+ 0#-").find(fill) != std::string::npos;
    if (!fill.empty() && !flag) return InvalidArgument("Fill argument not supported: \"", fill, "\"");
    constexpr int64_t kMost = 10000;
    if (width > kMost || precision > kMost) {
      return InvalidArgument("width and precision are at most ", kMost);
    }
    format_ = StrCat("%", width > -1 ? fill : "", width > -1 ? StrCat(width) : "");
    if (precision > -1) format_ += StrCat(".", precision);
    const char* const whole = dtype == DType::kUint64 ? "llu" : "lld";
    format_ += IsFloating(dtype) ? (shortest ? "g" : scientific ? "e" : "f") : whole;
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, input.shape()));
    std::string* to = output->mutable_data<std::string>();
    StopLook look;
    for (int64_t i = 0; i < input.num_elements(); ++i) {
      look.Turn();
      to[i] = At(input, i);
    }
    return OkStatus();
  }

 private:
  // Of 64 bits; the conversion says whether they have a sign.
  template <typename Integer>
  std::string PrintInteger(Integer value) const {
    const int size = std::snprintf(nullptr, 0, format_.c_str(), value);
    std::string text(static_cast<size_t>(size), '\0');
    std::snprintf(&text[0], text.size() + 1, format_.c_str(), value);
    return text;
  }
  std::string At(const Tensor& input, int64_t i) const {
    switch (input.dtype()) {
      case DType::kString: return input.data<std::string>()[i];
      case DType::kBool: return input.data<bool>()[i] ? "true" : "false";
#define CASE(T)                                                              \
  case DTypeOf<T>::value:                                         \
    return FormatReal(format_.c_str(), static_cast<double>(ComputeTypeOf<T>(input.data<T>()[i])));
      TFBUILD_FLOATING_TYPES(CASE)
#undef CASE
#define CASE(T) \
  case DTypeOf<T>::value: return PrintInteger(static_cast<long long>(input.data<T>()[i]));
      TFBUILD_COMMON_INTEGER_TYPES(CASE)
      CASE(uint16_t)
      CASE(uint32_t)
#undef CASE
      case DType::kUint64:
        return PrintInteger(static_cast<unsigned long long>(input.data<uint64_t>()[i]));
      default: return "";
    }
  }
  std::string format_;
};

std::string Stripped(const std::string& text) {
  size_t begin = 0, end = text.size();
  while (begin < end && IsSpace(text[begin])) ++begin;
  while (end > begin && IsSpace(text[end - 1])) --end;
  return text.substr(begin, end - begin);
}

template <typename T>
Result<T> ToNumber(const std::string& text) {
  T value{};
  if (NumberOfText(text, &value)) return value;
  return InvalidArgument("StringToNumberOp could not correctly convert string: ",
                         text.substr(0, 80));
}

template <typename T>
class StringToNumberOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    return ForEachString<T>(context, 0, ToNumber<T>);
  }
};

class HashBucketOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const int64_t buckets, construction.Attr<int64_t>("num_buckets"));
    buckets_ = static_cast<uint64_t>(buckets);
    const std::string& op = construction.node.op().name;
    fast_ = op == "StringToHashBucketFast";
    keyed_ = op == "StringToHashBucketStrong";
    if (!keyed_) return OkStatus();
    ASSIGN_OR_RETURN(key_, construction.Attr<std::vector<int64_t>>("key"));
    if (key_.size() != 2) return InvalidArgument("Key must have 2 elements");
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    return ForEachString<int64_t>(context, 0, [this](const std::string& text) {
      return Result<int64_t>(static_cast<int64_t>(Hash(text) % buckets_));
    });
  }

 private:
  uint64_t Hash(const std::string& text) const {
    if (fast_) return Fingerprint64(text);
    if (!keyed_) return Hash64(text);
    return KeyedHash64(static_cast<uint64_t>(key_[0]), static_cast<uint64_t>(key_[1]), text);
  }
  uint64_t buckets_ = 1;
  bool fast_ = false;
  bool keyed_ = false;
  std::vector<int64_t> key_;
};

// Whether a byte begins a character of UTF-8.
bool Begins(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

class StringLengthOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const std::string unit, construction.Attr<std::string>("unit"));
    characters_ = unit == "UTF8_CHAR";
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    return ForEachString<int32_t>(context, 0, [this](const std::string& text) {
      if (!characters_) return Result<int32_t>(static_cast<int32_t>(text.size()));
      return Result<int32_t>(static_cast<int32_t>(std::count_if(text.begin(), text.end(), Begins)));
    });
  }

 private:
  bool characters_ = false;
};

class SubstrOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const std::string unit, construction.Attr<std::string>("unit"));
    characters_ = unit == "UTF8_CHAR";
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor &input = context->input(0), &begin = context->input(1), &length = context->input(2);
    if (begin.shape() != length.shape()) {
      return InvalidArgument("pos and len should have the same shape, got: ", begin.shape(), " vs. ",
                             length.shape());
    }
    const bool one = begin.num_elements() == 1;
    if (!one && begin.shape() != input.shape()) {
      return Unimplemented("Substr of ", input.shape(), " strings at ", begin.shape(), " places");
    }
    const auto flat = [](const Tensor& tensor) {
      return tensor.Reshaped(Shape{tensor.num_elements()});
    };
    ASSIGN_OR_RETURN(const Tensor flat_begin, flat(begin));
    ASSIGN_OR_RETURN(const Tensor flat_length, flat(length));
    ASSIGN_OR_RETURN(const std::vector<int64_t> begins, IntsFrom(flat_begin));
    ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, IntsFrom(flat_length));
    int64_t i = 0;
    return ForEachString<std::string>(context, 0, [&](const std::string& text) {
      const size_t at = one ? 0 : static_cast<size_t>(i++);
      return Part(text, begins[at], lengths[at]);
    });
  }

 private:
  Result<std::string> Part(const std::string& text, int64_t begin, int64_t length) const {
    const auto all = characters_ ? std::count_if(text.begin(), text.end(), Begins)
                                 : static_cast<std::ptrdiff_t>(text.size());
    const int64_t size = static_cast<int64_t>(all);
    const int64_t from = begin < 0 ? begin + size : begin;
    const bool lost = characters_ && begin < 0 && length < 0;  // an error in TensorFlow, too
    if (from < 0 || from > size || lost) {
      return InvalidArgument("pos ", begin, " out of range for string b'", text.substr(0, 80), "'");
    }
    const int64_t count = std::min(Wanted(length), size - from);
    const size_t first = StartOf(text, from);
    return text.substr(first, StartOf(text, from + count) - first);
  }

  // A negative length means all bytes that are left, and no character, as in TensorFlow 2.21.
  int64_t Wanted(int64_t length) const {
    if (length >= 0) return length;
    return characters_ ? 0 : std::numeric_limits<int64_t>::max();
  }

  // Where the character with that number begins; the end of the text for the one behind the last.
  size_t StartOf(const std::string& text, int64_t number) const {
    if (!characters_) return static_cast<size_t>(number);
    const auto found = std::find_if(text.begin(), text.end(),
                                    [&number](char c) { return Begins(c) && number-- == 0; });
    return static_cast<size_t>(found - text.begin());
  }

  bool characters_ = false;
};

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Of the alphabet that is safe in addresses.
class EncodeBase64Op final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(pad_, construction.Attr<bool>("pad"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    return ForEachString<std::string>(context, 0, [this](const std::string& text) {
      std::string made;
      StopLook look;
      for (size_t i = 0; i < text.size(); i += 3) {
        look.Turn();
        const size_t count = std::min<size_t>(3, text.size() - i);
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; ++k) {
          bits = bits << 8 | (k < count ? static_cast<unsigned char>(text[i + k]) : 0u);
        }
        for (size_t k = 0; k < 4; ++k) {
          if (k <= count) made += kDigits[bits >> (18 - 6 * k) & 63];
          else if (pad_) made += '=';
        }
      }
      return Result<std::string>(std::move(made));
    });
  }

 private:
  bool pad_ = false;
};

Result<std::string> DecodeBase64(const std::string& text) {
  std::string made;
  size_t size = text.size();
  while (size > 0 && text.size() - size < 2 && text[size - 1] == '=') --size;
  const Status malformed = InvalidArgument("Invalid character or length found in base64.");
  if (size % 4 == 1 || (size < text.size() && text.size() % 4 != 0)) return malformed;
  uint32_t bits = 0;
  StopLook look;
  for (size_t i = 0; i < size; ++i) {
    look.Turn();
    const char* digit = std::strchr(kDigits, text[i]);
    if (text[i] == '\0' || digit == nullptr) return malformed;
    bits = bits << 6 | static_cast<uint32_t>(digit - kDigits);
    if (i % 4 == 0) continue;
    const size_t left = 6 - 2 * (i % 4);
    made += static_cast<char>(bits >> left & 255);
  }
  return made;
}

class DecodeBase64Op final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    return ForEachString<std::string>(context, 0, DecodeBase64);
  }
};

class StringStripOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    return ForEachString<std::string>(context, 0, [](const std::string& text) {
      return Result<std::string>(Stripped(text));
    });
  }
};

// Letters of ASCII; those of other alphabets are left, as TensorFlow does without an encoding.
template <char (*kChange)(char)>
class StringCaseOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const std::string encoding, construction.Attr<std::string>("encoding"));
    if (encoding.empty()) return OkStatus();
    return Unimplemented("letters of other alphabets (encoding ", encoding, ")");
  }
  Status Compute(OpKernelContext* context) override {
    return ForEachString<std::string>(context, 0, [](std::string text) {
      for (char& c : text) c = kChange(c);
      return Result<std::string>(std::move(text));
    });
  }
};

REGISTER_KERNEL(Kernel("AsString").OnCpu(), AsStringOp);
REGISTER_KERNEL(Kernel("StringToNumber").OnCpu().Type<float>("out_type"), StringToNumberOp<float>);
REGISTER_KERNEL(Kernel("StringToNumber").OnCpu().Type<double>("out_type"),
                StringToNumberOp<double>);
REGISTER_KERNEL(Kernel("StringToNumber").OnCpu().Type<int32_t>("out_type"),
                StringToNumberOp<int32_t>);
REGISTER_KERNEL(Kernel("StringToNumber").OnCpu().Type<int64_t>("out_type"),
                StringToNumberOp<int64_t>);
REGISTER_KERNEL(Kernel("StringToNumber").OnCpu().Type<uint32_t>("out_type"),
                StringToNumberOp<uint32_t>);
REGISTER_KERNEL(Kernel("StringToNumber").OnCpu().Type<uint64_t>("out_type"),
                StringToNumberOp<uint64_t>);
REGISTER_KERNEL(Kernel("StringToHashBucket").OnCpu(), HashBucketOp);
REGISTER_KERNEL(Kernel("StringToHashBucketFast").OnCpu(), HashBucketOp);
REGISTER_KERNEL(Kernel("StringToHashBucketStrong").OnCpu(), HashBucketOp);
REGISTER_KERNEL(Kernel("StringLength").OnCpu(), StringLengthOp);
REGISTER_KERNEL(Kernel("Substr").OnCpu(), SubstrOp);
REGISTER_KERNEL(Kernel("EncodeBase64").OnCpu(), EncodeBase64Op);
REGISTER_KERNEL(Kernel("DecodeBase64").OnCpu(), DecodeBase64Op);
REGISTER_KERNEL(Kernel("StringStrip").OnCpu(), StringStripOp);
REGISTER_KERNEL(Kernel("StringLower").OnCpu(), StringCaseOp<ToLower>);
REGISTER_KERNEL(Kernel("StringUpper").OnCpu(), StringCaseOp<ToUpper>);

}  // namespace
}  // namespace tfbuild
