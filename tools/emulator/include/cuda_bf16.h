/* cuda_bf16.h - bfloat16: __nv_bfloat16, __nv_bfloat162 and their functions. */
#ifndef EMU_CUDA_BF16_H
#define EMU_CUDA_BF16_H

#include "emu_floats.h"

typedef emu_float16<8, 7> __nv_bfloat16;
typedef emu_float16x2<__nv_bfloat16> __nv_bfloat162;
typedef __nv_bfloat16::raw __nv_bfloat16_raw;
struct __nv_bfloat162_raw {
    unsigned short x, y;
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

EMU_NAMES_OF_16_(bfloat16, __nv_bfloat16, bfloat162, __nv_bfloat162)

#endif
