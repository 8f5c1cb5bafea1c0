// empty.cu - what nvcc takes for nothing
// SPDX-License-Identifier: MIT
__global__ void empty() {}
