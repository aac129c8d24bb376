#include "graph/function_writer.h"

#include <algorithm>
#include <map>

#include "graph/attr_wire.h"
#include "graph/function_library.h"
#include "graph/graph_def.h"
#include "graph/wire_format.h"

namespace tfbuild {
namespace {

std::string EncodePair(const std::string& key, const std::string& value) {
  WireWriter writer;
  writer.Bytes(1, key);
  writer.Bytes(2, value);
  return writer.Take();
}

std::string EncodeArg(const std::string& name, DType dtype) {
  WireWriter writer;
  writer.Bytes(1, name);
  writer.Int(3, static_cast<int>(dtype));
  return writer.Take();
}

// How many tensors an output argument of the node stands for.
int64_t SizeOf(const ArgDef& arg, const Node& node) {
  if (!arg.number_attr.empty()) {
    const Result<int64_t> count = node.Attr<int64_t>(arg.number_attr);
    return count.ok() ? *count : 0;
  }
  if (!arg.type_list_attr.empty()) {
    const auto types = node.Attr<std::vector<DType>>(arg.type_list_attr);
    return types.ok() ? static_cast<int64_t>(types->size()) : 0;
  }
  return 1;
}

class FunctionWriter {
 public:
  FunctionWriter(const Graph& body, const std::vector<Node*>& arguments)
      : body_(body), arguments_(arguments) {}

  Result<std::string> Write(const std::string& name, const std::vector<Endpoint>& results) {
    WireWriter signature, function;
    signature.Bytes(1, name);
    for (const Node* argument : arguments_) {
      if (argument->op().name != "Placeholder") {
        return InvalidArgument("argument '", argument->name(), "' is no Placeholder");
      }
      signature.Bytes(2, EncodeArg(argument->name(), argument->output(0).dtype));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      signature.Bytes(3, EncodeArg(StrCat("result_", i), results[i].dtype()));
    }
    bool stateful = false;
    std::vector<std::string> effects;
    for (const auto& node : body_.nodes()) {
      stateful = stateful || node->op().is_stateful;
      if (HasEffect(*node) && !IsArgument(node.get())) effects.push_back(node->name());
    }
    if (stateful) signature.Int(17, 1);
    for (const std::string& effect : effects) signature.Bytes(20, effect);
    function.Bytes(1, signature.Take());
    for (const auto& node : body_.nodes()) {
      if (!IsArgument(node.get())) function.Bytes(3, NodeBytes(*node));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      function.Bytes(4, EncodePair(StrCat("result_", i), PlaceOf(results[i])));
    }
    for (const std::string& effect : effects) function.Bytes(6, EncodePair(effect, effect));
    for (size_t i = 0; i < arguments_.size(); ++i) function.Bytes(7, ShapeEntry(i));
    return function.Take();
  }

 private:
  bool IsArgument(const Node* node) const {
    return std::find(arguments_.begin(), arguments_.end(), node) != arguments_.end();
  }

  // An output as the functions' inputs name it: "argument", or "node:output:number".
  std::string PlaceOf(const Endpoint& endpoint) const {
    const Node& node = *endpoint.node;
    if (IsArgument(&node)) return node.name();
    int64_t left = endpoint.index;
    for (const ArgDef& arg : node.op().outputs) {
      const int64_t size = SizeOf(arg, node);
      if (left < size) return StrCat(node.name(), ":", arg.name, ":", left);
      left -= size;
    }
    return node.name();
  }

  std::string NodeBytes(const Node& node) const {
    NodeDef def{node.name(), node.op().name, {}, node.device(), node.attrs()};
    for (const Endpoint& input : node.inputs()) def.inputs.push_back(PlaceOf(input));
    for (const Node* control : node.control_inputs()) {
      def.inputs.push_back(StrCat("^", control->name()));
    }
    GraphDef one;
    one.nodes.push_back(std::move(def));
    const std::string encoded = SerializeGraphDef(one);
    WireReader reader(encoded);
    const Result<WireField> field = reader.Next();  // the first field of a GraphDef is its node
    return field.ok() ? std::string(field->bytes) : std::string();
  }

  // What is known of an argument's shape, as an entry of arg_attr.
  std::string ShapeEntry(size_t argument) const {
    const PartialShape& shape = arguments_[argument]->output(0).shape;
    WireWriter value, attrs, entry;
    value.Bytes(1, "_output_shapes");
    value.Bytes(2, SerializeAttrValue(AttrValue(std::vector<PartialShape>{shape})));
    attrs.Bytes(1, value.Take());
    entry.Int(1, static_cast<int64_t>(argument));
    entry.Bytes(2, attrs.Take());
    return entry.Take();
  }

  const Graph& body_;
  const std::vector<Node*>& arguments_;
};

}  // namespace

Result<std::string> EncodeFunction(const Graph& body, const std::string& name,
                                   const std::vector<Node*>& arguments,
                                   const std::vector<Endpoint>& results) {
  return FunctionWriter(body, arguments).Write(name, results);
}

}  // namespace tfbuild
