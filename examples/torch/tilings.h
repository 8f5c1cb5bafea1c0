/* tilings.h - which tiling a row of n elements takes.
 * SPDX-License-Identifier: MIT
 */
#ifndef LL_TORCH_TILINGS_H
#define LL_TORCH_TILINGS_H

/* Runs f with the tiling of rows of n elements and, where they start anywhere,
 * of up to 15 bytes more. Returns null, or what is wrong. */
template <class ELEMENT, class F> const char *tiled(unsigned n, const F &f) {
    const unsigned wide = 16 / sizeof(ELEMENT);
    const unsigned long long need = n % wide ? n + wide - 1ull : n;
    return need <= 1024    ? f.template run<32, 1, 1, 4, 0>()
           : need <= 4096  ? f.template run<32, 4, 1, 1, 0>()
           : need <= 16384 ? f.template run<32, 16, 1, 1, 0>()
           : need <= 65536 ? f.template run<32, 16, 4, 1, 2>()
                           : need <= 262144
               ? f.template run < sizeof(ELEMENT) == 4 ? 32 : 64,
           sizeof(ELEMENT) == 4 ? 16 : 8, 16, 1,
           2 > ()
           : "rows are longer than 262144 elements, or 15 bytes less where "
             "they start at no multiple of 16";
}

#endif
