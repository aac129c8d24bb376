#include "graph/tensor_proto.h"

#include <algorithm>

#include "graph/wire_format.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

// TensorProto's fields.
constexpr int kDtype = 1;
constexpr int kTensorShape = 2;
constexpr int kContent = 4;
constexpr int kFloatVal = 5;
constexpr int kDoubleVal = 6;
constexpr int kIntVal = 7;
constexpr int kStringVal = 8;
constexpr int kInt64Val = 10;
constexpr int kBoolVal = 11;
constexpr int kComplex64Val = 9;    // real and imaginary parts in turns, here and below
constexpr int kComplex128Val = 12;
constexpr int kHalfVal = 13;
constexpr int kUint32Val = 16;
constexpr int kUint64Val = 17;

struct TensorMessage {
  DType dtype = DType::kInvalid;
  int dtype_number = 0;
  Shape shape;
  std::string_view content;
  std::vector<WireField> values;  // each one value, or the bytes of several
  size_t num_values = 0;
  std::vector<std::string> strings;
};

WireType TypeOfValues(int field) {
  if (field == kFloatVal || field == kComplex64Val) return WireType::kFixed32;
  if (field == kDoubleVal || field == kComplex128Val) return WireType::kFixed64;
  return WireType::kVarint;
}

bool IsValueField(int field) {
  return field == kFloatVal || field == kDoubleVal || field == kIntVal || field == kInt64Val ||
         field == kBoolVal || field == kHalfVal || field == kComplex64Val ||
         field == kComplex128Val || field == kUint32Val || field == kUint64Val;
}

// The field that holds the elements of a type; 0 where there is none.
int FieldOfValues(DType dtype) {
  switch (dtype) {
    case DType::kFloat: return kFloatVal;
    case DType::kDouble: return kDoubleVal;
    case DType::kInt32:
    case DType::kInt16:
    case DType::kInt8:
    case DType::kUint16:
    case DType::kUint8: return kIntVal;
    case DType::kInt64: return kInt64Val;
    case DType::kUint32: return kUint32Val;
    case DType::kUint64: return kUint64Val;
    case DType::kBool: return kBoolVal;
    case DType::kHalf:
    case DType::kBFloat16: return kHalfVal;
    case DType::kComplex64: return kComplex64Val;
    case DType::kComplex128: return kComplex128Val;
    default: return 0;
  }
}

// How many values a packed field has; DataLoss where the last one does not end.
Result<size_t> CountPacked(const WireField& field) {
  const WireType type = TypeOfValues(field.number);
  size_t count = 0;
  WireReader packed(field.bytes);
  for (; !packed.done(); ++count) RETURN_IF_ERROR(packed.NextPacked(type).status());
  return count;
}

// Leaves the values of the tensor's own type, as TensorFlow does, and counts them: those of another field, or
// of another wire type, would be numbers that the type need not hold. DataLoss where the last one of
// a field does not end.
Status KeepOwnValues(TensorMessage* message) {
  const int own = FieldOfValues(message->dtype);
  std::vector<WireField>& values = message->values;
  const auto is_other = [own](const WireField& field) {
    return field.number != own ||
           (field.type != WireType::kBytes && field.type != TypeOfValues(own));
  };
  values.erase(std::remove_if(values.begin(), values.end(), is_other), values.end());
  for (const WireField& field : values) {
    size_t count = 1;
    if (field.type == WireType::kBytes) {
      ASSIGN_OR_RETURN(count, CountPacked(field));
    }
    message->num_values += count;
  }
  return OkStatus();
}

// Calls `use` for each value of fields that KeepOwnValues has left.
template <typename Use>
void ForEachValue(const std::vector<WireField>& fields, const Use& use) {
  for (const WireField& field : fields) {
    if (field.type != WireType::kBytes) {
      use(field);
      continue;
    }
    const WireType type = TypeOfValues(field.number);
    WireReader packed(field.bytes);
    while (!packed.done()) use(*packed.NextPacked(type));
  }
}

Result<TensorMessage> ReadTensorMessage(std::string_view bytes) {
  TensorMessage message;
  WireReader reader(bytes);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == kDtype) {
      message.dtype_number = static_cast<int>(field.as_int());
      message.dtype = DTypeFromNumber(message.dtype_number);
    } else if (field.number == kTensorShape) {
      ASSIGN_OR_RETURN(const PartialShape shape, ParseShape(field.bytes));
      ASSIGN_OR_RETURN(message.shape, shape.ToShape());
    } else if (field.number == kContent) {
      message.content = field.bytes;
    } else if (field.number == kStringVal) {
      message.strings.emplace_back(field.bytes);
    } else if (IsValueField(field.number)) {
      message.values.push_back(field);
    }
  }
  if (message.dtype == DType::kInvalid) {
    return Unimplemented("tensors of DataType ", message.dtype_number, " are not supported");
  }
  RETURN_IF_ERROR(KeepOwnValues(&message));
  return message;
}

template <typename T>
T ValueOf(const WireField& field) {
  if (field.type == WireType::kFixed32) return static_cast<T>(field.as_float());
  if (field.type == WireType::kFixed64) return static_cast<T>(field.as_double());
  return static_cast<T>(field.as_int());
}
// half_val holds bit patterns.
template <>
Half ValueOf<Half>(const WireField& field) {
  Half value;
  value.bits = static_cast<uint16_t>(field.varint);
  return value;
}
template <>
BFloat16 ValueOf<BFloat16>(const WireField& field) {
  BFloat16 value;
  value.bits = static_cast<uint16_t>(field.varint);
  return value;
}

// How many values an element takes.
size_t PartsOf(DType dtype) { return IsComplex(dtype) ? 2 : 1; }

// An odd value at the end is a real part.
template <typename T>
void FillComplex(const std::vector<WireField>& values, Tensor* tensor) {
  using Part = typename T::value_type;
  T* out = tensor->mutable_data<T>();
  size_t given = 0;
  ForEachValue(values, [&](const WireField& value) {
    const Part part = ValueOf<Part>(value);
    T& element = out[given / 2];
    element = given % 2 == 0 ? T(part, 0) : T(element.real(), part);
    ++given;
  });
  const size_t filled = (given + 1) / 2;
  const T rest = filled == 0 ? T(0) : out[filled - 1];
  std::fill(out + filled, out + tensor->num_elements(), rest);
}

template <typename T>
void Fill(const std::vector<WireField>& values, Tensor* tensor) {
  T* out = tensor->mutable_data<T>();
  T* const end = out + tensor->num_elements();
  T last = T(0);
  ForEachValue(values, [&](const WireField& value) { *out++ = last = ValueOf<T>(value); });
  std::fill(out, end, last);
}

void FillByType(const std::vector<WireField>& values, Tensor* tensor) {
  switch (tensor->dtype()) {
#define CASE(T)              \
  case DTypeOf<T>::value:    \
    Fill<T>(values, tensor); \
    break;
    TFBUILD_NUMBER_TYPES(CASE)
    CASE(bool)
#undef CASE
#define CASE(T)                     \
  case DTypeOf<T>::value:           \
    FillComplex<T>(values, tensor); \
    break;
    TFBUILD_COMPLEX_TYPES(CASE)
#undef CASE
    default: break;
  }
}

// Takes `count` repeated elements of that many bytes out of the budget. No element is larger than
// a file, no count beyond kMaxElements; as floating point numbers their product is never too large.
Status TakeRepeated(const TensorMessage& message, size_t count, size_t element,
                    ParseBudget* budget) {
  const double bytes = static_cast<double>(count) * static_cast<double>(element);
  if (bytes > static_cast<double>(budget->repeated_bytes)) {
    return InvalidArgument("a ", DTypeName(message.dtype), " tensor of shape ", message.shape,
                           " is too large for a message: its repeated values take ",
                           static_cast<int64_t>(bytes), " bytes, and ",
                           budget->repeated_bytes, " are left for all of the file");
  }
  budget->repeated_bytes -= count * element;
  return OkStatus();
}

Result<Tensor> MakeStrings(TensorMessage message, ParseBudget* budget) {
  const size_t count = static_cast<size_t>(message.shape.num_elements());
  if (message.strings.size() > count) {
    return InvalidArgument("a string tensor of shape ", message.shape, " with ",
                           message.strings.size(), " values");
  }
  const std::string rest = message.strings.empty() ? "" : message.strings.back();
  RETURN_IF_ERROR(TakeRepeated(message, count - message.strings.size(),
                               sizeof(std::string) + rest.size(), budget));
  message.strings.resize(count, rest);
  return Tensor::Strings(message.shape, std::move(message.strings));
}

}  // namespace

Result<PartialShape> ParseShape(std::string_view message) {
  std::vector<int64_t> dims;
  bool unknown_rank = false;
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == 3) unknown_rank = field.as_bool();
    if (field.number != 2) continue;
    int64_t size = 0;
    WireReader dim(field.bytes);
    while (!dim.done()) {
      ASSIGN_OR_RETURN(const WireField part, dim.Next());
      if (part.number == 1) size = part.as_int();
    }
    if (size < kUnknownDim) return InvalidArgument("negative dimension ", size, " in a shape");
    dims.push_back(size);
  }
  if (dims.size() > kMaxRank) return InvalidArgument("a shape of rank ", dims.size());
  return unknown_rank ? PartialShape() : PartialShape(std::move(dims));
}

std::string SerializeShape(const PartialShape& shape) {
  WireWriter writer;
  for (const int64_t size : shape.dims()) {
    WireWriter dim;
    if (size != 0) dim.Int(1, size);
    writer.Bytes(2, dim.Take());
  }
  if (!shape.known_rank()) writer.Int(3, 1);
  return writer.Take();
}

Result<Tensor> ParseTensor(std::string_view bytes, ParseBudget* budget) {
  ASSIGN_OR_RETURN(TensorMessage message, ReadTensorMessage(bytes));
  if (message.dtype == DType::kString) return MakeStrings(std::move(message), budget);
  if (message.dtype == DType::kVariant) return Unimplemented("a tensor of variants in a file");
  const size_t element = static_cast<size_t>(DTypeSize(message.dtype));
  const size_t count = static_cast<size_t>(message.shape.num_elements());
  const bool raw = !message.content.empty();
  const size_t given =
      (message.num_values + PartsOf(message.dtype) - 1) / PartsOf(message.dtype);
  if (raw ? message.content.size() != count * element : given > count) {
    return InvalidArgument("the contents of a tensor do not fit its shape ", message.shape);
  }
  if (!raw) {
    RETURN_IF_ERROR(TakeRepeated(message, count - given, element, budget));
  }
  ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(CpuAllocator(), message.dtype, message.shape));
  if (!raw) {
    FillByType(message.values, &tensor);
  } else if (message.dtype == DType::kBool) {  // any other byte in a bool would be undefined
    std::transform(message.content.begin(), message.content.end(), tensor.mutable_data<bool>(),
                   [](char byte) { return byte != 0; });
  } else {
    std::memcpy(tensor.raw(), message.content.data(), message.content.size());
  }
  return tensor;
}

std::string SerializeTensor(const Tensor& tensor) {
  WireWriter writer;
  writer.Int(kDtype, static_cast<int>(tensor.dtype()));
  writer.Bytes(kTensorShape, SerializeShape(PartialShape(tensor.shape())));
  if (tensor.dtype() == DType::kString) {
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      writer.Bytes(kStringVal, tensor.data<std::string>()[i]);
    }
  } else if (tensor.num_bytes() > 0) {
    writer.Bytes(kContent, {static_cast<const char*>(tensor.raw()), tensor.num_bytes()});
  }
  return writer.Take();
}

namespace {

void AppendValue(float value, WireWriter* out) { out->RawFloat(value); }
void AppendValue(double value, WireWriter* out) { out->RawDouble(value); }
void AppendValue(Half value, WireWriter* out) { out->RawVarint(value.bits); }
void AppendValue(BFloat16 value, WireWriter* out) { out->RawVarint(value.bits); }
template <typename T>
void AppendValue(std::complex<T> value, WireWriter* out) {
  AppendValue(value.real(), out);
  AppendValue(value.imag(), out);
}
template <typename T>
void AppendValue(T value, WireWriter* out) {
  out->RawVarint(static_cast<uint64_t>(static_cast<int64_t>(value)));
}

template <typename T>
void AppendValues(const Tensor& tensor, WireWriter* out) {
  const T* values = tensor.data<T>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) AppendValue(values[i], out);
}

}  // namespace

Result<std::string> SerializeTensorValues(const Tensor& tensor) {
  WireWriter writer;
  if (tensor.dtype() == DType::kString) {
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      writer.Bytes(kStringVal, tensor.data<std::string>()[i]);
    }
    return writer.Take();
  }
  const int field = FieldOfValues(tensor.dtype());
  if (field == 0) return Unimplemented("a message of ", DTypeName(tensor.dtype()), " values");
  WireWriter packed;
  switch (tensor.dtype()) {
#define CASE(T)                       \
  case DTypeOf<T>::value:             \
    AppendValues<T>(tensor, &packed); \
    break;
    TFBUILD_NUMBER_TYPES(CASE)
    TFBUILD_COMPLEX_TYPES(CASE)
    CASE(bool)
#undef CASE
    default: break;
  }
  if (tensor.num_elements() > 0) writer.Bytes(field, packed.Take());
  return writer.Take();
}

}  // namespace tfbuild
