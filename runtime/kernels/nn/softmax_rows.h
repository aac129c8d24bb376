#pragma once

#include <cstdint>

namespace tfbuild {

// The largest of `count` numbers; NaN is passed over.
float MaxOf(const float* in, int64_t count);
double MaxOf(const double* in, int64_t count);

// out[i] = exp(in[i] - shift), no in[i] being above shift; answers their sum. `out` may be `in`.
double ExpBelow(const float* in, float shift, float* out, int64_t count);
double ExpBelow(const double* in, double shift, double* out, int64_t count);

// Multiplies each number by the factor.
void ScaleRow(float* row, int64_t count, float factor);
void ScaleRow(double* row, int64_t count, double factor);

// For each row of n numbers: softmax, or its logarithm. `out` may be `in`.
void SoftmaxRows(const float* in, int64_t rows, int64_t n, bool log, float* out);
void SoftmaxRows(const double* in, int64_t rows, int64_t n, bool log, double* out);

}  // namespace tfbuild
