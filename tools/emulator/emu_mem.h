/* emu_mem.h - where an address lies, and what the files that check accesses of
 * memory share.
 *
 * Sections: lookups - names - checks - order inside a warp.
 */
#ifndef EMU_MEM_H
#define EMU_MEM_H

#include "emu_int.h"

#include <algorithm>

/* ==== Lookups =========================================================== */

static inline bool in_stack(const fiber *f, uint64_t addr) {
    return addr - (uint64_t)f->stack < STACK_BYTES;
}

static inline bool in_params(const emulator *e, uint64_t addr) {
    return addr - (uint64_t)e->params < e->param_bytes;
}

static inline bool in_constants(const emulator *e, uint64_t addr) {
    for (const auto &c : e->constants) {
        if (addr >= c.first && addr < c.second) {
            return true;
        }
    }
    return false;
}

static inline bool in_dynamic(const emulator *e, uint64_t addr) {
    return addr - (uint64_t)e->dyn < DYNAMIC_LIMIT + 1024;
}

/* Returns the offset in shared memory, or -1. */
static inline int64_t shared_offset(const emulator *e, uint64_t addr) {
    if (in_dynamic(e, addr)) {
        return (int64_t)(addr - (uint64_t)e->dyn + DYNAMIC_OFFSET);
    }
    if (addr >= e->shared_lo && addr < e->shared_hi) {
        return (int64_t)(addr - e->shared_lo + STATIC_OFFSET);
    }
    return -1;
}

static inline int space_of(const emulator *e, uint64_t addr) {
    return in_constants(e, addr) ? SPACE_CONST
           : shared_offset(e, addr) >= 0 ? SPACE_SHARED : SPACE_GLOBAL;
}

/* Returns the variable at a static address, or null in a gap. */
static inline const object *object_at(const emulator *e, uint64_t addr) {
    auto it = std::upper_bound(e->objects.begin(), e->objects.end(), addr,
                               [](uint64_t a, const object &o) {
                                   return a < o.start;
                               });
    if (it == e->objects.begin() || addr >= (--it)->end) {
        return nullptr;
    }
    return &*it;
}

/* Returns the position in shadow memory of a byte that can be accessed. */
static inline uint64_t shadow_of(const emulator *e, uint64_t addr) {
    if (in_dynamic(e, addr)) {
        return addr - (uint64_t)e->dyn + e->dyn_shadow;
    }
    const object *o = object_at(e, addr);
    return addr - o->start + o->shadow;
}

/* Returns the buffer at or below an address, or null if none is near. */
static inline buffer *buffer_near(emulator *e, uint64_t addr) {
    auto it = e->buffers.upper_bound(addr);
    if (it == e->buffers.begin()) {
        return nullptr;
    }
    buffer *b = &(--it)->second;
    return addr < it->first + b->size + GUARD_BYTES ? b : nullptr;
}

/* ==== Names ============================================================= */

/* emu_address.cc */
std::string emu_place_name(const emulator *e, uint64_t addr);
std::string emu_shared_name(uint64_t shadow);
std::string emu_shared_problem(const emulator *e, uint64_t addr, int size);
std::string emu_global_problem(emulator *e, uint64_t addr, int size);
image *emu_image_at(emulator *e, uint64_t addr, uint64_t *start);
bool emu_has_ended(const emulator *e, int rank);

/* ==== Checks ============================================================ */

/* emu_race.cc */
std::string emu_actor_name(const fiber *f);
void emu_check_halves(const emulator *e, const fiber *f, uint64_t o, site *at);
void emu_update_byte(emulator *e, fiber *f, uint64_t o, site *at);
void emu_read_byte(emulator *e, fiber *f, uint64_t o, site *at);
void emu_write_byte(emulator *e, fiber *f, uint64_t o, int i, site *at,
                    bool comes = false); /* its bytes can be compared soon */
void emu_compare_warps(fiber *f, const unsigned char *now);
void emu_plain_store(emulator *e, fiber *f, buffer *b, uint64_t addr, int size,
                     site *at);
void emu_access_global(emulator *e, fiber *f, uint64_t addr, int size,
                       int write, site *at, bool atomic);

/* emu_global.cc */
void emu_settle_global(fiber *f);

/* ==== Order inside a warp =============================================== */

/* Returns whether an access by a lane of f's warp, at that clock, is not
 * ordered before f. `many`: lanes other than that one made it too. */
static inline bool lanes_race(const warp &w, const fiber *f, int lane,
                              bool many, uint64_t clock) {
    if (!w.split || lane == f->lane) {
        return clock == w.seen[(size_t)f->warp] && (lane != f->lane || many);
    }
    return w.known[(size_t)(MAX_LANES * f->lane + lane)] < clock;
}

#endif
