/* emu.cc - runs a grid on the CPU: fibers, the scheduler, and the launch.
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
 *   g++ -no-pie kernel.o emu*.cc
 *
 * The second step has no -fsanitize: emu_hooks.cc defines the hooks. The two
 * -fno-...-sra keep the copy of a 16-byte struct one access, as on a GPU.
 *
 * A block's threads are fibers on one system thread. A fiber runs until it
 * reaches a barrier or an exchange; blocks run one after another, so static
 * storage can stand for shared memory. The blocks of a cluster take turns, and
 * what the kernel uses of that storage is exchanged between turns.
 *
 * Sections: fibers - scheduler - launch.
 */
#include "emu_run.h"

#include <algorithm>
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
            emu_complete(e, w, need);
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
            emu_complete(e, w, active);
            return true;
        }
    }
    return false;
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
            moved = emu_release_block(e, rank, id) || moved;
        }
    }
    return (!e->dead && emu_release_mbarriers(rank)) || moved;
}

static bool round_of_threads(emulator *e) {
    bool moved = false;
    for (int rank = 0; rank < e->ranks && !e->dead; rank++) {
        moved = round_of_block(e, rank) || moved;
    }
    return (!e->dead && emu_release_cluster(e)) || moved;
}

static void run_cluster(emulator *e) {
    while (e->live > 0 && !e->dead) {
        if (!round_of_threads(e) && !e->dead && !release_active(e)) {
            emu_report_deadlock(e);
        }
    }
    for (size_t w = 0; w < e->warps.size(); w++) {
        emu_flush((int)w);
    }
    emu_tell_guesses();
    emu_check_barriers(e);
    emu_check_ends(e);
    emu_check_arrivals(e);
    emu_async_end();
}

/* ==== Launch ============================================================ */

/* "(0, 1, 0)" */
std::string emu_index(const uint3 &i) {
    return emu_text("(%u, %u, %u)", i.x, i.y, i.z);
}

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

bool emu_blocks_left(void) {
    const emulator *e = emu_self_;
    const size_t all = (size_t)e->grid.x * e->grid.y * e->grid.z;
    return ((size_t)e->cluster_index + 1) * (size_t)e->ranks < all;
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
    e->flags.clear();
    e->guesses.clear();
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
        return emu_text("launch: kernel `%s` with %llu block%s of %llu "
                        "thread%s; a block must have 1 to 1024 threads, and "
                        "the grid at least one block", e->kernel.c_str(),
                        (unsigned long long)m, m == 1 ? "" : "s",
                        (unsigned long long)n, n == 1 ? "" : "s");
    }
    const dim3 &c = e->cluster;
    if (c.x * c.y * c.z == 0 || c.x * c.y * c.z > CLUSTER_LIMIT ||
        e->grid.x % c.x || e->grid.y % c.y || e->grid.z % c.z) {
        return emu_text("launch: kernel `%s` with clusters of %u x %u x %u "
                        "blocks; a "
                        "cluster must have 1 to %d blocks, and the grid must "
                        "be a multiple of it",
                        e->kernel.c_str(), c.x, c.y, c.z, CLUSTER_LIMIT);
    }
    if (shared > DYNAMIC_LIMIT) {
        return emu_text("launch: kernel `%s` asks for %zu bytes of shared "
                        "memory, more than %d", e->kernel.c_str(), shared, DYNAMIC_LIMIT);
    }
    if (shared > e->dyn_limit) {
        return emu_text("launch: kernel `%s` asks for %zu bytes of dynamic "
                        "shared memory, more than %zu; cudaFuncSetAttribute("
                        "kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, "
                        "bytes) allows more", e->kernel.c_str(), shared,
                        e->dyn_limit);
    }
    return "";
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
                 emu_text("launch: kernel `%s` with blocks of %zu threads, but "
                          "its __launch_bounds__ allow at most %u", kernel, n,
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
    emu_global_begin();
    e->released.assign((size_t)grid.x * grid.y * grid.z, 0);
    e->fenced = e->released;
    unsigned n = grid.x * grid.y * grid.z / (unsigned)e->ranks;
    for (unsigned c = 0; c < n && !e->dead; c++) {
        begin_cluster(e, c);
        run_cluster(e);
        emu_check_scopes(e);
        emu_check_moves(e);
    }
    e->last_error = e->dead ? cudaErrorLaunchFailure : cudaSuccess;
}
