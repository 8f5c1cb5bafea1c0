/* hip_runtime.h - CUDA's run-time calls by HIP's names. */
#ifndef EMU_HIP_RUNTIME_H
#define EMU_HIP_RUNTIME_H

#include "../cuda_runtime.h"

#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMalloc cudaMalloc
#define hipMemcpy cudaMemcpy

#endif
