/* test_tmem.cu - tensor memory and the products of tcgen05 on the emulator:
 * results against their definition, with the operands put where the layouts say
 * that they are; loads and stores against the layouts; and what is missing in
 * kernels that do not wait.
 * SPDX-License-Identifier: MIT
 */
#define LL_TENSOR
#include <cuda_runtime.h>
#include "../../ll_ptx.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 1 << 16 };
#include "instructions.h"
#include "numbers.h"

/* Columns of tensor memory: d, A where it lies there, the scales of A, of B. */
enum { AT_D = 0, AT_A = 64, AT_SA = 80, AT_SB = 96, TILE = 16384 };
enum { FROM_TENSOR = 1, SCALED = 2, PAIR = 4, WS = 8 };
typedef void start_fn(u32 d, u64 a, u64 b, u32 idesc, u32 sa, u32 sb, u32 keep);

struct job {
    u32 idesc, flags;
    u64 a, b;          /* descriptors at address 0 */
    start_fn *start;
};

/* Addresses of the emulator have more than the 18 bits of a descriptor. */
__device__ static u64 moved(u64 descriptor, u32 address) {
    return descriptor + (address >> 4 & 0x3fff);
}

/* Two products into the same sums by the first thread. */
template <unsigned REGS, bool HALF>
__global__ void product(u32 *out, const u32 *tiles, job j) {
    extern __shared__ __align__(1024) u8 s[];
    const u32 at = (u32)__cvta_generic_to_shared(s), t = threadIdx.x;
    const u32 bar = at + 2 * TILE + 1024, where = bar + 8;
    const u32 rank = j.flags & PAIR ? ll_ptx_cluster_ctarank() : 0;
    const bool pair = j.flags & PAIR;
    tiles += rank * (2 * TILE + 1024) / 4;
    for (u32 x = t; x < (2 * TILE + 1024) / 4; x += 128) {
        ((u32 *)s)[x] = tiles[x];
    }
    if (t < 32) {
        pair ? ll_ptx_tcgen05_alloc_cta2(where, 128)
             : ll_ptx_tcgen05_alloc(where, 128);
        pair ? ll_ptx_tcgen05_relinquish_alloc_permit_cta2()
             : ll_ptx_tcgen05_relinquish_alloc_permit();
    }
    if (t == 0) {
        ll_ptx_mbarrier_init(bar, 1);
        ll_ptx_fence_mbarrier_init();
    }
    ll_ptx_fence_proxy_async();
    __syncthreads();
    u32 memory;
    memcpy(&memory, s + 2 * TILE + 1032, 4);
    const u32 own = memory + (t / 32 * 32 << 16);
    if (j.flags & FROM_TENSOR) {
        ll_ptx_tcgen05_st_32x32b<8>(own + AT_A, (const u32 *)s + 8 * t);
        ll_ptx_tcgen05_wait_st();
        ll_ptx_tcgen05_fence_before_thread_sync();
        __syncthreads();
        ll_ptx_tcgen05_fence_after_thread_sync();
    }
    if (pair) {
        ll_ptx_barrier_cluster_arrive();
        ll_ptx_barrier_cluster_wait();
    }
    if (t == 0 && rank == 0) {
        if (j.flags & SCALED) {
            ll_ptx_desc plain = {};
            plain.atom = 16;
            plain.lbo = 16;
            plain.sbo = 128;
            const u64 a = ll_ptx_desc_tcgen05(plain, at + 2 * TILE);
            const u64 b = ll_ptx_desc_tcgen05(plain, at + 2 * TILE + 512);
            ll_ptx_tcgen05_cp_32x128b_warpx4(memory + AT_SA, a);
            ll_ptx_tcgen05_cp_32x128b_warpx4(memory + AT_SB, b);
        }
        for (u32 keep = 0; keep < 2; ++keep) {
            j.start(memory + AT_D,
                    j.flags & FROM_TENSOR ? memory + AT_A : moved(j.a, at),
                    moved(j.b, at + TILE), j.idesc, memory + AT_SA,
                    memory + AT_SB, keep);
        }
        pair ? ll_ptx_tcgen05_commit_multicast_cta2(bar, 3)
             : ll_ptx_tcgen05_commit(bar);
    }
    ll_ptx_mbarrier_wait(bar, 0);
    ll_ptx_tcgen05_fence_after_thread_sync();
    u32 r[REGS];
    if constexpr (HALF) {
        ll_ptx_tcgen05_ld_16x64b<REGS>(r, own + AT_D);
    } else {
        ll_ptx_tcgen05_ld_32x32b<REGS>(r, own + AT_D);
    }
    ll_ptx_tcgen05_wait_ld();
    for (u32 k = 0; k < REGS; ++k) {
        out[rank * 128 * REGS + REGS * t + k] = r[k];
    }
    ll_ptx_tcgen05_fence_before_thread_sync();
    if (pair) {
        ll_ptx_barrier_cluster_arrive();
        ll_ptx_barrier_cluster_wait();
    }
    __syncthreads();
    if (t < 32) {
        pair ? ll_ptx_tcgen05_dealloc_cta2(memory, 128)
             : ll_ptx_tcgen05_dealloc(memory, 128);
    }
}

/* Number `n` of an array whose numbers of fewer than 8 bits lie side by side,
 * 16 of them in 16 bytes where they count as bytes. */
static void put_bits(u8 *to, u64 n, const number &t, unsigned bits, u64 v) {
    const u64 at = t.bits == 8 && bits < 8 ? n / 16 * 128 + n % 16 * bits
                                           : n * t.bits;
    for (unsigned k = 0; k < bits; ++k) {
        to[(at + k) / 8] =
            (u8)(to[(at + k) / 8] | (v >> k & 1) << (at + k) % 8);
    }
}

/* Rows `first` on of m where their layout in memory says. bits: of a
 * number: 4 and 6 of those that count as bytes. */
static void put_tile(u8 *to, const ll_layout &memory, const number &t,
                     unsigned bits, matrix &m, unsigned first) {
    memset(to, 0, TILE);
    for (unsigned o = 0; o < ll_size(memory.in, LL_OFFSET); ++o) {
        const unsigned y = ll_apply(memory, o);
        const unsigned i = ll_unpack(memory.out, LL_I, y);
        put_bits(to, o, t, bits,
                 t.of[m.at(first + i, ll_unpack(memory.out, LL_J, y))] &
                     (bits < 64 ? (1ull << bits) - 1 : ~0ull));
    }
}

/* A type as the tests write it: in shared memory, its bits, in registers. */
struct kind_type {
    const number *in_memory;
    unsigned bits;
    const number *in_registers;
};
/* Numbers of 4 bits that count as bytes lie in the low bits in memory. */
static const number LOW_E2M1 = {8, {0, 2, 4, 5, 10, 12}};
static const kind_type T_F16 = {&F16, 16, &F16}, T_BF16 = {&BF16, 16, &BF16},
                       T_TF32 = {&TF32, 32, &TF32}, T_E4M3 = {&E4M3, 8, &E4M3},
                       T_E5M2 = {&E5M2, 8, &E5M2}, T_E2M3 = {&E2M3, 6, &E2M3},
                       T_E3M2 = {&E3M2, 6, &E3M2},
                       T_E2M1 = {&LOW_E2M1, 4, &E2M1}, T_S8 = {&S8, 8, &S8},
                       T_U8 = {&U8, 8, &U8}, T_FP4 = {&FP4, 4, &FP4};

struct form {
    const char *types;
    unsigned m;
    const number *tc;
    const kind_type *ta, *tb;
    unsigned flags;
    bool mn_a, mn_b;
    unsigned swizzle, atom;
    unsigned scales, byte_a, byte_b;
};

static double sum_of(const number &t, u32 v) {
    const u8 *p = (const u8 *)&v;
    return sum_at(p, t, 0, 0, 4);
}

template <unsigned REGS, bool HALF>
static void test(const char *name, const form &f, start_fn *start) {
    static matrix a, b;
    static u8 host[2][2 * TILE + 1024];
    static u8 *on_t = buffer(sizeof host), *on_c = buffer(2 * 128 * 64 * 4);
    static u32 back[2][128 * REGS];
    static signed char power[2][256][4];
    const unsigned blocks = f.flags & PAIR ? 2 : 1, N = f.flags & WS ? 64 : 32;
    const number &ta = *f.ta->in_memory, &tb = *f.tb->in_memory;
    const unsigned k = 256 / ta.bits, rows = f.m / blocks, part = N / blocks;
    const unsigned wide = (f.swizzle ? f.swizzle : 32) * 8 / ta.bits;
    const ll_layout ma =
        f.mn_a ? ll_ptx_smem_mn(rows, k, ta.bits, f.swizzle, f.atom)
               : ll_ptx_smem_k(rows, wide, ta.bits, f.swizzle);
    const ll_layout mb =
        f.mn_b ? ll_ptx_smem_mn(part, k, tb.bits, f.swizzle, f.atom)
               : ll_ptx_smem_k(part, wide, tb.bits, f.swizzle);
    const ll_ptx_desc da = ll_ptx_desc_of(ma, rows, k, ta.bits);
    const ll_ptx_desc db = ll_ptx_desc_of(mb, part, k, tb.bits);
    ll_ptx_desc in_tensor = da;
    in_tensor.mn_major = 0;
    ll_ptx_idesc id = ll_ptx_idesc_of(f.types, blocks, f.m, N,
                                      f.flags & FROM_TENSOR ? in_tensor : da,
                                      db);
    id = f.scales ? ll_ptx_idesc_scales(id, f.byte_a, f.byte_b) : id;
    unsigned bad = ma.err || mb.err || da.err || db.err || id.err;
    check(!bad, name, __LINE__);
    a.fill(f.m, f.mn_a ? k : ll_size(ma.out, LL_J));
    b.fill(N, f.mn_b ? k : ll_size(mb.out, LL_J));
    for (unsigned x = 0; x < sizeof power; ++x) {
        (&power[0][0][0])[x] = f.scales ? (signed char)((int)drawn(3) - 1) : 0;
    }
    for (unsigned r = 0; r < blocks; ++r) {
        if (f.flags & FROM_TENSOR) {
            memset(host[r], 0, TILE);
            for (unsigned i = 0; i < rows; ++i) {
                for (unsigned x = 0; x < k; ++x) {
                    const number &t = *f.ta->in_registers;
                    put_bits(host[r] + 32 * i, x, t, t.bits,
                             t.of[a.at(r * rows + i, x)]);
                }
            }
        } else {
            put_tile(host[r], ma, ta, f.ta->bits, a, r * rows);
        }
        put_tile(host[r] + TILE, mb, tb, f.tb->bits, b, r * part);
        memset(host[r] + 2 * TILE, 0xff, 1024);
        for (unsigned x = 0; x < 2 * 128 * f.scales; ++x) {
            const unsigned side = x / (128 * f.scales), n = x / f.scales % 128;
            const bool e4m3 = strstr(f.types, "ue4m3");
            const int p = power[side][n][x % f.scales];
            host[r][2 * TILE + 512 * side + n % 32 * 16 + n / 32 * 4 +
                    (side ? f.byte_b : f.byte_a) + x % f.scales] =
                (u8)(e4m3 ? 0x38 + 8 * p : 127 + p);
        }
    }
    cudaMemcpy(on_t, host, sizeof host, cudaMemcpyHostToDevice);
    job j = {id.bits, f.flags, ll_ptx_desc_tcgen05(da, 0),
             ll_ptx_desc_tcgen05(db, 0), start};
    auto kernel = product<REGS, HALF>;
    emu_reset();
    const unsigned smem = 2 * TILE + 1024 + 16;
    if (blocks == 2) {
        emu_run_clusters("product", kernel, 2, 128, 2, smem, (u32 *)on_c,
                         (const u32 *)on_t, j);
    } else {
        LL_LAUNCH(kernel, 1, 128, smem, (u32 *)on_c, (const u32 *)on_t, j);
    }
    cudaMemcpy(back, on_c, sizeof back, cudaMemcpyDeviceToHost);
    const ll_layout ld = HALF ? ll_ptx_tmem(16, 64, REGS, 32)
                              : ll_ptx_tmem(32, 32, REGS, 32);
    const ll_layout d = ll_ptx_tcgen05_d(rows, N, rows == 64 && f.flags & (PAIR | WS) ? 1 : 0);
    for (unsigned x = 0; x < blocks * 128 * REGS && !bad; ++x) {
        const unsigned r = x % REGS, t = x / REGS % 128, block = x / 128 / REGS;
        const unsigned y = ll_apply(ld, ll_pack(ld.in, LL_REGISTER, r) ^
                                            ll_pack(ld.in, LL_LANE, t % 32) ^
                                            ll_pack(ld.in, LL_WARP, t / 32));
        const unsigned z =
            ll_apply(d, ll_pack(d.in, LL_TCOL, ll_unpack(ld.out, LL_TCOL, y)) ^
                            ll_pack(d.in, LL_DP, ll_unpack(ld.out, LL_DP, y)));
        const unsigned i = ll_unpack(d.out, LL_I, z);
        const unsigned n = ll_unpack(d.out, LL_J, z);
        double want = 0;
        for (unsigned q = 0; q < k; ++q) {
            const unsigned s = f.scales ? q / (k / f.scales) : 0;
            want += ldexp(value_of(ta, a.at(block * rows + i, q)) *
                              value_of(tb, b.at(n, q)),
                          power[0][i][s] + power[1][n][s]);
        }
        bad += sum_of(*f.tc, back[block][x % (128 * REGS)]) != 2 * want;
    }
    check(!bad && emu_error_count() == 0, name, __LINE__);
}

#define START(...)                                                          \
    [](u32 d, u64 a, u64 b, u32 idesc, u32 sa, u32 sb, u32 keep) {          \
        (void)sa, (void)sb;                                                 \
        __VA_ARGS__;                                                        \
    }
#define PLAIN(name) START(ll_ptx_tcgen05_mma_##name(d, a, b, idesc, keep))
#define TENSOR(name)                                                        \
    START(ll_ptx_tcgen05_mma_##name(d, (u32)a, b, idesc, keep))
#define WITH_SCALES(name)                                                   \
    START(ll_ptx_tcgen05_mma_##name(d, a, b, idesc, sa, sb, keep))

/* Of 128 rows, sums of 32 bits unless said. */
static void test_products() {
#define RUN32(name, ...) test<32, false>(name, form{__VA_ARGS__}
    RUN32("f16", "kind::f16.f32.f16.f16", 128, &F32, &T_F16, &T_F16, 0, 0, 0,
          32, 16), PLAIN(f16));
    RUN32("f16, 128 bytes", "kind::f16.f16.f16.f16", 128, &F16, &T_F16, &T_F16,
          0, 0, 0, 128, 16), PLAIN(f16));
    RUN32("bf16 x f16", "kind::f16.f32.bf16.f16", 128, &F32, &T_BF16, &T_F16, 0,
          0, 0, 64, 16), PLAIN(f16));
    RUN32("no swizzle", "kind::f16.f32.f16.bf16", 128, &F32, &T_F16, &T_BF16,
          0, 0, 0, 0, 16), PLAIN(f16));
    RUN32("A along m", "kind::f16.f32.f16.f16", 128, &F32, &T_F16, &T_F16, 0, 1,
          0, 128, 16), PLAIN(f16));
    RUN32("both along m and n", "kind::f16.f32.f16.f16", 128, &F32, &T_F16,
          &T_F16, 0, 1, 1, 64, 16), PLAIN(f16));
    RUN32("tf32", "kind::tf32.f32.tf32.tf32", 128, &F32, &T_TF32, &T_TF32, 0, 0,
          0, 32, 16), PLAIN(tf32));
    RUN32("tf32 along n", "kind::tf32.f32.tf32.tf32", 128, &F32, &T_TF32,
          &T_TF32, 0, 0, 1, 128, 32), PLAIN(tf32));
    RUN32("fp8", "kind::f8f6f4.f32.e4m3.e5m2", 128, &F32, &T_E4M3, &T_E5M2, 0,
          0, 0, 32, 16), PLAIN(f8f6f4));
    RUN32("fp4 x fp6", "kind::f8f6f4.f16.e2m1.e3m2", 128, &F16, &T_E2M1,
          &T_E3M2, 0, 0, 0, 32, 16), PLAIN(f8f6f4));
    RUN32("int8", "kind::i8.s32.s8.u8", 128, &S32, &T_S8, &T_U8, 0, 0, 0, 32,
          16), PLAIN(i8));
    RUN32("f16 from tensor memory", "kind::f16.f32.f16.bf16", 128, &F32, &T_F16,
          &T_BF16, FROM_TENSOR, 0, 0, 32, 16), TENSOR(f16_ta));
    RUN32("tf32 from tensor memory", "kind::tf32.f32.tf32.tf32", 128, &F32,
          &T_TF32, &T_TF32, FROM_TENSOR, 0, 0, 32, 16), TENSOR(tf32_ta));
    RUN32("fp4 from tensor memory", "kind::f8f6f4.f32.e2m1.e2m3", 128, &F32,
          &T_E2M1, &T_E2M3, FROM_TENSOR, 0, 0, 32, 16), TENSOR(f8f6f4_ta));
    RUN32("int8 from tensor memory", "kind::i8.s32.u8.s8", 128, &S32, &T_U8,
          &T_S8, FROM_TENSOR, 0, 0, 32, 16), TENSOR(i8_ta));
    RUN32("mxf8f6f4", "kind::mxf8f6f4.f32.e4m3.e2m1.ue8m0", 128, &F32, &T_E4M3,
          &T_E2M1, SCALED, 0, 0, 32, 16, 1, 3, 1), WITH_SCALES(mxf8f6f4));
    RUN32("mxf8f6f4 from tensor memory", "kind::mxf8f6f4.f32.e3m2.e5m2.ue8m0",
          128, &F32, &T_E3M2, &T_E5M2, SCALED | FROM_TENSOR, 0, 0, 32, 16, 1, 0,
          2), START(ll_ptx_tcgen05_mma_mxf8f6f4_ta(d, (u32)a, b, idesc, sa, sb,
                                                   keep)));
    RUN32("mxf4", "kind::mxf4.f32.e2m1.e2m1.ue8m0", 128, &F32, &T_FP4, &T_FP4,
          SCALED, 0, 0, 32, 16, 2, 2, 0), WITH_SCALES(mxf4));
    RUN32("mxf4nvf4, 32", "kind::mxf4nvf4.f32.e2m1.e2m1.ue8m0", 128, &F32,
          &T_FP4, &T_FP4, SCALED, 0, 0, 32, 16, 2, 0, 2),
          WITH_SCALES(mxf4nvf4_block32));
    RUN32("mxf4nvf4, 16", "kind::mxf4nvf4.f32.e2m1.e2m1.ue4m3", 128, &F32,
          &T_FP4, &T_FP4, SCALED, 0, 0, 32, 16, 4, 0, 0),
          WITH_SCALES(mxf4nvf4_block16));
    RUN32("a pair, 256 rows", "kind::f16.f32.f16.f16", 256, &F32, &T_F16,
          &T_F16, PAIR, 0, 0, 32, 16), PLAIN(f16_cta2));
    test<16, false>("a pair, 128 rows",
                    form{"kind::f8f6f4.f32.e4m3.e4m3", 128, &F32, &T_E4M3,
                         &T_E4M3, PAIR, 0, 0, 32, 16}, PLAIN(f8f6f4_cta2));
    test<16, true>("64 rows", form{"kind::f16.f32.f16.f16", 64, &F32, &T_F16,
                                   &T_F16, 0, 0, 0, 32, 16}, PLAIN(f16));
    test<64, false>("ws", form{"kind::i8.s32.s8.u8", 128, &S32, &T_S8, &T_U8,
                               WS, 0, 0, 32, 16}, PLAIN(ws_i8));
    test<64, false>("ws from tensor memory",
                    form{"kind::f16.f32.f16.bf16", 128, &F32, &T_F16, &T_BF16,
                         WS | FROM_TENSOR, 0, 0, 32, 16}, TENSOR(ws_f16_ta));
    test<32, false>("ws, 64 rows",
                    form{"kind::f8f6f4.f32.e4m3.e5m2", 64, &F32, &T_E4M3,
                         &T_E5M2, WS, 0, 0, 32, 16}, PLAIN(ws_f8f6f4));
    test<32, false>("ws, 64 rows, tf32",
                    form{"kind::tf32.f32.tf32.tf32", 64, &F32, &T_TF32, &T_TF32,
                         WS, 0, 1, 128, 32}, PLAIN(ws_tf32));
}

/* ==== Loads and stores =================================================== */

typedef void move_fn(u32 *r, u32 address);

/* A warpgroup writes what lane dp, column c is to be, all its columns; `how`
 * then moves, and the registers, or the memory, come out. */
__global__ void moves(u32 *out, move_fn *how, bool is_store) {
    __shared__ u32 where[1];
    const u32 t = threadIdx.x;
    u32 r[64];
    if (t < 32) {
        ll_ptx_tcgen05_alloc((u32)__cvta_generic_to_shared(where), 64);
    }
    __syncthreads();
    const u32 own = where[0] + (t / 32 * 32 << 16);
    for (u32 k = 0; k < 64; ++k) {
        r[k] = is_store ? 0 : t | k << 8 | t << 16 | k << 24;
    }
    ll_ptx_tcgen05_st_32x32b<64>(own, r);
    ll_ptx_tcgen05_wait_st();
    for (u32 k = 0; k < 64; ++k) {
        r[k] = is_store ? t << 8 | k | t << 24 | k << 16 : 0;
    }
    how(r, own);
    if (is_store) {
        ll_ptx_tcgen05_wait_st();
        ll_ptx_tcgen05_ld_32x32b<64>(r, own);
    }
    ll_ptx_tcgen05_wait_ld();
    for (u32 k = 0; k < 64; ++k) {
        out[64 * t + k] = r[k];
    }
    __syncthreads();
    if (t < 32) {
        ll_ptx_tcgen05_dealloc(where[0], 64);
    }
}

/* The layout is of n registers of 32 bits, or of elements of 16 of them. */
static void test_move(const char *name, const ll_layout &l, bool packed,
                      bool is_store, move_fn *how) {
    static u8 *on = buffer(128 * 64 * 4);
    static u32 back[128][64], want[128][64];
    const unsigned regs = ll_size(l.in, LL_REGISTER), half = packed ? 2 : 1;
    unsigned bad = l.err;
    emu_reset();
    LL_LAUNCH(moves, 1, 128, 0, (u32 *)on, how, is_store);
    cudaMemcpy(back, on, sizeof back, cudaMemcpyDeviceToHost);
    memset(want, 0, sizeof want);
    for (unsigned t = 0; t < 128; ++t) {
        for (unsigned r = 0; r < regs; ++r) {
            const unsigned y =
                ll_apply(l, ll_pack(l.in, LL_REGISTER, r) ^
                                ll_pack(l.in, LL_LANE, t % 32) ^
                                ll_pack(l.in, LL_WARP, t / 32));
            const unsigned dp = ll_unpack(l.out, LL_DP, y);
            const unsigned c = ll_unpack(l.out, LL_TCOL, y), w = r / half;
            if (is_store) {
                const u32 v = t << 8 | w | t << 24 | w << 16;
                want[dp][c] = packed ? v >> 16 * (r % 2) & 0xffff : v;
            } else {
                const u32 v = dp | c << 8 | dp << 16 | c << 24;
                want[t][w] |= packed ? (v & 0xffff) << 16 * (r % 2) : v;
            }
        }
    }
    check(!bad && !memcmp(want, back, sizeof want) && emu_error_count() == 0,
          name, __LINE__);
}

#define MOVE(shape, n, lanes, bits)                                          \
    test_move("ld " #shape, ll_ptx_tmem(lanes, bits, n, 32), false, false,   \
              [](u32 *r, u32 at) { ll_ptx_tcgen05_ld_##shape<n>(r, at); });  \
    test_move("ld " #shape ", packed", ll_ptx_tmem(lanes, bits, n, 16),      \
              true, false, [](u32 *r, u32 at) {                              \
                  ll_ptx_tcgen05_ld_##shape##_pack<n>(r, at); });            \
    test_move("st " #shape, ll_ptx_tmem(lanes, bits, n, 32), false, true,    \
              [](u32 *r, u32 at) { ll_ptx_tcgen05_st_##shape<n>(at, r); });  \
    test_move("st " #shape ", unpacked", ll_ptx_tmem(lanes, bits, n, 16),    \
              true, true, [](u32 *r, u32 at) {                               \
                  ll_ptx_tcgen05_st_##shape##_unpack<n>(at, r); })

static void test_moves() {
    MOVE(32x32b, 8, 32, 32);
    MOVE(16x64b, 4, 16, 64);
    MOVE(16x128b, 4, 16, 128);
    MOVE(16x256b, 2, 16, 256);
    test_move("ld 16x32bx2", ll_ptx_tmem_x2(4, 32, 16), false, false,
              [](u32 *r, u32 at) { ll_ptx_tcgen05_ld_16x32bx2<4, 16>(r, at); });
    test_move("ld 16x32bx2, packed", ll_ptx_tmem_x2(4, 16, 8), true, false,
              [](u32 *r, u32 at) {
                  ll_ptx_tcgen05_ld_16x32bx2_pack<4, 8>(r, at);
              });
    test_move("st 16x32bx2", ll_ptx_tmem_x2(2, 32, 32), false, true,
              [](u32 *r, u32 at) { ll_ptx_tcgen05_st_16x32bx2<2, 32>(at, r); });
    test_move("st 16x32bx2, unpacked", ll_ptx_tmem_x2(8, 16, 16), true, true,
              [](u32 *r, u32 at) {
                  ll_ptx_tcgen05_st_16x32bx2_unpack<8, 16>(at, r);
              });
}

/* ==== Findings =========================================================== */

enum {
    RIGHT, NO_COMMIT_WAIT, NO_FENCE_AFTER, NO_FENCE_BEFORE, NO_WAIT_ST,
    NO_WAIT_LD, NO_DEALLOC, NO_PROXY, OTHER_LANES, NO_ALLOC, UNWRITTEN, REUSES,
    TWICE, NO_BARRIER, ODD_COLUMNS, TOO_MANY, WRONG_BACK, BOTH_GROUPS, NO_CORE,
    BAD_IDESC, BAD_DESC, LATE_ALLOC, SECOND_THREAD, NO_COMMIT
};

/* A product of 128 x 16 with A in tensor memory, whose columns are then stored
 * to again. */
template <int FAULT> __global__ void faulty(u32 *p, u32 idesc, u64 db) {
    __shared__ __align__(1024) u32 b[16 * 8];
    __shared__ __align__(8) unsigned long long memory[1];
    __shared__ u32 where[2];
    const u32 bar = (u32)__cvta_generic_to_shared(memory), t = threadIdx.x;
    const u32 to = (u32)__cvta_generic_to_shared(where);
    u32 r[16] = {};
    b[t] = 0;
    if (FAULT != NO_PROXY) {
        ll_ptx_fence_proxy_async();
    }
    if (t < 32) {
        FAULT == LATE_ALLOC ? ll_ptx_tcgen05_relinquish_alloc_permit()
                            : (void)0;
        ll_ptx_tcgen05_alloc(to, FAULT == ODD_COLUMNS ? 48 : 64);
        FAULT == TOO_MANY ? ll_ptx_tcgen05_alloc(to + 4, 512) : (void)0;
        FAULT == BOTH_GROUPS ? ll_ptx_tcgen05_relinquish_alloc_permit_cta2()
                             : (void)0;
    }
    if (t == 0) {
        ll_ptx_mbarrier_init(bar, 1);
        ll_ptx_fence_mbarrier_init();
    }
    __syncthreads();
    const u32 d = where[0], a = d + (FAULT == NO_ALLOC ? 60 : 32);
    const u32 own = (FAULT == OTHER_LANES ? 0 : t / 32 * 32) << 16;
    if (FAULT != UNWRITTEN) {
        ll_ptx_tcgen05_st_32x32b<8>(own + a, r);
    }
    if (FAULT != NO_WAIT_ST) {
        ll_ptx_tcgen05_wait_st();
    }
    if (FAULT != NO_FENCE_BEFORE) {
        ll_ptx_tcgen05_fence_before_thread_sync();
    }
    if (FAULT != NO_BARRIER) {
        __syncthreads();
    }
    if (FAULT != NO_FENCE_AFTER) {
        ll_ptx_tcgen05_fence_after_thread_sync();
    }
    const u64 desc = FAULT == BAD_DESC ? 0 : moved(db, (u32)
                                             __cvta_generic_to_shared(b));
    if (t == 0) {
        ll_ptx_tcgen05_mma_f16_ta(d, a, desc,
                                  FAULT == BAD_IDESC ? idesc | 4 : idesc, 0);
        FAULT != NO_COMMIT ? ll_ptx_tcgen05_commit(bar) : (void)0;
        FAULT == TWICE ? ll_ptx_tcgen05_commit(bar) : (void)0;
    } else if (t == 32 && FAULT == SECOND_THREAD) {
        ll_ptx_tcgen05_mma_f16_ta(d, a, desc, idesc, 1);
    }
    if (FAULT == REUSES) {
        b[t] = 1;
    }
    if (FAULT != NO_COMMIT_WAIT) {
        ll_ptx_mbarrier_wait(bar, 0);
    }
    if (FAULT != NO_CORE) {
        ll_ptx_tcgen05_fence_after_thread_sync();
    }
    ll_ptx_tcgen05_ld_32x32b<16>(r, d + (t / 32 * 32 << 16));
    if (FAULT != NO_WAIT_LD) {
        ll_ptx_tcgen05_wait_ld();
    }
    ll_ptx_tcgen05_st_32x32b<16>(d + (t / 32 * 32 << 16), r);
    ll_ptx_tcgen05_wait_st();
    p[t] = r[0];
    __syncthreads();
    if (t < 32 && FAULT != NO_DEALLOC) {
        ll_ptx_tcgen05_dealloc(d, FAULT == WRONG_BACK ? 32 : 64);
    }
}

template <int FAULT> static void finds(const char *text) {
    static u8 *out = buffer(512);
    const ll_ptx_desc d = ll_ptx_desc_of(ll_ptx_smem_k(16, 16, 16, 32), 16, 16,
                                         16);
    const ll_ptx_idesc id =
        ll_ptx_idesc_of("kind::f16.f32.f16.f16", 1, 128, 16, d, d);
    auto kernel = faulty<FAULT>;
    emu_reset();
    LL_LAUNCH(kernel, 1, 128, 0, (u32 *)out, id.bits,
              ll_ptx_desc_tcgen05(d, 0));
    const char *said = emu_errors();
    check(text ? emu_error_count() > 0 && strstr(said, text) &&
                     strstr(said, "test_tmem.cu:")
               : emu_error_count() == 0,
          text ? text : "nothing wrong", __LINE__);
    emu_expected();
    emu_reset();
}

static void test_findings() {
    finds<RIGHT>(0);
    finds<NO_COMMIT_WAIT>("no thread has waited for an mbarrier of its "
                          "tcgen05.commit");
    finds<NO_CORE>("no tcgen05.fence::after_thread_sync follows the wait for "
                   "its mbarrier");
    finds<NO_FENCE_AFTER>("no tcgen05.fence::after_thread_sync follows the "
                          "barrier");
    finds<NO_FENCE_BEFORE>("without a tcgen05.fence::before_thread_sync after "
                           "it");
    finds<NO_WAIT_ST>("no tcgen05.wait::st has completed it");
    finds<NO_WAIT_LD>("no tcgen05.wait::ld has completed it");
    finds<NO_BARRIER>("with no barrier between");
    finds<NO_DEALLOC>("the block ends before these columns are freed");
    finds<NO_PROXY>("without a fence.proxy.async after it");
    finds<OTHER_LANES>("lanes that this warp cannot access");
    finds<NO_ALLOC>("which no tcgen05.alloc has allocated for the block");
    finds<UNWRITTEN>("which nothing has written");
    finds<REUSES>("race");
    finds<TWICE>("its phase is 2");
    finds<ODD_COLUMNS>("a number of columns that is not a power of two from 32 "
                       "to 512");
    finds<TOO_MANY>("more columns than are free");
    finds<LATE_ALLOC>("an allocation after tcgen05.relinquish_alloc_permit");
    finds<WRONG_BACK>("columns that are not those of one tcgen05.alloc");
    finds<BOTH_GROUPS>("both .cta_group::1 and .cta_group::2");
    finds<BAD_IDESC>("a sparse or saturated product");
    finds<BAD_DESC>("a shared memory descriptor that is not valid for tcgen05");
    finds<SECOND_THREAD>("with no barrier between");
    finds<NO_COMMIT>("waits for 1 of 1 arrivals");
}

int main() {
    test_products();
    test_moves();
    test_findings();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
