/* ---- Bodies of instructions ------------------------------------------- */
#ifndef LL_AMD_INSTRUCTIONS_BODIES_H
#define LL_AMD_INSTRUCTIONS_BODIES_H

#include "../../ll/kernel/words.h"
#include "../base.h"
#include "../target.h"

/* Device code exists for the vendor whose compiler runs. Under an emulator on
 * the host it exists for the header that is included first. */
#if defined(LL_DEVICE) && (LL_EMULATE || defined(__HIP__)) &&               \
    !defined(LL_PTX_DEVICE_)
#define LL_AMD_DEVICE_ 1

/* Private: returns 0x942 for "gfx942", 0x940 for "gfx9-4-generic", 0x1100 for
 * "gfx11-generic". */
LL_FN unsigned ll_amd_gfx_(const char *name) {
    unsigned gfx = 0;
    for (name += 3; *name && *name != '-'; ++name) {
        gfx = gfx << 4 | (unsigned)(*name <= '9' ? *name - '0'
                                                 : *name - 'a' + 10);
    }
    const unsigned minor = name[0] ? (unsigned)(name[1] - '0') : 0u;
    return name[0] ? gfx << 8 | (minor < 10u ? minor << 4 : 0u) : gfx;
}

/* Private: the target of this compilation. It is 0 in the host pass, where
 * every instruction counts as present. */
#if defined(LL_AMD_GFX_)
enum : unsigned { LL_AMD_HERE_ = LL_AMD_GFX_ };
#elif defined(__amdgcn_processor__)
enum : unsigned { LL_AMD_HERE_ = ll_amd_gfx_(__amdgcn_processor__) };
#else
enum : unsigned { LL_AMD_HERE_ = 0 };
#endif

/* Private: returns 1 if the target GFX has the instruction, or if GFX is 0. */
template <unsigned GFX_> LL_FN int ll_amd_on_(const char *instruction) {
    char digits[5] = LL_ZERO;
    const unsigned n = GFX_ > 0xfffu ? 4u : 3u;
    for (unsigned k = 0; k < n; ++k) {
        const unsigned digit = GFX_ >> (4u * (n - 1u - k)) & 15u;
        digits[k] = (char)(digit < 10u ? '0' + digit : 'a' + digit - 10u);
    }
    return GFX_ == 0 || ll_amd_having_(digits, instruction);
}

#define LL_AMD_NEEDS_(GFX_, instruction, targets)                           \
    static_assert(ll_amd_on_<GFX_>(instruction),                            \
                  "ll: " instruction " is an instruction of " targets)

/* Private: a word with a type that depends on the template argument. A compiler
 * that lacks the built-in then reports this only where the function is used. */
template <unsigned GFX_> struct ll_amd_word_ { typedef unsigned type; };
#define LL_AMD_WORD_(GFX_, x) ((typename ll_amd_word_<GFX_>::type)(x))

/* Private: the types of one access. LL_AMD_TO1_(v, x) stores x in the words v,
 * LL_AMD_OF1_(T, v) returns the words as a T; 2 and 4 are for vectors. */
typedef unsigned char ll_amd_b8_;
typedef unsigned short ll_amd_b16_ __attribute__((may_alias));
typedef unsigned ll_amd_b32_ __attribute__((may_alias));
typedef unsigned ll_amd_b64_ __attribute__((vector_size(8), may_alias));
typedef unsigned ll_amd_b128_ __attribute__((vector_size(16), may_alias));

#define LL_AMD_TO1_(v, x) (v).w[0] = (x)
#define LL_AMD_TO2_(v, x) (v).w[0] = (x)[0], (v).w[1] = (x)[1]
#define LL_AMD_TO4_(v, x)                                                   \
    LL_AMD_TO2_(v, x), (v).w[2] = (x)[2], (v).w[3] = (x)[3]
#define LL_AMD_OF1_(T_, v) ((T_)(v).w[0])
#define LL_AMD_OF2_(T_, v) (T_{(v).w[0], (v).w[1]})
#define LL_AMD_OF4_(T_, v) (T_{(v).w[0], (v).w[1], (v).w[2], (v).w[3]})

/* Private: the bodies of loads and stores of n words. NT is NT_ for data that
 * is used once, else empty. */
#define LL_AMD_LOADED_(NT, space, n, T, on)                                 \
    ll_words v = LL_ZERO;                                                   \
    T x = LL_ZERO;                                                          \
    LL_AMD_READ_##NT(x, space, T, address, on)                              \
    LL_AMD_TO##n##_(v, x);                                                  \
    return v
#define LL_AMD_STORED_(NT, space, n, T, on)                                 \
    const T x = LL_AMD_OF##n##_(T, v);                                      \
    LL_AMD_WRITE_##NT(x, space, T, address, on)

#endif

#endif
