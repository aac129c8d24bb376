// Datasets with functions, and iterators, as sessions run them: what comes out, threads that work ahead,
// and the ends of steps and sessions.
#include <atomic>
#include <thread>

#include "session/graph_test.h"
#include "testing/function_maker.h"

namespace tfbuild {
namespace testing {
namespace {

const std::vector<DType> kInts{DType::kInt64};
const std::vector<PartialShape> kScalars{PartialShape(Shape{})};

NodeDef IntNode(const std::string& name, const std::string& op, std::vector<std::string> inputs) {
  return {name, op, std::move(inputs), "", {{"T", DType::kInt64}}};
}

NodeDef IntConst(const std::string& name, int64_t value) {
  return ConstNode(name, Tensor::Scalar<int64_t>(value));
}

AttrMap OfInts(AttrMap attrs = {}) {
  attrs["output_types"] = kInts;
  attrs["output_shapes"] = kScalars;
  return attrs;
}

// Functions of int64: twice x, whether x < 3, a + b, range(x), and one that fails at 2.
std::string Library() {
  const std::pair<std::string, DType> x{"x", DType::kInt64}, y{"y", DType::kInt64};
  const FunctionText twice{"twice", {x}, {y}, {IntNode("sum", "AddV2", {"x", "x"})},
                           {{"y", "sum:z:0"}}, {}};
  const FunctionText small{"small", {x}, {{"y", DType::kBool}},
                           {IntConst("three", 3), IntNode("less", "Less", {"x", "three:output:0"})},
                           {{"y", "less:z:0"}}, {}};
  const FunctionText sum{"sum", {x, {"b", DType::kInt64}}, {y},
                         {IntNode("sum", "AddV2", {"x", "b"})}, {{"y", "sum:z:0"}}, {}};
  const FunctionText range{
      "range", {x}, {{"y", DType::kVariant}},
      {IntConst("zero", 0), IntConst("one", 1),
       {"range", "RangeDataset", {"zero:output:0", "x", "one:output:0"}, "", OfInts()}},
      {{"y", "range:handle:0"}}, {}};
  const FunctionText fails{
      "fails", {x}, {y},
      {IntConst("two", 2), IntConst("twelve", 12), IntNode("less", "Sub", {"x", "two:output:0"}),
       IntNode("divided", "FloorDiv", {"twelve:output:0", "less:z:0"})},
      {{"y", "divided:z:0"}}, {}};
  return EncodeLibrary({twice, small, sum, range, fails});
}

// A graph whose last dataset is read by an iterator.
class Pipeline {
 public:
  explicit Pipeline(int64_t count, std::string library = Library()) {
    graph_def_.library = std::move(library);
    Add({"zero", "Const", {}, "", {{"dtype", DType::kInt64}, {"value", Tensor::Scalar<int64_t>(0)}}});
    dataset_ = "range";
    Add({"range", "RangeDataset", {"zero", Int(count), Int(1)}, "", OfInts()});
  }
  // Puts a dataset op behind the last one; other inputs are numbers.
  Pipeline& Then(const std::string& op, const std::vector<int64_t>& numbers, AttrMap attrs = {}) {
    NodeDef node{StrCat(op, graph_def_.nodes.size()), op, {dataset_}, "", OfInts(std::move(attrs))};
    for (const int64_t number : numbers) node.inputs.push_back(Int(number));
    dataset_ = node.name;
    Add(std::move(node));
    return *this;
  }
  Pipeline& Map(const std::string& op, const std::string& function,
                const std::vector<int64_t>& numbers = {}, AttrMap attrs = {}) {
    attrs["f"] = FunctionNamed(function);
    attrs["Targuments"] = std::vector<DType>();
    return Then(op, numbers, std::move(attrs));
  }
  Pipeline& Filter(const std::string& op) {
    return Then(op, {}, {{"predicate", FunctionNamed("small")}, {"Targuments", std::vector<DType>()}});
  }
  Pipeline& Build() {
    Add({"iterator", "IteratorV2", {}, "",
         OfInts({{"shared_name", std::string()}, {"container", std::string()}})});
    Add({"begin", "MakeIterator", {dataset_, "iterator"}, "", {}});
    Add({"next", "IteratorGetNext", {"iterator"}, "", OfInts()});
    EXPECT_OK(ImportGraphDef(graph_def_, {}, &graph));
    session = std::make_unique<DirectSession>(&graph, SessionOptions());
    return *this;
  }
  Status Begin() { return RunOnce(session.get(), {}, {graph.FindNode("begin")}).status(); }
  Result<int64_t> Next(const StepOptions& options = {}) {
    ASSIGN_OR_RETURN(const auto values,
                     RunOnce(session.get(), {{graph.FindNode("next"), 0}}, {}, {}, {}, options));
    return *values[0].data<int64_t>();
  }
  // All elements; an error by its code in brackets.
  std::string ReadAll() {
    std::string text;
    for (int i = 0; i < 200; ++i) {
      const Result<int64_t> next = Next();
      if (!next.ok() && next.status().code() == Code::kOutOfRange) return text;
      text += i == 0 ? "" : " ";
      text += next.ok() ? StrCat(*next) : StrCat("(", static_cast<int>(next.status().code()), ")");
    }
    return text;
  }
  std::string Read() {
    Build();
    EXPECT_OK(Begin());
    return ReadAll();
  }

  Graph graph;
  std::unique_ptr<DirectSession> session;

 private:
  void Add(NodeDef node) { graph_def_.nodes.push_back(std::move(node)); }
  std::string Int(int64_t value) {
    const std::string name = StrCat("int", graph_def_.nodes.size());
    Add({name, "Const", {}, "", {{"dtype", DType::kInt64}, {"value", Tensor::Scalar<int64_t>(value)}}});
    return name;
  }
  GraphDef graph_def_;
  std::string dataset_;
};

TEST(Datasets, FunctionsMakeElements) {
  EXPECT_EQ(Pipeline(4).Map("MapDataset", "twice").Read(), "0 2 4 6");
  EXPECT_EQ(Pipeline(9).Filter("FilterDataset").Read(), "0 1 2");
  EXPECT_EQ(Pipeline(9).Filter("TakeWhileDataset").Read(), "0 1 2");
  EXPECT_EQ(Pipeline(4).Map("FlatMapDataset", "range").Read(), "0 0 1 0 1 2");
  EXPECT_EQ(Pipeline(4).Map("InterleaveDataset", "range", {2, 1}).Read(), "0 0 1 0 1 2");
  EXPECT_EQ(Pipeline(5).Map("MapDataset", "fails").Read(), "-6 -12 (3) 12 6");
}

TEST(Datasets, InParallelTheOrderStays) {
  std::string expected;
  for (int64_t i = 0; i < 150; ++i) expected += StrCat(i == 0 ? "" : " ", 2 * i);
  for (const int64_t calls : {1, 2, 8, -1}) {
    EXPECT_EQ(Pipeline(150).Map("ParallelMapDatasetV2", "twice", {calls}).Read(), expected);
  }
  EXPECT_EQ(Pipeline(5).Map("ParallelMapDatasetV2", "fails", {3}).Read(), "-6 -12 (3) 12 6");
  const Status none = Pipeline(5).Map("ParallelMapDatasetV2", "twice", {0}).Build().Begin();
  EXPECT_TRUE(none.code() == Code::kInvalidArgument);
  const std::string turns = Pipeline(7).Map("InterleaveDataset", "range", {3, 2}).Read();
  for (const int64_t threads : {1, 2, 5}) {
    EXPECT_EQ(Pipeline(7).Map("ParallelInterleaveDatasetV2", "range", {3, 2, threads}).Read(), turns);
  }
}

TEST(Datasets, SloppyOrNotNothingIsLost) {
  const AttrMap any_order{{"deterministic", std::string("false")}};
  Pipeline pipeline(100);
  pipeline.Map("ParallelMapDatasetV2", "twice", {4}, any_order).Then("PrefetchDataset", {3}).Build();
  ASSERT_OK(pipeline.Begin());
  int64_t sum = 0, count = 0;
  for (Result<int64_t> next = pipeline.Next(); next.ok(); next = pipeline.Next(), ++count) sum += *next;
  EXPECT_EQ(count, int64_t{100});
  EXPECT_EQ(sum, int64_t{9900});
}

TEST(Datasets, AnIteratorBeginsAgainAndWaitsForItsBegin) {
  Pipeline pipeline(3);
  pipeline.Then("PrefetchDataset", {2}).Build();
  EXPECT_ERROR(pipeline.Next(), Code::kFailedPrecondition, "has not been initialized");
  ASSERT_OK(pipeline.Begin());
  EXPECT_EQ(*pipeline.Next(), int64_t{0});
  ASSERT_OK(pipeline.Begin());
  EXPECT_EQ(pipeline.ReadAll(), "0 1 2");
  EXPECT_ERROR(pipeline.Next(), Code::kOutOfRange, "End of sequence");
}

TEST(Datasets, StepsThatReadAtOnceGetEachElementOnce) {
  Pipeline pipeline(400);
  pipeline.Map("ParallelMapDatasetV2", "twice", {3}).Then("PrefetchDataset", {4}).Build();
  ASSERT_OK(pipeline.Begin());
  const auto callable =
      pipeline.session->MakeCallable({}, {{pipeline.graph.FindNode("next"), 0}}, {});
  ASSERT_OK(callable);
  std::atomic<int64_t> sum{0}, count{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      std::vector<Tensor> values;
      while (pipeline.session->Run(**callable, {}, &values).ok()) {
        sum += *values[0].data<int64_t>();
        ++count;
      }
    });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(count.load(), int64_t{400});
  EXPECT_EQ(sum.load(), int64_t{400 * 399});
}

// For ever nothing: the filter lets none of the later elements through.
Pipeline& Endless(Pipeline* pipeline) {
  pipeline->Then("SkipDataset", {3}).Filter("FilterDataset");
  return pipeline->Then("RepeatDataset", {int64_t{1} << 60}).Then("PrefetchDataset", {1}).Build();
}

TEST(Datasets, TheEndOfAStepEndsTheWaitForAnElement) {
  Pipeline pipeline(50);
  Endless(&pipeline);
  ASSERT_OK(pipeline.Begin());
  StepOptions options;
  options.timeout = std::chrono::milliseconds(30);
  EXPECT_ERROR(pipeline.Next(options), Code::kDeadlineExceeded, "timeout_in_ms");
  int looks = 0;
  options.timeout = std::chrono::milliseconds(0);
  options.look = [&looks] {
    return ++looks > 1 ? Status(Code::kCancelled, "interrupted") : OkStatus();
  };
  EXPECT_ERROR(pipeline.Next(options), Code::kCancelled, "interrupted");
}

TEST(Datasets, ClosingTheSessionEndsWhatWorksAhead) {
  for (int round = 0; round < 20; ++round) {
    Pipeline pipeline(50);
    Endless(&pipeline);
    ASSERT_OK(pipeline.Begin());
    Status status;
    const auto callable =
        pipeline.session->MakeCallable({}, {{pipeline.graph.FindNode("next"), 0}}, {});
    ASSERT_OK(callable);
    std::thread reader([&] {
      std::vector<Tensor> values;
      status = pipeline.session->Run(**callable, {}, &values);
    });
    for (int spin = 0; spin < 100 * round; ++spin) std::this_thread::yield();
    ASSERT_OK(pipeline.session->Close());
    reader.join();
    EXPECT_TRUE(status.code() == Code::kCancelled || status.code() == Code::kFailedPrecondition);
    pipeline.session.reset();
  }
}

TEST(Datasets, IteratorsAreDroppedInTheMiddle) {
  for (int round = 0; round < 30; ++round) {
    Pipeline pipeline(1000);
    pipeline.Map("ParallelMapDatasetV2", "twice", {4})
        .Map("ParallelInterleaveDatasetV2", "range", {3, 2, 3})
        .Then("PrefetchDataset", {2}).Build();
    for (int again = 0; again < 3; ++again) {
      ASSERT_OK(pipeline.Begin());
      for (int i = 0; i < round; ++i) ASSERT_OK(pipeline.Next());
    }
  }
}

TEST(Datasets, AFactoryMakesAOneShotIterator) {
  Graph graph;
  GraphDef graph_def;
  const FunctionText make{
      "make", {}, {{"y", DType::kVariant}},
      {IntConst("zero", 0), IntConst("three", 3), IntConst("one", 1),
       {"range", "RangeDataset", {"zero:output:0", "three:output:0", "one:output:0"}, "", OfInts()}},
      {{"y", "range:handle:0"}}, {}};
  graph_def.library = EncodeLibrary({make});
  graph_def.nodes.push_back({"iterator", "OneShotIterator", {}, "",
                             OfInts({{"dataset_factory", FunctionNamed("make")}})});
  graph_def.nodes.push_back({"next", "IteratorGetNext", {"iterator"}, "", OfInts()});
  ASSERT_OK(ImportGraphDef(graph_def, {}, &graph));
  DirectSession session(&graph, {});
  for (int64_t i = 0; i < 3; ++i) {
    const auto value = RunOnce(&session, {{graph.FindNode("next"), 0}});
    ASSERT_OK(value);
    EXPECT_EQ(*(*value)[0].data<int64_t>(), i);
  }
  EXPECT_ERROR(RunOnce(&session, {{graph.FindNode("next"), 0}}), Code::kOutOfRange,
               "End of sequence");
}

// Followed without a memo, names of the next function twice in each of 40 are 2^40 visits.
TEST(Datasets, FunctionsThatNameTheNextTwiceAreReadOnce) {
  constexpr int kDepth = 40;
  std::vector<FunctionText> functions;
  for (int i = 0; i <= kDepth; ++i) {
    FunctionText function{
        StrCat("f", i), {{"x", DType::kInt64}}, {{"y", DType::kInt64}},
        {IntConst("zero", 0), IntConst("one", 1),
         {"range", "RangeDataset", {"zero:output:0", "one:output:0", "one:output:0"}, "", OfInts()}},
        {{"y", "x"}}, {}};
    for (int twice = 0; i < kDepth && twice < 2; ++twice) {
      function.nodes.push_back({StrCat("map", twice), "MapDataset", {"range:handle:0"}, "",
                                OfInts({{"f", FunctionNamed(StrCat("f", i + 1))},
                                        {"Targuments", std::vector<DType>()}})});
    }
    functions.push_back(std::move(function));
  }
  EXPECT_EQ(Pipeline(3, EncodeLibrary(functions)).Map("MapDataset", "f0").Read(), "0 1 2");
}

TEST(Datasets, AHandleIsAString) {
  Pipeline pipeline(3);
  pipeline.Build();
  ASSERT_OK(pipeline.Begin());
  const auto add = [&](NodeSpec spec) { return *pipeline.graph.AddNode(std::move(spec)); };
  Node* to = add({"to", "IteratorToStringHandle", {{pipeline.graph.FindNode("iterator"), 0}}, {}, {}, ""});
  Node* from = add({"from", "IteratorFromStringHandleV2", {{to, 0}}, {}, OfInts(), ""});
  Node* next = add({"next2", "IteratorGetNext", {{from, 0}}, {}, OfInts(), ""});
  const auto value = RunOnce(pipeline.session.get(), {{next, 0}});
  ASSERT_OK(value);
  EXPECT_EQ(*(*value)[0].data<int64_t>(), int64_t{0});
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
