// Kernels with one thing each that the audit counts.
namespace sample {

template <typename T>
__global__ void Copy(const T* from, T* to) { to[threadIdx.x] = from[threadIdx.x]; }

template __global__ void Copy(const float*, float*);
template __global__ void Copy(const float4*, float4*);

__global__ void Divide(const long long* from, long long by, int rows, int columns, long long* to) {
  for (int row = 0; row < rows; ++row) {
    long long sum = 0;
#pragma unroll 1
    for (int column = 0; column < columns; ++column) sum += from[row * columns + column] / by;
    to[row] = sum / (by + row);
  }
}

__global__ void Local(const int* at, int count, int* to) {
  int places[16] = {};
  for (int i = 0; i < count; ++i) places[at[i] & 15] += i;
  for (int i = 0; i < 16; ++i) to[i] = places[i];
}

__global__ void Product(const unsigned* a, const unsigned* b, float* c) {
  float sum[4] = {};
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  for (int i = 0; i < 4; ++i) c[i] = sum[i];
}

__global__ void Shared(float* to) {
  __shared__ float tile[64];
  tile[threadIdx.x] = to[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = tile[63 - threadIdx.x];
}

}  // namespace sample
