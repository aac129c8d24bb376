#pragma once

// Marks functions that both the host and CUDA devices call.
#ifdef __CUDACC__
#define TFBUILD_HOST_DEVICE __host__ __device__
#else
#define TFBUILD_HOST_DEVICE
#endif
