/* matmul_scaled.cu - how is a product of fp8 scaled by rows, or by blocks of k?
 * SPDX-License-Identifier: MIT
 *
 * C = A B of e4m3, sums in f32, C in bf16, as in matmul_hopper.cu, whose parts
 * this file uses. Each element stands for itself times an f32 scale:
 *
 * rows    one for each row of A, and one for each column of B;
 * blocks  one for each 128 elements of k in a row of A, and one for each 128 of
 *         k in 128 columns of B. Scales of A lie with all rows of a block of k
 *         side by side, at a distance of rows rounded up to a multiple of 4.
 *         Those of B are by columns as B is: k is contiguous.
 *
 * Scales of rows are applied to the sums of a tile. Scales of blocks belong to
 * products: the tensor cores sum up 128 of k, and the sums of that are added,
 * times the scales, to others in f32, which has more bits than the tensor cores
 * keep of e4m3. For this a lane has two sets of registers, which a tile of 256
 * rows leaves no room for. The rows of a tile are two halves, so that one is
 * added while the other is multiplied.
 *
 * A lane has sums of two columns and of a quarter of the rows of a tile. Which
 * rows these are is said by layouts: ll_scales_of of the sums is what a lane
 * needs of the scales, ll_scales_each which one each sum takes. The scales of A
 * come to shared memory with the stages of A and B, by a second thread that
 * copies. A tile's columns have one scale of B at a time.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            examples/matmul_scaled.cu -o matmul_scaled
 *        without a GPU:
 *        tests/emu/emucc -I. examples/matmul_scaled.cu -o matmul_scaled
 */
#ifdef LL_NO_MAIN
#define LL_NO_MAIN_SCALED
#else
#define LL_NO_MAIN
#endif
#define OPERAND e4m3
#define FORMS(F) F(2, 32) F(2, 64) F(2, 128) F(2, 208) F(2, 256)
#include "matmul_hopper.cu"

#include <vector>

/* ---- Layouts ------------------------------------------------------------- */

/* The scales that a lane needs for its SUMS of 16 rows of C, each alone, and as
 * each sum takes one: of rows, j, and of columns, i. */
LL_LAYOUT(ROW_SCALES, ll_scales_of(LL_GET(SUMS), LL_I, 64));
LL_LAYOUT(ROW_EACH, ll_scales_each(LL_GET(SUMS), LL_I, 64));
LL_LAYOUT(ROW_COLUMN, ll_trans(LL_GET(ROW_SCALES), "j i")); /* in memory */
LL_LAYOUT(COL_SCALES, ll_scales_of(LL_GET(SUMS), LL_J, 16));
LL_LAYOUT(COL_EACH, ll_scales_each(LL_GET(SUMS), LL_J, 16));
LL_PLAN(EACH_ROW, ROW_SCALES, ROW_EACH, 32, LL_SM90);
LL_PLAN(EACH_COL, COL_SCALES, COL_EACH, 32, LL_SM90);
LL_EXPECT_KIND(EACH_ROW, LL_REGISTERS);
LL_EXPECT_KIND(EACH_COL, LL_REGISTERS);

/* The same from shared memory, where scales of rows lie side by side. */
LL_PLAN_THROUGH(BLOCK_SCALES, ROW_SCALES, ROW_SCALES, 32, LL_SM90,
                ll_row_major(ll_shape_of("i=1 j=16")));
LL_EXPECT_NO_CONFLICTS(BLOCK_SCALES);

/* A form whose stages have scales of A as well. */
/* clang-format off */
template <unsigned ROWS_> struct blocks : form<2, ROWS_> {
    typedef form<2, ROWS_> F;
    enum : unsigned {
        ROWS = ROWS_, PART = ROWS < 64 ? ROWS : 64, BYTES_C = 128 * PART,
        SCALES = (4 * ROWS + 127) / 128 * 128, STAGE = F::STAGE,
        FIT = (227 * 1024 - 192 - 2 * BYTES_C) / (STAGE + SCALES),
        STAGES = FIT < 12 ? FIT : 12,
        AT_C = STAGES * STAGE, AT_SCALES = AT_C + 2 * BYTES_C,
        FULL = AT_SCALES + STAGES * SCALES,
        EMPTY = FULL + 8 * STAGES, SMEM = EMPTY + 8 * STAGES
    };
    static_assert(2 * F::BYTES_SUMS <= AT_C && STAGES > 2, "");
};
/* clang-format on */

/* Scales of A and B. */
struct scales {
    const float *a, *b;
};

/* ---- Scales of rows ------------------------------------------------------ */

LL_FN unsigned rest(unsigned size, unsigned at) {
    return at < size ? size - at : 0;
}

/* Multiplies the sums of a tile by the scales of its rows and columns. */
template <class T>
static __device__ void scale_rows(float *sum, const scales &by,
                                  const problem &p, unsigned row,
                                  unsigned col) {
    LL_IN(WORKER);
    float of_cols[LL_REGS(COL_SCALES)], y[LL_REGS(SUMS)];
    LL_LOAD(of_cols, COL_SCALES, by.b + col, 1, rest(p.n, col), 1);
    LL_CONVERT(y, of_cols, EACH_COL, 0);
    LL_UNROLL
    for (unsigned j = 0; j < T::ROWS; j += 16) {
        float of_rows[LL_REGS(ROW_SCALES)], x[LL_REGS(SUMS)];
        LL_LOAD(of_rows, ROW_COLUMN, by.a + row + j, 1, rest(p.m, row + j), 1);
        LL_CONVERT(x, of_rows, EACH_ROW, 0);
        LL_EACH(r, SUMS) { sum[j / 2 + r] *= x[r] * y[r]; }
    }
}

/* ---- Scales of blocks ---------------------------------------------------- */

/* One thread: starts the copies of the scales of A of all stages. */
template <class T>
static __device__ void load_scales(place<T> &p, const CUtensorMap *map,
                                   const tiles<T> &t) {
    for (unsigned s = t.begin; s < t.begin + t.steps; ++s) {
        ll_ptx_mbarrier_wait(p.empty(), p.parity);
        ll_ptx_mbarrier_arrive_expect_tx(p.full(), 4 * T::ROWS);
        ll_ptx_cp_async_bulk_tensor_load_3d(
            p.smem + T::AT_SCALES + T::SCALES * p.stage, map, p.full(), 0,
            (int)(t.row / 4), (int)s);
        p.next();
    }
}

template <class T>
static __device__ void produce_scales(unsigned smem, const CUtensorMap *map,
                                      const problem &of, tiles<T> t) {
    place<T> p = {smem, 0, 1}; /* the ring is empty */
    for (unsigned x = t.first; x < t.whole; x += t.by) {
        t.find(x);
        load_scales(p, map, t);
    }
    if (t.is_shared) {
        t.find_shared(of);
        load_scales(p, map, t);
    }
}

/* Adds the products of a block of k, times their scales. */
template <unsigned ROWS>
static __device__ void add_block(float *sum, const float *part,
                                 unsigned char *of_rows, float of_cols) {
    LL_IN(WORKER);
    LL_UNROLL
    for (unsigned j = 0; j < ROWS; j += 16) {
        float s[LL_REGS(ROW_SCALES)], x[LL_REGS(SUMS)];
        LL_LOAD_SHARED(s, BLOCK_SCALES, of_rows + 4 * j);
        LL_EACH(r, ROW_SCALES) { s[r] *= of_cols; }
        LL_CONVERT(x, s, EACH_ROW, 0);
        LL_EACH(r, SUMS) { sum[j / 2 + r] += x[r] * part[j / 2 + r]; }
    }
}

/* Starts the products of a block of k for a half of a tile's rows. */
template <class T>
static __device__ void start(float *part, const place<T> &p, unsigned worker,
                             unsigned half) {
    const unsigned long long a =
        DESC + ((p.a() + half * T::ROWS / 2 * 128) >> 4);
    const unsigned long long b = DESC + ((p.b() + worker * NEXT_ROWS) >> 4);
    ll_ptx_wgmma_fence();
    LL_UNROLL
    for (unsigned s = 0; s < DEPTH / SLICE; ++s) {
        wgmma<T::ROWS / 2>(part, b + (s * NEXT_K >> 4), a + (s * NEXT_K >> 4),
                           s);
    }
    ll_ptx_wgmma_commit_group();
}

/* A lane of each warp tells that the warp has read a stage; see release. */
static __device__ void release_warp(unsigned empty, unsigned to,
                                    unsigned threads) {
    __syncwarp();
    if (threadIdx.x % 32 < threads) {
        ll_ptx_mbarrier_arrive_cluster(ll_ptx_mapa(empty, to));
    }
}

/* The sums of a tile: one half of it is added while the other is multiplied.
 * `of_cols` are the scales of B for its columns. */
template <class T>
static __device__ void
multiply_blocks(float *sum, unsigned char *memory, unsigned worker,
                const float *of_cols, const tiles<T> &t, unsigned threads,
                place<T> &p) {
    enum : unsigned { HALF = T::ROWS / 2 };
    const unsigned to =
        t.share * t.beside + (t.beside > 1 ? threadIdx.x % 32 : 0);
    float low[HALF / 2], high[HALF / 2];
    LL_UNROLL
    for (unsigned r = 0; r < HALF; ++r) {
        sum[r] = 0;
    }
    for (unsigned x = 0; x < t.steps; ++x) {
        unsigned char *const of_rows = memory + T::AT_SCALES + p.stage * T::SCALES;
        const float of_block = of_cols[t.begin + x];
        ll_ptx_mbarrier_wait(p.full(), p.parity);
        start(low, p, worker, 0);
        start(high, p, worker, 1);
        ll_ptx_wgmma_wait_group<1>();
        add_block<HALF>(sum, low, of_rows, of_block);
        ll_ptx_wgmma_wait_group<0>();
        add_block<HALF>(sum + HALF / 2, high, of_rows + 4 * HALF, of_block);
        release_warp(p.empty(), to, threads);
        p.next();
    }
}

/* ---- The kernel ---------------------------------------------------------- */

/* The scaled sums of a tile. */
template <class T, bool BLOCKS>
static __device__ void compute(float *sum, unsigned char *memory,
                               unsigned worker, const scales &by,
                               const problem &p, const tiles<T> &t,
                               place<T> &at) {
    const unsigned col = t.col + 64 * worker;
    if constexpr (BLOCKS) {
        const unsigned block = (col < p.n ? col : 0) / 128;
        multiply_blocks<T>(sum, memory, worker, by.b + block * up(p.k, 128), t,
                           p.beside, at);
    } else {
        multiply<T>(sum, worker, t, p.beside, at);
        scale_rows<T>(sum, by, p, t.row, col);
    }
}

/* The tiles of a warpgroup. */
template <class T, bool BLOCKS>
static __device__ void work_scaled(unsigned char *memory,
                                   const CUtensorMap *map_c, const scales &by,
                                   const problem &p, tiles<T> t) {
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const unsigned worker = threadIdx.x / 128 - 1;
    unsigned char *c = memory + T::AT_C + worker * T::BYTES_C;
    float sum[T::ROWS / 2];
    place<T> at = {smem, 0, 0};
    for (unsigned x = t.first; x < t.whole; x += t.by) {
        t.find(x);
        compute<T, BLOCKS>(sum, memory, worker, by, p, t, at);
        LL_UNROLL
        for (unsigned j = 0; j < T::ROWS; j += T::PART) {
            store<T::PART>(sum + j / 2, 1, c, map_c, t.row + j,
                           t.col + 64 * worker);
        }
    }
    if (t.is_shared) {
        t.find_shared(p);
        compute<T, BLOCKS>(sum, memory, worker, by, p, t, at);
        ll_ptx_bar_named<1 + T::WORKERS, 128 * T::WORKERS>(); /* all is read */
        lay_down<T>(sum, memory + worker * T::BYTES_SUMS);
        LL_BARRIER_CLUSTER();
        add_up<T>(p, smem, t);
    }
    if (threadIdx.x % 128 == 0) {
        ll_ptx_cp_async_bulk_wait_group<0>();
    }
}

template <class T, bool BLOCKS>
__global__ void __launch_bounds__(T::THREADS, 1)
    matmul_scaled(const __grid_constant__ CUtensorMap map_a,
                  const __grid_constant__ CUtensorMap map_b,
                  const __grid_constant__ CUtensorMap map_c,
                  const __grid_constant__ CUtensorMap map_scales,
                  const scales by, const problem p) {
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = (unsigned)__cvta_generic_to_shared(memory);
    const tiles<T> t(p);
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < T::STAGES; ++s) {
            ll_ptx_mbarrier_init(smem + T::FULL + 8 * s, BLOCKS ? 2 : 1);
            ll_ptx_mbarrier_init(smem + T::EMPTY + 8 * s,
                                 (BLOCKS ? 4 : 1) * T::WORKERS * p.beside);
        }
        ll_ptx_fence_mbarrier_init();
    }
    LL_BARRIER_CLUSTER();
    ll_ptx_griddepcontrol_launch_dependents();
    ll_ptx_griddepcontrol_wait(); /* what ran before has written A and B */
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<32>();
        if (threadIdx.x == 0) {
            produce<T>(smem, &map_a, &map_b, p, t);
        }
        if constexpr (BLOCKS) {
            if (threadIdx.x == 32) {
                produce_scales<T>(smem, &map_scales, p, t);
            }
        }
        __syncwarp();
        if (t.is_shared) { /* as in work_scaled */
            LL_BARRIER_CLUSTER();
        }
    } else {
        ll_ptx_setmaxnreg_inc<T::REGISTERS>();
        work_scaled<T, BLOCKS>(memory, &map_c, by, p, t);
    }
    __syncwarp();
    LL_BARRIER_CLUSTER(); /* nobody tells a block that has ended */
}

/* ---- The launcher -------------------------------------------------------- */

template <class T, bool BLOCKS>
static const char *launch_tiles(const void *a, const void *b, const scales &by,
                                problem p) {
    CUtensorMap map_a, map_b, map_c, map_scales = {};
    if (!is_possible(p, T::ROWS, DEPTH)) {
        return "a tile of this form is not divided in this way";
    }
    const char *bad = map_of_rows(&map_a, a, TYPE_IN, p.m, p.k,
                                  T::ROWS / p.beside, BOX.box[0]);
    bad = bad ? bad
              : map_of_rows(&map_b, b, TYPE_IN, p.n, p.k, T::COLS, BOX.box[0]);
    bad = bad ? bad
              : map_of_rows(&map_c, p.c, TYPE_OUT, p.m, p.n, BOX_C.box[1],
                            BOX_C.box[0]);
    if (BLOCKS && !bad) { /* four scales are eight times 16 bits */
        bad = map_of<3>(&map_scales, by.a, CU_TENSOR_MAP_DATA_TYPE_UINT16,
                        {8, up(p.m, 4), up(p.k, 128)}, {8, T::ROWS / 4, 1},
                        CU_TENSOR_MAP_SWIZZLE_NONE);
    }
    const unsigned cluster = p.beside * p.shares;
    const unsigned all = clusters_of(p, T::COLS, T::ROWS);
    const unsigned most = resident(p);
    const unsigned count = p.shares > 1 || all < most ? all : most;
    return bad ? bad
               : launch_clusters(matmul_scaled<T, BLOCKS>, count * cluster,
                                 cluster, T::THREADS, T::SMEM, 0, map_a, map_b,
                                 map_c, map_scales, by, p);
}

#define BY_ROWS(workers, rows) launch_tiles<form<workers, rows>, false>,
#define BY_BLOCKS(workers, rows)                                            \
    launch_tiles<blocks<(rows > 128 ? 192 : rows)>, true>,
typedef const char *tiles_launcher(const void *a, const void *b,
                                   const scales &by, problem p);
static tiles_launcher *const SCALED[][sizeof LAUNCHERS / sizeof *LAUNCHERS] = {
    {FORMS(BY_ROWS)}, {FORMS(BY_BLOCKS)}};

/* C = A B with scales of rows, or of blocks. Returns null, or a sentence that
 * says why it cannot. */
static const char *launch_by(bool by_blocks, void *c, const void *a,
                             const void *b, const scales &by, unsigned m,
                             unsigned n, unsigned k) {
    if (!m || !n || !k || n % 8 || k % 16) {
        return "m, n and k are at least 1, n is a multiple of 8 and k of 16";
    }
    problem p = {c, 1, m, n, k, 1, 1, processors_here()};
    const unsigned number = choose(p, DEPTH);
    return SCALED[by_blocks][number](a, b, by, p);
}

#ifndef LL_NO_MAIN_SCALED

/* ---- The check ----------------------------------------------------------- */

/* Whole numbers, so that all sums are exact. */
static float scale_at(size_t x) { return (float)(1 + x * 7 % 11 % 3); }

static float *scales_of(size_t count) {
    std::vector<float> host(count);
    float *p;
    for (size_t x = 0; x < count; ++x) {
        host[x] = scale_at(x);
    }
    MUST(cudaMalloc((void **)&p, 4 * count));
    MUST(cudaMemcpy(p, host.data(), 4 * count, cudaMemcpyHostToDevice));
    return p;
}

/* An element of C. */
static long long wanted(bool by_blocks, unsigned i, unsigned j, unsigned m,
                        unsigned k) {
    long long all = 0;
    for (unsigned z = 0; z < k; z += 128) {
        const size_t at_a = by_blocks ? (size_t)z / 128 * up(m, 4) * 4 + i : i;
        const size_t at_b = by_blocks ? j / 128 * up(k, 128) + z / 128 : j;
        long long sum = 0;
        for (unsigned y = z; y < k && y < z + 128; ++y) {
            sum += value_at((size_t)i * k + y, 1) *
                   value_at((size_t)j * k + y, 2);
        }
        all += sum * (long long)(scale_at(at_a) * scale_at(at_b));
    }
    return all;
}

/* Runs a product, by launcher `number` or the chosen one, and checks it. */
static size_t check(bool by_blocks, unsigned m, unsigned n, unsigned k,
                    int number = -1, problem how = {}) {
    void *a = matrix_of(e4m3, (size_t)m * k, 1);
    void *b = matrix_of(e4m3, (size_t)n * k, 2);
    const size_t of_k = up(k, 128), step = (size_t)m * n / 10000 + 1;
    const scales by = {
        scales_of(by_blocks ? of_k * up(m, 4) * 4 : m),
        scales_of(by_blocks ? of_k * up(n, 128) : n)};
    std::vector<unsigned short> host((size_t)m * n);
    unsigned short *c;
    size_t wrong = 0;
    MUST(cudaMalloc((void **)&c, 2 * host.size()));
    how.c = c, how.scale = 1, how.m = m, how.n = n, how.k = k;
    const char *bad = 0;
    const float ms = timed([&] {
        bad = number < 0 ? launch_by(by_blocks, c, a, b, by, m, n, k)
                         : SCALED[by_blocks][number](a, b, by, how);
    });
    MUST(bad);
    MUST(cudaMemcpy(host.data(), c, 2 * host.size(), cudaMemcpyDeviceToHost));
    for (size_t x = 0; x < host.size(); x += step) {
        wrong += !is_right(bf16, (unsigned char *)&host[x],
                           wanted(by_blocks, (unsigned)(x / n),
                                  (unsigned)(x % n), m, k));
    }
    for (const void *x : {(const void *)a, (const void *)b, (const void *)c,
                          (const void *)by.a, (const void *)by.b}) {
        MUST(cudaFree((void *)x));
    }
    printf("%u x %u x %u: ", m, n, k);
    return report_wrong(wrong, ms, 2e-9 * m * n * k / ms, "T/s");
}

int main(void) {
    static const unsigned shapes[][3] = {{200, 264, 144},    {1, 8, 16},
                                         {513, 520, 400},    {4096, 4096, 512},
                                         {8192, 8192, 512}, {4000, 8200, 272}};
    size_t wrong = 0;
    for (unsigned by_blocks = 0; by_blocks < 2; ++by_blocks) {
        for (const unsigned(&s)[3] : shapes) {
            const bool large = s[0] > 1000;
            wrong += large && !on_gpu() ? 0
                                        : check(by_blocks, s[0], s[1], s[2]);
        }
        for (int x = 0; x < 10; ++x) { /* of three tiles, two split the last */
            problem how = {};
            how.beside = 2 - x % 2, how.shares = 1 + x % 2, how.processors = 4;
            wrong += check(by_blocks, 40, x % 2 ? 264 : 520, 400, x / 2, how);
        }
    }
    return wrong != 0;
}

#endif
