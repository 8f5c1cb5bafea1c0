/* 15_run_time.c - how do I compile a kernel at run time, with NVRTC or hipRTC?
 * SPDX-License-Identifier: MIT
 *
 * NVRTC and hipRTC compile a string. They find no files, so pass the headers as
 * strings too, each with the name by which the kernel includes it. Sizes and
 * types that are known only at run time become macros; the compiler computes
 * the layouts, the plan and the swizzle as in any kernel. If something does not
 * fit, the log has a sentence about it: here for a tile of 60 x 60.
 *
 * hipRTC has the same functions, named hiprtc.... Pass "--offload-arch=gfx942"
 * and ll_amd.h. hiprtcGetCode returns an object for hipModuleLoadData; PTX goes
 * to cuModuleLoadData.
 *
 * Build: cc -std=c11 -I. examples/lessons/15_run_time.c -o 15_run_time -lnvrtc
 * Output:
 *     -arch=sm_80 -DELEMENT=float -DSIZE=64: compiles
 *       8 shared stores, 32 shared loads, 0 of local memory
 *     -arch=sm_90 -DELEMENT=double -DSIZE=32: compiles
 *       4 shared stores, 8 shared loads, 0 of local memory
 *     -arch=sm_90 -DELEMENT=float -DSIZE=60: does not compile
 *       ll: IN: a size is a power of two, at least 1
 */
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kernel =
    "#include \"ll_ptx.h\"\n"
    "LL_LAYOUT(IN, ll_rows(SIZE, SIZE, sizeof(ELEMENT)));\n"
    "LL_LAYOUT(OUT, ll_rows(SIZE, SIZE, sizeof(ELEMENT)));\n"
    "LL_LAYOUT(TURNED, ll_trans(LL_GET(OUT), \"j i\"));\n"
    "LL_PLAN(TURN, IN, TURNED, 8 * sizeof(ELEMENT), LL_TARGET_HERE);\n"
    "extern \"C\" __global__ void transpose(ELEMENT *dst, const ELEMENT *src,\n"
    "                                     unsigned n) {\n"
    "    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];\n"
    "    ELEMENT a[LL_REGS(IN)], b[LL_REGS(OUT)];\n"
    "    size_t i = blockIdx.y * SIZE, j = blockIdx.x * SIZE;\n"
    "    LL_LOAD(a, IN, src + i * n + j, n);\n"
    "    LL_CONVERT(b, a, TURN, smem);\n"
    "    LL_STORE(b, OUT, dst + j * n + i, n);\n"
    "}\n";

/* Returns the contents of a file, or null. */
static char *text_of(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = file ? (char *)calloc(1, 1 << 22) : NULL;
    if (text && !fread(text, 1, (1 << 22) - 1, file)) {
        free(text);
        text = NULL;
    }
    if (file) {
        fclose(file);
    }
    return text;
}

static unsigned count(const char *text, const char *what) {
    unsigned n = 0;
    for (; (text = strstr(text, what)) != NULL; ++text) {
        ++n;
    }
    return n;
}

static void compile(const char *arch, const char *element, const char *size) {
    static char log[1 << 20], ptx[1 << 22];
    const char *names[] = {"ll.h", "ll_ptx.h"};
    char *headers[] = {text_of("ll.h"), text_of("ll_ptx.h")};
    const char *options[] = {"-std=c++17", arch, element, size};
    nvrtcProgram program;
    size_t bytes = 0;
    if (!headers[0] || !headers[1] ||
        nvrtcCreateProgram(&program, kernel, "transpose.cu", 2,
                           (const char *const *)headers, names)) {
        printf("run this in the folder that has ll.h\n");
        exit(1);
    }
    const int failed = nvrtcCompileProgram(program, 4, options) != 0;
    printf("%s %s %s: %s\n", arch, element, size,
           failed ? "does not compile" : "compiles");
    if (failed && !nvrtcGetProgramLogSize(program, &bytes) &&
        bytes < sizeof log && !nvrtcGetProgramLog(program, log)) {
        char *said = strstr(log, "ll: ");
        said = said ? said : log; /* not an error of ll: print the whole log */
        printf("  %.*s\n", (int)strcspn(said, said == log ? "" : "\"\n"),
               said);
    } else if (!failed && !nvrtcGetPTXSize(program, &bytes) &&
               bytes < sizeof ptx && !nvrtcGetPTX(program, ptx)) {
        printf("  %u shared stores, %u shared loads, %u of local memory\n",
               count(ptx, "st.shared"), count(ptx, "ld.shared"),
               count(ptx, ".local"));
    }
    nvrtcDestroyProgram(&program);
    free(headers[0]);
    free(headers[1]);
}

int main(void) {
    compile("-arch=sm_80", "-DELEMENT=float", "-DSIZE=64");
    compile("-arch=sm_90", "-DELEMENT=double", "-DSIZE=32");
    compile("-arch=sm_90", "-DELEMENT=float", "-DSIZE=60");
    return 0;
}
