#include "graph/function_library.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/stack_room.h"
#include "graph/attr_wire.h"
#include "graph/function_def.h"
#include "graph/wire_format.h"

namespace tfbuild {
namespace {

// Functions that call each other in a row; each is a few frames of this program's stack.
constexpr size_t kMaxNesting = 100;

// What an attribute of the node names.
Result<FunctionAttr> FunctionIn(const Node& node, const char* attr) {
  return node.Attr<FunctionAttr>(attr);
}

std::string TypeList(const std::vector<DType>& types) {
  std::vector<std::string> names;
  for (const DType type : types) names.push_back(DTypeName(type));
  return StrCat("(", StrJoin(names, ", "), ")");
}

// The function takes the inputs of the node from `first_input` on, and gives `results`.
Status CheckTypes(const Node& call, const FunctionBody& body, size_t first_input,
                  const std::vector<DType>& results) {
  std::vector<DType> given;
  for (size_t i = first_input; i < call.inputs().size(); ++i) {
    given.push_back(call.inputs()[i].dtype());
  }
  std::vector<DType> taken;
  for (const Node* argument : body.arguments) taken.push_back(argument->output(0).dtype);
  if (given != taken) {
    return InvalidArgument("function '", body.name, "' takes ", TypeList(taken), ", but '",
                           call.name(), "' gives it ", TypeList(given));
  }
  std::vector<DType> made;
  for (const Endpoint& result : body.results) made.push_back(result.dtype());
  if (made != results) {
    return InvalidArgument("function '", body.name, "' gives ", TypeList(made), ", but '",
                           call.name(), "' has ", TypeList(results));
  }
  return OkStatus();
}

Status CheckCondition(const Node& loop, const FunctionBody& cond) {
  const std::vector<DType> result =
      cond.results.size() == 1 ? std::vector<DType>{cond.results[0].dtype()}
                               : std::vector<DType>{DType::kBool};
  return CheckTypes(loop, cond, 0, result);
}

}  // namespace

bool HasEffect(const Node& node) {
  static const auto* harmless = new std::unordered_set<std::string>{
      "VarHandleOp", "ReadVariableOp", "VariableShape", "VarIsInitializedOp"};
  return node.op().is_stateful && harmless->count(node.op().name) == 0;
}

std::vector<Node*> FunctionBody::EffectNodes() const {
  std::vector<Node*> effects = control_results;
  for (const auto& node : graph.nodes()) {
    const bool listed = std::find(effects.begin(), effects.end(), node.get()) != effects.end();
    if (HasEffect(*node) && !listed) effects.push_back(node.get());
  }
  return effects;
}

CallKind CallKindOf(const Node& node) {
  if (node.op().is_function) return CallKind::kCall;
  static const auto* kinds = new std::unordered_map<std::string, CallKind>{
      {"PartitionedCall", CallKind::kCall}, {"StatefulPartitionedCall", CallKind::kCall},
      {"If", CallKind::kIf},                {"StatelessIf", CallKind::kIf},
      {"Case", CallKind::kCase},            {"StatelessCase", CallKind::kCase},
      {"While", CallKind::kWhile},          {"StatelessWhile", CallKind::kWhile},
  };
  const auto found = kinds->find(node.op().name);
  return found == kinds->end() ? CallKind::kNone : found->second;
}

Status FunctionLibrary::Add(std::string_view library) {
  // A session that runs may look for functions meanwhile.
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  WireReader reader(library);
  while (!reader.done()) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number == 2) {
      std::string names[2];
      WireReader pair(field.bytes);
      while (!pair.done()) {
        ASSIGN_OR_RETURN(const WireField part, pair.Next());
        if (part.number != 1 && part.number != 2) continue;
        RETURN_IF_ERROR(ReadText(part, &names[part.number - 1]));
      }
      gradients_[names[0]] = names[1];
    }
    if (field.number != 1) continue;
    auto function = std::make_unique<Function>();
    function->encoded = std::string(field.bytes);
    WireReader parts(field.bytes);
    while (!parts.done()) {
      ASSIGN_OR_RETURN(const WireField part, parts.Next());
      if (part.number != 1) continue;
      WireReader signature(part.bytes);
      while (!signature.done()) {
        ASSIGN_OR_RETURN(const WireField word, signature.Next());
        if (word.number == 1) RETURN_IF_ERROR(ReadText(word, &function->name));
      }
    }
    if (function->name.empty()) return DataLoss("a function of the library has no name");
    const auto known = by_name_.find(function->name);
    if (known == by_name_.end()) {
      by_name_[function->name] = function.get();
      functions_.push_back(std::move(function));
    } else if (known->second->encoded != function->encoded) {
      return InvalidArgument("cannot add function '", function->name,
                             "': another one of that name is in the graph");
    }
  }
  return OkStatus();
}

std::string FunctionLibrary::Serialize() const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  WireWriter writer;
  for (const auto& function : functions_) writer.Bytes(1, function->encoded);
  for (const auto& [function, gradient] : gradients_) {
    WireWriter pair;
    pair.Bytes(1, function);
    pair.Bytes(2, gradient);
    writer.Bytes(2, pair.Take());
  }
  return writer.Take();
}

bool FunctionLibrary::Has(const std::string& name) const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  return by_name_.count(name) > 0;
}

std::vector<std::string> FunctionLibrary::Names() const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  std::vector<std::string> names;
  for (const auto& function : functions_) names.push_back(function->name);
  return names;
}

const OpDef* FunctionLibrary::FindOp(const std::string& name) const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return nullptr;
  const Function& function = *found->second;
  if (function.op == nullptr) {
    Result<OpDef> op = ParseSignature(function.encoded);
    if (!op.ok()) return nullptr;
    function.op = std::make_unique<OpDef>(*std::move(op));
  }
  return function.op.get();
}

Result<const FunctionBody*> FunctionLibrary::Instantiate(const FunctionAttr& function) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  Result<const FunctionBody*> body = InstantiateLocked(function);
  if (!body.ok()) return body.status().Annotate(StrCat("function '", function.name, "'"));
  return body;
}

Result<const FunctionBody*> FunctionLibrary::InstantiateLocked(const FunctionAttr& function) {
  const auto found = by_name_.find(function.name);
  if (found == by_name_.end()) return NotFound("it is not in the graph's library");
  const std::string key = StrCat(function.name, "|", function.encoded);
  const auto made = bodies_.find(key);
  if (made != bodies_.end()) return made->second.body.get();
  if (std::find(being_made_.begin(), being_made_.end(), function.name) != being_made_.end()) {
    return InvalidArgument("it calls itself (", StrJoin(being_made_, " -> "), " -> ", function.name,
                           "); recursive functions are not supported");
  }
  RETURN_IF_ERROR(CheckStackRoom());
  if (being_made_.size() >= kMaxNesting) {
    return InvalidArgument("more than ", kMaxNesting, " functions call each other in a row");
  }
  ASSIGN_OR_RETURN(const AttrMap attrs, AttrsOfCall(function));
  being_made_.push_back(function.name);
  Result<std::unique_ptr<FunctionBody>> body = Make(*found->second, attrs);
  being_made_.pop_back();
  RETURN_IF_ERROR(body.status());
  return (bodies_[key] = {*std::move(body), functions_.size()}).body.get();
}

Result<std::unique_ptr<FunctionBody>> FunctionLibrary::Make(const Function& function,
                                                            const AttrMap& attrs) {
  ASSIGN_OR_RETURN(const FunctionDef def, ParseFunctionDef(function.encoded));
  AttrMap values = attrs;
  for (const AttrDef& attr : def.signature.attrs) {
    if (attr.default_value) values.emplace(attr.name, *attr.default_value);
  }
  ASSIGN_OR_RETURN(FunctionNodes nodes, FunctionAsNodes(def, values, *this));
  auto body = std::make_unique<FunctionBody>(this);
  body->name = function.name;
  RETURN_IF_ERROR(ImportGraphDef(std::move(nodes.graph_def), {}, &body->graph).status());
  for (const std::string& name : nodes.arguments) {
    body->arguments.push_back(body->graph.FindNode(name));
  }
  for (const auto& [name, output] : nodes.results) {
    Node* node = body->graph.FindNode(name);
    if (node == nullptr || output >= node->num_outputs()) {
      return InvalidArgument("a result is output ", output, " of '", name, "', which has no such");
    }
    body->results.push_back({node, output});
  }
  for (const std::string& name : nodes.control_results) {
    Node* node = body->graph.FindNode(name);
    if (node == nullptr) return InvalidArgument("'", name, "' is not in the function");
    body->control_results.push_back(node);
  }
  return body;
}

Result<std::vector<const FunctionBody*>> FunctionLibrary::BodiesOf(const Node& call) {
  const CallKind kind = CallKindOf(call);
  std::vector<FunctionAttr> functions;
  if (kind == CallKind::kCall && call.op().is_function) {
    FunctionAttr function = FunctionNamed(call.op().name);
    function.encoded += SerializeAttrs(2, call.attrs());
    functions.push_back(std::move(function));
  } else if (kind == CallKind::kCall) {
    ASSIGN_OR_RETURN(functions.emplace_back(), FunctionIn(call, "f"));
  } else if (kind == CallKind::kIf) {
    ASSIGN_OR_RETURN(functions.emplace_back(), FunctionIn(call, "then_branch"));
    ASSIGN_OR_RETURN(functions.emplace_back(), FunctionIn(call, "else_branch"));
  } else if (kind == CallKind::kWhile) {
    ASSIGN_OR_RETURN(functions.emplace_back(), FunctionIn(call, "cond"));
    ASSIGN_OR_RETURN(functions.emplace_back(), FunctionIn(call, "body"));
  } else if (kind == CallKind::kCase) {
    ASSIGN_OR_RETURN(functions, call.Attr<std::vector<FunctionAttr>>("branches"));
  }
  std::vector<DType> outputs;
  for (int i = 0; i < call.num_outputs(); ++i) outputs.push_back(call.output(i).dtype);
  std::vector<const FunctionBody*> bodies;
  for (const FunctionAttr& function : functions) {
    ASSIGN_OR_RETURN(const FunctionBody* body, Instantiate(function));
    if (kind == CallKind::kWhile && bodies.empty()) {
      RETURN_IF_ERROR(CheckCondition(call, *body));
    } else {
      const bool chooses = kind == CallKind::kIf || kind == CallKind::kCase;
      RETURN_IF_ERROR(CheckTypes(call, *body, chooses ? 1 : 0, outputs));
    }
    bodies.push_back(body);
  }
  return bodies;
}

size_t FunctionLibrary::size() const {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  return functions_.size();
}

void FunctionLibrary::Truncate(size_t size) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  for (auto made = bodies_.begin(); made != bodies_.end();) {
    made = made->second.library_size > size ? bodies_.erase(made) : std::next(made);
  }
  while (functions_.size() > size) {
    by_name_.erase(functions_.back()->name);
    gradients_.erase(functions_.back()->name);
    functions_.pop_back();
  }
}

}  // namespace tfbuild
