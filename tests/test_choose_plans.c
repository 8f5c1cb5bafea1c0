/* test_choose_plans.c - the plan that the planner prefers.
 * SPDX-License-Identifier: MIT
 *
 * Costs are computed again from the steps of both plans; constants of the
 * target are changed to just below and just above the point where another plan
 * is cheaper.
 */
#include "definition.h"

#include "../ll_amd.h"
#include "../ll_ptx.h"

/* What things cost on a target, in eighths of a cycle, as its header says:
 * wavefronts, shuffled words, logic, waits of a warp, a block and a cluster's
 * two, selects, issue and start. */
enum { NVIDIA, CDNA, RDNA, MACHINES };
static const unsigned costs[MACHINES][LL_MAX_COSTS] = {
    {8, 8, 5, 4, 32, 64, 1600, 3, 5, 14},
    {32, 64, 32, 16, 128, 0, 0, 32, 0, 0},
    {16, 16, 8, 8, 64, 0, 0, 8, 0, 0}};

static ll_target machine_of(unsigned k) {
    return k == NVIDIA ? LL_SM90 : k == CDNA ? LL_GFX942 : LL_GFX1100;
}

/* A way from registers to registers: what it puts in the pipe of shared memory
 * (shuffled words or wavefronts) and in the lanes' own units, and its
 * barrier. */
typedef struct way {
    unsigned shuffles, wavefronts, logic; /* logic: without selects */
    unsigned selects;
    unsigned barrier; /* LL_COST_WARP or LL_COST_BLOCK; 0: none */
} way;

/* The pipe, the units and the schedulers work side by side. Where shuffles and
 * logic wait for each other, they start late; all lanes wait for a barrier. A
 * scheduler issues two selects or permutes while it issues a shuffle. */
static unsigned cycles_of(const unsigned *cost, way w) {
    const unsigned pipe = w.shuffles * cost[LL_COST_SHUFFLE] +
                          w.wavefronts * cost[LL_COST_MEMORY];
    const unsigned logic =
        w.logic * cost[LL_COST_LOGIC] + w.selects * cost[LL_COST_SELECT];
    const unsigned twice = w.shuffles * 2u + w.logic + w.selects;
    const unsigned issue = twice * cost[LL_COST_ISSUE] / 2u;
    const unsigned start = w.shuffles && logic ? cost[LL_COST_START] : 0u;
    const unsigned lanes = (logic > issue ? logic : issue) + start;
    const unsigned wait = w.barrier ? cost[w.barrier] : 0u;
    return ((pipe > lanes ? pipe : lanes) + wait + 7u) / 8u;
}

/* What the steps of a plan put where. */
static way way_of(const ll_plan *p) {
    way w = LL_ZERO;
    for (unsigned k = 0; k < p->n; ++k) {
        const ll_step *s = &p->step[k];
        switch (s->op) {
        case LL_OP_SHUFFLE:
            w.shuffles += s->count - s->near;
            w.logic += s->logic;
            break;
        case LL_OP_STORE:
        case LL_OP_LOAD: w.wavefronts += s->count * s->wavefronts; break;
        case LL_OP_SYNC_WARP: w.barrier = LL_COST_WARP; break;
        case LL_OP_SYNC_BLOCK: w.barrier = LL_COST_BLOCK; break;
        case LL_OP_SELECT: w.selects += s->count; break;
        default: w.logic += s->count; break;
        }
    }
    return w;
}

static int same_way(way a, way b) {
    return a.shuffles == b.shuffles && a.wavefronts == b.wavefronts &&
           a.logic == b.logic && a.selects == b.selects &&
           a.barrier == b.barrier;
}

/* Conversions on the edge between shuffles and shared memory. `near` is the way
 * by shuffles, `far` that through memory, counted by hand; at equal cycles
 * shuffles win, which need no memory. With `cost` changed by a quarter, or of
 * small ones by half, the other way wins: the constant is what decides. */
typedef struct edge {
    const char *why;
    unsigned machine, bits;
    const char *from, *to;
    way near, far;
    unsigned winner;
    unsigned cost, other; /* the constant, and a value that turns it around */
} edge;

static const edge edges[] = {
    /* NVIDIA */
    {"eight wavefronts and a barrier for sixteen selects", NVIDIA, 32,
     "register: j0 i1 | lane: j1 i0 i3 i4 i2",
     "register: i2 i0 | lane: j1 j0 i1 i3 i4",
     {4, 0, 0, 16, 0}, {0, 8, 0, 0, LL_COST_WARP}, LL_SHARED, LL_COST_MEMORY, 12},
    {"a tie of 7 cycles; cheaper memory takes it", NVIDIA, 32,
     "register: i1 i3 0 | lane: i0 i2 i4 0 j0",
     "register: i4 0 | lane: i3 i0 i1 i2 j0",
     {2, 0, 0, 10, 0}, {0, 6, 0, 0, LL_COST_WARP}, LL_SHUFFLES, LL_COST_MEMORY, 6},
    {"eight words shuffled for six wavefronts", NVIDIA, 32,
     "register: i0 | lane: i3 i2 i1 j1 j0",
     "register: i1 i0 i3 | lane: 0 i2 0 j1 j0",
     {8, 0, 0, 0, 0}, {0, 6, 0, 0, LL_COST_WARP}, LL_SHARED, LL_COST_SHUFFLE, 6},
    {"eight words shuffled, as long as eight wavefronts", NVIDIA, 32,
     "register: i2 i3 | lane: i1 i4 j0 j1 i0",
     "register: i2 i3 i4 | lane: 0 j0 j1 i0 i1",
     {8, 0, 0, 0, 0}, {0, 8, 0, 0, LL_COST_WARP}, LL_SHUFFLES,
     LL_COST_SHUFFLE, 10},
    {"logic dearer than the memory that saves it", NVIDIA, 16,
     "register: j2 i1 j1 i2 | lane: i0 i3 i4 i5 j0",
     "register: i4 i5 j1 i1 | lane: i2 i0 j2 j0 i3",
     {8, 0, 16, 16, 0}, {0, 16, 0, 0, LL_COST_WARP}, LL_SHARED,
     LL_COST_LOGIC, 4},
    {"the same, if selects took less", NVIDIA, 16,
     "register: j2 i1 j1 i2 | lane: i0 i3 i4 i5 j0",
     "register: i4 i5 j1 i1 | lane: i2 i0 j2 j0 i3",
     {8, 0, 16, 16, 0}, {0, 16, 0, 0, LL_COST_WARP}, LL_SHARED,
     LL_COST_SELECT, 2},
    {"a tie of 7 cycles; dearer selects lose it", NVIDIA, 16,
     "register: i0 i1 j1 | lane: i2 i3 0 j0 j2",
     "register: j2 i1 | lane: i2 i3 j1 j0 i0",
     {1, 0, 6, 4, 0}, {0, 6, 6, 0, LL_COST_WARP}, LL_SHUFFLES,
     LL_COST_SELECT, 4},
    {"four shuffles and four permutes to be issued", NVIDIA, 16,
     "register: i2 | lane: j0 j1 j2 i0 i1",
     "register: j1 j0 | lane: j2 i0 i1 i2 0",
     {4, 0, 4, 0, 0}, {0, 4, 2, 0, LL_COST_WARP}, LL_SHARED,
     LL_COST_ISSUE, 4},
    {"two and three, as long as three wavefronts", NVIDIA, 16,
     "register: i1 | lane: 0 i0 i3 0 i2 -> j=1 | i=16",
     "register: i3 | lane: i0 i1 i2 0 0 -> j=1 | i=16",
     {2, 0, 3, 0, 0}, {0, 3, 1, 0, LL_COST_WARP}, LL_SHUFFLES,
     LL_COST_ISSUE, 6},
    {"selects that wait for shuffles, and these for selects", NVIDIA, 32,
     "register: i0 j1 | lane: i4 i1 j0 j2 i2 | warp: i3",
     "register: j2 j0 | lane: i0 i1 i2 i4 j1 | warp: i3",
     {4, 0, 0, 16, 0}, {0, 8, 0, 0, LL_COST_WARP}, LL_SHARED,
     LL_COST_START, 11},
    {"a tie of 3 cycles, most of them the start", NVIDIA, 8,
     "register: i0 | lane: i3 i4 i5 0 i2 | warp: i1 -> j=1 | i=64",
     "register: | lane: i5 i2 i0 i4 i3 | warp: i1 -> j=1 | i=64",
     {1, 0, 2, 0, 0}, {0, 2, 0, 0, LL_COST_WARP}, LL_SHUFFLES,
     LL_COST_START, 17},
    {"ten selects and permutes, as long as a block's barrier", NVIDIA, 16,
     "register: j2 j3 | lane: 0 j1 j4 0 j0 | warp: -> j=32 | i=1",
     "register: 0 0 | lane: j1 0 j3 j0 j2 | warp: j4 -> j=32 | i=1",
     {1, 0, 6, 4, 0}, {0, 3, 2, 0, LL_COST_BLOCK}, LL_SHUFFLES, LL_COST_LOGIC, 6},
    {"the same, if the barrier took less", NVIDIA, 16,
     "register: j2 j3 | lane: 0 j1 j4 0 j0 | warp: -> j=32 | i=1",
     "register: 0 0 | lane: j1 0 j3 j0 j2 | warp: j4 -> j=32 | i=1",
     {1, 0, 6, 4, 0}, {0, 3, 2, 0, LL_COST_BLOCK}, LL_SHUFFLES, LL_COST_BLOCK, 24},
    {"twelve selects and permutes take longer than the barrier", NVIDIA, 16,
     "register: j0 i0 | lane: j2 j3 j4 j5 j1",
     "register: | lane: j0 j1 j4 i0 j3 | warp: j5 j2",
     {4, 0, 4, 8, 0}, {0, 3, 0, 0, LL_COST_BLOCK}, LL_SHARED, LL_COST_BLOCK, 40},
    /* CDNA: 64 lanes, all of it slower, logic a wavefront */
    {"four wavefronts and the barrier", CDNA, 8,
     "register: j0 i0 | lane: i1 j1 0 i3 i2 0 | warp:",
     "register: 0 | lane: i0 i2 0 j0 i3 j1 | warp: i1",
     {2, 0, 6, 2, 0}, {0, 4, 1, 0, LL_COST_BLOCK}, LL_SHUFFLES, LL_COST_MEMORY, 24},
    {"four wavefronts for nine instructions of logic", CDNA, 8,
     "register: i4 i0 | lane: i1 i5 i2 i3 0 0 | warp: -> j=1 | i=64",
     "register: | lane: i5 0 0 0 i1 i0 | warp: i2 i3 i4 -> j=1 | i=64",
     {1, 0, 5, 4, 0}, {0, 4, 0, 0, LL_COST_BLOCK}, LL_SHARED, LL_COST_MEMORY, 40},
    {"a shuffle of 64 lanes takes the pipe twice", CDNA, 16,
     "register: | lane: i1 i2 j0 i0 i3 i4 | warp: j1",
     "register: i2 i0 | lane: j0 i3 i1 i4 0 0 | warp: j1",
     {4, 0, 6, 0, 0}, {0, 6, 0, 0, LL_COST_WARP}, LL_SHARED, LL_COST_SHUFFLE, 48},
    {"two shuffles are four wavefronts, without a barrier", CDNA, 8,
     "register: i1 | lane: i5 i6 i4 i3 i2 i0 | warp: -> j=1 | i=128",
     "register: i4 i1 | lane: i5 i6 i0 0 i2 i3 | warp: -> j=1 | i=128",
     {2, 0, 3, 0, 0}, {0, 4, 1, 0, LL_COST_WARP}, LL_SHUFFLES, LL_COST_SHUFFLE, 80},
    {"seven instructions of logic for four wavefronts", CDNA, 8,
     "register: i1 j3 | lane: j4 0 j0 j1 j2 i0 | warp:",
     "register: | lane: j1 j3 j4 j0 i0 i1 | warp: j2",
     {2, 0, 5, 2, 0}, {0, 4, 0, 0, LL_COST_BLOCK}, LL_SHUFFLES, LL_COST_LOGIC, 40},
    {"twelve of them for six", CDNA, 16,
     "register: j3 j2 | lane: j1 i1 0 i0 j0 j4 | warp: 0",
     "register: 0 | lane: 0 i0 j1 j0 j2 j3 | warp: i1 j4",
     {2, 0, 6, 6, 0}, {0, 6, 1, 0, LL_COST_BLOCK}, LL_SHARED, LL_COST_LOGIC, 24},
    {"a tie of 80 cycles", CDNA, 32,
     "register: i2 j3 | lane: i0 j0 j4 j1 j2 i1 | warp: 0",
     "register: j4 j0 | lane: 0 j2 i1 j3 j1 i2 | warp: i0",
     {4, 0, 4, 16, 0}, {0, 16, 0, 0, LL_COST_BLOCK}, LL_SHUFFLES, LL_COST_BLOCK, 96},
    /* RDNA: 32 lanes, logic at its full rate, DPP beside the pipe */
    {"twelve instructions of logic for six wavefronts", RDNA, 32,
     "register: j1 j3 | lane: i0 j4 0 j0 j2",
     "register: i0 | lane: j4 j0 j1 j3 j2",
     {0, 0, 2, 10, 0}, {0, 6, 0, 0, LL_COST_WARP}, LL_SHUFFLES, LL_COST_LOGIC, 10},
    {"the same, if wavefronts took less", RDNA, 32,
     "register: j1 j3 | lane: i0 j4 0 j0 j2",
     "register: i0 | lane: j4 j0 j1 j3 j2",
     {0, 0, 2, 10, 0}, {0, 6, 0, 0, LL_COST_WARP}, LL_SHUFFLES, LL_COST_MEMORY, 12},
    {"nine for three", RDNA, 16, "register: i1 i2 | lane: 0 0 j0 j1 i0",
     "register: | lane: j0 i2 j1 i0 i1",
     {1, 0, 5, 4, 0}, {0, 3, 0, 0, LL_COST_WARP}, LL_SHARED, LL_COST_LOGIC, 6},
    {"four words shuffled for three wavefronts", RDNA, 8,
     "register: j0 | lane: j1 j3 i0 j2 i2 | warp: i1",
     "register: j2 j0 j1 | lane: i0 i2 0 0 j3 | warp: i1",
     {4, 0, 6, 0, 0}, {0, 3, 2, 0, LL_COST_WARP}, LL_SHARED, LL_COST_SHUFFLE, 12},
    {"eight near moves for three wavefronts and a warp's wait", RDNA, 8,
     "register: i4 | lane: i5 i1 i3 i0 i2 | warp: -> j=1 | i=64",
     "register: i0 i3 i4 | lane: i5 0 i1 0 i2 | warp: -> j=1 | i=64",
     {0, 0, 8, 0, 0}, {0, 3, 2, 0, LL_COST_WARP}, LL_SHARED, LL_COST_WARP, 16},
    {"a tie of 12 cycles", RDNA, 8,
     "register: j0 0 j1 | lane: j2 j4 0 j3 i0 | warp:",
     "register: 0 | lane: j2 i0 j4 j1 j0 | warp: j3",
     {2, 0, 6, 6, 0}, {0, 2, 2, 0, LL_COST_BLOCK}, LL_SHUFFLES, LL_COST_BLOCK, 48}};

static void constants_decide_between_shuffles_and_memory(void) {
    for (unsigned k = 0; k < sizeof edges / sizeof *edges; ++k) {
        const edge *e = &edges[k];
        const unsigned failed = test.here;
        ll_target t = machine_of(e->machine);
        const ll_layout a = ll_parse(e->from);
        const ll_layout b = ll_parse(e->to);
        const int shared = e->winner == LL_SHARED;
        const ll_plan p = ll_plan_of(a, b, e->bits, t);
        const ll_plan near = ll_plan_by(a, b, e->bits, t, LL_SHUFFLES);
        const ll_plan far = ll_plan_by(a, b, e->bits, t, LL_SHARED);
        const unsigned *cost = costs[e->machine];
        const unsigned cycles[2] = {cycles_of(cost, e->near),
                                    cycles_of(cost, e->far)};
        CHECK(shared == (cycles[1] < cycles[0]));
        CHECK(!p.err && !near.err && !far.err);
        CHECK(same_way(way_of(&near), e->near));
        CHECK(same_way(way_of(&far), e->far));
        CHECK(near.cycles == cycles[0] && far.cycles == cycles[1]);
        CHECK(p.kind == e->winner && p.cycles == cycles[shared]);
        CHECK(p.next_kind == (shared ? LL_SHUFFLES : LL_SHARED));
        CHECK(p.next_cycles == cycles[!shared]);
        t.cost[e->cost] = e->other;
        if (e->machine != NVIDIA && e->cost == LL_COST_LOGIC) {
            t.cost[LL_COST_SELECT] = e->other; /* the same units */
        }
        CHECK(ll_plan_of(a, b, e->bits, t).kind == p.next_kind);
        if (test.here != failed) {
            printf("  %s\n", e->why);
        }
    }
}

/* A layout of `tensor` bits, each in one place of registers, lanes, warps. */
static ll_layout random_places(unsigned tensor, unsigned lanes,
                               unsigned warps) {
    const unsigned n = lanes + warps + 4u;
    const ll_shape none = LL_ZERO;
    ll_shape in = ll_with(ll_with(none, LL_REGISTER, 16), LL_LANE, 1u << lanes);
    in = ll_with(in, LL_WARP, 1u << warps);
    ll_layout a = ll_zero(in, ll_with(none, LL_J, 1u << tensor));
    for (unsigned bit = 0; bit < tensor; ++bit) {
        unsigned k = test_random(n);
        while (a.basis[k]) {
            k = (k + 1u) % n;
        }
        a.basis[k] = 1u << bit;
    }
    return a;
}

/* The estimate of a plan is the cost of its steps, at the costs above. Shuffles are
 * preferred to shared memory that costs more, or the same. */
static void the_cheapest_plan_is_chosen(void) {
    unsigned found[2] = {0, 0};
    unsigned ties = 0;
    for (unsigned n = 0; n < times(3000u); ++n) {
        const unsigned machine = n % MACHINES;
        const ll_target t = machine_of(machine);
        const unsigned bits = 8u << test_random(3);
        const unsigned lanes = machine == CDNA ? 6 : 5;
        const unsigned warps = test_random(2);
        const unsigned tensor = lanes + warps + 1u + test_random(3);
        const ll_layout a = random_places(tensor, lanes, warps);
        const ll_layout b = random_places(tensor, lanes, warps);
        const ll_plan p = ll_plan_of(a, b, bits, t);
        const ll_plan near = ll_plan_by(a, b, bits, t, LL_SHUFFLES);
        const ll_plan far = ll_plan_by(a, b, bits, t, LL_SHARED);
        CHECK(!p.err && (far.err || far.kind <= LL_SHARED));
        CHECK(p.cycles == cycles_of(costs[machine], way_of(&p)));
        CHECK(far.cycles == cycles_of(costs[machine], way_of(&far)));
        if (near.err || far.kind != LL_SHARED) {
            CHECK(near.err ? near.err == LL_EKIND && p.kind == LL_SHARED
                           : p.kind == near.kind);
            continue;
        }
        CHECK(near.cycles == cycles_of(costs[machine], way_of(&near)));
        CHECK(p.kind == (near.cycles <= far.cycles ? near.kind : far.kind));
        CHECK(p.cycles ==
              (near.cycles <= far.cycles ? near.cycles : far.cycles));
        ++found[p.kind == LL_SHARED];
        ties += near.cycles == far.cycles;
    }
    COVERS(found[0] > 100u && found[1] > 100u && ties > 10u);
}

/* Between blocks of a cluster: wavefronts of other blocks' memory, and two
 * waits of the cluster, since its blocks must not leave before all have
 * read. */
static void clusters_cost_what_they_are_said_to(void) {
    const ll_plan p = ll_plan_of(
        ll_parse("register: j0 | lane: i0 i1 i2 i3 i4 | block: i5"),
        ll_parse("register: i5 | lane: i0 i1 i2 i3 i4 | block: j0"), 32,
        LL_SM90);
    const unsigned store = p.step[1].count * p.step[1].wavefronts;
    const unsigned load = p.step[3].count * p.step[3].wavefronts;
    CHECK(p.kind == LL_CLUSTER && p.n == 5u && store == 2u && load == 2u);
    CHECK(p.cycles == 2u * 1u + 2u * 8u + 2u * 200u);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(constants_decide_between_shuffles_and_memory);
    RUN(the_cheapest_plan_is_chosen);
    RUN(clusters_cost_what_they_are_said_to);
    return test_end();
}
