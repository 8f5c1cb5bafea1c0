/* emu_tmem.cc - tensor memory and its instructions (tcgen05), from the PTX
 * manual.
 *
 * Everything is performed at once. Marks beside the data, for 32 lanes of a
 * column at a time, say what the program may not rely on yet:
 * - a product or copy of the tensor core is known to whoever knows its clock: a
 *   commit arrives at an mbarrier, and a thread that waits for it learns the
 *   clock
 * - a load or store of a warp ends at its wait
 * - other threads need fences on both sides of the barrier between: the fence
 *   after takes over what the warp knows, the fence before publishes what was
 *   started
 *
 * Sections: state - who may - allocation - loads and stores - products -
 * copies.
 */
#include "emu_int.h"

#include <algorithm>
#include <cmath>
#include <cstring>

/* ==== State ============================================================= */

enum { LANES = 128, COLUMNS = 512, QUARTERS = 4, UNIT = 32 };

/* An operation of the tensor core or a warp on 32 lanes of a column. */
struct mark {
    bool by_core = false;
    const fiber *by = nullptr;
    int warp = 0;                /* of the thread, and its clock */
    uint64_t issued = 0;
    uint64_t clock = 0;          /* of the tensor core */
    uint64_t event = 0;          /* when it was started or waited for */
    bool pending = false;        /* a load or store without a wait yet */
    site *at = nullptr;
    const char *what = "";
};

struct chunk {
    bool is_written = false;
    mark write;
    std::vector<mark> reads;
};

struct tensor_memory {
    uint32_t word[LANES][COLUMNS];
    bool valid[LANES][COLUMNS];
    chunk chunks[COLUMNS][QUARTERS];
    int owner[COLUMNS / UNIT];   /* 0: free; else allocation number */
    int allocations = 0;
    std::vector<site *> allocated; /* by number; null: freed */
    site *relinquished = nullptr;
};

struct tmem_state {
    std::vector<tensor_memory *> blocks;
    std::map<const fiber *, std::vector<uint64_t>> after; /* known clocks, by
                                                             thread */
    std::map<const fiber *, uint64_t> before;             /* the last fence, by
                                                             thread */
    uint64_t event = 1;
    int group = 0;               /* .cta_group of the kernel */
};

static tmem_state &state() {
    static auto *s = new tmem_state;
    return *s;
}

static tensor_memory &memory_of(int rank) {
    std::vector<tensor_memory *> &all = state().blocks;
    if (all.size() <= (size_t)rank) {
        all.resize((size_t)rank + 1, nullptr);
    }
    if (!all[(size_t)rank]) {
        all[(size_t)rank] = new tensor_memory();
    }
    return *all[(size_t)rank];
}

void emu_tmem_begin(void) {
    tmem_state &s = state();
    for (tensor_memory *m : s.blocks) {
        delete m;
    }
    s.blocks.clear();
    s.after.clear();
    s.before.clear();
    s.group = 0;
}

void emu_tmem_end(void) {
    for (const tensor_memory *m : state().blocks) {
        for (size_t k = 0; m && k < m->allocated.size(); k++) {
            if (m->allocated[k] && !emu_self_->dead) {
                emu_find(EMU_ASYNC, m->allocated[k],
                         "tensor memory: the block ends before these columns "
                         "are freed by tcgen05.dealloc");
            }
        }
    }
}

/* All instructions of a kernel must have the same .cta_group. */
static const char *check_group(int group) {
    int &g = state().group;
    if (g && g != group) {
        return "a kernel with both .cta_group::1 and .cta_group::2";
    }
    g = group;
    return nullptr;
}

/* ==== Who may =========================================================== */

static std::vector<uint64_t> &seen_by(const fiber *f) {
    return emu_self_->warps[(size_t)f->warp].seen;
}

/* The tensor core of a block, with clocks of its own. */
static fiber *core_of(const fiber *f) {
    emulator *e = emu_self_;
    fiber *core = &e->engines[(size_t)(e->ranks +
                                       f->rank * ((e->each + 3) / 4))];
    std::vector<uint64_t> &seen = e->warps[(size_t)core->warp].seen;
    const uint64_t now = seen[(size_t)core->warp];
    seen = seen_by(f);
    seen[(size_t)core->warp] = now;
    return core;
}

void emu_tmem_fence(fiber *f, bool after) {
    if (after) {
        state().after[f] = seen_by(f);
    } else {
        state().before[f] = ++state().event;
    }
}

static bool fenced(const fiber *f, int warp, uint64_t clock) {
    auto it = state().after.find(f);
    return it != state().after.end() && it->second[(size_t)warp] >= clock;
}

static std::string place(int column, int quarter) {
    return emu_text("column %d of lanes %d to %d of tensor memory", column,
                    32 * quarter, 32 * quarter + 31);
}

/* Says why thread f, or the tensor core for it, must not access what m uses
 * yet; empty if it may. Without fences a barrier is enough if the columns are
 * freed. */
static std::string too_early(const fiber *f, bool by_core, const mark &m,
                             bool fences) {
    const int core = core_of(f)->warp;
    const bool same = m.warp == f->warp;
    if (m.pending) {
        return emu_text("which a %s of thread %d still uses: no %s has "
                        "completed it", m.what, m.by->tid,
                        strstr(m.what, "ld") ? "tcgen05.wait::ld"
                                             : "tcgen05.wait::st");
    }
    if (m.by_core && by_core && m.by == f) {
        return ""; /* one thread: in order */
    }
    if (m.by_core && m.by->rank == f->rank) {
        const bool done = seen_by(f)[(size_t)core] >= m.clock;
        if (done && (!fences || fenced(f, core, m.clock))) {
            return "";
        }
        if (!by_core || done) {
            return done ? emu_text("which a %s used: no "
                                   "tcgen05.fence::after_thread_sync follows "
                                   "the wait for its mbarrier", m.what)
                        : emu_text("which a %s of thread %d still uses: no "
                                   "thread has waited for an mbarrier of its "
                                   "tcgen05.commit", m.what, m.by->tid);
        }
    }
    if (!m.by_core && same) {
        return "";
    }
    if (m.by_core && m.by->rank != f->rank) {
        return ""; /* of the pair's other block: not checked */
    }
    if (seen_by(f)[(size_t)m.warp] < m.issued) {
        return emu_text("which a %s of thread %d uses, with no barrier between",
                        m.what, m.by->tid);
    }
    if (!fences) {
        return "";
    }
    auto before = state().before.find(m.by);
    if (before == state().before.end() || before->second < m.event) {
        return emu_text("which a %s of thread %d used without a "
                        "tcgen05.fence::before_thread_sync after it", m.what,
                        m.by->tid);
    }
    return fenced(f, m.warp, m.issued)
               ? ""
               : emu_text("which a %s of thread %d used: no "
                          "tcgen05.fence::after_thread_sync "
                          "follows the barrier", m.what,
                          m.by->tid);
}

/* One access. A finding is made once, not for every column. */
struct access {
    fiber *f;
    bool by_core, write;
    site *at;
    const char *what;
    int rank;          /* rank of the block with the tensor memory */
    uint64_t clock;    /* of the tensor core */
    bool fences = true;
    bool found = false;
};

static void report(access &a, int kind, const std::string &text,
                   const mark *m = nullptr) {
    if (!a.found && !emu_self_->dead) {
        a.found = true;
        emu_find(kind, a.at, text, m ? m->at : nullptr, m ? m->what : "");
    }
}

/* Checks and marks an access to 32 lanes of a column. */
static void touch(access &a, int column, int quarter) {
    tensor_memory &t = memory_of(a.rank);
    if (column < 0 || column >= COLUMNS || !t.owner[column / UNIT]) {
        report(a, EMU_BOUNDS,
               emu_text("tensor memory: a %s of thread %d uses column %d, "
                        "which no tcgen05.alloc has allocated for the block",
                        a.what,
                        a.f->tid, column));
        return;
    }
    chunk &c = t.chunks[column][quarter];
    std::string why;
    const mark *of = nullptr;
    if (c.is_written) {
        why = too_early(a.f, a.by_core, c.write, a.fences);
        of = &c.write;
    }
    for (size_t k = 0; k < c.reads.size() && a.write && why.empty(); k++) {
        why = too_early(a.f, a.by_core, c.reads[k], a.fences);
        of = &c.reads[k];
    }
    if (!why.empty()) {
        report(a, EMU_ASYNC,
               emu_text("asynchronous: a %s of thread %d uses %s, %s", a.what,
                        a.f->tid, place(column, quarter).c_str(),
                        why.c_str()), of);
    }
    mark m;
    m.by_core = a.by_core;
    m.by = a.f;
    m.warp = a.f->warp;
    m.issued = seen_by(a.f)[(size_t)a.f->warp];
    m.clock = a.clock;
    m.event = state().event;
    m.pending = !a.by_core;
    m.at = a.at;
    m.what = a.what;
    if (a.write) {
        c.is_written = true;
        c.write = m;
        c.reads.clear();
        return;
    }
    for (mark &r : c.reads) {
        if (r.by_core == m.by_core && r.warp == m.warp && r.by == m.by) {
            r = m;
            return;
        }
    }
    c.reads.push_back(m);
}

static uint32_t *word_at(access &a, int lane, int column) {
    tensor_memory &t = memory_of(a.rank);
    if (lane < 0 || lane >= LANES || column < 0 || column >= COLUMNS) {
        static uint32_t none;
        report(a, EMU_BOUNDS,
               emu_text("tensor memory: a %s of thread %d uses lane %d, column "
                        "%d; there are 128 lanes and 512 columns", a.what,
                        a.f->tid, lane, column));
        return &none;
    }
    bool &valid = t.valid[lane][column];
    if (!a.write && !valid) {
        report(a, EMU_UNINIT,
               emu_text("tensor memory: a %s of thread %d reads lane %d, column "
                        "%d, which nothing has written", a.what, a.f->tid, lane,
                        column));
    }
    valid = valid || a.write;
    return &t.word[lane][column];
}

/* ==== Allocation ======================================================== */

static const char *allocate(fiber *f, const tmem_call &c) {
    tensor_memory &t = memory_of(f->rank);
    const uint32_t n = c.columns;
    if (n < UNIT || n > COLUMNS || (n & (n - 1))) {
        return "a number of columns that is not a power of two from 32 to 512";
    }
    if (t.relinquished) {
        return "an allocation after tcgen05.relinquish_alloc_permit";
    }
    const int units = (int)n / UNIT;
    for (int at = 0; at + units <= COLUMNS / UNIT; at += units) {
        bool free = true;
        for (int k = 0; k < units; k++) {
            free = free && !t.owner[at + k];
        }
        if (!free) {
            continue;
        }
        t.allocations++;
        t.allocated.push_back(c.at);
        for (int k = 0; k < units; k++) {
            t.owner[at + k] = t.allocations;
            for (int x = 0; x < UNIT; x++) {
                const int column = UNIT * (at + k) + x;
                for (int lane = 0; lane < LANES; lane++) {
                    t.valid[lane][column] = false;
                }
                for (chunk &h : t.chunks[column]) {
                    h = chunk();
                }
            }
        }
        const uint32_t address = (uint32_t)(UNIT * at);
        emu_access(f, c.to.addr, 4, 1, c.at, c.to.owner);
        memcpy((void *)c.to.addr, &address, 4);
        emu_settle(f);
        return nullptr;
    }
    return "more columns than are free: it would wait for ever";
}

static const char *give_back(fiber *f, const tmem_call &c) {
    tensor_memory &t = memory_of(f->rank);
    const uint32_t at = c.address & 0xffff;
    const int number = at % UNIT || at >= COLUMNS ? 0 : t.owner[at / UNIT];
    const uint32_t same = (uint32_t)std::count(
        t.owner, t.owner + COLUMNS / UNIT, number);
    if (c.address >> 16 || !number || same * UNIT != c.columns ||
        (at && t.owner[at / UNIT - 1] == number)) {
        return "columns that are not those of one tcgen05.alloc";
    }
    access a = {f, false, true, c.at, "tcgen05.dealloc", f->rank, 0,
                false};
    for (uint32_t column = at; column < at + c.columns; column++) {
        for (int quarter = 0; quarter < QUARTERS; quarter++) {
            touch(a, (int)column, quarter);
        }
    }
    for (int &owner : t.owner) {
        owner = owner == number ? 0 : owner;
    }
    t.allocated[(size_t)number - 1] = nullptr;
    return nullptr;
}

/* ==== Loads and stores ================================================== */

/* The tensor memory lane and column of register r of a warp's lane. */
static void place_of(const tmem_call &c, int lane, int r, int *dp, int *column) {
    const int up = c.packed ? 2 : 1;
    *dp = c.shape == "32x32b"     ? lane
          : c.shape == "16x64b"   ? (lane >> 2) + 8 * (lane & 1)
          : c.shape == "16x128b"  ? (lane >> 2) + 8 * (r & 1)
          : c.shape == "16x256b"  ? (lane >> 2) + 8 * (r >> 1 & 1)
                                  : lane & 15;
    *column = c.shape == "32x32b"    ? up * r
              : c.shape == "16x64b"  ? up * ((lane >> 1 & 1) + 2 * r)
              : c.shape == "16x128b" ? up * ((lane & 3) + 4 * (r >> 1))
              : c.shape == "16x256b"
                  ? up * (2 * (lane & 3) + (r & 1) + 8 * (r >> 2))
                  : up * r + (lane >> 4) * c.split;
}

static const char *move(warp &w, const tmem_call &c, bool store) {
    fiber *f = w.lanes[0];
    access a = {f, false, store, c.at,
                store ? "tcgen05.st" : "tcgen05.ld", f->rank, 0};
    const int base = (int)(c.address >> 16), from = (int)(c.address & 0xffff);
    const int own = 32 * (f->warp % emu_self_->each % 4);
    const bool halves = c.shape != "32x32b";
    if (base != own && !(halves && base == own + 16)) {
        return "an address in lanes that this warp cannot access: warp n of a "
               "warpgroup has lanes 32 n to 32 n + 31";
    }
    std::vector<bool> columns(COLUMNS, false);
    for (int l = 0; l < 32 && !a.found; l++) {
        const tmem_call &q = *(const tmem_call *)w.lanes[(size_t)l]->c.addr;
        if (q.address != c.address) {
            return "addresses that differ among the lanes of a warp";
        }
        for (int r = 0; r < (int)c.r.size(); r++) {
            int dp, column;
            place_of(c, l, r, &dp, &column);
            for (int half = 0; half < (c.packed ? 2 : 1); half++) {
                const int at = from + column + half;
                if (at < COLUMNS && !columns[(size_t)at]) {
                    columns[(size_t)at] = true;
                    touch(a, at, own / 32);
                }
            }
        }
    }
    for (int l = 0; l < 32 && !a.found; l++) {
        tmem_call &q = *(tmem_call *)w.lanes[(size_t)l]->c.addr;
        for (int r = 0; r < (int)c.r.size(); r++) {
            int dp, column;
            uint32_t v = 0;
            place_of(c, l, r, &dp, &column);
            for (int half = 0; half < (c.packed ? 2 : 1); half++) {
                uint32_t *x = word_at(a, base + dp, from + column + half);
                if (store) {
                    const uint32_t y = (uint32_t)q.r[(size_t)r];
                    *x = c.packed ? y >> 16 * half & 0xffff : y;
                }
                v |= c.packed ? (*x & 0xffff) << 16 * half : *x;
            }
            q.r[(size_t)r] = store ? q.r[(size_t)r] : v;
        }
    }
    return nullptr;
}

/* Ends the loads or stores of a warp. */
static void end_moves(warp &w, bool stores) {
    tmem_state &s = state();
    const fiber *f = w.lanes[0];
    s.event++;
    for (auto &columns : memory_of(f->rank).chunks) {
        for (chunk &c : columns) {
            if (stores && c.write.pending && c.write.warp == f->warp) {
                c.write.pending = false;
                c.write.event = s.event;
            }
            for (mark &r : c.reads) {
                if (!stores && r.pending && r.warp == f->warp) {
                    r.pending = false;
                    r.event = s.event;
                }
            }
        }
    }
}

/* A collective of all lanes of a warp. */
void emu_tmem_collective(warp &w, uint64_t) {
    fiber *f = w.lanes[0];
    tmem_call &c = *(tmem_call *)f->c.addr;
    tensor_memory &t = memory_of(f->rank);
    const char *bad = c.group ? check_group(c.group) : nullptr;
    if (bad) {
        c.problem = bad;
        return;
    }
    switch (c.what) {
    case TMEM_ALLOC: bad = allocate(f, c); break;
    case TMEM_DEALLOC: bad = give_back(f, c); break;
    case TMEM_RELINQUISH: t.relinquished = c.at; break;
    case TMEM_LD: bad = move(w, c, false); break;
    case TMEM_ST: bad = move(w, c, true); break;
    default: end_moves(w, c.what == TMEM_WAIT_ST);
    }
    c.problem = bad ? bad : "";
}

/* ==== Products ========================================================== */

/* A matrix in shared memory, from its descriptor (PTX, "Shared memory
 * descriptor" and "Canonical Layouts"). */
struct described {
    uint64_t start, lbo, sbo, width = 16, lines = 8, mask = 0;
    int shift = 3;
    bool ok = true, mn;

    described(uint64_t d, bool mn_major)
        : start((d & 0x3fff) << 4), lbo((d >> 16 & 0x3fff) << 4),
          sbo((d >> 32 & 0x3fff) << 4), mn(mn_major) {
        const uint64_t mode = d >> 61;
        ok = (d >> 46 & 7) == 1 && (d >> 53 & 255) == 0 && mode != 3 &&
             mode != 5 && mode != 7;
        width = mode == 0 ? 16 : mode <= 2 ? 128 : mode == 4 ? 64 : 32;
        mask = mode == 1 ? 0x60 : width - 16;
        shift = mode == 1 ? 2 : 3;
        lines = mode == 1 ? 4 : 8;
    }
    /* Byte x along the contiguous axis, line y of the other axis. */
    uint64_t at(uint64_t x, uint64_t y) const {
        uint64_t o;
        if (!mn && width == 16) {
            o = x % 16 + y % 8 * 16 + lbo * (x / 16) + sbo * (y / 8);
        } else if (!mn) {
            o = x + y % lines * width + sbo * (y / lines);
        } else if (width == 16) {
            o = x % 16 + y % 8 * 16 + sbo * (x / 16) + lbo * (y / 8);
        } else {
            o = x % width + y % lines * width + lbo * (x / width) +
                sbo * (y / lines);
        }
        o += start;
        return o ^ (o >> shift & mask);
    }
};

struct typed {
    const char *name;
    int bits; /* bits of the number; in byte kinds it takes 8 */
};

static typed type_of(const std::string &kind, unsigned code) {
    static const typed bytes[] = {{"e4m3", 8}, {"e5m2", 8}, {"", 0},
                                  {"e2m3", 6}, {"e3m2", 6}, {"e2m1", 4}};
    if (kind == "f16") {
        return code == 0 ? typed{"f16", 16}
               : code == 1 ? typed{"bf16", 16} : typed{"", 0};
    }
    if (kind == "tf32") {
        return code == 2 ? typed{"tf32", 32} : typed{"", 0};
    }
    if (kind == "i8") {
        return code == 0 ? typed{"u8", 8}
               : code == 1 ? typed{"s8", 8} : typed{"", 0};
    }
    if (kind == "f8f6f4" || kind == "mxf8f6f4") {
        return code < 6 ? bytes[code] : typed{"", 0};
    }
    return code == 1 ? typed{"e2m1", 4} : typed{"", 0};
}

/* A product: its shape, and the blocks that take part. */
struct product {
    const tmem_product &c;
    fiber *f, *core;
    int m, n, k, blocks, first; /* first: the first block */
    typed a, b;
    std::string sum;
    bool packed, mn_a, mn_b;    /* packed: 4-bit elements side by side */
    int rows() const { return m / blocks; }
};

/* Reads 16 bytes of a block's shared memory. */
static bool chunk_of(const product &p, uint64_t low, int owner,
                     unsigned char *to) {
    const uint64_t at = emu_matching_shared(low, 18);
    reading r;
    emu_async_read(p.f, p.core, at ? at : 1, p.c.at, "tcgen05.mma", r, owner);
    if (emu_self_->dead) {
        return false;
    }
    emu_async_done(r);
    memcpy(to, emu_far_bytes(at, owner), 16);
    return true;
}

/* Returns number `i` in 16 bytes. Numbers of 4 and 6 bits that take a byte are
 * side by side at the start. */
static double number_in(const unsigned char *from, const typed &t, int i) {
    uint64_t v = 0;
    const int at = i * t.bits;
    for (int bit = 0; bit < t.bits; bit++) {
        v |= (uint64_t)(from[(at + bit) / 8] >> (at + bit) % 8 & 1) << bit;
    }
    return emu_value_of(t.name, v);
}

/* Reads rows of one block of an operand from shared memory into [row][k]. */
static bool fetch(const product &p, uint64_t descriptor, const typed &t,
                  bool mn, int rows, int owner, double *to) {
    const described d(descriptor, mn);
    const int each = p.packed ? 32 : t.bits < 8 ? 16 : 128 / t.bits;
    const int wide = 16 / each ? 16 / each : 1; /* bytes per element */
    for (int i = 0; i < rows; i += mn ? each : 1) {
        for (int k = 0; k < p.k; k += mn ? 1 : each) {
            unsigned char line[16];
            const uint64_t x = mn ? (uint64_t)(i * wide)
                                  : (uint64_t)(k / each * 16);
            if (!chunk_of(p, d.at(x, (uint64_t)(mn ? k : i)), owner, line)) {
                return false;
            }
            for (int j = 0; j < each; j++) {
                to[(mn ? i + j : i) * p.k + (mn ? k : k + j)] =
                    number_in(line, t, j);
            }
        }
    }
    return true;
}

/* Returns how many parts of the columns of d are stacked: for .ws as many as
 * the rows allow, for 128 rows of a pair two. */
static int parts_of(const product &p) {
    return p.c.ws ? 128 / p.m : p.blocks == 2 && p.m == 128 ? 2 : 1;
}

/* The lane of row i of a block and column n. */
static int lane_of(const product &p, int i, int n) {
    const int parts = parts_of(p);
    return p.m == 64 && parts == 1 ? i % 16 + 32 * (i / 16)
                                   : i + 128 / parts * (n / (p.n / parts));
}

static void touch_all(access &a, int base, int lanes, int from, int columns) {
    for (int column = from; column < from + columns; column++) {
        for (int q = base / 32; q <= (base + lanes - 1) / 32 && q < QUARTERS;
             q++) {
            touch(a, column, q);
        }
    }
}

/* Reads rows of A from a block's tensor memory, eight columns. */
static void gather(const product &p, access a, double *to, int owner) {
    const int base = (int)(p.c.a >> 16 & 0xffff), from = (int)(p.c.a & 0xffff);
    a.write = false;
    a.rank = owner;
    touch_all(a, base, p.m == 64 ? 112 : 128, from, 8);
    const int bits = p.packed ? 4 : p.a.bits < 8 ? 8 : p.a.bits;
    for (int i = 0; i < p.rows() && !a.found; i++) {
        for (int k = 0; k < p.k; k++) {
            const uint32_t x = *word_at(a, base + lane_of(p, i, 0),
                                        from + k * bits / 32);
            uint64_t v = bits == 32 ? x : x >> k * bits % 32 &
                                              ((1u << bits) - 1);
            v = bits == 8 && p.a.bits == 4 ? v >> 2 & 15 : v;
            to[i * p.k + k] = emu_value_of(p.a.name, v);
        }
    }
}

/* Reads the scales of n rows from a block's tensor memory into [row][scale]. */
static void factors(const product &p, access a, uint32_t address, int id, int n,
                    int owner, std::vector<double> &to) {
    const int from = (int)(address & 0xffff), each = p.c.scales;
    a.write = false;
    a.rank = owner;
    touch_all(a, 0, 128, from, (n + 31) / 32);
    to.assign((size_t)(n * each), 0);
    for (int i = 0; i < n && !a.found; i++) {
        uint32_t same = 0;
        for (int q = 0; q < QUARTERS; q++) {
            const uint32_t x = *word_at(a, i % 32 + 32 * q, from + i / 32);
            if (q && x != same) {
                report(a, EMU_LANES,
                       emu_text("tcgen05.mma: the scales of row %d differ "
                                "between lanes %d and %d of column %d", i,
                                i % 32, i % 32 + 32 * q, from + i / 32));
            }
            same = x;
        }
        for (int s = 0; s < each; s++) {
            const unsigned v = same >> 8 * (id + s) & 255;
            to[(size_t)(i * each + s)] =
                !(p.c.idesc >> 23 & 1) ? emu_value_of("e4m3", v & 127)
                : v == 255             ? NAN
                                       : ldexp(1, (int)v - 127);
        }
    }
}

static const char *problem_of(const product &p) {
    const uint32_t d = p.c.idesc;
    const bool mx = p.c.scales != 0;
    const int least = p.c.ws ? 32 : p.blocks == 2 || mx ? 128 : 64;
    if (!p.a.bits || !p.b.bits || p.sum.empty()) {
        return "types in the instruction descriptor that this kind does not "
               "have";
    }
    if (d & 4 || (!mx && (d >> 30 || d & 8))) {
        return "a sparse or saturated product, which is not supported";
    }
    if (p.m < least || p.m > 128 * p.blocks || (p.m & (p.m - 1)) ||
        (p.c.ws && (p.n < 64 || (p.n & (p.n - 1)))) || p.n < 8 * p.blocks || p.n > 256 || p.n % (8 * p.blocks)) {
        return "a shape in the instruction descriptor that this kind does not "
               "have";
    }
    if ((mx && (d >> 29 & 3) % (unsigned)p.c.scales) ||
        (mx && (d >> 4 & 3) % (unsigned)p.c.scales)) {
        return "a byte of scales that is not a multiple of their number";
    }
    if ((!p.c.from_tensor && !described(p.c.a, false).ok) ||
        !described(p.c.b, false).ok) {
        return "a shared memory descriptor that is not valid for tcgen05";
    }
    if (p.c.from_tensor && p.blocks == 2 && p.m == 128) {
        return "A in tensor memory for a pair with 128 rows, which is not "
               "supported";
    }
    if (p.c.from_tensor && p.c.ws && p.m < 128) {
        return "A in tensor memory of .ws with fewer than 128 rows, which is "
               "not supported";
    }
    if ((p.mn_a && p.c.from_tensor) || ((p.mn_a || p.mn_b) && p.packed)) {
        return "an operand that cannot be transposed";
    }
    return nullptr;
}

static product product_of(fiber *f, const tmem_product &c) {
    const uint32_t d = c.idesc;
    const bool mx = c.scales != 0;
    product p = {c, f, core_of(f), 0, 0, 0, c.group, f->rank, {}, {}, "", false,
                 (d >> 15 & 1) != 0, (d >> 16 & 1) != 0};
    const unsigned sum = d >> 4 & 3;
    p.m = mx ? (int)(d >> 27 & 3) << 7 : (int)(d >> 24 & 31) << 4;
    p.n = (int)(d >> 17 & 63) << 3;
    p.a = type_of(c.kind, d >> 7 & 7);
    p.b = type_of(c.kind, d >> 10 & (mx && c.kind != "mxf8f6f4" ? 3 : 7));
    p.sum = mx ? "f32"
            : c.kind == "i8" ? (sum == 2 ? "s32" : "")
            : sum == 1 ? "f32"
            : sum == 0 && c.kind != "tf32" ? "f16" : "";
    p.packed = c.kind == "mxf4" || c.kind == "mxf4nvf4";
    p.k = p.packed ? 64 : c.kind == "tf32" ? 8 : c.kind == "f16" ? 16 : 32;
    p.first = c.group == 2 ? f->rank & ~1 : f->rank;
    return p;
}

/* Adds the products of one block to its accumulators. */
static void add_up(const product &p, access a, int owner,
                   const std::vector<double> &x, const std::vector<double> &y) {
    const int base = (int)(p.c.d >> 16), from = (int)(p.c.d & 0xffff);
    const int wide = p.n / parts_of(p); /* columns of tensor memory */
    const int lanes = p.m == 64 && wide == p.n ? 112 : 128;
    std::vector<double> fa, fb;
    a.rank = owner;
    if (p.c.scales) {
        factors(p, a, p.c.sa, (int)(p.c.idesc >> 29 & 3), p.rows(), owner, fa);
        factors(p, a, p.c.sb, (int)(p.c.idesc >> 4 & 3), p.n, owner, fb);
    }
    a.write = !p.c.keep;
    touch_all(a, base, lanes, from, wide);
    for (int i = 0; i < p.rows() && !a.found; i++) {
        for (int n = 0; n < p.n; n++) {
            a.write = !p.c.keep;
            uint32_t *to = word_at(a, base + lane_of(p, i, n),
                                   from + n % wide);
            double sum = 0;
            for (int k = 0; k < p.k; k++) {
                const int s = p.c.scales ? k / (p.k / p.c.scales) : 0;
                const double v = x[(size_t)(i * p.k + k)] *
                                 y[(size_t)(n * p.k + k)];
                sum += p.c.scales ? v * fa[(size_t)(i * p.c.scales + s)] *
                                        fb[(size_t)(n * p.c.scales + s)]
                                  : v;
            }
            sum += p.c.keep ? emu_value_of(p.sum, p.sum == "f16"
                                                      ? *to & 0xffff : *to)
                            : 0;
            *to = (uint32_t)emu_pattern_of(p.sum, sum);
        }
    }
    a.write = true;
    if (p.c.keep) {
        touch_all(a, base, lanes, from, wide);
    }
}

/* Advances the core's clock: its work so far is not known to others yet. */
static uint64_t tick(const fiber *core) {
    emulator *e = emu_self_;
    uint64_t &clock = e->warps[(size_t)core->warp].seen[(size_t)core->warp];
    e->clock = std::max(e->clock, ++clock);
    return clock;
}

const char *emu_tmem_multiply(fiber *f, const tmem_product &c) {
    const product p = product_of(f, c);
    const char *bad = check_group(c.group);
    bad = bad ? bad : problem_of(p);
    if (bad || p.first + p.blocks > emu_self_->ranks) {
        return bad ? bad : "no second block in the pair";
    }
    std::vector<double> y((size_t)(p.n * p.k));
    access a = {f, true, true, c.at, "tcgen05.mma", f->rank, tick(p.core)};
    const int part = p.n / p.blocks;
    for (int block = 0; block < p.blocks; block++) {
        if (!fetch(p, c.b, p.b, p.mn_b, part, p.first + block,
                   &y[(size_t)(block * part * p.k)])) {
            return nullptr;
        }
    }
    for (int block = 0; block < p.blocks; block++) {
        std::vector<double> x((size_t)(p.rows() * p.k));
        if (c.from_tensor) {
            gather(p, a, x.data(), p.first + block);
        } else if (!fetch(p, c.a, p.a, p.mn_a, p.rows(), p.first + block,
                          x.data())) {
            return nullptr;
        }
        add_up(p, a, p.first + block, x, y);
    }
    return nullptr;
}

/* ==== Copies and commits ================================================ */

const char *emu_tmem_copy(fiber *f, const tmem_product &c,
                          const std::string &shape, const std::string &to) {
    product p = product_of(f, c);
    const described d(c.a, false);
    const bool all = shape == "128x256b" || shape == "128x128b";
    const int rows = all ? 128 : shape == "64x128b" ? 64 : 32;
    const int chunks = shape == "128x256b" ? 2 : 1;
    const char *bad = check_group(c.group);
    if (bad || !d.ok) {
        return bad ? bad : "a shared memory descriptor that is not valid for "
                           "tcgen05";
    }
    if ((!all && shape != "64x128b" && shape != "32x128b") || c.d >> 16) {
        return "not interpreted";
    }
    access a = {f, true, true, c.at, "tcgen05.cp", f->rank, tick(p.core)};
    for (int block = 0; block < c.group; block++) {
        a.rank = p.first + block;
        touch_all(a, 0, 128, (int)(c.d & 0xffff), 4 * chunks);
        for (int i = 0; i < rows && !a.found; i++) {
            for (int k = 0; k < chunks; k++) {
                uint32_t line[4];
                const uint64_t low = d.at((uint64_t)(16 * k), (uint64_t)i);
                if (!chunk_of(p, low, a.rank, (unsigned char *)line)) {
                    return nullptr;
                }
                for (int q = 0; q < QUARTERS; q++) {
                    const int from = all                       ? q
                                     : rows == 32              ? 0
                                     : to == "warpx2::02_13" ? q % 2
                                                               : q / 2;
                    for (int x = 0; x < 4 && i / 32 == from; x++) {
                        *word_at(a, i % 32 + 32 * q,
                                 (int)(c.d & 0xffff) + 4 * k + x) = line[x];
                    }
                }
            }
        }
    }
    return nullptr;
}

const char *emu_tmem_commit(fiber *f, int group, mbarrier_place bar,
                            bool is_multicast, unsigned blocks, site *s) {
    const char *bad = check_group(group);
    fiber *core = core_of(f);
    if (!bad && is_multicast) {
        bad = emu_mask_problem(blocks);
    }
    for (int rank = 0; rank < emu_self_->ranks && !bad; rank++) {
        if (is_multicast ? blocks >> rank & 1 : rank == bar.owner) {
            emu_core_arrive(f, core, {bar.addr, rank}, s);
        }
    }
    tick(core);
    return bad;
}
