/* emu_mem.cc - checks every access of a kernel: is it allowed, have its bytes
 * arrived, is it a race; also the accesses of copies, wgmma and TMA.
 *
 * Sections: one access - copies that arrive late - what reads and writes on its
 * own.
 */
#include "emu_mem.h"

#include <cstring>

/* ==== One access ======================================================== */

static void stop(emulator *e) {
    if (e->cur) {
        emu_abandon();
    }
    e->dead = true;
}

/* Describes a pointer that is not to global memory. Zeroed statics of the host
 * are beside shared variables. */
static std::string not_global(const emulator *e, uint64_t addr) {
    const object *o = object_at(e, addr);
    return o ? emu_text("byte %llu of `%s`, which is not global memory but "
                        "shared memory or a static variable of the host",
                        (unsigned long long)(addr - o->start), o->name.c_str())
             : emu_place_name(e, addr) + ", which is not global memory";
}

static std::string problem_of(emulator *e, uint64_t addr, int size,
                              const site *at) {
    int space = space_of(e, addr);
    if (space != at->space) {
        static const char *const names[] = {"no", "shared", "global",
                                            "constant"};
        if (space == SPACE_GLOBAL && at->space == SPACE_SHARED) {
            return "an address that is not in shared memory";
        }
        if (space == SPACE_SHARED && at->space == SPACE_GLOBAL) {
            return not_global(e, addr);
        }
        return emu_text("%s memory", names[space]);
    }
    if (space == SPACE_CONST) {
        return at->write ? "read-only memory" : "";
    }
    return space == SPACE_SHARED ? emu_shared_problem(e, addr, size)
                                 : emu_global_problem(e, addr, size);
}

/* Finds bytes that a cp.async has not delivered yet. */
static void check_in_flight(emulator *e, fiber *f, uint64_t o, int size,
                            int write, site *at) {
    for (uint64_t k = o / 4; k <= (o + (uint64_t)size - 1) / 4; k++) {
        auto it = e->in_flight.find(k);
        if (it != e->in_flight.end()) {
            const uint64_t first = std::max(o, 4 * k);
            const bool known = at->reported >> EMU_EARLY & 1;
            emu_find(EMU_EARLY, at,
                     known ? "" :
                     emu_text("early: %s %s %s, which a %s has not "
                              "delivered: ", emu_actor_name(f).c_str(),
                              write ? "writes" : "reads",
                              emu_shared_name(first).c_str(),
                              it->second->kind.compare(0, 13, "cp.async.bulk")
                                  ? "cp.async" : "cp.async.bulk") +
                         emu_why_early(f, first, it->second),
                     it->second, "the copy");
            return;
        }
    }
}

/* Finds a write to bytes that a wgmma or TMA store still reads. */
static void check_busy(emulator *e, fiber *f, uint64_t o, int size, site *at) {
    for (uint64_t k = o / 16; k <= (o + (uint64_t)size - 1) / 16; k++) {
        auto it = e->busy.find(k);
        if (it != e->busy.end()) {
            emu_find(EMU_ASYNC, at,
                     emu_text("asynchronous: %s writes %s, which a %s is still "
                              "reading: nothing has waited for it",
                              emu_actor_name(f).c_str(),
                              emu_shared_name(std::max(o, 16 * k)).c_str(),
                              it->second.what), it->second.at, "the reader");
            return;
        }
    }
}

/* Adds up the shared variables that a kernel accesses. A compiler refuses a
 * kernel with more than fit. */
static void count_variable(emulator *e, uint64_t addr, site *at) {
    const object *found = object_at(e, addr);
    if (!found || found->counted == e->launches) {
        return;
    }
    object &o = e->objects[(size_t)(found - e->objects.data())];
    const size_t limit = e->t.static_limit, before = e->static_bytes;
    o.counted = e->launches;
    e->static_bytes += o.end - o.start;
    if (before <= limit && e->static_bytes > limit) {
        emu_find(EMU_LAUNCH, at,
                 emu_text("launch: kernel `%s` has at least %zu bytes of "
                          "__shared__ variables, `%s` among them: at most %zu are "
                          "possible%s",
                          e->kernel.c_str(), e->static_bytes, o.name.c_str(),
                          limit,
                          e->t.gfx ? "" : "; dynamic memory may be larger"));
    }
}

static void access_shared(emulator *e, fiber *f, uint64_t addr, int size,
                          int write, site *at, int owner, bool atomic) {
    uint64_t o = shadow_of(e, addr) + (uint64_t)owner * e->shadow_bytes;
    uint64_t start = 0;
    if (e->ranks > 1) {
        emu_image_at(e, addr, &start);
    }
    if (!in_dynamic(e, addr)) {
        count_variable(e, addr, at);
    }
    if (!e->in_flight.empty()) {
        check_in_flight(e, f, o, size, write, at);
    }
    if (write && !e->busy.empty()) {
        check_busy(e, f, o, size, at);
    }
    const bool flag = write && !atomic && f->strong && f->tells;
    for (int i = 0; (atomic || flag) && i < size; i++) {
        emu_update_byte(e, f, o + (uint64_t)i, at);
    }
    if (atomic || f->strong) {
        emu_flag(f, o / 4 * 2, atomic || !write, atomic || flag);
    }
    f->tells = f->tells && !write;
    if (atomic || flag) {
        return;
    }
    if (!write) {
        if (f->half && f->half_loads) {
            emu_check_halves(e, f, o, at);
        }
        for (int i = 0; i < size; i++) {
            emu_read_byte(e, f, o + (uint64_t)i, at);
        }
        return;
    }
    at->half = f->half;
    f->p.shared_with = f->p.polled = 0;
    for (int i = 0; i < size; i++) {
        emu_write_byte(e, f, o + (uint64_t)i, i, at, true);
    }
    f->p.size = size;
    f->p.addr = addr;
    f->p.offset = o;
    f->p.at = at;
    memcpy(f->p.old, (void *)addr, (size_t)size);
}

/* Ends the kernel: the thread accesses memory that it must not. */
static void touches(emulator *e, fiber *f, site *at, const std::string &what) {
    emu_find(EMU_BOUNDS, at,
             emu_text("out of bounds: %s by thread %d of block %u touches %s",
                      at->kind.c_str(), f->tid, f->pub.block.x, what.c_str()));
    stop(e);
}

static std::string ended_block(int owner) {
    return emu_text("shared memory of block %d of the cluster, which has ended",
                    owner);
}

/* Checks and counts one access of one lane. Ends the kernel if the access must
 * not be performed. */
void emu_access(fiber *f, uint64_t addr, int size, int write, site *at,
                int owner, bool atomic) {
    emulator *e = emu_self_;
    emu_settle(f);
    e->event++;
    std::string bad = problem_of(e, addr, size, at);
    if (bad.empty() && owner >= 0 && emu_has_ended(e, owner)) {
        bad = ended_block(owner);
    }
    if (!bad.empty()) {
        touches(e, f, at, bad);
        return;
    }
    if (addr % (uint64_t)size) {
        std::string where = at->space == SPACE_SHARED
            ? emu_place_name(e, addr)
            : emu_text("address 0x%llx", (unsigned long long)addr);
        emu_find(EMU_ALIGN, at,
                 emu_text("misaligned: %s by thread %d needs an address that "
                          "is a multiple of %d, not %s", at->kind.c_str(),
                          f->tid, size, where.c_str()));
        stop(e);
        return;
    }
    bool shared = at->space == SPACE_SHARED;
    if (owner >= 0 && owner != f->rank) {
        e->remote[{owner, f->warp}] = {
            e->warps[(size_t)f->warp].seen[(size_t)f->warp], at, f->tid};
    }
    emu_count(at, f, true,
              shared ? (uint64_t)shared_offset(e, addr) +
                           ((uint64_t)(owner + 1) << FAR_SHIFT)
                     : addr);
    if (shared) {
        access_shared(e, f, addr, size, write, at,
                      owner < 0 ? f->rank : owner, atomic);
    } else if (at->space == SPACE_GLOBAL) {
        emu_access_global(e, f, addr, size, write, at, atomic);
        if (atomic || f->strong) {
            emu_flag(f, addr / 4 * 2 + 1, atomic || !write, write);
        }
        f->tells = f->tells && (f->strong || !write);
        if (atomic) {
            emu_order(f, false);
        } else if (write && !f->strong) {
            emu_plain_store(e, f, buffer_near(e, addr), addr, size, at);
        }
    }
}

/* A volatile or relaxed access follows, which may poll a flag or set one. Other
 * threads run first if it polls, since one of them may set the flag. */
void emu_strong(fiber *f, uint64_t addr, int write) {
    emulator *e = emu_self_;
    const int space = space_of(e, addr);
    emu_settle(f);
    if (space == SPACE_GLOBAL) {
        emu_order(f, false);
    }
    f->polls = !write && f->polled == addr;
    if (f->polls) {
        emu_yield();
    }
    f->polled = write ? 0 : addr;
    f->strong = space != SPACE_CONST;
}

/* ==== Copies that arrive late =========================================== */

/* The copies of a thread: its committed groups, oldest first, then the copies
 * that are not committed. */
static std::vector<copy_group> &copies_of(fiber *f) {
    std::vector<copy_group> &all = emu_self_->copies[f];
    if (all.empty()) {
        all.emplace_back();
    }
    return all;
}

static void mark_in_flight(const async_copy &c, bool on) {
    for (uint64_t k = c.shadow / 4; k < (c.shadow + (uint64_t)c.size) / 4;
         k++) {
        if (on) {
            emu_self_->in_flight[k] = c.at;
        } else {
            emu_self_->in_flight.erase(k);
        }
    }
}

/* The write is checked and counted now; its bytes arrive at a wait. */
void emu_copy_begin(fiber *f, uint64_t to, const void *data, int size,
                    site *at) {
    async_copy c = {to, 0, size, at, {}};
    emu_access(f, to, size, 1, at);
    emu_compare_warps(f, (const unsigned char *)data);
    f->p.size = 0;
    c.shadow = shadow_of(emu_self_, to) +
               (uint64_t)f->rank * emu_self_->shadow_bytes;
    memcpy(c.data, data, (size_t)size);
    mark_in_flight(c, true);
    copies_of(f).back().push_back(c);
}

void emu_copy_commit(fiber *f) { copies_of(f).emplace_back(); }

static void deliver(fiber *f, const copy_group &g) {
    emulator *e = emu_self_;
    uint64_t start = 0;
    for (const async_copy &c : g) {
        mark_in_flight(c, false);
        if (e->ranks > 1) {
            emu_image_at(e, c.to, &start);
        }
        for (int i = 0; i < c.size; i++) {
            emu_write_byte(e, f, c.shadow + (uint64_t)i, i, c.at);
        }
        memcpy((void *)c.to, c.data, (size_t)c.size);
    }
}

/* Delivers all but the latest groups. Copies that are not committed are not
 * delivered either, even if no group is left. */
void emu_copy_wait(fiber *f, size_t pending_groups) {
    std::vector<copy_group> &all = copies_of(f);
    while (all.size() > pending_groups + 1) {
        deliver(f, all.front());
        all.erase(all.begin());
    }
}

/* ==== What reads and writes on its own ================================== */

/* Ends the kernel if a block's shared memory does not contain these bytes. */
void emu_shared_check(fiber *f, uint64_t addr, int size, site *at, int owner) {
    emulator *e = emu_self_;
    std::string bad = space_of(e, addr) == SPACE_SHARED
                          ? emu_shared_problem(e, addr, size)
                          : "an address that is not in shared memory";
    if (bad.empty() && owner != f->rank && emu_has_ended(e, owner)) {
        bad = ended_block(owner);
    }
    if (!bad.empty()) {
        touches(e, f, at, bad);
    }
}

/* The same for global memory. Marks it as written if `write`. */
void emu_global_check(fiber *f, uint64_t addr, uint64_t size, int write,
                      site *at) {
    emulator *e = emu_self_;
    std::string bad = emu_global_problem(e, addr, (int)size);
    if (!bad.empty()) {
        touches(e, f, at, bad);
    }
    emu_access_global(e, f, addr, (int)size, write, at, false);
}

/* wgmma and TMA (the async proxy) do not see what threads wrote without a
 * fence. */
static void check_proxy(emulator *e, fiber *f, uint64_t o, site *at,
                        const char *what) {
    const written &w = e->writes[o];
    if (w.block != e->block_id || w.async) {
        return;
    }
    const warp &x = e->warps[(size_t)w.warp];
    const fiber *by = x.lanes[w.lane];
    auto seen = e->fence_seen.find(f);
    const bool own = w.warp == f->warp;
    if (by->fences > w.fences ||
        (seen != e->fence_seen.end() &&
         seen->second[(size_t)w.warp] >= w.clock + (own ? 1 : 0))) {
        return;
    }
    emu_find(EMU_ASYNC, at,
             emu_text("asynchronous: a %s uses %s, which thread %d wrote "
                      "without a fence.proxy.async after it", what,
                      emu_shared_name(o).c_str(), by->tid),
             e->sites[w.at], "the write");
}

/* Marks 16 bytes as being read, until emu_async_done. */
void emu_async_read(fiber *f, fiber *engine, uint64_t addr, site *at,
                    const char *what, reading &r, int owner) {
    emulator *e = emu_self_;
    uint64_t start = 0;
    owner = owner < 0 ? f->rank : owner;
    emu_shared_check(f, addr, 16, at, owner);
    if (e->dead) {
        return;
    }
    if (e->ranks > 1) {
        emu_image_at(e, addr, &start);
    }
    const uint64_t o = emu_shadow(addr, owner);
    if (!e->in_flight.empty()) {
        check_in_flight(e, f, o, 16, 0, at);
    }
    for (uint64_t i = 0; i < 16; i++) {
        emu_read_byte(e, engine, o + i, at);
    }
    check_proxy(e, f, o, at, what);
    check_proxy(e, f, o + 15, at, what);
    busy_chunk &b = e->busy[o / 16];
    b.count++;
    b.at = at;
    b.what = what;
    r.chunks.push_back(o / 16);
    r.clock = e->warps[(size_t)engine->warp].seen[(size_t)engine->warp];
}

/* Returns the last write of a byte if a tensor copy made it, or null. */
const written *emu_copied(uint64_t shadow) {
    const emulator *e = emu_self_;
    const written &w = e->writes[shadow];
    return w.block == e->block_id && w.swizzle ? &w : nullptr;
}

/* Ends a reading. */
void emu_async_done(reading &r) {
    emulator *e = emu_self_;
    for (uint64_t k : r.chunks) {
        auto it = e->busy.find(k);
        if (it != e->busy.end() && --it->second.count == 0) {
            e->busy.erase(it);
        }
    }
    r.chunks.clear();
}

/* The TMA unit is about to write 16 bytes; f is the TMA unit. */
void emu_async_write(fiber *f, uint64_t addr, int owner, site *at, int size) {
    emulator *e = emu_self_;
    uint64_t start = 0;
    const uint64_t o = emu_shadow(addr, owner);
    if (e->ranks > 1) {
        emu_image_at(e, addr, &start);
    }
    if (!e->in_flight.empty()) {
        check_in_flight(e, f, o, size, 1, at);
    }
    if (!e->busy.empty()) {
        check_busy(e, f, o, size, at);
    }
    for (int i = 0; i < size; i++) {
        emu_write_byte(e, f, o + (uint64_t)i, i, at);
    }
    f->p.shared_with = 0;
}

void emu_in_flight(uint64_t shadow, int size, site *at) {
    for (uint64_t k = shadow / 4; k < (shadow + (uint64_t)size) / 4; k++) {
        if (at) {
            emu_self_->in_flight[k] = at;
        } else {
            emu_self_->in_flight.erase(k);
        }
    }
}
