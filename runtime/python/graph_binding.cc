// The graph: add nodes, look at them.
#include <limits>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "graph/function_library.h"
#include "graph/function_writer.h"
#include "graph/graph.h"
#include "graph/known_ints.h"
#include "graph/wire_format.h"
#include "python/attr_python.h"
#include "python/bindings.h"
#include "python/python_error.h"
#include "python/text.h"

namespace nb = nanobind;

namespace tfbuild {
namespace python {
namespace {

AttrMap AttrsFromPython(const OpDef& op, const nb::dict& values) {
  AttrMap attrs;
  for (const auto& [key, value] : values) {
    const std::string name = TextFromPython(key);
    const AttrDef* attr = op.FindAttr(name);
    attrs[name] = attr == nullptr ? AttrFromPythonValue(value) : AttrFromPython(attr->kind, value);
  }
  return attrs;
}

// ((type, is_ref), ...)
nb::list OutputsOf(const Node& node) {
  nb::list outputs;
  for (int i = 0; i < node.num_outputs(); ++i) {
    const Node::Output& output = node.output(i);
    outputs.append(nb::make_tuple(static_cast<int>(output.dtype), output.is_ref));
  }
  return outputs;
}

// (id, name, op, outputs or None): what the frontend keeps of a node.
nb::tuple Describe(const Node& node, const nb::object& outputs) {
  // One string for all nodes of an op.
  const nb::object op = nb::steal(PyUnicode_InternFromString(node.op().name.c_str()));
  return nb::make_tuple(node.id(), node.name(), op, outputs);
}

nb::tuple DescribeWhole(const Node& node) { return Describe(node, OutputsOf(node)); }

nb::tuple AddNode(Graph* graph, nb::str op, nb::str name, nb::sequence inputs,
                  nb::sequence control_inputs, nb::dict attrs, nb::str device) {
  NodeSpec spec;
  spec.name = TextFromPython(name);
  spec.op = TextFromPython(op);
  const OpDef* def = ValueOrThrow(OpRegistry::Global().Find(spec.op));
  spec.inputs = EndpointsAt(*graph, inputs);
  spec.control_inputs = NodesAt(*graph, control_inputs);
  spec.attrs = AttrsFromPython(*def, attrs);
  spec.device = TextFromPython(device);
  return DescribeWhole(*ValueOrThrow(graph->AddNode(std::move(spec))));
}

// Adds a copy of a node of another graph, such as the body of a function, with other edges.
nb::tuple AddCopy(Graph* graph, const Graph& source, int64_t id, nb::str name, nb::sequence inputs,
                  nb::sequence control_inputs, nb::str device) {
  const Node& copied = *NodeAt(source, id);
  NodeSpec spec{TextFromPython(name), copied.op().name, EndpointsAt(*graph, inputs),
                NodesAt(*graph, control_inputs), copied.attrs(), TextFromPython(device)};
  spec.attrs.erase("_class");  // names nodes of the other graph
  return DescribeWhole(*ValueOrThrow(graph->AddNode(std::move(spec))));
}

nb::list BodiesOf(const Graph& graph, int64_t id) {
  const Node& node = *NodeAt(graph, id);
  nb::list bodies;
  if (CallKindOf(node) == CallKind::kNone) return bodies;
  for (const FunctionBody* body : ValueOrThrow(graph.functions()->BodiesOf(node))) {
    bodies.append(nb::cast(const_cast<FunctionBody*>(body), nb::rv_policy::reference));
  }
  return bodies;
}

// "call", "if", "case" or "while"; None for a node that calls nothing.
nb::object CallKindAt(const Graph& graph, int64_t id) {
  switch (CallKindOf(*NodeAt(graph, id))) {
    case CallKind::kCall: return nb::str("call");
    case CallKind::kIf: return nb::str("if");
    case CallKind::kCase: return nb::str("case");
    case CallKind::kWhile: return nb::str("while");
    default: return nb::none();
  }
}

nb::object WrittenOut(const Graph& graph, int64_t id) {
  const Graph::WrittenOut* written = graph.FindWrittenOut(NodeAt(graph, id));
  if (written == nullptr) return nb::none();
  nb::list values;
  for (const Endpoint& value : written->values) {
    values.append(nb::make_tuple(value.node->id(), value.index));
  }
  return values;
}

// Up to `count` nodes, without what they put out.
nb::list NodesFrom(const Graph& graph, int64_t first, int64_t count) {
  nb::list nodes;
  for (int64_t id = std::max<int64_t>(first, 0); id < graph.num_nodes() && count > 0; ++id, --count) {
    nodes.append(Describe(*NodeAt(graph, id), nb::none()));
  }
  return nodes;
}

nb::list Inputs(const Graph& graph, int64_t id) {
  nb::list inputs;
  for (const Endpoint& input : NodeAt(graph, id)->inputs()) {
    inputs.append(nb::make_tuple(input.node->id(), input.index));
  }
  return inputs;
}

nb::list ControlInputs(const Graph& graph, int64_t id) {
  nb::list inputs;
  for (const Node* input : NodeAt(graph, id)->control_inputs()) inputs.append(input->id());
  return inputs;
}

nb::list Consumers(Graph* graph, int64_t id, int64_t index) {
  nb::list consumers;
  for (const Node* node : graph->ReadersOf(EndpointAt(*graph, nb::make_tuple(id, index)))) {
    consumers.append(node->id());
  }
  return consumers;
}

// (kind, value), or None when there is no such attribute.
nb::object Attr(const Graph& graph, int64_t id, nb::str name) {
  const AttrMap& attrs = NodeAt(graph, id)->attrs();
  const auto found = attrs.find(TextFromPython(name));
  if (found == attrs.end()) return nb::none();
  return AttrToPython(found->second);
}

nb::object ShapeAt(const Graph& graph, int64_t id, int64_t index) {
  return ShapeToPython(EndpointAt(graph, nb::make_tuple(id, index)).shape());
}

// The elements of a vector or scalar of integers, None where one is not known; None where nothing is.
nb::object KnownInts(const Graph& graph, int64_t id, int64_t index) {
  const auto ints = EvaluateInts(EndpointAt(graph, nb::make_tuple(id, index)));
  if (!ints) return nb::none();
  nb::list values;
  for (const std::optional<int64_t>& value : ints->values) {
    values.append(value ? nb::object(nb::int_(*value)) : nb::none());
  }
  return nb::tuple(values);
}

void RefineShape(Graph* graph, int64_t id, int64_t index, nb::object shape) {
  const Endpoint endpoint = EndpointAt(*graph, nb::make_tuple(id, index));
  ThrowIfError(graph->RefineShape(endpoint, ShapeFromPython(shape)));
}

// The bytes of a FunctionDefLibrary with this graph as its only function.
nb::bytes EncodeAsFunction(const Graph& graph, nb::str name, nb::sequence arguments,
                           nb::sequence results) {
  WireWriter library;
  library.Bytes(1, ValueOrThrow(EncodeFunction(graph, TextFromPython(name),
                                               NodesAt(graph, arguments), EndpointsAt(graph, results))));
  const std::string bytes = library.Take();
  return nb::bytes(bytes.data(), bytes.size());
}

}  // namespace

Node* NodeAt(const Graph& graph, int64_t id) {
  if (id < 0 || id >= graph.num_nodes()) throw nb::value_error("the graph has no such node");
  return graph.node(static_cast<int>(id));
}

Endpoint EndpointAt(const Graph& graph, nb::handle pair) {
  const nb::tuple both = nb::cast<nb::tuple>(pair);
  if (both.size() != 2) throw nb::value_error("expected (node, output)");
  Node* node = NodeAt(graph, nb::cast<int64_t>(both[0]));
  const int64_t index = nb::cast<int64_t>(both[1]);
  if (index < 0 || index >= node->num_outputs()) {
    throw nb::value_error("the node has no such output");
  }
  return {node, static_cast<int>(index)};
}

std::vector<Endpoint> EndpointsAt(const Graph& graph, nb::sequence pairs) {
  std::vector<Endpoint> endpoints;
  for (nb::handle pair : pairs) endpoints.push_back(EndpointAt(graph, pair));
  return endpoints;
}

std::vector<Node*> NodesAt(const Graph& graph, nb::sequence ids) {
  std::vector<Node*> nodes;
  for (nb::handle id : ids) nodes.push_back(NodeAt(graph, nb::cast<int64_t>(id)));
  return nodes;
}

void BindFunctionBody(nb::module_& module) {
  nb::class_<FunctionBody>(module, "FunctionBody")
      .def_ro("name", &FunctionBody::name)
      .def_prop_ro("graph", [](FunctionBody& body) { return &body.graph; },
                   nb::rv_policy::reference)
      .def("arguments",
           [](const FunctionBody& body) {
             nb::list ids;
             for (const Node* node : body.arguments) ids.append(node->id());
             return ids;
           })
      .def("results",
           [](const FunctionBody& body) {
             nb::list places;
             for (const Endpoint& result : body.results) {
               places.append(nb::make_tuple(result.node->id(), result.index));
             }
             return places;
           })
      .def("effects", [](const FunctionBody& body) {
        nb::list ids;
        for (const Node* node : body.EffectNodes()) ids.append(node->id());
        return ids;
      });
}

void BindGraph(nb::module_& module) {
  BindFunctionBody(module);
  nb::class_<Graph>(module, "Graph")
      .def(nb::init<>())
      .def("__len__", [](const Graph& graph) { return graph.num_nodes(); })
      .def("add_node", &AddNode)
      .def("nodes_from", &NodesFrom, nb::arg("first"),
           nb::arg("count") = std::numeric_limits<int64_t>::max())
      .def("inputs", &Inputs)
      .def("outputs", [](const Graph& graph, int64_t id) { return OutputsOf(*NodeAt(graph, id)); })
      .def("control_inputs", &ControlInputs)
      .def("consumers", &Consumers)
      .def("attr", &Attr)
      .def("attr_names",
           [](const Graph& graph, int64_t id) {
             nb::list names;
             for (const auto& [name, value] : NodeAt(graph, id)->attrs()) {
               names.append(nb::str(name.c_str()));
             }
             return names;
           })
      .def("device",
           [](const Graph& graph, int64_t id) { return NodeAt(graph, id)->device(); })
      .def("shape", &ShapeAt)
      .def("known_ints", &KnownInts)
      .def("refine_shape", &RefineShape)
      .def("close_loop",
           [](Graph* graph, int64_t merge, int index, int64_t next_iteration) {
             ThrowIfError(graph->CloseLoop(NodeAt(*graph, merge), index,
                                           NodeAt(*graph, next_iteration)));
           })
      .def("add_copy", &AddCopy)
      .def("bodies", &BodiesOf)
      .def("call_kind", &CallKindAt)
      .def("make_body", [](Graph* graph) { return new Graph(graph->functions()); },
           nb::rv_policy::take_ownership, nb::keep_alive<0, 1>())
      .def("encode_as_function", &EncodeAsFunction)
      .def("add_functions",
           [](Graph* graph, nb::bytes library) {
             ThrowIfError(graph->functions()->Add({library.c_str(), library.size()}));
           })
      .def("functions", [](const Graph& graph) { return nb::cast(graph.functions()->Names()); })
      .def("written_out", &WrittenOut)
      .def("write_out",
           [](Graph* graph, int64_t id, nb::sequence values, int64_t done) {
             ThrowIfError(graph->WriteOut(NodeAt(*graph, id), EndpointsAt(*graph, values),
                                          NodeAt(*graph, done)));
           })
      .def("add_control_edge", [](Graph* graph, int64_t from, int64_t to) {
        ThrowIfError(graph->AddControlEdge(NodeAt(*graph, from), NodeAt(*graph, to)));
      });
}

}  // namespace python
}  // namespace tfbuild
