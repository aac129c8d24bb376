// _FusedMatMul and what it is made of: one call of a GPU's library has the numbers of the ops alone.
#include <cmath>
#include <cstdlib>
#include <type_traits>

#include "kernels/framework/epilogue.h"
#include "testing/kept_algorithm.h"
#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

using Ops = std::vector<std::string>;
const char kCancel[] = "terms of both signs cancel";

struct Case {
  int64_t m, k, n;
  Ops ops;
  bool transpose_a = false;
  bool transpose_b = false;
};

bool Has(const Case& c, const char* op) {
  return std::find(c.ops.begin(), c.ops.end(), op) != c.ops.end();
}

struct Inputs {
  Tensor a, b;
  std::vector<Tensor> args;  // bias, residual
};

template <typename T>
Inputs MakeInputs(const Case& c) {
  const auto draw = [](const Shape& shape, uint64_t seed) {
    return MakeTensor<T>(shape, RandomValues(shape.num_elements(), seed));
  };
  Inputs inputs{draw(c.transpose_a ? Shape{c.k, c.m} : Shape{c.m, c.k}, 1),
                draw(c.transpose_b ? Shape{c.n, c.k} : Shape{c.k, c.n}, 2), {}};
  if (Has(c, "BiasAdd")) inputs.args.push_back(draw({c.n}, 3));
  if (Has(c, "Add")) inputs.args.push_back(draw({c.m, c.n}, 4));
  return inputs;
}

OpTest Fused(const Case& c, const Inputs& inputs) {
  OpTest test("_FusedMatMul");
  test.Input(inputs.a).Input(inputs.b);
  for (const Tensor& arg : inputs.args) test.Input(arg);
  test.Attr("transpose_a", c.transpose_a).Attr("transpose_b", c.transpose_b);
  test.Attr("num_args", static_cast<int64_t>(inputs.args.size())).Attr("fused_ops", c.ops);
  return test.Attr("T", inputs.a.dtype());
}

// By definition, in double, of the CPU's product of doubles.
template <typename T>
Tensor Expected(const Case& c, const Inputs& inputs) {
  OpTest product("MatMul");
  product.Input(MakeTensor<double>(inputs.a.shape(), Values(inputs.a)));
  product.Input(MakeTensor<double>(inputs.b.shape(), Values(inputs.b)));
  product.Attr("transpose_a", c.transpose_a).Attr("transpose_b", c.transpose_b);
  std::vector<double> values = Values((*product.RunOnCpu())[0]);
  size_t next = 0;
  for (const char* op : {"BiasAdd", "Add"}) {
    if (!Has(c, op)) continue;
    const std::vector<double> more = Values(inputs.args[next++]);
    for (size_t i = 0; i < values.size(); ++i) values[i] += more[i % more.size()];
  }
  for (double& x : values) {
    if (Has(c, "Relu")) x = std::max(x, 0.0);
    if (!Has(c, "GeluApproximate")) continue;
    x = 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
  }
  return MakeTensor<T>({c.m, c.n}, values);
}

// How the file of the fastest algorithms calls it.
std::string TaskOf(const Case& c, DType dtype) {
  const char* const tf32 = std::getenv("TFBUILD_ALLOW_TF32");
  const bool rounds = dtype == DType::kFloat && (tf32 == nullptr || tf32 != std::string("0"));
  return StrCat("matmul ", DTypeName(dtype), rounds ? " tf32 " : " ", c.m, " ", c.k, " ", c.n,
                c.transpose_a ? " t" : " n", c.transpose_b ? "t " : "n ", StrJoin(c.ops, " "), " ");
}

// cublasLt's own tanh of floats is 5e-6 from the truth near -0.1, on an H200; the emulation's is exact.
template <typename T>
double SlackOf(const Case& c, double slack) {
  const bool by_cublaslt = std::is_same<T, float>::value && Has(c, "GeluApproximate") &&
                           !KeepsEmulatedAlgorithms();
  return by_cublaslt ? 10 * slack : slack;
}

template <typename T>
void Check(const Case& c, double slack) {
  const Inputs inputs = MakeInputs<T>(c);
  for (Device* device : LocalDevices()) {
    if (device->type() != DeviceType::kGpu) continue;
    const auto result = Fused(c, inputs).RunOn(device);
    ASSERT_OK(result);
    ExpectClose((*result)[0], Expected<T>(c, inputs), Slack(SlackOf<T>(c, slack), kCancel, 4));
    // By one call, which has then been timed: two kernels would give the same numbers.
    if (!KeepsEmulatedAlgorithms() || c.m == 0 || c.k == 0) continue;
    EXPECT_TRUE(!KeptAlgorithm(TaskOf(c, inputs.a.dtype())).empty());
  }
}

// By one call, since its sizes and numbers are what cublasLt takes; and by two, since there is nothing
// to multiply.
template <typename T>
void CheckAll(double slack) {
  for (const Ops& ops : {Ops{"BiasAdd"}, Ops{"BiasAdd", "Relu"}, Ops{"BiasAdd", "GeluApproximate"},
                         Ops{"BiasAdd", "Add", "Relu"}, Ops{"Add"}, Ops{"Relu"},
                         Ops{"GeluApproximate"}}) {
    Check<T>({5, 7, 33, ops}, slack);
    Check<T>({16, 3, 64, ops}, slack);
    Check<T>({9, 0, 65, ops}, slack);
    Check<T>({9, 0, 64, ops}, slack);
    Check<T>({0, 4, 8, ops}, slack);
  }
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      Check<T>({5, 8, 12, {"BiasAdd", "Relu"}, transpose_a, transpose_b}, slack);
    }
  }
}

TEST(FusedMatMul, OfFloat) { CheckAll<float>(1e-6); }
TEST(FusedMatMul, OfHalf) { CheckAll<Half>(1e-3); }
TEST(FusedMatMul, OfBFloat16) { CheckAll<BFloat16>(8e-3); }

// The same sizes where the tensors do not begin at multiples of 256 bytes: another task for cublasLt.
TEST(FusedMatMul, OfRowsThatBeginAnywhere) {
  for (const int64_t m : {1, 2, 3}) Check<float>({m, 5, 9, {"BiasAdd"}}, 1e-6);
}

TEST(FusedMatMul, RefusesWhatDoesNotFit) {
  const Case c{2, 3, 4, {"BiasAdd"}};
  Inputs inputs = MakeInputs<float>(c);
  inputs.args[0] = MakeTensor<float>({3}, {1, 2, 3});
  EXPECT_ERROR(Fused(c, inputs).RunOn(CpuDevice()), Code::kInvalidArgument,
               "a bias of 3 numbers for 4 channels");
  for (const Ops& ops : {Ops{"Relu", "BiasAdd"}, Ops{"Tanh"}, Ops{"BiasAdd", "BiasAdd"},
                         Ops{"Relu", "GeluApproximate"}}) {
    EXPECT_ERROR(ParseEpilogue(ops), Code::kInvalidArgument, "in this order");
  }
}

// Of the algorithms that are proposed to it, it takes the fastest, and keeps it for other programs.
TEST(FusedMatMul, KeepsTheFastestAlgorithm) {
  if (!KeepsEmulatedAlgorithms()) SKIP_TEST("no emulated GPU that keeps its algorithms");
  const Case c{4, 6, 10, {"BiasAdd"}};
  Check<float>(c, 1e-6);
  // The third that the emulation proposes: the first one fails, the second one is slow.
  EXPECT_EQ(KeptAlgorithm(TaskOf(c, DType::kFloat)).substr(0, 16), "0200000000000000");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
