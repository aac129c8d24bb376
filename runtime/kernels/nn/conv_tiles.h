#pragma once

#include <cstdint>
#include <vector>

#include "kernels/nn/conv_dimensions.h"

namespace tfbuild {

// Multiplications of a convolution and of each of its gradients, those with padding counted.
double ConvWork(const ConvDimensions& dims);

// The same, but of the gradient of the input as if each of the inputs were under as many windows as
// the filter has places: there are parts of it that have fewer pixels than windows over them.
double TileWork(ConvPass pass, const ConvDimensions& dims);

// A part of a convolution or of a gradient: some images, or some rows or columns of one. It is a
// convolution as well, of that part of another one's input with that part of its output.
struct ConvTile {
  ConvDimensions dims;
  int64_t input_at = 0;   // elements before its first input in the other's
  int64_t output_at = 0;  // and before its first output
};

// Whether nothing smaller can be cut out of it.
bool IsPixel(ConvPass pass, const ConvTile& tile);

// Tiles of `whole` of at most so much work each, or of one pixel, that together do what `tile` of
// it does. Their inputs (kInput) or outputs (other passes) are apart; left out are those inputs
// under no window, and outputs over no input.
std::vector<ConvTile> TilesOf(ConvPass pass, const ConvTile& tile, const ConvDimensions& whole,
                              double most_work);

}  // namespace tfbuild
