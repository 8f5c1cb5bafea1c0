/* emu_race.cc - finds races in shared memory, and reads of bytes that nothing
 * has written.
 *
 * Shadow memory has, for each byte, the last write, the last plain write, and
 * the last reads and atomic updates of each warp. An access races with an
 * earlier one if the clocks that its warp knows do not order the two.
 *
 * Sections: shadow memory - reports - one byte - the end of a store.
 */
#include "emu_mem.h"

#include <cstdlib>
#include <cstring>

/* ==== Shadow memory ===================================================== */

/* Prepares shadow memory for the next launch. Clocks never repeat, so old
 * entries are harmless and nothing is cleared between blocks. */
void emu_memory_begin(void) {
    emulator *e = emu_self_;
    size_t threads = (size_t)e->block.x * e->block.y * e->block.z;
    size_t lanes = (size_t)e->t.lanes, warps = (threads + lanes - 1) / lanes;
    size_t bytes = (e->dyn_shadow + e->dyn_size + 15) & ~(size_t)15;
    size_t ranks = (size_t)e->ranks;
    warps = (warps + 1 + (warps + 3) / 4) * ranks; /* with the TMA units and
                                                      tensor cores */
    if (e->reads && bytes <= e->shadow_bytes && warps == e->shadow_warps &&
        e->ranks == e->shadow_ranks) {
        return;
    }
    free(e->writes);
    free(e->reads);
    free(e->updates);
    free(e->under);
    free(e->same);
    e->under = nullptr;
    e->same = nullptr;
    e->agreed = false;
    e->writes = (written *)calloc(bytes * ranks, sizeof(written));
    e->reads = (readers *)calloc(bytes * ranks * warps, sizeof(readers));
    e->updates = (readers *)calloc(bytes * ranks * warps, sizeof(readers));
    e->updated = false;
    e->shadow_bytes = bytes;
    e->shadow_warps = warps;
    e->shadow_ranks = e->ranks;
}

/* ==== Reports =========================================================== */

/* Returns the block of a warp, TMA unit or tensor core. */
static int block_of(int warp) {
    const emulator *e = emu_self_;
    const int all = e->each * e->ranks, beside = warp - all;
    return beside < 0           ? warp / e->each
           : beside < e->ranks  ? beside
                                : (beside - e->ranks) / ((e->each + 3) / 4);
}

/* "warp 2", or "warp 2 of block 1 of the cluster". */
static std::string warp_name(int warp) {
    const emulator *e = emu_self_;
    const int all = e->each * e->ranks, beside = warp - all;
    return (beside < 0 ? emu_text("warp %d", warp % e->each)
            : beside < e->ranks ? "the TMA unit"
                                : "the tensor core") +
           (e->ranks > 1 ? emu_text(" of block %d of the cluster",
                                    block_of(warp)) : "");
}

/* "thread 5", or the name of the TMA unit or tensor core. */
std::string emu_actor_name(const fiber *f) {
    return f->warp < emu_self_->each * emu_self_->ranks
               ? emu_text("thread %d", f->tid) : warp_name(f->warp);
}

static void report_warps(fiber *f, site *at, uint64_t o, const char *verb,
                         int warp, const char *did, unsigned other) {
    emu_race(at, emu_self_->sites[other],
             block_of(warp) == block_of(f->warp) ? BARRIER_BLOCK
                                                 : BARRIER_CLUSTER,
             emu_text("race: %s %s %s, which %s %s",
                      warp_name(f->warp).c_str(), verb,
                      emu_shared_name(o).c_str(), warp_name(warp).c_str(), did),
             "the other access",
             emu_same_number(f, warp));
}

static void report_lanes(fiber *f, site *at, uint64_t o, const char *verb,
                         int lane, const char *did, unsigned other) {
    emu_race(at, emu_self_->sites[other], BARRIER_WARP,
             emu_text("race: lane %d of %s %s %s, which lane %d %s", f->lane,
                      warp_name(f->warp).c_str(), verb,
                      emu_shared_name(o).c_str(), lane, did),
             "the other access");
}

/* Returns whether two memory layouts agree on the elements that both contain.
 * The names of the coordinates do not matter. */
static bool agree(const emu_memory &a, const emu_memory &b) {
    static const unsigned orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    bool any = !a.n || !b.n;
    unsigned dims = 0;
    for (const emu_memory *m : {&a, &b}) {
        for (unsigned x = 0; x < m->n; x++) {
            dims = std::max(dims, m->dim[x] + 1);
        }
    }
    for (const auto &order : orders) {
        bool same = dims > 2 || order[2] == 2;
        for (unsigned x = 0; x < a.n; x++) {
            for (unsigned y = 0; y < b.n; y++) {
                const bool one = a.bit[x] == b.bit[y] &&
                                 (a.dim[x] > 2 ? a.dim[x] : order[a.dim[x]]) ==
                                     b.dim[y];
                same = same && (!one || a.to[x] == b.to[y]);
            }
        }
        any = any || same;
    }
    return any;
}

/* A half reads what another half wrote: finds different memory layouts. */
void emu_check_halves(const emulator *e, const fiber *f, uint64_t o,
                      site *at) {
    const written &w = e->writes[o];
    const emu_memory *by = w.block == e->block_id ? e->sites[w.at]->half
                                                  : nullptr;
    if (by && by != f->half && !agree(*by, *f->half)) {
        emu_find(EMU_LAUNCH, at,
                 emu_text("halves: %s was written with another memory layout "
                          "than it is read with: make both plans with one "
                          "layout, by LL_PLAN_THROUGH",
                          emu_shared_name(o).c_str()),
                 e->sites[w.at], "the half that wrote");
    }
}

static void report_unwritten(fiber *f, uint64_t o, site *at,
                             const char *verb) {
    emu_self_->half_unwritten = emu_self_->half_unwritten || f->half;
    emu_find(EMU_UNINIT, at,
             emu_text("uninitialised: thread %d %s %s, which no thread of "
                      "block %llu has written", f->tid, verb,
                      emu_shared_name(o).c_str(),
                      (unsigned long long)f->pub.block.x));
}

/* ==== One byte ========================================================== */

static readers *row_of(readers *all, uint64_t o) {
    return all + o * emu_self_->shadow_warps;
}

/* Finds earlier reads of a byte that are not ordered before this write. A read
 * that was only too early does not count as uninitialised. Volatile loads do
 * not race with a store of a flag; with another volatile store, of byte i, they
 * do if it changes the byte. */
static void write_after_read(emulator *e, fiber *f, uint64_t o, site *at,
                             bool flag, int i = -1) {
    const warp &own = e->warps[(size_t)f->warp];
    const uint64_t *seen = own.seen.data();
    const readers *all = row_of(e->reads, o);
    for (size_t x = 0, n = e->warps.size(); x < n; x++) {
        const readers &r = all[x];
        const bool mine = (int)x == f->warp;
        if (r.clock < seen[x] && !(mine && own.split)) {
            continue; /* nearly always */
        }
        const bool race = r.clock && !(flag && r.strong) &&
                          (mine ? lanes_race(own, f, r.lane, r.many, r.clock)
                                : r.clock > seen[x]);
        if (race && e->writes[o].block != e->block_id) {
            emu_forget(EMU_UNINIT, e->sites[r.at]);
        }
        if (race && flag && r.lane < e->warps[x].lanes.size()) {
            /* it may compare and swap later */
            emu_guess(e->warps[x].lanes[r.lane], o / 4 * 2);
        }
        if (race && r.strong && f->strong && i >= 0) {
            f->p.polled |= 1u << i;
            f->p.poll = r.at;
            f->p.poll_lane = r.lane;
            f->p.poll_warp = (int)x;
        } else if (race && !mine) {
            report_warps(f, at, o, "writes", (int)x, "read", r.at);
        } else if (race) {
            report_lanes(f, at, o, "writes", r.lane, "read", r.at);
        }
        emu_guess(nullptr, 0);
    }
}

/* Adds an access of a warp to a byte. */
static void note(readers &r, uint64_t now, const fiber *f, const site *at) {
    if (r.clock != now) {
        r = {now, at->number, (unsigned char)f->lane, false, f->strong};
        return;
    }
    r.many = r.many || r.lane != f->lane;
    r.strong = r.strong && f->strong;
}

/* Returns whether both warps store this byte as a flag: after a fence. Who
 * updates it sees what was stored before. */
static bool is_flag(const emulator *e, const fiber *f, uint64_t o, size_t x) {
    auto it = e->flags.find(o / 4 * 2);
    return it != e->flags.end() && it->second[x] &&
           it->second[(size_t)f->warp];
}

/* Finds atomic updates of a byte that are not ordered before this access.
 * e->writes also has the last one; here are the other warps' updates. */
static void after_updates(emulator *e, fiber *f, uint64_t o, site *at,
                          const char *verb) {
    const std::vector<uint64_t> &seen = e->warps[(size_t)f->warp].seen;
    for (size_t x = 0; e->updated && x < e->warps.size(); x++) {
        const readers &r = row_of(e->updates, o)[x];
        if ((int)x != f->warp && r.clock > seen[x] && !is_flag(e, f, o, x)) {
            report_warps(f, at, o, verb, (int)x, "updated", r.at);
            return;
        }
    }
}

/* Several warps wrote one value: finds those that are not ordered before f. */
static const readers *after_same(const emulator *e, const fiber *f, uint64_t o,
                                 int *by) {
    const std::vector<uint64_t> &seen = e->warps[(size_t)f->warp].seen;
    for (size_t x = 0; e->agreed && x < e->warps.size(); x++) {
        const readers &r = row_of(e->same, o)[x];
        if ((int)x != f->warp && r.clock > seen[x]) {
            *by = (int)x;
            return &r;
        }
    }
    return nullptr;
}

/* Returns the last plain write of a byte, or null. Updates may hide it. */
static const written *plain_write(const emulator *e, uint64_t o) {
    const written *w = &e->writes[o];
    w = w->block == e->block_id && w->atomic && e->under ? &e->under[o] : w;
    return w->block == e->block_id && !w->atomic ? w : nullptr;
}

/* Finds a plain write of a byte that is not ordered before this access. */
static void after_plain(emulator *e, fiber *f, uint64_t o, site *at,
                        const char *verb) {
    const warp &own = e->warps[(size_t)f->warp];
    const written *w = plain_write(e, o);
    int by = 0;
    const readers *other = after_same(e, f, o, &by);
    if (w && w->warp != f->warp && w->clock > own.seen[(size_t)w->warp]) {
        report_warps(f, at, o, verb, w->warp, "wrote", w->at);
    } else if (w && w->warp == f->warp &&
               lanes_race(own, f, w->lane, w->many, w->clock)) {
        report_lanes(f, at, o, verb, w->lane, "wrote", w->at);
    } else if (other && *verb == 'u') {
        report_warps(f, at, o, verb, by, "wrote", other->at);
    }
}

/* An atomic update of a byte, or a store of a flag, races only with plain
 * accesses. */
void emu_update_byte(emulator *e, fiber *f, uint64_t o, site *at) {
    written &w = e->writes[o];
    const uint64_t now = e->warps[(size_t)f->warp].seen[(size_t)f->warp];
    const bool mine = w.block == e->block_id && w.warp == f->warp;
    if (w.block != e->block_id && !f->strong) {
        report_unwritten(f, o, at, "updates");
    }
    after_plain(e, f, o, at, "updates");
    if (f->compares) {
        readers &r = row_of(e->reads, o)[f->warp];
        r.clock = r.lane == f->lane ? 0 : r.clock;
        emu_guessed(f, o / 4 * 2);
    }
    write_after_read(e, f, o, at, true);
    const bool many = mine && w.atomic && w.clock == now &&
                      (w.lane != f->lane || w.many);
    if (!e->under) {
        e->under = (written *)calloc(e->shadow_bytes * (size_t)e->ranks,
                                     sizeof(written));
    }
    if (!w.atomic || w.block != e->block_id) {
        e->under[o] = w;
    }
    e->updated = true;
    note(row_of(e->updates, o)[f->warp], now, f, at);
    w = {e->block_id, now, at->number, (short)f->warp, (unsigned char)f->lane,
         many, true, false, f->strong, 0, f->fences};
}

void emu_read_byte(emulator *e, fiber *f, uint64_t o, site *at) {
    const written &w = e->writes[o];
    const warp &own = e->warps[(size_t)f->warp];
    const uint64_t now = own.seen[(size_t)f->warp];
    const bool polls = w.strong && f->strong &&
                       (f->polls || (w.warp == f->warp && w.lane == f->lane));
    if (w.block != e->block_id) {
        report_unwritten(f, o, at, "reads");
    } else if (w.atomic) {
        if (f->strong) { /* polls */
            note(row_of(e->reads, o)[f->warp], now, f, at);
            return;
        }
        if (w.warp == f->warp && lanes_race(own, f, w.lane, w.many, w.clock)) {
            emu_guess(f, o / 4 * 2);
            report_lanes(f, at, o, "reads", w.lane, "updated", w.at);
            emu_guess(nullptr, 0);
        }
        after_plain(e, f, o, at, "reads");
    } else if (w.warp != f->warp) {
        if (w.clock > own.seen[(size_t)w.warp] && !polls) {
            report_warps(f, at, o, "reads", w.warp, "wrote", w.at);
        }
    } else if (lanes_race(own, f, w.lane, w.many, w.clock) && !polls) {
        report_lanes(f, at, o, "reads", w.lane, "wrote", w.at);
    }
    if (e->updated) {
        emu_guess(f, o / 4 * 2);
        after_updates(e, f, o, at, "reads");
        emu_guess(nullptr, 0);
    }
    note(row_of(e->reads, o)[f->warp], now, f, at);
}

/* Keeps the plain writes of a byte by two warps, which may be of one value. */
static void note_same(emulator *e, const fiber *f, uint64_t o, uint64_t now,
                      const site *at) {
    const written &w = e->writes[o];
    const size_t n = e->shadow_bytes * (size_t)e->ranks * e->shadow_warps;
    e->same = e->same ? e->same : (readers *)calloc(n, sizeof(readers));
    e->agreed = true;
    if (!w.atomic) {
        row_of(e->same, o)[w.warp] = {w.clock, w.at, w.lane, w.many, false};
    }
    note(row_of(e->same, o)[f->warp], now, f, at);
}

/* Marks a byte whose new value must equal that of another write. */
static void must_agree(fiber *f, int i, int warp, int lane, unsigned at) {
    f->p.shared_with |= 1u << i;
    f->p.other = at;
    f->p.warp = warp;
    f->p.lane = lane;
}

void emu_write_byte(emulator *e, fiber *f, uint64_t o, int i, site *at,
                    bool comes) {
    written &w = e->writes[o];
    const warp &own = e->warps[(size_t)f->warp];
    const uint64_t now = own.seen[(size_t)f->warp];
    const bool here = w.block == e->block_id;
    const bool others = here && w.warp != f->warp &&
                        w.clock > own.seen[(size_t)w.warp];
    const bool lanes = here && w.warp == f->warp &&
                       lanes_race(own, f, w.lane, w.many, w.clock);
    int by = 0;
    const readers *same = others ? nullptr : after_same(e, f, o, &by);
    if (others && !(w.atomic && is_flag(e, f, o, (size_t)w.warp))) {
        if (comes && !w.atomic &&
            (!f->scope || emu_same_number(f, w.warp).empty())) {
            must_agree(f, i, w.warp, w.lane, w.at);
            note_same(e, f, o, now, at);
        } else {
            report_warps(f, at, o, "writes", w.warp,
                         w.atomic ? "updated" : "wrote", w.at);
        }
    } else if (lanes && w.atomic) {
        report_lanes(f, at, o, "writes", w.lane, "updated", w.at);
    } else if (lanes) {
        must_agree(f, i, f->warp, w.lane, w.at);
    } else if (same) {
        must_agree(f, i, by, same->lane, same->at);
    }
    if (same) {
        note_same(e, f, o, now, at);
    }
    if (w.atomic && here) {
        after_plain(e, f, o, at, "writes");
    }
    write_after_read(e, f, o, at, false, comes ? i : -1);
    after_updates(e, f, o, at, "writes");
    w = {e->block_id, now, at->number, (short)f->warp, (unsigned char)f->lane,
         lanes && !w.atomic, false, f->warp >= e->each * e->ranks, f->strong,
         f->swizzle, f->fences};
}

/* ==== The end of a store ================================================ */

/* A store has changed a byte that another write, or a volatile load, used. */
static void report_values(fiber *f, uint64_t o, bool written) {
    const pending &p = f->p;
    if (!written && p.poll_warp != f->warp) {
        report_warps(f, p.at, o, "writes", p.poll_warp, "read", p.poll);
        return;
    }
    if (!written) {
        report_lanes(f, p.at, o, "writes", p.poll_lane, "read", p.poll);
        return;
    }
    if (p.warp != f->warp) {
        report_warps(f, p.at, o, "writes", p.warp, "wrote", p.other);
        return;
    }
    emu_race(p.at, emu_self_->sites[p.other], BARRIER_WARP,
             emu_text("race: lanes %d and %d of %s write different values to "
                      "%s", p.lane, f->lane, warp_name(f->warp).c_str(),
                      emu_shared_name(o).c_str()),
             "the other write");
}

/* The same before a copy that is on its way: only against other warps. */
void emu_compare_warps(fiber *f, const unsigned char *now) {
    const pending &p = f->p;
    for (int i = 0; i < p.size && p.shared_with && p.warp != f->warp; i++) {
        if ((p.shared_with >> i & 1) && now[i] != p.old[i]) {
            report_values(f, p.offset + (uint64_t)i, true);
            break;
        }
    }
}

/* Ends a store: its bytes are in memory now and can be compared. */
void emu_settle(fiber *f) {
    pending &p = f->p;
    emu_tell_beyond(f);
    if (!p.size) {
        return;
    }
    if (p.is_global) {
        emu_settle_global(f);
        return;
    }
    const unsigned char *now = (const unsigned char *)p.addr;
    const uint32_t bits = p.shared_with | p.polled;
    for (int i = 0; bits >> i && i < p.size; i++) {
        if (!(bits >> i & 1) || now[i] == p.old[i]) {
            continue;
        }
        report_values(f, p.offset + (uint64_t)i, p.shared_with >> i & 1);
        break;
    }
    p.size = 0;
}
