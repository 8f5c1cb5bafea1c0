/* test_emu.cu - tests of the emulator itself.
 *
 *   tools/emulator/emucc tests/emu/test_emu.cu -o test_emu && ./test_emu
 *
 * The faulty kernels have their fault on a known line: LINE(x) stands two
 * lines above it.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

typedef unsigned u32;
static int passed, failed;

#define CHECK(x) check((x) != 0, #x, __LINE__)
#define EQUAL(x, y) equal((long long)(x), (long long)(y), #x, __LINE__)
#define LINE(x) static const int x = __LINE__;

static void check(int ok, const char *text, int line) {
    ok ? passed++ : failed++;
    if (!ok) {
        printf("test_emu.cu:%d: failed: %s\n%s", line, text, emu_errors());
    }
}

static void equal(long long x, long long y, const char *text, int line) {
    check(x == y, text, line);
    if (x != y) {
        printf("    %lld instead of %lld\n", x, y);
    }
}

/* A device buffer of n words, filled with 0, 1, 2, .. */
static u32 *words(int n) {
    u32 *p = 0;
    cudaMalloc(&p, (size_t)n * 4);
    for (int i = 0; i < n; i++) {
        u32 v = (u32)i;
        cudaMemcpy(p + i, &v, 4, cudaMemcpyHostToDevice);
    }
    return p;
}

static u32 word(const u32 *p, int i) {
    u32 v = 0;
    cudaMemcpy(&v, p + i, 4, cudaMemcpyDeviceToHost);
    return v;
}

/* All errors are of the kind; one is at the line and contains the text. */
static void expect(int kind, int line, const char *text, int from) {
    int n = emu_error_count(), found = 0;
    for (int i = 0; i < n; i++) {
        const char *s = emu_error(i);
        equal(emu_error_kind(i), kind, "error kind", from);
        check(strstr(s, "/test_emu.cu:") != 0, "error file", from);
        found += emu_error_line(i) == line && strstr(s, text) != 0;
    }
    check(found == 1, text, from);
    emu_expected();
}
#define EXPECT(kind, line, text) expect(kind, line, text, __LINE__)

/* ==== Transposes ======================================================== */

template <int PAD> __global__ void transpose(const u32 *in, u32 *out, int n) {
    __shared__ u32 tile[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += blockDim.y) {
        tile[k][threadIdx.x] = in[(y + k) * n + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32;
    for (int k = threadIdx.y; k < 32; k += blockDim.y) {
        out[(y + k) * n + x] = tile[threadIdx.x][k];
    }
}

static void test_transpose() {
    const int n = 256;
    u32 *in = words(n * n), *out = words(n * n);
    int bad = 0;
    LL_LAUNCH((transpose<1>), dim3(8, 8), dim3(32, 4), 0, in, out, n);
    for (int i = 0; i < n * n; i++) {
        bad += word(out, i) != (u32)((i % n) * n + i / n);
    }
    EQUAL(bad, 0);
    EQUAL(emu_error_count(), 0);
    EQUAL(cudaGetLastError(), cudaSuccess);
    EQUAL(emu_stat("st.shared"), n * n / 32);
    EQUAL(emu_stat("ld.shared.b32"), n * n / 32);
    EQUAL(emu_wavefronts("ld.shared"), n * n / 32);
    EQUAL(emu_sectors("ld.global"), n * n / 8);
    EQUAL(emu_bytes("st.global"), n * n * 4);
    EQUAL(emu_stat("bar"), 64 * 4);
    emu_reset();
    LL_LAUNCH((transpose<0>), dim3(8, 8), dim3(32, 4), 0, in, out, n);
    EQUAL(emu_error_count(), 0);
    EQUAL(emu_wavefronts("ld.shared"), n * n);
    EQUAL(emu_ideal("ld.shared"), n * n / 32);
    EQUAL(emu_wavefronts("st.shared"), n * n / 32);
    EQUAL(emu_site_count() >= 4, 1);
    emu_reset();
    cudaFree(in);
    cudaFree(out);
}

/* ==== Errors ============================================================ */

LINE(oob_line)
__global__ void bad_oob(u32 *p, int n) {
    p[n + (int)threadIdx.x] = 1;
}
__global__ void bad_pointer(u32 *p) { *p = 1; }
LINE(align_line)
__global__ void bad_align(u32 *p) {
    *(volatile unsigned short *)((char *)p + 1) = 1;
}
LINE(ptx_align_line)
__global__ void bad_ptx_align(u32 *p) { u32 a, b;
    LL_PTX_("ld.global.v2.b32 {%0, %1}, [%2+4];",
            (LL_O32_(a), LL_O32_(b)), (LL_I64_(p)));
    p[0] = a + b;
}
__global__ void bad_uninit(u32 *p) {
    __shared__ u32 s[64];
    s[threadIdx.x] = 1;
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x + 1];
}
static const int uninit_line = __LINE__ - 2;
__global__ void bad_warps(u32 *p) {
    __shared__ u32 s[64];
    s[threadIdx.x] = 1;
    p[threadIdx.x] = s[threadIdx.x ^ 32];
}
static const int warps_line = __LINE__ - 2;
__global__ void bad_lanes(u32 *p) {
    __shared__ u32 s[32];
    s[threadIdx.x] = threadIdx.x;
    p[threadIdx.x] = s[threadIdx.x ? threadIdx.x - 1 : 0];
}
static const int lanes_line = __LINE__ - 2;
__global__ void bad_write_after_read(u32 *p) {
    __shared__ u32 s[64];
    s[threadIdx.x] = 1;
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x ^ 32];
    s[threadIdx.x] = 2;
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x];
}
static const int war_line = __LINE__ - 4;
__global__ void bad_values(u32 *p) {
    __shared__ u32 s[1];
    s[0] = threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = s[0];
}
static const int values_line = __LINE__ - 4;
__global__ void good_values(u32 *p) {
    __shared__ u32 s[1];
    s[0] = 7;
    __syncthreads();
    p[threadIdx.x] = s[0];
}
__global__ void bad_barrier(u32 *p) {
    if (threadIdx.x < 32) {
        __syncthreads();
    } else {
        LL_PTX_("bar.sync 1, 64;", (), ());
    }
    p[0] = 1;
}
static const int barrier_line = __LINE__ - 6;
__global__ void bad_mask(u32 *p) {
    if (threadIdx.x < 16) {
        p[threadIdx.x] = __shfl_sync(0xffffffffu, p[threadIdx.x], 0);
    }
}
__global__ void bad_source(u32 *p) {
    if (threadIdx.x < 16) {
        p[threadIdx.x] = __shfl_sync(0xffffu, p[threadIdx.x], 20);
    }
}
static const int source_line = __LINE__ - 3;
__global__ void bad_text(u32 *p) {
    LL_PTX_("frobnicate.b32 %0;", (), (LL_I32_(p[0])));
}
static const int text_line = __LINE__ - 2;
__global__ void bad_gap(u32 *p) {
    __shared__ u32 s[32];
    s[threadIdx.x] = 0;
    u32 a = (u32)__cvta_generic_to_shared(s);
    LL_PTX_("st.shared.b32 [%0], %1;",
            (), (LL_I32_(a + (1u << 30)), LL_I32_(1)));
    p[0] = s[0];
}
static const int gap_line = __LINE__ - 4;
__global__ void bad_divide(u32 *p) {
    p[1] = 5 / p[0];
}
static const int divide_line = __LINE__ - 2;
static __noinline__ void helper(u32 *p, int n) {
    LL_PTX_("st.global.b32 [%0], 1;", (), (LL_I64_(p + n)));
}
__global__ void bad_callers(u32 *p) {
    helper(p, 0);
    helper(p, 64);
}
__global__ void bad_constant(const u32 *p) {
    static const u32 table[3] = {1, 2, 3};
    *(volatile u32 *)(p[0] < 100 ? &table[p[0] % 3] : p) = 1;
}
static const int constant_line = __LINE__ - 2;
static void test_errors() {
    u32 *p = words(64);
    LL_LAUNCH(bad_oob, 1, 32, 0, p, 40);
    EQUAL(cudaGetLastError(), cudaErrorLaunchFailure);
    EXPECT(EMU_BOUNDS, oob_line + 2, "byte 256 of a global buffer of 256");
    LL_LAUNCH(bad_oob, 1, 32, 0, p, -1);
    EXPECT(EMU_BOUNDS, oob_line + 2, "byte -4 of a global buffer");
    u32 host;
    LL_LAUNCH(bad_pointer, 1, 1, 0, &host);
    EXPECT(EMU_BOUNDS, oob_line + 4, "not device memory");
    LL_LAUNCH(bad_pointer, 1, 1, 0, (u32 *)0);
    EXPECT(EMU_BOUNDS, oob_line + 4, "address 0x0");
    LL_LAUNCH(bad_align, 1, 1, 0, p);
    EXPECT(EMU_ALIGN, align_line + 2, "st.global.b16");
    LL_LAUNCH(bad_ptx_align, 1, 1, 0, p);
    EXPECT(EMU_ALIGN, ptx_align_line + 2, "multiple of 8");
    LL_LAUNCH(bad_uninit, 1, 32, 0, p);
    EXPECT(EMU_UNINIT, uninit_line, "byte 128 of shared `s`");
    LL_LAUNCH(bad_gap, 1, 1, 0, p);
    EXPECT(EMU_BOUNDS, gap_line, "st.shared.b32");
    LL_LAUNCH(bad_constant, 1, 1, 0, p);
    EXPECT(EMU_BOUNDS, constant_line, "read-only");
    LL_LAUNCH(bad_text, 1, 1, 0, p);
    EXPECT(EMU_PTX, text_line, "frobnicate");
    cudaMemset(p, 0, 256);
    LL_LAUNCH(bad_divide, 1, 1, 0, p);
    EXPECT(EMU_CRASH, divide_line, "signal 8");
    LL_LAUNCH(bad_callers, 1, 1, 0, p);
    EXPECT(EMU_BOUNDS, divide_line + 4, "byte 256");
    LL_LAUNCH(bad_oob, 1, 2000, 0, p, 0);
    EQUAL(emu_error_kind(0), EMU_LAUNCH);
    emu_expected();
    cudaFree(p);
}

static void test_races() {
    u32 *p = words(64);
    LL_LAUNCH(bad_warps, 1, 64, 0, p);
    EXPECT(EMU_RACE, warps_line, "warp 1 reads byte 0 of shared `s`, which "
                                 "warp 0 wrote");
    LL_LAUNCH(bad_lanes, 1, 32, 0, p);
    EXPECT(EMU_RACE, lanes_line, "lane 1 of warp 0 reads");
    LL_LAUNCH(bad_write_after_read, 1, 64, 0, p);
    EXPECT(EMU_RACE, war_line, "writes byte");
    LL_LAUNCH(bad_values, 1, 32, 0, p);
    EXPECT(EMU_RACE, values_line, "different values");
    LL_LAUNCH(good_values, 1, 32, 0, p);
    EQUAL(emu_error_count(), 0);
    LL_LAUNCH(bad_barrier, 1, 64, 0, p);
    EXPECT(EMU_DEADLOCK, barrier_line, "32 of 64 live threads");
    LL_LAUNCH(bad_source, 1, 32, 0, p);
    EXPECT(EMU_LANES, source_line, "reads lane 20");
    LL_LAUNCH(bad_mask, 1, 32, 0, p);
    EQUAL(emu_error_count(), 0);   /* the others have ended: allowed */
    emu_reset();
    cudaFree(p);
}

/* ==== Exchanges ========================================================= */

__global__ void shuffles(u32 *out) {
    u32 l = threadIdx.x, d, q;
    out[l] = __shfl_xor_sync(0xffffffffu, l, 5);
    out[32 + l] = __shfl_up_sync(0xffffffffu, l, 3);
    out[64 + l] = __shfl_down_sync(0xffffffffu, l, 3, 8);
    out[96 + l] = __shfl_sync(0xffffffffu, l, 9, 8);
    LL_PTX_("{ .reg .pred p; shfl.sync.down.b32 %0|p, %2, 4, 0x1f, %3;"
            " selp.b32 %1, 1, 0, p; }",
            (LL_O32_(d), LL_O32_(q)), (LL_I32_(l), LL_I32_(0xffffffffu)));
    out[128 + l] = d * 2 + q;
    unsigned long long w = l * 0x100000001ull;
    w = __shfl_xor_sync(0xffffffffu, w, 1);
    out[160 + l] = (u32)(w >> 32) + (u32)w;
    out[192 + l] = (u32)__ballot_sync(0xffffffffu, l % 3 == 0);
}

/* Eight lanes exchange among themselves; the rest have returned. */
__global__ void ragged(u32 *out) {
    u32 l = threadIdx.x;
    if (l >= 24) {
        return;
    }
    if (l < 8) {
        out[l] = __shfl_xor_sync(0xffu, l, 1);
    } else {
        out[l] = __shfl_xor_sync(0xffff00u, l, 2);
    }
    __syncwarp();
    __syncthreads();
    out[l] += 100;
}

static void test_shuffles() {
    u32 *p = words(256);
    LL_LAUNCH(shuffles, 1, 32, 0, p);
    int bad = 0;
    for (int l = 0; l < 32; l++) {
        bad += word(p, l) != (u32)(l ^ 5);
        bad += word(p, 32 + l) != (u32)(l < 3 ? l : l - 3);
        bad += word(p, 64 + l) != (u32)(l % 8 < 5 ? l + 3 : l);
        bad += word(p, 96 + l) != (u32)(l / 8 * 8 + 1);
        bad += word(p, 128 + l) != (u32)(l < 28 ? 2 * (l + 4) + 1 : 2 * l);
        bad += word(p, 160 + l) != (u32)((l ^ 1) * 2);
        bad += word(p, 192 + l) != 0x49249249u;
    }
    EQUAL(bad, 0);
    EQUAL(emu_stat("shfl"), 7);
    EQUAL(emu_error_count(), 0);
    emu_reset();
    LL_LAUNCH(ragged, 1, 40, 0, p);
    for (u32 l = 0; l < 24; l++) {
        bad += word(p, (int)l) != (l ^ (l < 8 ? 1 : 2)) + 100;
    }
    EQUAL(bad, 0);
    EQUAL(emu_error_count(), 0);
    emu_reset();
    cudaFree(p);
}

__global__ void permutes(u32 *out) {
    u32 a = 0x83828180u, b = 0x07060504u, d;
    out[0] = __byte_perm(a, b, 0x5410);
    LL_PTX_("prmt.b32 %0, %1, %2, 0x7632;",
            (LL_O32_(d)), (LL_I32_(a), LL_I32_(b)));
    out[1] = d;
    LL_PTX_("prmt.b32 %0, %1, %2, %3;",
            (LL_O32_(d)), (LL_I32_(a), LL_I32_(b), LL_IMM_(0xf8c0)));
    out[2] = d;
    LL_PTX_("prmt.b32.f4e %0, %1, %2, 1;",
            (LL_O32_(d)), (LL_I32_(a), LL_I32_(b)));
    out[3] = d;
    LL_PTX_("prmt.b32.b4e %0, %1, %2, 1;",
            (LL_O32_(d)), (LL_I32_(a), LL_I32_(b)));
    out[4] = d;
    LL_PTX_("prmt.b32.rc8 %0, %1, %2, 2;",
            (LL_O32_(d)), (LL_I32_(a), LL_I32_(b)));
    out[5] = d;
    LL_PTX_("prmt.b32.ecl %0, %1, %2, 2;",
            (LL_O32_(d)), (LL_I32_(a), LL_I32_(b)));
    out[6] = d;
    LL_PTX_("prmt.b32.ecr %0, %1, %2, 2;",
            (LL_O32_(d)), (LL_I32_(a), LL_I32_(b)));
    out[7] = d;
    LL_PTX_("prmt.b32.rc16 %0, %1, %2, 1;",
            (LL_O32_(d)), (LL_I32_(a), LL_I32_(b)));
    out[8] = d;
    LL_PTX_("lop3.b32 %0, %1, %2, 0xff, 0x96;",
            (LL_O32_(d)), (LL_I32_(a), LL_I32_(b)));
    out[9] = d;
    LL_PTX_("shf.l.wrap.b32 %0, %1, %2, 8;",
            (LL_O32_(d)), (LL_I32_(a), LL_I32_(b)));
    out[10] = d;
    LL_PTX_("shf.r.wrap.b32 %0, %1, %2, 40;",
            (LL_O32_(d)), (LL_I32_(a), LL_I32_(b)));
    out[11] = d;
    LL_PTX_("{ .reg .b32 t; .reg .pred p; setp.lt.s32 p, %1, 0; mov.b32 t, 5;"
            " @p add.u32 t, t, 1; @!p sub.u32 t, t, 1; shl.b32 %0, t, 4; }",
            (LL_O32_(d)), (LL_I32_(a)));
    out[12] = d;
    LL_PTX_("shr.s32 %0, %1, 28;", (LL_O32_(d)), (LL_I32_(a)));
    out[13] = d;
    LL_PTX_("xor.b32 %0, %0, %1;", (LL_IO32_(d)), (LL_I32_(1)));
    out[14] = d;
}

static void test_arithmetic() {
    static const u32 want[15] = {
        0x05048180u, 0x07068382u, 0x00ff0080u, 0x04838281u, 0x06078081u,
        0x82828282u, 0x83828282u, 0x82828180u, 0x83828382u,
        0x83828180u ^ 0x07060504u ^ 0xffu, 0x06050483u, 0x04838281u,
        0x60u, 0xfffffff8u, 0xfffffff9u
    };
    u32 *p = words(15);
    LL_LAUNCH(permutes, 1, 1, 0, p);
    for (int i = 0; i < 15; i++) {
        EQUAL(word(p, i), want[i]);
    }
    EQUAL(emu_stat("prmt"), 9);
    EQUAL(emu_error_count(), 0);
    emu_reset();
    cudaFree(p);
}

/* ==== Matrices ========================================================== */

template <int TRANS> __global__ void matrices(u32 *out) {
    __shared__ __align__(128) unsigned short s[32 * 8], back[32 * 8];
    u32 l = threadIdx.x, r[4];
    for (int i = 0; i < 8; i++) {
        s[l * 8 + i] = (unsigned short)(l * 8 + i);
    }
    __syncwarp();
    u32 a = (u32)__cvta_generic_to_shared(s) + l * 16;
    u32 b = (u32)__cvta_generic_to_shared(back) + l * 16;
    if (TRANS) {
        LL_PTX_("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                "{%0, %1, %2, %3}, [%4];",
                (LL_O32_(r[0]), LL_O32_(r[1]), LL_O32_(r[2]), LL_O32_(r[3])),
                (LL_I32_(a)));
    } else {
        LL_PTX_("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                "{%0, %1, %2, %3}, [%4];",
                (LL_O32_(r[0]), LL_O32_(r[1]), LL_O32_(r[2]), LL_O32_(r[3])),
                (LL_I32_(a)));
    }
    for (int i = 0; i < 4; i++) {
        out[l * 4 + i] = r[i];
    }
    LL_PTX_("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;",
            (LL_O32_(a)), (LL_I32_(r[0])));
    out[128 + l] = a;
    LL_PTX_("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};",
            (),
            (LL_I32_(b), LL_I32_(r[0]), LL_I32_(r[1])));
    __syncwarp();
    for (int i = 0; i < 4; i++) {
        out[160 + l * 4 + i] = back[l * 4 + i];
    }
}

static void test_matrices() {
    u32 *p = words(512);
    for (int trans = 0; trans < 2; trans++) {
        trans ? LL_LAUNCH((matrices<1>), 1, 32, 0, p)
              : LL_LAUNCH((matrices<0>), 1, 32, 0, p);
        int bad = 0;
        for (int l = 0; l < 32; l++) {
            int g = l / 4, t = l % 4;
            u32 row = (u32)(8 * g + 2 * t) | (u32)(8 * g + 2 * t + 1) << 16;
            u32 col = (u32)(16 * t + g) | (u32)(16 * t + 8 + g) << 16;
            for (int q = 0; q < 4; q++) {
                bad += word(p, 4 * l + q) !=
                       (trans ? col : row) + 0x400040u * (u32)q;
            }
            bad += word(p, 128 + l) != (trans ? row : col);
        }
        for (int i = 0; i < 128; i++) {
            u32 flip = (u32)(i / 64 * 64 + i % 8 * 8 + i / 8 % 8);
            bad += word(p, 160 + i) != (trans ? (u32)i : flip);
        }
        EQUAL(bad, 0);
        EQUAL(emu_error_count(), 0);
        EQUAL(emu_wavefronts("ldmatrix"), 4);
        EQUAL(emu_stat("ldmatrix"), 1);
        EQUAL(emu_wavefronts("stmatrix.x2.trans"), 2);
        emu_reset();
    }
    cudaFree(p);
}

/* ==== Vectors, phases =================================================== */

__global__ void vectors(uint4 *in, uint4 *out) {
    __shared__ uint4 s[32];
    s[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    uint4 v = s[threadIdx.x ^ 1];
    v.x += 1;
    out[threadIdx.x] = v;
}

/* A 16- or 8-byte access at a step for each lane number, which lacks `gone`
 * bits from bit `from` on: lanes that differ there read the same. */
template <int BYTES>
__global__ void spread(u32 *out, int from, int gone, int words) {
    __shared__ __align__(128) u32 s[4096];
    u32 low = (1u << from) - 1, x = 0, y = 0, z, w;
    u32 l = (threadIdx.x & low) | (threadIdx.x >> (from + gone) << from);
    for (int i = threadIdx.x; i < 4096; i += 32) {
        s[i] = 1;
    }
    __syncthreads();
    u32 a = (u32)__cvta_generic_to_shared(s) + l * (u32)words * 4;
    if (BYTES == 16) {
        LL_PTX_("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];",
                (LL_O32_(x), LL_O32_(y), LL_O32_(z), LL_O32_(w)), (LL_I32_(a)));
    } else {
        LL_PTX_("ld.shared.v2.b32 {%0, %1}, [%2];",
                (LL_O32_(x), LL_O32_(y)), (LL_I32_(a)));
    }
    __syncthreads();
    if (BYTES == 16) {
        LL_PTX_("st.shared.v4.b32 [%0], {%1, %2, 1, 1};",
                (), (LL_I32_(a), LL_I32_(x), LL_I32_(y)));
    }
    out[threadIdx.x] = x + y;
}

static unsigned long long phases(int bytes, int from, int gone, int step) {
    u32 *p = words(32);
    emu_reset();
    bytes == 16 ? LL_LAUNCH((spread<16>), 1, 32, 0, p, from, gone, step)
                : LL_LAUNCH((spread<8>), 1, 32, 0, p, from, gone, step);
    CHECK(emu_error_count() == 0);
    cudaFree(p);
    return emu_wavefronts(bytes == 16 ? "ld.shared.b128" : "ld.shared.b64");
}

static void test_phases() {
    EQUAL(phases(16, 0, 0, 4), 4);
    EQUAL(phases(16, 0, 1, 4), 2);
    EQUAL(emu_wavefronts("st.shared.b128"), 4);
    EQUAL(phases(16, 1, 1, 4), 2);
    EQUAL(phases(16, 0, 2, 4), 2);
    EQUAL(phases(16, 2, 1, 4), 4);
    EQUAL(phases(16, 0, 0, 32), 32);
    EQUAL(phases(16, 0, 1, 32), 16);
    EQUAL(phases(8, 0, 0, 2), 2);
    EQUAL(phases(8, 0, 1, 2), 1);
    EQUAL(phases(8, 1, 1, 2), 1);
    EQUAL(phases(8, 0, 2, 2), 1);
    EQUAL(phases(8, 3, 1, 2), 2);
    EQUAL(phases(8, 0, 0, 32), 32);
    static const int far[3] = {1, 2, 20};
    emu_set_phase(0, 16, 32, 3, far);
    EQUAL(phases(16, 0, 1, 4), 4);
    EQUAL(phases(16, 0, 0, 8), 8);
    emu_reset_target();
    emu_reset();
}

static void test_vectors() {
    uint4 *in = (uint4 *)words(128), *out = (uint4 *)words(128);
    LL_LAUNCH(vectors, 1, 32, 0, in, out);
    EQUAL(word((u32 *)out, 0), 5);
    EQUAL(word((u32 *)out, 7), 3);
    EQUAL(emu_stat("ld.global.b128"), 1);
    EQUAL(emu_stat("st.shared.b128"), 1);
    EQUAL(emu_stat("ld.shared"), 1);
    EQUAL(emu_wavefronts("ld.shared.b128"), 4);
    EQUAL(emu_sectors("ld.global"), 16);
    EQUAL(emu_error_count(), 0);
    emu_reset();
    cudaFree(in);
    cudaFree(out);
}

/* ==== PTX memory, dynamic shared memory, lanes ========================== */

__global__ void widths(u32 *out, const u32 *in) {
    extern __shared__ __align__(16) unsigned char dyn[];
    __shared__ __align__(16) unsigned char s[64];
    u32 a = (u32)__cvta_generic_to_shared(s), x, y;
    u32 d = (u32)__cvta_generic_to_shared(dyn);
    unsigned short h;
    unsigned long long q;
    LL_PTX_("st.shared.b8 [%0+3], %1; st.shared.u16 [%0+4], %2;",
            (), (LL_I32_(a), LL_I32_(0x1f0), LL_I16_(0x8001)));
    LL_PTX_("ld.shared.u8 %0, [%1+3];", (LL_O32_(x)), (LL_I32_(a)));
    LL_PTX_("ld.shared.s8 %0, [%1+3];", (LL_O32_(y)), (LL_I32_(a)));
    out[0] = x;
    out[1] = y;
    LL_PTX_("ld.shared.b16 %0, [%1+4];", (LL_O16_(h)), (LL_I32_(a)));
    LL_PTX_("ld.shared.s16 %0, [%1];", (LL_O32_(x)), (LL_I32_(a + 4)));
    out[2] = h;
    out[3] = x;
    LL_PTX_("ld.global.nc.L1::no_allocate.L2::128B.v2.b64 {%0, _}, [%1+16];",
            (LL_O64_(q)), (LL_I64_(in)));
    out[4] = (u32)(q >> 32);
    LL_PTX_("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p st.global.cs.b32"
            " [%0], %1; @!p st.global.b32 [%0+4], %1; }",
            (), (LL_I64_(out + 5), LL_I32_(77), LL_I32_(0)));
    LL_PTX_("cp.async.cg.shared.global [%0], [%1], 16;"
            " cp.async.commit_group; cp.async.wait_group 0;",
            (), (LL_I32_(d), LL_I64_(in + 8)));
    out[7] = ((u32 *)dyn)[2];
    dyn[5] = 1;
    out[8] = dyn[1024];
}
static const int dynamic_line = __LINE__ - 2;

static void test_memory() {
    u32 *in = words(16), *out = words(16);
    LL_LAUNCH(widths, 1, 1, 64, out, in);
    static const u32 want[8] = {0xf0, 0xfffffff0u, 0x8001, 0xffff8001u, 5, 5,
                                77, 10};
    for (int i = 0; i < 8; i++) {
        EQUAL(word(out, i), want[i]);
    }
    EQUAL(emu_stat("cp.async.shared"), 1);
    EXPECT(EMU_BOUNDS, dynamic_line, "byte 1024 of 64 bytes of dynamic");
    cudaFree(in);
    cudaFree(out);
}

__global__ void wide(u32 *out) {
    __shared__ u32 s[64];
    u32 l = threadIdx.x;
    s[l] = l;
    __syncwarp();
    out[l] = __shfl_xor_sync(0xffffffffu, s[63 - l], 32);
}

static void test_lanes() {
    u32 *p = words(64);
    emu_set_lanes(64);
    LL_LAUNCH(wide, 1, 64, 0, p);
    EQUAL(word(p, 0), 31);
    EQUAL(word(p, 63), 32);
    EQUAL(emu_error_count(), 0);
    EQUAL(emu_stat("ld.shared"), 1);
    EQUAL(emu_wavefronts("ld.shared"), 2);
    emu_set_lanes(32);
    emu_reset();
    cudaFree(p);
}

/* A helper called from two lines, struct arguments, copies, const memory. */
struct table { u32 v[20]; };
static __constant__ u32 fixed[4];
__global__ void mixed(u32 *p, table t, uint4 q) {
    __shared__ __align__(16) u32 s[64];
    s[threadIdx.x] = s[threadIdx.x + 32] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        memcpy(p, s, 64);
        memcpy(p + 16, s + 1, 12);
        memset(p + 20, 0, 16);
    }
    __syncthreads();
    p[32 + threadIdx.x] = t.v[threadIdx.x % 20] + q.z + fixed[1];
}
__global__ void spin(u32 *p) {
    __shared__ volatile u32 flag;
    flag = 0;
    while (!flag) {
    }
    p[0] = 1;
}
static const int spin_line = __LINE__ - 4;
static const int recurse_line = __LINE__ + 1;
static __noinline__ u32 recurse(u32 *p, u32 n) {
    volatile u32 a[64];
    a[n & 63] = p[0];
    return n < 1000000 ? recurse(p, n + 1) + a[3] : 1;
}
__global__ void recursive(u32 *p) { p[1] = recurse(p, 0); }

static void test_mixed() {
    u32 *p = words(64);
    table t = {{7, 8, 9}};
    u32 c[4] = {1, 1000, 2, 3};
    cudaMemcpyToSymbol(fixed, c, sizeof c);
    LL_LAUNCH(mixed, 1, 32, 0, p, t, make_uint4(1, 2, 3, 4));
    EQUAL(word(p, 34), 1012);
    EQUAL(word(p, 15), 15);
    EQUAL(word(p, 18), 3);
    EQUAL(word(p, 20), 0);
    EQUAL(emu_error_count(), 0);
    EQUAL(emu_stat("st.global.b128"), 5);
    emu_reset();
    LL_LAUNCH(spin, 1, 32, 0, p);
    EXPECT(EMU_DEADLOCK, spin_line, "endless");
    LL_LAUNCH(recursive, 1, 1, 0, p);
    EXPECT(EMU_CRASH, recurse_line, "thread 0 uses up its stack");
    cudaFree(p);
}

/* ==== Clusters ========================================================== */

static void barrier_cluster() {
    LL_PTX_("barrier.cluster.arrive.release.aligned;", (), ());
    LL_PTX_("barrier.cluster.wait.acquire.aligned;", (), ());
}
static u32 rank_of() {
    u32 r;
    LL_PTX_("mov.u32 %0, %%cluster_ctarank;", (LL_O32_(r)), ());
    return r;
}
#define FAR(v, p, more, block)                                               \
    u32 v;                                                                   \
    LL_PTX_("{ .reg .b32 a; mapa.shared::cluster.u32 a, %1, %2; "            \
            "ld.shared::cluster.u32 %0, [a]; }",                             \
            (LL_O32_(v)),                                                    \
            (LL_I32_(__cvta_generic_to_shared(p) + (more)), LL_I32_(block)))

/* Each block reads the next one's data, in static and dynamic memory. */
__global__ void neighbours(u32 *p) {
    __shared__ u32 s[64];
    extern __shared__ u32 d[];
    u32 t = threadIdx.x, r = rank_of();
    s[t] = 1000 * blockIdx.x + 100 * blockIdx.y + t;
    d[t] = s[t] + 7;
    barrier_cluster();
    FAR(x, s + (t ^ 33), 0, (r + 1) % 4);
    FAR(y, d + (t ^ 5), 0, (r + 3) % 4);
    barrier_cluster();
    s[t] = 0;
    u32 at = (blockIdx.y * gridDim.x + blockIdx.x) * 64 + t;
    p[2 * at] = x;
    p[2 * at + 1] = y;
}
template <int CASE> __global__ void bad_cluster(u32 *p) {
    __shared__ u32 s[64];
    u32 t = threadIdx.x, other = rank_of() ^ 1;
    s[t] = t;
    CASE == 0 ? __syncthreads() : barrier_cluster();
    FAR(x, s + t, CASE == 3 ? 1 << 22 : 0, other + (CASE == 4 ? 2 : 0));
    CASE == 1 ? s[t] = 1 : 0;
    if (CASE != 2) {
        barrier_cluster();
    }
    p[t] = x;
}
static const int far_line = __LINE__ - 7;
static const int rewrite_line = __LINE__ - 7;
__global__ void bad_wait() {
    LL_PTX_("barrier.cluster.wait.acquire.aligned;", (), ());
}
static const int wait_line = __LINE__ - 2;
/* What is stored between the halves of a barrier is not known behind it. */
__global__ void bad_late(u32 *p) {
    __shared__ u32 s[32];
    LL_PTX_("barrier.cluster.arrive.release.aligned;", (), ());
    s[threadIdx.x] = 1;
    LL_PTX_("barrier.cluster.wait.acquire.aligned;", (), ());
    FAR(x, s + threadIdx.x, 0, rank_of() ^ 1);
    barrier_cluster();
    p[threadIdx.x] = x;
}
static const int late_line = __LINE__ - 4;
/* Behind a relaxed arrival others have read, but what was written is not known
 * (BAD). */
template <int BAD> __global__ void relaxed(u32 *p) {
    __shared__ u32 s[32];
    s[threadIdx.x] = 1;
    if (!BAD) {
        barrier_cluster();
    }
    LL_PTX_("barrier.cluster.arrive.relaxed.aligned;", (), ());
    LL_PTX_("barrier.cluster.wait.acquire.aligned;", (), ());
    FAR(x, s + threadIdx.x, 0, rank_of() ^ 1);
    LL_PTX_("barrier.cluster.arrive.relaxed.aligned;", (), ());
    LL_PTX_("barrier.cluster.wait.acquire.aligned;", (), ());
    p[threadIdx.x] = x;
}
static const int relaxed_line = __LINE__ - 5;

template <class... P, class... A>
static void launch_clusters(void (*kernel)(P...), dim3 grid, dim3 cluster,
                            u32 threads, A... args) {
    cudaLaunchAttribute a = {cudaLaunchAttributeClusterDimension, {}};
    a.val.clusterDim.x = cluster.x;
    a.val.clusterDim.y = cluster.y;
    a.val.clusterDim.z = cluster.z;
    const cudaLaunchConfig_t c = {grid, dim3(threads), 1024, 0, &a, 1};
    cudaLaunchKernelEx(&c, kernel, args...);
}

static void test_clusters() {
    u32 *p = words(4096), bad = 0;
    launch_clusters(neighbours, dim3(4, 4), dim3(2, 2), 64, p);
    EQUAL(emu_error_count(), 0);
    for (u32 at = 0; at < 16 * 64; at++) { /* ranks run along x first */
        u32 t = at % 64, x = at / 64 % 4, y = at / 256, r = x % 2 + y % 2 * 2;
        u32 next = (r + 1) % 4, last = (r + 3) % 4;
        u32 first = 1000 * (x / 2 * 2) + 100 * (y / 2 * 2);
        bad += word(p, (int)(2 * at)) !=
               first + 1000 * (next % 2) + 100 * (next / 2) + (t ^ 33);
        bad += word(p, (int)(2 * at + 1)) !=
               first + 1000 * (last % 2) + 100 * (last / 2) + (t ^ 5) + 7;
    }
    EQUAL(bad, 0);
    EQUAL(emu_stat("ld.shared::cluster.b32"), 16 * 2 * 2);
    EQUAL(emu_stat("barrier.cluster.wait"), 16 * 2 * 2);
    emu_reset();
    launch_clusters(relaxed<0>, 2, 2, 32, p);
    EQUAL(emu_error_count(), 0);
    launch_clusters(relaxed<1>, 2, 2, 32, p);
    EXPECT(EMU_RACE, relaxed_line, "with no cluster barrier between");
    launch_clusters(bad_cluster<0>, 2, 2, 64, p);
    EXPECT(EMU_RACE, far_line, "with no cluster barrier between");
    launch_clusters(bad_cluster<1>, 2, 2, 64, p);
    EXPECT(EMU_RACE, rewrite_line, "of block 0 of the cluster read, with no "
                                   "cluster barrier between");
    launch_clusters(bad_cluster<2>, 2, 2, 64, p);
    EXPECT(EMU_BOUNDS, far_line, "block 0 of the cluster, which has ended");
    launch_clusters(bad_cluster<3>, 2, 2, 64, p);
    EXPECT(EMU_BOUNDS, far_line, "out of bounds: ld.shared::cluster.b32");
    launch_clusters(bad_cluster<4>, 2, 2, 64, p);
    EXPECT(EMU_PTX, far_line, "of a cluster of 2");
    launch_clusters(bad_late, 2, 2, 32, p);
    EXPECT(EMU_RACE, late_line, "with no cluster barrier between");
    launch_clusters(bad_wait, 2, 2, 32);
    EXPECT(EMU_PTX, wait_line, "a wait without an arrive");
    launch_clusters(bad_wait, 6, 4, 32);
    EQUAL(emu_error_kind(0), EMU_LAUNCH);
    emu_expected();
    cudaFree(p);
}

int main() {
    test_clusters();
    test_mixed();
    test_transpose();
    test_errors();
    test_races();
    test_shuffles();
    test_arithmetic();
    test_matrices();
    test_vectors();
    test_phases();
    test_memory();
    test_lanes();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
