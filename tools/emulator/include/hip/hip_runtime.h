/* hip_runtime.h - CUDA's run-time calls under HIP's names. */
#ifndef EMU_HIP_RUNTIME_H
#define EMU_HIP_RUNTIME_H

#include "../cuda_runtime.h"

/* AMD GPUs allow more than 48 KiB without an attribute. */
static int emu_hip_allowed_ __attribute__((unused)) =
    (emu_allow(0, 227 << 10), 0);

#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMalloc cudaMalloc
#define hipMemcpy cudaMemcpy
#define hipFree cudaFree
#define hipMallocManaged cudaMallocManaged
#define hipMemcpyAsync cudaMemcpyAsync
#define hipMemset cudaMemset
#define hipMemsetAsync cudaMemsetAsync
#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipStreamCreate cudaStreamCreate
#define hipStreamDestroy cudaStreamDestroy
#define hipStreamSynchronize cudaStreamSynchronize
#define hipGetLastError cudaGetLastError
#define hipPeekAtLastError cudaPeekAtLastError
#define hipGetErrorString cudaGetErrorString
#define hipError_t cudaError_t
#define hipStream_t cudaStream_t
#define hipSuccess cudaSuccess
#define hipMemcpyDeviceToDevice cudaMemcpyDeviceToDevice

#endif
