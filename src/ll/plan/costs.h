/* ---- Costs ------------------------------------------------------------ */
#ifndef LL_PLAN_COSTS_H
#define LL_PLAN_COSTS_H

#include "nibbles.h"
#include "accesses.h"

/* Costs are for one warp among many. Three units work in parallel: the pipe of
 * shared memory and shuffles; the units for selects and permutes; and the
 * schedulers, which issue all instructions. The busiest unit determines the
 * time of a plan. The latter two are idle for a fixed time at the start and the
 * end of an exchange by shuffles. Barriers add up. bench/device/costs.cu
 * measures instructions, alone and mixed; LL_COST_ISSUE and LL_COST_START are
 * fitted to timed exchanges. (198 conversions on sm_90 were timed, 120 of them
 * not fitted. The runner-up was faster once, by 2.4 %.) */

/* Private: returns 1 if the operation is a barrier, which moves nothing. */
LL_FN int ll_is_sync_(unsigned op) {
    return op == LL_OP_SYNC_WARP || op == LL_OP_SYNC_BLOCK ||
           op == LL_OP_SYNC_CLUSTER;
}

/* Private: returns the shifts and bitwise selects of a plan for elements of 4
 * bits. Moving apart takes a shift per word of pairs, joining again takes a
 * shift and a select. Less than a word of pairs takes two instructions. */
LL_FN unsigned ll_nibble_logic_(const ll_plan *p) {
    unsigned logic = 0;
    for (unsigned side = 0; side < 2u; ++side) {
        const unsigned how = side ? p->after : p->before;
        const unsigned bits = side ? p->to_bits : p->from_bits;
        const unsigned pairs = how == LL_APART ? bits - 1u : bits;
        const unsigned words = ll_word_count_(pairs, 2, 8);
        logic += words * (how != LL_APART              ? ll_nibble_cost_(how)
                          : side == 0 && pairs >= 2u ? 1u
                                                     : 2u);
    }
    return logic;
}

/* Private: the busy time of each unit, in eighths of a cycle. */
typedef struct ll_work_ {
    unsigned pipe;  /* shared memory and shuffles */
    unsigned logic; /* selects, permutes and near hops */
    unsigned issue; /* shuffles, selects and permutes; doubled */
    unsigned start; /* idle time at both ends of an exchange */
    unsigned wait;  /* barriers */
} ll_work_;

/* Private: adds the work of a step. */
LL_FN void ll_add_work_(ll_work_ *w, const ll_step *s, const ll_target *t) {
    const unsigned *cost = t->cost;
    const unsigned n = s->count;
    if (s->op == LL_OP_STORE || s->op == LL_OP_LOAD) {
        w->pipe += n * s->wavefronts *
                   cost[s->dsmem ? LL_COST_DSMEM : LL_COST_MEMORY];
    } else if (s->op == LL_OP_SHUFFLE) {
        w->pipe += (n - s->near) * cost[LL_COST_SHUFFLE];
        w->logic += s->logic * cost[LL_COST_LOGIC];
        w->issue += 2u * n * cost[LL_COST_ISSUE];
        w->start = cost[LL_COST_START];
    } else if (ll_is_sync_(s->op)) {
        w->wait += n * cost[s->op == LL_OP_SYNC_WARP    ? LL_COST_WARP
                            : s->op == LL_OP_SYNC_BLOCK ? LL_COST_BLOCK
                                                        : LL_COST_CLUSTER];
    } else {
        w->logic += n * cost[s->op == LL_OP_SELECT ? LL_COST_SELECT
                                                   : LL_COST_LOGIC];
        w->issue += n * cost[LL_COST_ISSUE];
    }
}

/* Private: returns the estimated cycles of a plan. */
LL_FN unsigned ll_plan_cycles_(const ll_plan *p, const ll_target *t) {
    ll_work_ w = LL_ZERO;
    for (unsigned k = 0; k < p->n; ++k) {
        ll_add_work_(&w, &p->step[k], t);
    }
    const unsigned nibbles = ll_nibble_logic_(p);
    w.logic += nibbles * t->cost[LL_COST_LOGIC];
    w.issue += nibbles * t->cost[LL_COST_ISSUE];
    const unsigned issue = w.issue / 2u;
    const unsigned start = w.logic ? w.start : 0u;
    const unsigned lanes = (w.logic > issue ? w.logic : issue) + start;
    return ((w.pipe > lanes ? w.pipe : lanes) + w.wait + 7u) / 8u;
}

#endif
