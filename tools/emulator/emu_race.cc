/* emu_race.cc - finds races in shared and global memory, and reads of bytes
 * that nothing has written.
 *
 * Shadow memory has the last write of each byte of shared memory, and the last
 * reads of each warp. An access races with an earlier one if the clocks that
 * its warp knows do not order the two.
 *
 * Sections: shadow memory - reports - one byte of shared memory - the end of a
 * store - global memory.
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

/* ==== One byte of shared memory ========================================= */

/* Finds earlier reads of a byte that are not ordered before this write. A read
 * that was only too early does not count as uninitialised. */
static void write_after_read(emulator *e, fiber *f, uint64_t o, site *at) {
    const uint64_t *seen = e->warps[(size_t)f->warp].seen.data();
    const readers *all = &e->reads[o * e->shadow_warps];
    for (size_t x = 0, n = e->warps.size(); x < n; x++) {
        const readers &r = all[x];
        if (r.clock < seen[x]) {
            continue; /* nearly always */
        }
        bool race = r.clock > seen[x] ||
                    ((int)x == f->warp && r.clock == seen[x] &&
                     (r.lane != f->lane || r.many));
        if (race && e->writes[o].block != e->block_id) {
            emu_forget(EMU_UNINIT, e->sites[r.at]);
        }
        if ((int)x != f->warp && race) {
            report_warps(f, at, o, "writes", (int)x, "read", r.at);
        } else if (race) {
            report_lanes(f, at, o, "writes", r.lane, "read", r.at);
        }
    }
}

/* Adds an access of a warp to a byte. */
static void note(readers &r, uint64_t now, const fiber *f, const site *at) {
    if (r.clock != now) {
        r = {now, at->number, (unsigned char)f->lane, false};
    } else if (r.lane != f->lane) {
        r.many = true;
    }
}

/* Finds atomic updates of a byte that are not ordered before this access.
 * e->writes also has the last one; here are the other warps' writes. */
static void after_updates(emulator *e, fiber *f, uint64_t o, site *at,
                          const char *verb) {
    const std::vector<uint64_t> &seen = e->warps[(size_t)f->warp].seen;
    for (size_t x = 0; e->updated && x < e->warps.size(); x++) {
        const readers &r = e->updates[o * e->shadow_warps + x];
        if ((int)x != f->warp && r.clock > seen[x]) {
            report_warps(f, at, o, verb, (int)x, "updated", r.at);
            return;
        }
    }
}

/* An atomic update of a byte races only with plain accesses. */
void emu_update_byte(emulator *e, fiber *f, uint64_t o, site *at) {
    written &w = e->writes[o];
    const std::vector<uint64_t> &seen = e->warps[(size_t)f->warp].seen;
    uint64_t now = seen[(size_t)f->warp];
    bool mine = w.block == e->block_id && w.warp == f->warp;
    if (w.block != e->block_id) {
        report_unwritten(f, o, at, "updates");
    } else if (!w.atomic && !mine && w.clock > seen[(size_t)w.warp]) {
        report_warps(f, at, o, "updates", w.warp, "wrote", w.at);
    } else if (!w.atomic && mine && w.clock == now &&
               (w.lane != f->lane || w.many)) {
        report_lanes(f, at, o, "updates", w.lane, "wrote", w.at);
    }
    write_after_read(e, f, o, at);
    bool many = mine && w.atomic && w.clock == now &&
                (w.lane != f->lane || w.many);
    e->updated = true;
    note(e->updates[o * e->shadow_warps + (size_t)f->warp], now, f, at);
    w = {e->block_id, now, at->number, (short)f->warp, (unsigned char)f->lane,
         many, true, false, 0, f->fences};
}

void emu_read_byte(emulator *e, fiber *f, uint64_t o, site *at) {
    const written &w = e->writes[o];
    const std::vector<uint64_t> &seen = e->warps[(size_t)f->warp].seen;
    uint64_t now = seen[(size_t)f->warp];
    if (w.block != e->block_id) {
        report_unwritten(f, o, at, "reads");
    } else if (w.warp != f->warp) {
        if (w.clock > seen[(size_t)w.warp]) {
            report_warps(f, at, o, "reads", w.warp, "wrote", w.at);
        }
    } else if (w.clock == now && (w.lane != f->lane || w.many)) {
        report_lanes(f, at, o, "reads", w.lane, "wrote", w.at);
    }
    after_updates(e, f, o, at, "reads");
    note(e->reads[o * e->shadow_warps + (size_t)f->warp], now, f, at);
}

void emu_write_byte(emulator *e, fiber *f, uint64_t o, int i, site *at) {
    written &w = e->writes[o];
    const std::vector<uint64_t> &seen = e->warps[(size_t)f->warp].seen;
    uint64_t now = seen[(size_t)f->warp];
    bool again = false;
    if (w.block == e->block_id && w.warp != f->warp &&
        w.clock > seen[(size_t)w.warp]) {
        report_warps(f, at, o, "writes", w.warp, "wrote", w.at);
    }
    if (w.block == e->block_id && w.warp == f->warp && w.clock == now &&
        (w.lane != f->lane || w.many)) {
        again = true;
        f->p.shared_with |= 1u << i;
        f->p.other = w.at;
        f->p.lane = w.lane;
    }
    write_after_read(e, f, o, at);
    after_updates(e, f, o, at, "writes");
    w = {e->block_id, now, at->number, (short)f->warp, (unsigned char)f->lane,
         again, false, f->warp >= e->each * e->ranks, f->swizzle, f->fences};
}

/* ==== The end of a store ================================================ */

static void settle_global(fiber *f);

/* Ends a store: its bytes are in memory now and can be compared. */
void emu_settle(fiber *f) {
    pending &p = f->p;
    emu_tell_beyond(f);
    if (!p.size) {
        return;
    }
    if (p.is_global) {
        settle_global(f);
        return;
    }
    const unsigned char *now = (const unsigned char *)p.addr;
    for (int i = 0; i < p.size && p.shared_with; i++) {
        if ((p.shared_with >> i & 1) && now[i] != p.old[i]) {
            emu_race(p.at, emu_self_->sites[p.other], BARRIER_WARP,
                     emu_text("race: lanes %d and %d of %s write different "
                              "values to %s", p.lane, f->lane,
                              warp_name(f->warp).c_str(),
                              emu_shared_name(p.offset + (uint64_t)i).c_str()),
                     "the other write");
            break;
        }
    }
    p.size = 0;
}

/* ==== Global memory ===================================================== */

/* Fences and atomic operations order blocks, but are not followed one by one. A
 * store with a fence or atomic operation after it counts as ordered before the
 * accesses of a block that had one before them. A block may read data of
 * another block that has a fence after the write. */
void emu_order(fiber *f, bool fence) {
    emulator *e = emu_self_;
    const size_t block = e->cluster_index * (size_t)e->ranks + (size_t)f->rank;
    e->event++;
    e->released[block] = e->event;
    e->fenced[block] = fence ? e->event : e->fenced[block];
    e->acquired[(size_t)f->rank] = true;
}

static bool is_ordered(const emulator *e, const fiber *f, const global_mark &m,
                       bool read) {
    const std::vector<uint64_t> &seen = e->warps[(size_t)f->warp].seen;
    const uint64_t told = (read ? e->fenced : e->released)[m.block];
    if (told > m.event && e->acquired[(size_t)f->rank]) {
        return true;
    }
    return m.cluster == e->block_id &&
           (m.warp != f->warp   ? m.clock <= seen[(size_t)m.warp]
            : m.lane == f->lane ? true
                                : m.clock < seen[(size_t)f->warp]);
}

/* Marks a plain store. Returns the bytes that another store wrote and nothing
 * orders; one such store is *other. */
static uint32_t mark_store(emulator *e, const fiber *f, buffer *b, size_t o,
                           int size, const site *at, uint32_t *other) {
    uint32_t races = 0;
    const uint32_t now = e->first_mark + (uint32_t)e->marks.size();
    b->by = b->by ? b->by : (uint32_t *)calloc(b->size, sizeof *b->by);
    for (int i = 0; i < size; i++) {
        uint32_t &by = b->by[o + (size_t)i];
        if (by >= e->first_mark && by < now &&
            !is_ordered(e, f, e->marks[by - e->first_mark], false)) {
            races |= 1u << i;
            *other = by;
        }
        by = now;
    }
    e->marks.push_back({e->block_id,
                        e->warps[(size_t)f->warp].seen[(size_t)f->warp],
                        e->event,
                        e->cluster_index * (unsigned)e->ranks +
                            (unsigned)f->rank,
                        at->number, (short)f->warp, (unsigned char)f->lane});
    return races;
}

static void global_race(fiber *f, uint64_t addr, uint32_t other, site *at,
                        bool read = false) {
    emulator *e = emu_self_;
    const global_mark &m = e->marks[other - e->first_mark];
    global_mark own = m;
    own.block = e->cluster_index * (unsigned)e->ranks + (unsigned)f->rank;
    own.warp = (short)f->warp;
    own.lane = (unsigned char)f->lane;
    const bool same = own.block == m.block;
    const buffer *b = buffer_near(e, addr);
    if (read) {
        emu_find(EMU_RACE, at,
                 emu_text("race: thread %s reads byte %llu of a global buffer "
                          "of %zu bytes, which thread %s wrote, and %s",
                          emu_writer(own, true).c_str(),
                          (unsigned long long)(addr - (uint64_t)b->start),
                          b->size, emu_writer(m, true).c_str(),
                          e->released[m.block] > m.event
                              ? "no __threadfence() follows the write"
                              : "nothing orders the two"),
                 e->sites[m.at], "the write");
        return;
    }
    emu_find(EMU_RACE, at,
             emu_text("race: thread%s %s and %s of block %s write different "
                      "values to byte %llu of a global buffer of %zu bytes, "
                      "and nothing orders them", same ? "s" : "",
                      emu_writer(m, !same).c_str(),
                      emu_writer(own, false).c_str(),
                      emu_block(own.block).c_str(),
                      (unsigned long long)(addr - (uint64_t)b->start), b->size),
             e->sites[m.at], "the other write",
             "tiles overlap, or rows of one tile do, because its leading "
             "dimension is smaller than its number of columns");
}

/* A store is done: finds bytes of another store that it changes. */
static void settle_global(fiber *f) {
    pending &p = f->p;
    const unsigned char *now = (const unsigned char *)p.addr;
    for (int i = 0; i < p.size; i++) {
        if ((p.shared_with >> i & 1) && now[i] != p.old[i]) {
            global_race(f, p.addr + (uint64_t)i, p.other, p.at);
            break;
        }
    }
    p.size = 0;
    p.is_global = false;
}

void emu_plain_store(emulator *e, fiber *f, buffer *b, uint64_t addr,
                     int size, site *at) {
    uint32_t other = 0;
    const uint32_t races = mark_store(e, f, b, addr - (uint64_t)b->start, size,
                                      at, &other);
    if (races) {
        f->p.shared_with = races;
        f->p.other = other;
        f->p.is_global = true;
        f->p.size = size;
        f->p.addr = addr;
        f->p.at = at;
        memcpy(f->p.old, (void *)addr, (size_t)size);
    }
}

void emu_global_store(fiber *f, uint64_t addr, unsigned size, const void *now,
                      site *at) {
    emulator *e = emu_self_;
    buffer *b = buffer_near(e, addr);
    uint32_t other = 0;
    for (unsigned k = 0; k < size; k += 16) {
        const int n = (int)std::min(16u, size - k);
        const uint32_t races = mark_store(
            e, f, b, addr + k - (uint64_t)b->start, n, at, &other);
        for (int i = 0; i < n; i++) {
            const char *from = (const char *)now + k + i;
            const char *to = (const char *)addr + k + i;
            if ((races >> i & 1) && *from != *to) {
                global_race(f, addr + k + (uint64_t)i, other, at);
                break;
            }
        }
    }
}

void emu_access_global(emulator *e, fiber *f, uint64_t addr, int size,
                       int write, site *at, bool atomic) {
    buffer *b = buffer_near(e, addr);
    size_t o = (size_t)(addr - (uint64_t)b->start);
    for (int i = 0; i < size; i++) {
        unsigned char &v = b->valid[o + (size_t)i];
        const uint32_t by = b->by && !write ? b->by[o + (size_t)i] : 0;
        if (by >= e->first_mark && !f->strong &&
            !is_ordered(e, f, e->marks[by - e->first_mark], true)) {
            global_race(f, addr + (uint64_t)i, by, at, true);
        }
        if ((!write || atomic) && !v) {
            emu_find(EMU_UNINIT, at,
                     emu_text("uninitialised: thread %d reads byte %zu of a "
                              "global buffer of %zu bytes, which nothing has "
                              "written", f->tid, o + (size_t)i, b->size));
        }
        v = (unsigned char)(v | write);
    }
}
