/* test_instructions_amd.cu - each instruction of ll_amd.h on the emulator, with
 * 32 and with 64 lanes, against the maps of the ISA references;
 * and what the moves of ll.h are made of, for each target.
 *
 *   tools/emulator/emucc -I. tests/emu/test_instructions_amd.cu -o t && ./t
 *
 * A map says which lane is read. It is written as the bits of that number, the
 * highest first, where it has such a form: "l5 l4 l3 l2 l0 l1" exchanges
 * neighbours in fours; "!l0" is a bit turned around, "0" and "1" are constant.
 */
#include <cuda_runtime.h>
#include "../../ll_amd.h"
#include <stdio.h>
#include <string.h>

enum { BYTES = 4096 };
#include "instructions.h"

static int lanes;

/* The number that a list of bits of a lane and an element spells. */
static int spelled(const char *bits, int lane, int element) {
    int n = 0;
    for (; *bits; bits += bits[1] == ' ' ? 2 : 1) {
        int turned = *bits == '!';
        bits += turned;
        int bit = *bits == 'l'   ? lane >> (*++bits - '0') & 1
                  : *bits == 'e' ? element >> (*++bits - '0') & 1
                                 : *bits - '0';
        n = n << 1 | (bit ^ turned);
    }
    return n;
}

static u32 word_at(const u8 *p, int i) {
    u32 v = 0;
    cudaMemcpy(&v, p + 4 * i, 4, cudaMemcpyDeviceToHost);
    return v;
}

static void done(work w) {
    CHECK(emu_error_count() == 0);
    cudaFree(w.in);
    cudaFree(w.out);
}

/* ==== Words of other lanes =============================================== */

/* Lane l has x = 100 + l; all lanes but the one that SKIP names take part. */
#define OP(name, ...)                                                        \
    struct name {                                                            \
        static u32 run(u32 x, u32 l) {                                       \
            (void)l;                                                         \
            return __VA_ARGS__;                                              \
        }                                                                    \
    };

template <class O, u32 SKIP> __global__ void exchange(u32 *out) {
    u32 l = threadIdx.x;
    if (l != SKIP) {
        out[l] = O::run(100 + l, l);
    }
}

/* The lane that lane l reads; -1: none, the result is 0. */
template <class O, class MAP>
static void expect(const char *kind, int line, MAP from) {
    work w = fresh();
    LL_LAUNCH((exchange<O, ~0u>), 1, lanes, 0, (u32 *)w.out);
    int bad = 0;
    for (int l = 0; l < lanes; l++) {
        int source = from(l);
        bad += word_at(w.out, l) != (source < 0 ? 0u : 100u + (u32)source);
    }
    check(bad == 0, kind, line);
    check(emu_stat(kind) == 1, kind, line);
    done(w);
}

#define MAPS(O, kind, bits)                                                  \
    expect<O>(kind, __LINE__, [](int l) {                                    \
        return spelled(bits, l, 0) & (lanes - 1);                            \
    })
#define READS(O, kind, lane)                                                 \
    expect<O>(kind, __LINE__, [](int l) { return lane; })

OP(quad1, ll_amd_update_dpp<LL_AMD_QUAD_PERM(1, 0, 3, 2)>(x))
OP(quad2, ll_amd_update_dpp<LL_AMD_QUAD_PERM(2, 3, 0, 1)>(x))
OP(quad_turned, ll_amd_update_dpp<LL_AMD_QUAD_PERM(0, 2, 1, 3)>(x))
OP(quad_round, ll_amd_update_dpp<LL_AMD_QUAD_PERM(1, 2, 3, 0)>(x))
OP(shl1, ll_amd_update_dpp<LL_AMD_ROW_SHL + 1>(x))
OP(shl15, ll_amd_update_dpp<LL_AMD_ROW_SHL + 15>(x))
OP(shr3, ll_amd_update_dpp<LL_AMD_ROW_SHR + 3>(x))
OP(ror8, ll_amd_update_dpp<LL_AMD_ROW_ROR + 8>(x))
OP(ror5, ll_amd_update_dpp<LL_AMD_ROW_ROR + 5>(x))
OP(mirror, ll_amd_update_dpp<LL_AMD_ROW_MIRROR>(x))
OP(half_mirror, ll_amd_update_dpp<LL_AMD_ROW_HALF_MIRROR>(x))
OP(bcast15, ll_amd_update_dpp<LL_AMD_ROW_BCAST15>(x))
OP(bcast31, ll_amd_update_dpp<LL_AMD_ROW_BCAST31>(x))
OP(wave_shl, ll_amd_update_dpp<LL_AMD_WAVE_SHL>(x))
OP(wave_rol, ll_amd_update_dpp<LL_AMD_WAVE_ROL>(x))
OP(wave_shr, ll_amd_update_dpp<LL_AMD_WAVE_SHR>(x))
OP(wave_ror, ll_amd_update_dpp<LL_AMD_WAVE_ROR>(x))
OP(newbcast5, ll_amd_update_dpp<LL_AMD_ROW_NEWBCAST + 5>(x))
OP(xmask9, ll_amd_update_dpp<LL_AMD_ROW_XMASK + 9>(x))
OP(xmask6, ll_amd_update_dpp<LL_AMD_ROW_XMASK + 6>(x))

static void test_dpp() {
    MAPS(quad1, "dpp", "l5 l4 l3 l2 l1 !l0");
    MAPS(quad2, "dpp", "l5 l4 l3 l2 !l1 l0");
    MAPS(quad_turned, "dpp", "l5 l4 l3 l2 l0 l1");
    READS(quad_round, "dpp", l / 4 * 4 + (l + 1) % 4);
    READS(shl1, "dpp", l % 16 < 15 ? l + 1 : -1);
    READS(shl15, "dpp", l % 16 == 0 ? l + 15 : -1);
    READS(shr3, "dpp", l % 16 < 3 ? -1 : l - 3);
    MAPS(ror8, "dpp", "l5 l4 !l3 l2 l1 l0");
    READS(ror5, "dpp", l / 16 * 16 + (l % 16 + 11) % 16);
    MAPS(mirror, "dpp", "l5 l4 !l3 !l2 !l1 !l0");
    MAPS(half_mirror, "dpp", "l5 l4 l3 !l2 !l1 !l0");
    READS(bcast15, "dpp", l < 16 ? -1 : l / 16 * 16 - 1);
    READS(bcast31, "dpp", l < 32 ? -1 : 31);
    READS(wave_shl, "dpp", l + 1 < lanes ? l + 1 : -1);
    READS(wave_rol, "dpp", (l + 1) % lanes);
    READS(wave_shr, "dpp", l - 1);
    READS(wave_ror, "dpp", (l + lanes - 1) % lanes);
    MAPS(newbcast5, "dpp", "l5 l4 0 1 0 1");
    MAPS(xmask9, "dpp", "l5 l4 !l3 l2 l1 !l0");
    MAPS(xmask6, "dpp", "l5 l4 l3 !l2 !l1 l0");
}

OP(eight_turned, ll_amd_mov_dpp8<0 | 2u << 3 | 4u << 6 | 6u << 9 | 1u << 12 |
                                 3u << 15 | 5u << 18 | 7u << 21>(x))
OP(row, ll_amd_permlane16(x, 0xeca86420, 0xfdb97531))
OP(row_x, ll_amd_permlanex16(x, 0x76543210, 0xfedcba98))
OP(row_x_turned, ll_amd_permlanex16(x, 0xfedcba98, 0x76543210))
OP(half, ll_amd_permlane64(x))
OP(swizzle16, ll_amd_ds_swizzle<0x401f>(x))
OP(swizzle21, ll_amd_ds_swizzle<21 << 10 | 0x1f>(x))
OP(swizzle_low, ll_amd_ds_swizzle<5 << 5 | 0x18>(x))
OP(swizzle_quad, ll_amd_ds_swizzle<0x8000 | LL_AMD_QUAD_PERM(3, 3, 1, 0)>(x))
OP(reversed, ll_amd_ds_bpermute(4 * (63 - l), x))
OP(fifths, ll_amd_ds_bpermute(4 * (5 * l + 3), x))
OP(to_fifths, ll_amd_ds_permute(4 * (5 * l + 3), x))
OP(to_half, ll_amd_ds_permute(4 * (l / 2), x))
OP(lane7, ll_amd_readlane(x, 7))
OP(lane_first, ll_amd_readfirstlane(x))

static int turned_eight(int p) {
    static const int of[] = {0, 2, 4, 6, 1, 3, 5, 7};
    return of[p];
}

static void test_lanes() {
    READS(eight_turned, "dpp8", l / 8 * 8 + turned_eight(l % 8));
    MAPS(row, "permlane16", "l5 l4 l2 l1 l0 l3");
    MAPS(row_x, "permlanex16", "l5 !l4 l3 l2 l1 l0");
    MAPS(row_x_turned, "permlanex16", "l5 !l4 !l3 l2 l1 l0");
    if (lanes == 64) {
        MAPS(half, "permlane64", "!l5 l4 l3 l2 l1 l0");
    }
    MAPS(swizzle16, "ds_swizzle", "l5 !l4 l3 l2 l1 l0");
    MAPS(swizzle21, "ds_swizzle", "l5 !l4 l3 !l2 l1 !l0");
    MAPS(swizzle_low, "ds_swizzle", "l5 l4 l3 1 0 1");
    READS(swizzle_quad, "ds_swizzle",
          l / 4 * 4 + (l % 4 < 2 ? 3 : l % 4 == 2 ? 1 : 0));
    MAPS(reversed, "ds_bpermute", "!l5 !l4 !l3 !l2 !l1 !l0");
    READS(fifths, "ds_bpermute", (5 * l + 3) % lanes);
    /* 13 = 1/5 modulo 64 and 32 */
    READS(to_fifths, "ds_permute", 13 * (l - 3 + lanes) % lanes);
    READS(to_half, "ds_permute", l < lanes / 2 ? 2 * l + 1 : -1);
    MAPS(lane7, "readlane", "0 0 0 1 1 1");
    MAPS(lane_first, "readlane", "0 0 0 0 0 0");
    emu_set_gfx(0x1100);
    READS(fifths, "ds_bpermute", l / 32 * 32 + (5 * l + 3) % 32);
    MAPS(reversed, "ds_bpermute", "l5 !l4 !l3 !l2 !l1 !l0");
    READS(to_half, "ds_permute", l < 16 ? 2 * l + 1 : l < 48 ? -1 : 2 * l - 63);
    emu_set_gfx(0x1201);
    READS(fifths, "ds_bpermute", (5 * l + 3) % lanes);
    emu_set_gfx(0);
}

/* Swaps: a of the lanes with the bit, b of those without. */
template <u32 BIT> __global__ void swap(u32 *out) {
    u32 l = threadIdx.x, a = 100 + l, b = 200 + l;
    BIT == 16 ? ll_amd_permlane16_swap(a, b) : ll_amd_permlane32_swap(a, b);
    out[l] = a;
    out[64 + l] = b;
}

template <u32 BIT> static void test_swap(const char *kind) {
    work w = fresh();
    LL_LAUNCH(swap<BIT>, 1, lanes, 0, (u32 *)w.out);
    int bad = 0;
    for (u32 l = 0; l < (u32)lanes; l++) {
        u32 a = l & BIT ? 200 + (l ^ BIT) : 100 + l;
        u32 b = l & BIT ? 200 + l : 100 + (l ^ BIT);
        bad += word_at(w.out, l) != a || word_at(w.out, 64 + l) != b;
    }
    check(bad == 0, kind, __LINE__);
    check(emu_stat(kind) == 1, kind, __LINE__);
    done(w);
}

/* Bytes of two words: b0 to b3 are 0 to 3, a0 to a3 are 4 to 7. */
__global__ void bytes(u32 *out) {
    u32 a = 0xa3a28100 + threadIdx.x, b = 0xb3b2b1b0;
    out[threadIdx.x] = ll_amd_perm(a, b, 0x04000703);
    out[64 + threadIdx.x] = ll_amd_perm(a, b, 0x0c0d0601);
    out[128 + threadIdx.x] = ll_amd_perm(a, b, 0x0a090802);
}

static void test_perm() {
    work w = fresh();
    LL_LAUNCH(bytes, 1, lanes, 0, (u32 *)w.out);
    int bad = 0;
    for (u32 l = 0; l < (u32)lanes; l++) {
        bad += word_at(w.out, l) != (l << 24 | 0xb0a3b3u);
        bad += word_at(w.out, 64 + l) != 0x00ffa2b1u;
        bad += word_at(w.out, 128 + l) != 0xffffffb2u;
    }
    CHECK(bad == 0);
    CHECK(emu_stat("perm") == 3);
    done(w);
}

/* ==== Lanes that are not active ========================================== */

/* Lane 5 takes another way, or has ended. */
template <class O> static void without5(const char *kind, int reader, int line) {
    work w = fresh();
    LL_LAUNCH((exchange<O, 5>), 1, lanes, 0, (u32 *)w.out);
    check(word_at(w.out, reader) == 0, kind, line);
    check(word_at(w.out, 5) == 0xeeeeeeee, kind, line);
    check(word_at(w.out, 8) != 0 && word_at(w.out, 8) != 0xeeeeeeee, kind,
          line);
    check(emu_stat(kind) == 1, kind, line);
    done(w);
}

__global__ void parted(u32 *out) {
    u32 l = threadIdx.x, y = 0;
    if (l & 1) {
        y = ll_amd_readfirstlane(100 + l);
    } else {
        y = ll_amd_update_dpp<LL_AMD_QUAD_PERM(1, 1, 0, 0)>(100 + l);
    }
    ll_amd_s_barrier();
    out[l] = ll_amd_ds_bpermute(4 * (l ^ 1), y);
}

static void test_inactive() {
    without5<quad1>("dpp", 4, __LINE__);
    without5<reversed>("ds_bpermute", lanes - 6, __LINE__);
    without5<swizzle16>("ds_swizzle", 21, __LINE__);
    without5<row_x>("permlanex16", 21, __LINE__);
    work w = fresh();
    LL_LAUNCH(parted, 1, lanes, 0, (u32 *)w.out);
    int bad = 0;
    for (u32 l = 0; l < (u32)lanes; l++) {
        /* odd lanes read what their even neighbour got, and the reverse */
        u32 even = l % 4 == 3 ? 100 + (l & ~3u) : 0;
        bad += word_at(w.out, l) != (l & 1 ? even : 101);
    }
    CHECK(bad == 0);
    done(w);
}

/* ==== Memory ============================================================= */

#define MOVE(name, bytes_)                                                   \
    struct name {                                                            \
        enum { bytes = bytes_ };                                             \
        static const char *text() { return #name; }                          \
        static ll_words get(u32 a) { return ll_amd_ds_read_##name(a); }      \
        static void put(u32 a, ll_words v) { ll_amd_ds_write_##name(a, v); } \
        static ll_words load(u64 a, u32 on) {                                \
            return ll_amd_global_load_##name(a, on);                         \
        }                                                                    \
        static void store(u64 a, ll_words v, u32 on) {                       \
            ll_amd_global_store_##name(a, v, on);                            \
        }                                                                    \
        static ll_words fetch(ll_amd_buffer b, u32 at) {                     \
            return ll_amd_raw_buffer_load_##name(b, at);                     \
        }                                                                    \
        static void bring(ll_amd_buffer b, u32 at, ll_words v) {             \
            ll_amd_raw_buffer_store_##name(b, at, v);                        \
        }                                                                    \
    };
MOVE(b8, 1)
MOVE(b16, 2)
MOVE(b32, 4)
MOVE(b64, 8)
MOVE(b128, 16)

/* Odd lanes neither load nor store. */
template <class M> __global__ void move(const u8 *in, u8 *out) {
    __shared__ __align__(128) u8 s[1024];
    u32 l = threadIdx.x, at = l * M::bytes, a = LL_AMD_SHARED_(s) + at;
    M::put(a, M::load((u64)(in + at), l % 2 == 0));
    ll_amd_wave_barrier();
    ll_words v = M::get(a);
    M::store((u64)(out + at), v, 1);
    M::store((u64)(out + 1024 + at), v, l % 2 == 0);
}

/* Both buffers end behind the first 20 lanes. */
template <class M> __global__ void buffers(u8 *in, u8 *out) {
    u32 at = threadIdx.x * M::bytes;
    ll_words v = M::fetch(ll_amd_make_buffer_rsrc(in, 20 * M::bytes), at);
    M::bring(ll_amd_make_buffer_rsrc(out, 24 * M::bytes), at, v);
}

template <class M> static void test_move() {
    work w = fresh();
    LL_LAUNCH(move<M>, 1, lanes, 0, w.in, w.out);
    int bad = 0;
    for (int i = 0; i < lanes * M::bytes; i++) {
        int odd = i / M::bytes % 2;
        bad += at(w.out, i) != (odd ? 0 : at(w.in, i));
        bad += at(w.out, 1024 + i) != (odd ? 0xee : at(w.in, i));
    }
    CHECK(bad == 0);
    for (const char *what : {"ld.shared", "st.shared", "ld.global"}) {
        char kind[40];
        snprintf(kind, sizeof kind, "%s.%s", what, M::text());
        check(emu_stat(kind) == 1, kind, __LINE__);
    }
    cudaMemset(w.out, 0xee, BYTES);
    LL_LAUNCH(buffers<M>, 1, lanes, 0, w.in, w.out);
    for (int i = 0; i < lanes * M::bytes; i++) {
        int l = i / M::bytes;
        bad += at(w.out, i) != (l < 20 ? at(w.in, i) : l < 24 ? 0 : 0xee);
    }
    CHECK(bad == 0);
    done(w);
}

/* Words 0 and 1 of a lane's four go to 8 l, words 2 and 3 to 520 + 8 l. */
__global__ void pairs(const u8 *in, u8 *out) {
    __shared__ __align__(128) u8 s[2048];
    u32 l = threadIdx.x, a = LL_AMD_SHARED_(s) + 8 * l;
    ll_words v = ll_amd_global_load_b128((u64)(in + 16 * l), 1);
    ll_amd_ds_write2_b64<0, 65>(a, v);
    ll_amd_global_store_b64((u64)(out + 8 * l),
                            ll_amd_ds_read2_b32<1, 130>(a), 1);
    ll_amd_global_store_b128((u64)(out + 512 + 16 * l),
                             ll_amd_ds_read2_b64<65, 0>(a), 1);
    ll_amd_ds_write2_b32<1, 130>(a, v);
    ll_amd_global_store_b128((u64)(out + 1536 + 16 * l),
                             ll_amd_ds_read2_b64<0, 65>(a), 1);
}

static void test_pairs() {
    static const int then[] = {0, 0, 1, 3};
    work w = fresh();
    LL_LAUNCH(pairs, 1, lanes, 0, w.in, w.out);
    int bad = 0;
    for (int l = 0; l < lanes; l++) {
        bad += word_at(w.out, 2 * l) != word_at(w.in, 4 * l + 1);
        bad += word_at(w.out, 2 * l + 1) != word_at(w.in, 4 * l + 2);
        for (int k = 0; k < 4; k++) {
            bad += word_at(w.out, 128 + 4 * l + k) !=
                   word_at(w.in, 4 * l + (k ^ 2));
            bad += word_at(w.out, 384 + 4 * l + k) !=
                   word_at(w.in, 4 * l + then[k]);
        }
    }
    CHECK(bad == 0);
    done(w);
}

/* Lane l reads what lane l ^ 9 sends; LDS is in the order of the lanes. */
template <u32 N> __global__ void direct(const u8 *in, u8 *out) {
    __shared__ __align__(128) u8 s[1024];
    u32 l = threadIdx.x;
    ll_amd_global_load_lds<N>(LL_AMD_SHARED_(s), (u64)(in + N * (l ^ 9)));
    ll_amd_s_barrier();
    memcpy(out + N * l, s + N * l, N);
}

template <u32 N> static void test_direct() {
    work w = fresh();
    LL_LAUNCH(direct<N>, 1, lanes, 0, w.in, w.out);
    int bad = 0;
    for (int i = 0; i < lanes * (int)N; i++) {
        bad += at(w.out, i) != at(w.in, (i / (int)N ^ 9) * (int)N + i % (int)N);
    }
    CHECK(bad == 0);
    done(w);
}

/* The row of 8 bytes that lane l addresses is at ROW(l). */
#define ROW(l) (8 * ((l) ^ 21))
template <u32 BITS> __global__ void turned(const u8 *in, u8 *out) {
    __shared__ __align__(128) u8 s[512];
    u32 l = threadIdx.x, a = LL_AMD_SHARED_(s) + ROW(l);
    memcpy(s + 8 * l, in + 8 * l, 8);
    ll_amd_wave_barrier();
    ll_words v = BITS == 16  ? ll_amd_ds_read_tr16_b64(a)
                 : BITS == 8 ? ll_amd_ds_read_tr8_b64(a)
                             : ll_amd_ds_read_tr4_b64(a);
    memcpy(out + 8 * l, v.w, 8);
}

static int element_at(const u8 *p, int bits, int n) {
    int first = n * bits / 8;
    return bits == 4 ? at(p, first) >> n % 2 * 4 & 15
           : bits == 8 ? at(p, first) : at(p, first) | at(p, first + 1) << 8;
}

template <u32 BITS>
static void test_turned(const char *kind, const char *from_element,
                        const char *from_lane) {
    const int n = 64 / BITS;
    work w = fresh();
    LL_LAUNCH(turned<BITS>, 1, 64, 0, w.in, w.out);
    int bad = 0;
    for (int l = 0; l < 64; l++) {
        for (int e = 0; e < n; e++) {
            int row = ROW(spelled(from_lane, l, e));
            bad += element_at(w.out + 8 * l, BITS, e) !=
                   element_at(w.in + row, BITS, spelled(from_element, l, e));
        }
    }
    check(bad == 0, kind, __LINE__);
    check(emu_stat(kind) == 1, kind, __LINE__);
    done(w);
}

/* Banks: which lanes of gfx942 read 16 bytes together, and neighbours. */
__global__ void banks(u32 *out) {
    __shared__ __align__(128) u8 s[4096];
    u32 l = threadIdx.x, a = LL_AMD_SHARED_(s);
    u32 place = (l & 3) | (l >> 4 & 1) << 2 | (l >> 2 & 3) << 3 | l >> 5 << 5;
    ll_words v = {};
    ll_amd_ds_write_b128(a + 16 * l, v);
    ll_amd_wave_barrier();
    v = ll_amd_ds_read_b128(a + 16 * place);
    out[l] = v.w[0];
}

static void test_banks() {
    static const int measured[] = {1, 2, 20}, neighbours[] = {1, 2, 4};
    work w = fresh();
    emu_set_phase(0, 16, 32, 3, measured);
    LL_LAUNCH(banks, 1, lanes, 0, (u32 *)w.out);
    CHECK(emu_wavefronts("ld.shared") == (u64)lanes / 8);
    emu_reset();
    emu_set_phase(0, 16, 32, 3, neighbours);
    LL_LAUNCH(banks, 1, lanes, 0, (u32 *)w.out);
    CHECK(emu_wavefronts("ld.shared") == (u64)lanes / 4);
    emu_reset_target();
    done(w);
}

/* ==== What must be refused =============================================== */

template <int CASE> __global__ void faulty(u8 *in, u8 *out) {
    __shared__ __align__(128) u8 s[1024];
    u32 l = threadIdx.x, a = LL_AMD_SHARED_(s), x = l, y = l;
    ll_words v = {};
    memset(s + 16 * l, 0, 16);
    ll_amd_wave_barrier();
    switch (CASE) {
    case 0: ll_amd_ds_read_b128(a + 8 * l); break;
    case 1: ll_amd_ds_write_b64(a + 4, v); break;
    case 2: ll_amd_ds_read_b32(a + (1 << 20)); break;
    case 3: ll_amd_global_load_b128((u64)in + 8, 1); break;
    case 4: ll_amd_global_store_b32((u64)out + BYTES, v, l == 3); break;
    case 5: ll_amd_raw_buffer_load_b64(ll_amd_make_buffer_rsrc(in, 20),
                                       8 * l); break;
    case 6: l != 9 ? (void)ll_amd_permlane64(l) : (void)0; break;
    case 7: l != 9 ? ll_amd_permlane16_swap(x, y) : (void)0; break;
    case 8: l != 9 ? (void)ll_amd_readlane(l, 9) : (void)0; break;
    case 9: l != 9 ? (void)ll_amd_ds_read_tr16_b64(a + 8 * l) : (void)0; break;
    case 10: ll_amd_ds_read_tr16_b64(a + 8 * l + 4); break;
    default:
        ll_amd_ds_write_b32(a + 4 * l, v);
        ll_amd_ds_read_b32(a + 4 * (l ^ 1));
    }
}

template <int CASE> static void refuse(int kind) {
    work w = fresh();
    LL_LAUNCH(faulty<CASE>, 1, 64, 0, w.in, w.out);
    check(emu_error_count() && emu_error_kind(0) == kind, "refused", CASE);
    emu_expected();
    done(w);
}

static void test_refused() {
    refuse<0>(EMU_ALIGN);
    refuse<1>(EMU_ALIGN);
    refuse<2>(EMU_BOUNDS);
    refuse<3>(EMU_ALIGN);
    refuse<4>(EMU_BOUNDS);
    refuse<5>(EMU_BOUNDS);
    refuse<6>(EMU_LANES);
    refuse<7>(EMU_LANES);
    refuse<8>(EMU_LANES);
    refuse<9>(EMU_LANES);
    refuse<10>(EMU_ALIGN);
    refuse<11>(EMU_RACE);
}

/* ==== What plans are made of, on each target ============================= */

/* Of V: all exchanges, shuffles to any lane, hops, swaps, byte permutes. */
template <class V, u32 XOR> struct exchanges {
    static void run(u32 x, u32 l, u32 *out) {
        out[XOR * 64 + l] = V::template exchange<XOR>(x);
        exchanges<V, XOR - 1>::run(x, l, out);
    }
};
template <class V> struct exchanges<V, 0> {
    static void run(u32, u32, u32 *) {}
};

template <class V> __global__ void exchange_all(u32 *out) {
    u32 l = threadIdx.x % V::lanes;
    exchanges<V, V::lanes - 1>::run(100 + threadIdx.x, l,
                                    out + threadIdx.x / V::lanes * 4096);
}

template <class V> __global__ void shuffle_all(u32 *out) {
    u32 l = threadIdx.x % V::lanes, x = 100 + threadIdx.x;
    out += threadIdx.x / V::lanes * 256;
    out[l] = V::shuffle(x, (7 * l + 11) % V::lanes);
    out[64 + l] = V::shuffle(x, V::lanes - 1 - l);
    out[128 + l] = V::permute(0x03020100, 0x07060504, l % 2 ? 0x7250 : 0x1634);
    out[192 + l] = V::template choose<true>(0x10001 * l, 5, l % 3);
}

/* Two warps: the second one's data are its own. */
template <class V> static void test_exchange(int gfx) {
    const int n = lanes = V::lanes;
    u32 *out;
    int bad = 0;
    emu_set_lanes(n);
    emu_set_gfx(gfx);
    emu_reset();
    cudaMalloc(&out, 4 * 8192);
    LL_LAUNCH(exchange_all<V>, 1, 2 * n, 0, out);
    for (int i = 0; i < 2 * n * n; i++) {
        int w = i / (n * n), k = i / n % n, l = i % n;
        bad += k && word_at((u8 *)out, w * 4096 + 64 * k + l) !=
                        100u + (u32)(w * n + (l ^ k));
    }
    check(bad == 0, "exchange", gfx);
    LL_LAUNCH(shuffle_all<V>, 1, 2 * n, 0, out);
    for (int i = 0; i < 2 * n; i++) {
        int l = i % n;
        const u8 *p = (const u8 *)(out + i / n * 256);
        u32 own = 100u + (u32)(i - l);
        bad += word_at(p, l) != own + (u32)(7 * l + 11) % (u32)n;
        bad += word_at(p, 64 + l) != own + (u32)(n - 1 - l);
        bad += word_at(p, 128 + l) != (l % 2 ? 0x07020500u : 0x01060304u);
        bad += word_at(p, 192 + l) != (l % 3 ? 5u : 0x10001u * (u32)l);
    }
    check(bad == 0, "shuffle", gfx);
    check(emu_error_count() == 0, "no errors", gfx);
    cudaFree(out);
    emu_set_gfx(0);
}

#define HOP(gfx, which, control) ll_amd_moves_<64, gfx>::hop<which, control>(x)
OP(hop_quad, HOP(0x908, LL_HOP_QUAD, 0x93))
OP(hop_3, HOP(0x90a, LL_HOP_XOR, 3))
OP(hop_7, HOP(0x90a, LL_HOP_XOR, 7))
OP(hop_8, HOP(0x942, LL_HOP_XOR, 8))
OP(hop_15, HOP(0x942, LL_HOP_XOR, 15))
OP(hop_13, HOP(0x1100, LL_HOP_XOR, 13))
OP(hop_row, HOP(0x1100, LL_HOP_ROW, 0xfdb97531eca86420))
OP(hop_rowx, HOP(0x1201, LL_HOP_ROWX, 0xfdb97531eca86420))
OP(hop_half, HOP(0x1201, LL_HOP_HALF, 0))
OP(hop_32, HOP(0x942, LL_HOP_32, 0x401f))

template <u32 LANE> __global__ void swap_moves(u32 *out) {
    u32 l = threadIdx.x, a = 100 + l, b = 200 + l;
    ll_amd_moves_<64, 0x950>::swap<LANE>(a, b);
    out[l] = a;
    out[64 + l] = b;
}

template <u32 LANE> static void test_swap_moves() {
    work w = fresh();
    LL_LAUNCH(swap_moves<LANE>, 1, 64, 0, (u32 *)w.out);
    int bad = 0;
    for (u32 l = 0; l < 64; l++) {
        bad += word_at(w.out, l) != (l & LANE ? 200 + l - LANE : 100 + l);
        bad += word_at(w.out, 64 + l) != (l & LANE ? 200 + l : 100 + l + LANE);
    }
    CHECK(bad == 0);
    done(w);
}

/* LL_COPY: only its other side, in shared memory, is a conversion. */
LL_LAYOUT(ROWS, LL_ROWS(.rows = 64, .cols = 64, .lanes = 64));
LL_LAYOUT(COLUMNS,
          ll_trans(LL_ROWS(.rows = 64, .cols = 64, .lanes = 64), "j i"));
LL_PLAN_BY(FEED, ROWS, COLUMNS, 32, LL_GFX942, LL_COPIES);

__global__ void feed(const u32 *src, u32 *wrong, u32 rows) {
    __shared__ __align__(16) u8 smem[LL_SMEM_BYTES(FEED)];
    u32 b[LL_REGS(COLUMNS)], bad = 0;
    LL_COPY(FEED, smem, src, 64, rows, 64);
    LL_COPY_COMMIT();
    LL_COPY_WAIT(0);
    ll_amd_s_barrier();
    LL_LOAD_SHARED(b, FEED, smem);
    LL_EACH(r, COLUMNS) {
        u32 i = LL_AT(COLUMNS, LL_I, r), j = LL_AT(COLUMNS, LL_J, r);
        bad += b[r] != (i < rows ? src[64 * i + j] : 0);
    }
    wrong[threadIdx.x] = bad;
}

static void test_copy() {
    u32 *src, *wrong, bad = 0;
    cudaMalloc(&src, 4 * 4096);
    cudaMalloc(&wrong, 4 * 256);
    for (u32 k = 0; k < 4096; k++) {
        u32 v = k * 2654435761u + 1;
        cudaMemcpy(src + k, &v, 4, cudaMemcpyHostToDevice);
    }
    emu_reset();
    LL_LAUNCH(feed, 1, 256, 0, src, wrong, 50u);
    for (int k = 0; k < 256; k++) {
        bad += word_at((u8 *)wrong, k);
    }
    CHECK(bad == 0 && emu_error_count() == 0);
    CHECK(emu_stat("st.shared") > 0);
    cudaFree(src);
    cudaFree(wrong);
}

static void test_moves() {
    test_copy();
    test_exchange<ll_amd_moves_<64, 0x908>>(0x908);
    test_exchange<ll_amd_moves_<64, 0x90a>>(0x90a);
    test_exchange<ll_amd_moves_<64, 0x942>>(0x942);
    test_exchange<ll_amd_moves_<64, 0x950>>(0x950);
    test_exchange<ll_amd_moves_<32, 0x1100>>(0x1100);
    test_exchange<ll_amd_moves_<64, 0x1100>>(0x1100);
    test_exchange<ll_amd_moves_<32, 0x1201>>(0x1201);
    test_exchange<ll_amd_moves_<64, 0x1201>>(0x1201);
    READS(hop_quad, "dpp", l / 4 * 4 + (0x93 >> 2 * (l % 4) & 3));
    MAPS(hop_3, "dpp", "l5 l4 l3 l2 !l1 !l0");
    MAPS(hop_7, "dpp", "l5 l4 l3 !l2 !l1 !l0");
    MAPS(hop_8, "dpp", "l5 l4 !l3 l2 l1 l0");
    MAPS(hop_15, "dpp", "l5 l4 !l3 !l2 !l1 !l0");
    MAPS(hop_13, "dpp", "l5 l4 !l3 !l2 l1 !l0");
    MAPS(hop_row, "permlane16", "l5 l4 l2 l1 l0 l3");
    MAPS(hop_rowx, "permlanex16", "l5 !l4 l2 l1 l0 l3");
    MAPS(hop_half, "permlane64", "!l5 l4 l3 l2 l1 l0");
    MAPS(hop_32, "ds_swizzle", "l5 !l4 l3 l2 l1 l0");
    test_swap_moves<16>();
    test_swap_moves<32>();
}

static void test_all() {
    test_dpp();
    test_lanes();
    test_swap<16>("permlane16_swap");
    test_perm();
    test_inactive();
    test_move<b8>();
    test_move<b16>();
    test_move<b32>();
    test_move<b64>();
    test_move<b128>();
    test_pairs();
    test_direct<1>();
    test_direct<2>();
    test_direct<4>();
    test_direct<12>();
    test_direct<16>();
    test_banks();
}

int main() {
    for (lanes = 32; lanes <= 64; lanes *= 2) {
        emu_set_lanes(lanes);
        test_all();
    }
    lanes = 64;
    test_moves();
    test_swap<32>("permlane32_swap");
    test_turned<16>("ds_read_tr16_b64", "l1 l0", "l5 l4 e1 e0 l3 l2");
    test_turned<8>("ds_read_tr8_b64", "l2 l1 l0", "l5 l4 e2 e1 e0 l3");
    test_turned<4>("ds_read_tr4_b64", "l3 l2 l1 l0", "l5 l4 e3 e2 e1 e0");
    test_refused();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
