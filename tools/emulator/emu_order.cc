/* emu_order.cc - what orders accesses besides barriers of a block: __syncwarp
 * of some lanes, and flags, which are stored after a fence and loaded before
 * one.
 *
 * Sections: lanes - flags.
 */
#include "emu_int.h"

#include <algorithm>

/* ==== Lanes ============================================================= */

/* Starts to follow what each lane knows of each other lane. */
static void split(warp &w, int number) {
    if (!w.split) {
        w.split = true;
        w.known.assign((size_t)MAX_LANES * MAX_LANES,
                       w.seen[(size_t)number] - 1);
    }
}

static void advance(warp &w, int number) {
    emulator *e = emu_self_;
    e->clock = std::max(e->clock, ++w.seen[(size_t)number]);
}

/* A __syncwarp: each of these lanes learns what all of them did and know. */
void emu_sync_lanes(warp &w, const std::vector<fiber *> &in, uint64_t live) {
    const int number = in[0]->warp;
    const uint64_t now = w.seen[(size_t)number];
    uint64_t lanes = 0;
    for (const fiber *f : in) {
        lanes |= (uint64_t)1 << f->lane;
    }
    emu_hear(w);
    if (lanes == live) {
        w.split = false;
        advance(w, number);
        return;
    }
    split(w, number);
    std::vector<uint64_t> all(MAX_LANES, 0);
    for (const fiber *f : in) {
        for (size_t m = 0; m < MAX_LANES; m++) {
            all[m] = std::max(all[m],
                              w.known[(size_t)(MAX_LANES * f->lane) + m]);
        }
    }
    for (const fiber *f : in) {
        all[(size_t)f->lane] = now;
    }
    for (const fiber *f : in) {
        std::copy(all.begin(), all.end(),
                  w.known.begin() + MAX_LANES * f->lane);
    }
    advance(w, number);
}

/* ==== Flags ============================================================= */

static void learn(std::vector<uint64_t> &to, const std::vector<uint64_t> &of) {
    to.resize(std::max(to.size(), of.size()), 0);
    for (size_t i = 0; i < of.size(); i++) {
        to[i] = std::max(to[i], of[i]);
    }
}

/* At a fence or barrier a warp learns what the flags told that it loaded. */
void emu_hear(warp &w) {
    if (!w.heard.empty()) {
        learn(w.seen, w.heard);
        w.heard.clear();
    }
}

/* A fence of any scope. What the thread's warp did so far is known to those who
 * load a flag that it stores later. Other lanes learn nothing. */
void emu_fence_lanes(fiber *f) {
    warp &w = emu_self_->warps[(size_t)f->warp];
    const uint64_t own = w.heard.empty() ? 0 : w.heard[(size_t)f->warp];
    emu_hear(w);
    split(w, f->warp);
    for (size_t m = 0; m < MAX_LANES; m++) {
        uint64_t &known = w.known[(size_t)(MAX_LANES * f->lane) + m];
        known = std::max(known, own);
    }
    w.fenced = w.seen;
    advance(w, f->warp);
    f->tells = true;
}

/* An atomic operation, or a volatile access: of a flag, if it stores after a
 * fence. */
void emu_flag(fiber *f, uint64_t place, bool loads, bool stores) {
    enum { FLAGS = 1 << 16 };
    emulator *e = emu_self_;
    warp &w = e->warps[(size_t)f->warp];
    auto it = e->flags.find(place);
    if (loads && it != e->flags.end()) {
        learn(w.heard, it->second);
    }
    if (stores && !w.fenced.empty() &&
        (it != e->flags.end() || e->flags.size() < FLAGS)) {
        learn(e->flags[place], w.fenced);
    }
}
