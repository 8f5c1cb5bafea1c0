/* emu_async.cc - what runs beside the threads: barriers in shared memory
 * (mbarrier), TMA (cp.async.bulk), and the registers that a wgmma uses until it
 * is waited for.
 *
 * A TMA load delivers its bytes when a thread tests its mbarrier. Until then
 * they are in flight, and a thread that accesses them has not waited. A TMA
 * store, or a wgmma, reads at once, but holds its source until a wait: a write
 * before that is a finding. The TMA unit of each block counts as a warp of its
 * own; only threads that wait for the mbarrier learn what it did.
 *
 * Sections: knowledge - mbarrier - waiting - TMA - registers.
 */
#include "emu_int.h"

#include <algorithm>
#include <cstring>

/* ==== Knowledge ========================================================= */

static void learn(std::vector<uint64_t> &to, const std::vector<uint64_t> &of) {
    to.resize(std::max(to.size(), of.size()), 0);
    for (size_t i = 0; i < of.size(); i++) {
        to[i] = std::max(to[i], of[i]);
    }
}

static warp &warp_of(const fiber *f) {
    return emu_self_->warps[(size_t)f->warp];
}

/* Advances a warp's clock: what it does from now on is not known to others. */
static void advance(int number) {
    emulator *e = emu_self_;
    uint64_t &own = e->warps[(size_t)number].seen[(size_t)number];
    own++;
    e->clock = std::max(e->clock, own);
}

void emu_async_begin(void) {
    emulator *e = emu_self_;
    e->mbarriers.clear();
    e->loads.clear();
    e->stores.clear();
    e->registers.clear();
    e->fence_seen.clear();
    e->busy.clear();
    e->engines.assign((size_t)(e->ranks * emu_engines()), fiber());
    for (size_t k = 0; k < e->engines.size(); k++) {
        e->engines[k].warp = e->each * e->ranks + (int)k;
        e->engines[k].wait = DONE;
    }
    for (warp &w : e->warps) {
        w.groups.assign(1, reading());
    }
    emu_tmem_begin();
}

int emu_engines(void) { return 1 + (emu_self_->each + 3) / 4; }

/* Returns the TMA unit of the thread's block, or the tensor core of its
 * warpgroup. It learns what the thread knows. */
fiber *emu_engine(const fiber *f, bool tensor) {
    emulator *e = emu_self_;
    const int groups = (e->each + 3) / 4;
    const int n = tensor ? e->ranks + f->rank * groups +
                               f->warp % e->each / 4
                         : f->rank;
    fiber *engine = &e->engines[(size_t)n];
    std::vector<uint64_t> &seen = e->warps[(size_t)engine->warp].seen;
    const uint64_t now = seen[(size_t)engine->warp];
    seen = warp_of(f).seen;
    seen[(size_t)engine->warp] = now;
    return engine;
}

/* Finds what is unfinished when all threads of a cluster have ended. */
void emu_async_end(void) {
    emulator *e = emu_self_;
    emu_tmem_end();
    for (size_t k = 0; k < e->loads.size() && !e->dead; k++) {
        emu_find(EMU_ASYNC, e->loads[k].at,
                 "asynchronous: the block ends before this copy to its shared "
                 "memory has arrived: no thread waits for its mbarrier");
    }
    for (auto &all : e->stores) {
        for (const reading &g : all.second) {
            if (!g.chunks.empty() && !e->dead) {
                site *at = e->busy.count(g.chunks[0])
                               ? e->busy[g.chunks[0]].at : nullptr;
                if (at) {
                    emu_find(EMU_ASYNC, at,
                             "asynchronous: the block ends while this copy "
                             "still reads its shared memory: nothing has "
                             "waited for it");
                }
                break;
            }
        }
    }
    for (size_t w = 0; w + 3 < e->warps.size() && !e->dead; w++) {
        const warp &x = e->warps[w];
        const size_t in = w % (size_t)e->each;
        if (in % 4 == 0 && in + 3 < (size_t)e->each &&
            w < (size_t)(e->each * e->ranks)) {
            for (size_t i = 1; i < 4; i++) {
                const warp &y = e->warps[w + i];
                if (x.products != y.products) {
                    emu_find(EMU_ASYNC, x.product_at ? x.product_at
                                                     : y.product_at,
                             emu_text("asynchronous: warps of one warpgroup "
                                      "execute %llu and %llu wgmma; all four "
                                      "must execute each",
                                      (unsigned long long)x.products,
                                      (unsigned long long)y.products));
                    break;
                }
            }
        }
    }
}

void emu_proxy_fence(fiber *f) {
    f->fences++;
    emu_self_->fence_seen[f] = warp_of(f).seen;
}

/* ==== mbarrier ========================================================== */

static void abandon_with(int kind, site *at, const std::string &text,
                         site *other = nullptr, const char *what = "") {
    emu_find(kind, at, text, other, what);
    emu_abandon();
}

/* Names a thread, with its block if `other` is in another one. */
static std::string thread_name(const fiber *f, const fiber *other) {
    return f->rank == other->rank
               ? emu_text("thread %d", f->tid)
               : emu_text("thread %d of block %d of the cluster", f->tid,
                          f->rank);
}

/* Returns the mbarrier at a place. Ends the kernel if there is none, or if its
 * initialisation is not ordered before the thread. */
static mbarrier &mbarrier_at(fiber *f, mbarrier_place p, site *s) {
    emulator *e = emu_self_;
    emu_shared_check(f, p.addr, 8, s, p.owner);
    auto it = e->mbarriers.find(emu_shadow(p.addr, p.owner));
    if (it == e->mbarriers.end()) {
        abandon_with(EMU_BARRIER, s,
                     emu_text("mbarrier: at %s there is none: it was not "
                              "initialised", emu_place(p.addr).c_str()));
    }
    mbarrier &b = it->second;
    const bool fenced = b.by->fences > b.fences &&
                        warp_of(f).passed[(size_t)b.by->warp] >= b.clock;
    if (b.by->warp != f->warp && !fenced &&
        warp_of(f).seen[(size_t)b.by->warp] < b.clock) {
        emu_find(EMU_RACE, s,
                 emu_text("race: %s uses the mbarrier at %s, which %s "
                          "initialised with no %sbarrier between",
                          thread_name(f, b.by).c_str(), b.name.c_str(),
                          thread_name(b.by, f).c_str(),
                          f->rank == b.by->rank ? "" : "cluster "),
                 b.at, "the initialisation");
    }
    return b;
}

void emu_mbarrier_init(fiber *f, mbarrier_place p, uint64_t count, site *s) {
    emulator *e = emu_self_;
    if (count < 1 || count >= 1u << 20) {
        abandon_with(EMU_BARRIER, s,
                     emu_text("mbarrier: its count of arrivals is %llu; 1 to "
                              "%u are possible",
                              (unsigned long long)count, (1u << 20) - 1));
    }
    emu_access(f, p.addr, 8, 1, s, p.owner);
    memset((void *)p.addr, 0x5a, 8);
    emu_settle(f);
    mbarrier b;
    b.expected = b.pending = (unsigned)count;
    b.at = s;
    b.by = f;
    b.fences = f->fences;
    b.clock = warp_of(f).seen[(size_t)f->warp];
    b.name = emu_place(p.addr);
    e->mbarriers[emu_shadow(p.addr, p.owner)] = b;
}

void emu_mbarrier_inval(fiber *f, mbarrier_place p, site *s) {
    mbarrier_at(f, p, s);
    emu_self_->mbarriers.erase(emu_shadow(p.addr, p.owner));
}

/* Names bytes that are missing, or arrived before they were announced. */
static std::string bytes_name(const mbarrier &b) {
    return emu_text("%lld bytes %s",
                    (long long)(b.bytes < 0 ? -b.bytes : b.bytes),
                    b.bytes < 0 ? "have arrived that no expect_tx named"
                                : "are still missing");
}

/* Two lanes execute one arrival: one thread should arrive alone. */
static std::string by_lanes(const arrival &x, const arrival &y) {
    return x.by == y.by || x.by->warp != y.by->warp || x.at != y.at
               ? ""
               : emu_text("lanes %d and %d of warp %d both arrive here: let "
                          "one thread do it (ll_ptx_elect), or initialise the "
                          "mbarrier with the number of lanes", x.by->lane,
                          y.by->lane, x.by->tid / emu_self_->t.lanes);
}

/* Finds a phase that ends although no thread has waited for the previous
 * one. */
static void unseen(const mbarrier &b) {
    if (b.phase <= b.watched || b.came.empty() || b.before.empty()) {
        return;
    }
    const arrival &x = b.before.back(), &y = b.came.back();
    const std::string lanes = by_lanes(x, y);
    const std::string both =
        emu_text("phases %llu and %llu of the mbarrier at %s end, and no "
                 "thread has waited between: ",
                 (unsigned long long)b.phase - 1, (unsigned long long)b.phase,
                 b.name.c_str());
    const std::string why =
        x.by == y.by ? emu_text("thread %d arrives twice without a wait",
                                y.by->tid)
                     : emu_text("it was initialised with too few arrivals, %u: "
                                "%s and %s both arrive", b.expected,
                                thread_name(x.by, y.by).c_str(),
                                thread_name(y.by, x.by).c_str());
    emu_find(EMU_BARRIER, y.at,
             "mbarrier: " + both + (lanes.empty() ? why : lanes), b.at,
             "its initialisation");
}

static void end_phase(mbarrier &b) {
    while (b.pending == 0 && b.bytes == 0) {
        unseen(b);
        b.before.swap(b.came);
        b.came.clear();
        if (b.started > b.named && !b.few_started) {
            b.few_named = b.named;
            b.few_started = b.started;
            b.few_phase = b.phase;
        }
        b.named = b.started = 0;
        b.phase++;
        b.pending = b.expected;
        b.known = b.arrived;
        if (b.expected) {
            break;
        }
    }
}

/* Explains why a phase receives more arrivals than it expects. */
static std::string too_many(const mbarrier &b, uint64_t count,
                            const arrival &now) {
    std::string why = count > b.expected
                          ? "it was initialised with too few"
                          : "a wait for the phase is missing before";
    for (const arrival &x : b.came) {
        const std::string lanes = by_lanes(x, now);
        why = lanes.empty() ? why : lanes;
    }
    const std::string had =
        b.pending ? emu_text("%u of %u have arrived", b.expected - b.pending,
                             b.expected)
                  : emu_text("all %u have arrived, and %s", b.expected,
                             bytes_name(b).c_str());
    return emu_text("mbarrier: %llu arrivals more at %s than this phase takes: "
                    "%s; %s", (unsigned long long)(count - b.pending),
                    b.name.c_str(), had.c_str(), why.c_str());
}

/* Adds count arrivals (0: none) and expected bytes. A relaxed arrival publishes
 * only what TMA units and tensor cores did. */
void emu_mbarrier_arrive(fiber *f, mbarrier_place p, uint64_t count,
                         uint64_t bytes, site *s, bool relaxed) {
    mbarrier &b = mbarrier_at(f, p, s);
    if (bytes >= 1u << 20) {
        abandon_with(EMU_BARRIER, s,
                     emu_text("mbarrier: %llu bytes expected; at most %u are "
                              "possible", (unsigned long long)bytes,
                              (1u << 20) - 1));
    }
    if (count > b.pending) {
        abandon_with(EMU_BARRIER, s, too_many(b, count, {f, s, 0}), b.at,
                     "its initialisation");
    }
    b.bytes += (int64_t)bytes;
    b.named += (int64_t)bytes;
    if (count) {
        const emulator *e = emu_self_;
        std::vector<uint64_t> told = warp_of(f).seen;
        for (int w = 0; relaxed && w < e->each * e->ranks; w++) {
            told[(size_t)w] = 0;
        }
        learn(b.arrived, told);
        advance(f->warp);
        b.pending -= (unsigned)count;
        b.came.push_back({f, s, e->warps[(size_t)f->warp].seen[(size_t)f->warp]});
        end_phase(b);
    }
}

/* A tcgen05.commit of thread f: the tensor core has finished and arrives. It
 * publishes what the tensor core did, not what the thread did. */
void emu_core_arrive(fiber *f, fiber *core, mbarrier_place p, site *s) {
    const emulator *e = emu_self_;
    mbarrier &b = mbarrier_at(f, p, s);
    if (!b.pending) {
        abandon_with(EMU_BARRIER, s,
                     emu_text("mbarrier: a tcgen05.commit arrives at %s, but "
                              "the phase expects no more arrivals",
                              b.name.c_str()),
                     b.at, "its initialisation");
    }
    std::vector<uint64_t> told = warp_of(core).seen;
    for (int w = 0; w < e->each * e->ranks; w++) {
        told[(size_t)w] = 0;
    }
    learn(b.arrived, told);
    b.pending--;
    end_phase(b);
}

/* ==== Waiting =========================================================== */

/* Delivers the loads of an mbarrier. */
static void deliver(uint64_t key) {
    emulator *e = emu_self_;
    mbarrier &b = e->mbarriers[key];
    for (size_t k = 0; k < e->loads.size();) {
        if (e->loads[k].bar != key) {
            k++;
            continue;
        }
        const bulk_load c = e->loads[k];
        e->loads.erase(e->loads.begin() + (long)k);
        for (const auto &x : c.bytes) {
            *(char *)emu_far_bytes(x.first, c.owner) = (char)x.second;
        }
        const size_t chunk = std::min<size_t>(16, c.bytes.size());
        for (size_t i = 0; i < c.bytes.size(); i += chunk) {
            emu_in_flight(emu_shadow(c.bytes[i].first, c.owner), (int)chunk,
                          nullptr);
        }
        learn(b.arrived, c.seen);
        b.bytes -= (int64_t)c.bytes.size();
        end_phase(b);
    }
}

/* Returns whether the phase of that parity has ended. If so, the thread learns
 * what was done in it. */
static bool passes(fiber *f, uint64_t key, uint64_t parity) {
    mbarrier &b = emu_self_->mbarriers[key];
    if ((b.phase & 1) == (parity & 1)) {
        deliver(key);
    }
    if ((b.phase & 1) == (parity & 1)) {
        return false;
    }
    b.watched = b.phase;
    learn(warp_of(f).seen, b.known);
    return true;
}

/* Records what a thread waits for. */
static void note_wait(fiber *f, mbarrier_place p, uint64_t parity) {
    f->bar_key = emu_shadow(p.addr, p.owner);
    f->bar_parity = parity;
    f->has_waited = true;
}

bool emu_mbarrier_test(fiber *f, mbarrier_place p, uint64_t parity, site *s) {
    mbarrier_at(f, p, s);
    note_wait(f, p, parity);
    return passes(f, f->bar_key, parity);
}

/* try_wait may block as long as it likes: here, until it returns true. */
void emu_mbarrier_wait(fiber *f, mbarrier_place p, uint64_t parity, site *s) {
    f->c.at = s;
    mbarrier_at(f, p, s);
    note_wait(f, p, parity);
    if (!passes(f, f->bar_key, parity)) {
        f->wait = WAIT_MBARRIER;
        emu_park();
    }
}

bool emu_release_mbarriers(int rank) {
    bool any = false;
    for (fiber *f : emu_self_->fibers) {
        if (f->rank == rank && f->wait == WAIT_MBARRIER &&
            passes(f, f->bar_key, f->bar_parity)) {
            f->wait = WAIT_NONE;
            any = true;
        }
    }
    return any;
}

std::string emu_mbarrier_state(const fiber *f) {
    const mbarrier &b = emu_self_->mbarriers[f->bar_key];
    return emu_text("mbarrier at %s for the phase of parity %u; its phase is "
                    "%llu, waits for %u of %u arrivals, and %s%s",
                    b.name.c_str(), (unsigned)(f->bar_parity & 1),
                    (unsigned long long)b.phase, b.pending, b.expected,
                    bytes_name(b).c_str(),
                    emu_never_began(f) ? ": nothing has ever arrived" : "") +
           (b.bytes ? emu_text(": expect_tx named %lld, and copies of %lld "
                               "have been started", (long long)b.named,
                               (long long)b.started) : "");
}

bool emu_never_began(const fiber *f) {
    return f->wait == WAIT_MBARRIER && !emu_has_begun(f) &&
           !emu_self_->mbarriers[f->bar_key].phase;
}

bool emu_has_begun(const fiber *f) {
    const mbarrier &b = emu_self_->mbarriers[f->bar_key];
    return b.pending < b.expected || b.bytes;
}

/* Explains a phase that ended before all of its copies. */
static std::string why_few(const mbarrier &b) {
    return b.few_started
               ? emu_text("; when its phase %llu ended, expect_tx had named "
                          "%lld bytes, but copies of %lld bytes had been "
                          "started", (unsigned long long)b.few_phase,
                          (long long)b.few_named, (long long)b.few_started)
               : "";
}

/* Says why a thread accesses 16 bytes that a copy has not delivered: it waited
 * for another phase, or another thread did not wait for its cp.async. */
std::string emu_why_early(const fiber *f, uint64_t shadow, const site *copy) {
    emulator *e = emu_self_;
    for (const bulk_load &c : e->loads) {
        if (c.at == copy && f->has_waited && c.bar == f->bar_key) {
            const mbarrier &b = e->mbarriers[c.bar];
            return emu_text("it arrives with the phase of parity %u of the "
                            "mbarrier at %s, but the thread last waited there "
                            "for parity %u", (unsigned)(b.phase & 1),
                            b.name.c_str(), (unsigned)(f->bar_parity & 1)) +
                   why_few(b);
        }
    }
    for (const auto &[g, groups] : e->copies) {
        for (const copy_group &group : groups) {
            for (const async_copy &c : group) {
                if (g != f && shadow >= c.shadow &&
                    shadow < c.shadow + (uint64_t)c.size) {
                    return emu_text("thread %s issued it and must wait for it "
                                    "before the barrier between the two",
                                    emu_index(g->pub.thread).c_str());
                }
            }
        }
    }
    return "nothing has waited for it";
}

/* cp.async.mbarrier.arrive.noinc: arrives when this lane's copies have. */
void emu_copy_arrive(fiber *f, mbarrier_place p, site *s) {
    emu_copy_commit(f);
    emu_copy_wait(f, 0);
    emu_mbarrier_arrive(f, p, 1, 0, s);
}

/* ==== TMA =============================================================== */

const tensor_map *emu_map_at(uint64_t address) {
    uint64_t head[2];
    memcpy(head, (const void *)address, sizeof head);
    return head[0] == 0x6c6c5f656d755f6d && head[1] < emu_self_->maps.size()
               ? &emu_self_->maps[head[1]] : nullptr;
}

/* A __grid_constant__ parameter is where the launch put it. */
extern "C" void emu_grid_constant(const void *p, size_t bytes) {
    emu_self_->grid_constants[(uint64_t)p] = (uint64_t)p + bytes;
}

/* Returns whether a map is among a thread's own variables. The compiler copies
 * any other parameter there if its address is taken. */
bool emu_map_is_local(const fiber *f, uint64_t address) {
    const auto &all = emu_self_->grid_constants;
    auto it = all.upper_bound(address);
    const bool own = address >= (uint64_t)f->stack && address < (uint64_t)f;
    return own && (it == all.begin() || address >= std::prev(it)->second);
}

extern "C" int emu_encode_tiled(void *map, int bytes, unsigned rank,
                                uint64_t address, const uint64_t *dims,
                                const uint64_t *strides, const unsigned *box,
                                const unsigned *steps, int interleave,
                                unsigned swizzle) {
    emulator *e = emu_get();
    tensor_map m;
    bool ok = bytes && rank >= 1 && rank <= 5 && !interleave &&
              address % 16 == 0;
    m.address = address;
    m.rank = rank;
    m.bytes = (unsigned)bytes;
    m.swizzle = swizzle ? 16u << swizzle : 0;
    for (unsigned d = 0; ok && d < rank; d++) {
        m.dims[d] = dims[d];
        m.box[d] = box[d];
        m.strides[d] = d ? strides[d - 1] : m.bytes;
        ok = dims[d] >= 1 && dims[d] <= (uint64_t)1 << 32 && box[d] >= 1 &&
             box[d] <= 256 && steps[d] == 1 &&
             (d == 0 || (strides[d - 1] % 16 == 0 &&
                         strides[d - 1] < (uint64_t)1 << 40));
    }
    const unsigned inner = m.box[0] * m.bytes;
    if (!ok || inner % 16 || swizzle > 3 || (swizzle && inner > m.swizzle)) {
        return 1;
    }
    const uint64_t head[2] = {0x6c6c5f656d755f6d, e->maps.size()};
    e->maps.push_back(m);
    memset(map, 0, 128);
    memcpy(map, head, sizeof head);
    return 0;
}

/* One run of a box, contiguous in global memory: starts at `from`, with `good`
 * bytes inside the tensor; goes to shared memory from `to` on. */
struct run {
    uint64_t from, to;
    unsigned bytes, before, good;
};

static std::vector<run> runs_of(const bulk_call &c) {
    std::vector<run> all;
    if (!c.map) {
        all.push_back({c.global, 0, (unsigned)c.bytes, 0, (unsigned)c.bytes});
        return all;
    }
    const tensor_map &m = *c.map;
    unsigned lines = 1, width = m.box[0] * m.bytes;
    for (unsigned d = 1; d < m.rank; d++) {
        lines *= m.box[d];
    }
    const int64_t first = c.at[0], most = (int64_t)m.dims[0];
    const int64_t lo = std::max<int64_t>(first, 0);
    const int64_t hi = std::min(first + (int64_t)m.box[0], most);
    for (unsigned k = 0; k < lines; k++) {
        uint64_t from = m.address + (uint64_t)lo * m.bytes;
        bool in = hi > lo;
        for (unsigned d = 1, rest = k; d < m.rank; rest /= m.box[d], d++) {
            const int64_t at = c.at[d] + (int64_t)(rest % m.box[d]);
            in = in && at >= 0 && at < (int64_t)m.dims[d];
            from += (uint64_t)at * m.strides[d];
        }
        all.push_back({from, (uint64_t)k * width, width,
                       in ? (unsigned)(lo - first) * m.bytes : 0,
                       in ? (unsigned)(hi - lo) * m.bytes : 0});
    }
    return all;
}

/* The swizzle changes bits of the address. */
static uint64_t swizzled(const bulk_call &c, uint64_t offset) {
    const unsigned s = c.map ? c.map->swizzle : 0;
    const uint64_t mask = s == 128 ? 0x70 : s == 64 ? 0x30 : s == 32 ? 0x10
                                                                     : 0;
    return offset ^ (offset >> 3 & mask);
}

/* Bytes per line of its 8-line pattern, in groups of 16; 16: no swizzle, 0: no
 * map. */
static unsigned swizzle_of(const bulk_call &c) {
    return !c.map ? 0 : c.map->swizzle ? c.map->swizzle : 16;
}

/* The address of byte `at` of the copy in shared memory. */
static uint64_t place_of(const bulk_call &c, uint64_t at) {
    const uint64_t base = emu_shared_offset((const void *)c.shared.addr);
    return emu_shared_addr(swizzled(c, base + at));
}

static const char *problem_of(const bulk_call &c, const std::vector<run> &all) {
    uint64_t bytes = 0;
    for (const run &r : all) {
        bytes += r.bytes;
    }
    const unsigned s = c.map ? c.map->swizzle : 0;
    const uint64_t align = s ? 128 : c.map ? 128 : 16;
    if (bytes % 16 || (!c.map && c.global % 16)) {
        return "bytes, or an address, that are not a multiple of 16";
    }
    if (emu_shared_offset((const void *)c.shared.addr) % align) {
        return c.map ? "a place in shared memory that is not a multiple of 128"
                     : "a place in shared memory that is not a multiple of 16";
    }
    return nullptr;
}

/* Finds a box that starts inside a swizzle pattern and extends beyond it: the
 * swizzle, which uses the address, then permutes its rows differently. */
static void begins_askew(const bulk_call &c, uint64_t bytes, site *s) {
    const unsigned width = swizzle_of(c), pattern = 8 * width;
    const uint64_t at = emu_shared_offset((const void *)c.shared.addr);
    if (width > 16 && at % pattern && at % pattern + bytes > pattern) {
        emu_find(EMU_ALIGN, s,
                 emu_text("misaligned: with a swizzle of %u bytes a tile in "
                          "shared memory must start at a multiple of %u, and "
                          "this box starts %llu bytes after one: see __align__ "
                          "and ll_ptx_stage", width, pattern,
                          (unsigned long long)(at % pattern)));
    }
}

/* Finds a copy that two lanes of a warp start to one place. */
static void started_by_lanes(const fiber *f, uint64_t to, int owner, site *s) {
    for (const bulk_load &c : emu_self_->loads) {
        if (c.at == s && c.owner == owner && c.by != f &&
            c.by->warp == f->warp && c.bytes[0].first == to) {
            emu_find(EMU_LANES, s,
                     emu_text("lanes: lanes %d and %d of warp %d both start "
                              "this copy to %s: let one thread do it "
                              "(ll_ptx_elect)", c.by->lane, f->lane,
                              f->tid / emu_self_->t.lanes,
                              emu_place(to).c_str()));
            return;
        }
    }
}

/* Makes the bytes of one load for one block. */
static void load_to(fiber *f, const bulk_call &c, const std::vector<run> &all,
                    int owner, site *s) {
    emulator *e = emu_self_;
    fiber *engine = emu_engine(f, false);
    bulk_load load = {emu_shadow(c.bar.addr, owner), owner, {}, {}, s, f};
    started_by_lanes(f, place_of(c, 0), owner, s);
    engine->swizzle = (unsigned char)swizzle_of(c);
    for (const run &r : all) {
        if (r.good) {
            emu_global_check(f, r.from, r.good, 0, s);
        }
        for (unsigned i = 0; i < r.bytes; i++) {
            const bool in = i >= r.before && i - r.before < r.good;
            const unsigned char *from =
                (const unsigned char *)r.from + (i - r.before);
            const uint64_t to = place_of(c, r.to + i);
            if (i % 16 == 0) {
                emu_shared_check(f, to, 16, s, owner);
                emu_async_write(engine, to, owner, s);
                emu_in_flight(emu_shadow(to, owner), 16, s);
            }
            load.bytes.push_back({to, in ? *from : (unsigned char)0});
        }
    }
    engine->swizzle = 0;
    e->mbarriers[load.bar].started += (int64_t)load.bytes.size();
    load.seen = e->warps[(size_t)engine->warp].seen;
    advance(engine->warp);
    e->loads.push_back(load);
}

/* st.async: the bytes arrive when a thread waits for their mbarrier. */
void emu_store_async(fiber *f, mbarrier_place to, const void *data, int size,
                     mbarrier_place bar, site *s) {
    emulator *e = emu_self_;
    mbarrier_at(f, bar, s);
    fiber *engine = emu_engine(f, false);
    bulk_load store = {emu_shadow(bar.addr, bar.owner), to.owner, {}, {}, s,
                       f};
    emu_shared_check(f, to.addr, size, s, to.owner);
    emu_async_write(engine, to.addr, to.owner, s, size);
    emu_in_flight(emu_shadow(to.addr, to.owner), size, s);
    for (int i = 0; i < size; i++) {
        store.bytes.push_back({to.addr + (uint64_t)i,
                               ((const unsigned char *)data)[i]});
    }
    e->mbarriers[store.bar].started += size;
    store.seen = e->warps[(size_t)engine->warp].seen;
    advance(engine->warp);
    e->loads.push_back(store);
}

const char *emu_mask_problem(unsigned blocks) {
    static std::string text;
    const int ranks = emu_self_->ranks;
    if (blocks && !(blocks >> ranks)) {
        return nullptr;
    }
    text = blocks ? emu_text("a multicast by the mask 0x%x, which names blocks "
                             "outside the cluster: it has %d", blocks, ranks)
                  : "a multicast by the mask 0, which names no block";
    return text.c_str();
}

/* Returns an error message, or null. */
const char *emu_bulk_load(fiber *f, const bulk_call &c, site *s) {
    const std::vector<run> all = runs_of(c);
    const char *bad = problem_of(c, all);
    begins_askew(c, all.size() * all[0].bytes, s);
    for (int rank = 0; rank < emu_self_->ranks && !bad; rank++) {
        const bool here = c.is_multicast ? c.blocks >> rank & 1
                                         : rank == c.shared.owner;
        if (!here) {
            continue;
        }
        mbarrier &b = mbarrier_at(f, {c.bar.addr, rank}, s);
        auto seen = emu_self_->fence_seen.find(f);
        if (b.by->fences <= b.fences &&
            (seen == emu_self_->fence_seen.end() ||
             seen->second[(size_t)b.by->warp] < b.clock)) {
            emu_find(EMU_ASYNC, s,
                     emu_text("asynchronous: a copy uses the mbarrier at %s, "
                              "which %s initialised without a "
                              "fence.mbarrier_init or fence.proxy.async after "
                              "it", b.name.c_str(),
                              thread_name(b.by, f).c_str()),
                     b.at, "the initialisation");
        }
        load_to(f, c, all, rank, s);
    }
    return bad || !c.is_multicast ? bad : emu_mask_problem(c.blocks);
}

static std::vector<reading> &stores_of(fiber *f) {
    std::vector<reading> &all = emu_self_->stores[f];
    if (all.empty()) {
        all.emplace_back();
    }
    return all;
}

const char *emu_bulk_store(fiber *f, const bulk_call &c, site *s) {
    const std::vector<run> all = runs_of(c);
    const char *bad = problem_of(c, all);
    fiber *engine = emu_engine(f, false);
    begins_askew(c, all.size() * all[0].bytes, s);
    for (size_t k = 0; k < all.size() && !bad; k++) {
        const run &r = all[k];
        if (r.good) {
            emu_global_check(f, r.from, r.good, 1, s);
        }
        for (unsigned i = 0; i < r.bytes; i += 16) {
            emu_async_read(f, engine, place_of(c, r.to + i), s,
                           "cp.async.bulk", stores_of(f).back());
        }
        std::vector<char> now;
        for (unsigned i = 0; i < r.good; i++) {
            now.push_back(*(const char *)place_of(c, r.to + r.before + i));
        }
        if (r.good) {
            emu_global_store(f, r.from, r.good, now.data(), s,
                             stores_of(f).back());
            memcpy((void *)r.from, now.data(), r.good);
        }
    }
    advance(engine->warp);
    return bad;
}

void emu_bulk_commit(fiber *f) {
    stores_of(f);
    emu_self_->stores[f].emplace_back();
}

/* A warp learns that a TMA unit or tensor core has finished reading. */
static void knows(const fiber *f, const fiber *engine, uint64_t when) {
    uint64_t &seen = warp_of(f).seen[(size_t)engine->warp];
    seen = std::max(seen, when);
}

void emu_bulk_wait(fiber *f, size_t groups, bool only_read, site *) {
    std::vector<reading> &all = stores_of(f);
    const fiber *engine = &emu_self_->engines[(size_t)f->rank];
    for (size_t k = 0; k + 1 + groups < all.size(); k++) {
        knows(f, engine, all[k].clock);
        emu_async_done(all[k]);
        if (!only_read) {
            emu_global_stored(f, all[k]);
        }
    }
}

/* ==== Registers that a wgmma holds ====================================== */

void emu_watch(fiber *f, uint64_t lo, uint64_t hi, bool input, site *at) {
    std::vector<register_range> &all = emu_self_->registers[f];
    const warp &w = warp_of(f);
    const uint64_t group = w.retired + w.groups.size() - 1;
    for (register_range &r : all) {
        if (r.lo == lo && r.hi == hi && r.input == input) {
            r.group = group;
            r.busy = true;
            r.at = at;
            return;
        }
    }
    all.push_back({lo, hi, group, input, true, at});
    f->watched = (unsigned)all.size();
}

void emu_touch_registers(fiber *f, uint64_t addr, int size, int write,
                         uint64_t pc) {
    for (const register_range &r : emu_self_->registers[f]) {
        if (addr >= r.hi || addr + (uint64_t)size <= r.lo) {
            continue;
        }
        f->wgmma_fenced = f->wgmma_fenced && !write;
        if (r.busy && (write || !r.input)) {
            emu_find(EMU_ASYNC,
                     emu_site_at(f, pc, 0, "registers", SPACE_NONE, size,
                                 write),
                     emu_text("asynchronous: thread %d %s a register of a "
                              "wgmma that nothing has waited for", f->tid,
                              write ? "writes" : "reads"),
                     r.at, "the wgmma");
            return;
        }
    }
}

void emu_wgmma_commit(warp &w, uint64_t) {
    w.reads.push_back(w.groups.back().clock);
    w.groups.emplace_back();
}

/* The warps of a warp's warpgroup. */
static std::vector<warp *> siblings(const warp &w) {
    emulator *e = emu_self_;
    const int number = w.lanes[0]->warp, in = number % e->each;
    std::vector<warp *> all;
    for (int k = in / 4 * 4; k < in / 4 * 4 + 4 && k < e->each; k++) {
        all.push_back(&e->warps[(size_t)(number - in + k)]);
    }
    return all;
}

static uint64_t committed(const warp &w) {
    return w.retired + w.groups.size() - 1;
}

/* A wgmma ends when all warps of the warpgroup have started it. */
bool emu_wgmma_ready(const warp &w) {
    const collective &c = w.lanes[0]->c;
    if (c.perform != emu_wgmma_wait) {
        return true;
    }
    for (const warp *x : siblings(w)) {
        if (committed(*x) + (uint64_t)c.n < committed(w) &&
            emu_live_mask(*x)) {
            return false;
        }
    }
    return true;
}

/* Ends all but the latest c.n groups. A group belongs to the warpgroup: this
 * warp's groups end together with the groups of the other warps, and this warp
 * learns it, even if the others have waited before. */
void emu_wgmma_wait(warp &w, uint64_t) {
    const uint64_t all = committed(w), keep = (uint64_t)w.lanes[0]->c.n;
    const fiber *engine = emu_engine(w.lanes[0], true);
    const uint64_t end = all > keep ? all - keep : 0;
    for (warp *x : siblings(w)) {
        for (uint64_t g = x->retired; g < end && g < committed(*x); g++) {
            emu_async_done(x->groups[(size_t)(g - x->retired)]);
        }
        for (uint64_t g = w.retired; g < end && g < committed(*x); g++) {
            knows(w.lanes[0], engine, x->reads[(size_t)g]);
        }
    }
    while (w.retired < end) {
        w.groups.erase(w.groups.begin());
        w.retired++;
    }
    for (fiber *f : w.lanes) {
        for (register_range &r : emu_self_->registers[f]) {
            r.busy = r.busy && r.group >= w.retired;
        }
    }
}
