// The graphs of convolutions are taken by cuDNN itself: for GPUs that are described to it, which need not be
// there, its heuristics propose engines and these can be made ready. What runs on a GPU is not tested here.
#include <algorithm>
#include <set>

#include "kernels/nn/cudnn_graph.cuh"
#include "testing/test.h"

namespace tfbuild {
namespace testing {
namespace {

struct DescribedGpu {
  const char* name;
  int version;  // 100 times the compute capability
  int processors;
  int shared_memory;  // bytes that a block may have
  int threads;        // of a processor
  bool has_tf32;
};
// As cudaGetDeviceProperties describes them.
const DescribedGpu kGpus[] = {
    {"Tesla T4", 750, 40, 65536, 1024, false},
    {"NVIDIA A100-SXM4-40GB", 800, 108, 166912, 2048, true},
    {"NVIDIA H100 80GB HBM3", 900, 132, 232448, 2048, true},
};

Result<CudnnDescriptor> Describe(const DescribedGpu& gpu) {
  const std::string text = StrCat(
      R"({"deviceName":")", gpu.name, R"(","deviceVer":)", gpu.version,
      R"(,"driverVer":13000,"multiProcessorCount":)", gpu.processors,
      R"(,"maxSharedMemoryPerBlockOptin":)", gpu.shared_memory, R"(,"maxThreadsPerSM":)", gpu.threads,
      R"(,"maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],)",
      R"("regsPerBlock":65536,"warpSize":32,"maxSharedMemoryPerBlock":49152,)",
      R"("reservedSharedMemoryPerBlock":1024,"maxRegistersPerSM":65536,"maxCtasPerSM":16,)",
      R"("maxThreadsPerBlock":1024,"pciDeviceId":0,"isTccDriver":0,"supportCoopLaunch":1,)",
      R"("totalGlobalMem":16000000000,"smClockRateKHz":1500000,"memClockRateKHz":1200000,)",
      R"("l2CacheSize":4194304,"cudaDeviceId":0})");
  return CudnnBuilder(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR)
      .Set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, std::vector<char>(text.begin(), text.end()))
      .Finalize();
}

CudnnConvolution Convolution(ConvDirection direction, DType dtype, bool channels_last,
                             const Epilogue& then = {}) {
  CudnnConvolution c;
  c.direction = direction;
  c.dtype = dtype;
  c.channels_last = channels_last;
  c.batch = 8;
  c.in_channels = 32;
  c.out_channels = 64;
  c.rows = {28, 3, 2, 1, 1, 14};
  c.cols = {30, 5, 1, 1, 2, 30};
  c.then = then;
  return c;
}

std::set<std::string> NamesOf(const std::vector<CudnnEngine>& engines) {
  std::set<std::string> names;
  for (const CudnnEngine& engine : engines) names.insert(engine.name);
  return names;
}

// How many of the engines can be made ready with a workspace of a size that is there.
size_t NumReady(const CudnnGraph& graph, const std::vector<CudnnEngine>& engines) {
  return static_cast<size_t>(
      std::count_if(engines.begin(), engines.end(), [&](const CudnnEngine& engine) {
        const Result<CudnnPlan> plan = graph.MakePlan(engine);
        return plan.ok() && plan->workspace() >= 0 && plan->workspace() <= int64_t{1} << 30;
      }));
}

void Check(const DescribedGpu& gpu, const CudnnConvolution& convolution) {
  const Result<CudnnDescriptor> properties = Describe(gpu);
  ASSERT_OK(properties);
  CudnnTarget target;
  target.properties = &*properties;
  const Result<CudnnGraph> graph = CudnnGraph::Make(target, convolution);
  ASSERT_OK(graph);
  const auto exact = graph->Propose(false);
  const auto all = graph->Propose(true);
  ASSERT_OK(exact);
  ASSERT_OK(all);
  EXPECT_TRUE(NumReady(*graph, *exact) > 0);
  EXPECT_TRUE(NumReady(*graph, *all) > 0);
  EXPECT_EQ(NamesOf(*all).size(), all->size());
  EXPECT_TRUE(std::any_of(exact->begin(), exact->end(),
                          [](const CudnnEngine& engine) { return engine.deterministic; }));
  // What rounds floats is left out where it must not.
  const bool rounds = convolution.dtype == DType::kFloat && gpu.has_tf32;
  EXPECT_EQ(all->size() > exact->size(), rounds);
}

constexpr DType kTypes[] = {DType::kFloat, DType::kHalf, DType::kBFloat16, DType::kDouble};

bool HasType(const DescribedGpu& gpu, DType dtype) {
  return dtype != DType::kBFloat16 || gpu.version >= 800;
}

TEST(DescribedGpus, HaveEnginesForConvolutionsAndGradients) {
  for (const DescribedGpu& gpu : kGpus) {
    for (const DType dtype : kTypes) {
      for (const bool channels_last : {false, true}) {
        for (const auto direction : {ConvDirection::kForward, ConvDirection::kInputGradient,
                                     ConvDirection::kFilterGradient}) {
          if (HasType(gpu, dtype)) Check(gpu, Convolution(direction, dtype, channels_last));
        }
      }
    }
  }
}

TEST(DescribedGpus, HaveEnginesForWhatFollowsAConvolution) {
  for (const DescribedGpu& gpu : kGpus) {
    for (const DType dtype : kTypes) {
      for (const bool channels_last : {false, true}) {
        for (const bool residual : {false, true}) {
          for (const auto activation : {Epilogue::Activation::kNone, Epilogue::Activation::kRelu}) {
            if (!HasType(gpu, dtype)) continue;
            Check(gpu, Convolution(ConvDirection::kForward, dtype, channels_last,
                                   {true, residual, activation}));
          }
        }
      }
    }
  }
}

// A graph that is none is refused where it is made, in cuDNN's words.
TEST(DescribedGpus, RefuseWhatDoesNotFit) {
  const Result<CudnnDescriptor> properties = Describe(kGpus[1]);
  ASSERT_OK(properties);
  CudnnTarget target;
  target.properties = &*properties;
  CudnnConvolution convolution = Convolution(ConvDirection::kForward, DType::kHalf, true);
  convolution.rows.output = 99;
  EXPECT_ERROR(CudnnGraph::Make(target, convolution).status(), Code::kUnimplemented, "cudnnBackend");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
