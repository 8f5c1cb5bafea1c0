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
 * products: the tensor cores multiply 128 of k, and matmul_blocks.h adds that,
 * times the scales, in f32, which has more bits than the tensor cores keep for
 * sums of e4m3.
 *
 * Which rows or columns the sums of a lane belong to is said by layouts:
 * ll_scales_of the sums is what a lane needs of the scales, and ll_scales_each
 * which of them each sum takes. A conversion between the two only renames
 * registers.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            examples/kernels/matmul/matmul_scaled.cu -o matmul_scaled
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   matmul_scaled [BLOCKS m n k], BLOCKS is 1 for scales of blocks
 */
#ifdef LL_NO_MAIN
#define LL_NO_MAIN_SCALED
#else
#define LL_NO_MAIN
#endif
#define LL_NO_LAUNCH
#define OPERAND e4m3
#define FORMS(F) F(2, 32) F(2, 64) F(2, 128) F(2, 256)
#include "matmul_hopper.cu"

/* ---- Layouts ------------------------------------------------------------- */

/* The scales that a lane needs for its SUMS of a tile of so many rows of C, each
 * alone, and as each sum takes one: of rows, j, and of columns, i. */
template <unsigned ROWS> struct scales_of_rows {
    LL_LAYOUT(SUMS, ll_ptx_wgmma_d(64, ROWS, 4));
    LL_LAYOUT(SCALES, ll_scales_of(LL_GET(SUMS), LL_I, 64));
    LL_LAYOUT(EACH, ll_scales_each(LL_GET(SUMS), LL_I, 64));
    LL_LAYOUT(COLUMN, ll_trans(LL_GET(SCALES), "j i")); /* in memory */
    LL_PLAN(EACH_ROW, SCALES, EACH, 32, LL_SM90);
    LL_EXPECT_KIND(EACH_ROW, LL_REGISTERS);
};
LL_LAYOUT(COL_SCALES, ll_scales_of(LL_GET(SUMS), LL_J, 16));
LL_LAYOUT(COL_EACH, ll_scales_each(LL_GET(SUMS), LL_J, 16));
LL_PLAN(EACH_COL, COL_SCALES, COL_EACH, 32, LL_SM90);
LL_EXPECT_KIND(EACH_COL, LL_REGISTERS);

/* Scales of A and B. */
struct scales {
    const float *a, *b;
};

/* ---- Scales of rows ------------------------------------------------------ */

LL_FN unsigned rest(unsigned size, unsigned at) {
    return at < size ? size - at : 0;
}

/* Multiplies the sums of a tile by the scales of its rows and columns. One load
 * has the scales of all rows and compares with the last row once: loads of 16
 * rows each, with a last row each, took more registers than there are. */
template <class T>
static __device__ void scale_rows(float *sum, const scales &by,
                                  const problem &p, unsigned row,
                                  unsigned col) {
    typedef scales_of_rows<T::ROWS> R;
    typedef typename R::COLUMN COLUMN;
    typedef typename R::EACH_ROW EACH_ROW;
    LL_IN(WORKER);
    float of_rows[LL_REGS(COLUMN)], x[T::ROWS / 2];
    float of_cols[LL_REGS(COL_SCALES)], y[LL_REGS(SUMS)];
    LL_LOAD(of_cols, COL_SCALES, by.b + col, 1, rest(p.n, col), 1);
    LL_LOAD(of_rows, COLUMN, by.a + row, 1, rest(p.m, row), 1);
    LL_CONVERT(y, of_cols, EACH_COL, 0);
    LL_CONVERT(x, of_rows, EACH_ROW, 0);
    LL_UNROLL
    for (unsigned r = 0; r < T::ROWS / 2; ++r) {
        sum[r] *= x[r] * y[r % LL_REGS(SUMS)];
    }
}

#include "matmul_blocks.h"

/* ---- The kernel ---------------------------------------------------------- */

template <class T, bool BLOCKS>
__global__ void __launch_bounds__(T::THREADS, 1)
    matmul_scaled(const __grid_constant__ maps of,
                  const __grid_constant__ CUtensorMap map_scales,
                  const scales by, const problem p) {
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = uniform((unsigned)__cvta_generic_to_shared(memory));
    const tiles<T> t(p);
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < T::STAGES; ++s) {
            ll_ptx_mbarrier_init(smem + T::FULL + 8 * s, BLOCKS ? 2 : 1);
            ll_ptx_mbarrier_init(smem + T::EMPTY + 8 * s,
                                 T::WORKERS * (p.beside + (BLOCKS ? 4 : 0)));
        }
        ll_ptx_fence_mbarrier_init();
    }
    LL_BARRIER_CLUSTER();
    ll_ptx_griddepcontrol_launch_dependents();
    ll_ptx_griddepcontrol_wait(); /* what ran before has written A and B */
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<32>();
        if (threadIdx.x < 32 && ll_ptx_elect()) {
            produce<T>(smem, of, p, t);
        }
        if constexpr (BLOCKS) {
            if (threadIdx.x / 32 == 1 && ll_ptx_elect()) {
                produce_scales<T>(smem, &map_scales, p, t);
            }
        }
        __syncwarp();
        if (t.is_shared) { /* as the others do */
            LL_BARRIER_CLUSTER();
        }
    } else {
        ll_ptx_setmaxnreg_inc<T::REGISTERS>();
        if constexpr (BLOCKS) {
            work_blocks<T>(memory, &of.c, by, p, t);
        } else {
            work<T>(memory, of, p, t,
                    [&](float *sum, unsigned row, unsigned col) {
                        scale_rows<T>(sum, by, p, row, col);
                    });
        }
    }
    __syncwarp();
    LL_BARRIER_CLUSTER(); /* nobody tells a block that has ended */
}

/* ---- The launcher -------------------------------------------------------- */

/* `p` is turned for blocks, and so is what the kernel takes for A and B. */
template <class T, bool BLOCKS>
static const char *launch_tiles(const void *a, const void *b, const scales &by,
                                problem p) {
    maps of;
    CUtensorMap map_scales = {};
    if (BLOCKS) {
        const unsigned rows = p.m;
        p.m = p.n, p.n = rows;
    }
    if (!is_possible(p, T::PADDED, DEPTH)) {
        return "a tile of this form is not divided in this way";
    }
    const char *bad = BLOCKS ? operand_maps<T>(&of, b, a, p)
                             : maps_of<T>(&of, a, b, p);
    if (BLOCKS && !bad) {
        bad = map_of_rows(&of.c, p.c, TYPE_OUT, p.n, p.m, BOX_BLOCK.box[1],
                          BOX_BLOCK.box[0]);
    }
    if (BLOCKS && !bad) { /* four scales are eight times 16 bits */
        bad = map_of<3>(&map_scales, by.a, CU_TENSOR_MAP_DATA_TYPE_UINT16,
                        {8, up(p.n, 4), up(p.k, 128)}, {8, T::COLS / 4, 1},
                        CU_TENSOR_MAP_SWIZZLE_NONE);
    }
    return bad ? bad
               : launch_clusters(matmul_scaled<T, BLOCKS>,
                                 blocks_of(p, T::COLS, T::ROWS),
                                 p.beside * p.shares, T::THREADS, T::SMEM, 0,
                                 of, map_scales, by, p);
}

#define BY_ROWS(workers, rows) launch_tiles<form<workers, rows>, false>,
#define BY_BLOCKS(workers, rows) \
    launch_tiles<blocks<(rows < 64 ? 64 : rows)>, true>,
typedef const char *tiles_launcher(const void *a, const void *b,
                                   const scales &by, problem p);
static tiles_launcher *const SCALED[][FORMS_ALL] = {
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
    if (by_blocks) {
        p.m = n, p.n = m;
    }
    const unsigned number = choose(p, DEPTH);
    p.m = m, p.n = n;
    return SCALED[by_blocks][number](a, b, by, p);
}

#ifndef LL_NO_MAIN_SCALED
#include "scaled_check.h"

int main(int argc, char **argv) {
    static const unsigned shapes[][3] = {{200, 264, 144},   {1, 8, 16},
                                         {257, 264, 272},   {4096, 4096, 512},
                                         {8192, 8192, 512}, {4000, 8200, 272}};
    size_t wrong = 0;
    if (argc == 5) {
        unsigned size[4];
        for (int x = 0; x < 4; ++x) {
            size[x] = (unsigned)atoi(argv[x + 1]);
        }
        return check(size[0] != 0, size[1], size[2], size[3]) != 0;
    }
    for (unsigned by_blocks = 0; by_blocks < 2; ++by_blocks) {
        for (const unsigned(&s)[3] : shapes) {
            const bool large = s[0] > 1000;
            wrong +=
                large && !on_gpu() ? 0 : check(by_blocks, s[0], s[1], s[2]);
        }
        for (int x = 0; x < 8; ++x) { /* of three tiles, two split the last */
            const unsigned wide = x % 2 ? 264 : 520;
            problem how = {};
            how.beside = 2 - x % 2, how.shares = 1 + x % 2, how.processors = 4;
            wrong += by_blocks ? check(true, wide, 40, 272, x / 2, how)
                               : check(false, 40, wide, 272, x / 2, how);
        }
    }
    return wrong != 0;
}

#endif
