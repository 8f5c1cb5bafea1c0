/* data_wrappers.cc - the PTX text of each instruction of ll_ptx.h,
 * for tests/data_ptx.c: the function is called with zeros, and LL_PTX_ notes
 * its text. The list of functions is made by tests/wrappers.py.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#define LL_EMULATE 1

/* An operand: a literal with its value, or anything else. */
struct operand {
    bool is_literal;
    unsigned long long value;
};
struct operands {
    unsigned n;
    operand of[140];
};

template <class... T> static operands list(T... each) {
    return operands{sizeof...(each), {each...}};
}

static char noted[1024];

/* Notes a text with its literals put in. */
static void note(const char *text, operands out, operands in) {
    size_t n = 0;
    while (*text && n + 32 < sizeof noted) {
        unsigned k = 0;
        int used = 0;
        sscanf(text, "%%%u%n", &k, &used);
        if (used && k >= out.n && k - out.n < in.n &&
            in.of[k - out.n].is_literal) {
            n += (size_t)snprintf(noted + n, sizeof noted - n, "%llu",
                                  in.of[k - out.n].value);
            text += used;
        } else {
            noted[n++] = *text++;
        }
    }
    noted[n] = 0;
}

#define LL_PTX_(text, outputs, inputs) note(text, list outputs, list inputs)
#define LL_PTX_LANES_(text, outputs, inputs) LL_PTX_(text, outputs, inputs)
#define LL_PTX_PURE_(text, outputs, inputs) LL_PTX_(text, outputs, inputs)
#define LL_O32_(x) ((x) = 1, operand{false, 0}) /* a wait ends at once */
#define LL_I32_(x) ((void)(x), operand{false, 0})
#define LL_IO32_(x) ((void)(x), operand{false, 0})
#define LL_I64_(x) ((void)(x), operand{false, 0})
#define LL_IMM_(n) operand{true, n}
#define LL_I16_(x) LL_I32_(x)
#define LL_A32_(x) LL_I32_(x)
#define LL_IOS32_(x) LL_I32_(x)
#define LL_IOF32_(x) LL_I32_(x)
#define LL_IOF64_(x) LL_I32_(x)
#define LL_OF32_(x) LL_I32_(x)
#define LL_IF32_(x) LL_I32_(x)
#define LL_IF64_(x) LL_I32_(x)
#define LL_TENSOR

/* What ll.h and the hooks want to be there. */
struct emu_memory {
    unsigned n, dim[32], bit[32], to[32];
};
static const struct { unsigned x, y, z; } threadIdx = {}, blockDim = {};
struct emu_moves {
    typedef emu_memory memory;
    static void enter(const char *, unsigned, unsigned, unsigned) {}
    static void came(const char *, unsigned, unsigned) {}
    static void columns(unsigned, unsigned, unsigned) {}
    static void half(const emu_memory *, int) {}
};
static inline size_t __cvta_generic_to_shared(const void *) { return 0; }

#include "../ll_ptx.h"

/* An argument: zero, or memory that a load may fill. */
template <class A> struct given {
    static A value() { return A(); }
};
template <> struct given<unsigned *> {
    static unsigned *value() {
        static unsigned registers[128];
        return registers;
    }
};

template <auto F> struct call;
template <class R, class... A, R (*F)(A...)> struct call<F> {
    static const char *text() {
        noted[0] = 0;
        F(given<A>::value()...);
        return noted;
    }
};

/* The text of function k, good until the next call; null behind the last. */
extern "C" const char *wrapper_text(unsigned k);
extern "C" const char *wrapper_text(unsigned k) {
#define WRAPPER(...) if (k-- == 0) { return call<&__VA_ARGS__>::text(); }
#include "wrappers.inc"
#undef WRAPPER
    return nullptr;
}
