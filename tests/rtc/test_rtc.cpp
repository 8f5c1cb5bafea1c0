/* test_rtc.cpp - the headers in NVIDIA's run-time compiler. Needs no GPU.
 * SPDX-License-Identifier: MIT
 *
 *     test_rtc FOLDER    where ll.h and ll_ptx.h are
 *
 * A run-time compiler finds no headers by itself: the library comes to it as
 * strings, either by name or pasted in front of the kernel.
 */
#include <fstream>
#include <nvrtc.h>
#include <sstream>
#include <stdio.h>
#include <string>
#include <vector>

static const char *const kernels = R"(
LL_LAYOUT(IN, ll_rows(64, 64, sizeof(ELEMENT)));
LL_LAYOUT(OUT, ll_rows(64, 64, sizeof(ELEMENT)));
LL_LAYOUT(TURNED, ll_trans(LL_GET(OUT), "j i"));
LL_PLAN(TURN, IN, TURNED, 8 * sizeof(ELEMENT), TARGET);
LL_EXPECT_NO_CONFLICTS(TURN);
LL_EXPECT_KIND(TURN, LL_SHARED);

extern "C" __global__ void transpose(ELEMENT *dst, const ELEMENT *src, unsigned n) {
    __shared__ __align__(16) unsigned char smem[LL_SMEM_BYTES(TURN)];
    ELEMENT a[LL_REGS(IN)], b[LL_REGS(OUT)];
    const unsigned i = blockIdx.y * 64, j = blockIdx.x * 64;
    LL_LOAD(a, IN, src + i * n + j, n, n - i, n - j);
    LL_CONVERT(b, a, TURN, smem);
    LL_STORE(b, OUT, dst + j * n + i, n, n - j, n - i);
}

extern "C" __global__ void where(unsigned *rows) {
    LL_EACH(r, IN) {
        rows[threadIdx.x * LL_REGS(IN) + r] = LL_AT(IN, LL_I, r);
    }
}
)";

struct result {
    bool ok;
    std::string log, ptx;
};

static std::string text_of(const std::string &path) {
    std::ifstream file(path);
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
}

static result compile(const std::string &source,
                      const std::vector<const char *> &headers,
                      const std::vector<const char *> &names,
                      const std::vector<std::string> &flags) {
    result r = {false, "", ""};
    std::vector<const char *> options;
    for (const std::string &flag : flags) {
        options.push_back(flag.c_str());
    }
    nvrtcProgram program;
    if (nvrtcCreateProgram(&program, source.c_str(), "kernel.cu",
                           (int)headers.size(), headers.data(),
                           names.data()) != NVRTC_SUCCESS) {
        r.log = "nvrtcCreateProgram failed";
        return r;
    }
    r.ok = nvrtcCompileProgram(program, (int)options.size(), options.data()) ==
           NVRTC_SUCCESS;
    size_t size = 0;
    nvrtcGetProgramLogSize(program, &size);
    r.log.resize(size);
    nvrtcGetProgramLog(program, &r.log[0]);
    r.log.resize(size ? size - 1 : 0); /* without the end of the string */
    if (r.ok) {
        nvrtcGetPTXSize(program, &size);
        r.ptx.resize(size);
        nvrtcGetPTX(program, &r.ptx[0]);
    }
    nvrtcDestroyProgram(&program);
    return r;
}

static bool has(const std::string &text, const char *what) {
    return text.find(what) != std::string::npos;
}

/* What is wrong with a result, or an empty string. */
static std::string fault(const result &r) {
    return !r.ok                        ? "does not compile:\n" + r.log
           : !r.log.empty()             ? "has warnings:\n" + r.log
           : has(r.ptx, ".local")       ? "uses local memory"
           : has(r.ptx, "ld.const")     ? "loads from a table"
           : has(r.ptx, ".const ")      ? "has a table"
           : !has(r.ptx, "st.shared.v") && !has(r.ptx, "stmatrix")
               ? "does not store vectors"
           : !has(r.ptx, "ld.global.v") ? "does not load vectors"
                                        : "";
}

int main(int argc, char **argv) {
    const std::string folder = argc > 1 ? argv[1] : ".";
    const std::string ll = text_of(folder + "/ll.h");
    const std::string ptx = text_of(folder + "/ll_ptx.h");
    const std::vector<const char *> headers = {ll.c_str(), ptx.c_str()};
    const std::vector<const char *> names = {"ll.h", "ll_ptx.h"};
    const char *const types[] = {"unsigned char", "unsigned short", "float",
                                 "double"};
    const char *const archs[] = {"75", "80", "90", "100", "120"};
    const char *const standards[] = {"14", "17", "20"};
    unsigned passed = 0, failed = 0, turn = 0;
    for (const char *arch : archs) {
        for (const char *standard : standards) {
            const char *type = types[turn++ % 4];
            const std::vector<std::string> flags = {
                std::string("--gpu-architecture=sm_") + arch,
                std::string("--std=c++") + standard,
                std::string("-DTARGET=LL_SM") + arch,
                std::string("-DELEMENT=") + type};
            for (int pasted = 0; pasted < 2; ++pasted) {
                const result r =
                    pasted ? compile(ll + ptx + kernels, {}, {}, flags)
                           : compile("#include \"ll_ptx.h\"\n" +
                                         std::string(kernels),
                                     headers, names, flags);
                const std::string why = fault(r);
                passed += why.empty();
                failed += !why.empty();
                if (!why.empty()) {
                    printf("FAIL sm_%s, C++%s, %s, headers %s: %s\n", arch,
                           standard, type, pasted ? "pasted" : "by name",
                           why.c_str());
                }
            }
        }
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
