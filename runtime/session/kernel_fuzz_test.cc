// Every op with random attributes, shapes and values, wrong ones too: a step ends in values or in a
// Status, never in a crash. Shapes are hidden behind placeholders, so that kernels meet what shape
// functions would refuse. Each op runs in a process of its own with little memory, where a crash, a
// hang and memory that a kernel should not have asked for are seen. Run it under the sanitizers to
// see reads beyond a tensor.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>

#include "session/session.h"
#include "tensor/complex.h"
#include "testing/child.h"
#include "testing/fuzz_rounds.h"
#include "testing/op_test.h"
#include "testing/small_stack.h"

namespace tfbuild {
namespace testing {
namespace {

constexpr int kRounds = 600;
// Rounds with dimensions of 0, 1 and sizes whose products overflow.
constexpr int kDegenerateRounds = 1200;
constexpr unsigned kSecondsPerOp = 300;
constexpr std::chrono::milliseconds kLongestStep{1000};
// Rounds of an op that waits, as for an element of a queue that nobody fills.
constexpr int kMostWaits = 3;
// How a process ends in which somebody has kept what was only borrowed for a step.
constexpr int kKeptAFeed = 18;
constexpr rlim_t kMemory = rlim_t{3} << 30;

constexpr int64_t kExtremes[] = {0,
                                 -1,
                                 std::numeric_limits<int32_t>::max(),
                                 std::numeric_limits<int32_t>::min(),
                                 int64_t{1} << 31,
                                 int64_t{1} << 32,
                                 kMaxElements,
                                 kMaxElements + 1,
                                 int64_t{1} << 62,
                                 std::numeric_limits<int64_t>::max(),
                                 std::numeric_limits<int64_t>::min()};

// Images, filters and gradients without channels, rows, columns or batch, and with one of each: an
// op that checks one of its inputs must meet them together.
const std::vector<int64_t> kFlatImages[] = {{1, 1, 1, 1}, {1, 1, 1, 0}, {0, 1, 1, 1},
                                            {1, 0, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, 2}};

class Fuzzer {
 public:
  explicit Fuzzer(unsigned seed) : random_(seed) {}

  // Whether a random node of that op could be built and run.
  bool Round(const OpDef& op, bool degenerate) {
    degenerate_ = degenerate;
    same_dims_.clear();
    if (degenerate && Chance(50)) same_dims_ = DegenerateDims();
    Graph graph;
    NodeSpec spec{"op", op.name, {}, {}, RandomAttrs(op), ""};
    std::vector<Endpoint> feeds;
    std::vector<Tensor> values;
    std::vector<Node*> initializers;
    for (const ArgDef& arg : op.inputs) {
      for (int64_t i = 0; i < CountOf(arg, spec.attrs); ++i) {
        const DType dtype = TypeOf(arg, spec.attrs, i);
        Tensor value = RandomTensor(dtype);
        const std::string name = StrCat("input", spec.inputs.size());
        if (arg.is_ref) {
          AddVariable(&graph, name, value, &spec, &initializers);
          continue;
        }
        if (dtype == DType::kVariant && Chance(90)) {
          AddList(&graph, name, HeldType(spec.attrs), &spec);
          continue;
        }
        if (dtype == DType::kResource && Chance(90)) {
          AddHandle(&graph, name, HeldType(spec.attrs), &spec, &initializers);
          continue;
        }
        Node* source = AddSource(&graph, name, value);
        if (source == nullptr) return false;
        spec.inputs.push_back({source, 0});
        if (source->op().name == "Placeholder") {
          feeds.push_back({source, 0});
          values.push_back(std::move(value));
        }
      }
    }
    const Result<Node*> node = graph.AddNode(std::move(spec));
    if (!node.ok()) return false;
    return testing::OnSmallStack([&] { return Run(&graph, *node, initializers, feeds, values); });
  }

  // How many steps were ended while they waited for what only another step could do.
  int num_waited() const { return num_waited_; }

 private:
  int64_t Int(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  bool Chance(int percent) { return Int(1, 100) <= percent; }
  template <typename Container>
  auto OneOf(const Container& items) {
    return *(std::begin(items) + Int(0, static_cast<int64_t>(std::size(items)) - 1));
  }

  static int64_t CountOf(const ArgDef& arg, const AttrMap& attrs) {
    if (!arg.is_run()) return 1;
    if (!arg.type_list_attr.empty()) {
      return static_cast<int64_t>(GetAttr<std::vector<DType>>(attrs, arg.type_list_attr)->size());
    }
    return std::clamp<int64_t>(*GetAttr<int64_t>(attrs, arg.number_attr), 0, 4);
  }
  static DType TypeOf(const ArgDef& arg, const AttrMap& attrs, int64_t i) {
    if (!arg.type_list_attr.empty()) {
      return (*GetAttr<std::vector<DType>>(attrs, arg.type_list_attr))[static_cast<size_t>(i)];
    }
    return arg.type_attr.empty() ? arg.type : *GetAttr<DType>(attrs, arg.type_attr);
  }

  // What the variable behind a handle should hold, and now and then does not.
  DType HeldType(const AttrMap& attrs) {
    for (const char* attr : {"dtype", "T", "elem_type", "element_dtype"}) {
      const Result<DType> type = GetAttr<DType>(attrs, attr);
      if (type.ok() && Chance(95)) return *type;
    }
    return DType::kFloat;
  }

  AttrMap RandomAttrs(const OpDef& op) {
    AttrMap attrs;
    for (const AttrDef& attr : op.attrs) {
      if (attr.default_value && Chance(50)) {
        attrs[attr.name] = *attr.default_value;
      } else {
        attrs[attr.name] = RandomAttr(attr);
      }
    }
    return attrs;
  }

  AttrValue RandomAttr(const AttrDef& attr) {
    if (attr.kind == "type") return RandomType(attr);
    if (attr.kind == "bool") return Chance(50);
    if (attr.kind == "int" && Chance(5)) return OneOf(kExtremes);
    if (attr.kind == "int") return Int(std::max<int64_t>(attr.minimum.value_or(-2), -2), 4);
    if (attr.kind == "float") return static_cast<float>(Int(-2, 3));
    if (attr.kind == "shape") return Chance(50) ? PartialShape() : PartialShape(RandomDims());
    if (attr.kind == "tensor") return RandomTensor(DType::kFloat);
    if (attr.kind == "list(int)") return RandomInts();
    if (attr.kind == "list(type)") {
      std::vector<DType> types(static_cast<size_t>(Int(attr.minimum.value_or(0), 3)));
      for (DType& type : types) type = RandomType(attr);
      return types;
    }
    if (attr.kind == "list(shape)") {
      return std::vector<PartialShape>(static_cast<size_t>(Int(0, 3)), PartialShape(RandomDims()));
    }
    if (attr.kind == "func") return FunctionAttr{"nothing", ""};
    if (attr.kind == "list(func)") return std::vector<FunctionAttr>{{"nothing", ""}};
    if (attr.kind == "string" && !attr.allowed_strings.empty()) {
      return attr.allowed_strings[static_cast<size_t>(
          Int(0, static_cast<int64_t>(attr.allowed_strings.size()) - 1))];
    }
    return std::string();
  }

  DType RandomType(const AttrDef& attr) {
    static const std::vector<DType> kAny = {DType::kFloat, DType::kDouble, DType::kInt32,
                                            DType::kInt64, DType::kHalf,   DType::kBool,
                                            DType::kComplex64, DType::kComplex128};
    const auto& types = attr.allowed_types.empty() ? kAny : attr.allowed_types;
    return types[static_cast<size_t>(Int(0, static_cast<int64_t>(types.size()) - 1))];
  }

  // Four ones and small numbers are what strides and windows look like.
  AttrValue RandomInts() {
    if (Chance(60)) return std::vector<int64_t>{1, Int(1, 2), Int(1, 2), 1};
    std::vector<int64_t> ints(static_cast<size_t>(Int(0, 8)));
    for (int64_t& value : ints) value = Chance(5) ? OneOf(kExtremes) : Int(-1, 3);
    return ints;
  }

  std::vector<int64_t> RandomDims() {
    if (!same_dims_.empty()) return same_dims_;
    if (degenerate_) return Chance(50) ? OneOf(kFlatImages) : DegenerateDims();
    std::vector<int64_t> dims(static_cast<size_t>(Chance(30) ? 4 : Int(0, 5)));
    for (int64_t& dim : dims) dim = Chance(10) ? 0 : Int(1, 4);
    return dims;
  }

  // Few elements or none; beside a 0 the others may be as large as a dimension can be.
  std::vector<int64_t> DegenerateDims() {
    std::vector<int64_t> dims(static_cast<size_t>(Chance(50) ? 4 : Int(1, 5)));
    const bool empty = Chance(60);
    for (int64_t& dim : dims) {
      dim = empty && Chance(30) ? OneOf(std::initializer_list<int64_t>{
                                      int64_t{1} << 31, int64_t{1} << 32, kMaxElements})
                                : Int(1, 2);
    }
    if (empty) dims[static_cast<size_t>(Int(0, static_cast<int64_t>(dims.size()) - 1))] = 0;
    return dims;
  }

  Tensor RandomTensor(DType dtype) {
    if (degenerate_ && dtype == DType::kInt32 && Chance(50)) {  // a shape held as a value
      const std::vector<int64_t> dims = OneOf(kFlatImages);
      return Tensor::Vector<int32_t>(std::vector<int32_t>(dims.begin(), dims.end()));
    }
    Tensor tensor = *Tensor::Allocate(CpuAllocator(), dtype, *Shape::Make(RandomDims()));
    for (int64_t i = 0; i < tensor.num_elements(); ++i) SetElement(i, &tensor);
    return tensor;
  }

  void SetElement(int64_t i, Tensor* tensor) {
    int64_t value = Int(-2, 4);
    if (Chance(3)) value = Chance(50) ? OneOf(kExtremes) : Int(-1000000, 1000000);
    switch (tensor->dtype()) {
#define CASE(T)                                             \
  case DTypeOf<T>::value:                                   \
    tensor->mutable_data<T>()[i] = static_cast<T>(value);   \
    break;
      TFBUILD_NUMBER_TYPES(CASE)
#undef CASE
#define CASE(T)                                                                          \
  case DTypeOf<T>::value:                                                                \
    tensor->mutable_data<T>()[i] = T(static_cast<T::value_type>(value),                  \
                                     static_cast<T::value_type>(Int(-2, 2)));            \
    break;
      TFBUILD_COMPLEX_TYPES(CASE)
#undef CASE
      case DType::kBool: tensor->mutable_data<bool>()[i] = value > 0; break;
      case DType::kResource: static_cast<int64_t*>(tensor->raw())[i] = value; break;
      default: break;
    }
  }

  Node* AddSource(Graph* graph, const std::string& name, const Tensor& value) {
    NodeSpec spec{name, "Placeholder", {}, {}, {{"dtype", value.dtype()}}, ""};
    if (Chance(30)) spec = {name, "Const", {}, {}, {{"dtype", value.dtype()}, {"value", value}}, ""};
    const Result<Node*> node = graph->AddNode(std::move(spec));
    return node.ok() ? *node : nullptr;
  }

  void AddVariable(Graph* graph, const std::string& name, const Tensor& value, NodeSpec* spec,
                   std::vector<Node*>* initializers) {
    const PartialShape shape = Chance(50) ? PartialShape(value.shape()) : PartialShape();
    Node* variable = *graph->AddNode(
        {name, "VariableV2", {}, {}, {{"dtype", value.dtype()}, {"shape", shape}}, ""});
    Node* initial = *graph->AddNode(
        {name + "/initial", "Const", {}, {}, {{"dtype", value.dtype()}, {"value", value}}, ""});
    const Result<Node*> assign = graph->AddNode({name + "/assign", "Assign",
                                                 {{variable, 0}, {initial, 0}}, {},
                                                 {{"validate_shape", false}}, ""});
    if (assign.ok() && Chance(90)) initializers->push_back(*assign);
    spec->inputs.push_back({variable, 0});
  }

  // The rows of a random tensor as a list, or two optional values as one.
  void AddList(Graph* graph, const std::string& name, DType dtype, NodeSpec* spec) {
    const Tensor value = RandomTensor(dtype);
    Node* rows = *graph->AddNode(
        {name + "/rows", "Const", {}, {}, {{"dtype", dtype}, {"value", value}}, ""});
    Node* any = *graph->AddNode({name + "/any", "Const", {}, {},
                                 {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(-1)}},
                                 ""});
    const NodeSpec list{name, "TensorListFromTensor", {{rows, 0}, {any, 0}}, {}, {}, ""};
    const NodeSpec optional{name, "OptionalFromValue", {{rows, 0}}, {}, {}, ""};
    spec->inputs.push_back({*graph->AddNode(Chance(80) ? list : optional), 0});
  }

  // A handle of a variable, of a stack, or of nothing.
  void AddHandle(Graph* graph, const std::string& name, DType dtype, NodeSpec* spec,
                 std::vector<Node*>* initializers) {
    if (Chance(5)) {
      Node* size = *graph->AddNode(
          {name + "/size", "Const", {}, {},
           {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(-1)}}, ""});
      spec->inputs.push_back(
          {*graph->AddNode({name, "StackV2", {{size, 0}}, {}, {{"elem_type", dtype}}, ""}), 0});
      return;
    }
    const Tensor value = RandomTensor(dtype);
    const PartialShape shape = Chance(50) ? PartialShape(value.shape()) : PartialShape();
    Node* handle = *graph->AddNode({name, "VarHandleOp", {}, {},
                                    {{"dtype", dtype}, {"shape", shape}, {"shared_name", name}}, ""});
    Node* initial = *graph->AddNode(
        {name + "/initial", "Const", {}, {}, {{"dtype", dtype}, {"value", value}}, ""});
    const Result<Node*> assign = graph->AddNode(
        {name + "/assign", "AssignVariableOp", {{handle, 0}, {initial, 0}}, {}, {}, ""});
    if (assign.ok() && Chance(90)) initializers->push_back(*assign);
    spec->inputs.push_back({handle, 0});
  }

  // As arrays that a user feeds: the memory is his.
  static std::vector<Tensor> Borrowed(const std::vector<Tensor>& values) {
    std::vector<Tensor> borrowed;
    for (const Tensor& value : values) {
      if (IsHostObject(value.dtype())) {
        borrowed.push_back(value);
        continue;
      }
      borrowed.emplace_back(value.dtype(), value.shape(),
                            std::make_shared<Buffer>(value.raw(), value.num_bytes(),
                                                     std::make_shared<Tensor>(value)));
    }
    return borrowed;
  }

  bool Run(Graph* graph, Node* node, const std::vector<Node*>& initializers,
                  const std::vector<Endpoint>& feeds, const std::vector<Tensor>& values) {
    SessionOptions options;
    options.use_gpu = false;
    DirectSession session(graph, options);
    std::vector<Tensor> results;
    const auto prepare = session.MakeCallable({}, {}, initializers);
    if (!prepare.ok() || !session.Run(**prepare, {}, &results).ok()) return false;
    const auto callable = session.MakeCallable(feeds, {}, {node});
    if (!callable.ok()) return false;
    StepOptions step;
    step.timeout = kLongestStep;
    // Borrowed memory is never the memory of a result: kernels meet both.
    const std::vector<Tensor> fed = Chance(50) ? Borrowed(values) : values;
    const Status status = session.Run(**callable, fed, &results, step);
    for (const Tensor& value : fed) {
      if (value.buffer()->borrowed() && value.buffer().use_count() > 1) _exit(kKeptAFeed);
    }
    if (status.code() == Code::kDeadlineExceeded) ++num_waited_;
    return status.ok();
  }

  std::mt19937 random_;
  int num_waited_ = 0;
  bool degenerate_ = false;
  std::vector<int64_t> same_dims_;  // of all tensors, unless empty
};

void LimitMemory() {
  const rlimit limit{kMemory, kMemory};
  if (testing::kCanLimitMemory) setrlimit(RLIMIT_AS, &limit);
}

constexpr int kNeverRan = 17;

// Ends this process with kNeverRan when no round of that op could be run.
void FuzzOp(const OpDef& op, unsigned seed) {
  LimitMemory();
  Fuzzer fuzzer(seed);
  int ran = 0;
  const int rounds = FuzzRounds(kRounds);
  const auto goes_on = [&fuzzer] { return fuzzer.num_waited() < kMostWaits; };
  for (int round = 0; round < rounds && goes_on(); ++round) ran += fuzzer.Round(op, false) ? 1 : 0;
  for (int i = FuzzRounds(kDegenerateRounds); i > 0 && goes_on(); --i) fuzzer.Round(op, true);
  if (ran == 0 && rounds >= kRounds && goes_on()) _exit(kNeverRan);
}

// What passes make, and calls of functions, are no use alone: pass_fuzz_test.cc has them.
// Nor are those that take what only another op makes: a dataset, an iterator, a queue, a table.
bool IsUsedAlone(const OpDef& op) {
  const auto is_made = [](const ArgDef& arg) {
    return arg.type == DType::kVariant || arg.type == DType::kResource ||
           (arg.is_ref && arg.type == DType::kString);
  };
  const auto is_function = [](const AttrDef& attr) {
    return attr.kind == "func" || attr.kind == "list(func)";
  };
  return op.name[0] != '_' && std::none_of(op.attrs.begin(), op.attrs.end(), is_function) &&
         std::none_of(op.inputs.begin(), op.inputs.end(), is_made);
}

TEST(KernelFuzz, AnyInputGivesAValueOrAStatus) {
  std::vector<std::string> never_ran;
  size_t used_alone = 0;
  const std::vector<std::string> names = OpRegistry::Global().Names();
  for (size_t i = 0; i < names.size(); ++i) {
    const OpDef& op = **OpRegistry::Global().Find(names[i]);
    const int status =
        StatusOfChild([&] { FuzzOp(op, static_cast<unsigned>(i) + 1); }, kSecondsPerOp);
    used_alone += IsUsedAlone(op) ? 1 : 0;
    if (status == kNeverRan << 8) {
      if (IsUsedAlone(op)) never_ran.push_back(names[i]);
    } else if (status == kKeptAFeed << 8) {
      Fail(__FILE__, __LINE__, StrCat(names[i], " keeps a fed tensor beyond its step"));
    } else if (status != 0) {
      Fail(__FILE__, __LINE__, StrCat(names[i], " ended with status ", status));
    }
  }
  // Ops whose inputs must agree in many ways are rarely hit; most must be.
  if (never_ran.size() * 3 >= used_alone) {
    Fail(__FILE__, __LINE__, StrCat(never_ran.size(), " of ", used_alone,
                                    " ops never ran: ", StrJoin(never_ran, ", ")));
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
