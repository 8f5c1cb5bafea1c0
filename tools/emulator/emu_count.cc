/* emu_count.cc - counts the cost of accesses: wavefronts of shared memory and
 * sectors of global memory.
 *
 * The n-th passage of a warp's lanes through one place counts as one warp
 * instruction, so lanes may run one after another.
 */
#include "emu_int.h"

#include <algorithm>
#include <cstring>

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

/* An H200 counts a sector once a warp, and for cp.async.cg once for each 8
 * lanes: rows of 8 lanes that begin in the middle of a sector have 5 each. */
static void tally_global(const emulator *e, site *s, const group &g) {
    std::vector<uint64_t> starts, sectors;
    for (int l = 0; l < e->t.lanes; l++) {
        if (g.mask >> l & 1) {
            starts.push_back(g.at[l]);
            const uint64_t part = s->by_8 ? (uint64_t)l / 8 : 0;
            sectors.push_back(part << 59 | g.at[l] / 32);
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
