#include "kernels/nn/conv_tiles.h"

#include <random>

#include "testing/test.h"

namespace tfbuild {
namespace testing {
namespace {

using Numbers = std::vector<double>;

// Elements of an image's pixel of channel 0.
int64_t At(const ConvDimensions& whole, bool is_input, int64_t batch, int64_t row, int64_t col) {
  const int64_t rows = is_input ? whole.rows.input : whole.rows.output;
  const int64_t cols = is_input ? whole.cols.input : whole.cols.output;
  const int64_t channels = is_input ? whole.in_channels : whole.out_channels;
  if (whole.format == DataFormat::kNCHW) return batch * channels * rows * cols + row * cols + col;
  return ((batch * rows + row) * cols + col) * channels;
}

// Does the pass for channel 0 by its definition, for a tile whose images lie in those of `whole`.
void AddTo(ConvPass pass, const ConvTile& tile, const ConvDimensions& whole, Numbers* input,
           Numbers* filter, Numbers* output) {
  const Window &rows = tile.dims.rows, &cols = tile.dims.cols;
  for (int64_t b = 0; b < tile.dims.batch; ++b)
    for (int64_t r = 0; r < rows.output; ++r)
      for (int64_t c = 0; c < cols.output; ++c)
        for (int64_t p = 0; p < rows.filter; ++p)
          for (int64_t q = 0; q < cols.filter; ++q) {
            const int64_t y = r * rows.stride + p * rows.dilation - rows.pad_before;
            const int64_t x = c * cols.stride + q * cols.dilation - cols.pad_before;
            if (y < 0 || y >= rows.input || x < 0 || x >= cols.input) continue;
            double& in = input->at(static_cast<size_t>(tile.input_at + At(whole, true, b, y, x)));
            double& w = filter->at(static_cast<size_t>(p * cols.filter + q));
            double& out =
                output->at(static_cast<size_t>(tile.output_at + At(whole, false, b, r, c)));
            if (pass == ConvPass::kForward) out += in * w;
            if (pass == ConvPass::kInput) in += out * w;
            if (pass == ConvPass::kFilter) w += in * out;
          }
}

Numbers Random(int64_t count, bool empty, std::mt19937* random) {
  Numbers numbers(static_cast<size_t>(count), 0.0);
  for (double& number : numbers) number = empty ? 0 : static_cast<double>((*random)() % 100);
  return numbers;
}

ConvDimensions Any(std::mt19937* random) {
  const auto draw = [random](int least, int most) {
    return least + static_cast<int64_t>((*random)() % static_cast<unsigned>(most - least + 1));
  };
  while (true) {
    ConvDimensions dims;
    dims.format = draw(0, 1) == 0 ? DataFormat::kNHWC : DataFormat::kNCHW;
    dims.batch = draw(1, 3);
    dims.in_channels = draw(1, 3);
    dims.out_channels = draw(1, 3);
    bool fits = true;
    for (Window* window : {&dims.rows, &dims.cols}) {
      window->input = draw(1, 12);
      window->filter = draw(1, 7);
      window->stride = draw(1, 9);
      window->dilation = draw(1, 3);
      window->pad_before = draw(0, 9);
      window->pad_after = draw(0, 9);
      const auto padding = static_cast<Padding>(draw(0, 2));
      fits = fits && SetOutput(padding, window).ok() && window->output > 0;
    }
    if (fits) return dims;
  }
}

TEST(ConvTiles, TogetherDoTheWhole) {
  std::mt19937 random(7);
  for (int round = 0; round < 1500; ++round) {
    const ConvDimensions whole = Any(&random);
    for (const ConvPass pass : {ConvPass::kForward, ConvPass::kInput, ConvPass::kFilter}) {
      const auto numbers = [&](int64_t count, ConvPass result) {
        return Random(count, pass == result, &random);
      };
      Numbers input = numbers(whole.input_shape().num_elements(), ConvPass::kInput);
      Numbers filter = numbers(whole.rows.filter * whole.cols.filter, ConvPass::kFilter);
      Numbers output = numbers(whole.output_shape().num_elements(), ConvPass::kForward);
      Numbers in = input, w = filter, out = output;
      AddTo(pass, ConvTile{whole}, whole, &input, &filter, &output);
      const double most = TileWork(pass, whole) / static_cast<double>(1 + random() % 20);
      for (const ConvTile& tile : TilesOf(pass, ConvTile{whole}, whole, most)) {
        EXPECT_TRUE(TileWork(pass, tile.dims) <= most || IsPixel(pass, tile));
        for (const Window* window : {&tile.dims.rows, &tile.dims.cols}) {
          EXPECT_TRUE(window->input > 0 && window->output > 0);
          EXPECT_TRUE(window->pad_before >= 0 && window->pad_after >= 0);
          EXPECT_EQ(window->input + window->pad_before + window->pad_after,
                    (window->output - 1) * window->stride + window->effective_filter());
        }
        // Again in parts, as a tile is that is still too long.
        for (const ConvTile& part : TilesOf(pass, tile, whole, most / 3)) {
          AddTo(pass, part, whole, &in, &w, &out);
        }
      }
      EXPECT_TRUE(in == input && w == filter && out == output);
    }
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
