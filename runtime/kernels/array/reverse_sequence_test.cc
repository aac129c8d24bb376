// Expected numbers and errors are TensorFlow's.
#include "tensor/complex.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

OpTest Reversal(Tensor input, Tensor lengths, int64_t seq_dim, int64_t batch_dim) {
  OpTest test("ReverseSequence");
  test.Input(std::move(input)).Input(std::move(lengths));
  test.Attr("seq_dim", seq_dim).Attr("batch_dim", batch_dim);
  return test;
}

template <typename T>
void ReversesRows() {
  Reversal(MakeTensor<T>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
           Tensor::Vector<int64_t>({2, 4, 0}), 1, 0)
      .Expect(MakeTensor<T>({3, 4}, {1, 0, 2, 3, 7, 6, 5, 4, 8, 9, 10, 11}))
      .Run();
}

TEST(ReverseSequence, Float) { ReversesRows<float>(); }
TEST(ReverseSequence, Half) { ReversesRows<Half>(); }
TEST(ReverseSequence, Int8) { ReversesRows<int8_t>(); }
TEST(ReverseSequence, Complex) { ReversesRows<std::complex<float>>(); }

TEST(ReverseSequence, StepsFirst) {
  Reversal(MakeTensor<float>({3, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
           Tensor::Vector<int32_t>({3, 2}), 0, 1)
      .Expect(MakeTensor<float>({3, 2, 2}, {8, 9, 6, 7, 4, 5, 2, 3, 0, 1, 10, 11}))
      .Run();
}

TEST(ReverseSequence, BatchLast) {
  Reversal(MakeTensor<float>({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}),
           Tensor::Vector<int32_t>({2, 2}), 1, 2)
      .Expect(MakeTensor<float>({2, 3, 2}, {2, 3, 0, 1, 4, 5, 8, 9, 6, 7, 10, 11}))
      .Run();
}

TEST(ReverseSequence, Strings) {
  Reversal(Tensor::Strings(Shape{1, 3}, {"a", "b", "c"}), Tensor::Vector<int64_t>({2}), 1, 0)
      .Expect(Tensor::Strings(Shape{1, 3}, {"b", "a", "c"}))
      .Run();
}

TEST(ReverseSequence, Empty) {
  Reversal(MakeTensor<float>({0, 4}, {}), Tensor::Vector<int64_t>({}), 1, 0)
      .Expect(MakeTensor<float>({0, 4}, {}))
      .Run();
  Reversal(MakeTensor<float>({2, 0}, {}), Tensor::Vector<int64_t>({0, 0}), 1, 0)
      .Expect(MakeTensor<float>({2, 0}, {}))
      .Run();
}

TEST(ReverseSequence, RejectsLengths) {
  const Tensor input = MakeTensor<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  Reversal(input, Tensor::Vector<int64_t>({1, -1}), 1, 0)
      .RunExpectingError(Code::kInvalidArgument, "seq_lens(1) < 0");
  Reversal(input, Tensor::Vector<int64_t>({4, 1}), 1, 0)
      .RunExpectingError(Code::kInvalidArgument, "seq_lens(0) > input.dims(1)");
  Reversal(input, Tensor::Vector<int64_t>({1, 2, 3}), 1, 0)
      .RunExpectingError(Code::kInvalidArgument, "seq_len");
}

TEST(ReverseSequence, RejectsAxes) {
  const Tensor input = MakeTensor<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  const Tensor lengths = Tensor::Vector<int64_t>({1, 2});
  Reversal(input, lengths, 2, 0).RunExpectingError(Code::kInvalidArgument, "seq_dim must be <");
  Reversal(input, lengths, 1, 2).RunExpectingError(Code::kInvalidArgument, "batch_dim must be <");
  Reversal(input, lengths, 1, 1).RunExpectingError(Code::kInvalidArgument, "two axes");
  Reversal(input, lengths, -1, 0).RunExpectingError(Code::kInvalidArgument, "not negative");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
