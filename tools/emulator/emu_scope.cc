/* emu_scope.cc - checks the scopes of ll and the threads that make a move: are
 * they numbered by the order of the lanes, do all of them come.
 *
 * Sections: entering - numbers - moves.
 */
#include "emu_run.h"

#include <algorithm>

/* ==== Entering ========================================================== */

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

/* ==== Numbers =========================================================== */

static const fiber *thread_of(int rank, size_t tid) {
    const emulator *e = emu_self_;
    return e->fibers[(size_t)rank * threads_of(e) + tid];
}

/* "threads (0, 0, 0) and (32, 0, 0) of block (0, 0, 0) both have number 0 of
 * the 128 threads of S" */
std::string emu_both_have(const scope_use &s, int rank, size_t a, size_t b) {
    const fiber *f = thread_of(rank, a), *g = thread_of(rank, b);
    return emu_text("threads %s and %s of block %s both have number %d of the "
                    "%u threads of %s", emu_index(f->pub.thread).c_str(),
                    emu_index(g->pub.thread).c_str(),
                    emu_index(f->pub.block).c_str(), s.numbers[a], s.threads,
                    s.name.c_str());
}

/* The first two threads with the same number, in threads `from` to `to`. */
thread_pair emu_same_pair(const scope_use &s, int from, int to) {
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
    const thread_pair p = emu_same_pair(s, from, from + lanes);
    const int rare = (int)(least - n.begin()) * lanes;
    const std::string rest = *least
        ? emu_text("number %d belongs to %d thread%s only", rare, *least,
                   *least > 1 ? "s" : "")
        : emu_text("no thread has number %d", rare);
    if (p.b) {
        emu_find(EMU_LAUNCH, s.places[p.b],
                 "scope: " + emu_both_have(s, rank, p.a, p.b) + ", and " +
                     rest + ", in " + block_shape(emu_self_->block));
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
               ? emu_both_have(*s, f->rank, (size_t)std::min(f->tid, g->tid),
                               (size_t)std::max(f->tid, g->tid))
               : "";
}

/* ==== Moves ============================================================= */

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
void emu_check_moves(emulator *e) {
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
                              emu_list_of(scoped ? "number" : "thread", missing)
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
void emu_check_scopes(emulator *e) {
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
