/* binding.cpp - kernels of examples/ as functions of PyTorch tensors.
 * SPDX-License-Identifier: MIT
 *
 * Each function asks checks.h whether the tensors fit, makes the result, and
 * calls an entry on PyTorch's stream. compare.py builds and tests it.
 */
#include "checks.h"
#include "entries.h"

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

namespace {

tensor of(const char *name, const at::Tensor &x) {
    tensor t = {};
    t.name = name;
    t.type = x.scalar_type() == at::kFloat      ? "float32"
             : x.scalar_type() == at::kBFloat16 ? "bfloat16"
             : x.scalar_type() == at::kHalf     ? "float16"
             : x.scalar_type() == at::kByte
                 ? "uint8"
                 : c10::toString(x.scalar_type());
    t.rank = (unsigned)x.dim();
    for (unsigned k = 0; k < t.rank && k < 8; ++k) {
        t.size[k] = x.size(k), t.stride[k] = x.stride(k);
    }
    t.address = (unsigned long long)(uintptr_t)x.data_ptr();
    t.gpu = x.is_cuda() ? x.get_device() : -1;
    return t;
}

void must(const char *bad) { TORCH_CHECK(!bad, bad); }

/* The stream of x's GPU, if that is one that the kernels are for. */
void *stream_of(const at::Tensor &x) {
    const auto *gpu = at::cuda::getDeviceProperties(x.get_device());
    TORCH_CHECK(gpu->major == 9, "these kernels are for compute capability 9.0,"
                " and this GPU has ", gpu->major, ".", gpu->minor);
    return at::cuda::getCurrentCUDAStream(x.get_device()).stream();
}

int type_of(const at::Tensor &x) {
    return x.scalar_type() == at::kBFloat16 ? 1
           : x.scalar_type() == at::kHalf   ? 2
                                            : 0;
}

at::Tensor softmax(const at::Tensor &x) {
    char text[SENTENCE];
    const tensor t = of("x", x);
    must(check_softmax(text, &t));
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor y = at::empty_like(x);
    if (x.numel()) {
        must(ll_softmax(y.data_ptr(), x.data_ptr(), type_of(x),
                        (unsigned)count_of(&t, 1), (unsigned)x.size(-1),
                        stream_of(x)));
    }
    return y;
}

at::Tensor rms_norm(const at::Tensor &x, const at::Tensor &gain, double least) {
    char text[SENTENCE];
    const tensor t = of("x", x), g = of("gain", gain);
    must(check_rms_norm(text, &t, &g));
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor y = at::empty_like(x);
    if (x.numel()) {
        must(ll_rms_norm(y.data_ptr(), x.data_ptr(), gain.data_ptr(),
                         type_of(x), (unsigned)count_of(&t, 1),
                         (unsigned)x.size(-1), (float)least, stream_of(x)));
    }
    return y;
}

at::Tensor attention(const at::Tensor &q, const at::Tensor &k,
                     const at::Tensor &v, bool causal) {
    char text[SENTENCE];
    const tensor tq = of("q", q), tk = of("k", k), tv = of("v", v);
    must(check_attention(text, &tq, &tk, &tv));
    const c10::cuda::CUDAGuard guard(q.device());
    const at::Tensor o = at::empty_like(q);
    must((q.size(3) == 64 ? ll_attention_64 : ll_attention_128)(
        o.data_ptr(), q.data_ptr(), k.data_ptr(), v.data_ptr(),
        (unsigned)q.size(0), (unsigned)q.size(2), (unsigned)k.size(2),
        (unsigned)q.size(1), (unsigned)k.size(1), causal, stream_of(q)));
    return o;
}

at::Tensor pack_weights(const at::Tensor &elements, const at::Tensor &scales) {
    char text[SENTENCE];
    const tensor e = of("elements", elements), s = of("scales", scales);
    must(check_pack(text, &e, &s));
    const at::Tensor to = at::empty(
        {packed_bytes(elements.size(0), elements.size(1))}, elements.options());
    must(ll_pack((unsigned char *)to.data_ptr(),
                 (const unsigned char *)elements.data_ptr(),
                 (const unsigned short *)scales.data_ptr(),
                 (unsigned)elements.size(0), (unsigned)elements.size(1)));
    return to;
}

at::Tensor lowbit(const at::Tensor &x, const at::Tensor &packed,
                  int64_t features) {
    char text[SENTENCE];
    const tensor t = of("x", x), w = of("packed", packed);
    must(check_lowbit(text, &t, &w, features));
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor c = at::empty({x.size(0), features}, x.options());
    must(ll_lowbit(c.data_ptr(), x.data_ptr(), packed.data_ptr(),
                   (unsigned)x.size(0), (unsigned)features,
                   (unsigned)x.size(1), stream_of(x)));
    return c;
}

} // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("softmax", softmax, "softmax of the last dimension", py::arg("x"));
    m.def("rms_norm", rms_norm, "rmsnorm of the last dimension", py::arg("x"),
          py::arg("gain"), py::arg("eps") = 1e-5);
    m.def("attention", attention, "batch x rows x heads x d, bfloat16",
          py::arg("q"), py::arg("k"), py::arg("v"), py::arg("causal") = false);
    m.def("pack", pack_weights, "s4 weights + 8, features x k, as lowbit takes "
          "them", py::arg("elements"), py::arg("scales"));
    m.def("lowbit", lowbit, "x W^T", py::arg("x"), py::arg("packed"),
          py::arg("features"));
}
