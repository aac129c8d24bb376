// Steps whose tensors lie in one planned block: the values are those of the first step, which had
// none, whatever shapes come between and whatever is kept.
#include <cstring>

#include "session/graph_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

constexpr int64_t kColumns = 512;

// Sums, products and reductions of matrices with kColumns columns, with values that live long and
// short.
class Layers {
 public:
  Layers() {
    x_ = graph_.Placeholder("x", DType::kFloat, {kUnknownDim, kColumns});
    Endpoint value = {x_, 0};
    std::vector<Endpoint> values = {value};
    Node* axis = graph_.Const("axis", MakeTensor<int32_t>({}, {0}));
    for (int i = 0; i < 12; ++i) {
      const auto name = [i](const char* what) { return StrCat(what, i); };
      // MatMul is not fused with what follows here, as it is read twice.
      Node* turned = graph_.Op(name("turned"), "MatMul", {value, value}, "",
                               {{"transpose_a", false}, {"transpose_b", true}});
      Node* mixed = graph_.Op(name("mixed"), "MatMul", {{turned, 0}, value});
      Node* total = graph_.Op(name("total"), "Max", {{mixed, 0}, {axis, 0}}, "",
                              {{"keep_dims", true}});
      Node* scaled = graph_.Op(name("scaled"), "RealDiv", {{mixed, 0}, {total, 0}});
      const Endpoint other = values[static_cast<size_t>(i) / 2];
      value = {graph_.Op(name("sum"), "AddV2", {{scaled, 0}, other}), 0};
      values.push_back(value);
    }
    fetches_ = {values[3], values[7], value};
  }

  auto Prepare(DirectSession* session) {
    return session->MakeCallable({{x_, 0}}, fetches_, {});
  }
  std::vector<Tensor> Run(DirectSession* session, int64_t rows) {
    const Tensor fed =
        MakeTensor<float>({rows, kColumns}, RandomValues(rows * kColumns, static_cast<uint64_t>(rows)));
    const auto results = RunOnce(session, fetches_, {}, {{x_, 0}}, {fed});
    EXPECT_OK(results);
    return results.ok() ? *results : std::vector<Tensor>();
  }

  Graph* graph() { return &graph_.graph; }

 private:
  TestGraph graph_;
  Node* x_;
  std::vector<Endpoint> fetches_;
};

std::string Bytes(const std::vector<Tensor>& tensors) {
  std::string bytes;
  for (const Tensor& tensor : tensors) {
    bytes.append(static_cast<const char*>(tensor.raw()), tensor.num_bytes());
  }
  return bytes;
}

TEST(PlannedMemory, GivesTheValuesOfTheFirstStep) {
  Layers layers;
  std::map<int64_t, std::string> expected;
  for (const int64_t rows : {300, 200, 1}) {
    DirectSession session(layers.graph(), {});
    expected[rows] = Bytes(layers.Run(&session, rows));
    EXPECT_TRUE(!expected[rows].empty());
  }
  DirectSession session(layers.graph(), {});
  std::vector<std::vector<Tensor>> kept;
  std::vector<int64_t> sizes;
  for (const int64_t rows : {300, 300, 300, 200, 300, 300, 1, 200, 200, 200, 200, 200, 300, 200}) {
    kept.push_back(layers.Run(&session, rows));
    sizes.push_back(rows);
    EXPECT_TRUE(Bytes(kept.back()) == expected[rows]);
  }
  // What was fetched is nobody else's.
  for (size_t i = 0; i < kept.size(); ++i) EXPECT_TRUE(Bytes(kept[i]) == expected[sizes[i]]);
}

TEST(PlannedMemory, EqualStepsLieInOneBlock) {
  Layers layers;
  DirectSession session(layers.graph(), {});
  const auto callable = layers.Prepare(&session);
  ASSERT_OK(callable);
  for (int i = 0; i < 6; ++i) layers.Run(&session, 300);
  EXPECT_EQ((*callable)->planned_steps(), 5);  // the first is learned from
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
