/* cuda_fp16.h - half precision as a storage type; no arithmetic. */
#ifndef EMU_CUDA_FP16_H
#define EMU_CUDA_FP16_H

struct __half { unsigned short bits; };
struct __attribute__((aligned(4))) __half2 { __half x, y; };
typedef __half half;
typedef __half2 half2;

static inline __half __ushort_as_half(unsigned short u) {
    __half h = {u};
    return h;
}
static inline unsigned short __half_as_ushort(__half h) { return h.bits; }

#endif
