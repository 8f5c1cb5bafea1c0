/* ---- Bodies of instructions ------------------------------------------- */
#ifndef LL_PTX_INSTRUCTIONS_BODIES_H
#define LL_PTX_INSTRUCTIONS_BODIES_H

#include "../../ll/kernel/words.h"
#include "../base.h"

/* Device code exists for the vendor whose compiler runs. Under an emulator on
 * the host it exists for the header that is included first. */
#if defined(LL_DEVICE) && !defined(__HIP__) && !defined(LL_AMD_DEVICE_)
#define LL_PTX_DEVICE_ 1

/* Private: an operand list of the first n words of v: LL_W4_(LL_O32_, v). */
#define LL_W1_(op, v) op((v).w[0])
#define LL_W2_(op, v) op((v).w[0]), op((v).w[1])
#define LL_W4_(op, v) LL_W2_(op, v), op((v).w[2]), op((v).w[3])
#define LL_W8_(op, v)                                                       \
    LL_W4_(op, v), op((v).w[4]), op((v).w[5]), op((v).w[6]), op((v).w[7])

/* Private: the bodies of loads and stores of n words by the instruction `text`.
 * Bodies with _IF_ are for global memory, and only lanes where `on` is not 0
 * execute the instruction. LL_SHFL_ is the body of a shuffle. */
#define LL_LOADED_(n, text)                                                 \
    ll_words v = LL_ZERO;                                                   \
    LL_PTX_(text, (LL_W##n##_(LL_O32_, v)), (LL_I32_(address)));            \
    return v
#define LL_STORED_(n, text)                                                 \
    LL_PTX_(text, (), (LL_I32_(address), LL_W##n##_(LL_I32_, v)))
#define LL_IF_(text) "{ .reg .pred p; setp.ne.u32 p, " text " }"
#define LL_LOADED_IF_(n, text)                                              \
    ll_words v = LL_ZERO;                                                   \
    LL_PTX_(LL_IF_(text), (LL_W##n##_(LL_IO32_, v)),                        \
            (LL_I64_(address), LL_I32_(on)));                               \
    return v
#define LL_STORED_IF_(n, text)                                              \
    LL_PTX_(LL_IF_(text), (),                                               \
            (LL_I64_(address), LL_W##n##_(LL_I32_, v), LL_I32_(on)))
#define LL_SHFL_(text)                                                      \
    unsigned y = 0;                                                         \
    LL_PTX_LANES_(text, (LL_O32_(y)), (LL_I32_(x), LL_I32_(lane)));         \
    return y

/* Private: LL_X: an operand list of n elements of the array v from k on. LL_R:
 * the text of the first n operands. */
#define LL_X1_(op, v, k) op((v)[k])
#define LL_X2_(op, v, k) op((v)[k]), op((v)[(k) + 1])
#define LL_X4_(op, v, k) LL_X2_(op, v, k), LL_X2_(op, v, (k) + 2)
#define LL_X8_(op, v, k) LL_X4_(op, v, k), LL_X4_(op, v, (k) + 4)
#define LL_X16_(op, v, k) LL_X8_(op, v, k), LL_X8_(op, v, (k) + 8)
#define LL_X32_(op, v, k) LL_X16_(op, v, k), LL_X16_(op, v, (k) + 16)
#define LL_X64_(op, v, k) LL_X32_(op, v, k), LL_X32_(op, v, (k) + 32)
#define LL_X128_(op, v, k) LL_X64_(op, v, k), LL_X64_(op, v, (k) + 64)
#define LL_R2_ "%0, %1"
#define LL_R4_ LL_R2_ ", %2, %3"
#define LL_R8_ LL_R4_ ", %4, %5, %6, %7"
#define LL_R16_ LL_R8_ ", %8, %9, %10, %11, %12, %13, %14, %15"
#define LL_R32_ LL_R16_                                                     \
    ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, "        \
    "%28, %29, %30, %31"
#define LL_R64_ LL_R32_                                                     \
    ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, "        \
    "%44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "          \
    "%56, %57, %58, %59, %60, %61, %62, %63"
#define LL_R128_ LL_R64_                                                    \
    ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, "        \
    "%76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, "          \
    "%88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, "          \
    "%100, %101, %102, %103, %104, %105, %106, %107, %108, %109, "          \
    "%110, %111, %112, %113, %114, %115, %116, %117, %118, %119, "          \
    "%120, %121, %122, %123, %124, %125, %126, %127"

#endif

#endif
