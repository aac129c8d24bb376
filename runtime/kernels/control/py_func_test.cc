#include "kernels/framework/host_function.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

using Types = std::vector<DType>;

// The functions of this test: "swap" gives its inputs in the other order, all others fail.
Status CallForTest(const std::string& token, const std::vector<Tensor>& inputs,
                   std::vector<Tensor>* outputs) {
  if (token != "swap") return InvalidArgument("no function ", token);
  outputs->assign(inputs.rbegin(), inputs.rend());
  return OkStatus();
}

OpTest Test(const char* op, const std::string& token) {
  OpTest test(op);
  test.Input(MakeTensor<float>({2}, {1, 2})).Input(MakeTensor<int32_t>({}, {3}));
  test.Attr("token", token).Attr("Tin", Types{DType::kFloat, DType::kInt32});
  return test;
}

TEST(PyFunc, GivesWhatTheFunctionGives) {
  SetHostFunctionCaller(&CallForTest);
  for (const char* op : {"PyFunc", "PyFuncStateless"}) {
    Test(op, "swap").Attr("Tout", Types{DType::kInt32, DType::kFloat})
        .Expect(MakeTensor<int32_t>({}, {3})).Expect(MakeTensor<float>({2}, {1, 2})).Run();
  }
}

TEST(PyFunc, RefusesOtherNumbersAndTypes) {
  SetHostFunctionCaller(&CallForTest);
  Test("PyFunc", "swap").Attr("Tout", Types{DType::kInt32})
      .RunExpectingError(Code::kInvalidArgument, "returns 2 values, but expects to see 1");
  Test("PyFunc", "swap").Attr("Tout", Types{DType::kFloat, DType::kFloat})
      .RunExpectingError(Code::kInvalidArgument, "0-th value returned by swap is int32");
  Test("PyFunc", "gone").Attr("Tout", Types{})
      .RunExpectingError(Code::kInvalidArgument, "no function gone");
}

TEST(PyFunc, SaysThatNobodyCanCall) {
  SetHostFunctionCaller(nullptr);
  Test("PyFunc", "swap").Attr("Tout", Types{})
      .RunExpectingError(Code::kUnimplemented, "no function of this process");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
