// The text forms in which ops are defined: "values: N * T", "T: {float, half} = DT_FLOAT",
// "strides: list(int) >= 4". What they mean is TensorFlow's.
#include <cstdio>
#include <cstdlib>

#include "base/c_locale.h"
#include "graph/attr_value.h"
#include "graph/op_def.h"

namespace tfbuild {
namespace {

[[noreturn]] void Malformed(const std::string& op, std::string_view text) {
  std::fprintf(stderr, "tfbuild: malformed definition of op %s: \"%s\"\n", op.c_str(),
               std::string(text).c_str());
  std::abort();
}

struct NameAndRest {
  std::string name;
  std::string rest;
};

NameAndRest SplitName(const std::string& op, std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) Malformed(op, text);
  return {std::string(StrTrim(text.substr(0, colon))),
          std::string(StrTrim(text.substr(colon + 1)))};
}

void SetType(const OpDef& def, const std::string& type, ArgDef* arg) {
  arg->type = DTypeFromName(type);
  if (arg->type == DType::kInvalid) arg->type_attr = type;  // or a list: see ListArguments
  if (type.empty()) Malformed(def.name, arg->name);
}

ArgDef ParseArg(const OpDef& def, std::string_view text) {
  auto [name, type] = SplitName(def.name, text);
  ArgDef arg;
  arg.name = name;
  if (type.rfind("Ref(", 0) == 0) {
    if (type.back() != ')') Malformed(def.name, text);
    arg.is_ref = true;
    type = type.substr(4, type.size() - 5);
  }
  const size_t star = type.find('*');
  if (star != std::string::npos) {
    arg.number_attr = std::string(StrTrim(type.substr(0, star)));
    type = std::string(StrTrim(type.substr(star + 1)));
  }
  SetType(def, type, &arg);
  return arg;
}

DType ParseTypeName(std::string name) {
  if (name.rfind("DT_", 0) == 0) {
    name = name.substr(3);
    for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  }
  return DTypeFromName(name);
}

std::string Unquote(const std::string& text) { return text.substr(1, text.size() - 2); }

int64_t ParseInt(const OpDef& def, const std::string& text) {
  const char* end = nullptr;
  const int64_t value = ReadInt(text.c_str(), &end);
  if (text.empty() || *end != '\0') Malformed(def.name, text);
  return value;
}

float ParseFloat(const OpDef& def, const std::string& text) {
  const char* end = nullptr;
  const float value = ReadFloat(text.c_str(), &end);
  if (text.empty() || *end != '\0') Malformed(def.name, text);
  return value;
}

template <typename T>
std::vector<T> ParseList(const OpDef& def, const std::string& text,
                         T (*parse)(const OpDef&, const std::string&)) {
  std::vector<T> values;
  const std::string inner(StrTrim(Unquote(text)));
  if (inner.empty()) return values;
  for (const std::string& item : StrSplit(inner, ',')) values.push_back(parse(def, item));
  return values;
}

AttrValue ParseDefault(const OpDef& def, const std::string& kind, const std::string& text) {
  if (kind == "type") return ParseTypeName(text);
  if (kind == "string") return Unquote(text);
  if (kind == "int") return ParseInt(def, text);
  if (kind == "float") return ParseFloat(def, text);
  if (kind == "bool") return text == "true";
  if (kind == "list(int)") return ParseList(def, text, ParseInt);
  if (kind == "list(float)") return ParseList(def, text, ParseFloat);
  if (kind == "list(type)" && text == "[]") return std::vector<DType>();
  if (kind == "list(shape)" && text == "[]") return std::vector<PartialShape>();
  if (kind == "list(string)" && text == "[]") return std::vector<std::string>();
  if (kind == "shape" && text == "{ unknown_rank: true }") return PartialShape();
  if (kind == "tensor" && text.front() == '[') {  // a vector of uint8, such as a colour
    const std::vector<int64_t> values = ParseList(def, text, ParseInt);
    return Tensor::Vector(std::vector<uint8_t>(values.begin(), values.end()));
  }
  if (kind == "shape" && text == "{}") return PartialShape(std::vector<int64_t>{});
  Malformed(def.name, text);
}

// "{float, half}" limits a type, "{'SAME', 'VALID'}" a string.
void ParseAllowed(const std::string& braces, AttrDef* attr) {
  const std::vector<std::string> items = StrSplit(Unquote(braces), ',');
  const bool strings = !items.empty() && items[0].front() == '\'';
  attr->kind = strings ? "string" : "type";
  for (const std::string& item : items) {
    if (strings) {
      attr->allowed_strings.push_back(Unquote(item));
    } else {
      attr->allowed_types.push_back(ParseTypeName(item));
    }
  }
}

// Only the attribute, which follows the arguments, says whether it holds one type or a list.
void ListArguments(const std::string& attr, std::vector<ArgDef>* args) {
  for (ArgDef& arg : *args) {
    if (arg.type_attr != attr) continue;
    arg.type_attr.clear();
    arg.type_list_attr = attr;
  }
}

}  // namespace

OpDefBuilder::OpDefBuilder(std::string_view name) : def_(new OpDef) { def_->name = name; }

OpDefBuilder::~OpDefBuilder() { delete def_; }

OpDefBuilder& OpDefBuilder::ShapeFunction(ShapeFn fn) {
  def_->shape_fn = fn;
  return *this;
}

OpDefBuilder& OpDefBuilder::Stateful() {
  def_->is_stateful = true;
  return *this;
}

OpDefBuilder& OpDefBuilder::Input(std::string_view text) {
  def_->inputs.push_back(ParseArg(*def_, text));
  return *this;
}

OpDefBuilder& OpDefBuilder::Output(std::string_view text) {
  def_->outputs.push_back(ParseArg(*def_, text));
  return *this;
}

OpDefBuilder& OpDefBuilder::Attr(std::string_view text) {
  auto [name, rest] = SplitName(def_->name, text);
  AttrDef attr;
  attr.name = name;
  std::string fallback;
  // A default follows " = "; ">= 4" has no space after its '='-sign's left neighbour.
  const size_t equals = rest.find(" = ");
  if (equals != std::string::npos) {
    fallback = std::string(StrTrim(rest.substr(equals + 3)));
    rest = std::string(StrTrim(rest.substr(0, equals)));
  }
  const size_t minimum = rest.find(">=");
  if (minimum != std::string::npos) {
    attr.minimum = ParseInt(*def_, rest.substr(minimum + 2));
    rest = std::string(StrTrim(rest.substr(0, minimum)));
  }
  if (rest.empty()) Malformed(def_->name, text);
  if (rest.front() == '{') {
    ParseAllowed(rest, &attr);
  } else {
    attr.kind = rest;
  }
  if (!fallback.empty()) {
    attr.default_value =
        std::make_shared<const AttrValue>(ParseDefault(*def_, attr.kind, fallback));
  };
  if (attr.kind == "list(type)") {
    ListArguments(attr.name, &def_->inputs);
    ListArguments(attr.name, &def_->outputs);
  }
  def_->attrs.push_back(std::move(attr));
  return *this;
}

}  // namespace tfbuild
