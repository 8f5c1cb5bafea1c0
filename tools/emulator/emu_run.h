/* emu_run.h - what the files that run a grid share: its sizes, barriers,
 * exchanges of a warp, and scopes.
 */
#ifndef EMU_RUN_H
#define EMU_RUN_H

#include "emu_int.h"

static inline size_t threads_of(const emulator *e) {
    return (size_t)e->block.x * e->block.y * e->block.z;
}

static inline int warps_of(const emulator *e) {
    size_t lanes = (size_t)e->t.lanes;
    return (int)((threads_of(e) + lanes - 1) / lanes);
}

/* emu_barrier.cc */
std::string emu_list_of(const char *what, std::vector<int> w);
void emu_join_clocks(emulator *e, const std::vector<int> &ids,
                     std::vector<uint64_t> all = {});
bool emu_release_block(emulator *e, int rank, unsigned id);
bool emu_release_cluster(emulator *e);
void emu_arrive(emulator *e, const std::vector<fiber *> &in);
void emu_arrive_named(emulator *e, const std::vector<fiber *> &in);
void emu_check_barriers(emulator *e);
void emu_check_ends(emulator *e);
void emu_check_arrivals(emulator *e);
void emu_report_deadlock(emulator *e);

/* emu_warp.cc */
void emu_complete(emulator *e, warp &w, uint64_t lanes);

/* emu_scope.cc */
struct thread_pair {
    size_t a = 0, b = 0;          /* two threads; b is 0 if there are none */
};

thread_pair emu_same_pair(const scope_use &s, int from, int to);
std::string emu_both_have(const scope_use &s, int rank, size_t a, size_t b);
void emu_check_moves(emulator *e);
void emu_check_scopes(emulator *e);

#endif
