/* test_instructions.cu - each instruction of ll_ptx.h, against what
 * the PTX manual says that its instruction does.
 *
 *   tools/emulator/emucc -I. tests/emu/test_instructions.cu -o t && ./t
 *
 * The formulas here are the manual's; with g = lane / 4 and t = lane % 4.
 */
#include <cuda_runtime.h>
#include "../../ll_ptx.h"
#include <stdio.h>
#include <string.h>

enum { BYTES = 2048 };
#include "instructions.h"

static void done(work w) {
    CHECK(emu_error_count() == 0);
    cudaFree(w.in);
    cudaFree(w.out);
}

/* ==== Loads and stores =================================================== */

/* Functions of one width and hint, for a kernel's template. */
#define MOVE(name, width, hint, bytes_)                                      \
    struct name {                                                            \
        enum { bytes = bytes_ };                                             \
        static const char *text() { return #width; }                         \
        static ll_words ld_shared(u32 a) {                                   \
            return ll_ptx_ld_shared_##width(a);                              \
        }                                                                    \
        static void st_shared(u32 a, ll_words v) {                           \
            ll_ptx_st_shared_##width(a, v);                                  \
        }                                                                    \
        static ll_words ld_global(u64 a, u32 on) {                           \
            return ll_ptx_ld_global_##hint##width(a, on);                    \
        }                                                                    \
        static void st_global(u64 a, ll_words v, u32 on) {                   \
            ll_ptx_st_global_##hint##width(a, v, on);                        \
        }                                                                    \
    };
MOVE(b8, b8, , 1)
MOVE(b16, b16, , 2)
MOVE(b32, b32, , 4)
MOVE(b64, b64, , 8)
MOVE(b128, b128, , 16)
MOVE(once_b8, b8, no_allocate_, 1)
MOVE(once_b16, b16, no_allocate_, 2)
MOVE(once_b32, b32, no_allocate_, 4)
MOVE(once_b64, b64, no_allocate_, 8)
MOVE(once_b128, b128, no_allocate_, 16)

/* Odd lanes neither load nor store. */
template <class M> __global__ void move(const u8 *in, u8 *out) {
    __shared__ __align__(128) u8 s[512];
    u32 l = threadIdx.x, at = l * M::bytes;
    u32 a = (u32)__cvta_generic_to_shared(s) + at;
    M::st_shared(a, M::ld_global((u64)(in + at), l % 2 == 0));
    __syncwarp();
    ll_words v = M::ld_shared(a);
    M::st_global((u64)(out + at), v, 1);
    M::st_global((u64)(out + 1024 + at), v, l % 2 == 0);
}

template <class M> static void test_move() {
    work w = fresh();
    LL_LAUNCH(move<M>, 1, 32, 0, w.in, w.out);
    int bad = 0;
    for (int i = 0; i < 32 * M::bytes; i++) {
        int odd = i / M::bytes % 2;
        bad += at(w.out, i) != (odd ? 0 : at(w.in, i));
        bad += at(w.out, 1024 + i) != (odd ? 0xee : at(w.in, i));
    }
    CHECK(bad == 0);
    char kind[40];
    snprintf(kind, sizeof kind, "ld.shared.%s", M::text());
    CHECK(emu_stat(kind) == 1);
    done(w);
}

template <bool ONCE> __global__ void move_wide(const u8 *in, u8 *out) {
    u32 l = threadIdx.x;
    u64 from = (u64)(in + 32 * l), to = (u64)(out + 32 * l);
    ll_words v = ONCE ? ll_ptx_ld_global_no_allocate_b256(from, l != 3)
                      : ll_ptx_ld_global_b256(from, l != 3);
    ONCE ? ll_ptx_st_global_no_allocate_b256(to, v, l != 5)
         : ll_ptx_st_global_b256(to, v, l != 5);
}

__global__ void move_once(const u8 *in, u8 *out) {
    u32 l = threadIdx.x;
    ll_words v = ll_ptx_ld_global_nc_b128((u64)(in + 16 * l), l != 3);
    ll_ptx_st_global_b128((u64)(out + 16 * l), v, 1);
}

template <bool ONCE> static void test_wide() {
    work w = fresh();
    LL_LAUNCH(move_wide<ONCE>, 1, 32, 0, w.in, w.out);
    int bad = 0;
    for (int i = 0; i < 1024; i++) {
        int want = i / 32 == 3 ? 0 : i / 32 == 5 ? 0xee : at(w.in, i);
        bad += at(w.out, i) != want;
    }
    CHECK(bad == 0);
    CHECK(emu_stat("ld.global.b256") == 1);
    done(w);
}

static void test_global() {
    work w = fresh();
    int bad = 0;
    LL_LAUNCH(move_once, 1, 32, 0, w.in, w.out);
    for (int i = 0; i < 512; i++) {
        bad += at(w.out, i) != (i / 16 == 3 ? 0 : at(w.in, i));
    }
    CHECK(bad == 0);
    done(w);
}

/* ==== Matrices =========================================================== */

/* Fills shared memory with the bytes of `in`, calls LOAD with the address of
 * the lane's row, and stores its registers. Rows are 16 bytes apart, their
 * order is turned around: row r of the manual is at ROW(r). */
#define ROW(r) ((r) ^ 5)
#define LOADS(name, n)                                                       \
    __global__ void k_##name(const u8 *in, u8 *out) {                        \
        __shared__ __align__(128) u8 s[512];                                 \
        u32 l = threadIdx.x, a = (u32)__cvta_generic_to_shared(s);           \
        memcpy(s + 16 * l, in + 16 * l, 16);                                 \
        __syncwarp();                                                        \
        ll_words v = ll_ptx_##name(a + 16 * ROW(l));                         \
        memcpy(out + 16 * l, v.w, 16);                                       \
    }                                                                        \
    enum { n_##name = n };
LOADS(ldmatrix_m8n8_x1, 1)
LOADS(ldmatrix_m8n8_x2, 2)
LOADS(ldmatrix_m8n8_x4, 4)
LOADS(ldmatrix_m8n8_x1_trans, 1)
LOADS(ldmatrix_m8n8_x2_trans, 2)
LOADS(ldmatrix_m8n8_x4_trans, 4)
LOADS(ldmatrix_m16n16_x1_trans, 2)
LOADS(ldmatrix_m16n16_x2_trans, 4)

/* The bytes of `in` are registers; STORE puts them to shared memory. */
#define STORES(name, n)                                                      \
    __global__ void k_##name(const u8 *in, u8 *out) {                        \
        __shared__ __align__(128) u8 s[512];                                 \
        u32 l = threadIdx.x, a = (u32)__cvta_generic_to_shared(s);           \
        ll_words v = {};                                                     \
        memcpy(s + 16 * l, out + 16 * l, 16);                                \
        memcpy(v.w, in + 16 * l, 16);                                        \
        __syncwarp();                                                        \
        ll_ptx_##name(a + 16 * ROW(l), v);                                   \
        __syncwarp();                                                        \
        memcpy(out + 16 * l, s + 16 * l, 16);                                \
    }                                                                        \
    enum { n_##name = n };
STORES(stmatrix_m8n8_x1, 1)
STORES(stmatrix_m8n8_x2, 2)
STORES(stmatrix_m8n8_x4, 4)
STORES(stmatrix_m8n8_x1_trans, 1)
STORES(stmatrix_m8n8_x2_trans, 2)
STORES(stmatrix_m8n8_x4_trans, 4)
STORES(stmatrix_m16n8_x1_trans, 1)
STORES(stmatrix_m16n8_x2_trans, 2)
STORES(stmatrix_m16n8_x4_trans, 4)

/* Row (of all matrices) and byte in it of byte k of register r of a lane.
 * m8n8: register r has of row g the 16-bit elements 2t, 2t + 1; transposed of
 * the rows 2t, 2t + 1 element g. m16n16, transposed 8-bit: rows 4t + k, byte g,
 * of the odd register g + 8. m16n8: rows 2t and 2t + 1, bytes g and g + 8. */
enum { PLAIN, TRANS, LOAD_B8, STORE_B8 };

static int place(int form, int lane, int r, int k) {
    int g = lane / 4, t = lane % 4;
    return form == PLAIN     ? 16 * ROW(8 * r + g) + 2 * (2 * t + k / 2) + k % 2
           : form == TRANS   ? 16 * ROW(8 * r + 2 * t + k / 2) + 2 * g + k % 2
           : form == LOAD_B8 ? 16 * ROW(16 * (r / 2) + 4 * t + k) + g +
                                   8 * (r % 2)
                             : 16 * ROW(8 * r + 2 * t + k % 2) + g +
                                   8 * (k / 2);
}

static void test_matrix(void (*kernel)(const u8 *, u8 *), int form, int store,
                        int regs, const char *kind) {
    work w = fresh();
    LL_LAUNCH(kernel, 1, 32, 0, w.in, w.out);
    int bad = 0, stored = 0;
    for (int lane = 0; lane < 32; lane++) {
        for (int i = 0; i < 4 * regs; i++) {
            int there = place(form, lane, i / 4, i % 4), here = 16 * lane + i;
            bad += store ? at(w.out, there) != at(w.in, here)
                         : at(w.out, here) != at(w.in, there);
        }
    }
    for (int i = 0; store && i < 512; i++) {
        stored += at(w.out, i) != 0xee;
    }
    check(bad == 0, kind, __LINE__);
    check(!store || (stored <= 128 * regs && stored >= 127 * regs), kind,
          __LINE__);
    check(emu_stat(kind) == 1, kind, __LINE__);
    done(w);
}

#define LOAD(name, form, kind)                                               \
    test_matrix(k_ld##name, form, 0, n_ld##name, "ld" kind)
#define STORE(name, form, kind)                                              \
    test_matrix(k_st##name, form, 1, n_st##name, "st" kind)

static void test_matrices() {
    LOAD(matrix_m8n8_x1, PLAIN, "matrix.x1");
    LOAD(matrix_m8n8_x2, PLAIN, "matrix.x2");
    LOAD(matrix_m8n8_x4, PLAIN, "matrix.x4");
    LOAD(matrix_m8n8_x1_trans, TRANS, "matrix.x1.trans");
    LOAD(matrix_m8n8_x2_trans, TRANS, "matrix.x2.trans");
    LOAD(matrix_m8n8_x4_trans, TRANS, "matrix.x4.trans");
    LOAD(matrix_m16n16_x1_trans, LOAD_B8, "matrix.x1.trans");
    LOAD(matrix_m16n16_x2_trans, LOAD_B8, "matrix.x2.trans");
    STORE(matrix_m8n8_x1, PLAIN, "matrix.x1");
    STORE(matrix_m8n8_x2, PLAIN, "matrix.x2");
    STORE(matrix_m8n8_x4, PLAIN, "matrix.x4");
    STORE(matrix_m8n8_x1_trans, TRANS, "matrix.x1.trans");
    STORE(matrix_m8n8_x2_trans, TRANS, "matrix.x2.trans");
    STORE(matrix_m8n8_x4_trans, TRANS, "matrix.x4.trans");
    STORE(matrix_m16n8_x1_trans, STORE_B8, "matrix.x1.trans");
    STORE(matrix_m16n8_x2_trans, STORE_B8, "matrix.x2.trans");
    STORE(matrix_m16n8_x4_trans, STORE_B8, "matrix.x4.trans");
}

/* ==== Lanes ============================================================== */

__global__ void exchange(u32 *out) {
    u32 l = threadIdx.x, x = 100 + l;
    out[l] = ll_ptx_shfl_idx(x, 31 - l);
    out[32 + l] = ll_ptx_shfl_bfly(x, 9);
    out[64 + l] = ll_ptx_shfl_up(x, 3);
    out[96 + l] = ll_ptx_shfl_down(x, 4);
    /* row l / 4, columns 2 (l % 4) and the next, as numbers 8 row + column */
    out[128 + l] = ll_ptx_movmatrix(2 * l | (2 * l + 1) << 16);
    out[160 + l] = ll_ptx_prmt(0x83820100, 0x07060504, 0x7250);
    out[192 + l] = ll_ptx_prmt(0x83820100, 0x07060504, 0x9ab2);
    out[224 + l] = ll_ptx_mad_if(5, 0x10001u * l, ~0u, l % 3);
    out[256 + l] = ll_ptx_mad(0x10001u * l, ~0u, 5);
    out[288 + l] = ll_ptx_selp(5, l, l % 3);
}

static void test_exchange() {
    work w = fresh();
    LL_LAUNCH(exchange, 1, 32, 0, (u32 *)w.out);
    int bad = 0;
    for (u32 l = 0; l < 32; l++) {
        u32 v[10], g = l / 4, t = l % 4;
        for (int k = 0; k < 10; k++) {
            cudaMemcpy(v + k, w.out + 128 * k + 4 * l, 4,
                       cudaMemcpyDeviceToHost);
        }
        bad += v[0] != 131 - l || v[1] != 100 + (l ^ 9);
        bad += v[2] != (l < 3 ? 100 + l : 97 + l);
        bad += v[3] != (l > 27 ? 100 + l : 104 + l);
        bad += v[4] != (16 * t + g | (16 * t + 8 + g) << 16);
        bad += v[5] != 0x07820500 || v[6] != 0x00ffff82;
        bad += v[7] != (l % 3 ? 0u - 0x10001u * l : 5u);
        bad += v[8] != 5 - 0x10001u * l || v[9] != (l % 3 ? 5u : l);
    }
    CHECK(bad == 0);
    CHECK(emu_stat("shfl") == 4 && emu_stat("movmatrix") == 1 &&
          emu_stat("prmt") == 2);
    done(w);
}

__global__ void combine(u32 *out) {
    u32 l = threadIdx.x, x = l * 2654435761u;
    out[l] = ll_ptx_redux_add_u32(x);
    out[32 + l] = ll_ptx_redux_min_u32(x);
    out[64 + l] = ll_ptx_redux_max_u32(x);
    out[96 + l] = ll_ptx_redux_min_s32(x);
    out[128 + l] = ll_ptx_redux_max_s32(x);
    out[160 + l] = ll_ptx_redux_and_b32(x | 5);
    out[192 + l] = ll_ptx_redux_or_b32(x & ~6u);
    out[224 + l] = ll_ptx_redux_xor_b32(x);
}

static void test_combine() {
    work w = fresh();
    LL_LAUNCH(combine, 1, 32, 0, (u32 *)w.out);
    u32 all[8] = {0, ~0u, 0, 0, 0, ~0u, 0, 0};
    for (u32 l = 0; l < 32; l++) {
        u32 x = l * 2654435761u;
        all[0] += x;
        all[1] = x < all[1] ? x : all[1];
        all[2] = x > all[2] ? x : all[2];
        all[3] = (int)x < (int)all[3] ? x : all[3];
        all[4] = (int)x > (int)all[4] ? x : all[4];
        all[5] &= x | 5;
        all[6] |= x & ~6u;
        all[7] ^= x;
    }
    int bad = 0;
    for (int k = 0; k < 8 * 32; k++) {
        u32 v;
        cudaMemcpy(&v, w.out + 4 * k, 4, cudaMemcpyDeviceToHost);
        bad += v != all[k / 32];
    }
    CHECK(bad == 0 && emu_stat("redux") == 8);
    done(w);
}

/* ==== Asynchronous copies ================================================ */

__global__ void copies(const u8 *in, u8 *out) {
    __shared__ __align__(128) u8 s[512];
    u32 l = threadIdx.x, a = (u32)__cvta_generic_to_shared(s);
    u64 g = (u64)in;
    memset(s + 16 * l, 0xee, 16);
    __syncwarp();
    if (l == 0) {
        ll_ptx_cp_async_ca_b32(a, g + 4);
        ll_ptx_cp_async_ca_b64(a + 16, g + 8);
        ll_ptx_cp_async_ca_b128(a + 32, g + 16);
        ll_ptx_cp_async_cg_b128(a + 48, g + 32);
        ll_ptx_cp_async_commit_group();
        ll_ptx_cp_async_ca_b32_fill(a + 64, g + 48, 3);
        ll_ptx_cp_async_ca_b64_fill(a + 80, g + 56, 8);
        ll_ptx_cp_async_ca_b128_fill(a + 96, g + 64, 9);
        ll_ptx_cp_async_cg_b128_fill(a + 112, 0, 0);
        ll_ptx_cp_async_commit_group();
        ll_ptx_cp_async_wait_group<1>();
        ll_ptx_cp_async_wait_group<0>();
        ll_ptx_fence_proxy_async();
    }
    ll_ptx_bar_warp();
    ll_ptx_bar();
    memcpy(out + 16 * l, s + 16 * l, 16);
}

static void test_copies() {
    static const struct { int to, from, read, size; } all[] = {
        {0, 4, 4, 4},    {16, 8, 8, 8},   {32, 16, 16, 16}, {48, 32, 16, 16},
        {64, 48, 3, 4},  {80, 56, 8, 8},  {96, 64, 9, 16},  {112, 0, 0, 16},
    };
    work w = fresh();
    LL_LAUNCH(copies, 1, 32, 0, w.in, w.out);
    int bad = 0;
    for (const auto &c : all) {
        for (int i = 0; i < 16; i++) {
            int want = i < c.read ? at(w.in, c.from + i)
                       : i < c.size ? 0 : 0xee;
            bad += at(w.out, c.to + i) != want;
        }
    }
    CHECK(bad == 0);
    CHECK(emu_stat("cp.async.shared") == 8);
    CHECK(emu_stat("bar") == 1 && emu_stat("syncwarp") == 2);
    done(w);
}

/* ==== Clusters =========================================================== */

/* Block r of four reads the data of block r + 1, by each width, at offsets that may
 * be added to a mapped address. */
__global__ void cluster(u32 *out) {
    __shared__ __align__(128) u8 s[512];
    u32 l = threadIdx.x, r = ll_ptx_cluster_ctarank();
    for (u32 k = 0; k < 16; k++) {
        s[16 * l + k] = (u8)(64 * r + 3 * l + k);
    }
    ll_ptx_barrier_cluster_arrive();
    u32 a = ll_ptx_mapa((u32)__cvta_generic_to_shared(s), (r + 1) % 4) + 16 * l;
    ll_ptx_barrier_cluster_wait();
    ll_words v[5] = {
        ll_ptx_ld_shared_cluster_b8(a + 1), ll_ptx_ld_shared_cluster_b16(a + 2),
        ll_ptx_ld_shared_cluster_b32(a + 4),
        ll_ptx_ld_shared_cluster_b64(a + 8), ll_ptx_ld_shared_cluster_b128(a)};
    ll_ptx_barrier_cluster_arrive();
    ll_ptx_barrier_cluster_wait();
    for (u32 k = 0; k < 5; k++) {
        for (u32 w = 0; w < 4; w++) {
            out[((r * 32 + l) * 5 + k) * 4 + w] = v[k].w[w];
        }
    }
}

/* ll_ptx_barrier_cluster_wait alone; ll_ptx_mapa to no block. */
template <int CASE> __global__ void faulty_cluster() {
    CASE ? ll_ptx_barrier_cluster_wait() : (void)ll_ptx_mapa(0, 4);
}

static u32 bytes_at(u32 r, u32 l, u32 from, u32 n) {
    u32 v = 0;
    for (u32 k = 0; k < n; k++) {
        v |= (u32)(u8)(64 * r + 3 * l + from + k) << 8 * k;
    }
    return v;
}

static void test_cluster() {
    static const struct { u32 from, bytes; } all[] = {
        {1, 1}, {2, 2}, {4, 4}, {8, 8}, {0, 16}};
    cudaLaunchAttribute a = {cudaLaunchAttributeClusterDimension, {{4, 1, 1}}};
    const cudaLaunchConfig_t c = {dim3(4), dim3(32), 0, 0, &a, 1};
    u32 *out = 0, bad = 0, v = 0;
    cudaMalloc(&out, 4 * 32 * 20 * sizeof *out);
    emu_reset();
    cudaLaunchKernelEx(&c, cluster, out);
    for (u32 at = 0; at < 4 * 32 * 20; at++) {
        u32 l = at / 20 % 32, k = at / 4 % 5, w = at % 4, n = all[k].bytes;
        u32 here = n > 4 * w ? (n - 4 * w < 4 ? n - 4 * w : 4) : 0;
        cudaMemcpy(&v, out + at, 4, cudaMemcpyDeviceToHost);
        bad += v != bytes_at((at / 640 + 1) % 4, l, all[k].from + 4 * w, here);
    }
    CHECK(bad == 0);
    CHECK(emu_error_count() == 0);
    CHECK(emu_stat("barrier.cluster.arrive") == 8);
    CHECK(emu_stat("ld.shared::cluster.b128") == 4);
    cudaFree(out);
    emu_reset();
    cudaLaunchKernelEx(&c, faulty_cluster<0>);
    CHECK(emu_error_count() == 1 && emu_error_kind(0) == EMU_PTX);
    emu_expected();
    cudaLaunchKernelEx(&c, faulty_cluster<1>);
    CHECK(emu_error_count() == 1 && emu_error_kind(0) == EMU_PTX);
    emu_expected();
}

/* ==== What must be refused =============================================== */

template <int CASE> __global__ void faulty(const u8 *in, u8 *out) {
    __shared__ __align__(128) u8 s[1024];
    u32 l = threadIdx.x, a = (u32)__cvta_generic_to_shared(s);
    u64 g = (u64)in;
    ll_words v = {};
    memset(s + 32 * l, 0, 32);
    __syncwarp();
    switch (CASE) {
    case 0: ll_ptx_ldmatrix_m8n8_x4(a + 16 * l + 8); break;
    case 1: ll_ptx_stmatrix_m16n8_x4_trans(a + 16 * l + 4, v); break;
    case 2: ll_ptx_ldmatrix_m16n16_x2_trans(a + (16 * l | 1 << 20)); break;
    case 3: ll_ptx_ld_global_b256(g + 16, 1); break;
    case 4: ll_ptx_st_global_b256((u64)out + 8, v, 1); break;
    case 5: ll_ptx_cp_async_cg_b128(a + 8, g); break;
    case 6: ll_ptx_cp_async_ca_b64(a, g + 4); break;
    case 7: l < 31 ? (void)ll_ptx_ldmatrix_m8n8_x1(a) : (void)0; break;
    case 8: l < 31 ? ll_ptx_stmatrix_m8n8_x1(a, v) : (void)0; break;
    case 9: l < 31 ? (void)ll_ptx_movmatrix(l) : (void)0; break;
    case 10: l < 31 ? (void)ll_ptx_shfl_bfly(l, 1) : (void)0; break;
    case 11: l < 31 ? (void)ll_ptx_ldmatrix_m16n16_x1_trans(a) : (void)0; break;
    default: l < 31 ? ll_ptx_stmatrix_m16n8_x1_trans(a, v) : (void)0; break;
    }
}

template <int CASE> static void refuse(int kind) {
    work w = fresh();
    LL_LAUNCH(faulty<CASE>, 1, 32, 0, w.in, w.out);
    CHECK(emu_error_count() >= 1);
    CHECK(emu_error_count() && emu_error_kind(0) == kind);
    emu_expected();
    done(w);
}

static void test_refused() {
    refuse<0>(EMU_ALIGN);
    refuse<1>(EMU_ALIGN);
    refuse<2>(EMU_BOUNDS);
    refuse<3>(EMU_ALIGN);
    refuse<4>(EMU_ALIGN);
    refuse<5>(EMU_ALIGN);
    refuse<6>(EMU_ALIGN);
    refuse<7>(EMU_LANES);
    refuse<8>(EMU_LANES);
    refuse<9>(EMU_LANES);
    refuse<10>(EMU_LANES);
    refuse<11>(EMU_LANES);
    refuse<12>(EMU_LANES);
}

int main() {
    test_move<b8>();
    test_move<b16>();
    test_move<b32>();
    test_move<b64>();
    test_move<b128>();
    test_move<once_b8>();
    test_move<once_b16>();
    test_move<once_b32>();
    test_move<once_b64>();
    test_move<once_b128>();
    test_wide<false>();
    test_wide<true>();
    test_global();
    test_matrices();
    test_exchange();
    test_combine();
    test_copies();
    test_cluster();
    test_refused();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
