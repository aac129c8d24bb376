#include "graph/attr_wire.h"

#include "graph/wire_format.h"

namespace tfbuild {
namespace {

// Fields of AttrValue; those of its ListValue have the same numbers.
constexpr int kList = 1;
constexpr int kString = 2;
constexpr int kInt = 3;
constexpr int kFloat = 4;
constexpr int kBool = 5;
constexpr int kType = 6;
constexpr int kShape = 7;
constexpr int kTensor = 8;
constexpr int kPlaceholder = 9;
constexpr int kFunction = 10;
constexpr int kFunctionInList = 9;

Result<DType> ParseType(const WireField& field) {
  const DType dtype = DTypeFromNumber(static_cast<int>(field.as_int()));
  if (dtype == DType::kInvalid) {
    return Unimplemented("DataType ", field.as_int(), " is not supported");
  }
  return dtype;
}

template <typename T>
std::vector<T>* ListIn(AttrValue* value) {
  if (!std::holds_alternative<std::vector<T>>(*value)) *value = std::vector<T>();
  return std::get_if<std::vector<T>>(value);
}

Result<FunctionAttr> ParseFunctionAttr(std::string_view message) {
  FunctionAttr function{"", std::string(message)};
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == 1) RETURN_IF_ERROR(ReadText(field, &function.name));
  }
  return function;
}

Status AddNumber(int field_number, const WireField& field, AttrValue* list) {
  if (field_number == kInt) ListIn<int64_t>(list)->push_back(field.as_int());
  if (field_number == kFloat) ListIn<float>(list)->push_back(field.as_float());
  if (field_number == kBool) ListIn<bool>(list)->push_back(field.as_bool());
  if (field_number == kType) {
    ASSIGN_OR_RETURN(const DType dtype, ParseType(field));
    ListIn<DType>(list)->push_back(dtype);
  }
  return OkStatus();
}

Status AddToList(const WireField& field, ParseBudget* budget, AttrValue* list) {
  if (field.number == kString) {
    ListIn<std::string>(list)->emplace_back(field.bytes);
  } else if (field.number == kShape) {
    ASSIGN_OR_RETURN(PartialShape shape, ParseShape(field.bytes));
    ListIn<PartialShape>(list)->push_back(std::move(shape));
  } else if (field.number == kTensor) {
    ASSIGN_OR_RETURN(Tensor tensor, ParseTensor(field.bytes, budget));
    ListIn<Tensor>(list)->push_back(std::move(tensor));
  } else if (field.number == kFunctionInList) {
    ASSIGN_OR_RETURN(FunctionAttr function, ParseFunctionAttr(field.bytes));
    ListIn<FunctionAttr>(list)->push_back(std::move(function));
  } else if (field.type != WireType::kBytes) {
    return AddNumber(field.number, field, list);
  } else if (field.number <= kType) {
    WireReader packed(field.bytes);
    const WireType type = field.number == kFloat ? WireType::kFixed32 : WireType::kVarint;
    while (!packed.done()) {
      ASSIGN_OR_RETURN(const WireField number, packed.NextPacked(type));
      RETURN_IF_ERROR(AddNumber(field.number, number, list));
    }
  }
  return OkStatus();
}

Result<AttrValue> ParseList(std::string_view message, ParseBudget* budget) {
  AttrValue list = std::vector<int64_t>();
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    RETURN_IF_ERROR(AddToList(field, budget, &list));
  }
  return list;
}

Result<AttrValue> ParseField(const WireField& field, ParseBudget* budget) {
  switch (field.number) {
    case kList: return ParseList(field.bytes, budget);
    case kString: return AttrValue(std::string(field.bytes));
    case kInt: return AttrValue(field.as_int());
    case kFloat: return AttrValue(field.as_float());
    case kBool: return AttrValue(field.as_bool());
    case kType: {
      ASSIGN_OR_RETURN(const DType dtype, ParseType(field));
      return AttrValue(dtype);
    }
    case kShape: {
      ASSIGN_OR_RETURN(PartialShape shape, ParseShape(field.bytes));
      return AttrValue(std::move(shape));
    }
    case kTensor: {
      ASSIGN_OR_RETURN(Tensor tensor, ParseTensor(field.bytes, budget));
      return AttrValue(std::move(tensor));
    }
    case kPlaceholder: {
      PlaceholderAttr placeholder;
      RETURN_IF_ERROR(ReadText(field, &placeholder.name));
      return AttrValue(std::move(placeholder));
    }
    case kFunction: {
      ASSIGN_OR_RETURN(FunctionAttr function, ParseFunctionAttr(field.bytes));
      return AttrValue(std::move(function));
    }
    default: return DataLoss("an attribute has the unknown field ", field.number);
  }
}

// Writes an AttrValue: the alternatives one by one.
struct AttrWriter {
  WireWriter* out;

  void operator()(std::monostate) const {}
  void operator()(const std::string& value) const { out->Bytes(kString, value); }
  void operator()(int64_t value) const { out->Int(kInt, value); }
  void operator()(float value) const { out->Float(kFloat, value); }
  void operator()(bool value) const { out->Int(kBool, value ? 1 : 0); }
  void operator()(DType value) const { out->Int(kType, static_cast<int>(value)); }
  void operator()(const PartialShape& value) const { out->Bytes(kShape, SerializeShape(value)); }
  void operator()(const Tensor& value) const { out->Bytes(kTensor, SerializeTensor(value)); }
  void operator()(const FunctionAttr& value) const { out->Bytes(kFunction, value.encoded); }
  void operator()(const PlaceholderAttr& value) const { out->Bytes(kPlaceholder, value.name); }

  template <typename T>
  void operator()(const std::vector<T>& values) const {
    WireWriter list;
    WireWriter packed;
    for (size_t i = 0; i < values.size(); ++i) WriteItem(static_cast<T>(values[i]), &list, &packed);
    const std::string numbers = packed.Take();
    if (!numbers.empty()) list.Bytes(PackedField(T()), numbers);
    out->Bytes(kList, list.Take());
  }

  static int PackedField(int64_t) { return kInt; }
  static int PackedField(float) { return kFloat; }
  static int PackedField(bool) { return kBool; }
  static int PackedField(DType) { return kType; }
  template <typename T>
  static int PackedField(const T&) { return 0; }  // not packed

  static void WriteItem(int64_t value, WireWriter*, WireWriter* packed) {
    packed->RawVarint(static_cast<uint64_t>(value));
  }
  static void WriteItem(float value, WireWriter*, WireWriter* packed) { packed->RawFloat(value); }
  static void WriteItem(bool value, WireWriter*, WireWriter* packed) {
    packed->RawVarint(value ? 1 : 0);
  }
  static void WriteItem(DType value, WireWriter*, WireWriter* packed) {
    packed->RawVarint(static_cast<uint64_t>(value));
  }
  static void WriteItem(const std::string& value, WireWriter* list, WireWriter*) {
    list->Bytes(kString, value);
  }
  static void WriteItem(const PartialShape& value, WireWriter* list, WireWriter*) {
    list->Bytes(kShape, SerializeShape(value));
  }
  static void WriteItem(const Tensor& value, WireWriter* list, WireWriter*) {
    list->Bytes(kTensor, SerializeTensor(value));
  }
  static void WriteItem(const FunctionAttr& value, WireWriter* list, WireWriter*) {
    list->Bytes(kFunctionInList, value.encoded);
  }
};

}  // namespace

Result<AttrValue> ParseAttrValue(std::string_view message, ParseBudget* budget) {
  AttrValue value;
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    ASSIGN_OR_RETURN(value, ParseField(field, budget));
  }
  return value;
}

std::string SerializeAttrValue(const AttrValue& value) {
  WireWriter writer;
  std::visit(AttrWriter{&writer}, static_cast<const AttrKinds&>(value));
  return writer.Take();
}

Status ParseAttrEntry(std::string_view message, ParseBudget* budget, AttrMap* attrs) {
  std::string name;
  std::string_view encoded;
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == 1) RETURN_IF_ERROR(ReadText(field, &name));
    if (field.number == 2) encoded = field.bytes;
  }
  Result<AttrValue> value = ParseAttrValue(encoded, budget);
  if (!value.ok()) return value.status().Annotate(StrCat("attribute ", name));
  if (name.empty()) return DataLoss("an attribute has no name");
  (*attrs)[name] = *std::move(value);
  return OkStatus();
}

std::string SerializeAttrs(int field, const AttrMap& attrs) {
  WireWriter writer;
  for (const auto& [name, value] : attrs) {
    if (name[0] == '_') continue;
    WireWriter entry;
    entry.Bytes(1, name);
    entry.Bytes(2, SerializeAttrValue(value));
    writer.Bytes(field, entry.Take());
  }
  return writer.Take();
}

FunctionAttr FunctionNamed(const std::string& name) {
  WireWriter writer;
  writer.Bytes(1, name);
  return {name, writer.Take()};
}

Result<AttrMap> AttrsOfCall(const FunctionAttr& function) {
  AttrMap attrs;
  ParseBudget budget;
  WireReader reader(function.encoded);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == 2) RETURN_IF_ERROR(ParseAttrEntry(field.bytes, &budget, &attrs));
  }
  return attrs;
}

}  // namespace tfbuild
