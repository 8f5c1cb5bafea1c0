/* ---- Names of version 0.1 --------------------------------------------- */
#ifndef LL_OLD_NAMES_H
#define LL_OLD_NAMES_H

#include "kernel/sizes.h"
#include "text/explain.h"

/* Old names, kept until 0.4. The compiler warns of their use. */
#if defined(__GNUC__) || defined(__CUDACC_RTC__)
#define LL_OLD_(name) __attribute__((deprecated("use " name))) LL_FN
#else
#define LL_OLD_(name) LL_FN
#endif

LL_OLD_("ll_unsqueeze") ll_layout ll_expand(ll_layout a, unsigned k) {
    return ll_unsqueeze(a, k);
}

LL_OLD_("ll_unsqueeze_back") ll_layout ll_expand_back(ll_layout a, unsigned k) {
    return ll_unsqueeze_back(a, k);
}

LL_OLD_("ll_bitcast")
ll_layout ll_like(ll_layout a, unsigned from_bits, unsigned to_bits) {
    return ll_bitcast(a, from_bits, to_bits);
}

LL_OLD_("ll_nullspace") ll_layout ll_kernel(ll_layout a) {
    return ll_nullspace(a);
}

LL_OLD_("ll_map_of") ll_map ll_digest(ll_layout a) { return ll_map_of(a); }

LL_OLD_("ll_pack") unsigned ll_put(ll_shape s, ll_dim d, unsigned x) {
    return ll_pack(s, d, x);
}

LL_OLD_("ll_unpack") unsigned ll_get(ll_shape s, ll_dim d, unsigned word) {
    return ll_unpack(s, d, word);
}

LL_OLD_("ll_rows_of")
ll_layout ll_rows_by(unsigned rows, unsigned cols, unsigned bytes,
                     unsigned access, unsigned height, unsigned lanes,
                     unsigned warps) {
    const ll_rows_spec s = {rows, cols, bytes, access, height, lanes, warps};
    return ll_rows_of(s);
}

LL_OLD_("ll_explain_reduce")
unsigned ll_explain_reduction(ll_reduce_plan p, char *buf, unsigned size) {
    return ll_explain_reduce(p, buf, size);
}
#undef LL_OLD_

typedef ll_reduce_plan ll_reduction;
typedef ll_scan_plan ll_scan;
typedef ll_gather_plan ll_gathering;
#define LL_COST_FAR LL_COST_DSMEM
#define LL_REDUCTION LL_REDUCE_PLAN
#define LL_SCAN_OF LL_SCAN_PLAN
#define LL_GATHERING LL_GATHER_PLAN
#define LL_GATHERING_BY LL_GATHER_PLAN_BY

#endif
