// DecodeJSONExample: Examples in JSON, as protocol buffers are written in it, as serialized ones.
// https://protobuf.dev/programming-guides/json
#include <cmath>
#include <limits>

#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "graph/wire_format.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/text_number.h"
#include "kernels/parsing/json_reader.h"

namespace tfbuild {
namespace {

REGISTER_OP("DecodeJSONExample")
    .Input("json_examples: string")
    .Output("binary_examples: string")
    .ShapeFunction(UnchangedShape);

// Both alphabets, with or without what fills up the end.
Result<std::string> FromBase64(std::string_view text) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const size_t known = c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : kDigits.find(c);
    if (known == std::string_view::npos) return InvalidArgument("'", text, "' is not base64");
    bits = bits << 6 | static_cast<uint32_t>(known);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count));
  }
  if (count >= 6) return InvalidArgument("'", text, "' is not base64: it is cut off");
  return bytes;
}

// A number may be written as one or as a string; null is 0.
Result<std::string> NumberText(JsonReader* json) {
  if (json->TakeNull()) return std::string("0");
  return json->AtString() ? json->String() : json->Number();
}

// InvalidArgument unless the text is a number as JSON has it.
Status CheckNumber(const std::string& text) {
  JsonReader number(text);
  RETURN_IF_ERROR(number.Number().status());
  return number.End();
}

Result<float> FloatOf(const std::string& text) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (text == "NaN") return std::numeric_limits<float>::quiet_NaN();
  if (text == "Infinity") return kInfinity;
  if (text == "-Infinity") return -kInfinity;
  RETURN_IF_ERROR(CheckNumber(text));
  float value = 0;
  if (NumberOfText(text, &value) && !std::isinf(value)) return value;
  return InvalidArgument("the number ", text, " is no float");
}

// Whole numbers may be written as 12 and as 1.2e1.
Result<int64_t> IntOf(const std::string& text) {
  RETURN_IF_ERROR(CheckNumber(text));
  int64_t value = 0;
  if (NumberOfText(text, &value)) return value;
  double wide = 0;
  constexpr double kLimit = 9223372036854775808.0;
  const bool whole = NumberOfText(text, &wide) && wide == std::floor(wide);
  if (whole && wide >= -kLimit && wide < kLimit) return static_cast<int64_t>(wide);
  return InvalidArgument("the number ", text, " is no int64");
}

// Calls `value` for the values of {"value": [...]}; a single one need not be in an array.
template <typename Value>
Status ReadList(JsonReader* json, const Value& value) {
  return json->Object([&](const std::string& key) -> Status {
    if (key != "value") return InvalidArgument("a list has no field '", key, "'");
    if (json->TakeNull()) return OkStatus();
    return json->AtArray() ? json->Array(value) : value();
  });
}

// The fields of a Feature, in TensorFlow's numbers.
enum { kBytesList = 1, kFloatList = 2, kInt64List = 3 };

int KindOf(const std::string& key) {
  if (key == "bytesList" || key == "bytes_list") return kBytesList;
  if (key == "floatList" || key == "float_list") return kFloatList;
  return key == "int64List" || key == "int64_list" ? kInt64List : 0;
}

Result<std::string> ReadValues(JsonReader* json, int kind) {
  WireWriter list, packed;
  RETURN_IF_ERROR(ReadList(json, [&]() -> Status {
    if (kind == kBytesList) {
      if (json->TakeNull()) {
        list.Bytes(1, "");
        return OkStatus();
      }
      ASSIGN_OR_RETURN(const std::string text, json->String());
      ASSIGN_OR_RETURN(const std::string bytes, FromBase64(text));
      list.Bytes(1, bytes);
      return OkStatus();
    }
    ASSIGN_OR_RETURN(const std::string text, NumberText(json));
    if (kind == kFloatList) {
      ASSIGN_OR_RETURN(const float value, FloatOf(text));
      packed.RawFloat(value);
    } else {
      ASSIGN_OR_RETURN(const int64_t value, IntOf(text));
      packed.RawVarint(static_cast<uint64_t>(value));
    }
    return OkStatus();
  }));
  const std::string numbers = packed.Take();
  if (!numbers.empty()) list.Bytes(1, numbers);
  return list.Take();
}

Result<std::string> ReadFeature(JsonReader* json) {
  WireWriter feature;
  bool found = false;
  RETURN_IF_ERROR(json->Object([&](const std::string& key) -> Status {
    const int kind = KindOf(key);
    if (kind == 0) return InvalidArgument("a feature has no field '", key, "'");
    if (json->TakeNull()) return OkStatus();
    if (found) return InvalidArgument("a feature has two lists");
    found = true;
    ASSIGN_OR_RETURN(const std::string values, ReadValues(json, kind));
    feature.Bytes(kind, values);
    return OkStatus();
  }));
  return feature.Take();
}

Result<std::string> ReadFeatures(JsonReader* json) {
  WireWriter features;
  RETURN_IF_ERROR(json->Object([&](const std::string& field) -> Status {
    if (field != "feature") return InvalidArgument("features have no field '", field, "'");
    if (json->TakeNull()) return OkStatus();
    return json->Object([&](const std::string& key) -> Status {
      WireWriter entry;
      entry.Bytes(1, key);
      ASSIGN_OR_RETURN(const std::string feature, ReadFeature(json));
      entry.Bytes(2, feature);
      features.Bytes(1, entry.Take());
      return OkStatus();
    });
  }));
  return features.Take();
}

Result<std::string> ReadExample(const std::string& text) {
  JsonReader json(text);
  WireWriter example;
  RETURN_IF_ERROR(json.Object([&](const std::string& field) -> Status {
    if (field != "features") return InvalidArgument("an Example has no field '", field, "'");
    if (json.TakeNull()) return OkStatus();
    ASSIGN_OR_RETURN(const std::string features, ReadFeatures(&json));
    example.Bytes(1, features);
    return OkStatus();
  }));
  RETURN_IF_ERROR(json.End());
  return example.Take();
}

class DecodeJsonExampleOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& json = context->input(0);
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, json.shape()));
    StopLook look;
    for (int64_t i = 0; i < json.num_elements(); ++i) {
      look.Turn();
      Result<std::string> example = ReadExample(json.data<std::string>()[i]);
      if (!example.ok()) return example.status().Annotate("Error while parsing JSON");
      output->mutable_data<std::string>()[i] = std::move(*example);
    }
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("DecodeJSONExample").OnCpu(), DecodeJsonExampleOp);

}  // namespace
}  // namespace tfbuild
