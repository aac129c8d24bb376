// Expected numbers are those that TensorFlow draws for the same seeds.
#include "testing/op_test.h"
#include "testing/repeated_op.h"

namespace tfbuild {
namespace testing {
namespace {

AttrMap Attrs(bool unique, int64_t sampled = 5) {
  return {{"num_true", int64_t{1}}, {"num_sampled", sampled}, {"unique", unique},
          {"seed", int64_t{3}}, {"seed2", int64_t{9}}};
}
Tensor Classes() { return MakeTensor<int64_t>({2, 1}, {1, 3}); }

void Draws(const std::string& op, AttrMap attrs, const std::vector<double>& first,
           const std::vector<double>& second) {
  const auto steps = RunRepeatedly(CpuDevice(), op, {Classes()}, std::move(attrs), 2);
  ASSERT_OK(steps);
  const Shape shape{static_cast<int64_t>(first.size())};
  ExpectClose((*steps)[0], MakeTensor<int64_t>(shape, first), Ulps(0));
  ExpectClose((*steps)[1], MakeTensor<int64_t>(shape, second), Ulps(0));
}

AttrMap Below13(bool unique) {
  AttrMap attrs = Attrs(unique);
  attrs["range_max"] = int64_t{13};
  return attrs;
}

TEST(CandidateSampler, Uniform) {
  Draws("UniformCandidateSampler", Below13(true), {0, 11, 1, 3, 2}, {9, 0, 10, 8, 2});
  Draws("UniformCandidateSampler", Below13(false), {0, 11, 0, 1, 3}, {9, 0, 9, 10, 8});
}

TEST(CandidateSampler, LogUniform) {
  Draws("LogUniformCandidateSampler", Below13(true), {2, 1, 12, 0, 5}, {1, 0, 6, 7, 12});
  Draws("LogUniformCandidateSampler", Below13(false), {2, 2, 2, 1, 12}, {1, 1, 0, 6, 0});
}

TEST(CandidateSampler, UnigramsAreLearnt) {
  for (const char* op : {"LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"}) {
    Draws(op, Below13(true), {9, 12, 3, 11, 5}, {12, 4, 3, 7, 11});
  }
}

AttrMap Fixed() {
  AttrMap attrs = Attrs(true, 4);
  attrs["range_max"] = int64_t{6};
  attrs["unigrams"] = std::vector<float>{1, 5, 3, 2, 8};
  attrs["num_reserved_ids"] = int64_t{1};
  attrs["distortion"] = 0.75f;
  return attrs;
}

TEST(CandidateSampler, FixedUnigrams) {
  Draws("FixedUnigramCandidateSampler", Fixed(), {5, 2, 1, 4}, {2, 5, 4, 3});
}

TEST(CandidateSampler, ReturnsWhatIsExpected) {
  OpTest test("LogUniformCandidateSampler");
  test.Input(Classes());
  for (const auto& attr : Below13(false)) test.Attr(attr.first, attr.second);
  test.Expect(MakeTensor<int64_t>({5}, {2, 2, 2, 1, 12}))
      .Expect(MakeTensor<float>({2, 1}, {0.768200695514679, 0.42277130484580994}))
      .Expect(MakeTensor<float>({5}, {0.5450470447540283, 0.5450470447540283, 0.5450470447540283,
                                      0.768200695514679, 0.14040614664554596}))
      .Run();
}

TEST(CandidateSampler, AllOfThem) {
  OpTest test("AllCandidateSampler");
  test.Input(Classes());
  for (const auto& attr : Attrs(true, 4)) test.Attr(attr.first, attr.second);
  test.Expect(MakeTensor<int64_t>({4}, {0, 1, 2, 3}))
      .Expect(MakeTensor<float>({2, 1}, {1, 1}))
      .Expect(MakeTensor<float>({4}, {1, 1, 1, 1}))
      .Run();
}

void Refused(AttrMap attrs, const std::string& op, const Tensor& classes, const std::string& why) {
  OpTest test(op);
  test.Input(classes);
  for (const auto& attr : attrs) test.Attr(attr.first, attr.second);
  test.RunExpectingError(Code::kInvalidArgument, why);
}

TEST(CandidateSampler, RejectsWrongArguments) {
  AttrMap few = Below13(true);
  few["range_max"] = int64_t{4};
  Refused(few, "UniformCandidateSampler", Classes(), "range is too small");
  Refused(Below13(true), "UniformCandidateSampler", MakeTensor<int64_t>({1, 2}, {1, 2}),
          "num_true");
  Refused(Below13(true), "UniformCandidateSampler", MakeTensor<int64_t>({1, 1}, {13}),
          "out of range");
  AttrMap large = Below13(true);
  large["range_max"] = int64_t{1} << 40;
  Refused(large, "LearnedUnigramCandidateSampler", Classes(), "range_max");
}

TEST(CandidateSampler, RejectsWrongWeights) {
  AttrMap attrs = Fixed();
  attrs["unigrams"] = std::vector<float>{1, 5};
  Refused(attrs, "FixedUnigramCandidateSampler", Classes(), "range_max");
  attrs["unigrams"] = std::vector<float>{0, 0, 0, 0, 0};
  Refused(attrs, "FixedUnigramCandidateSampler", Classes(), "sum to");
  attrs["unigrams"] = std::vector<float>{1, 1, -1, 1, 1};
  Refused(attrs, "FixedUnigramCandidateSampler", Classes(), "weight of id");
  attrs["unigrams"] = std::vector<float>{};
  Refused(attrs, "FixedUnigramCandidateSampler", Classes(), "vocab_file or unigrams");
}

TEST(AccidentalHits, AreTheTrueClassesAmongTheCandidates) {
  OpTest("ComputeAccidentalHits")
      .Input(Classes())
      .Input(MakeTensor<int64_t>({4}, {3, 2, 1, 3}))
      .Attr("num_true", int64_t{1})
      .Expect(MakeTensor<int32_t>({2}, {0, 1}))
      .Expect(MakeTensor<int64_t>({2}, {2, 3}))
      .Expect(MakeTensor<float>({2}, {-3.4028234663852886e+38, -3.4028234663852886e+38}))
      .Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
