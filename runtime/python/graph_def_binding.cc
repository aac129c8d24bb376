// GraphDef files: bytes to plain Python values and back, and in and out of a graph.
#include <nanobind/stl/string.h>

#include "graph/graph_def.h"
#include "python/attr_python.h"
#include "python/bindings.h"
#include "python/python_error.h"
#include "python/text.h"

namespace nb = nanobind;

namespace tfbuild {
namespace python {
namespace {

std::string_view View(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

nb::bytes Bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

// (name, op, inputs, device, {attribute: (kind, value)}).
nb::tuple NodeToPython(const NodeDef& node) {
  nb::list inputs;
  for (const std::string& input : node.inputs) inputs.append(nb::cast(input));
  nb::dict attrs;
  for (const auto& [name, value] : node.attrs) attrs[nb::cast(name)] = AttrToPython(value);
  return nb::make_tuple(node.name, node.op, inputs, node.device, attrs);
}

NodeDef NodeFromPython(nb::handle object) {
  const nb::tuple row = nb::cast<nb::tuple>(object);
  if (row.size() != 5) throw nb::value_error("expected (name, op, inputs, device, attributes)");
  NodeDef node;
  node.name = TextFromPython(row[0]);
  node.op = TextFromPython(row[1]);
  for (nb::handle input : nb::cast<nb::sequence>(row[2])) {
    node.inputs.push_back(TextFromPython(input));
  }
  node.device = TextFromPython(row[3]);
  for (const auto& [name, pair] : nb::cast<nb::dict>(row[4])) {
    const nb::tuple value = nb::cast<nb::tuple>(pair);
    if (value.size() != 2) throw nb::value_error("expected (kind, value)");
    node.attrs[TextFromPython(name)] =
        AttrFromPython(TextFromPython(value[0]), value[1]);
  }
  return node;
}

// ([node, ...], producer, min_consumer, library).
nb::tuple Parse(nb::bytes bytes) {
  const GraphDef graph_def = ValueOrThrow(ParseGraphDef(View(bytes)));
  nb::list nodes;
  for (const NodeDef& node : graph_def.nodes) nodes.append(NodeToPython(node));
  return nb::make_tuple(nodes, graph_def.producer, graph_def.min_consumer,
                        Bytes(graph_def.library));
}

// (producer, min_consumer, library) of bytes that hold a GraphDef.
nb::tuple Check(nb::bytes bytes) {
  const GraphDef graph_def = ValueOrThrow(CheckGraphDef(View(bytes)));
  return nb::make_tuple(graph_def.producer, graph_def.min_consumer, Bytes(graph_def.library));
}

// The bytes that Serialize would make of what Parse returns.
nb::bytes Rewrite(nb::bytes bytes, int producer, int min_consumer) {
  GraphDef graph_def = ValueOrThrow(ParseGraphDef(View(bytes)));
  graph_def.producer = producer;
  graph_def.min_consumer = min_consumer;
  return Bytes(SerializeGraphDef(graph_def));
}

nb::bytes Serialize(nb::sequence nodes, int producer, int min_consumer, nb::bytes library) {
  GraphDef graph_def;
  for (nb::handle node : nodes) graph_def.nodes.push_back(NodeFromPython(node));
  graph_def.producer = producer;
  graph_def.min_consumer = min_consumer;
  graph_def.library = std::string(View(library));
  return Bytes(SerializeGraphDef(graph_def));
}

nb::bytes FromGraph(const Graph& graph, bool add_shapes) {
  GraphDef graph_def = ToGraphDef(graph);
  for (size_t i = 0; add_shapes && i < graph_def.nodes.size(); ++i) {
    const Node& node = *graph.node(static_cast<int>(i));
    std::vector<PartialShape> shapes;
    for (int output = 0; output < node.num_outputs(); ++output) {
      shapes.push_back(node.output(output).shape);
    }
    graph_def.nodes[i].attrs["_output_shapes"] = std::move(shapes);
  }
  return Bytes(SerializeGraphDef(graph_def));
}

void Import(Graph* graph, nb::bytes bytes, nb::str prefix, nb::dict input_map) {
  GraphDef graph_def = ValueOrThrow(ParseGraphDef(View(bytes)));
  ImportOptions options;
  options.prefix = TextFromPython(prefix);
  for (const auto& [name, pair] : input_map) {
    options.input_map[TextFromPython(name)] = EndpointAt(*graph, pair);
  }
  ThrowIfError(ImportGraphDef(std::move(graph_def), options, graph).status());
}

}  // namespace

void BindGraphDef(nb::module_& module) {
  module.def("parse_graph_def", &Parse);
  module.def("check_graph_def", &Check);
  module.def("rewrite_graph_def", &Rewrite);
  module.def("serialize_graph_def", &Serialize);
  module.def("graph_to_graph_def", &FromGraph);
  module.def("import_graph_def", &Import);
}

}  // namespace python
}  // namespace tfbuild
