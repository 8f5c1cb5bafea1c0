/* matmul_scaled.cu - how is a product of fp8 scaled by rows, or by blocks of k?
 * SPDX-License-Identifier: MIT
 *
 * C = A B of e4m3, sums in f32, C in bf16, with the parts of matmul_hopper.cu.
 * Each element stands for itself times an f32 scale:
 *
 * rows    one scale for each row of A, and one for each column of B;
 * blocks  one for each 128 elements of k in a row of A, and one for each 128 of
 *         k in 128 columns of B. The scales of A of all rows for a block of k
 *         are adjacent; the next block follows after the rows, rounded up to a
 *         multiple of 4. The scales of B are stored by columns as B is: k is
 *         contiguous.
 *
 * Scales of rows are applied to the sums of a tile. Scales of blocks are
 * applied to products: the tensor cores multiply 128 of k, and matmul_blocks.h
 * adds the products, times the scales, in f32, which has more bits than the
 * tensor cores keep for sums of e4m3.
 *
 * Layouts say which rows or columns the sums of a lane belong to. ll_scales_of
 * the sums is what a lane needs of the scales, and ll_scales_each which of them
 * each sum takes. A conversion between the two only renames registers.
 *
 * Build: nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a -I. \
 *            examples/kernels/matmul/matmul_scaled.cu -o matmul_scaled
 *        or, without a GPU, tools/emulator/emucc -I. ..
 * Run:   matmul_scaled [BLOCKS m n k], BLOCKS is 1 for scales of blocks
 */
#include "matmul_blocks.h"
#include "matmul_choice.h"

using namespace ll_kernels;

typedef form_list<gemm_form<dtype::e4m3, 2, 32>, gemm_form<dtype::e4m3, 2, 64>,
                  gemm_form<dtype::e4m3, 2, 128>,
                  gemm_form<dtype::e4m3, 2, 256>>
    scaled_forms;

/* Scales of A and B, of rows or of blocks. */
struct gemm_scales {
    const float *a, *b;
};

/* ---- Scales of rows ------------------------------------------------------ */

/* The scales that a lane needs for the sums of a tile of the form T, and as
 * each sum takes one: of rows of C, j, and of columns, i. */
template <class T> struct scale_layouts {
    LL_LAYOUT(TILE_SUMS, ll_ptx_wgmma_d(64, T::ROWS, 4));
    LL_LAYOUT(ROW_SCALES, ll_scales_of(LL_GET(TILE_SUMS), LL_I, 64));
    LL_LAYOUT(ROW_EACH, ll_scales_each(LL_GET(TILE_SUMS), LL_I, 64));
    LL_LAYOUT(ROW_COLUMN, ll_trans(LL_GET(ROW_SCALES), "j i")); /* in memory */
    LL_PLAN(SPREAD_ROWS, ROW_SCALES, ROW_EACH, 32, LL_SM90);
    LL_EXPECT_KIND(SPREAD_ROWS, LL_REGISTERS);
    typedef typename T::SUMS SUMS;
    LL_LAYOUT(COL_SCALES, ll_scales_of(LL_GET(SUMS), LL_J, 16));
    LL_LAYOUT(COL_EACH, ll_scales_each(LL_GET(SUMS), LL_J, 16));
    LL_PLAN(SPREAD_COLS, COL_SCALES, COL_EACH, 32, LL_SM90);
    LL_EXPECT_KIND(SPREAD_COLS, LL_REGISTERS);
};

/* Returns how many of `size` are left from `at` on. */
LL_FN unsigned rest_of(unsigned size, unsigned at) {
    return at < size ? size - at : 0;
}

/* Multiplies the sums of a tile by the scales of its rows and columns. One load
 * brings the scales of all rows and compares with the last row once; loads of
 * 16 rows each take more registers than there are. */
template <class T>
static __device__ void scale_rows(float *sum, const gemm_scales &scales,
                                  const gemm_problem &p, unsigned row,
                                  unsigned col) {
    typedef scale_layouts<T> L;
    typedef typename L::SUMS SUMS;
    typedef typename L::ROW_COLUMN ROW_COLUMN;
    typedef typename L::COL_SCALES COL_SCALES;
    typedef typename L::SPREAD_ROWS SPREAD_ROWS;
    typedef typename L::SPREAD_COLS SPREAD_COLS;
    LL_IN(WARPGROUP);
    float of_rows[LL_REGS(ROW_COLUMN)], x[T::ROWS / 2];
    float of_cols[LL_REGS(COL_SCALES)], y[LL_REGS(SUMS)];
    LL_LOAD(of_cols, COL_SCALES, scales.b + col, 1, rest_of(p.n, col), 1);
    LL_LOAD(of_rows, ROW_COLUMN, scales.a + row, 1, rest_of(p.m, row), 1);
    LL_CONVERT(y, of_cols, SPREAD_COLS, 0);
    LL_CONVERT(x, of_rows, SPREAD_ROWS, 0);
    LL_UNROLL
    for (unsigned r = 0; r < T::ROWS / 2; ++r) {
        sum[r] *= x[r] * y[r % LL_REGS(SUMS)];
    }
}

/* ---- The kernel ---------------------------------------------------------- */

/* Computes C by tiles of the form T, with scales of blocks (BLOCKS) or of
 * rows. */
template <class T, bool BLOCKS>
__global__ void __launch_bounds__(T::THREADS, 1)
    matmul_scaled(const __grid_constant__ gemm_maps maps,
                  const __grid_constant__ CUtensorMap map_scales,
                  const gemm_scales scales, const gemm_problem p) {
    extern __shared__ __align__(1024) unsigned char memory[];
    const unsigned smem = uniform((unsigned)__cvta_generic_to_shared(memory));
    const tile_scheduler<T> t(p);
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < T::STAGES; ++s) {
            ll_ptx_mbarrier_init(smem + T::FULL + 8 * s, BLOCKS ? 2 : 1);
            ll_ptx_mbarrier_init(smem + T::EMPTY + 8 * s,
                                 T::WORKERS *
                                     (p.neighbours + (BLOCKS ? 4 : 0)));
        }
        ll_ptx_fence_mbarrier_init();
    }
    LL_BARRIER_CLUSTER();
    ll_ptx_griddepcontrol_launch_dependents();
    ll_ptx_griddepcontrol_wait(); /* the preceding kernel has written A and B */
    if (threadIdx.x < 128) {
        ll_ptx_setmaxnreg_dec<32>();
        if (threadIdx.x < 32 && ll_ptx_elect()) {
            load_all_tiles<T>(smem, maps, p, t);
        }
        if constexpr (BLOCKS) {
            if (threadIdx.x / 32 == 1 && ll_ptx_elect()) {
                load_all_scales<T>(smem, &map_scales, p, t);
            }
        }
        __syncwarp();
        if (t.has_split_tile) { /* as the warpgroups that multiply do */
            LL_BARRIER_CLUSTER();
        }
    } else {
        ll_ptx_setmaxnreg_inc<T::REGISTERS>();
        if constexpr (BLOCKS) {
            multiply_all_blocks<T>(memory, &maps.c, scales.b, p, t);
        } else {
            multiply_all_tiles<T>(memory, maps, p, t,
                                  [&](float *sum, unsigned row, unsigned col) {
                                      scale_rows<T>(sum, scales, p, row, col);
                                  });
        }
    }
    __syncwarp();
    LL_BARRIER_CLUSTER(); /* no block ends while another one signals it */
}

/* ---- The launcher -------------------------------------------------------- */

typedef const char *scaled_launcher(const void *a, const void *b,
                                    const gemm_scales &scales, gemm_problem p);

/* Launches the kernel of a form. For blocks the problem is transposed, and so
 * are A and B of the kernel. Returns an error message, or null. */
template <class T, bool BLOCKS>
static const char *launch_scaled_form(const void *a, const void *b,
                                      const gemm_scales &scales,
                                      gemm_problem p) {
    gemm_maps maps;
    CUtensorMap map_scales = {};
    if (BLOCKS) {
        const unsigned rows = p.m;
        p.m = p.n, p.n = rows;
    }
    if (!is_valid_division(p, T::PADDED_ROWS, T::DEPTH)) {
        return "a tile of this form is not divided in this way";
    }
    const char *bad = BLOCKS ? make_operand_maps<T>(&maps, b, a, p)
                             : make_maps<T>(&maps, a, b, p);
    if (BLOCKS && !bad) {
        bad = map_of_rows(&maps.c, p.c, map_type(T::RESULT), p.n, p.m,
                          BLOCK_BOX.box[1], BLOCK_BOX.box[0]);
    }
    if (BLOCKS && !bad) { /* four scales are eight times 16 bits */
        bad = map_of<3>(&map_scales, scales.a, CU_TENSOR_MAP_DATA_TYPE_UINT16,
                        {8, div_up(p.n, 4), div_up(p.k, 128)},
                        {8, T::COLS / 4, 1}, CU_TENSOR_MAP_SWIZZLE_NONE);
    }
    return bad ? bad
               : launch_clusters(matmul_scaled<T, BLOCKS>,
                                 grid_blocks(p, T::COLS, T::ROWS),
                                 p.neighbours * p.splits, T::THREADS, T::SMEM,
                                 launch_stream(), maps, map_scales, scales, p);
}

/* Launches the kernel of form `number` for scales of rows or of blocks. */
template <class... F>
static const char *
launch_scaled_number(form_list<F...>, bool by_blocks, unsigned number,
                     const void *a, const void *b, const gemm_scales &scales,
                     const gemm_problem &p) {
    static scaled_launcher *const LAUNCHERS[2][sizeof...(F)] = {
        {launch_scaled_form<F, false>...},
        {launch_scaled_form<block_form<F::IN, (F::ROWS < 64 ? 64 : +F::ROWS)>,
                            true>...}};
    return LAUNCHERS[by_blocks][number](a, b, scales, p);
}

/* Computes C = A B with scales of rows, or of blocks. Returns an error message,
 * or null. */
static const char *launch_scaled(bool by_blocks, void *c, const void *a,
                                 const void *b, const gemm_scales &scales,
                                 unsigned m, unsigned n, unsigned k) {
    if (!m || !n || !k || n % 8 || k % 16) {
        return "m, n and k are at least 1, n is a multiple of 8 and k of 16";
    }
    gemm_problem p = {c, 1, m, n, k, 1, 1, processors_here()};
    if (by_blocks) {
        p.m = n, p.n = m;
    }
    const unsigned depth = gemm_layouts<dtype::e4m3>::DEPTH;
    const unsigned number = choose_form(scaled_forms(), p, depth);
    p.m = m, p.n = n;
    return launch_scaled_number(scaled_forms(), by_blocks, number, a, b, scales,
                                p);
}

#ifndef LL_NO_MAIN
#include "scaled_check.h"

/* Checks a product with the chosen form, or with form `number` and the division
 * of `p`. Returns the number of faults. */
static size_t check(bool by_blocks, unsigned m, unsigned n, unsigned k,
                    int number = -1, gemm_problem p = {}) {
    return check_scaled(
        by_blocks, m, n, k,
        [&](void *c, const void *a, const void *b, const float *scales_a,
            const float *scales_b) {
            const gemm_scales scales = {scales_a, scales_b};
            p.c = c, p.scale = 1, p.m = m, p.n = n, p.k = k;
            return number < 0
                       ? launch_scaled(by_blocks, c, a, b, scales, m, n, k)
                       : launch_scaled_number(scaled_forms(), by_blocks,
                                              (unsigned)number, a, b, scales,
                                              p);
        });
}

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
            gemm_problem p = {};
            p.neighbours = 2 - x % 2, p.splits = 1 + x % 2, p.processors = 4;
            wrong += by_blocks ? check(true, wide, 40, 272, x / 2, p)
                               : check(false, 40, wide, 272, x / 2, p);
        }
    }
    return wrong != 0;
}

#endif
