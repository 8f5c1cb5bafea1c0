/* test_launchers.cu - what the launchers of products of matrices say of shapes
 * and pointers that their kernels cannot take: one sentence, and nothing is
 * launched.
 * SPDX-License-Identifier: MIT
 */
#define LL_TENSOR
#define LL_NO_MAIN
#include "../../examples/hopper.h"
#include "../../examples/matmul.h"
#include "../../ll_ptx.h"

namespace by_any_types {
#include "../../examples/matmul.cu"
}
namespace by_wgmma {
#include "../../examples/matmul_scaled.cu"
}

static int passed, failed;

/* The launcher says so, and C stays as it was. */
static void refuses(const char *said, const char *part,
                    const unsigned char *c, int line) {
    bool good = said && strstr(said, part) && emu_error_count() == 0;
    for (unsigned k = 0; k < 1024; ++k) {
        good = good && c[k] == 0xee;
    }
    good ? ++passed : ++failed;
    if (!good) {
        printf("test_launchers.cu:%d: `%s`, not `%s`\n%s", line,
               said ? said : "nothing", part, emu_errors());
    }
}
#define REFUSES(part, ...) refuses(__VA_ARGS__, part, c, __LINE__)

int main() {
    unsigned char *a, *b, *c;
    float *scales;
    MUST(cudaMalloc((void **)&a, 1 << 16));
    MUST(cudaMalloc((void **)&b, 1 << 16));
    MUST(cudaMalloc((void **)&c, 1 << 16));
    MUST(cudaMalloc((void **)&scales, 1 << 16));
    MUST(cudaMemset(c, 0xee, 1 << 16));
    emu_reset();
    for (unsigned zero = 0; zero < 3; ++zero) {
        const unsigned m = zero != 0 ? 16 : 0, n = zero != 1 ? 16 : 0,
                       k = zero != 2 ? 16 : 0;
        const by_wgmma::scales by = {scales, scales};
        REFUSES("at least 1", by_any_types::launch(c, a, b, m, n, k));
        REFUSES("at least 1", by_wgmma::launch(c, a, b, m, n, k));
        for (bool blocks : {false, true}) {
            REFUSES("at least 1",
                    by_wgmma::launch_by(blocks, c, a, b, by, m, n, k));
            REFUSES("n is a multiple of 8 and k of 16",
                    by_wgmma::launch_by(blocks, c, a, b, by, 16, 12, 16));
            REFUSES("n is a multiple of 8 and k of 16",
                    by_wgmma::launch_by(blocks, c, a, b, by, 16, 16, 24));
        }
    }
    REFUSES("at most 4 million",
            by_any_types::launch(c, a, b, 1u << 31, 16, 16));
    REFUSES("n is a multiple of 8", by_wgmma::launch(c, a, b, 16, 12, 16));
    REFUSES("a row of k a multiple of 16 bytes",
            by_wgmma::launch(c, a, b, 16, 16, 8));
    REFUSES("a tensor does not start at a multiple of 16 bytes",
            by_wgmma::launch(c, a + 8, b, 16, 16, 16));
    REFUSES("a tensor does not start at a multiple of 16 bytes",
            by_wgmma::launch(c, a, b + 1, 16, 16, 16));
    REFUSES("a tensor does not start at a multiple of 16 bytes",
            by_wgmma::launch(c + 8, a, b, 16, 16, 16));
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
