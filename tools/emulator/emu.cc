/* emu.cc - runs a grid on the CPU: fibers, the scheduler, barriers, the
 * exchanges inside a warp, and the run-time calls.
 *
 *   emucc kernel.cu -o exe       compile and link (see that script)
 *
 * which amounts to
 *
 *   g++ -x c++ -std=c++17 -DLL_EMULATE=1 -I include -include emu.h -E kernel.cu
 *   awk -f translate.awk
 *   g++ -g -Og -fno-tree-sra -fno-ipa-sra -fno-optimize-sibling-calls
 *       -fsanitize=thread -fstack-clash-protection -S kernel.ii
 *   (shared variables are moved apart, kernel.s is assembled)
 *   g++ -no-pie kernel.o emu.cc emu_mem.cc emu_report.cc emu_ptx.cc
 *       emu_async.cc emu_tensor.cc emu_amd.cc
 *
 * The second step has no -fsanitize: emu_mem.cc defines the hooks. The two
 * -fno-...-sra keep the copy of a 16-byte struct one access, as on a GPU.
 *
 * A block's threads are fibers on one system thread. A fiber runs until it
 * reaches a barrier or an exchange; blocks run one after another, so static
 * storage can stand for shared memory. The blocks of a cluster take turns, and
 * what the kernel uses of that storage is exchanged between turns.
 *
 * Sections: fibers - scheduler - exchanges - scopes - launch - rounding -
 * run-time calls.
 */
#include "emu_int.h"

#include <algorithm>
#include <cfenv>
#include <climits>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>

emulator *emu_self_;

/* threadIdx, blockIdx etc. name these: the values of the running thread. */
#define EMU_INDEX_ __attribute__((section("emu_indices"), used))
extern "C" {
EMU_INDEX_ uint3 emu_thread_idx_, emu_block_idx_;
EMU_INDEX_ dim3 emu_block_dim_, emu_grid_dim_;
EMU_INDEX_ int emu_warp_size_ = 32;
}

static void show_indices(const emu_thread &t) {
    emu_thread_idx_ = t.thread;
    emu_block_idx_ = t.block;
    emu_block_dim_ = t.threads;
    emu_grid_dim_ = t.blocks;
    emu_warp_size_ = t.lanes;
}

emulator *emu_get(void) {
    if (!emu_self_) {
        emu_self_ = new emulator;
        emu_report_init();
        emu_memory_init();
    }
    return emu_self_;
}

/* ==== Fibers ============================================================ */

/* emu_switch(save, load) stores the stack pointer and loads another. It saves
 * only the registers that a call must preserve (x86-64 System V). */
extern "C" void emu_switch(void **save, void *load);
__asm__(".text\n"
        ".globl emu_switch\n"
        "emu_switch:\n"
        "  push %rbp\n  push %rbx\n"
        "  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
        "  mov %rsp, (%rdi)\n"
        "  mov %rsi, %rsp\n"
        "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n"
        "  pop %rbx\n  pop %rbp\n"
        "  ret\n");

static void fiber_main(void) {
    emulator *e = emu_self_;
    e->entry(e->params);
    emu_settle(e->cur);
    e->cur->wait = DONE;
    emu_park();
    abort();
}

void emu_park(void) {
    fiber *f = emu_self_->cur;
    emu_switch(&f->sp, emu_self_->sched_sp);
}

void emu_abandon(void) {
    emu_self_->dead = true;
    emu_park();
    abort();
}

/* Prepares a stack whose first return goes to fiber_main. */
static void fiber_start(fiber *f) {
    uint64_t *top = (uint64_t *)f;
    top = (uint64_t *)((uint64_t)top & ~(uint64_t)63);
    *--top = 0;
    *--top = (uint64_t)fiber_main;
    for (int i = 0; i < 6; i++) {
        *--top = 0;
    }
    f->sp = top;
}

/* The record is in the fiber's own stack, so threadIdx counts as private. */
static size_t threads_of(const emulator *e) {
    return (size_t)e->block.x * e->block.y * e->block.z;
}

static int warps_of(const emulator *e) {
    size_t lanes = (size_t)e->t.lanes;
    return (int)((threads_of(e) + lanes - 1) / lanes);
}

static fiber *fiber_make(emulator *e, size_t n) {
    while (e->stacks.size() <= n) {
        void *p = mmap(nullptr, STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) {
            fprintf(stderr, "emu: cannot allocate stacks for the threads\n");
            exit(2);
        }
        madvise(p, STACK_BYTES, MADV_NOHUGEPAGE); /* commit only what is used */
        mprotect(p, 4096, PROT_NONE); /* frames are probed: none skips it */
        e->stacks.push_back((char *)p);
    }
    char *stack = e->stacks[n];
    fiber *f = (fiber *)(stack + STACK_BYTES - sizeof(fiber) - 64);
    f = (fiber *)((uint64_t)f & ~(uint64_t)63);
    memset((void *)f, 0, sizeof *f);
    f->stack = stack;
    f->rank = (int)(n / threads_of(e));
    f->tid = (int)(n % threads_of(e));
    f->lane = f->tid % e->t.lanes;
    f->warp = f->rank * warps_of(e) + f->tid / e->t.lanes;
    f->hash = 1;
    return f;
}

/* ==== Scheduler ========================================================= */

struct thread_pair {
    size_t a = 0, b = 0;          /* two threads; b is 0 if there are none */
};

static thread_pair same_number(const scope_use &s, int from, int to);
static std::string both_have(const scope_use &s, int rank, size_t a, size_t b);

/* "warps 0 to 2 and 5" */
static std::string list_of(const char *what, std::vector<int> w) {
    std::string r;
    size_t parts = 0;
    w.erase(std::unique(w.begin(), w.end()), w.end());
    for (size_t i = 0, k; i < w.size(); i = k) {
        for (k = i + 1; k < w.size() && w[k] == w[k - 1] + 1;) {
            k++;
        }
        r += emu_text(!parts++ ? "" : k < w.size() ? ", " : " and ");
        r += k > i + 1 ? emu_text("%d to %d", w[i], w[k - 1])
                       : emu_text("%d", w[i]);
    }
    return what + std::string(w.size() > 1 ? "s " : " ") + r;
}

uint64_t emu_live_mask(const warp &w) {
    uint64_t m = 0;
    for (size_t l = 0; l < w.lanes.size(); l++) {
        m |= (uint64_t)(w.lanes[l]->wait != DONE) << l;
    }
    return m;
}

/* A barrier that a thread waits at after beginning a move may be the move's. */
static void note_wait(const fiber *f) {
    const bool waits = f->wait == WAIT_WARP || f->wait == WAIT_BLOCK ||
                       f->wait == WAIT_CLUSTER;
    if (waits && f->move) {
        f->move->waits[f->c.at] |= f->wait != WAIT_WARP;
    }
}

static void run_fiber(emulator *e, fiber *f) {
    f->steps = f->yields ? f->steps : 0;
    f->yields = false;
    e->cur = f;
    show_indices(f->pub);
    emu_switch(&e->sched_sp, f->sp);
    e->cur = nullptr;
    note_wait(f);
}

static void complete(emulator *e, warp &w, uint64_t lanes);

/* Completes the collectives of a warp once every live lane of the mask
 * waits. */
static bool release_warp(emulator *e, warp &w) {
    bool any = false;
    for (fiber *f : w.lanes) {
        if (f->wait != WAIT_WARP) {
            continue;
        }
        uint64_t need = f->c.mask & emu_live_mask(w);
        bool ready = true;
        for (size_t l = 0; l < w.lanes.size(); l++) {
            const fiber *g = w.lanes[l];
            ready = ready && (!(need >> l & 1) ||
                              (g->wait == WAIT_WARP && g->c.op == f->c.op &&
                               g->c.mask == f->c.mask &&
                               (f->c.op != OP_AMD || g->c.at == f->c.at)));
        }
        ready = ready && (f->c.op != OP_PRODUCT || emu_wgmma_ready(w));
        if (ready) {
            complete(e, w, need);
            any = true;
        }
        if (e->dead) {
            break;
        }
    }
    return any;
}

/* AMD's exchanges do not wait. When nothing else can run, the lanes that are at
 * one place are the active lanes. */
static bool release_active(emulator *e) {
    for (warp &w : e->warps) {
        uint64_t active = 0;
        const site *at = nullptr;
        for (size_t l = 0; l < w.lanes.size(); l++) {
            const fiber *f = w.lanes[l];
            bool here = f->wait == WAIT_WARP && f->c.op == OP_AMD &&
                        (!at || f->c.at == at);
            at = here ? f->c.at : at;
            active |= (uint64_t)here << l;
        }
        if (active) {
            complete(e, w, active);
            return true;
        }
    }
    return false;
}

/* Orders everything before a barrier of the given warps before everything after
 * it: each warp learns the clocks of all, then advances its own. */
static void join_clocks(emulator *e, const std::vector<int> &ids,
                        std::vector<uint64_t> all = {}) {
    all.resize(e->warps.size(), 0);
    for (int w : ids) {
        for (size_t i = 0; i < all.size(); i++) {
            all[i] = std::max(all[i], e->warps[(size_t)w].seen[i]);
        }
    }
    for (int w : ids) {
        warp &x = e->warps[(size_t)w];
        x.seen = all;
        x.seen[(size_t)w]++;
        e->clock = std::max(e->clock, x.seen[(size_t)w]);
    }
}

/* bar.sync is .aligned: the lanes of a warp must be at one instruction. */
static void check_aligned(const std::vector<fiber *> &in) {
    for (size_t i = 1; i < in.size(); i++) {
        const fiber *a = in[i - 1], *b = in[i];
        if (a->warp == b->warp && a->c.at != b->c.at && a->bar_aligned &&
            b->bar_aligned) {
            emu_find(EMU_LANES, b->c.at,
                     emu_text("divergence: lanes %d and %d of warp %d wait at "
                              "different block barriers", a->lane, b->lane,
                              a->warp), a->c.at, "the other barrier");
        }
    }
}

/* Returns whether a warp is ordered after the last use of a barrier. */
static bool is_behind(const warp &w, const barrier_use &last) {
    for (const auto &[id, clock] : last.warps) {
        if (w.seen[(size_t)id] < clock) {
            return false;
        }
    }
    return true;
}

/* Finds a __syncthreads in a branch, if threads wait at different ones. Skips
 * AMD, whose barriers have no places. */
static void check_places(emulator *e, const std::vector<fiber *> &in,
                         unsigned count) {
    const fiber *other = nullptr;
    std::vector<int> here;
    for (const fiber *f : in) {
        other = f->c.at != in[0]->c.at ? f : other;
    }
    if (count || !other || e->t.gfx || in[0]->bar_id || in[0]->at_scope) {
        return;
    }
    emu_place();
    for (const fiber *f : in) {
        if (f->c.at->line != other->c.at->line ||
            f->c.at->file != other->c.at->file) {
            here.push_back(f->tid);
        }
    }
    if (!here.empty() && !in[0]->c.at->kind.compare("bar")) {
        emu_find(EMU_BARRIER, in[0]->c.at,
                 emu_text("divergence: %s of block %s wait at this barrier, "
                          "the others at another: it is in a branch that not "
                          "all threads take",
                          list_of("thread", here).c_str(),
                          emu_index(in[0]->pub.block).c_str()),
                 other->c.at, "the other barrier");
    }
}

/* Explains why more threads wait at a barrier than its count: one group is too
 * large, or two groups use it. */
static void too_many(const std::vector<fiber *> &in, unsigned count) {
    std::map<site *, size_t> groups;
    const fiber *f = in[0], *other = in.back();
    for (const fiber *g : in) {
        size_t n = ++groups[g->c.at];
        f = n > groups[f->c.at] ? g : f;
    }
    const size_t most = groups[f->c.at];
    std::string why = "two groups of threads use it at the same time";
    if (most > count) {
        const scope_use *s = f->at_scope ? f->scope : nullptr;
        const thread_pair p =
            s ? same_number(*s, 0, (int)s->threads) : thread_pair();
        why = p.b ? both_have(*s, f->rank, p.a, p.b)
                  : emu_text("%zu of them wait here, so the count is too small "
                             "or %zu of them must not come", most,
                             most - count);
        other = nullptr;
    }
    emu_find(EMU_BARRIER, f->c.at,
             emu_text("barrier %u of block %s: %zu threads wait at it, but its "
                      "count is %u: ", f->bar_id,
                      emu_index(f->pub.block).c_str(), in.size(), count) + why,
             other ? other->c.at : nullptr, other ? "the other group" : "");
}

/* Finds two groups of warps that use the same barrier: nothing orders one use
 * after the other, or both wait at the same time. */
static void check_groups(emulator *e, const std::vector<fiber *> &in,
                         const std::vector<int> &ids, unsigned count,
                         named_barrier &b) {
    const fiber *f = in.empty() ? nullptr : in[0];
    if (!f || !count) {
        return; /* all threads of the block */
    }
    barrier_use &last = e->uses[(size_t)f->rank * 16 + f->bar_id];
    barrier_use now;
    std::vector<int> all = ids, before;
    all.insert(all.end(), b.warps.begin(), b.warps.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const auto &[id, clock] : last.warps) {
        before.push_back(id);
    }
    int early = b.early;
    for (int w : ids) {
        early = is_behind(e->warps[(size_t)w], last) ? early : w;
    }
    if (in.size() > count) {
        too_many(in, count);
    } else if (all != before && early >= 0) {
        emu_find(EMU_BARRIER, f->c.at,
                 emu_text("barrier %u of block %s: warp %d arrives at it, and "
                          "no barrier shows that warp %d has left it: ",
                          f->bar_id, emu_index(f->pub.block).c_str(), early,
                          before.empty() ? 0 : before[0]) +
                     (f->c.at == last.at
                          ? emu_text("the group has more than the %u threads "
                                     "of its count, or ", count) : "") +
                     "two groups of threads may use it at the same time",
                 last.at, "the other group");
    }
    for (int w : all) {
        now.warps.push_back({w, e->warps[(size_t)w].seen[(size_t)w]});
    }
    now.at = f->c.at;
    last = now;
}

/* Wakes the threads that wait at a barrier. They learn the clocks of threads
 * that only arrived; those threads learn nothing. */
static void open_barrier(emulator *e, const std::vector<fiber *> &in,
                         unsigned count, named_barrier &b) {
    std::vector<int> ids;
    unsigned total = 0;
    check_aligned(in);
    for (fiber *f : in) {
        total += f->c.pred != 0;
    }
    for (fiber *f : in) {
        f->wait = WAIT_NONE;
        f->bar_total = total;
        if (ids.empty() || ids.back() != f->warp) {
            ids.push_back(f->warp);
        }
    }
    check_places(e, in, count);
    check_groups(e, in, ids, count, b);
    join_clocks(e, ids, b.seen);
    for (int w : ids) {
        emu_flush(w);
    }
    b = named_barrier();
}

/* All threads at a barrier must give the same count. */
static void check_count(const fiber *f, unsigned count, const site *other) {
    if (f->bar_count != count) {
        emu_find(EMU_BARRIER, f->c.at,
                 emu_text("barrier %u: thread %d gives a count of %u threads, "
                          "others give %u",
                          f->bar_id, f->tid, f->bar_count, count),
                 (site *)other, "another thread");
    }
}

static bool release_block(emulator *e, int rank, unsigned id) {
    std::vector<fiber *> in;
    named_barrier &b = e->named[(size_t)rank * 16 + id];
    size_t live = 0;
    for (size_t k = 0; k < threads_of(e); k++) {
        fiber *f = e->fibers[(size_t)rank * threads_of(e) + k];
        live += f->wait != DONE;
        if (f->wait == WAIT_BLOCK && f->bar_id == id) {
            in.push_back(f);
        }
    }
    if (in.empty() && !b.arrived) {
        return false;
    }
    unsigned count = b.arrived ? b.count : in[0]->bar_count;
    const site *first = b.arrived ? b.at : in[0]->c.at;
    size_t need = count ? count : live;
    for (const fiber *f : in) {
        check_count(f, count, first);
    }
    if (in.size() + b.arrived < need) {
        return false;
    }
    open_barrier(e, in, count, b);
    return true;
}

/* Threads of one warp arrive at a barrier and go on. Threads that wait there
 * are ordered after what these did before. */
static void arrive_named(emulator *e, const std::vector<fiber *> &in) {
    fiber *f = in[0];
    named_barrier &b = e->named[(size_t)f->rank * 16 + f->bar_id];
    warp &w = e->warps[(size_t)f->warp];
    if (b.arrived) {
        check_count(f, b.count, b.at);
    }
    b.at = f->c.at;
    b.count = f->bar_count;
    b.arrived += (unsigned)in.size();
    b.warps.push_back(f->warp);
    if (!is_behind(w, e->uses[(size_t)f->rank * 16 + f->bar_id])) {
        b.early = f->warp;
    }
    b.seen.resize(w.seen.size(), 0);
    for (size_t i = 0; i < w.seen.size(); i++) {
        b.seen[i] = std::max(b.seen[i], w.seen[i]);
    }
    w.seen[(size_t)f->warp]++;
    e->clock = std::max(e->clock, w.seen[(size_t)f->warp]);
}

/* Finds barriers with arrivals but no wait, when all threads have ended. */
static void check_barriers(emulator *e) {
    for (size_t k = 0; k < e->named.size() && !e->dead; k++) {
        const named_barrier &b = e->named[k];
        if (b.arrived) {
            emu_find(EMU_BARRIER, b.at,
                     emu_text("barrier %zu never completes: %u of %u threads "
                              "have arrived when the block ends", k % 16,
                              b.arrived, b.count));
        }
    }
}

/* Returns whether a block is ordered after that clock of a warp. */
static bool is_known(const emulator *e, int block, int by, uint64_t clock) {
    bool known = e->dead;
    for (int w = block * e->each; w < (block + 1) * e->each; w++) {
        const warp &x = e->warps[(size_t)w];
        known = known || x.seen[(size_t)by] >= clock ||
                x.passed[(size_t)by] >= clock;
    }
    return known;
}

/* Finds blocks that may end before other blocks access their memory. */
static void check_ends(emulator *e) {
    for (const auto &one : e->remote) {
        const int owner = one.first.first;
        const remote_use &use = one.second;
        if (!is_known(e, owner, one.first.second, use.clock)) {
            emu_find(EMU_BARRIER, use.at,
                     emu_text("no barrier: block %d of the cluster may end "
                              "before thread %d of another block accesses its "
                              "shared memory", owner, use.tid));
        }
    }
}

/* Finds blocks that may end before others arrive at their mbarriers. */
static void check_arrivals(emulator *e) {
    for (const auto &one : e->mbarriers) {
        const mbarrier &b = one.second;
        std::vector<arrival> open = b.came;
        if (b.watched < b.phase) {
            open.insert(open.end(), b.before.begin(), b.before.end());
        }
        for (const arrival &x : open) {
            if (x.by->rank != b.by->rank &&
                !is_known(e, b.by->rank, x.by->warp, x.clock)) {
                emu_find(EMU_BARRIER, x.at,
                         emu_text("no barrier: block %d of the cluster may end "
                                  "before thread %d of another block arrives "
                                  "at its mbarrier", b.by->rank, x.by->tid));
                return;
            }
        }
    }
}

/* The lanes of a warp arrive at a cluster barrier. Threads that wait are
 * ordered after everything before the arrival, not after what follows it. After
 * a relaxed arrival, earlier writes are executed but may not be visible. */
static void arrive(emulator *e, const std::vector<fiber *> &in) {
    warp &w = e->warps[(size_t)in[0]->warp];
    const unsigned turn = in[0]->arrived % 2;
    for (size_t i = 0; i < w.seen.size(); i++) {
        uint64_t &known = e->arrived_seen[turn][i];
        uint64_t &passed = e->arrived_passed[turn][i];
        passed = std::max({passed, w.seen[i], w.passed[i]});
        known = in[0]->c.op == OP_ARRIVE ? std::max(known, w.seen[i]) : known;
    }
    w.seen[(size_t)in[0]->warp]++;
    e->clock = std::max(e->clock, w.seen[(size_t)in[0]->warp]);
    for (fiber *f : in) {
        f->arrived++;
    }
}

/* Releases threads at a cluster barrier once every live thread has arrived as
 * often as they have, even if some have waited since then. */
static bool release_cluster(emulator *e) {
    std::vector<unsigned> woken(e->warps.size(), 0); /* number of the arrival
                                                        that ended */
    unsigned least = UINT_MAX;
    bool any = false;
    for (const fiber *f : e->fibers) {
        least = f->wait == DONE ? least : std::min(least, f->arrived);
    }
    for (fiber *f : e->fibers) {
        if (f->wait == WAIT_CLUSTER && f->arrived <= least) {
            f->wait = WAIT_NONE;
            f->waited = f->arrived;
            woken[(size_t)f->warp] = f->arrived;
            any = true;
        }
    }
    for (size_t w = 0; w < woken.size(); w++) {
        warp &x = e->warps[w];
        const unsigned turn = !(woken[w] % 2);
        for (size_t i = 0; woken[w] && i < x.seen.size(); i++) {
            x.seen[i] = std::max(x.seen[i], e->arrived_seen[turn][i]);
            x.passed[i] = std::max(x.passed[i], e->arrived_passed[turn][i]);
        }
        if (woken[w]) {
            emu_flush((int)w);
        }
    }
    return any;
}

/* Says what a thread waits for at a barrier of its block. */
static std::string barrier_state(const emulator *e, const fiber *f) {
    const named_barrier &b = e->named[(size_t)f->rank * 16 + f->bar_id];
    const unsigned count = b.arrived ? b.count : f->bar_count;
    std::vector<int> warps, ended;
    unsigned live = 0, here = 0;
    for (const fiber *g : e->fibers) {
        const bool comes = g->rank == f->rank && g->wait == WAIT_BLOCK &&
                           g->bar_id == f->bar_id;
        live += g->rank == f->rank && g->wait != DONE;
        if (g->rank == f->rank && g->wait == DONE) {
            ended.push_back(g->tid);
        }
        here += comes;
        if (comes) {
            warps.push_back(g->tid / e->t.lanes);
        }
    }
    std::string s = emu_text("barrier %u of block %s", f->bar_id,
                             emu_index(f->pub.block).c_str());
    s += f->at_scope ? emu_text(" in scope %s of %u threads",
                                f->scope->name.c_str(), f->scope->threads) : "";
    s += emu_text(", which needs %s%u %sthreads: %u of them have arrived, ",
                  count ? "" : "all ", count ? count : live,
                  count ? "" : "live ", here + b.arrived) +
         list_of("warp", warps);
    s += b.arrived ? emu_text(" and %u threads that only arrive", b.arrived)
                   : "";
    return s + (ended.empty() || !count ? ""
                : " (" + list_of("thread", ended) + " of the block " +
                  (ended.size() > 1 ? "have ended)" : "has ended)"));
}

static std::string cluster_state(const emulator *e) {
    unsigned live = 0, came = 0;
    for (const fiber *f : e->fibers) {
        live += f->wait != DONE;
        came += f->wait == WAIT_CLUSTER ||
                (f->wait != DONE && f->arrived > f->waited);
    }
    return emu_text("cluster barrier, which needs all %u live threads: %u of "
                    "them have arrived", live, came);
}

static std::string wait_state(const emulator *e, const fiber *f) {
    uint64_t here = 0;
    if (f->wait == WAIT_WARP) {
        for (const fiber *g : e->warps[(size_t)f->warp].lanes) {
            here |= (uint64_t)(g->wait == WAIT_WARP && g->c.at == f->c.at)
                    << g->lane;
        }
    }
    return f->wait == WAIT_CLUSTER    ? cluster_state(e)
           : f->wait == WAIT_MBARRIER ? emu_mbarrier_state(f)
           : f->wait == WAIT_BLOCK    ? "block " + barrier_state(e, f)
           : emu_text("%s of lanes 0x%llx in warp %d of block %s, where lanes "
                      "0x%llx have arrived", f->c.at->kind.c_str(),
                      (unsigned long long)f->c.mask, f->tid / e->t.lanes,
                      emu_index(f->pub.block).c_str(),
                      (unsigned long long)here);
}

/* Returns whether a thread waits for others of its warp, block or cluster, and
 * one of them waits for an mbarrier: that wait is the cause. */
static bool is_explained(const emulator *e, const fiber *f) {
    for (const fiber *g : e->fibers) {
        const bool one = f->wait == WAIT_WARP    ? g->warp == f->warp &&
                                                   f->c.mask >> g->lane & 1
                         : f->wait == WAIT_BLOCK ? g->rank == f->rank &&
                                                   !f->bar_count &&
                                                   !f->at_scope
                                                 : f->wait == WAIT_CLUSTER;
        if (one && g->wait == WAIT_MBARRIER) {
            return true;
        }
    }
    return false;
}

/* No thread can go on. Reports where the first one waits and who is missing.
 * Barriers where some have arrived come before those where nothing has. */
static void report_deadlock(emulator *e) {
    const fiber *first = nullptr, *other = nullptr;
    int same = 0;
    for (const fiber *f : e->fibers) {
        const bool begun = f->wait != WAIT_MBARRIER || emu_has_begun(f);
        if (f->wait != DONE && !is_explained(e, f) &&
            (!first || (begun && first->wait == WAIT_MBARRIER &&
                        !emu_has_begun(first)))) {
            first = f;
        }
    }
    for (const fiber *f : e->fibers) {
        if (f->wait == DONE) {
            continue;
        }
        if (f->c.at == first->c.at) {
            same++;
        } else if (!other || (is_explained(e, other) && !is_explained(e, f))) {
            other = f;
        }
    }
    const bool empty = other && emu_never_began(first) &&
                       emu_never_began(other) &&
                       first->bar_key != other->bar_key;
    emu_find(EMU_DEADLOCK, first->c.at,
             emu_text("deadlock: %d of %d live threads wait at this %s, and "
                      "%s%s; first is thread %s of block %s", same, e->live,
                      wait_state(e, first).c_str(),
                      same < e->live ? "the others never arrive"
                                     : "no other thread is left",
                      empty ? ": a producer that waits for empty stages begins "
                              "with parity 1" : "",
                      emu_index(first->pub.thread).c_str(),
                      emu_index(first->pub.block).c_str()),
             other ? other->c.at : nullptr,
             other ? emu_text("thread %s waits at the %s",
                              emu_index(other->pub.thread).c_str(),
                              wait_state(e, other).c_str()) : "");
    e->dead = true;
}

/* One round of a block: runs every runnable thread, then releases waiting
 * ones. */
static bool round_of_block(emulator *e, int rank) {
    bool moved = false;
    size_t n = threads_of(e), warps = (size_t)warps_of(e);
    emu_enter_block(rank);
    for (size_t k = 0; k < n; k++) {
        fiber *f = e->fibers[(size_t)rank * n + k];
        if (f->wait == WAIT_NONE) {
            run_fiber(e, f);
            e->live -= f->wait == DONE;
            moved = true;
        }
        if (e->dead) {
            return false;
        }
    }
    for (size_t w = 0; w < warps; w++) {
        moved = release_warp(e, e->warps[(size_t)rank * warps + w]) || moved;
    }
    unsigned ids = 0; /* bit per barrier with waiting threads */
    for (size_t k = 0; k < n; k++) {
        const fiber *f = e->fibers[(size_t)rank * n + k];
        ids |= f->wait == WAIT_BLOCK ? 1u << f->bar_id : 0;
    }
    for (unsigned id = 0; id < 16; id++) {
        if (ids >> id & 1 || e->named[(size_t)rank * 16 + id].arrived) {
            moved = release_block(e, rank, id) || moved;
        }
    }
    return (!e->dead && emu_release_mbarriers(rank)) || moved;
}

static bool round_of_threads(emulator *e) {
    bool moved = false;
    for (int rank = 0; rank < e->ranks && !e->dead; rank++) {
        moved = round_of_block(e, rank) || moved;
    }
    return (!e->dead && release_cluster(e)) || moved;
}

static void run_cluster(emulator *e) {
    while (e->live > 0 && !e->dead) {
        if (!round_of_threads(e) && !e->dead && !release_active(e)) {
            report_deadlock(e);
        }
    }
    for (size_t w = 0; w < e->warps.size(); w++) {
        emu_flush((int)w);
    }
    check_barriers(e);
    check_ends(e);
    check_arrivals(e);
    emu_async_end();
}

/* ==== Exchanges inside a warp =========================================== */

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

/* All lanes of a collective have arrived: computes results, releases them. */
static void complete(emulator *e, warp &w, uint64_t lanes) {
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
        join_clocks(e, std::vector<int>(1, in[0]->warp));
    } else if (c.op == OP_ARRIVE || c.op == OP_ARRIVE_RELAXED) {
        arrive(e, in);
    } else if (c.op == OP_ARRIVE_NAMED) {
        arrive_named(e, in);
    } else if (c.op == OP_MATCH || c.op == OP_REDUCE) {
        reduce_lanes(in, c);
    }
    for (fiber *f : in) {
        if (c.op == OP_SHFL) {
            shuffle_lane(w, f, lanes);
        }
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
    f->wait = WAIT_WARP;
    emu_park();
}

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

/* ==== Scopes ============================================================ */

/* "(0, 1, 0)" */
std::string emu_index(const uint3 &i) {
    return emu_text("(%u, %u, %u)", i.x, i.y, i.z);
}

static std::string block_shape(const dim3 &b) {
    return emu_text("a block of %u x %u x %u", b.x, b.y, b.z);
}

/* Says what is wrong with a thread in a move without LL_IN, or returns "". Its
 * number is its threadIdx.x. */
static std::string stray_thread(const fiber *f, unsigned threads) {
    const dim3 &b = f->pub.threads;
    const std::string block = block_shape(b);
    if (b.x * b.y * b.z < threads) {
        return emu_text("a move needs %u threads, and %s has fewer: see "
                        "LL_THREADS", threads, block.c_str());
    }
    if (b.x < threads) {
        return emu_text("a move of %u threads without LL_IN numbers them by "
                        "threadIdx.x, and %s has %u in x: see LL_SCOPE and "
                        "LL_THREAD",
                        threads, block.c_str(), b.x);
    }
    if (f->pub.thread.x >= threads) {
        return emu_text("thread %s of %s makes a move of %u threads without "
                        "LL_IN, which is for threadIdx.x below %u: add LL_IN "
                        "to the move, or keep the other threads out of it",
                        emu_index(f->pub.thread).c_str(), block.c_str(),
                        threads, threads);
    }
    return emu_text("thread %s of %s is lane %d of its warp, but a move "
                    "without LL_IN treats it as lane %u, by its threadIdx.x: "
                    "see LL_SCOPE and LL_THREAD",
                    emu_index(f->pub.thread).c_str(), block.c_str(), f->lane,
                    f->pub.thread.x % (unsigned)emu_self_->t.lanes);
}

/* The same for a thread in a scope. */
static std::string stray_number(const fiber *f, const char *scope,
                                unsigned number, unsigned threads) {
    const dim3 &b = f->pub.threads;
    const std::string block = block_shape(b), t = emu_index(f->pub.thread);
    if (b.x * b.y * b.z < threads) {
        return emu_text("a move needs the %u threads of %s, and %s has fewer: "
                        "see LL_THREADS", threads, scope, block.c_str());
    }
    if (number >= threads) {
        return emu_text("thread %s of %s has number %d in %s, but its %u "
                        "threads have numbers 0 to %u: the number given by "
                        "LL_SCOPE is wrong, or the thread must not come here",
                        t.c_str(), block.c_str(), (int)number, scope, threads,
                        threads - 1);
    }
    return emu_text("thread %s of %s is lane %d of its warp, but its number in "
                    "%s, %u, makes it lane %u: numbers must follow the order "
                    "of the lanes, see LL_SCOPE", t.c_str(), block.c_str(),
                    f->lane, scope, number,
                    number % (unsigned)emu_self_->t.lanes);
}

/* Records that a thread entered a scope. */
static scope_use &note_scope(fiber *f, const char *name, unsigned number,
                             unsigned threads, uint64_t pc) {
    emulator *e = emu_self_;
    if (!f->scope || f->scope_name != name || f->scope->threads != threads) {
        scope_use &s = e->scopes[{f->rank, name, threads}];
        if (s.numbers.empty()) {
            s.name = name;
            s.threads = threads;
            s.numbers.assign(threads_of(e), -1);
            s.places.assign(threads_of(e), nullptr);
            s.came.assign(threads, false);
        }
        f->scope = &s;
        f->scope_name = name;
    }
    scope_use &s = *f->scope;
    int &known = s.numbers[(size_t)f->tid];
    if (known != (int)number) {
        s.varies = s.varies || known >= 0;
        known = (int)number;
        s.places[(size_t)f->tid] = emu_site_at(f, pc, 0, "scope", 0, 0, 0);
    }
    return s;
}

/* Counts the threads that begin a move. */
static void note_move(fiber *f, const char *scope, unsigned number,
                      unsigned threads, uint64_t pc) {
    move_use &m = emu_self_->moves[{f->rank, pc}];
    if (m.came.size() < threads) {
        m.came.resize(threads, 0);
        m.at = emu_site_at(f, pc, 0, "move", SPACE_NONE, 0, 0);
        m.scope = scope ? scope : "";
    }
    m.came[number]++;
    f->move = &m;
}

extern "C" void emu_enter(const char *scope, unsigned number, unsigned threads,
                          unsigned lanes) {
    fiber *f = emu_self_->cur;
    const dim3 &b = f->pub.threads;
    const unsigned there = scope ? b.x * b.y * b.z : b.x;
    if (there < threads || number >= threads ||
        (number ^ (unsigned)f->tid) % lanes) {
        emu_find(EMU_LAUNCH, emu_site_at(f, EMU_PC, 0, "scope", 0, 0, 0),
                 "scope: " + (scope ? stray_number(f, scope, number, threads)
                                    : stray_thread(f, threads)));
        emu_abandon();
    }
    if (scope) {
        note_scope(f, scope, number, threads, EMU_PC);
    } else {
        f->scope = nullptr;
    }
    note_move(f, scope, number, threads, EMU_PC);
}

extern "C" void emu_half(const emu_memory *memory, int is_load) {
    fiber *f = emu_self_->cur;
    emu_settle(f);
    f->half = memory;
    f->half_loads = is_load != 0;
    if (memory && f->move) {
        f->move->fills = !is_load;
    }
}

extern "C" void emu_columns(unsigned cols, unsigned each, unsigned all) {
    fiber *f = emu_self_->cur;
    if (cols < all && cols % each) {
        emu_find(EMU_ALIGN, emu_site_at(f, EMU_PC, 0, "tile", 0, 0, 0),
                 emu_text("misaligned: a tile has %u columns inside the "
                          "matrix, not a multiple of the %u that one access "
                          "moves", cols, each));
    }
}

extern "C" void emu_came(const char *scope, unsigned number,
                         unsigned threads) {
    fiber *f = emu_self_->cur;
    scope_use &s = note_scope(f, scope, number, threads, EMU_PC);
    f->at_scope = true;
    s.at = s.at ? s.at : emu_site_at(f, EMU_PC, 0, "scope", 0, 0, 0);
    if (number < s.came.size()) {
        s.came[number] = true;
    }
}

static const fiber *thread_of(int rank, size_t tid) {
    const emulator *e = emu_self_;
    return e->fibers[(size_t)rank * threads_of(e) + tid];
}

/* "threads (0, 0, 0) and (32, 0, 0) of block (0, 0, 0) both have number 0 of
 * the 128 threads of S" */
static std::string both_have(const scope_use &s, int rank, size_t a, size_t b) {
    const fiber *f = thread_of(rank, a), *g = thread_of(rank, b);
    return emu_text("threads %s and %s of block %s both have number %d of the "
                    "%u threads of %s", emu_index(f->pub.thread).c_str(),
                    emu_index(g->pub.thread).c_str(),
                    emu_index(f->pub.block).c_str(), s.numbers[a], s.threads,
                    s.name.c_str());
}

/* The first two threads with the same number, in threads `from` to `to`. */
static thread_pair same_number(const scope_use &s, int from, int to) {
    std::map<int, size_t> first;
    for (size_t t = 0; t < s.numbers.size(); t++) {
        if (s.numbers[t] >= from && s.numbers[t] < to &&
            !first.insert({s.numbers[t], t}).second) {
            return {first[s.numbers[t]], t};
        }
    }
    return {};
}

/* Returns how many warps share lanes of each warp of a scope. A group of
 * threads that moves together has each warp once; several groups have each
 * equally often. */
static std::vector<int> warps_of_scope(const scope_use &s) {
    const size_t lanes = (size_t)emu_self_->t.lanes;
    std::vector<int> n((s.threads + lanes - 1) / lanes, 0);
    std::vector<size_t> last(n.size(), SIZE_MAX);
    for (size_t t = 0; t < s.numbers.size(); t++) {
        const size_t k = (size_t)s.numbers[t] / lanes;
        if (s.numbers[t] >= 0 && k < n.size() && last[k] != t / lanes) {
            last[k] = t / lanes;
            n[k]++;
        }
    }
    return n;
}

/* Finds two threads of a block with the same number in a scope, while another
 * number has fewer threads or none. Complete groups, one after another or side
 * by side, have every number equally often. */
static bool check_numbers(const scope_use &s, int rank) {
    const std::vector<int> n = warps_of_scope(s);
    const int lanes = emu_self_->t.lanes;
    const auto most = std::max_element(n.begin(), n.end());
    const auto least = std::min_element(n.begin(), n.end());
    if (s.varies || *most < 2 || *most == *least) {
        return false;
    }
    const int from = (int)(most - n.begin()) * lanes;
    const thread_pair p = same_number(s, from, from + lanes);
    const int rare = (int)(least - n.begin()) * lanes;
    const std::string rest = *least
        ? emu_text("number %d belongs to %d thread%s only", rare, *least,
                   *least > 1 ? "s" : "")
        : emu_text("no thread has number %d", rare);
    if (p.b) {
        emu_find(EMU_LAUNCH, s.places[p.b],
                 "scope: " + both_have(s, rank, p.a, p.b) + ", and " + rest +
                     ", in " + block_shape(emu_self_->block));
    }
    return p.b != 0;
}

/* The same for two warps of one scope whose moves race. */
std::string emu_same_number(const fiber *f, int warp) {
    const emulator *e = emu_self_;
    const scope_use *s = f->scope;
    const auto &others = e->warps[(size_t)warp].lanes;
    if (!s || (size_t)f->lane >= others.size() || others[0]->rank != f->rank) {
        return "";
    }
    const fiber *g = others[(size_t)f->lane];
    const int n = s->numbers[(size_t)f->tid];
    return n >= 0 && n == s->numbers[(size_t)g->tid]
               ? both_have(*s, f->rank, (size_t)std::min(f->tid, g->tid),
                           (size_t)std::max(f->tid, g->tid))
               : "";
}

/* Threads that began a move less often than other threads of the block, or of
 * their warp, did. */
static std::vector<int> missing_of(const move_use &m, bool block) {
    const size_t n = m.came.size(), lanes = (size_t)emu_self_->t.lanes;
    const size_t each = block ? n : lanes;
    std::vector<int> missing;
    for (size_t from = 0; from < n; from += each) {
        const auto first = m.came.begin() + (long)from;
        const auto last = m.came.begin() + (long)std::min(from + each, n);
        const unsigned most = *std::max_element(first, last);
        for (auto it = first; it != last; ++it) {
            if (*it < most) {
                missing.push_back((int)(it - m.came.begin()));
            }
        }
    }
    return missing;
}

/* Returns whether a move synchronises the block, or a warp: a barrier or
 * exchange on the move's own line is in the header. */
static bool waits_itself(const move_use &m, bool block) {
    emu_place();
    for (const auto &[at, of_block] : m.waits) {
        if (of_block == block && at->in_layer && at->line == m.at->line &&
            at->file == m.at->file) {
            return true;
        }
    }
    return false;
}

/* Finds moves that some threads did not begin although others waited for them.
 * In a deadlock, only threads that have ended count as missing. */
static void check_moves(emulator *e) {
    for (const auto &[key, m] : e->moves) {
        for (int block = 1; block >= 0; block--) {
            const std::vector<int> missing = missing_of(m, block);
            const bool scoped = !m.scope.empty();
            bool ended = !scoped, never = true;
            for (int t : missing) {
                ended = ended && thread_of(key.first, (size_t)t)->wait == DONE;
                never = never && !m.came[(size_t)t];
            }
            const bool waits = waits_itself(m, block);
            if (missing.empty() || (e->dead && !ended) ||
                !(waits || (m.fills && e->half_unwritten))) {
                continue;
            }
            emu_find(EMU_LAUNCH, m.at,
                     emu_text("move: %s of %s%sblock %s %s, but its %zu "
                              "threads %s: the move is in a branch that they "
                              "do not take, or they return before it",
                              list_of(scoped ? "number" : "thread", missing)
                                  .c_str(),
                              m.scope.c_str(), scoped ? " in " : "",
                              emu_index(thread_of(key.first, 0)->pub.block)
                                  .c_str(),
                              never ? "never reach this move"
                                    : "reach this move less often",
                              m.came.size(),
                              waits ? "synchronise"
                                    : "fill the tile together"));
            break;
        }
    }
    e->half_unwritten = false;
    e->moves.clear();
}

/* Finds scopes of a cluster whose barrier not all threads reached. */
static void check_scopes(emulator *e) {
    for (const auto &[key, s] : e->scopes) {
        auto missing = std::find(s.came.begin(), s.came.end(), false);
        if (e->dead || check_numbers(s, std::get<0>(key)) || !s.at ||
            missing == s.came.end()) {
            continue;
        }
        emu_find(EMU_LAUNCH, s.at,
                 emu_text("scope: of the %u threads of %s only %zu reached its "
                          "barrier in %s: no thread has number %zu", s.threads,
                          s.name.c_str(),
                          (size_t)std::count(s.came.begin(), s.came.end(),
                                             true),
                          block_shape(e->block).c_str(),
                          (size_t)(missing - s.came.begin())));
    }
    e->scopes.clear();
}

/* ==== Launch ============================================================ */

static uint3 index_of(const dim3 &d, unsigned i) {
    uint3 r = {i % d.x, i / d.x % d.y, i / d.x / d.y};
    return r;
}

/* Position in the grid of the block with that rank in that cluster. */
static uint3 block_at(const emulator *e, unsigned cluster, unsigned rank) {
    const dim3 all(e->grid.x / e->cluster.x, e->grid.y / e->cluster.y,
                   e->grid.z / e->cluster.z);
    uint3 c = index_of(all, cluster), in = index_of(e->cluster, rank);
    uint3 r = {c.x * e->cluster.x + in.x, c.y * e->cluster.y + in.y,
               c.z * e->cluster.z + in.z};
    return r;
}

/* Starts a cluster, often of one block: threads at their start, clocks after
 * everything before. */
static void begin_cluster(emulator *e, unsigned index) {
    e->cluster_index = index;
    e->acquired.assign((size_t)e->ranks, false);
    size_t n = threads_of(e) * (size_t)e->ranks;
    uint64_t base = e->clock + 1;
    e->clock = base;
    e->block_id++;
    e->live = (int)n;
    e->scopes.clear();
    e->moves.clear();
    e->grid_constants.clear();
    e->fibers.clear();
    e->images.clear();
    e->in_place = 0;
    e->each = warps_of(e);
    e->warps.assign((size_t)((e->each + emu_engines()) * e->ranks), warp());
    for (unsigned turn = 0; turn < 2; turn++) {
        e->arrived_seen[turn].assign(e->warps.size(), 0);
        e->arrived_passed[turn].assign(e->warps.size(), 0);
    }
    e->named.assign((size_t)e->ranks * 16, named_barrier());
    e->uses.assign((size_t)e->ranks * 16, barrier_use());
    e->remote.clear();
    e->in_flight.clear();
    e->copies.clear();
    for (size_t w = 0; w < e->warps.size(); w++) {
        e->warps[w].seen.assign(e->warps.size(), base - 1);
        e->warps[w].passed.assign(e->warps.size(), 0);
        e->warps[w].seen[w] = base;
    }
    emu_async_begin();
    for (size_t i = 0; i < n; i++) {
        fiber *f = fiber_make(e, i);
        f->pub.thread = index_of(e->block, (unsigned)f->tid);
        f->pub.block = block_at(e, index, (unsigned)f->rank);
        f->pub.threads = e->block;
        f->pub.blocks = e->grid;
        f->pub.lanes = e->t.lanes;
        fiber_start(f);
        e->fibers.push_back(f);
        e->warps[(size_t)f->warp].lanes.push_back(f);
    }
}

/* Grid index of block `number`, counted cluster by cluster. */
std::string emu_block(unsigned number) {
    const emulator *e = emu_self_;
    const unsigned ranks = (unsigned)e->ranks;
    return emu_index(block_at(e, number / ranks, number % ranks));
}

std::string emu_writer(const global_mark &m, bool with_block) {
    const emulator *e = emu_self_;
    const int tid = m.warp % e->each * e->t.lanes + m.lane;
    return emu_index(index_of(e->block, (unsigned)tid)) +
           (with_block ? " of block " + emu_block(m.block) : "");
}

/* A crash inside a kernel ends that kernel, not the test. */
static void on_signal(int number, siginfo_t *info, void *where) {
    emulator *e = emu_self_;
    if (!e || !e->cur) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    fiber *f = e->cur;
    const ucontext_t *u = (const ucontext_t *)where;
    uint64_t pc = (uint64_t)u->uc_mcontext.gregs[REG_RIP] + 1;
    uint64_t below = (uint64_t)info->si_addr - (uint64_t)f->stack;
    if (number == SIGSEGV && below < 4096) {
        emu_find_overflow(f, pc);
        emu_abandon();
    }
    if (f->left.data) { /* an index out of bounds explains it */
        emu_tell_beyond(f);
        emu_abandon();
    }
    site *s = emu_site_at(f, pc, 0, "crash", SPACE_NONE, 0, 0);
    emu_find(EMU_CRASH, s,
             emu_text("crash: signal %d (%s) at address %p in thread %d",
                      number, strsignal(number), info->si_addr, f->tid));
    emu_abandon();
}

static void catch_signals(void) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    stack_t alt = {};
    alt.ss_size = 1 << 16;
    alt.ss_sp = malloc(alt.ss_size);
    sigaltstack(&alt, nullptr);
    struct sigaction a = {};
    a.sa_sigaction = on_signal;
    a.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int n : numbers) {
        sigaction(n, &a, nullptr);
    }
}

static std::string launch_problem(const emulator *e, size_t shared) {
    uint64_t n = (uint64_t)e->block.x * e->block.y * e->block.z;
    uint64_t m = (uint64_t)e->grid.x * e->grid.y * e->grid.z;
    if (n == 0 || n > 1024 || m == 0) {
        return emu_text("launch: %s with %llu blocks of %llu threads; a block "
                        "must have 1 to 1024 threads, and the grid at least "
                        "one block", e->kernel.c_str(),
                        (unsigned long long)m, (unsigned long long)n);
    }
    const dim3 &c = e->cluster;
    if (c.x * c.y * c.z == 0 || c.x * c.y * c.z > CLUSTER_LIMIT ||
        e->grid.x % c.x || e->grid.y % c.y || e->grid.z % c.z) {
        return emu_text("launch: %s with clusters of %u x %u x %u blocks; a "
                        "cluster must have 1 to %d blocks, and the grid must "
                        "be a multiple of it",
                        e->kernel.c_str(), c.x, c.y, c.z, CLUSTER_LIMIT);
    }
    if (shared > DYNAMIC_LIMIT) {
        return emu_text("launch: %s asks for %zu bytes of shared memory, more "
                        "than %d", e->kernel.c_str(), shared, DYNAMIC_LIMIT);
    }
    if (shared > e->dyn_limit) {
        return emu_text("launch: %s asks for %zu bytes of dynamic shared "
                        "memory, more than %zu; cudaFuncSetAttribute("
                        "kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, "
                        "bytes) allows more", e->kernel.c_str(), shared,
                        e->dyn_limit);
    }
    return "";
}

/* Dynamic shared memory that cudaFuncSetAttribute allowed, by kernel. */
static std::map<const void *, size_t> &allowed(void) {
    static auto *all = new std::map<const void *, size_t>;
    return *all;
}

extern "C" void emu_allow(const void *kernel, size_t bytes) {
    allowed()[kernel] = bytes;
}

extern "C" void emu_limit(const void *kernel) {
    size_t most = 48 << 10;
    for (const auto &[of, bytes] : allowed()) {
        const bool counts = !kernel || !of || of == kernel;
        most = counts ? std::max(most, bytes) : most;
    }
    emu_get()->dyn_limit = most;
}

/* Cluster sizes that __cluster_dims__ gives, by kernel. */
static std::map<std::string, dim3> &cluster_names(void) {
    static auto *all = new std::map<std::string, dim3>;
    return *all;
}

extern "C" void emu_cluster_of(const char *kernel, dim3 blocks) {
    cluster_names()[kernel] = blocks;
}

/* The cluster size of a launch: its own, or the kernel's. */
static dim3 clusters_of(const char *name, dim3 given) {
    auto it = cluster_names().find(name);
    bool none = given.x * given.y * given.z == 1;
    return it != cluster_names().end() && none ? it->second : given;
}

static fiber *here(void) { return emu_self_ ? emu_self_->cur : nullptr; }

extern "C" void emu_bounds(const char *kernel, unsigned threads) {
    fiber *f = here();
    size_t n = f ? threads_of(emu_self_) : 0;
    if (n > threads) {
        emu_find(EMU_LAUNCH,
                 emu_site_at(f, EMU_PC, 0, "bounds", SPACE_NONE, 0, 0),
                 emu_text("launch: %s with blocks of %zu threads, but its "
                          "__launch_bounds__ allow at most %u", kernel, n,
                          threads));
        emu_abandon();
    }
}

extern "C" void emu_fail(const char *text) {
    fiber *f = here();
    emu_find(EMU_ASSERT,
             emu_site_at(f, EMU_PC, 0, "trap", SPACE_NONE, 0, 0), text);
    emu_abandon();
}

/* The assert of kernels and host code, replacing the C library's. */
extern "C" void __assert_fail(const char *what, const char *file,
                              unsigned line, const char *function) noexcept {
    fiber *f = here();
    if (!f) {
        fprintf(stderr, "%s:%u: %s: assertion `%s' failed\n", file, line,
                function, what);
        abort();
    }
    emu_find(EMU_ASSERT,
             emu_site_at(f, EMU_PC, 0, "assert", SPACE_NONE, 0, 0),
             emu_text("assert: `%s` is false in thread %d of block %u", what,
                      f->tid, f->pub.block.x));
    emu_abandon();
}

extern "C" void emu_launch(const char *name, dim3 grid, dim3 block,
                           size_t shared, void (*entry)(void *), void *params,
                           size_t bytes, dim3 cluster) {
    emulator *e = emu_get();
    if (e->stacks.empty()) {
        catch_signals();
    }
    e->kernel = name;
    e->grid = grid;
    e->block = block;
    e->cluster = cluster = clusters_of(name, cluster);
    e->ranks = (int)(cluster.x * cluster.y * cluster.z);
    e->entry = entry;
    e->params = (char *)params;
    e->param_bytes = bytes;
    e->dyn_size = shared;
    e->launches++;
    e->static_bytes = 0;
    e->dead = false;
    e->last_error = cudaErrorInvalidValue;
    std::string problem = launch_problem(e, shared);
    e->dyn_limit = NO_LIMIT;
    if (!problem.empty()) {
        e->block = dim3(1);
        fiber *f = fiber_make(e, 0);
        emu_find(EMU_LAUNCH, emu_site_at(f, EMU_PC, 0, "launch", 0, 0, 0),
                 problem);
        return;
    }
    emu_memory_begin();
    e->first_mark += (uint32_t)e->marks.size();
    e->marks.clear();
    e->released.assign((size_t)grid.x * grid.y * grid.z, 0);
    e->fenced = e->released;
    unsigned n = grid.x * grid.y * grid.z / (unsigned)e->ranks;
    for (unsigned c = 0; c < n && !e->dead; c++) {
        begin_cluster(e, c);
        run_cluster(e);
        check_scopes(e);
        check_moves(e);
    }
    e->last_error = e->dead ? cudaErrorLaunchFailure : cudaSuccess;
}

/* ==== Arithmetic by a mode of rounding ================================== */

template <class T>
static T directed(int op, int mode, T a, T b, T c) {
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                                FE_UPWARD};
    volatile T x = a, y = b, z = c, r;
    fesetround(modes[mode & 3]);
    r = op == '+' ? x + y : op == '*' ? x * y : op == '/' ? x / y
        : op == 's' ? std::sqrt(x) : std::fma(x, y, z);
    fesetround(FE_TONEAREST);
    return r;
}

extern "C" float emu_directed(int op, int mode, float a, float b, float c) {
    return directed(op, mode, a, b, c);
}

extern "C" double emu_directed_double(int op, int mode, double a, double b,
                                      double c) {
    return directed(op, mode, a, b, c);
}

/* ==== Run-time calls ==================================================== */

/* A buffer has guard space on both sides, filled so that a stray read does not
 * return a plausible zero. */
extern "C" cudaError_t emu_malloc(void **p, size_t bytes) {
    emulator *e = emu_get();
    size_t whole = bytes + 2 * GUARD_BYTES + 512;
    char *block = (char *)malloc(whole);
    if (!block) {
        return cudaErrorMemoryAllocation;
    }
    memset(block, 0xa5, whole);
    uint64_t at = ((uint64_t)block + GUARD_BYTES + 511) & ~(uint64_t)511;
    buffer b = {(char *)at, bytes, block, {}};
    b.valid.assign(bytes, 0);
    e->buffers[at] = b;
    *p = (void *)at;
    return cudaSuccess;
}

extern "C" cudaError_t cudaFree(void *p) {
    emulator *e = emu_get();
    auto it = e->buffers.find((uint64_t)p);
    if (!p) {
        return cudaSuccess;
    }
    if (it == e->buffers.end()) {
        return cudaErrorInvalidValue;
    }
    free(it->second.block);
    free(it->second.by);
    e->buffers.erase(it);
    return cudaSuccess;
}

extern "C" void emu_global_add(void *p, size_t bytes) {
    buffer b = {(char *)p, bytes, nullptr, {}};
    b.valid.assign(bytes, 1);
    emu_get()->buffers[(uint64_t)p] = b;
}

extern "C" void emu_global_remove(void *p) {
    auto it = emu_get()->buffers.find((uint64_t)p);
    if (it != emu_get()->buffers.end()) {
        free(it->second.by);
        emu_get()->buffers.erase(it);
    }
}

/* Returns the buffer that contains the whole range, or null. */
static buffer *holder(const void *p, size_t bytes) {
    emulator *e = emu_get();
    auto it = e->buffers.upper_bound((uint64_t)p);
    if (it == e->buffers.begin()) {
        return nullptr;
    }
    buffer *b = &(--it)->second;
    uint64_t off = (uint64_t)p - it->first;
    return off <= b->size && bytes <= b->size - off ? b : nullptr;
}

extern "C" cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                                  enum cudaMemcpyKind kind) {
    buffer *d = holder(to, bytes), *s = holder(from, bytes);
    bool need_d = kind == cudaMemcpyHostToDevice ||
                  kind == cudaMemcpyDeviceToDevice;
    bool need_s = kind == cudaMemcpyDeviceToHost ||
                  kind == cudaMemcpyDeviceToDevice;
    if ((need_d && !d) || (need_s && !s)) {
        return cudaErrorInvalidValue;
    }
    memmove(to, from, bytes);
    for (size_t i = 0; d && i < bytes; i++) {
        size_t k = (size_t)((char *)to - d->start) + i;
        d->valid[k] = s ? s->valid[(size_t)((char *)from - s->start) + i] : 1;
    }
    return cudaSuccess;
}

extern "C" cudaError_t cudaMemset(void *p, int value, size_t bytes) {
    buffer *d = holder(p, bytes);
    if (!d) {
        return cudaErrorInvalidValue;
    }
    memset(p, value, bytes);
    memset(d->valid.data() + ((char *)p - d->start), 1, bytes);
    return cudaSuccess;
}

extern "C" cudaError_t cudaPeekAtLastError(void) {
    return (cudaError_t)emu_get()->last_error;
}

extern "C" cudaError_t cudaGetLastError(void) {
    emulator *e = emu_get();
    int r = e->last_error;
    e->last_error = 0;
    return (cudaError_t)r;
}

extern "C" const char *cudaGetErrorString(cudaError_t c) {
    switch (c) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorNoDevice: return "no device";
    case cudaErrorLaunchFailure: return "kernel stopped by an error, see "
                                        "emu_error()";
    default: return "unknown error";
    }
}

extern "C" const char *cudaGetErrorName(cudaError_t c) {
    switch (c) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorNoDevice: return "cudaErrorNoDevice";
    case cudaErrorLaunchFailure: return "cudaErrorLaunchFailure";
    default: return "cudaErrorUnknown";
    }
}
