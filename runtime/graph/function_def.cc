// FunctionDefs: read, and turned into nodes that a graph can take.
#include "graph/function_def.h"

#include "graph/attr_wire.h"
#include "graph/function_library.h"
#include "graph/wire_format.h"

namespace tfbuild {
namespace {

constexpr int64_t kMaxTensors = 1 << 16;

Result<ArgDef> ParseArg(std::string_view message) {
  ArgDef arg;
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    switch (field.number) {
      case 1: RETURN_IF_ERROR(ReadText(field, &arg.name)); break;
      case 3:
        arg.is_ref = field.as_int() > kRefOffset;
        arg.type = DTypeFromNumber(static_cast<int>(field.as_int() % kRefOffset));
        if (arg.type == DType::kInvalid) {
          return Unimplemented("argument ", arg.name, ": DataType ", field.as_int(),
                               " is not supported");
        }
        break;
      case 4: RETURN_IF_ERROR(ReadText(field, &arg.type_attr)); break;
      case 5: RETURN_IF_ERROR(ReadText(field, &arg.number_attr)); break;
      case 6: RETURN_IF_ERROR(ReadText(field, &arg.type_list_attr)); break;
      case 16: arg.is_ref = arg.is_ref || field.as_bool(); break;
      default: break;
    }
  }
  return arg;
}

Result<AttrDef> ParseAttr(std::string_view message, ParseBudget* budget) {
  AttrDef attr;
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == 1) RETURN_IF_ERROR(ReadText(field, &attr.name));
    if (field.number == 2) RETURN_IF_ERROR(ReadText(field, &attr.kind));
    if (field.number == 3) {
      ASSIGN_OR_RETURN(AttrValue value, ParseAttrValue(field.bytes, budget));
      attr.default_value = std::make_shared<const AttrValue>(std::move(value));
    }
  }
  return attr;
}

Result<OpDef> ParseOpDef(std::string_view message) {
  OpDef def;
  def.is_function = true;
  ParseBudget budget;
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == 1) RETURN_IF_ERROR(ReadText(field, &def.name));
    if (field.number == 2 || field.number == 3) {
      ASSIGN_OR_RETURN(ArgDef arg, ParseArg(field.bytes));
      (field.number == 2 ? def.inputs : def.outputs).push_back(std::move(arg));
    }
    if (field.number == 4) {
      ASSIGN_OR_RETURN(AttrDef attr, ParseAttr(field.bytes, &budget));
      def.attrs.push_back(std::move(attr));
    }
    if (field.number == 17) def.is_stateful = field.as_bool();
  }
  return def;
}

// An entry of a map of strings.
Status ParsePair(std::string_view message, std::map<std::string, std::string>* pairs) {
  std::string key;
  std::string value;
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == 1) RETURN_IF_ERROR(ReadText(field, &key));
    if (field.number == 2) RETURN_IF_ERROR(ReadText(field, &value));
  }
  (*pairs)[key] = value;
  return OkStatus();
}

// An entry of arg_attr: a number and ArgAttrs, which are a map.
Status ParseArgumentAttrs(std::string_view message, ParseBudget* budget,
                          std::map<int64_t, AttrMap>* attrs) {
  int64_t number = 0;
  std::string_view encoded;
  WireReader reader(message);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == 1) number = field.as_int();
    if (field.number == 2) encoded = field.bytes;
  }
  WireReader entries(encoded);
  while (!entries.done()) {
    ASSIGN_OR_RETURN(const WireField field, entries.Next());
    if (field.number == 1) RETURN_IF_ERROR(ParseAttrEntry(field.bytes, budget, &(*attrs)[number]));
  }
  return OkStatus();
}

class Translator {
 public:
  Translator(const FunctionDef& function, const AttrMap& attrs, const FunctionLibrary& functions)
      : function_(function), attrs_(attrs), functions_(functions) {}

  Result<FunctionNodes> Translate() {
    RETURN_IF_ERROR(AddArguments());
    for (const NodeDef& node : function_.nodes) {
      const Status status = AddNames(node);
      if (!status.ok()) return status.Annotate(StrCat("node '", node.name, "'"));
    }
    for (const NodeDef& node : function_.nodes) {
      const Status status = AddNode(node);
      if (!status.ok()) return status.Annotate(StrCat("node '", node.name, "'"));
    }
    RETURN_IF_ERROR(FindResults());
    return std::move(nodes_);
  }

 private:
  using Place = std::pair<std::string, int>;

  // The tensors of an argument, by the values of attributes.
  static Result<std::vector<DType>> TypesOf(const ArgDef& arg, const AttrMap& attrs) {
    if (!arg.type_list_attr.empty()) {
      const auto types = attrs.find(arg.type_list_attr);
      if (types != attrs.end()) {  // an empty list is read as one of ints
        const auto* ints = std::get_if<std::vector<int64_t>>(&types->second);
        if (ints != nullptr && ints->empty()) return std::vector<DType>();
      }
      return GetAttr<std::vector<DType>>(attrs, arg.type_list_attr);
    }
    int64_t count = 1;
    if (!arg.number_attr.empty()) {
      ASSIGN_OR_RETURN(count, GetAttr<int64_t>(attrs, arg.number_attr));
      if (count < 0 || count > kMaxTensors) {
        return InvalidArgument("attribute ", arg.number_attr, " is ", count);
      }
    }
    DType type = arg.type;
    if (!arg.type_attr.empty()) {
      ASSIGN_OR_RETURN(type, GetAttr<DType>(attrs, arg.type_attr));
    }
    return std::vector<DType>(static_cast<size_t>(count), type);
  }

  Status AddArguments() {
    int64_t number = 0;
    for (const ArgDef& arg : function_.signature.inputs) {
      ASSIGN_OR_RETURN(const std::vector<DType> types, TypesOf(arg, attrs_));
      for (size_t i = 0; i < types.size(); ++i, ++number) {
        const std::string name = i == 0 ? arg.name : StrCat(arg.name, "_", i);
        places_[StrCat(arg.name, ":", i)] = {name, 0};
        if (i == 0) places_[arg.name] = {name, 0};
        nodes_.graph_def.nodes.push_back(
            {name, "Placeholder", {}, "", {{"dtype", types[i]}, {"shape", ShapeOf(number)}}});
        nodes_.arguments.push_back(name);
      }
    }
    return OkStatus();
  }

  PartialShape ShapeOf(int64_t argument) const {
    const auto attrs = function_.argument_attrs.find(argument);
    if (attrs == function_.argument_attrs.end()) return {};
    const auto shapes = GetAttr<std::vector<PartialShape>>(attrs->second, "_output_shapes");
    return shapes.ok() && shapes->size() == 1 ? shapes->front() : PartialShape();
  }

  // The attributes of a node, with the call's in the place of placeholders and defaults of the op.
  Result<AttrMap> AttrsOf(const NodeDef& node) const {
    AttrMap attrs;
    for (const auto& [name, value] : node.attrs) {
      const auto* placeholder = std::get_if<PlaceholderAttr>(&value);
      if (placeholder == nullptr) {
        attrs[name] = value;
        continue;
      }
      const auto given = attrs_.find(placeholder->name);
      if (given == attrs_.end()) {
        return InvalidArgument("the call does not say what attribute ", placeholder->name, " is");
      }
      attrs[name] = given->second;
    }
    return attrs;
  }

  // Where each output of a node is: the function's inputs name them by argument.
  Status AddNames(const NodeDef& node) {
    const OpDef* op = functions_.FindOp(node.op);
    if (op == nullptr) {
      ASSIGN_OR_RETURN(op, OpRegistry::Global().Find(node.op));
    }
    ASSIGN_OR_RETURN(AttrMap attrs, AttrsOf(node));
    for (const AttrDef& attr : op->attrs) {
      if (attr.default_value) attrs.emplace(attr.name, *attr.default_value);
    }
    int output = 0;
    for (const ArgDef& arg : op->outputs) {
      ASSIGN_OR_RETURN(const std::vector<DType> types, TypesOf(arg, attrs));
      for (size_t i = 0; i < types.size(); ++i) {
        const Place place{node.name, output++};
        places_[StrCat(node.name, ":", arg.name, ":", i)] = place;
        if (i == 0) places_.emplace(StrCat(node.name, ":", arg.name), place);
      }
    }
    return OkStatus();
  }

  Result<Place> Find(const std::string& input) const {
    const auto found = places_.find(input);
    if (found == places_.end()) return InvalidArgument("'", input, "' is not in the function");
    return found->second;
  }

  Status AddNode(const NodeDef& node) {
    NodeDef translated{node.name, node.op, {}, node.device, {}};
    ASSIGN_OR_RETURN(translated.attrs, AttrsOf(node));
    for (const std::string& input : node.inputs) {
      if (!input.empty() && input[0] == '^') {
        translated.inputs.push_back(input);
        continue;
      }
      ASSIGN_OR_RETURN(const Place place, Find(input));
      translated.inputs.push_back(StrCat(place.first, ":", place.second));
    }
    nodes_.graph_def.nodes.push_back(std::move(translated));
    return OkStatus();
  }

  Status FindResults() {
    for (const ArgDef& output : function_.signature.outputs) {
      ASSIGN_OR_RETURN(const std::vector<DType> types, TypesOf(output, attrs_));
      const auto result = function_.results.find(output.name);
      if (result == function_.results.end()) {
        return InvalidArgument("nothing says what output '", output.name, "' is");
      }
      for (size_t i = 0; i < types.size(); ++i) {
        ASSIGN_OR_RETURN(Place place, Find(result->second));
        place.second += static_cast<int>(i);
        nodes_.results.push_back(std::move(place));
      }
    }
    for (const auto& [name, node] : function_.control_results) {
      nodes_.control_results.push_back(node);
    }
    return OkStatus();
  }

  const FunctionDef& function_;
  const AttrMap& attrs_;
  const FunctionLibrary& functions_;
  std::map<std::string, Place> places_;
  FunctionNodes nodes_;
};

}  // namespace

Result<OpDef> ParseSignature(std::string_view function) {
  std::string_view signature;
  WireReader reader(function);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == 1) signature = field.bytes;
  }
  return ParseOpDef(signature);
}

Result<FunctionDef> ParseFunctionDef(std::string_view bytes) {
  FunctionDef function;
  ASSIGN_OR_RETURN(function.signature, ParseSignature(bytes));
  ParseBudget budget;
  WireReader reader(bytes);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == 3) {
      ASSIGN_OR_RETURN(NodeDef node, ParseNodeDef(field.bytes, &budget));
      function.nodes.push_back(std::move(node));
    } else if (field.number == 4) {
      RETURN_IF_ERROR(ParsePair(field.bytes, &function.results));
    } else if (field.number == 6) {
      RETURN_IF_ERROR(ParsePair(field.bytes, &function.control_results));
    } else if (field.number == 7) {
      RETURN_IF_ERROR(ParseArgumentAttrs(field.bytes, &budget, &function.argument_attrs));
    }
  }
  return function;
}

Result<FunctionNodes> FunctionAsNodes(const FunctionDef& function, const AttrMap& attrs,
                                      const FunctionLibrary& functions) {
  return Translator(function, attrs, functions).Translate();
}

}  // namespace tfbuild
