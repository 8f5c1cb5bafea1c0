/* fuzz_plan.c - layouts made from any bytes: solving, swizzling, planning.
 * SPDX-License-Identifier: MIT
 *
 * Two layouts hold the same tensor, each element somewhere: columns are single
 * bits in some order, zeros where there are more columns than bits, and a few
 * of them are added to others. The plan between them is executed, byte by byte.
 */
#include "fuzz.h"

enum { MAX_THREADS = 32 * 8, MAX_REGISTERS = 32, MAX_BYTES = 1 << 17 };

typedef struct sizes {
    unsigned registers, warps, i, j; /* log2 */
} sizes;

/* A layout of that many lanes and warps onto a tensor of i x j elements. */
static ll_layout some_layout(bytes *b, sizes s) {
    const ll_shape none = LL_ZERO;
    const ll_shape in = ll_with(
        ll_with(ll_with(none, LL_REGISTER, 1u << s.registers), LL_LANE, 32),
        LL_WARP, 1u << s.warps);
    ll_layout a =
        ll_zero(in, ll_with(ll_with(none, LL_J, 1u << s.j), LL_I, 1u << s.i));
    const unsigned n = s.registers + 5u + s.warps;
    for (unsigned k = 0; k < n; ++k) { /* a random order */
        const unsigned other = next(b, k + 1u);
        a.basis[k] = a.basis[other];
        a.basis[other] = k < s.i + s.j ? 1u << k : 0u;
    }
    for (unsigned adds = next(b, 5); adds > 0; --adds) {
        const unsigned from = next(b, n), to = next(b, n);
        a.basis[to] ^= from == to ? 0u : a.basis[from];
    }
    a.offset = next(b, 4) ? 0u : next(b, 256) & ((1u << (s.i + s.j)) - 1u);
    return good(a);
}

static unsigned tokens[2][MAX_THREADS][MAX_REGISTERS];
static unsigned memory[MAX_BYTES];

/* The byte address of a position, in both forms that kernels use. */
static unsigned address(const ll_step *s, unsigned thread, unsigned p) {
    const unsigned base = ll_map_at(s->thread, thread);
    const unsigned place = ll_places(&s->at, p);
    MUST((base ^ place) ==
         (base ^ (place & s->touched)) + (place & ~s->touched));
    return base ^ place;
}

static void access_of(const ll_step *s, unsigned thread, const ll_plan *p) {
    const unsigned bytes = p->element_bits / 8u;
    for (unsigned k = 0; k < 1u << s->at.n; ++k) {
        const unsigned at = address(s, thread, k);
        const unsigned first = k >> s->at.vector << s->at.vector;
        const unsigned reg = ll_registers(&s->at, k);
        MUST(at + bytes <= p->smem_bytes && at % bytes == 0);
        MUST(at == address(s, thread, first) + (k - first) * bytes);
        MUST(k != first || at % s->bytes == 0);
        if (s->op == LL_OP_STORE) {
            MUST(reg < 1u << p->from_bits);
            memory[at] = tokens[0][thread][reg];
            continue;
        }
        for (unsigned c = 0; c < 1u << s->at.copies; ++c) {
            const unsigned copy = reg ^ ll_pick_(s->at.copy, s->at.copies, c);
            MUST(copy < 1u << p->to_bits);
            tokens[1][thread][copy] = memory[at];
        }
    }
}

static void execute(const ll_plan *p, unsigned threads) {
    memset(memory, 0xff, sizeof memory);
    memset(tokens[1], 0xff, sizeof tokens[1]);
    for (unsigned k = 0; k < p->n; ++k) {
        const ll_step *s = &p->step[k];
        const int move = s->op == LL_OP_STORE || s->op == LL_OP_LOAD;
        MUST(!move || (s->least >= 1 && s->wavefronts >= s->least));
        MUST(!move || s->bytes == p->element_bits / 8u << s->at.vector);
        for (unsigned t = 0; t < threads; ++t) {
            const int on = s->op != LL_OP_STORE || (t & s->at.spare) == 0;
            if (move && on) {
                access_of(s, t, p);
            }
            for (unsigned r = 0; s->op == LL_OP_RENAME && r < 1u << s->at.n;
                 ++r) {
                tokens[1][t][r] = tokens[0][t][ll_registers(&s->at, r)];
            }
        }
    }
    if (p->kind == LL_NOTHING) {
        memcpy(tokens[1], tokens[0], sizeof tokens[0]);
    }
}

/* Every register gets the element that b wants in it. */
static void plan_holds(ll_layout a, ll_layout b, unsigned bits, ll_target t) {
    const ll_plan p = ll_plan_of(a, b, bits, t);
    const unsigned threads = ll_size(a.in, LL_LANE) * ll_size(a.in, LL_WARP);
    if (p.err) {
        MUST(p.err == LL_ENOSOLUTION);
        return;
    }
    MUST(p.smem_bytes <= MAX_BYTES);
    MUST(p.kind != LL_SHARED || good(p.memory).err == LL_OK);
    for (unsigned x = 0; x < threads << p.from_bits; ++x) {
        tokens[0][x >> p.from_bits][x & ((1u << p.from_bits) - 1u)] =
            ll_apply(a, x);
    }
    execute(&p, threads);
    const unsigned registers = p.kind == LL_NOTHING ? p.from_bits : p.to_bits;
    for (unsigned x = 0; x < threads << p.to_bits; ++x) {
        const unsigned r = x & ((1u << p.to_bits) - 1u);
        MUST(tokens[1][x >> p.to_bits][r & ((1u << registers) - 1u)] ==
             ll_apply(b, x));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const unsigned sm[] = {75, 80, 90, 120};
    bytes input = {data, size};
    sizes s = LL_ZERO;
    s.registers = next(&input, 5);
    s.warps = next(&input, 4);
    s.i = next(&input, 8);
    s.j = next(&input, 8);
    const unsigned room = s.registers + 5u + s.warps;
    s.i = s.i < room ? s.i : room;
    s.j = s.i + s.j < room ? s.j : room - s.i;
    const unsigned bits = 8u << next(&input, 5);
    ll_target t = ll_ptx_target(sm[next(&input, 4)]);
    t.merge = next(&input, 2) ? t.merge : 0u; /* a machine without merging */
    const ll_layout a = some_layout(&input, s);
    sizes other = s;
    other.registers = room - 5u - s.warps;
    const ll_layout b = some_layout(&input, other);
    for (unsigned policy = LL_FIRST; policy <= LL_LOCAL; ++policy) {
        solve_holds(a, b, policy);
    }
    plan_holds(a, b, bits, t);
    plan_holds(a, a, bits, t);
    const ll_layout m = good(ll_swizzle(a, b, bits, t));
    MUST(m.err || ll_is_invertible(m));
    return 0;
}
