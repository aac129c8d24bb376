// What a traced step shows, from each of the three runners, of copies and of memory.
#include <algorithm>

#include "graph/wire_format.h"
#include "kernels/framework/step_trace.h"
#include "session/fake_gpu_test.h"
#include "session/graph_test.h"

namespace tfbuild {
namespace testing {
namespace {

// NodeExecStats as far as the tests look at it.
struct NodeStats {
  std::string device;
  std::string name;
  std::string label;
  uint64_t start = 0;
  uint64_t nanos = 0;
  uint64_t scheduled = 0;
  int outputs = 0;
  std::string memory;  // the fields of the first AllocatorMemoryUsed
};

void ReadRun(std::string_view bytes, NodeStats* node) {
  WireReader reader(bytes);
  while (!reader.done()) {
    const WireField field = *reader.Next();
    if (field.number == 1) node->name = std::string(field.bytes);
    if (field.number == 6) node->memory = std::string(field.bytes);
    if (field.number == 7) ++node->outputs;
    if (field.number == 8) node->label = std::string(field.bytes);
    if (field.number == 13) node->start = field.varint;
    if (field.number == 16) node->nanos = field.varint;
    if (field.number == 17) node->scheduled = field.varint;
  }
}

std::vector<NodeStats> Read(const StepTrace& trace) {
  std::vector<NodeStats> all;
  const std::string bytes = trace.StepStats();
  WireReader stats(bytes);
  while (!stats.done()) {
    WireReader device(stats.Next()->bytes);
    std::string name;
    while (!device.done()) {
      const WireField field = *device.Next();
      if (field.number == 1) name = std::string(field.bytes);
      if (field.number != 2) continue;
      NodeStats node;
      node.device = name;
      ReadRun(field.bytes, &node);
      all.push_back(node);
    }
  }
  return all;
}

int Count(const std::vector<NodeStats>& all, const std::string& name) {
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const NodeStats& node) {
    return node.name == name;
  }));
}

const NodeStats& Find(const std::vector<NodeStats>& all, const std::string& name) {
  static const NodeStats nothing;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const NodeStats& node) { return node.name == name; });
  EXPECT_TRUE(found != all.end());
  return found == all.end() ? nothing : *found;
}

// Runs a fetch of a graph with one fed value, and returns what was traced.
std::vector<NodeStats> Trace(DirectSession* session, Endpoint fetch, Node* fed, const Tensor& value,
                             StepTrace* trace) {
  StepOptions options;
  options.trace = trace;
  EXPECT_OK(RunOnce(session, {fetch}, {}, {{fed, 0}}, {value}, options));
  return Read(*trace);
}

constexpr char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";

TEST(StepTrace, ShowsEachKernelOfALine) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* two = graph.Const("two", MakeTensor<float>({}, {2}));
  Node* product = graph.Op("product", "Mul", {{x, 0}, {two, 0}});
  Node* sum = graph.Op("sum", "AddV2", {{product, 0}, {x, 0}});
  DirectSession session(&graph.graph, {});
  StepTrace trace(false);
  const auto all = Trace(&session, {sum, 0}, x, MakeTensor<float>({3}, {1, 2, 3}), &trace);
  EXPECT_EQ(all.size(), 2u);  // a constant costs a step nothing
  EXPECT_EQ(all[0].label, "product = Mul(x, two)");
  EXPECT_EQ(all[1].label, "sum = AddV2(product, x)");
  EXPECT_EQ(all[0].device, kCpu);
  EXPECT_EQ(all[0].outputs, 1);
  EXPECT_TRUE(all[0].start >= all[0].scheduled);
  EXPECT_TRUE(all[1].start >= all[0].start + all[0].nanos);
  // Twelve bytes for the product, in which the sum lies as well.
  EXPECT_TRUE(all[0].memory.find(std::string("\x0a\x03") + "cpu") == 0);
  EXPECT_EQ(all[1].memory, "");
  EXPECT_EQ(trace.PeakBytes().at("cpu"), 12);
}

TEST(StepTrace, ShowsWhatRunsBesideEachOther) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  std::vector<Node*> products;
  for (const char* name : {"a", "b", "c"}) {
    products.push_back(graph.Op(name, "MatMul", {{x, 0}, {x, 0}}, "",
                                {{"transpose_a", std::string(name) == "b"},
                                 {"transpose_b", std::string(name) == "c"}}));
  }
  Node* ab = graph.Op("ab", "AddV2", {{products[0], 0}, {products[1], 0}});
  Node* abc = graph.Op("abc", "AddV2", {{ab, 0}, {products[2], 0}});
  SessionOptions options;
  options.inter_op_threads = 2;
  options.passes.disabled = {"fuse"};
  DirectSession session(&graph.graph, options);
  StepTrace trace(false);
  const Tensor value = MakeTensor<float>({64, 64}, std::vector<double>(64 * 64, 1));
  const auto all = Trace(&session, {abc, 0}, x, value, &trace);
  EXPECT_EQ(all.size(), 5u);
  const NodeStats& last = Find(all, "abc");
  EXPECT_EQ(last.label, "abc = AddV2(ab, c)");
  for (const NodeStats& node : all) {
    EXPECT_TRUE(node.scheduled > 0 && node.start >= node.scheduled);
    if (node.name != "abc") EXPECT_TRUE(last.scheduled >= node.start);
  }
  // Products of 16 KiB, two or three of them at once; the sums lie in the memory of the first.
  const int64_t peak = trace.PeakBytes().at("cpu");
  EXPECT_TRUE(peak == 2 * 64 * 64 * 4 || peak == 3 * 64 * 64 * 4);
}

TEST(StepTrace, ShowsEachIterationAndNotWhatIsDead) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* one = graph.Const("one", MakeTensor<float>({}, {1}));
  const Endpoint last = graph.CountedLoop("loop", {x, 0}, 3, [&](Endpoint value) {
    return Endpoint{graph.Op("plus", "AddV2", {value, {one, 0}}), 0};
  });
  DirectSession session(&graph.graph, {});
  StepTrace trace(false);
  const auto all = Trace(&session, last, x, MakeTensor<float>({}, {5}), &trace);
  EXPECT_EQ(Count(all, "plus"), 3);
  EXPECT_EQ(Count(all, "loop/values"), 4);
  EXPECT_EQ(Count(all, "loop/value_switch"), 4);
  EXPECT_EQ(Count(all, "loop/enter_value"), 1);
  EXPECT_EQ(Count(all, "loop/exit"), 1);
  EXPECT_EQ(Find(all, "plus").label, "plus = AddV2(loop/value_switch:1, one)");
  EXPECT_EQ(Find(all, "loop/exit").label, "loop/exit = Exit(loop/value_switch)");
  EXPECT_EQ(Find(all, "loop/exit").outputs, 1);
}

TEST(StepTrace, KeepsTheFirstRunsOfALongLoopAndCountsTheRest) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  const int32_t count = static_cast<int32_t>(StepTrace::kMaxRuns) / 4;
  const Endpoint last = graph.CountedLoop("loop", {x, 0}, count, [&](Endpoint value) {
    return Endpoint{graph.Op("same", "Neg", {value}), 0};
  });
  DirectSession session(&graph.graph, {});
  StepTrace trace(false);
  StepOptions options;
  options.trace = &trace;
  EXPECT_OK(RunOnce(&session, {last}, {}, {{x, 0}}, {MakeTensor<float>({}, {5})}, options));
  EXPECT_EQ(trace.num_runs(), StepTrace::kMaxRuns);
  EXPECT_TRUE(trace.num_dropped() > StepTrace::kMaxRuns);
}

TEST(StepTrace, ShowsCopiesBetweenDevicesAndGpusWhereTheyAreWaitedFor) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat);
  Node* first = graph.Op("first", "TestTwice", {{x, 0}}, "/gpu:0");
  Node* second = graph.Op("second", "TestTwice", {{first, 0}}, "/gpu:1");
  SessionOptions options;
  options.devices = DevicesWithFakeGpus();
  DirectSession session(&graph.graph, options);
  StepTrace trace(true);
  const auto all = Trace(&session, {second, 0}, x, MakeTensor<float>({2}, {1, -3}), &trace);
  const auto on = [&](const std::string& device, const std::string& part) {
    return std::count_if(all.begin(), all.end(), [&](const NodeStats& node) {
      return node.device == device && node.name.find(part) != std::string::npos;
    });
  };
  EXPECT_EQ(on("/device:GPU:0/memcpy", ":MEMCPYHtoD"), 1);
  EXPECT_EQ(on("/device:GPU:1/memcpy", ":MEMCPYP2P"), 1);
  EXPECT_EQ(on("/device:GPU:1/memcpy", ":MEMCPYDtoH"), 1);
  EXPECT_EQ(on("/device:GPU:0/stream:all", "first:TestTwice"), 1);
  EXPECT_EQ(Find(all, "second").device, "/job:localhost/replica:0/task:0/device:GPU:1");
  EXPECT_EQ(on(kCpu, "_send"), 1);
  EXPECT_TRUE(trace.PeakBytes().at("GPU_1") >= 8);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
