// convert_part.cu - cases of convert.cu: -DLL_BENCH_WHAT=tiles or
// operands, and -DLL_BENCH_BITS=8, 16 or 32
// SPDX-License-Identifier: MIT
//
// The conversions of peers/triton_convert.py, and one of them at more sizes.
#include "convert.h"

namespace {

enum : unsigned { bits = LL_BENCH_BITS };

// 16 bytes of a row per lane, warps along i; and its transpose.
template <unsigned M, unsigned N> struct rows16 {
    LL_CONSTANT_ ll_layout get() { return ll_rows(M, N, bits / 8); }
};
template <unsigned M, unsigned N> struct cols16 {
    LL_CONSTANT_ ll_layout get() {
        return ll_trans(ll_rows(N, M, bits / 8), "j i");
    }
};
template <unsigned M, unsigned N> struct mma_c {
    LL_CONSTANT_ ll_layout get() { return ll_ptx_mma_c(M, N, warps); }
};
template <unsigned M, unsigned N> struct mma_a {
    LL_CONSTANT_ ll_layout get() { return ll_ptx_mma_a(M, N, bits, warps); }
};
template <unsigned M, unsigned N> struct wgmma_d {
    LL_CONSTANT_ ll_layout get() {
        return ll_tiled(ll_ptx_wgmma_d(64, 16, warps), matrix(M, N),
                        ll_shape_of(""));
    }
};
template <unsigned M, unsigned N> struct wgmma_a {
    LL_CONSTANT_ ll_layout get() {
        return ll_tiled(ll_ptx_wgmma_a(64, 256 / bits, bits, warps),
                        matrix(M, N), ll_shape_of(""));
    }
};

template <unsigned M, unsigned N>
void sized(std::vector<conversion> &all, const char *name) {
    add_padded_case<blocked<M, N, 1, 16, 8, 4>, blocked<M, N, 2, 8, 4, 8>,
                    bits>(all, name);
}

// Templates, so that only LL_BENCH_WHAT is compiled.
template <class LIST> void tiles(LIST &all) {
    add_padded_case<rows16<128, 128>, cols16<128, 128>, bits>(all,
                                                              "row16-col16");
    add_padded_case<rows16<128, 128>, blocked<128, 128, 1, 1, 32, 1>, bits>(
        all, "row16-lanes");
    add_padded_case<blocked<16, 64, 1, 8, 4, 8>, blocked<16, 64, 4, 2, 1, 32>,
                    bits>(all, "1x8.4x8-4x2.1x32");
    add_padded_case<blocked<16, 128, 1, 4, 1, 32>,
                    blocked<16, 128, 1, 1, 1, 32>, bits>(all,
                                                         "1x4.1x32-1x1.1x32");
    sized<32, 64>(all, "1x16.8x4-2x8.4x8");
    sized<64, 64>(all, "1x16.8x4-2x8.4x8-64x64");
    sized<64, 128>(all, "1x16.8x4-2x8.4x8-64x128");
    sized<128, 128>(all, "1x16.8x4-2x8.4x8-128x128");
}

template <class LIST> void operands(LIST &all) {
    add_padded_case<mma_c<128, 128>, rows16<128, 128>, bits>(all, "mma2-row16");
    add_padded_case<wgmma_d<128, 128>, rows16<128, 128>, bits>(all,
                                                               "mma3-row16");
    if constexpr (bits < 32) {
        add_padded_case<rows16<128, 64>, mma_a<128, 64>, bits>(all,
                                                               "row16-mma2a");
        add_padded_case<wgmma_d<128, 128>, wgmma_a<128, 128>, bits>(
            all, "mma3-mma3a");
        add_padded_case<mma_c<128, 64>, mma_a<128, 64>, bits>(all,
                                                              "mma2-mma2a");
    }
}

} // namespace

void LL_BENCH_NAME(LL_BENCH_WHAT, LL_BENCH_BITS)(std::vector<conversion> &all) {
    LL_BENCH_WHAT(all);
}
