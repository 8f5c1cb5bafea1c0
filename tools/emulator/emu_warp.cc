/* emu_warp.cc - the exchanges inside a warp: shuffles, votes, reductions, and
 * matrices in shared memory; and the calls with which a kernel waits.
 *
 * Sections: exchanges - calls of a kernel.
 */
#include "emu_run.h"

#include <algorithm>
#include <cstring>

/* ==== Exchanges ========================================================= */

/* shfl.sync as the PTX manual defines it; 64 lanes need a sixth bit. */
static void shuffle_lane(warp &w, fiber *f, uint64_t lanes) {
    const collective &c = f->c;
    int top = emu_self_->t.lanes - 1;
    int b = (int)(c.b & (unsigned)top), lane = f->lane, seg = (int)c.seg;
    int hi = (lane & seg) | ((int)c.clamp & ~seg & top), j = lane;
    bool in = true;
    switch (c.mode) {
    case 0: j = (lane & seg) | (b & ~seg); in = j <= hi; break;
    case 1: j = lane - b; in = j >= hi; break;
    case 2: j = lane + b; in = j <= hi; break;
    default: j = lane ^ b; in = j <= hi; break;
    }
    j = in ? j : lane;
    f->c.pred = in;
    if (!(lanes >> j & 1)) {
        emu_find(EMU_LANES, c.at,
                 emu_text("shuffle: lane %d of warp %d reads lane %d, which "
                          "does not take part", lane, f->warp, j));
        return;
    }
    f->c.out[0] = w.lanes[(size_t)j]->c.in[0];
}

/* A matrix of up to 16 rows of 16 bytes in shared memory. */
typedef uint8_t matrix[16][16];

/* Returns byte k of register r of lane l. */
static uint8_t &cell(matrix m, int form, int l, int r, int k) {
    int g = l >> 2, t = l & 3;
    switch (form) {
    case FORM_PLAIN: return m[g][4 * t + k];
    case FORM_TRANS: return m[2 * t + k / 2][2 * g + k % 2];
    case FORM_LOAD_B8: return m[4 * t + k][g + 8 * r];
    default: return m[2 * t + k % 2][g + 8 * (k / 2)]; /* FORM_STORE_B8 */
    }
}

static uint32_t fragment(matrix m, int form, int l, int r) {
    uint32_t v = 0;
    for (int k = 0; k < 4; k++) {
        v |= (uint32_t)cell(m, form, l, r, k) << 8 * k;
    }
    return v;
}

static void unfragment(matrix m, int form, int l, uint32_t v) {
    for (int k = 0; k < 4; k++) {
        cell(m, form, l, 0, k) = (uint8_t)(v >> 8 * k);
    }
}

/* ldmatrix, stmatrix: lanes q * rows and up hold the row addresses of matrix
 * q. */
static void move_matrices(emulator *e, warp &w, const collective &c) {
    int rows = c.mode == FORM_LOAD_B8 ? 16 : 8, regs = rows / 8;
    for (int q = 0; q < c.n && !e->dead; q++) {
        matrix m;
        for (int l = 0; l < 32 && c.op == OP_STMATRIX; l++) {
            unfragment(m, c.mode, l, w.lanes[(size_t)l]->c.in[q]);
        }
        for (int r = 0; r < rows && !e->dead; r++) {
            fiber *f = w.lanes[(size_t)(rows * q + r)];
            emu_access(f, f->c.addr, 16, c.op == OP_STMATRIX, f->c.at);
            if (e->dead) {
                return;
            }
            if (c.op == OP_STMATRIX) {
                memcpy((void *)f->c.addr, m[r], 16);
                emu_settle(f);
            } else {
                memcpy(m[r], (void *)f->c.addr, 16);
            }
        }
        for (int l = 0; l < 32 && c.op == OP_LDMATRIX; l++) {
            for (int r = 0; r < regs; r++) {
                w.lanes[(size_t)l]->c.out[regs * q + r] =
                    fragment(m, c.mode, l, r);
            }
        }
    }
}

static void move_fragment(warp &w) {
    matrix m;
    for (int l = 0; l < 32; l++) {
        unfragment(m, FORM_PLAIN, l, w.lanes[(size_t)l]->c.in[0]);
    }
    for (int l = 0; l < 32; l++) {
        w.lanes[(size_t)l]->c.out[0] = fragment(m, FORM_TRANS, l, 0);
    }
}

static uint64_t value_of(const fiber *f) {
    return (uint64_t)f->c.in[1] << 32 | f->c.in[0];
}

/* Combines two values by the operation of a __reduce_..._sync. */
static uint32_t reduced(int mode, uint32_t a, uint32_t b) {
    switch (mode) {
    case REDUCE_ADD: return a + b;
    case REDUCE_AND: return a & b;
    case REDUCE_OR: return a | b;
    case REDUCE_XOR: return a ^ b;
    case REDUCE_MIN: return std::min(a, b);
    case REDUCE_MAX: return std::max(a, b);
    case REDUCE_SMIN: return (uint32_t)std::min((int32_t)a, (int32_t)b);
    default: return (uint32_t)std::max((int32_t)a, (int32_t)b);
    }
}

/* __reduce_..._sync, and __match_..._sync: the lanes with the same value. */
static void reduce_lanes(const std::vector<fiber *> &in, const collective &c) {
    uint32_t all = in[0]->c.in[0];
    for (size_t k = 1; k < in.size(); k++) {
        all = reduced(c.mode, all, in[k]->c.in[0]);
    }
    for (fiber *f : in) {
        uint64_t same = 0;
        for (const fiber *g : in) {
            same |= (uint64_t)(value_of(f) == value_of(g)) << g->lane;
        }
        f->c.out[0] = c.op == OP_REDUCE ? all : (uint32_t)same;
        f->c.out[1] = (uint32_t)(same >> 32);
    }
}

static bool whole_warp(const warp &w, uint64_t lanes, site *at) {
    if (w.lanes.size() == 32 && lanes == 0xffffffffu) {
        return true;
    }
    emu_find(EMU_LANES, at,
             emu_text("%s needs all 32 lanes of the warp; lanes 0x%llx are "
                      "here", at->kind.c_str(), (unsigned long long)lanes));
    emu_self_->dead = true;
    return false;
}

/* Finds lanes that execute different exchanges: at two places, or a lane that
 * a mask names, which executed another one while others waited for it. */
static void check_places(emulator *e, const warp &w,
                         const std::vector<fiber *> &in) {
    const fiber *a = in[0];
    const int op = a->c.op;
    const bool exchange = op != OP_SYNCWARP && op != OP_ARRIVE &&
                          op != OP_ARRIVE_RELAXED && op != OP_ARRIVE_NAMED &&
                          op != OP_AMD;
    const uint64_t mask = a->c.mask;
    e->meetings++;
    for (size_t k = 1; exchange && k < in.size(); k++) {
        const fiber *b = in[k];
        if (b->c.at != a->c.at) {
            emu_find(EMU_LANES, b->c.at,
                     emu_text("exchange: lanes %d and %d of warp %d meet in "
                              "two different calls of %s: all lanes of a mask "
                              "must execute the same one", a->lane, b->lane,
                              a->warp, a->c.at->kind.c_str()),
                     a->c.at, "the other call");
            return;
        }
    }
    for (const fiber *d : w.lanes) {
        if (exchange && (mask >> d->lane & 1) && d->wait == DONE &&
            d->met > a->came && d->c.op == op && d->c.mask != mask) {
            emu_find(EMU_LANES, a->c.at,
                     emu_text("exchange: lane %d of warp %d waits at this %s "
                              "for lane %d, which its mask 0x%llx names, but "
                              "that one executes another with mask 0x%llx",
                              a->lane, a->warp, a->c.at->kind.c_str(),
                              d->lane, (unsigned long long)mask,
                              (unsigned long long)d->c.mask),
                     d->c.at, "the other call");
            return;
        }
    }
}

/* All lanes of a collective have arrived: computes results, releases them. */
void emu_complete(emulator *e, warp &w, uint64_t lanes) {
    std::vector<fiber *> in;
    uint64_t ballot = 0;
    for (size_t l = 0; l < w.lanes.size(); l++) {
        if (lanes >> l & 1) {
            in.push_back(w.lanes[l]);
            ballot |= (uint64_t)(w.lanes[l]->c.pred != 0) << l;
        }
    }
    const collective c = in[0]->c;
    if (((c.op >= OP_LDMATRIX && c.op <= OP_MOVMATRIX) ||
         c.op == OP_PRODUCT) && !whole_warp(w, lanes, c.at)) {
        return;
    }
    if (c.op == OP_LDMATRIX || c.op == OP_STMATRIX) {
        move_matrices(e, w, c);
    } else if (c.op == OP_MOVMATRIX) {
        move_fragment(w);
    } else if (c.op == OP_AMD || c.op == OP_PRODUCT) {
        c.perform(w, lanes);
    } else if (c.op == OP_SYNCWARP) {
        emu_sync_lanes(w, in, emu_live_mask(w));
    } else if (c.op == OP_ARRIVE || c.op == OP_ARRIVE_RELAXED) {
        emu_arrive(e, in);
    } else if (c.op == OP_ARRIVE_NAMED) {
        emu_arrive_named(e, in);
    } else if (c.op == OP_MATCH || c.op == OP_REDUCE) {
        reduce_lanes(in, c);
    }
    check_places(e, w, in);
    for (fiber *f : in) {
        if (c.op == OP_SHFL) {
            shuffle_lane(w, f, lanes);
        }
        f->met = e->meetings;
        f->c.ballot = ballot;
        f->wait = WAIT_NONE;
    }
    if (lanes == emu_live_mask(w)) {
        emu_flush(in[0]->warp);
    }
}

/* Waits until the other lanes of the mask in f->c have arrived. */
void emu_collect(fiber *f) {
    int n = emu_self_->t.lanes;
    uint64_t full = n == 64 ? ~(uint64_t)0 : 0xffffffffu;
    emu_settle(f);
    f->c.mask = f->c.mask == 0xffffffffu ? full : f->c.mask & full;
    if (!(f->c.mask >> f->lane & 1)) {
        emu_find(EMU_LANES, f->c.at,
                 emu_text("mask: lane %d of warp %d is not in its own lane "
                          "mask 0x%llx", f->lane, f->warp,
                          (unsigned long long)f->c.mask));
        emu_abandon();
    }
    f->came = ++emu_self_->meetings;
    f->wait = WAIT_WARP;
    emu_park();
}

/* ==== Calls of a kernel ================================================= */

static fiber *enter(uint64_t pc, const char *kind) {
    fiber *f = emu_self_->cur;
    site *s = emu_site_at(f, pc, 0, kind, SPACE_NONE, 0, 0);
    emu_count(s, f, true, 0);
    emu_self_->event++;
    f->c.at = s;
    return f;
}

static void wait_for_block(fiber *f, unsigned id, unsigned count) {
    f->bar_id = id;
    f->bar_count = count;
    f->bar_aligned = true;
    f->wait = WAIT_BLOCK;
    emu_park();
    f->at_scope = false;
}

extern "C" void emu_bar(unsigned id, unsigned count) {
    fiber *f = enter(EMU_PC, "bar");
    emu_settle(f);
    wait_for_block(f, id & 15, count);
}

extern "C" unsigned emu_bar_count(int p) {
    fiber *f = enter(EMU_PC, "bar.red");
    emu_settle(f);
    f->c.pred = p;
    wait_for_block(f, 0, 0);
    return f->bar_total;
}

extern "C" void emu_fence(void) {
    fiber *f = emu_self_ ? emu_self_->cur : nullptr;
    if (f) {
        emu_settle(f);
        emu_order(f, true);
        emu_fence_lanes(f);
    }
}

extern "C" void emu_fence_block(void) {
    fiber *f = emu_self_ ? emu_self_->cur : nullptr;
    if (f) {
        emu_settle(f);
        emu_fence_lanes(f);
    }
}

/* Lets the other threads run, then goes on. */
extern "C" void emu_yield(void) {
    fiber *f = emu_self_ ? emu_self_->cur : nullptr;
    if (f) {
        emu_settle(f);
        f->yields = true;
        emu_park();
    }
}

extern "C" void emu_syncwarp(uint64_t mask) {
    fiber *f = enter(EMU_PC, "syncwarp");
    f->c.op = OP_SYNCWARP;
    f->c.mask = mask;
    emu_collect(f);
}

extern "C" uint32_t emu_shfl(int mode, uint32_t a, uint32_t b, uint32_t width,
                             uint64_t mask) {
    fiber *f = enter(EMU_PC, "shfl");
    unsigned lanes = (unsigned)emu_self_->t.lanes;
    width = width ? width : lanes;
    f->c.op = OP_SHFL;
    f->c.mode = mode;
    f->c.mask = mask;
    f->c.in[0] = f->c.out[0] = a;
    f->c.b = mode == 0 ? b & (width - 1) : b;
    f->c.seg = lanes - width;
    f->c.clamp = mode == 1 ? 0 : lanes - 1;
    emu_collect(f);
    return f->c.out[0];
}

extern "C" uint64_t emu_ballot(int p, uint64_t mask) {
    fiber *f = enter(EMU_PC, "vote");
    f->c.op = OP_VOTE;
    f->c.mask = mask;
    f->c.pred = p;
    emu_collect(f);
    return f->c.ballot;
}

extern "C" uint64_t emu_match(uint64_t value, uint64_t mask) {
    fiber *f = enter(EMU_PC, "match");
    f->c.op = OP_MATCH;
    f->c.mask = mask;
    f->c.in[0] = (uint32_t)value;
    f->c.in[1] = (uint32_t)(value >> 32);
    emu_collect(f);
    return (uint64_t)f->c.out[1] << 32 | f->c.out[0];
}

extern "C" uint32_t emu_reduce(int mode, uint32_t x, uint64_t mask) {
    fiber *f = enter(EMU_PC, "redux");
    f->c.op = OP_REDUCE;
    f->c.mode = mode;
    f->c.mask = mask;
    f->c.in[0] = x;
    emu_collect(f);
    return f->c.out[0];
}

static void see_active(warp &w, uint64_t active) {
    for (fiber *f : w.lanes) {
        if (active >> f->lane & 1) {
            f->c.out[0] = (uint32_t)active;
            f->c.out[1] = (uint32_t)(active >> 32);
        }
    }
}

extern "C" uint64_t emu_activemask(void) {
    fiber *f = enter(EMU_PC, "activemask");
    f->c.op = OP_AMD; /* does not wait */
    f->c.mask = 0xffffffffu;
    f->c.perform = see_active;
    emu_collect(f);
    return (uint64_t)f->c.out[1] << 32 | f->c.out[0];
}
