/* ---- Configuration and portability ------------------------------------ */
#ifndef LL_PTX_BASE_H
#define LL_PTX_BASE_H

#include "../ll/base/configuration.h"

/* The macros of ll.h configure this header too. Its own are LL_PTX_WIDE and
 * LL_MATRIX. Define LL_MATRIX before including the header to get the matrix
 * instructions: mma, wgmma and tcgen05. nvcc takes about a second for them.
 * LL_TENSOR is the name of LL_MATRIX in 0.3. With LL_EMULATE, an emulator on
 * the host interprets the instructions. The emulator defines the three LL_PTX_
 * macros below and the macros of their operands. */

#if defined(LL_TENSOR) && !defined(LL_MATRIX)
#define LL_MATRIX
#endif

/* LL_PTX_WIDE is 1 if an access under LL_WIDE may have 32 bytes, which requires
 * sm_100 and PTX 8.8 (CUDA 12.9). Otherwise it is 0, and the widest access has
 * 16 bytes. */
#ifndef LL_PTX_WIDE
#if defined(__CUDA_ARCH__) && defined(__CUDACC_VER_MAJOR__)
#define LL_PTX_WIDE                                                         \
    (__CUDA_ARCH__ >= 1000 &&                                               \
     __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1209)
#else
#define LL_PTX_WIDE 0
#endif
#endif

#if !LL_EMULATE
#define LL_LIST_(...) __VA_ARGS__ /* strips the parentheses */
#endif

/* LL_PTX_(text, outputs, inputs) emits one instruction that may access memory.
 * The two operand lists are in parentheses: LL_O32_(x) is a 32-bit output,
 * LL_I32_(x) an input, LL_IO32_(x) both, LL_I64_(x) a 64-bit input, LL_IMM_(n)
 * a literal. Matrix instructions also have LL_IOS32_ for an int, LL_IOF32_ for
 * a float and LL_IOF64_ for a double, all read and written, LL_IF64_ for a
 * double input, and LL_A32_ for an input that the instruction may read after it
 * was issued.
 *
 * LL_PTX_LANES_ emits an instruction that communicates between lanes and does
 * not access memory. The instruction must stay in its place, but loads and
 * stores may move across it: nvcc keeps their order, ptxas may change it.
 *
 * LL_PTX_PURE_ emits an instruction that depends only on the registers of its
 * own lane. The compiler may move it, and may drop it if its result is
 * unused. */
#if !LL_EMULATE
#define LL_PTX_(text, outputs, inputs)                                      \
    asm volatile(text : LL_LIST_ outputs : LL_LIST_ inputs : "memory")
#define LL_PTX_LANES_(text, outputs, inputs)                                \
    asm volatile(text : LL_LIST_ outputs : LL_LIST_ inputs)
#define LL_PTX_PURE_(text, outputs, inputs)                                 \
    asm(text : LL_LIST_ outputs : LL_LIST_ inputs)
#define LL_O32_(x) "=r"(x)
#define LL_I32_(x) "r"(x)
#define LL_IO32_(x) "+r"(x)
#define LL_I64_(x) "l"(x)
#define LL_IMM_(n) "n"(n)
#define LL_I16_(x) "h"((unsigned short)(x))
#define LL_A32_(x) "r"(x)
#define LL_IOS32_(x) "+r"(x)
#define LL_IOF32_(x) "+f"(x)
#define LL_IOF64_(x) "+d"(x)
#define LL_OF32_(x) "=f"(x)
#define LL_IF32_(x) "f"(x)
#define LL_IF64_(x) "d"(x)
#endif

#endif
