/* cuda_fp16.h - half precision: __half, __half2 and their functions. */
#ifndef EMU_CUDA_FP16_H
#define EMU_CUDA_FP16_H

#include "emu_floats.h"

typedef emu_float16<5, 10> __half;
typedef emu_float16x2<__half> __half2;
typedef __half::raw __half_raw;
struct __half2_raw {
    unsigned short x, y;
};
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

EMU_NAMES_OF_16_(half, __half, half2, __half2)

#endif
