// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// Six steps of three sequences with four classes, for most tests.
Tensor Inputs() {
  return MakeTensor<float>({6, 3, 4}, {1.78999996, 0.439999998, 0.100000001, -1.86000001,
      -0.280000001, -0.349999994, -0.0799999982, -0.629999995, -0.0399999991, -0.479999989,
      -1.30999994, 0.879999995, 0.879999995, 1.71000004, 0.0500000007, -0.400000006, -0.550000012,
      -1.54999995, 0.980000019, -1.10000002, -1.19000006, -0.209999993, 1.49000001, 0.239999995,
      -1.01999998, -0.709999979, 0.629999995, -0.159999996, -0.769999981, -0.230000004, 0.75,
      1.98000002, -1.24000001, -0.629999995, -0.800000012, -2.42000008, -0.920000017, -1.01999998,
      1.12, -0.129999995, -1.62, 0.649999976, -0.360000014, -1.74000001, -0.600000024,
      -0.589999974, -0.870000005, 0.0299999993, -2.25, -0.270000011, 1.00999999, 0.850000024,
      1.11000001, 1.12, 1.49000001, -1.12, 0.850000024, -1.86000001, -0.600000024, -1.90999997,
      1.04999995, 1.33000004, -0.200000003, 1.76999998, -0.670000017, 0.150000006, 0.150000006,
      -1.05999994, 0.439999998, 1.94000006, -1.01999998, 0.899999976});
}

TEST(CtcLoss, Float) {
  OpTest("CTCLoss")
      .Input(Inputs())
      .Input(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 1, 0, 2, 0, 2, 1, 2, 2}))
      .Input(MakeTensor<int32_t>({6}, {1, 1, 0, 2, 2, 1}))
      .Input(MakeTensor<int32_t>({3}, {6, 4, 6}))
      .Expect(MakeTensor<float>({3}, {5.98022366, 5.34072018, 4.65959263}))
      .Expect(MakeTensor<float>({6, 3, 4}, {0.680387437, -0.738103867, 0.125544772, -0.0678283498,
          -0.306688011, 0.241647661, 0.316549838, -0.251509517, 0.225521937, 0.14524433,
          -0.0517522618, -0.319013953, 0.249538034, -0.321186721, 0.108810872, -0.0371618569,
          -0.487345159, 0.0560534969, 0.703667879, -0.272375822, 0.044586625, 0.11879912,
          -0.159360826, -0.00402463973, 0.100668795, -0.182475805, 0.524180353, -0.442373246,
          -0.0512457527, 0.074833937, 0.199391752, -0.222979367, 0.212747052, 0.391546339,
          -0.462528765, -0.141764492, 0.0847540796, -0.226565361, 0.651810467, -0.509999156,
          -0.135437965, 0.641370654, 0.233599365, -0.739531875, 0.215005651, 0.212643549,
          0.0690582618, -0.496707052, 0.0177021753, -0.26597929, 0.46113348, -0.212856591, 0, 0,
          0, 0, 0.732923508, 0.016337581, -0.774503648, 0.0252428018, 0.214405105, -0.292252094,
          0.0614280924, 0.0164186656, 0, 0, 0, 0, 0.137023851, -0.376532674, 0.0318219066,
          0.20768711}))
      .Within(Slack(2e-6, "TensorFlow computes in float"))
      .Run();
}

TEST(CtcLoss, NothingMerged) {
  OpTest("CTCLoss")
      .Input(Inputs())
      .Input(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 1, 0, 2, 0, 2, 1, 2, 2}))
      .Input(MakeTensor<int32_t>({6}, {1, 1, 0, 2, 2, 1}))
      .Input(MakeTensor<int32_t>({3}, {6, 4, 6}))
      .Attr("ctc_merge_repeated", false)
      .Expect(MakeTensor<float>({3}, {6.78902864, 5.87961769, 5.21916008}))
      .Expect(MakeTensor<float>({6, 3, 4}, {0.680387437, -0.676533282, 0.125544772, -0.129398853,
          -0.0675231218, 0.241647661, 0.316549838, -0.490674466, 0.225521937, 0.14524433,
          0.0223617591, -0.393128157, 0.249538034, -0.252333701, 0.108810872, -0.106015153,
          -0.246653527, 0.0560534969, 0.703667879, -0.513067544, 0.044586625, 0.11879912,
          0.00785899162, -0.171244934, 0.100668795, 0.0424918905, 0.524180353, -0.667340994,
          0.0288921222, 0.074833937, 0.199391752, -0.303117633, 0.212747052, 0.379434317,
          -0.401589155, -0.190592438, 0.0847540796, 0.00866737217, 0.651810467, -0.745232105,
          -0.193306297, 0.641370654, 0.233599365, -0.681663513, 0.215005651, 0.16538702,
          0.0713689178, -0.451761872, 0.0177021753, 0.0739364475, 0.46113348, -0.552772224, 0, 0,
          0, 0, 0.732923508, -0.0715744346, -0.319980502, -0.341369033, 0.214405105, 0.178266555,
          0.0614280924, -0.454099745, 0, 0, 0, 0, 0.137023851, -0.201669812, 0.0318219066,
          0.0328235179}))
      .Within(Slack(2e-6, "TensorFlow computes in float"))
      .Run();
}

TEST(CtcLoss, RepeatedLabelsCollapsed) {
  OpTest("CTCLoss")
      .Input(Inputs())
      .Input(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 1, 0, 2, 0, 2, 1, 2, 2}))
      .Input(MakeTensor<int32_t>({6}, {1, 1, 0, 2, 2, 1}))
      .Input(MakeTensor<int32_t>({3}, {6, 4, 6}))
      .Attr("preprocess_collapse_repeated", true)
      .Expect(MakeTensor<float>({3}, {6.33244705, 5.34072018, 4.16275644}))
      .Expect(MakeTensor<float>({6, 3, 4}, {0.680387437, -0.72404027, 0.125544772, -0.0818918571,
          -0.306688011, 0.241647661, 0.316549838, -0.251509517, 0.225521937, 0.14524433,
          -0.0273650512, -0.343401134, 0.249538034, -0.3601861, 0.108810872, 0.00183692575,
          -0.487345159, 0.0560534969, 0.703667879, -0.272375822, 0.044586625, 0.115821391,
          -0.157700479, -0.00270746648, 0.100668795, -0.319788307, 0.524180353, -0.305060834,
          -0.0512457527, 0.074833937, 0.199391752, -0.222979367, 0.212747052, 0.229271188,
          -0.407000184, -0.0350176916, 0.0847540796, -0.103469752, 0.651810467, -0.633095145,
          -0.135437965, 0.641370654, 0.233599365, -0.739531875, 0.215005651, -0.0407438874,
          -0.161550492, -0.0127108097, 0.0177021753, 0.0624659136, 0.46113348, -0.541301906, 0, 0,
          0, 0, 0.732923508, -0.441079915, -0.0438893139, -0.2479541, 0.214405105, 0.254512131,
          0.0614280924, -0.530345678, 0, 0, 0, 0, 0.137023851, -0.162712753, 0.0318219066,
          -0.00613290071}))
      .Within(Slack(2e-6, "TensorFlow computes in float"))
      .Run();
}

TEST(CtcLoss, Double) {
  OpTest("CTCLoss")
      .Input(MakeTensor<double>({3, 1, 3}, {-0.15, 1.77, 0.48, 0.68, 0.64, 0.25, -1.4, 1.39,
          -1.37}))
      .Input(MakeTensor<int64_t>({1, 2}, {0, 0}))
      .Input(MakeTensor<int32_t>({1}, {0}))
      .Input(MakeTensor<int32_t>({1}, {3}))
      .Expect(MakeTensor<double>({1}, {4.093652640960853}))
      .Expect(MakeTensor<double>({3, 1, 3}, {-0.2460737772028036, 0.7032953454413924,
          -0.4572215682385887, -0.3724688531941014, 0.36793550284974036, 0.004533365245522364,
          -0.4753488134126496, 0.8891157261985018, -0.4137669127858522}))
      .Within(Slack(1e-7, "TensorFlow takes exponentials of floats"))
      .Run();
}

TEST(CtcLoss, LongerLabelsIgnored) {
  OpTest("CTCLoss")
      .Input(MakeTensor<float>({2, 1, 3}, {0.239999995, 0.610000014, -0.839999974, 0.150000006,
          1.16999996, -0.0199999996}))
      .Input(MakeTensor<int64_t>({3, 2}, {0, 0, 0, 1, 0, 2}))
      .Input(MakeTensor<int32_t>({3}, {0, 1, 0}))
      .Input(MakeTensor<int32_t>({1}, {2}))
      .Attr("ignore_longer_outputs_than_inputs", true)
      .Expect(MakeTensor<float>({1}, {0}))
      .Expect(MakeTensor<float>({2, 1, 3}, {0, 0, 0, 0, 0, 0}))
      .Run();
}

TEST(CtcLoss, Malformed) {
  OpTest("CTCLoss")
      .Input(Inputs())
      .Input(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 1, 0, 2, 0, 2, 1, 2, 2}))
      .Input(MakeTensor<int32_t>({6}, {1, 1, 0, 2, -2, 1}))
      .Input(MakeTensor<int32_t>({3}, {6, 4, 6}))
      .RunExpectingError(Code::kInvalidArgument, "nonnegative");
  OpTest("CTCLoss")
      .Input(Inputs())
      .Input(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 1, 0, 7, 0, 2, 1, 2, 2}))
      .Input(MakeTensor<int32_t>({6}, {1, 1, 0, 2, 2, 1}))
      .Input(MakeTensor<int32_t>({3}, {6, 4, 6}))
      .RunExpectingError(Code::kInvalidArgument, "labels batch index");
  OpTest("CTCLoss")
      .Input(Inputs())
      .Input(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 1, 0, 1, 0, 2, 1, 2, 2}))
      .Input(MakeTensor<int32_t>({6}, {1, 1, 0, 2, 2, 1}))
      .Input(MakeTensor<int32_t>({3}, {6, 4, 6}))
      .RunExpectingError(Code::kInvalidArgument, "out of order");
  OpTest("CTCLoss")
      .Input(Inputs())
      .Input(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 1, 0, 1, 1, 1, 2, 1, 3}))
      .Input(MakeTensor<int32_t>({6}, {1, 1, 0, 0, 0, 0}))
      .Input(MakeTensor<int32_t>({3}, {6, 4, 6}))
      .RunExpectingError(Code::kInvalidArgument, "Labels length is zero");
  OpTest("CTCLoss")
      .Input(Inputs())
      .Input(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 1, 0, 2, 0, 2, 1, 2, 2}))
      .Input(MakeTensor<int32_t>({6}, {1, 1, 0, 2, 2, 1}))
      .Input(MakeTensor<int32_t>({3}, {6, 4, 7}))
      .RunExpectingError(Code::kInvalidArgument, "sequence_length(2)");
  OpTest("CTCLoss")
      .Input(Inputs())
      .Input(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 1, 0, 2, 0, 2, 1, 2, 2}))
      .Input(MakeTensor<int32_t>({6}, {1, 1, 0, 2, 2, 1}))
      .Input(MakeTensor<int32_t>({3}, {6, 4, -1}))
      .RunExpectingError(Code::kInvalidArgument, "sequence_length(2)");
  OpTest("CTCLoss")
      .Input(Inputs())
      .Input(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 1, 0, 2, 0, 2, 1, 2, 2}))
      .Input(MakeTensor<int32_t>({6}, {1, 1, 0, 2, 2, 1}))
      .Input(MakeTensor<int32_t>({3}, {1, 4, 6}))
      .RunExpectingError(Code::kInvalidArgument, "Not enough time");
  OpTest("CTCLoss")
      .Input(Inputs())
      .Input(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 1, 0, 2, 0, 2, 1, 2, 2}))
      .Input(MakeTensor<int32_t>({3}, {1, 1, 0}))
      .Input(MakeTensor<int32_t>({3}, {6, 4, 6}))
      .RunExpectingError(Code::kInvalidArgument, "same number of rows");
  OpTest("CTCLoss")
      .Input(Inputs())
      .Input(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 1, 0, 2, 0, 2, 1, 2, 2}))
      .Input(MakeTensor<int32_t>({6}, {3, 1, 0, 2, 2, 1}))
      .Input(MakeTensor<int32_t>({3}, {6, 4, 6}))
      .RunExpectingError(Code::kInvalidArgument, "null label");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
