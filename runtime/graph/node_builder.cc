#include "graph/node_builder.h"

#include <algorithm>

#include "graph/function_library.h"

namespace tfbuild {
namespace {

constexpr int64_t kMaxRepeated = 1 << 16;

bool KindMatches(const std::string& kind, const AttrValue& value) {
  const auto is = [&value](auto* type) {
    return std::holds_alternative<std::remove_pointer_t<decltype(type)>>(value);
  };
  if (kind == "type") return is(static_cast<DType*>(nullptr));
  if (kind == "string") return is(static_cast<std::string*>(nullptr));
  if (kind == "int") return is(static_cast<int64_t*>(nullptr));
  if (kind == "float") return is(static_cast<float*>(nullptr));
  if (kind == "bool") return is(static_cast<bool*>(nullptr));
  if (kind == "shape") return is(static_cast<PartialShape*>(nullptr));
  if (kind == "tensor") return is(static_cast<Tensor*>(nullptr));
  if (kind == "list(int)") return is(static_cast<std::vector<int64_t>*>(nullptr));
  if (kind == "list(float)") return is(static_cast<std::vector<float>*>(nullptr));
  if (kind == "list(bool)") return is(static_cast<std::vector<bool>*>(nullptr));
  if (kind == "list(type)") return is(static_cast<std::vector<DType>*>(nullptr));
  if (kind == "list(string)") return is(static_cast<std::vector<std::string>*>(nullptr));
  if (kind == "list(shape)") return is(static_cast<std::vector<PartialShape>*>(nullptr));
  if (kind == "func") return is(static_cast<FunctionAttr*>(nullptr));
  if (kind == "list(func)") return is(static_cast<std::vector<FunctionAttr>*>(nullptr));
  return false;
}

bool EmptyList(const AttrValue& value) {
  const auto* ints = std::get_if<std::vector<int64_t>>(&value);
  return ints != nullptr && ints->empty();
}

// An empty list has no kind on the wire and is read as a list of ints.
void FixEmptyList(const std::string& kind, AttrValue* value) {
  if (!EmptyList(*value)) return;
  if (kind == "list(float)") *value = std::vector<float>();
  if (kind == "list(bool)") *value = std::vector<bool>();
  if (kind == "list(type)") *value = std::vector<DType>();
  if (kind == "list(string)") *value = std::vector<std::string>();
  if (kind == "list(shape)") *value = std::vector<PartialShape>();
  if (kind == "list(func)") *value = std::vector<FunctionAttr>();
}

Status CheckAllowed(const AttrDef& attr, const AttrValue& value) {
  if (const DType* type = std::get_if<DType>(&value)) {
    const auto& allowed = attr.allowed_types;
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), *type) == allowed.end()) {
      std::vector<std::string> names;
      for (const DType dtype : allowed) names.push_back(DTypeName(dtype));
      return InvalidArgument("attribute ", attr.name, " may not be ", DTypeName(*type),
                             ", only one of ", StrJoin(names, ", "));
    }
  }
  if (const std::string* text = std::get_if<std::string>(&value)) {
    const auto& allowed = attr.allowed_strings;
    if (!allowed.empty() && std::find(allowed.begin(), allowed.end(), *text) == allowed.end()) {
      return InvalidArgument("attribute ", attr.name, " may not be '", *text, "', only one of ",
                             StrJoin(allowed, ", "));
    }
  }
  int64_t measure = attr.minimum.value_or(0);
  if (const int64_t* number = std::get_if<int64_t>(&value)) measure = *number;
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&value)) {
    measure = static_cast<int64_t>(ints->size());
  }
  if (const auto* types = std::get_if<std::vector<DType>>(&value)) {
    measure = static_cast<int64_t>(types->size());
  }
  if (const auto* functions = std::get_if<std::vector<FunctionAttr>>(&value)) {
    measure = static_cast<int64_t>(functions->size());
  }
  if (attr.minimum && measure < *attr.minimum) {
    return InvalidArgument("attribute ", attr.name, " must be at least ", *attr.minimum, ", not ",
                           measure);
  }
  return OkStatus();
}

}  // namespace

Status NodeBuilder::Build() {
  node_->op_ = functions_ == nullptr ? nullptr : functions_->FindOp(spec_.op);
  if (node_->op_ == nullptr) {
    ASSIGN_OR_RETURN(node_->op_, OpRegistry::Global().Find(spec_.op));
  }
  RETURN_IF_ERROR(InferAttrsFromInputs());
  RETURN_IF_ERROR(CheckAttrs());
  node_->attrs_ = std::make_shared<const AttrMap>(std::move(spec_.attrs));
  RETURN_IF_ERROR(CheckInputs());
  RETURN_IF_ERROR(AddOutputs());
  node_->name_ = std::move(spec_.name);
  node_->device_ = std::move(spec_.device);
  node_->inputs_ = std::move(spec_.inputs);
  node_->control_inputs_ = std::move(spec_.control_inputs);
  return OkStatus();
}

// Without attributes the inputs are cut up by the op's definition: the one run of tensors, if there
// is one, takes what the single arguments leave.
Status NodeBuilder::InferAttrsFromInputs() {
  for (const AttrDef& attr : node_->op_->attrs) {
    const auto given = spec_.attrs.find(attr.name);
    if (given != spec_.attrs.end()) FixEmptyList(attr.kind, &given->second);
  }
  const std::vector<ArgDef>& args = node_->op_->inputs;
  const size_t singles = static_cast<size_t>(std::count_if(
      args.begin(), args.end(), [](const ArgDef& arg) { return !arg.is_run(); }));
  size_t next = 0;
  for (const ArgDef& arg : args) {
    const size_t left = spec_.inputs.size() - std::min(spec_.inputs.size(), singles);
    const size_t count = CountGiven(arg, left);
    if (next + count > spec_.inputs.size()) {
      return InvalidArgument("expected more inputs than ", spec_.inputs.size(), ": '", arg.name,
                             "' is missing");
    }
    RETURN_IF_ERROR(InferFrom(arg, next, count));
    next += count;
  }
  return OkStatus();
}

// The number that the attributes say, else all that the single arguments leave.
size_t NodeBuilder::CountGiven(const ArgDef& arg, size_t left) const {
  if (!arg.is_run()) return 1;
  if (!arg.type_list_attr.empty()) {
    const auto types = GetAttr<std::vector<DType>>(spec_.attrs, arg.type_list_attr);
    return types.ok() ? types->size() : left;
  }
  const Result<int64_t> given = GetAttr<int64_t>(spec_.attrs, arg.number_attr);
  return given.ok() && *given >= 0 ? static_cast<size_t>(*given) : left;
}

Status NodeBuilder::InferFrom(const ArgDef& arg, size_t begin, size_t count) {
  if (!arg.number_attr.empty()) {
    RETURN_IF_ERROR(SetInferred(arg.number_attr, static_cast<int64_t>(count), arg.name));
  }
  if (!arg.type_list_attr.empty()) {
    std::vector<DType> types;
    for (size_t i = begin; i < begin + count; ++i) types.push_back(spec_.inputs[i].dtype());
    return SetInferred(arg.type_list_attr, std::move(types), arg.name);
  }
  if (!arg.type_attr.empty() && count > 0) {
    RETURN_IF_ERROR(SetInferred(arg.type_attr, spec_.inputs[begin].dtype(), arg.name));
  }
  return OkStatus();
}

Status NodeBuilder::SetInferred(const std::string& attr, AttrValue value,
                                const std::string& input) {
  const auto [place, is_new] = spec_.attrs.emplace(attr, value);
  if (is_new) return OkStatus();
  const DType* given = std::get_if<DType>(&place->second);
  const DType* inferred = std::get_if<DType>(&value);
  if (given != nullptr && inferred != nullptr && *given != *inferred) {
    return InvalidArgument("input '", input, "' has type ", DTypeName(*inferred),
                           " that does not match attribute ", attr, " of type ",
                           DTypeName(*given));
  }
  return OkStatus();
}

Status NodeBuilder::CheckAttrs() {
  for (const AttrDef& attr : node_->op_->attrs) {
    auto value = spec_.attrs.find(attr.name);
    if (value == spec_.attrs.end()) {
      if (!attr.default_value) return InvalidArgument("attribute ", attr.name, " is missing");
      value = spec_.attrs.emplace(attr.name, *attr.default_value).first;
      FixEmptyList(attr.kind, &value->second);
    }
    if (!KindMatches(attr.kind, value->second)) {
      return InvalidArgument("attribute ", attr.name, " is not a ", attr.kind);
    }
    RETURN_IF_ERROR(CheckAllowed(attr, value->second));
  }
  for (const auto& [name, value] : spec_.attrs) {
    // Names that begin with an underscore are notes of other programs, kept as they are.
    if (name[0] != '_' && node_->op_->FindAttr(name) == nullptr) {
      return InvalidArgument("op ", node_->op_->name, " has no attribute ", name);
    }
  }
  return OkStatus();
}

Status NodeBuilder::CheckInputs() {
  size_t next = 0;
  for (const ArgDef& arg : node_->op_->inputs) {
    ASSIGN_OR_RETURN(const std::vector<DType> types, TypesOf(arg));
    for (const DType type : types) {
      if (next >= spec_.inputs.size()) return InvalidArgument("input '", arg.name, "' is missing");
      const Endpoint& input = spec_.inputs[next];
      if (input.dtype() != type) {
        return InvalidArgument("input '", arg.name, "' must be ", DTypeName(type), ", not ",
                               DTypeName(input.dtype()));
      }
      if (arg.is_ref && !input.is_ref()) {
        return InvalidArgument("input '", arg.name, "' must be a variable");
      }
      if (arg.is_ref) {
        node_->input_is_ref_.resize(next);
        node_->input_is_ref_.push_back(true);
      }
      ++next;
    }
  }
  if (next != spec_.inputs.size()) {
    return InvalidArgument("expected ", next, " inputs, not ", spec_.inputs.size());
  }
  return OkStatus();
}

Status NodeBuilder::AddOutputs() {
  for (const ArgDef& arg : node_->op_->outputs) {
    ASSIGN_OR_RETURN(const std::vector<DType> types, TypesOf(arg));
    for (const DType type : types) node_->outputs_.push_back({type, arg.is_ref, {}});
  }
  return OkStatus();
}

Result<std::vector<DType>> NodeBuilder::TypesOf(const ArgDef& arg) const {
  if (!arg.type_list_attr.empty()) {
    return GetAttr<std::vector<DType>>(*node_->attrs_, arg.type_list_attr);
  }
  int64_t count = 1;
  if (!arg.number_attr.empty()) {
    ASSIGN_OR_RETURN(count, GetAttr<int64_t>(*node_->attrs_, arg.number_attr));
    if (count < 0) return InvalidArgument("attribute ", arg.number_attr, " is negative");
    if (count > kMaxRepeated) return InvalidArgument("attribute ", arg.number_attr, " is too large");
  }
  DType type = arg.type;
  if (!arg.type_attr.empty()) {
    ASSIGN_OR_RETURN(type, GetAttr<DType>(*node_->attrs_, arg.type_attr));
  }
  return std::vector<DType>(static_cast<size_t>(count), type);
}

}  // namespace tfbuild
