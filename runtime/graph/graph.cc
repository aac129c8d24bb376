#include "graph/graph.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "base/c_locale.h"
#include "graph/function_library.h"
#include "graph/node_builder.h"
#include "graph/shape_context.h"

namespace tfbuild {
namespace {

// How many kinds of attributes are kept for each op.
constexpr size_t kLatestAttrs = 4;

// TensorFlow's rule for names of operations: a letter, digit or dot, then also _ / > - and \.
bool ValidName(const std::string& name) {
  const auto word = [](char c) { return IsAlphanumeric(c) || c == '.'; };
  const auto rest = [&](char c) {
    return word(c) || c == '_' || c == '/' || c == '-' || c == '>' || c == '\\';
  };
  const bool starts_well = !name.empty() && (word(name[0]) || name[0] == '_');
  return starts_well && std::all_of(name.begin(), name.end(), rest);
}

Status RunShapeFunction(const Node* node, std::vector<PartialShape>* shapes) {
  ShapeContext context(node);
  if (node->op().shape_fn != nullptr) RETURN_IF_ERROR(node->op().shape_fn(&context));
  *shapes = context.outputs();
  return OkStatus();
}

// Whether `node` is `other` or needs it, but for what comes round a loop.
bool Needs(const Node* node, const Node* other) {
  std::unordered_set<const Node*> seen{node};
  std::vector<const Node*> open{node};
  while (!open.empty()) {
    const Node* next = open.back();
    open.pop_back();
    if (next == other) return true;
    for (const Endpoint& input : next->inputs()) {
      if (!ClosesLoop(input, *next) && seen.insert(input.node).second) open.push_back(input.node);
    }
    for (const Node* control : next->control_inputs()) {
      if (seen.insert(control).second) open.push_back(control);
    }
  }
  return false;
}

// Whether all shapes that fit `narrow` fit `wide`.
bool Covers(const PartialShape& wide, const PartialShape& narrow) {
  if (!wide.known_rank()) return true;
  if (wide.rank() != narrow.rank()) return false;
  for (int i = 0; i < wide.rank(); ++i) {
    if (wide.dim(i) != kUnknownDim && wide.dim(i) != narrow.dim(i)) return false;
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<Node>> MakeNode(NodeSpec spec, const FunctionLibrary* functions) {
  const std::string where = StrCat("{{node ", spec.name, "}} = ", spec.op);
  NodeBuilder builder(std::move(spec), functions);
  const Status built = builder.Build();
  if (!built.ok()) return built.Annotate(where);
  std::unique_ptr<Node> node = builder.TakeNode();
  std::vector<PartialShape> shapes;
  const Status shaped = RunShapeFunction(node.get(), &shapes);
  if (!shaped.ok()) return shaped.Annotate(where);
  for (size_t i = 0; i < shapes.size(); ++i) node->outputs_[i].shape = std::move(shapes[i]);
  return node;
}

Graph::Graph()
    : own_functions_(std::make_unique<FunctionLibrary>()), functions_(own_functions_.get()) {}

Graph::Graph(FunctionLibrary* functions) : functions_(functions) {}

Graph::~Graph() = default;

Result<Node*> Graph::AddNode(NodeSpec spec) {
  if (!ValidName(spec.name)) return InvalidArgument("'", spec.name, "' is not a valid node name");
  if (by_name_.count(spec.name) > 0) {
    return AlreadyExists("the graph already has a node named '", spec.name, "'");
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Node> node, MakeNode(std::move(spec), functions_));
  ShareAttrs(node.get());
  node->id_ = num_nodes();
  nodes_.push_back(std::move(node));
  Node* added = nodes_.back().get();
  by_name_[added->name_] = added;
  return added;
}

void Graph::ShareAttrs(Node* node) {
  std::vector<std::shared_ptr<const AttrMap>>& latest = latest_attrs_[node->op_];
  auto found = std::find_if(latest.begin(), latest.end(), [node](const auto& attrs) {
    return AreSame(*attrs, *node->attrs_);
  });
  if (found == latest.end()) {
    if (latest.size() < kLatestAttrs) latest.emplace_back();
    found = std::prev(latest.end());
    *found = std::move(node->attrs_);
  }
  node->attrs_ = *found;
  std::rotate(latest.begin(), found, std::next(found));  // the latest first
}

std::vector<Node*> Graph::ReadersOf(const Endpoint& value) {
  for (; num_indexed_ < num_nodes(); ++num_indexed_) {
    Node* const reader = node(num_indexed_);
    for (const Endpoint& input : reader->inputs()) {
      std::vector<Node*>& readers = readers_[input];
      if (readers.empty() || readers.back() != reader) readers.push_back(reader);
    }
  }
  const auto found = readers_.find(value);
  return found == readers_.end() ? std::vector<Node*>() : found->second;
}

Node* Graph::FindNode(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

void Graph::MoveReader(Node* reader, const Endpoint& from, const Endpoint& to) {
  const auto place_in = [reader](std::vector<Node*>& readers) {
    return std::lower_bound(readers.begin(), readers.end(), reader,
                            [](const Node* a, const Node* b) { return a->id() < b->id(); });
  };
  const std::vector<Endpoint>& inputs = reader->inputs();
  std::vector<Node*>& before = readers_[from];
  if (std::find(inputs.begin(), inputs.end(), from) == inputs.end()) before.erase(place_in(before));
  std::vector<Node*>& now = readers_[to];
  const auto place = place_in(now);
  if (place == now.end() || *place != reader) now.insert(place, reader);
}

Status Graph::RefineShape(const Endpoint& endpoint, const PartialShape& shape) {
  Node::Output& output = endpoint.node->outputs_[static_cast<size_t>(endpoint.index)];
  ASSIGN_OR_RETURN(PartialShape merged, output.shape.MergeWith(shape));
  if (merged == output.shape) return OkStatus();
  output.shape = std::move(merged);
  ++version_;
  return OkStatus();
}

void Graph::Truncate(int num_nodes) {
  readers_.clear();
  num_indexed_ = 0;
  while (this->num_nodes() > num_nodes) {
    by_name_.erase(nodes_.back()->name());
    written_out_.erase(nodes_.back().get());
    nodes_.pop_back();
    ++version_;
  }
}

Status Graph::AddControlEdge(Node* from, Node* to) {
  if (from->id() >= to->id() && Needs(from, to)) {
    return InvalidArgument("a control edge from '", from->name(), "' to '", to->name(),
                           "', which it needs, would close a cycle");
  }
  to->control_inputs_.push_back(from);
  ++version_;
  return OkStatus();
}

Status Graph::CloseLoop(Node* merge, int index, Node* next_iteration) {
  const std::string& op = merge->op().name;
  const std::string& source = next_iteration->op().name;
  if ((op != "Merge" && op != "RefMerge") ||
      (source != "NextIteration" && source != "RefNextIteration")) {
    return InvalidArgument("only an edge from a NextIteration to a Merge may close a loop, not one "
                           "from '", next_iteration->name(), "' to '", merge->name(), "'");
  }
  if (index < 0 || static_cast<size_t>(index) >= merge->inputs().size()) {
    return InvalidArgument("'", merge->name(), "' has no input ", index);
  }
  const Endpoint closing{next_iteration, 0};
  if (closing.dtype() != merge->output(0).dtype) {
    return InvalidArgument("'", next_iteration->name(), "' gives ", DTypeName(closing.dtype()),
                           " to '", merge->name(), "', which merges ",
                           DTypeName(merge->output(0).dtype));
  }
  const PartialShape& invariant = merge->output(0).shape;
  if (!Covers(invariant, closing.shape())) {
    return InvalidArgument("'", merge->name(), "' has shape ", invariant, " in each iteration, but '",
                           next_iteration->name(), "' gives it shape ", closing.shape());
  }
  const Endpoint before = merge->input(index);
  merge->inputs_[static_cast<size_t>(index)] = closing;
  if (merge->id() < num_indexed_) MoveReader(merge, before, closing);
  ++version_;
  return OkStatus();
}

Status Graph::WriteOut(Node* call, std::vector<Endpoint> values, Node* done) {
  if (values.size() != static_cast<size_t>(call->num_outputs())) {
    return InvalidArgument("'", call->name(), "' has ", call->num_outputs(), " outputs, not ",
                           values.size());
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const DType wanted = call->output(static_cast<int>(i)).dtype;
    if (values[i].dtype() == wanted && !Needs(values[i].node, call)) continue;
    return InvalidArgument("'", values[i].node->name(), "' cannot stand for output ", i, " of '",
                           call->name(), "'");
  }
  if (!written_out_.emplace(call, WrittenOut{std::move(values), done}).second) {
    return AlreadyExists("'", call->name(), "' is written out already");
  }
  ++version_;
  return OkStatus();
}

const Graph::WrittenOut* Graph::FindWrittenOut(const Node* node) const {
  const auto found = written_out_.find(node);
  return found == written_out_.end() ? nullptr : &found->second;
}

}  // namespace tfbuild
