/* emu_mem.cc - checks every access of a kernel (is it allowed, is it a race)
 * and counts its cost.
 *
 * The compiler calls a __tsan_ function just before each load or store. The
 * n-th passage of a warp's lanes through one place counts as one warp
 * instruction, so lanes may run one after another.
 *
 * Sections: where an address lies - shared memory races - one access - counting
 * - compiler hooks.
 */
#include "emu_int.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <elf.h>
#include <link.h>

extern "C" {
extern char __start_emu_shared[] __attribute__((weak));
extern char __stop_emu_shared[] __attribute__((weak));
extern char __start_emu_constant[] __attribute__((weak));
extern char __stop_emu_constant[] __attribute__((weak));
extern char __start_emu_device[] __attribute__((weak));
extern char __stop_emu_device[] __attribute__((weak));
extern char __start_emu_indices[], __stop_emu_indices[];
/* Dynamic shared memory, named by `extern __shared__` arrays. */
__attribute__((aligned(1024))) char emu_dynamic_[DYNAMIC_LIMIT + 1024];
}

/* ==== Where an address lies ============================================= */

static int see_segments(struct dl_phdr_info *info, size_t, void *p) {
    emulator *e = (emulator *)p;
    e->slide = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        bool fixed = (h->p_type == PT_LOAD && !(h->p_flags & PF_W)) ||
                     h->p_type == PT_GNU_RELRO;
        if (fixed) {
            uint64_t lo = info->dlpi_addr + h->p_vaddr;
            e->constants.push_back({lo, lo + h->p_memsz});
        }
    }
    return 1;   /* only the first object: the executable */
}

static std::string short_name(const char *mangled) {
    int bad = 0;
    char *d = abi::__cxa_demangle(mangled, nullptr, nullptr, &bad);
    std::string s = bad ? mangled : d;
    free(d);
    size_t at = s.rfind("::");
    return at == std::string::npos ? s : s.substr(at + 2);
}

static std::string read_file(const std::string &path) {
    std::string s;
    FILE *f = fopen(path.c_str(), "rb");
    char part[65536];
    for (size_t n; f && (n = fread(part, 1, sizeof part, f)) > 0;) {
        s.append(part, n);
    }
    if (f) {
        fclose(f);
    }
    return s;
}

/* A variable of the kernel: shared, or __device__, which is global memory. */
static void see_object(emulator *e, const Elf64_Sym &y, const char *name) {
    uint64_t at = y.st_value + e->slide;
    if (ELF64_ST_TYPE(y.st_info) != STT_OBJECT || !y.st_size) {
        return;
    }
    if (at >= e->shared_lo && at < e->shared_hi) {
        e->objects.push_back({at, at + y.st_size, short_name(name), 0});
    } else if (at >= (uint64_t)__start_emu_device &&
               at < (uint64_t)__stop_emu_device) {
        emu_global_add((void *)at, y.st_size);
    }
}

/* Reads the shared variables from the symbol table. emucc leaves a gap after
 * each, 256 KiB or less if there are hundreds, so an access past the end of
 * one, by an instruction or through a pointer, does not reach another. */
static void see_objects(emulator *e) {
    std::string s = read_file(e->exe);
    if (s.size() < sizeof(Elf64_Ehdr)) {
        return;
    }
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)s.data();
    const Elf64_Shdr *sec = (const Elf64_Shdr *)(s.data() + h->e_shoff);
    for (int i = 0; i < h->e_shnum; i++) {
        if (sec[i].sh_type != SHT_SYMTAB) {
            continue;
        }
        const Elf64_Sym *y = (const Elf64_Sym *)(s.data() + sec[i].sh_offset);
        const char *names = s.data() + sec[sec[i].sh_link].sh_offset;
        for (size_t k = 0; k < sec[i].sh_size / sizeof *y; k++) {
            see_object(e, y[k], names + y[k].st_name);
        }
    }
    std::sort(e->objects.begin(), e->objects.end(),
              [](const object &a, const object &b) {
                  return a.start < b.start;
              });
    for (object &o : e->objects) { /* keeps 16 bytes together */
        o.shadow = e->dyn_shadow + o.start % 16;
        e->dyn_shadow = (o.shadow + o.end - o.start + 15) & ~(uint64_t)15;
    }
}

void emu_memory_init(void) {
    emulator *e = emu_self_;
    /* Rounds down to 1024, so that an aligned array has an aligned offset. */
    e->shared_lo = (uint64_t)__start_emu_shared & ~(uint64_t)1023;
    e->shared_hi = (uint64_t)__stop_emu_shared;
    if ((STATIC_OFFSET + e->shared_hi - e->shared_lo) >> FAR_SHIFT) {
        fprintf(stderr, "emu: the static variables exceed the %d MiB of shared "
                        "addresses\n", 1 << (FAR_SHIFT - 20));
        exit(2);
    }
    e->dyn = emu_dynamic_;
    dl_iterate_phdr(see_segments, e);
    if (__start_emu_constant) {
        e->constants.push_back({(uint64_t)__start_emu_constant,
                                (uint64_t)__stop_emu_constant});
    }
    see_objects(e);
}

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

static bool in_stack(const fiber *f, uint64_t addr) {
    return addr - (uint64_t)f->stack < STACK_BYTES;
}

static bool in_params(const emulator *e, uint64_t addr) {
    return addr - (uint64_t)e->params < e->param_bytes;
}

static bool in_constants(const emulator *e, uint64_t addr) {
    for (const auto &c : e->constants) {
        if (addr >= c.first && addr < c.second) {
            return true;
        }
    }
    return false;
}

static bool in_dynamic(const emulator *e, uint64_t addr) {
    return addr - (uint64_t)e->dyn < DYNAMIC_LIMIT + 1024;
}

/* Returns the offset in shared memory, or -1. */
static int64_t shared_offset(const emulator *e, uint64_t addr) {
    if (in_dynamic(e, addr)) {
        return (int64_t)(addr - (uint64_t)e->dyn + DYNAMIC_OFFSET);
    }
    if (addr >= e->shared_lo && addr < e->shared_hi) {
        return (int64_t)(addr - e->shared_lo + STATIC_OFFSET);
    }
    return -1;
}

static int space_of(const emulator *e, uint64_t addr) {
    return in_constants(e, addr) ? SPACE_CONST
           : shared_offset(e, addr) >= 0 ? SPACE_SHARED : SPACE_GLOBAL;
}

/* Returns the variable at a static address, or null in a gap. */
static const object *object_at(const emulator *e, uint64_t addr) {
    auto it = std::upper_bound(e->objects.begin(), e->objects.end(), addr,
                               [](uint64_t a, const object &o) {
                                   return a < o.start;
                               });
    if (it == e->objects.begin() || addr >= (--it)->end) {
        return nullptr;
    }
    return &*it;
}

/* Returns the address of a shared offset, or 0 if there is none. */
uint64_t emu_shared_addr(uint64_t offset) {
    const emulator *e = emu_self_;
    const uint64_t d = offset - DYNAMIC_OFFSET, s = offset - STATIC_OFFSET;
    if (d < DYNAMIC_LIMIT + 1024) {
        return (uint64_t)e->dyn + d;
    }
    return s < e->shared_hi - e->shared_lo ? e->shared_lo + s : 0;
}

extern "C" size_t emu_shared_offset(const void *p) {
    emulator *e = emu_get();
    int64_t o = shared_offset(e, (uint64_t)p);
    const object *found = object_at(e, (uint64_t)p);
    if (found) {
        e->objects[(size_t)(found - e->objects.data())].launch = e->launches;
    }
    /* Not shared: an offset that every access refuses. */
    return o < 0 ? 0xfffffff0u : (size_t)o;
}

/* Names an address in shared memory. In a gap, the nearer variable counts. */
static std::string place_name(const emulator *e, uint64_t addr) {
    const object *best = nullptr;
    uint64_t least = ~(uint64_t)0;
    if (in_dynamic(e, addr)) {
        return emu_text("dynamic shared byte %llu",
                        (unsigned long long)(addr - (uint64_t)e->dyn));
    }
    for (const object &o : e->objects) {
        uint64_t away = addr < o.start ? o.start - addr
                        : addr >= o.end ? addr - o.end : 0;
        if (away < least) {
            best = &o;
            least = away;
        }
    }
    return best ? emu_text("byte %lld of shared `%s`",
                           (long long)(addr - best->start),
                           best->name.c_str())
                : "shared memory, but the kernel has none";
}

/* Returns the position in shadow memory of a byte that can be accessed. */
static uint64_t shadow_of(const emulator *e, uint64_t addr) {
    if (in_dynamic(e, addr)) {
        return addr - (uint64_t)e->dyn + e->dyn_shadow;
    }
    const object *o = object_at(e, addr);
    return addr - o->start + o->shadow;
}

/* Names a byte of shadow memory, in any block of a cluster. */
static std::string shared_name(uint64_t shadow) {
    const emulator *e = emu_self_;
    shadow %= e->shadow_bytes;
    if (shadow >= e->dyn_shadow) {
        return place_name(e, (uint64_t)e->dyn + shadow - e->dyn_shadow);
    }
    auto it = std::upper_bound(e->objects.begin(), e->objects.end(), shadow,
                               [](uint64_t a, const object &o) {
                                   return a < o.shadow;
                               });
    --it;
    return place_name(e, it->start + shadow - it->shadow);
}

static std::string shared_problem(const emulator *e, uint64_t addr, int size) {
    if (in_dynamic(e, addr)) {
        uint64_t d = addr - (uint64_t)e->dyn;
        return d + (uint64_t)size <= e->dyn_size ? ""
            : emu_text("byte %llu of %zu bytes of dynamic shared memory",
                       (unsigned long long)d, e->dyn_size);
    }
    const object *o = object_at(e, addr);
    if (o && addr + (uint64_t)size <= o->end) {
        return "";
    }
    return place_name(e, addr) +
           (o ? " and bytes past its end" : ", which is outside the variable");
}

/* Returns the buffer at or below an address, or null if none is near. */
static buffer *buffer_near(emulator *e, uint64_t addr) {
    auto it = e->buffers.upper_bound(addr);
    if (it == e->buffers.begin()) {
        return nullptr;
    }
    buffer *b = &(--it)->second;
    return addr < it->first + b->size + GUARD_BYTES ? b : nullptr;
}

static std::string global_problem(emulator *e, uint64_t addr, int size) {
    buffer *b = buffer_near(e, addr);
    if (!b) {
        auto it = e->buffers.upper_bound(addr);
        if (it != e->buffers.end() && it->first - addr < GUARD_BYTES) {
            return emu_text("byte -%llu of a global buffer of %zu bytes",
                            (unsigned long long)(it->first - addr),
                            it->second.size);
        }
        return emu_text("address 0x%llx, which is not device memory",
                        (unsigned long long)addr);
    }
    uint64_t off = addr - (uint64_t)b->start;
    return off + (uint64_t)size <= b->size ? ""
        : emu_text("byte %llu of a global buffer of %zu bytes",
                   (unsigned long long)off, b->size);
}

/* ==== The shared memory of a cluster ==================================== */

/* The images of the variable or dynamic memory at a shared address, from its
 * first access on: until then it is the same in all blocks. */
static image *image_at(emulator *e, uint64_t addr, uint64_t *start) {
    const object *o = object_at(e, addr);
    const bool dynamic = in_dynamic(e, addr);
    if (!dynamic && !o) {
        return nullptr;
    }
    *start = dynamic ? (uint64_t)e->dyn : o->start;
    image &m = e->images[*start];
    if (m.of.empty()) {
        const char *now = (const char *)*start;
        m.size = dynamic ? e->dyn_size : o->end - o->start;
        m.of.assign((size_t)e->ranks, std::vector<char>(now, now + m.size));
    }
    return &m;
}

void emu_enter_block(int rank) {
    emulator *e = emu_self_;
    for (auto &i : e->images) {
        image &m = i.second;
        if (rank != e->in_place) {
            memcpy(m.of[(size_t)e->in_place].data(), (void *)i.first, m.size);
            memcpy((void *)i.first, m.of[(size_t)rank].data(), m.size);
        }
    }
    e->in_place = rank;
}

/* Returns the place of block `owner`'s bytes at an address. Call it after an
 * access. */
const char *emu_far_bytes(uint64_t addr, int owner) {
    emulator *e = emu_self_;
    uint64_t start = 0;
    const image *m = image_at(e, addr, &start);
    return owner == e->in_place || !m
               ? (const char *)addr
               : m->of[(size_t)owner].data() + (addr - start);
}

static bool has_ended(const emulator *e, int rank) {
    bool ended = true;
    for (const fiber *f : e->fibers) {
        ended = ended && (f->rank != rank || f->wait == DONE);
    }
    return ended;
}

/* ==== Shared memory races =============================================== */

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
static std::string actor_name(const fiber *f) {
    return f->warp < emu_self_->each * emu_self_->ranks
               ? emu_text("thread %d", f->tid) : warp_name(f->warp);
}

static void report_warps(fiber *f, site *at, uint64_t o, const char *verb,
                         int warp, const char *did, unsigned other) {
    emu_race(at, emu_self_->sites[other],
             block_of(warp) == block_of(f->warp) ? BARRIER_BLOCK
                                                 : BARRIER_CLUSTER,
             emu_text("race: %s %s %s, which %s %s",
                      warp_name(f->warp).c_str(), verb, shared_name(o).c_str(),
                      warp_name(warp).c_str(), did), "the other access",
             emu_same_number(f, warp));
}

static void report_lanes(fiber *f, site *at, uint64_t o, const char *verb,
                         int lane, const char *did, unsigned other) {
    emu_race(at, emu_self_->sites[other], BARRIER_WARP,
             emu_text("race: lane %d of %s %s %s, which lane %d %s", f->lane,
                      warp_name(f->warp).c_str(), verb,
                      shared_name(o).c_str(), lane, did), "the other access");
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
static void check_halves(const emulator *e, const fiber *f, uint64_t o,
                         site *at) {
    const written &w = e->writes[o];
    const emu_memory *by = w.block == e->block_id ? e->sites[w.at]->half
                                                  : nullptr;
    if (by && by != f->half && !agree(*by, *f->half)) {
        emu_find(EMU_LAUNCH, at,
                 emu_text("halves: %s was written with another memory layout "
                          "than it is read with: make both plans with one "
                          "layout, by LL_PLAN_THROUGH",
                          shared_name(o).c_str()),
                 e->sites[w.at], "the half that wrote");
    }
}

static void report_unwritten(fiber *f, uint64_t o, site *at,
                             const char *verb) {
    emu_self_->half_unwritten = emu_self_->half_unwritten || f->half;
    emu_find(EMU_UNINIT, at,
             emu_text("uninitialised: thread %d %s %s, which no thread of "
                      "block %llu has written", f->tid, verb,
                      shared_name(o).c_str(),
                      (unsigned long long)f->pub.block.x));
}

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
static void update_byte(emulator *e, fiber *f, uint64_t o, site *at) {
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

static void read_byte(emulator *e, fiber *f, uint64_t o, site *at) {
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

static void write_byte(emulator *e, fiber *f, uint64_t o, int i, site *at) {
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

/* Ends a store: its bytes are in memory now and can be compared. */
/* What the compiler's checks pass: a source place, which the emulator knows by
 * the address, and the type, with its name in quotes. */
struct check_type {
    uint16_t kind, info;
    char name[1];
};
struct check_data {
    const char *file;
    uint32_t line, column;
    const check_type *type;
    unsigned char log_align;
};

/* Reports an index of a local array that was too large, if no access to shared
 * or global memory was wrong since. */
void emu_tell_beyond(fiber *f) {
    const beyond b = f->left;
    f->left.data = nullptr;
    if (b.data) {
        emu_find(EMU_BOUNDS, emu_site_at(f, b.pc, 0, "index", 0, 0, 0),
                 emu_text("out of bounds: thread %d uses element %lld of %s",
                          f->tid, (long long)b.index, b.data->type->name));
        emu_self_->dead = true;
    }
}

static void settle_global(fiber *f);

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
                              shared_name(p.offset + (uint64_t)i).c_str()),
                     "the other write");
            break;
        }
    }
    p.size = 0;
}

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
             : place_name(e, addr) + ", which is not global memory";
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
    return space == SPACE_SHARED ? shared_problem(e, addr, size)
                                 : global_problem(e, addr, size);
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
                              "delivered: ", actor_name(f).c_str(),
                              write ? "writes" : "reads",
                              shared_name(first).c_str(),
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
                              actor_name(f).c_str(),
                              shared_name(std::max(o, 16 * k)).c_str(),
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
                 emu_text("launch: %s has at least %zu bytes of __shared__ "
                          "variables, `%s` among them: at most %zu are "
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
        image_at(e, addr, &start);
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
    for (int i = 0; atomic && i < size; i++) {
        update_byte(e, f, o + (uint64_t)i, at);
    }
    if (atomic) {
        return;
    }
    if (!write) {
        if (f->half && f->half_loads) {
            check_halves(e, f, o, at);
        }
        for (int i = 0; i < size; i++) {
            read_byte(e, f, o + (uint64_t)i, at);
        }
        return;
    }
    at->half = f->half;
    f->p.shared_with = 0;
    for (int i = 0; i < size; i++) {
        write_byte(e, f, o + (uint64_t)i, i, at);
    }
    f->p.size = size;
    f->p.addr = addr;
    f->p.offset = o;
    f->p.at = at;
    memcpy(f->p.old, (void *)addr, (size_t)size);
}

/* ==== Races in global memory ============================================ */

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

static void plain_store(emulator *e, fiber *f, buffer *b, uint64_t addr,
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

static void access_global(emulator *e, fiber *f, uint64_t addr, int size,
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
    if (bad.empty() && owner >= 0 && has_ended(e, owner)) {
        bad = ended_block(owner);
    }
    if (!bad.empty()) {
        touches(e, f, at, bad);
        return;
    }
    if (addr % (uint64_t)size) {
        std::string where = at->space == SPACE_SHARED
            ? place_name(e, addr)
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
        access_global(e, f, addr, size, write, at, atomic);
        if (atomic) {
            emu_order(f, false);
        } else if (write && !f->strong) {
            plain_store(e, f, buffer_near(e, addr), addr, size, at);
        }
    }
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
    f->p.size = 0; /* nothing to compare */
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
            image_at(e, c.to, &start);
        }
        for (int i = 0; i < c.size; i++) {
            write_byte(e, f, c.shadow + (uint64_t)i, i, c.at);
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

uint64_t emu_shadow(uint64_t addr, int owner) {
    return shadow_of(emu_self_, addr) +
           (uint64_t)owner * emu_self_->shadow_bytes;
}

std::string emu_place(uint64_t addr) { return place_name(emu_self_, addr); }

/* Returns the shared address with these low bits, since a descriptor has no
 * more. Returns 0 if there is none. The order of search:
 *  - dynamic memory
 *  - variables with an address taken in this launch, as other kernels'
 *    variables can have the same bits
 *  - beyond the end of dynamic memory
 *  - other variables */
uint64_t emu_matching_shared(uint64_t low, int bits) {
    const emulator *e = emu_self_;
    const uint64_t size = (uint64_t)1 << bits;
    uint64_t d = (low - DYNAMIC_OFFSET) & (size - 1);
    if (d < e->dyn_size) {
        return (uint64_t)e->dyn + d;
    }
    uint64_t other = 0;
    for (const object &o : e->objects) {
        d = (low - (o.start - e->shared_lo)) & (size - 1);
        if (d < o.end - o.start && o.launch == e->launches) {
            return o.start + d;
        }
        other = d < o.end - o.start && !other ? o.start + d : other;
    }
    d = (low - DYNAMIC_OFFSET) & (size - 1);
    return e->dyn_size && d < DYNAMIC_LIMIT ? (uint64_t)e->dyn + d : other;
}

/* Returns whether this launch took the address of a variable with a tile. */
bool emu_has_static_tile(void) {
    const emulator *e = emu_self_;
    for (const object &o : e->objects) {
        if (o.launch == e->launches && o.end - o.start >= 256) {
            return true;
        }
    }
    return false;
}

/* Ends the kernel if a block's shared memory does not contain these bytes. */
void emu_shared_check(fiber *f, uint64_t addr, int size, site *at, int owner) {
    emulator *e = emu_self_;
    std::string bad = space_of(e, addr) == SPACE_SHARED
                          ? shared_problem(e, addr, size)
                          : "an address that is not in shared memory";
    if (bad.empty() && owner != f->rank && has_ended(e, owner)) {
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
    std::string bad = global_problem(e, addr, (int)size);
    if (!bad.empty()) {
        touches(e, f, at, bad);
    }
    access_global(e, f, addr, (int)size, write, at, false);
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
                      shared_name(o).c_str(), by->tid),
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
        image_at(e, addr, &start);
    }
    const uint64_t o = emu_shadow(addr, owner);
    if (!e->in_flight.empty()) {
        check_in_flight(e, f, o, 16, 0, at);
    }
    for (uint64_t i = 0; i < 16; i++) {
        read_byte(e, engine, o + i, at);
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
        image_at(e, addr, &start);
    }
    if (!e->in_flight.empty()) {
        check_in_flight(e, f, o, size, 1, at);
    }
    if (!e->busy.empty()) {
        check_busy(e, f, o, size, at);
    }
    for (int i = 0; i < size; i++) {
        write_byte(e, f, o + (uint64_t)i, i, at);
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

/* ==== Counting ========================================================== */

/* Counts one passage of a lane through a site; inactive if predicated off. */
void emu_count(site *s, const fiber *f, bool active, uint64_t at) {
    size_t w = (size_t)f->warp;
    if (s->warps.size() <= w) {
        s->warps.resize(emu_self_->warps.size());
    }
    gather &g = s->warps[w];
    size_t n = g.count[f->lane]++;
    if (g.groups.size() <= n) {
        if (g.groups.empty()) {
            emu_self_->warps[w].touched.push_back({s, nullptr});
        }
        g.groups.resize(n + 1, group{0, {}});
    }
    if (active) {
        g.groups[n].mask |= (uint64_t)1 << f->lane;
        g.groups[n].at[f->lane] = at;
    }
}

/* The lane bits of one phase, for a custom target or for NVIDIA. */
static phase_rule rule_for(const emulator *e, const site *s) {
    auto it = e->t.rules.find({s->write, s->size <= 4 ? 4 : s->size});
    if (it != e->t.rules.end()) {
        return it->second;
    }
    phase_rule r = {e->t.banks, 5, {1, 2, 4, 8, 16, 32}};
    r.n = s->size <= 4 ? 5 : s->size <= 8 ? 4 : 3;
    return r;
}

/* Returns whether every active lane has a partner l^x with the same address. */
static bool paired(const group &g, int lanes, int x) {
    for (int l = 0; l < lanes; l++) {
        if ((g.mask >> l & 1) &&
            (!(g.mask >> (l ^ x) & 1) || g.at[l] != g.at[l ^ x])) {
            return false;
        }
    }
    return g.mask != 0;
}

/* sm_90: if lanes l and l^1, or l and l^2, of a wide load have the same
 * address, a phase has twice as many lanes. */
static void merge_phases(const emulator *e, const site *s, const group &g,
                         phase_rule &r) {
    if (e->t.merge && s->merges && s->size >= 8 &&
        (paired(g, e->t.lanes, 1) || paired(g, e->t.lanes, 2))) {
        r.n++;
    }
}

/* The clocks of one phase: the largest number of different words in a bank. */
static unsigned phase_cost(std::vector<uint64_t> &words, unsigned banks,
                           unsigned *ideal) {
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::vector<unsigned> per(banks, 0);
    unsigned most = 1;
    for (uint64_t w : words) {
        most = std::max(most, ++per[w % banks]);
    }
    *ideal = std::max(1u, ((unsigned)words.size() + banks - 1) / banks);
    return most;
}

/* The lowest lane of a lane's phase. */
static int phase_of(const phase_rule &r, int lane) {
    int best = lane;
    for (int k = 0; k < 1 << r.n; k++) {
        int l = lane;
        for (int i = 0; i < r.n; i++) {
            l ^= k >> i & 1 ? r.basis[i] : 0;
        }
        best = std::min(best, l);
    }
    return best;
}

static void tally_shared(const emulator *e, site *s, const group &g) {
    phase_rule r = rule_for(e, s);
    std::vector<uint64_t> words[MAX_LANES];
    merge_phases(e, s, g, r);
    for (int l = 0; l < e->t.lanes; l++) {
        if (!(g.mask >> l & 1)) {
            continue;
        }
        std::vector<uint64_t> &v = words[phase_of(r, l)];
        uint64_t last = (g.at[l] + (uint64_t)s->size - 1) / 4;
        for (uint64_t w = g.at[l] / 4; w <= last; w++) {
            v.push_back(w);
        }
        s->sum.bytes += (uint64_t)s->size;
    }
    for (std::vector<uint64_t> &v : words) {
        unsigned ideal = 0;
        if (!v.empty()) {
            s->sum.wavefronts += phase_cost(v, (unsigned)r.banks, &ideal);
            s->sum.ideal += ideal;
        }
    }
}

static void tally_global(const emulator *e, site *s, const group &g) {
    std::vector<uint64_t> starts, sectors;
    for (int l = 0; l < e->t.lanes; l++) {
        if (g.mask >> l & 1) {
            starts.push_back(g.at[l]);
            sectors.push_back(g.at[l] / 32);
            s->sum.bytes += (uint64_t)s->size;
        }
    }
    for (std::vector<uint64_t> *v : {&starts, &sectors}) {
        std::sort(v->begin(), v->end());
        v->erase(std::unique(v->begin(), v->end()), v->end());
    }
    s->sum.sectors += sectors.size();
    s->sum.ideal_sectors += (starts.size() * (size_t)s->size + 31) / 32;
}

/* Counts the accesses collected for a warp. */
void emu_flush(int warp) {
    emulator *e = emu_self_;
    for (auto &t : e->warps[(size_t)warp].touched) {
        site *s = t.first;
        gather &g = s->warps[(size_t)warp];
        for (const group &one : g.groups) {
            if (!one.mask) {
                continue;
            }
            s->sum.instructions++;
            if (s->space == SPACE_SHARED) {
                tally_shared(e, s, one);
            } else if (s->space == SPACE_GLOBAL) {
                tally_global(e, s, one);
            }
        }
        g.groups.clear();
        memset(g.count, 0, sizeof g.count);
    }
    e->warps[(size_t)warp].touched.clear();
}

/* ==== Compiler hooks ==================================================== */

static void check_steps(fiber *f, site *at) {
    if (++f->steps > emu_self_->limit) {
        emu_find(EMU_DEADLOCK, at,
                 emu_text("endless: thread %d made %llu accesses without "
                          "reaching a barrier", f->tid,
                          (unsigned long long)emu_self_->limit));
        emu_abandon();
    }
}

static void seen_access(uint64_t addr, int size, int write, uint64_t pc) {
    emulator *e = emu_self_;
    fiber *f = e->cur;
    static const char *const names[] = {"", "shared", "global", "const"};
    int space = space_of(e, addr);
    site *s = emu_site_at(f, pc, 0, nullptr, space, size, write);
    if (s->kind.empty()) {
        s->kind = emu_text("%s.%s.b%d", write ? "st" : "ld", names[space],
                           8 * size);
    }
    check_steps(f, s);
    emu_access(f, addr, size, write, s);
}

/* Stack, parameters and threadIdx are registers on a GPU, not memory. */
static bool is_private(emulator *e, uint64_t addr, int write) {
    bool index = addr >= (uint64_t)__start_emu_indices &&
                 addr < (uint64_t)__stop_emu_indices;
    return in_stack(e->cur, addr) || (!write && (index || in_params(e, addr)));
}

/* A volatile access of global memory may signal other blocks. */
static void hook(void *p, int size, int write, uint64_t pc);
static void strong_hook(void *p, int size, int write, uint64_t pc) {
    fiber *f = emu_self_ ? emu_self_->cur : nullptr;
    if (f && !is_private(emu_self_, (uint64_t)p, write) &&
        space_of(emu_self_, (uint64_t)p) == SPACE_GLOBAL) {
        emu_settle(f);
        emu_order(f, false);
        f->strong = true;
    }
    hook(p, size, write, pc);
    if (f) {
        f->strong = false;
    }
}

static void hook(void *p, int size, int write, uint64_t pc) {
    emulator *e = emu_self_;
    if (!e || !e->cur) {
        return;
    }
    const beyond left = e->cur->left;
    e->cur->left.data = nullptr;
    emu_settle(e->cur);
    if (!is_private(e, (uint64_t)p, write)) {
        seen_access((uint64_t)p, size, write, pc);
    } else if (e->cur->watched) {
        emu_touch_registers(e->cur, (uint64_t)p, size, write, pc);
    }
    if (left.data) {
        e->cur->left = left;
        emu_tell_beyond(e->cur);
        emu_abandon();
    }
}

/* An atomic operation follows. Other threads run first, since this thread may
 * be waiting for them. */
static void see_atomic(emulator *e, void *p, size_t size, uint64_t pc) {
    emu_yield();
    uint64_t addr = (uint64_t)p;
    int space = space_of(e, addr);
    site *s = emu_site_at(e->cur, pc, 0, nullptr, space, (int)size, 1);
    if (s->kind.empty()) {
        s->kind = emu_text("atom.%s.b%zu",
                           space == SPACE_SHARED ? "shared" : "global",
                           8 * size);
    }
    check_steps(e->cur, s);
    emu_access(e->cur, addr, (int)size, 1, s, -1, true);
}

extern "C" void emu_atomic(void *p, void *old, size_t size) {
    emulator *e = emu_self_;
    if (e && e->cur && !in_stack(e->cur, (uint64_t)p)) {
        see_atomic(e, p, size, EMU_PC);
    }
    memcpy(old, p, size);
}

extern "C" void emu_poke(void *p, const void *now, size_t size) {
    memcpy(p, now, size);
}

/* A copy of any size, as the widest aligned pieces, as a compiler splits it. */
static void hook_range(const void *p, size_t size, int write, uint64_t pc) {
    emulator *e = emu_self_;
    uint64_t a = (uint64_t)p;
    if (!e || !e->cur) {
        return;
    }
    emu_settle(e->cur);
    if (e->cur->watched && in_stack(e->cur, a)) {
        emu_touch_registers(e->cur, a, (int)size, write, pc);
    }
    while (size && !is_private(e, a, write)) {
        int n = 16;
        while (a % (uint64_t)n || (size_t)n > size) {
            n /= 2;
        }
        seen_access(a, n, write, pc);
        a += (uint64_t)n;
        size -= (size_t)n;
    }
}

/* A pointer whose type needs another alignment, such as a vector in an array of
 * numbers. */
static void found_askew(const check_data &d, uint64_t addr, uint64_t pc) {
    emulator *e = emu_self_;
    const bool whole = strstr(d.type->name, "struct ") ||
                       strstr(d.type->name, "union ") || d.log_align > 3;
    if (!e || !e->cur || addr % (1ull << d.log_align) == 0 || !whole) {
        return; /* the access to a single number is checked itself */
    }
    const bool shared = shared_offset(e, addr) >= 0;
    const std::string where =
        in_stack(e->cur, addr) ? "the address of a variable of its own"
        : shared ? place_name(e, addr)
                 : emu_text("address 0x%llx", (unsigned long long)addr);
    emu_find(EMU_ALIGN, emu_site_at(e->cur, pc, 0, "use", 0, 0, 0),
             emu_text("misaligned: thread %d needs an address that is a "
                      "multiple of %llu for %s, not %s", e->cur->tid,
                      1ull << d.log_align, d.type->name, where.c_str()) +
                 (shared ? emu_text(": see __align__(%llu)",
                                    1ull << d.log_align) : ""));
    emu_abandon();
}

/* An index out of an array with a size known to the compiler. If the array is
 * in shared or global memory, the access that follows reports more. */
static void found_beyond(const check_data &d, uint64_t index, uint64_t pc) {
    fiber *f = emu_self_ ? emu_self_->cur : nullptr;
    if (!f) {
        return;
    }
    if (f->left.data) {
        emu_tell_beyond(f);
        emu_abandon();
    }
    f->left = {&d, index, pc};
}

extern "C" {

void __ubsan_handle_type_mismatch_v1(const check_data *d, uint64_t address) {
    found_askew(*d, address, EMU_PC);
}
void __ubsan_handle_out_of_bounds(const check_data *d, uint64_t index) {
    found_beyond(*d, index, EMU_PC);
}

#define EMU_HOOKS(n)                                                         \
    void __tsan_read##n(void *p) { hook(p, n, 0, EMU_PC); }                  \
    void __tsan_write##n(void *p) { hook(p, n, 1, EMU_PC); }                 \
    void __tsan_volatile_read##n(void *p) { strong_hook(p, n, 0, EMU_PC); }  \
    void __tsan_volatile_write##n(void *p) { strong_hook(p, n, 1, EMU_PC); } \
    void __tsan_unaligned_read##n(void *p) { hook_range(p, n, 0, EMU_PC); }  \
    void __tsan_unaligned_write##n(void *p) { hook_range(p, n, 1, EMU_PC); }

EMU_HOOKS(1)
EMU_HOOKS(2)
EMU_HOOKS(4)
EMU_HOOKS(8)
EMU_HOOKS(16)

void __tsan_read_range(void *p, size_t n) { hook_range(p, n, 0, EMU_PC); }
void __tsan_write_range(void *p, size_t n) { hook_range(p, n, 1, EMU_PC); }
/* clang calls these from 15 on. */
void *__tsan_memset(void *p, int value, size_t n) {
    hook_range(p, n, 1, EMU_PC);
    return memset(p, value, n);
}
void *__tsan_memcpy(void *to, const void *from, size_t n) {
    hook_range(from, n, 0, EMU_PC);
    hook_range(to, n, 1, EMU_PC);
    return memcpy(to, from, n);
}
void *__tsan_memmove(void *to, const void *from, size_t n) {
    hook_range(from, n, 0, EMU_PC);
    hook_range(to, n, 1, EMU_PC);
    return memmove(to, from, n);
}
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}
void __tsan_init(void) {}

/* emu.h turns the calls of a kernel file into these. */
void *emu_memcpy(void *to, const void *from, size_t n) {
    hook_range(from, n, 0, EMU_PC);
    hook_range(to, n, 1, EMU_PC);
    return memcpy(to, from, n);
}
void *emu_memmove(void *to, const void *from, size_t n) {
    hook_range(from, n, 0, EMU_PC);
    hook_range(to, n, 1, EMU_PC);
    return memmove(to, from, n);
}
void *emu_memset(void *to, int c, size_t n) {
    hook_range(to, n, 1, EMU_PC);
    return memset(to, c, n);
}

/* The call chain distinguishes the callers of a helper function. */
void __tsan_func_entry(void *pc) {
    fiber *f = emu_self_ ? emu_self_->cur : nullptr;
    if (!f) {
        return;
    }
    if ((char *)__builtin_frame_address(0) < f->stack + 32768) {
        emu_find_overflow(f, EMU_PC);
        emu_abandon();
    }
    if (f->depth < MAX_DEPTH) {
        f->frames[f->depth] = (uint64_t)pc;
        f->hashes[f->depth] = f->hash;
        f->hash = (f->hash ^ (uint64_t)pc) * 0x9e3779b97f4a7c15u;
    }
    f->depth++;
}
void __tsan_func_exit(void) {
    fiber *f = emu_self_ ? emu_self_->cur : nullptr;
    if (f && f->depth > 0 && --f->depth < MAX_DEPTH) {
        f->hash = f->hashes[f->depth];
    }
}

/* Atomics of host code in a kernel file, and of guards: performed, not
 * checked. */
#define EMU_RMW_(n, T, name)                                                 \
    T __tsan_atomic##n##_##name(volatile T *p, T v, int) {                   \
        return __atomic_##name(p, v, __ATOMIC_SEQ_CST);                      \
    }
#define EMU_CAS_(n, T, name)                                                 \
    int __tsan_atomic##n##_##name(volatile T *p, T *c, T v, int, int) {      \
        return __atomic_compare_exchange_n(p, c, v, 0, __ATOMIC_SEQ_CST,     \
                                           __ATOMIC_SEQ_CST);                \
    }
#define EMU_ATOMICS(n, T)                                                    \
    T __tsan_atomic##n##_load(const volatile T *p, int) {                    \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                         \
    }                                                                        \
    void __tsan_atomic##n##_store(volatile T *p, T v, int) {                 \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                            \
    }                                                                        \
    T __tsan_atomic##n##_exchange(volatile T *p, T v, int) {                 \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                  \
    }                                                                        \
    EMU_RMW_(n, T, fetch_add)                                                \
    EMU_RMW_(n, T, fetch_sub)                                                \
    EMU_RMW_(n, T, fetch_and)                                                \
    EMU_RMW_(n, T, fetch_or)                                                 \
    EMU_RMW_(n, T, fetch_xor)                                                \
    EMU_CAS_(n, T, compare_exchange_strong)                                  \
    EMU_CAS_(n, T, compare_exchange_weak)

EMU_ATOMICS(8, uint8_t)
EMU_ATOMICS(16, uint16_t)
EMU_ATOMICS(32, uint32_t)
EMU_ATOMICS(64, uint64_t)
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}

}
