// If, Case and While as Switch and Merge, and as loops of Enter, Merge, Switch, NextIteration, Exit.
#include <algorithm>

#include "passes/inliner.h"

namespace tfbuild {

Result<PlanValue> Inliner::AsBool(PlanValue value, const Place& place) {
  const DType dtype = value.type().dtype;
  const PartialShape& shape = value.type().shape;
  if (dtype == DType::kBool && (!shape.known_rank() || shape.rank() == 0)) return value;
  ASSIGN_OR_RETURN(PlanNode * node, Add("ToBool", "condition", {value}, {}, place));
  return PlanValue{node, 0};
}

Result<Inliner::Written> Inliner::WriteIf(PlanValue pred, const std::vector<PlanValue>& arguments,
                                          const Place& place, const Branch& then_branch,
                                          const Branch& else_branch) {
  ASSIGN_OR_RETURN(pred, AsBool(pred, place));
  // A predicate that is known has nothing else to tie the branches to where the If is.
  if (IsFree(pred)) {
    ASSIGN_OR_RETURN(pred, Behind(pred, {}, "pred", place));
  }
  ASSIGN_OR_RETURN(PlanNode * pivots, Add("Switch", "switch", {pred, pred}, {}, place));
  std::vector<PlanNode*> switches;
  for (const PlanValue& argument : arguments) {
    ASSIGN_OR_RETURN(switches.emplace_back(), Add("Switch", "argument", {argument, pred}, {}, place));
  }
  Written branches[2];
  Written written;
  for (const int taken : {0, 1}) {
    const std::string name = taken == 1 ? "then" : "else";
    ASSIGN_OR_RETURN(PlanNode * pivot, Add("Identity", name, {{pivots, taken}}, {}, place));
    const Place inside{StrCat(place.prefix, name, "/"), place.device, pivot};
    std::vector<PlanValue> values;
    for (PlanNode* both : switches) values.push_back({both, taken});
    ASSIGN_OR_RETURN(branches[taken], (taken == 1 ? then_branch : else_branch)(values, inside));
    // What is the same in both branches must be dead in the one that is not taken.
    for (PlanValue& result : branches[taken].results) {
      if (!IsFree(result)) continue;
      ASSIGN_OR_RETURN(result, Behind(result, {pivot}, "result", inside));
    }
    written.acts = written.acts || branches[taken].acts;
    branches[taken].effects.push_back(pivot);
  }
  for (size_t i = 0; i < branches[0].results.size(); ++i) {
    ASSIGN_OR_RETURN(PlanNode * merge, Add("Merge", "merge", {branches[0].results[i],
                                                              branches[1].results[i]}, {}, place));
    written.results.push_back({merge, 0});
  }
  if (!written.acts && !written.results.empty()) return written;
  std::vector<PlanValue> ends;
  for (const int taken : {0, 1}) {
    PlanNode* pivot = branches[taken].effects.back();
    branches[taken].effects.pop_back();
    ASSIGN_OR_RETURN(ends.emplace_back(), Behind({pivot, 0}, branches[taken].effects, "end", place));
  }
  ASSIGN_OR_RETURN(PlanNode * end, Add("Merge", "ends", ends, {}, place));
  written.effects = {end};
  return written;
}

// Whether the index of a Case is less than `limit`.
Result<PlanValue> Inliner::IsBelow(const PlanValue& index, size_t limit, const Place& place) {
  const Tensor number = Tensor::Scalar<int32_t>(static_cast<int32_t>(limit));
  ASSIGN_OR_RETURN(PlanNode * constant, Add("Const", "number", {},
                                            {{"value", number}, {"dtype", DType::kInt32}}, place));
  ASSIGN_OR_RETURN(PlanNode * less, Add("Less", "is_below", {index, {constant, 0}}, {}, place));
  if (IsFree(index) && place.gate != nullptr) less->control_inputs.push_back(place.gate);
  return PlanValue{less, 0};
}

// The branch of the index; the last one where there is none of that number. What is below 0 is found
// out before the rest.
Result<Inliner::Written> Inliner::WriteCase(const Call& call, const Bodies& bodies,
                                            const Place& place) {
  const std::vector<PlanValue> arguments(call.inputs.begin() + 1, call.inputs.end());
  if (bodies.size() == 1) return WriteBody(*bodies[0], arguments, place);
  std::vector<PlanValue> values = arguments;
  values.push_back(call.inputs[0]);  // the index goes into the branches with the arguments
  ASSIGN_OR_RETURN(const PlanValue below, IsBelow(call.inputs[0], 0, place));
  return WriteIf(
      below, values, place,
      [&](const std::vector<PlanValue>& inside, const Place& there) {
        return WriteBody(*bodies.back(), {inside.begin(), inside.end() - 1}, there);
      },
      [&](const std::vector<PlanValue>& inside, const Place& there) {
        return WriteBranches(bodies, 0, bodies.size(), inside, there);
      });
}

// That one of the bodies from `first` to `end` whose number is the last of the values. Each question
// leaves half of them, so that the branches are not as deep as they are many.
Result<Inliner::Written> Inliner::WriteBranches(const Bodies& bodies, size_t first, size_t end,
                                                const std::vector<PlanValue>& values,
                                                const Place& place) {
  if (end - first == 1) {
    return WriteBody(*bodies[first], {values.begin(), values.end() - 1}, place);
  }
  const size_t middle = first + (end - first) / 2;
  ASSIGN_OR_RETURN(const PlanValue below, IsBelow(values.back(), middle, place));
  return WriteIf(
      below, values, place,
      [&](const std::vector<PlanValue>& inside, const Place& there) {
        return WriteBranches(bodies, first, middle, inside, there);
      },
      [&](const std::vector<PlanValue>& inside, const Place& there) {
        return WriteBranches(bodies, middle, end, inside, there);
      });
}

namespace {

// Whether all shapes that fit `narrow` fit `wide`.
bool Covers(const PartialShape& wide, const PartialShape& narrow) {
  if (!wide.known_rank()) return true;
  if (wide.rank() != narrow.rank()) return false;
  for (int i = 0; i < wide.rank(); ++i) {
    if (wide.dim(i) != kUnknownDim && wide.dim(i) != narrow.dim(i)) return false;
  }
  return true;
}

// The arguments that the body gives back as they are, so that they are the same in each iteration.
std::vector<bool> Invariants(const FunctionBody& body) {
  std::vector<bool> same;
  for (size_t i = 0; i < body.arguments.size(); ++i) {
    const Endpoint* result = &body.results[i];
    while (result->node->op().name == "Identity" && result->node->control_inputs().empty()) {
      result = &result->node->input(0);
    }
    same.push_back(result->node == body.arguments[i]);
  }
  // Without a variable there would be no loop.
  if (std::find(same.begin(), same.end(), false) == same.end() && !same.empty()) same[0] = false;
  return same;
}

// What holds of the variables' shapes in each iteration, as far as the node says so.
std::vector<PartialShape> StatedShapes(const Node& loop, const std::vector<PlanValue>& inputs) {
  const auto stated = loop.Attr<std::vector<PartialShape>>("output_shapes");
  std::vector<PartialShape> shapes(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!stated.ok() || stated->size() != inputs.size()) continue;
    if (Covers((*stated)[i], inputs[i].type().shape)) shapes[i] = (*stated)[i];
  }
  return shapes;
}

}  // namespace

Result<Inliner::Written> Inliner::WriteWhile(const Call& call, const FunctionBody& cond,
                                             const FunctionBody& body, const Place& place) {
  if (call.inputs.empty()) return Unimplemented("a While without loop variables");
  ASSIGN_OR_RETURN(const int64_t parallel, call.def->Attr<int64_t>("parallel_iterations"));
  const std::vector<bool> invariant = Invariants(body);
  std::vector<PartialShape> shapes = StatedShapes(*call.def, call.inputs);
  // A second time with less said of the shapes, where the body does not keep what was said.
  while (true) {
    Written written;
    std::vector<PlanNode*> merges;
    std::vector<PlanNode*> switches;
    std::vector<PlanValue> values;  // as they are before the condition
    std::vector<PlanNode*> waits;
    if (place.gate != nullptr) waits.push_back(place.gate);
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      AttrMap attrs{{"frame_name", place.prefix + "frame"}, {"parallel_iterations", parallel},
                    {"is_constant", bool{invariant[i]}}};
      if (!invariant[i]) attrs["_shape_invariant"] = shapes[i];
      const bool wait = IsFree(call.inputs[i]) || i == 0;
      ASSIGN_OR_RETURN(PlanNode * enter, Add("Enter", "enter", {call.inputs[i]}, std::move(attrs),
                                             place, wait ? waits : std::vector<PlanNode*>()));
      values.push_back({enter, 0});
      if (invariant[i]) continue;
      ASSIGN_OR_RETURN(merges.emplace_back(),
                       Add("Merge", "merge", {{enter, 0}, {enter, 0}},
                           {{"_shape_invariant", shapes[i]}}, place));
      values.back() = {merges.back(), 0};
    }
    ASSIGN_OR_RETURN(PlanNode * begin, Add("NoOp", "iteration", {}, {}, place, {merges[0]}));
    const Place in_cond{place.prefix + "cond/", place.device, begin};
    ASSIGN_OR_RETURN(Written condition, WriteBody(cond, values, in_cond));
    if (condition.results.size() != 1) return InvalidArgument("the condition of a While has ",
                                                              condition.results.size(), " results");
    ASSIGN_OR_RETURN(PlanValue go_on, AsBool(condition.results[0], in_cond));
    if (IsFree(go_on)) condition.effects.push_back(begin);
    ASSIGN_OR_RETURN(PlanNode * loop_cond, Add("LoopCond", "loop_cond", {go_on}, {}, place,
                                               condition.effects));
    PlanNode* pivot = nullptr;
    for (size_t i = 0; i < values.size(); ++i) {
      if (invariant[i]) continue;
      ASSIGN_OR_RETURN(switches.emplace_back(), Add("Switch", "switch", {values[i], {loop_cond, 0}},
                                                    {}, place));
      ASSIGN_OR_RETURN(PlanNode * inside, Add("Identity", "variable", {{switches.back(), 1}}, {},
                                              place));
      values[i] = {inside, 0};
      if (pivot == nullptr) pivot = inside;
    }
    const Place in_body{place.prefix + "body/", place.device, pivot};
    ASSIGN_OR_RETURN(Written step, WriteBody(body, values, in_body));
    bool kept = true;
    size_t variable = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (invariant[i]) {
        ASSIGN_OR_RETURN(written.results.emplace_back(), Behind(call.inputs[i], {}, "same", place));
        continue;
      }
      if (!Covers(shapes[i], step.results[i].type().shape)) {
        shapes[i] = PartialShape();
        kept = false;
      }
      std::vector<PlanNode*> effects = step.effects;
      if (IsFree(step.results[i])) effects.push_back(pivot);
      ASSIGN_OR_RETURN(PlanNode * next, Add("NextIteration", "next", {step.results[i]}, {}, place,
                                            std::move(effects)));
      merges[variable]->inputs[1] = {next, 0};
      ASSIGN_OR_RETURN(PlanNode * exit, Add("Exit", "exit", {{switches[variable], 0}}, {}, place));
      written.results.push_back({exit, 0});
      ++variable;
    }
    if (!kept) continue;
    for (size_t i = 0; i < invariant.size(); ++i) {
      if (!invariant[i]) written.effects.push_back(written.results[i].node);
    }
    written.acts = step.acts || condition.acts;
    return written;
  }
}

}  // namespace tfbuild
