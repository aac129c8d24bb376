#include "kernels/nn/conv_tiles.h"

#include <algorithm>

namespace tfbuild {
namespace {

// How far apart neighbours are along each dimension of images.
struct ImageSteps {
  int64_t batch, row, col;
};

ImageSteps StepsOf(DataFormat format, int64_t channels, int64_t rows, int64_t cols) {
  if (format == DataFormat::kNCHW) return {channels * rows * cols, cols, 1};
  return {rows * cols * channels, cols * channels, channels};
}

// A part of a window's way along one dimension.
struct Cut {
  Window window;
  int64_t first_input, first_output;
};

// Of outputs [first, first + count) and inputs in [begin, end), those that meet.
Cut CutOf(const Window& whole, int64_t first, int64_t count, int64_t begin, int64_t end) {
  Window part = whole;
  const int64_t top = first * whole.stride - whole.pad_before;
  const int64_t bottom = top + (count - 1) * whole.stride + whole.effective_filter();
  const int64_t first_input = std::max(top, begin);
  const int64_t end_of_input = std::min(bottom, end);
  part.input = count > 0 ? std::max<int64_t>(0, end_of_input - first_input) : 0;
  part.pad_before = first_input - top;
  part.pad_after = bottom - end_of_input;
  part.output = count;
  return {part, first_input, first};
}

// What computes outputs [first, first + count), or the gradient of these inputs.
Cut CutOf(ConvPass pass, const Window& whole, int64_t first, int64_t count) {
  if (pass != ConvPass::kInput) return CutOf(whole, first, count, 0, whole.input);
  // The last row of the window is the first that comes to the first input.
  const int64_t before = first + whole.pad_before - (whole.effective_filter() - 1);
  const int64_t top = before <= 0 ? 0 : (before + whole.stride - 1) / whole.stride;
  const int64_t end =
      std::min(whole.output, (first + count - 1 + whole.pad_before) / whole.stride + 1);
  return CutOf(whole, top, end - top, first, first + count);
}

// Pixels of what a pass computes for one image.
int64_t RowsOf(ConvPass pass, const ConvDimensions& dims) {
  return pass == ConvPass::kInput ? dims.rows.input : dims.rows.output;
}
int64_t ColsOf(ConvPass pass, const ConvDimensions& dims) {
  return pass == ConvPass::kInput ? dims.cols.input : dims.cols.output;
}

// Calls body(first, count) for runs of `most` out of `all`.
template <typename Body>
void ForEachRun(int64_t all, int64_t most, const Body& body) {
  for (int64_t first = 0; first < all; first += most) body(first, std::min(most, all - first));
}

}  // namespace

double ConvWork(const ConvDimensions& dims) {
  const double per_output = static_cast<double>(dims.rows.filter * dims.cols.filter) *
                            static_cast<double>(dims.in_channels / dims.groups);
  return per_output * static_cast<double>(dims.output_shape().num_elements());
}

double TileWork(ConvPass pass, const ConvDimensions& dims) {
  if (pass != ConvPass::kInput) return ConvWork(dims);
  const double per_input = static_cast<double>(dims.rows.filter * dims.cols.filter) *
                           static_cast<double>(dims.out_channels / dims.groups);
  return per_input * static_cast<double>(dims.input_shape().num_elements());
}

bool IsPixel(ConvPass pass, const ConvTile& tile) {
  return tile.dims.batch * RowsOf(pass, tile.dims) * ColsOf(pass, tile.dims) == 1;
}

std::vector<ConvTile> TilesOf(ConvPass pass, const ConvTile& tile, const ConvDimensions& whole,
                              double most_work) {
  const ConvDimensions& dims = tile.dims;
  const int64_t width = ColsOf(pass, dims);
  const int64_t height = RowsOf(pass, dims);
  const int64_t image = height * width;
  const double pixel = TileWork(pass, dims) / static_cast<double>(dims.batch * image);
  const int64_t pixels = std::max<int64_t>(1, static_cast<int64_t>(most_work / pixel));
  const ImageSteps in =
      StepsOf(whole.format, whole.in_channels, whole.rows.input, whole.cols.input);
  const ImageSteps out =
      StepsOf(whole.format, whole.out_channels, whole.rows.output, whole.cols.output);
  std::vector<ConvTile> tiles;
  const auto add = [&](int64_t batch, int64_t batches, const Cut& down, const Cut& across) {
    if (down.window.input == 0 || across.window.input == 0) return;
    ConvTile part = tile;
    part.input_at += batch * in.batch + down.first_input * in.row + across.first_input * in.col;
    part.output_at += batch * out.batch + down.first_output * out.row +
                      across.first_output * out.col;
    part.dims.batch = batches;
    part.dims.rows = down.window;
    part.dims.cols = across.window;
    tiles.push_back(part);
  };
  const int64_t images = std::clamp<int64_t>(pixels / image, 1, dims.batch);
  const int64_t rows = std::clamp<int64_t>(pixels / width, 1, height);
  ForEachRun(dims.batch, images, [&](int64_t batch, int64_t batches) {
    ForEachRun(height, rows, [&](int64_t row, int64_t row_count) {
      ForEachRun(width, std::min(pixels, width), [&](int64_t col, int64_t col_count) {
        add(batch, batches, CutOf(pass, dims.rows, row, row_count),
            CutOf(pass, dims.cols, col, col_count));
      });
    });
  });
  return tiles;
}

}  // namespace tfbuild
