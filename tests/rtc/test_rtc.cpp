/* test_rtc.cpp - the headers in NVIDIA's run-time compiler, or with RTC_HIP in
 * AMD's. Needs no GPU.
 * SPDX-License-Identifier: MIT
 *
 *     test_rtc FOLDER    where ll.h, ll_ptx.h and ll_amd.h are
 *
 * A run-time compiler finds no headers by itself: the library comes to it as
 * strings, either by name or pasted in front of the kernel.
 */
#include <fstream>
#include <sstream>
#include <stdio.h>
#include <string>
#include <vector>

#ifdef RTC_HIP
#include <hip/hiprtc.h>
#define RTC(name) hiprtc##name
#define RTC_CODE(size) hiprtcGetCode##size
#define RTC_SUCCESS HIPRTC_SUCCESS
#define HEADER "ll_amd.h"
#define ARCH "--offload-arch=gfx"
#define ARCHS {"908", "90a"} /* 5.2.3 knows no later CDNA */
#define TARGET(arch) "ll_amd_target(0x" + arch + ",64)"
#else
#include <nvrtc.h>
#define RTC(name) nvrtc##name
#define RTC_CODE(size) nvrtcGetPTX##size
#define RTC_SUCCESS NVRTC_SUCCESS
#define HEADER "ll_ptx.h"
#define ARCH "--gpu-architecture=sm_"
#define ARCHS {"75", "80", "90", "100", "120"}
#define TARGET(arch) "ll_ptx_target(" + arch + ")"
#endif

static const char *const kernels = R"(
constexpr __host__ __device__ ll_layout tile() { /* C++20 has LL_ROWS here */
    ll_rows_spec s = {};
    s.rows = s.cols = 64;
    s.bytes = sizeof(ELEMENT);
    s.lanes = TARGET.lanes;
    return ll_rows_of(s);
}
LL_LAYOUT(IN, tile());
LL_LAYOUT(OUT, tile());
LL_LAYOUT(TURNED, ll_trans(LL_GET(OUT), "j i"));
LL_PLAN(TURN, IN, TURNED, 8 * sizeof(ELEMENT), TARGET);
LL_EXPECT_NO_CONFLICTS(TURN);
LL_EXPECT_KIND(TURN, LL_SHARED);

extern "C" __global__ void transpose(ELEMENT *dst, const ELEMENT *src, unsigned n) {
    __shared__ __attribute__((aligned(16))) unsigned char smem[LL_SMEM_BYTES(TURN)];
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
    std::string log, code;
};

static std::string text_of(const std::string &path) {
    std::ifstream file(path);
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
}

static result compile(const std::string &source,
                      std::vector<const char *> headers,
                      std::vector<const char *> names,
                      const std::vector<std::string> &flags) {
    result r = {false, "", ""};
    std::vector<const char *> options;
    for (const std::string &flag : flags) {
        options.push_back(flag.c_str());
    }
    RTC(Program) program;
    if (RTC(CreateProgram)(&program, source.c_str(), "kernel.cu",
                           (int)headers.size(), headers.data(),
                           names.data()) != RTC_SUCCESS) {
        r.log = "there is no program";
        return r;
    }
    r.ok = RTC(CompileProgram)(program, (int)options.size(), options.data()) ==
           RTC_SUCCESS;
    size_t size = 0;
    RTC(GetProgramLogSize)(program, &size);
    r.log.resize(size);
    RTC(GetProgramLog)(program, &r.log[0]);
    r.log.resize(size ? size - 1 : 0); /* without the end of the string */
    if (r.ok) {
        RTC_CODE(Size)(program, &size);
        r.code.resize(size);
        RTC_CODE()(program, &r.code[0]);
    }
    RTC(DestroyProgram)(&program);
    return r;
}

static bool has(const std::string &text, const char *what) {
    return text.find(what) != std::string::npos;
}

#ifdef RTC_HIP
/* The metadata of a code object is MessagePack: a name and, below 128, one
 * byte. Is the number behind each of these names 0, and is there one? */
static bool is_zero(const std::string &code, const std::string &name) {
    size_t at = code.find(name);
    const bool found = at != std::string::npos;
    bool zero = true;
    for (; at != std::string::npos; at = code.find(name, at + 1)) {
        zero = zero && code[at + name.size()] == 0;
    }
    return found && zero;
}

/* What is wrong with a result, or an empty string. */
static std::string fault(const result &r) {
    return !r.ok                ? "does not compile:\n" + r.log
           : !r.log.empty()     ? "has warnings:\n" + r.log
           : !has(r.code, "ELF") || !has(r.code, "transpose.kd")
               ? "is not there"
           : !is_zero(r.code, ".private_segment_fixed_size")
               ? "uses scratch memory"
           : !is_zero(r.code, ".vgpr_spill_count") ? "spills"
                                                   : "";
}
#else
/* What is wrong with a result, or an empty string. */
static std::string fault(const result &r) {
    return !r.ok                         ? "does not compile:\n" + r.log
           : !r.log.empty()              ? "has warnings:\n" + r.log
           : has(r.code, ".local")       ? "uses local memory"
           : has(r.code, "ld.const")     ? "loads from a table"
           : has(r.code, ".const ")      ? "has a table"
           : !has(r.code, "st.shared.v") && !has(r.code, "stmatrix")
               ? "does not store vectors"
           : !has(r.code, "ld.global.v") ? "does not load vectors"
                                         : "";
}
#endif

int main(int argc, char **argv) {
    const std::string folder = argc > 1 ? argv[1] : ".";
    const std::string ll = text_of(folder + "/ll.h");
    const std::string own = text_of(folder + "/" HEADER);
    const std::vector<const char *> headers = {ll.c_str(), own.c_str()};
    const std::vector<const char *> names = {"ll.h", HEADER};
    const char *const types[] = {"unsigned char", "unsigned short", "float",
                                 "double"};
    const std::string archs[] = ARCHS;
    const char *const standards[] = {"17", "20"};
    const result old =
        compile(ll + own + kernels, {}, {},
                {ARCH + archs[0], "--std=c++14", "-DTARGET=" TARGET(archs[0]),
                 "-DELEMENT=float"});
    const bool told = !old.ok && has(old.log, "ll: kernels need C++17");
    unsigned passed = told, failed = !told, turn = 0;
    if (!told) {
        printf("FAIL a kernel in C++14: %s\n", old.log.c_str());
    }
    for (const std::string &arch : archs) {
        for (const char *standard : standards) {
            const char *type = types[turn++ % 4];
            const std::vector<std::string> flags = {
                ARCH + arch, std::string("--std=c++") + standard,
                "-DTARGET=" TARGET(arch),
                std::string("-DELEMENT=") + type};
            for (int pasted = 0; pasted < 2; ++pasted) {
                const result r =
                    pasted ? compile(ll + own + kernels, {}, {}, flags)
                           : compile("#include \"" HEADER "\"\n" +
                                         std::string(kernels),
                                     headers, names, flags);
                const std::string why = fault(r);
                passed += why.empty();
                failed += !why.empty();
                if (!why.empty()) {
                    printf("FAIL %s, C++%s, %s, headers %s: %s\n",
                           arch.c_str(), standard, type, pasted ? "pasted" : "by name",
                           why.c_str());
                }
            }
        }
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
