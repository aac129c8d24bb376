// Optimisers in work that is captured and queued again, whatever becomes of their variables between steps.
#include "emulation/gpu_steps_test.h"

namespace tfbuild {
namespace testing {
namespace {

constexpr int64_t kSide = 6;
constexpr int kLayers = 5;
const char kSums[] = "sums of numbers of both signs";

// Some matrices that each step changes by what it is fed, with a slot each, on one device.
class Training {
 public:
  Training(std::string device, std::string optimizer, bool handles)
      : device_(std::move(device)), optimizer_(std::move(optimizer)), handles_(handles) {
    x = graph.Placeholder("x", DType::kFloat);
    rate = graph.Placeholder("rate", DType::kFloat, PartialShape(std::vector<int64_t>{}));
    for (int i = 0; i < kLayers; ++i) AddLayer(i);
    for (int i = 0; i < kLayers; ++i) AddUpdate(i);  // behind all gradients, as programs do
    EXPECT_OK(RunOnce(&session, {}, inits));
  }

  Status Step(int number, double at_rate = 0.25) {
    return RunOnce(&session, {}, updates, {{x, 0}, {rate, 0}}, Fed(number, at_rate)).status();
  }
  // What variable i holds.
  Tensor Value(int i) {
    const auto results = RunOnce(&session, {values[static_cast<size_t>(i)]});
    EXPECT_OK(results);
    return results.ok() ? (*results)[0] : Tensor();
  }
  int64_t replays() {
    return (*session.MakeCallable({{x, 0}, {rate, 0}}, {}, updates))->replays();
  }
  const std::string& device() const { return device_; }
  Node* Const(const std::string& name, const Tensor& value) { return graph.Const(name, value); }
  Node* Assign(const std::string& name, Node* variable, Endpoint value) {
    return graph.Op(name, handles_ ? "AssignVariableOp" : "Assign", {{variable, 0}, value}, device_,
                    handles_ ? AttrMap{{"dtype", DType::kFloat}} : AttrMap{});
  }

  TestGraph graph;
  Node* x;
  Node* rate;
  std::vector<Node*> variables, slots, inits, updates;
  std::vector<Endpoint> values;
  DirectSession session{&graph.graph, {}};

 private:
  static std::vector<Tensor> Fed(int number, double at_rate) {
    return {Numbers({kSide, kSide}, static_cast<uint64_t>(number)), MakeTensor<float>({}, {at_rate})};
  }

  Node* Variable(const std::string& name, const Tensor& first) {
    const PartialShape shape{kSide, kSide};
    Node* made = handles_ ? graph.Op(name, "VarHandleOp", {}, device_,
                                     {{"dtype", DType::kFloat}, {"shape", shape},
                                      {"shared_name", name}, {"container", std::string()}})
                          : graph.Op(name, "VariableV2", {}, device_,
                                     {{"dtype", DType::kFloat}, {"shape", shape}});
    inits.push_back(Assign(name + "/init", made, {Const(name + "/first", first), 0}));
    return made;
  }

  void AddLayer(int i) {
    const auto name = [i](const char* what) { return StrCat(what, i); };
    Node* variable = Variable(name("w"), Numbers({kSide, kSide}, static_cast<uint64_t>(100 + i)));
    variables.push_back(variable);
    values.push_back(handles_ ? Endpoint{graph.Op(name("read"), "ReadVariableOp", {{variable, 0}},
                                                  device_, {{"dtype", DType::kFloat}}), 0}
                              : Endpoint{variable, 0});
    Node* product = graph.Op(name("product"), "MatMul", {{x, 0}, values.back()}, device_);
    gradients_.push_back(graph.Op(name("gradient"), "Softmax", {{product, 0}}, device_));
  }

  void AddUpdate(int i) {
    const auto name = [i](const char* what) { return StrCat(what, i); };
    std::vector<Endpoint> inputs = {{variables[static_cast<size_t>(i)], 0}};
    if (optimizer_ == "Momentum") {
      slots.push_back(Variable(name("slot"), Numbers({kSide, kSide}, static_cast<uint64_t>(i))));
      inputs.push_back({slots.back(), 0});
    }
    inputs.push_back({rate, 0});
    inputs.push_back({gradients_[static_cast<size_t>(i)], 0});
    if (optimizer_ == "Momentum") {
      inputs.push_back({Const(name("momentum"), MakeTensor<float>({}, {0.5})), 0});
    }
    updates.push_back(graph.Op(name("update"), (handles_ ? "ResourceApply" : "Apply") + optimizer_,
                               inputs, device_));
  }

  std::vector<Node*> gradients_;
  const std::string device_;
  const std::string optimizer_;
  const bool handles_;
};

// The same on the CPU and on a GPU.
struct Both {
  explicit Both(const std::string& optimizer = "GradientDescent", bool handles = false)
      : cpu("/cpu:0", optimizer, handles), gpu("/gpu:0", optimizer, handles) {}

  void Step(int number, double rate = 0.25) {
    EXPECT_OK(cpu.Step(number, rate));
    EXPECT_OK(gpu.Step(number, rate));
  }
  void Compare() {
    for (int i = 0; i < kLayers; ++i) ExpectClose(gpu.Value(i), cpu.Value(i), Slack(1e-4, kSums));
  }
  Training cpu, gpu;
};

// More replays than steps: the optimisers are queued again, and what comes before them is.
TEST(Steps, OptimisersAreQueuedAgain) {
  SKIP_WITHOUT_GPU();
  for (const char* optimizer : {"GradientDescent", "Momentum"}) {
    for (const bool handles : {false, true}) {
      Both both(optimizer, handles);
      for (int i = 0; i < 14; ++i) both.Step(i);
      both.Compare();
      // Where reads are ops of their own they part the work before, whose results then move in memory.
      EXPECT_TRUE(both.gpu.replays() > (handles ? 2 : 16) || !HasPool());
    }
  }
}

TEST(Steps, ARateOfTheStepCounts) {
  SKIP_WITHOUT_GPU();
  Both both("Momentum");
  for (int i = 0; i < 14; ++i) both.Step(i, i % 3 == 0 ? 0.5 : 0.125 * i);
  both.Compare();
}

// A slot whose memory another variable has got a share of lies elsewhere from then on; the work before the
// optimisers does not read it, and so goes on.
TEST(Steps, AVariableThatHasMovedIsUpdatedWhereItLies) {
  SKIP_WITHOUT_GPU();
  Both both("Momentum");
  std::vector<Node*> assigned;
  for (Training* each : {&both.cpu, &both.gpu}) {
    Node* older = each->graph.Op("older", "VariableV2", {}, each->device(),
                                 {{"dtype", DType::kFloat}, {"shape", PartialShape{kSide, kSide}}});
    assigned.push_back(each->Assign("keep", older, {each->slots[2], 0}));
  }
  for (int i = 0; i < 24; ++i) {
    if (i % 8 == 7) {
      EXPECT_OK(RunOnce(&both.cpu.session, {}, {assigned[0]}));
      EXPECT_OK(RunOnce(&both.gpu.session, {}, {assigned[1]}));
    }
    both.Step(i);
    if (i % 8 == 7) both.Compare();
  }
  both.Compare();
  EXPECT_TRUE(both.gpu.replays() > 8 || !HasPool());
}

// Who has read a variable keeps what it held.
TEST(Steps, WhatWasReadOfAVariableStays) {
  SKIP_WITHOUT_GPU();
  Training gpu("/gpu:0", "GradientDescent", false);
  Node* older = gpu.graph.Op("older", "VariableV2", {}, "/gpu:0",
                             {{"dtype", DType::kFloat}, {"shape", PartialShape{kSide, kSide}}});
  Node* keep = gpu.Assign("keep", older, {gpu.variables[1], 0});
  Tensor expected;
  for (int i = 0; i < 40; ++i) {
    if (i % 12 == 11) {
      EXPECT_OK(RunOnce(&gpu.session, {}, {keep}));
      expected = gpu.Value(1);
    }
    EXPECT_OK(gpu.Step(i));
    if (!expected.initialized()) continue;
    const auto held = RunOnce(&gpu.session, {{older, 0}});
    ASSERT_OK(held);
    ExpectClose((*held)[0], expected, Ulps(0));
  }
  EXPECT_TRUE(gpu.replays() > 8 || !HasPool());
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
