/* emu_barrier.cc - the barriers of blocks and clusters: opens them, orders what
 * comes before and after them, and says who is missing in a deadlock.
 *
 * Sections: clocks - barriers of a block - barriers of a cluster - deadlocks.
 */
#include "emu_run.h"

#include <algorithm>
#include <climits>

/* ==== Clocks ============================================================ */

/* Orders everything before a barrier of the given warps before everything after
 * it: each warp learns the clocks of all, then advances its own. */
void emu_join_clocks(emulator *e, const std::vector<int> &ids,
                     std::vector<uint64_t> all) {
    all.resize(e->warps.size(), 0);
    for (int w : ids) {
        emu_hear(e->warps[(size_t)w]);
        e->warps[(size_t)w].split = false;
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

/* Returns whether a warp is ordered after the last use of a barrier. */
static bool is_behind(const warp &w, const barrier_use &last) {
    for (const auto &[id, clock] : last.warps) {
        if (w.seen[(size_t)id] < clock) {
            return false;
        }
    }
    return true;
}

/* ==== Barriers of a block =============================================== */

/* "warps 0 to 2 and 5" */
std::string emu_list_of(const char *what, std::vector<int> w) {
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
                          emu_list_of("thread", here).c_str(),
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
            s ? emu_same_pair(*s, 0, (int)s->threads) : thread_pair();
        why = p.b ? emu_both_have(*s, f->rank, p.a, p.b)
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
    emu_join_clocks(e, ids, b.seen);
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

bool emu_release_block(emulator *e, int rank, unsigned id) {
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
void emu_arrive_named(emulator *e, const std::vector<fiber *> &in) {
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
    w.split = w.split && in.size() < w.lanes.size();
    w.seen[(size_t)f->warp]++;
    e->clock = std::max(e->clock, w.seen[(size_t)f->warp]);
}

/* Finds barriers with arrivals but no wait, when all threads have ended. */
void emu_check_barriers(emulator *e) {
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

/* ==== Barriers of a cluster ============================================= */

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
void emu_check_ends(emulator *e) {
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
void emu_check_arrivals(emulator *e) {
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
void emu_arrive(emulator *e, const std::vector<fiber *> &in) {
    warp &w = e->warps[(size_t)in[0]->warp];
    const unsigned turn = in[0]->arrived % 2;
    for (size_t i = 0; i < w.seen.size(); i++) {
        uint64_t &known = e->arrived_seen[turn][i];
        uint64_t &passed = e->arrived_passed[turn][i];
        passed = std::max({passed, w.seen[i], w.passed[i]});
        known = in[0]->c.op == OP_ARRIVE ? std::max(known, w.seen[i]) : known;
    }
    w.split = false;
    w.seen[(size_t)in[0]->warp]++;
    e->clock = std::max(e->clock, w.seen[(size_t)in[0]->warp]);
    for (fiber *f : in) {
        f->arrived++;
    }
}

/* Releases threads at a cluster barrier once every live thread has arrived as
 * often as they have, even if some have waited since then. */
bool emu_release_cluster(emulator *e) {
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

/* ==== Deadlocks ========================================================= */

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
         emu_list_of("warp", warps);
    s += b.arrived ? emu_text(" and %u threads that only arrive", b.arrived)
                   : "";
    return s + (ended.empty() || !count ? ""
                : " (" + emu_list_of("thread", ended) + " of the block " +
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
void emu_report_deadlock(emulator *e) {
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
