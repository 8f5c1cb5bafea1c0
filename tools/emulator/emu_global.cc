/* emu_global.cc - finds races in global memory, and reads of bytes that nothing
 * has written.
 *
 * Each byte has the mark of its last plain store. Each 4 bytes have the marks of
 * the last plain loads and atomic updates, by two different warps: an update
 * races with plain accesses, and a plain load or store with updates.
 *
 * Sections: order - reports - updates and loads - stores - accesses.
 */
#include "emu_mem.h"

#include <cstdlib>
#include <cstring>

/* ==== Order ============================================================= */

/* Prepares the marks for a launch. */
void emu_global_begin(void) {
    emulator *e = emu_self_;
    e->first_mark += (uint32_t)e->marks.size();
    e->marks.clear();
    e->read_marks = 0;
    if (e->first_mark < MANY_LANES / 2) {
        return;
    }
    for (auto &one : e->buffers) { /* the numbers begin again */
        buffer &b = one.second;
        free(b.by);
        free(b.uses);
        b.by = nullptr;
        b.uses = nullptr;
    }
    for (site *s : e->sites) {
        s->mark = 0;
    }
    e->first_mark = 1;
}

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

/* Returns whether the block knows what another block did before that event. */
static bool told(const emulator *e, const fiber *f, const global_mark &m,
                 bool read) {
    const uint64_t when = (read ? e->fenced : e->released)[m.block];
    return m.event != NOT_YET && when > m.event && e->acquired[(size_t)f->rank];
}

/* Returns whether the clocks order an access of f's cluster before f. */
static bool is_before(const emulator *e, const fiber *f, const global_mark &m,
                      bool many) {
    const warp &own = e->warps[(size_t)f->warp];
    return m.cluster == e->block_id && m.clock != NOT_YET &&
           (m.warp != f->warp ? m.clock <= own.seen[(size_t)m.warp]
                              : !lanes_race(own, f, m.lane, many, m.clock));
}

static bool is_ordered(const emulator *e, const fiber *f, const global_mark &m,
                       bool read) {
    return told(e, f, m, read) || is_before(e, f, m, false);
}

static global_mark mark_of(const emulator *e, const fiber *f, const site *at) {
    return {e->block_id, e->warps[(size_t)f->warp].seen[(size_t)f->warp],
            e->event,
            e->cluster_index * (unsigned)e->ranks + (unsigned)f->rank,
            at->number, (short)f->warp, (unsigned char)f->lane};
}

/* ==== Reports =========================================================== */

/* "byte 4 of a global buffer of 64 bytes" */
static std::string byte_name(uint64_t addr) {
    const buffer *b = buffer_near(emu_self_, addr);
    return emu_text("byte %llu of a global buffer of %zu bytes",
                    (unsigned long long)(addr - (uint64_t)b->start), b->size);
}

static global_mark own_mark(const fiber *f, const site *at) {
    return mark_of(emu_self_, f, at);
}

/* A store of the TMA unit may still be under way. */
static void unfinished(const fiber *f, uint64_t addr, const global_mark &m,
                       site *at, const char *verb) {
    emu_find(EMU_ASYNC, at,
             emu_text("asynchronous: thread %s %s %s, which a cp.async.bulk of "
                      "thread %s stores, and nothing has waited for it: "
                      "cp.async.bulk.wait_group does, with .read it waits for "
                      "the source only",
                      emu_writer(own_mark(f, at), true).c_str(), verb,
                      byte_name(addr).c_str(), emu_writer(m, true).c_str()),
             emu_self_->sites[m.at], "the copy");
}

/* An update and another access of one place, which nothing orders. */
static void race_of(const fiber *f, uint64_t addr, const global_mark &m,
                    site *at, const char *verb, const char *did) {
    const emulator *e = emu_self_;
    const bool fence = m.cluster != e->block_id && *verb == 'r' &&
                       e->released[m.block] > m.event;
    if (m.event == NOT_YET) {
        unfinished(f, addr, m, at, verb);
        return;
    }
    emu_find(EMU_RACE, at,
             emu_text("race: thread %s %s %s, which thread %s %s, and %s",
                      emu_writer(own_mark(f, at), true).c_str(), verb,
                      byte_name(addr).c_str(), emu_writer(m, true).c_str(),
                      did,
                      fence ? "no __threadfence() follows that"
                            : "nothing orders the two"),
             e->sites[m.at], "the other access");
}

static void global_race(fiber *f, uint64_t addr, uint32_t other, site *at,
                        bool read = false) {
    emulator *e = emu_self_;
    const global_mark &m = e->marks[other - e->first_mark];
    const global_mark own = own_mark(f, at);
    const bool same = own.block == m.block;
    if (m.event == NOT_YET) {
        unfinished(f, addr, m, at, read ? "reads" : "writes");
        return;
    }
    if (read) {
        emu_find(EMU_RACE, at,
                 emu_text("race: thread %s reads %s, which thread %s wrote, "
                          "and %s", emu_writer(own, true).c_str(),
                          byte_name(addr).c_str(), emu_writer(m, true).c_str(),
                          e->released[m.block] > m.event
                              ? "no __threadfence() follows the write"
                              : "nothing orders the two"),
                 e->sites[m.at], "the write");
        return;
    }
    emu_find(EMU_RACE, at,
             emu_text("race: thread%s %s and %s of block %s write different "
                      "values to %s, and nothing orders them", same ? "s" : "",
                      emu_writer(m, !same).c_str(),
                      emu_writer(own, false).c_str(),
                      emu_block(own.block).c_str(), byte_name(addr).c_str()),
             e->sites[m.at], "the other write",
             "tiles overlap, or rows of one tile do, because its leading "
             "dimension is smaller than its number of columns");
}

/* ==== Updates and loads ================================================= */

static word_use *uses_of(buffer *b) {
    if (!b->uses) {
        b->uses = (word_use *)calloc(b->size / 4 + 1, sizeof *b->uses);
    }
    return b->uses;
}

/* Returns the mark of a number, which may have MANY_LANES, or null if it is of
 * an earlier launch. */
static const global_mark *mark_at(const emulator *e, uint32_t number) {
    const uint32_t n = number & ~MANY_LANES;
    return n >= e->first_mark ? &e->marks[n - e->first_mark] : nullptr;
}

/* Adds the access with mark `now` to the last two of a word. */
static void keep(const emulator *e, uint32_t *last, uint32_t now) {
    const global_mark *m = mark_at(e, last[0]), *x = mark_at(e, now);
    uint32_t many = 0;
    if (m && (m->warp != x->warp || m->cluster != x->cluster)) {
        last[1] = last[0];
    } else if (m && m->clock == x->clock &&
               (m->lane != x->lane || last[0] & MANY_LANES)) {
        many = MANY_LANES;
    }
    last[0] = now | many;
}

/* Returns the number of a mark for a load or an update. A site has one for each
 * thread, until the thread's block waits or releases. 0: there are too many. */
static uint32_t use_mark(emulator *e, const fiber *f, site *at, bool update) {
    enum { LOADS = 1 << 22 };
    const global_mark now = mark_of(e, f, at);
    const uint32_t next = e->first_mark + (uint32_t)e->marks.size();
    if (at->mark >= e->first_mark) {
        global_mark &m = e->marks[at->mark - e->first_mark];
        if (m.cluster == now.cluster && m.clock == now.clock &&
            m.warp == now.warp && m.lane == now.lane &&
            (update || e->released[m.block] <= m.event)) {
            m.event = update ? now.event + 1 : m.event;
            return at->mark;
        }
    }
    if (!update && ++e->read_marks > LOADS) {
        return 0;
    }
    e->marks.push_back(now);
    e->marks.back().event += update; /* the update itself does not release it */
    at->mark = next;
    return next;
}

/* Finds updates of a word that are not ordered before a plain access. A block
 * that has updated the word itself may store there: the last of all blocks
 * resets a counter. */
static void after_updates(emulator *e, fiber *f, const uint32_t *last,
                          uint64_t addr, site *at, bool read) {
    const global_mark *m = mark_at(e, last[0]);
    const bool knows = m && m->cluster == e->block_id && !read;
    for (int k = 0; k < 2; k++, m = mark_at(e, last[1])) {
        if (!m || (m->cluster == e->block_id
                       ? is_before(e, f, *m, last[k] & MANY_LANES)
                       : knows || told(e, f, *m, read))) {
            continue;
        }
        emu_guess(read ? f : nullptr, addr / 4 * 2 + 1);
        race_of(f, addr, *m, at, read ? "reads" : "writes", "updated");
        emu_guess(nullptr, 0);
        return;
    }
}

/* Finds plain accesses that are not ordered before an update. */
static void update(emulator *e, fiber *f, buffer *b, uint64_t addr, int size,
                   site *at) {
    const size_t o = (size_t)(addr - (uint64_t)b->start);
    word_use *all = uses_of(b);
    const uint32_t now = use_mark(e, f, at, true);
    for (int i = 0; i < size; i++) {
        const uint32_t by = b->by ? b->by[o + (size_t)i] : 0;
        const global_mark *m = mark_at(e, by);
        if (m && !is_before(e, f, *m, false) &&
            (m->cluster == e->block_id || !told(e, f, *m, false))) {
            race_of(f, addr + (uint64_t)i, *m, at, "updates", "wrote");
            break;
        }
    }
    for (size_t k = o / 4; k <= (o + (size_t)size - 1) / 4; k++) {
        const uint64_t place = ((uint64_t)b->start + 4 * k) / 4 * 2 + 1;
        for (int j = 0; j < 2; j++) {
            uint32_t &number = all[k].read[j];
            const global_mark *m = mark_at(e, number);
            const bool here = m && m->cluster == e->block_id;
            if (here && f->compares && m->warp == f->warp &&
                m->lane == f->lane) {
                number = 0; /* that was a guess */
            } else if (m && (here ? !is_before(e, f, *m, number & MANY_LANES)
                                  : !told(e, f, *m, false))) {
                emu_guess(here ? e->warps[(size_t)m->warp].lanes[m->lane]
                               : nullptr, place);
                race_of(f, std::max(addr, (uint64_t)b->start + 4 * k), *m, at,
                        "updates", "read");
                emu_guess(nullptr, 0);
                break;
            }
        }
        if (f->compares) {
            emu_guessed(f, place);
        }
        keep(e, all[k].update, now);
    }
}

/* A plain load. */
static void load(emulator *e, fiber *f, buffer *b, uint64_t addr, int size,
                 site *at) {
    const size_t o = (size_t)(addr - (uint64_t)b->start);
    word_use *all = uses_of(b);
    const uint32_t now = use_mark(e, f, at, false);
    for (size_t k = o / 4; k <= (o + (size_t)size - 1) / 4; k++) {
        if (all[k].update[0] >= e->first_mark) {
            after_updates(e, f, all[k].update,
                          std::max(addr, (uint64_t)b->start + 4 * k), at,
                          true);
        }
        if (now) {
            keep(e, all[k].read, now);
        }
    }
}

/* ==== Stores ============================================================ */

/* Marks a plain store. Returns the bytes that another store wrote and nothing
 * orders; one such store is *other. */
static uint32_t mark_store(emulator *e, fiber *f, buffer *b, size_t o,
                           int size, site *at, uint32_t *other) {
    uint32_t races = 0;
    const uint32_t now = e->first_mark + (uint32_t)e->marks.size();
    for (size_t k = o / 4; b->uses && k <= (o + (size_t)size - 1) / 4; k++) {
        if (b->uses[k].update[0] >= e->first_mark) {
            after_updates(e, f, b->uses[k].update,
                          (uint64_t)b->start + std::max(o, 4 * k), at, false);
        }
    }
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
    e->marks.push_back(mark_of(e, f, at));
    return races;
}

/* A store is done: finds bytes of another store that it changes. */
void emu_settle_global(fiber *f) {
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
                      site *at, reading &r) {
    emulator *e = emu_self_;
    buffer *b = buffer_near(e, addr);
    uint32_t other = 0;
    for (unsigned k = 0; k < size; k += 16) {
        r.marks.push_back(e->first_mark + (uint32_t)e->marks.size());
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
        e->marks.back().clock = e->marks.back().event = NOT_YET;
    }
}

/* Who is ordered after this wait sees the bytes of these stores. */
void emu_global_stored(fiber *f, reading &r) {
    emulator *e = emu_self_;
    for (uint32_t number : r.marks) {
        global_mark &m = e->marks[number - e->first_mark];
        m.clock = e->warps[(size_t)f->warp].seen[(size_t)f->warp];
        m.event = e->event;
    }
    r.marks.clear();
}

/* ==== Accesses ========================================================== */

void emu_access_global(emulator *e, fiber *f, uint64_t addr, int size,
                       int write, site *at, bool atomic) {
    buffer *b = buffer_near(e, addr);
    const size_t o = (size_t)(addr - (uint64_t)b->start);
    for (int i = 0; b->by && !write && !f->strong && i < size; i++) {
        const uint32_t by = b->by[o + (size_t)i];
        if (by >= e->first_mark &&
            !is_ordered(e, f, e->marks[by - e->first_mark], true)) {
            global_race(f, addr + (uint64_t)i, by, at, true);
        }
    }
    if (atomic) {
        update(e, f, b, addr, size, at);
    } else if (!write && !f->strong) {
        load(e, f, b, addr, size, at);
    }
    unsigned char *valid = &b->valid[o];
    const void *none = write && !atomic ? nullptr : memchr(valid, 0, (size_t)size);
    if (none) {
        emu_find(EMU_UNINIT, at,
                 emu_text("uninitialised: thread %d reads byte %zu of a global "
                          "buffer of %zu bytes, which nothing has written",
                          f->tid,
                          o + (size_t)((const unsigned char *)none - valid),
                          b->size));
    }
    if (write) {
        memset(valid, 1, (size_t)size);
    }
}
