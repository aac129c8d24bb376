// GraphDef and NodeDef messages as bytes, in and out of a graph.
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

nb::bytes FromNode(const Graph& graph, int64_t id) {
  return Bytes(SerializeNodeDef(ToNodeDef(*NodeAt(graph, id))));
}

// A NodeDef that has attributes alone, of {name: (kind, value)}.
nb::bytes FromAttrs(nb::dict attrs) {
  NodeDef node;
  for (const auto& [name, pair] : attrs) {
    const nb::tuple value = nb::cast<nb::tuple>(pair);
    if (value.size() != 2) throw nb::value_error("expected (kind, value)");
    node.attrs[TextFromPython(name)] = AttrFromPython(TextFromPython(value[0]), value[1]);
  }
  return Bytes(SerializeNodeDef(node));
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
  module.def("node_to_node_def", &FromNode);
  module.def("attrs_to_node_def", &FromAttrs);
  module.def("graph_to_graph_def", &FromGraph);
  module.def("import_graph_def", &Import);
}

}  // namespace python
}  // namespace tfbuild
