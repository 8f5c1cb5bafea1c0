/* test_sentences.c - errors, comparisons, plans and gathers in words.
 * SPDX-License-Identifier: MIT
 *
 * Sentences are compared as a whole.
 */
#ifndef LL_SORTS
#define LL_SORTS
#endif
#ifndef LL_CLUSTERS
#define LL_CLUSTERS
#endif
#include "test.h"
#include "text.h"

#include "../ll.h"
#include "../ll_ptx.h"

/* ---- What functions refuse ----------------------------------------------- */

/* What the layout knows of the mistake is in the sentence. */
static int says(ll_layout a, unsigned err, const char *tail) {
    char text[ROOM], want[ROOM];
    ll_error("A", a, text, sizeof text);
    snprintf(want, sizeof want, "ll: A: %s%s", ll_strerror(err), tail);
    return strcmp(text, want) == 0;
}

static void errors_name_the_character_or_the_value(void) {
    const ll_layout a = L("register: j0 j1 | lane: i0 i1 i2");
    const unsigned sizes[2] = {4, 12};
    ll_rows_spec s = LL_ZERO;
    CHECK(says(L("2: i0"), LL_ENAME, " (at character 1, counted from 1)"));
    CHECK(says(L("lane: i0 -> 3"), LL_ESIZE,
               " (at character 13, counted from 1)"));
    CHECK(says(a, LL_OK, ""));
    CHECK(says(ll_inv(L("lane: i0 0")), LL_ESINGULAR, ""));
    CHECK(says(ll_rows(64, 96, 2), LL_ESIZE, " (got 96)"));
    CHECK(says(ll_rows(0, 64, 2), LL_ESIZE, " (got 0)"));
    CHECK(says(ll_row_major(ll_shape_of("j=6 i=3")), LL_ESIZE, " (got 6)"));
    CHECK(says(ll_row_major(ll_tensor(2, sizes)), LL_ESIZE, " (got 12)"));
    CHECK(says(ll_identity(3, LL_LANE, LL_I), LL_ESIZE, " (got 3)"));
    CHECK(says(ll_strided(4, 5, LL_LANE, LL_I), LL_ESTEP, " (got 5)"));
    CHECK(says(ll_resize_in(a, LL_LANE, 6), LL_ESIZE, " (got 6)"));
    CHECK(says(ll_resize_out(a, LL_K, 7), LL_ESIZE, " (got 7)"));
    CHECK(says(ll_unsqueeze_back(a, LL_I), LL_EONE, " (got 8)"));
    CHECK(says(ll_broadcast(a, LL_J, 2), LL_EONE, " (got 4)"));
    CHECK(says(ll_scales_of(a, LL_J, 3), LL_EGROUP, " (got 3)"));
    CHECK(says(ll_scales_of(a, LL_J, 8), LL_EGROUP, " (got 8)"));
    CHECK(says(ll_scales_of(a, LL_K, 2), LL_EMISSING, " (asked for k)"));
    CHECK(says(ll_scales_each(a, LL_J, 8), LL_EGROUP, " (got 8)"));
    CHECK(says(ll_scales_back(a, LL_J, 5), LL_EGROUP, " (got 5)"));
    CHECK(says(ll_preshuffle(a, LL_J, 8), LL_EVECTOR, " (got 8)"));
    CHECK(says(ll_bitcast(a, 16, 24), LL_ECAST, " (got 24)"));
    CHECK(says(ll_bitcast(a, 256, 16), LL_ECAST, " (got 256)"));
    CHECK(says(ll_bitcast(L("lane:"), 8, 16), LL_ENOAXIS, ""));
    CHECK(says(ll_bitcast(a, 8, 64), LL_EWHOLE, ""));
    CHECK(says(ll_rows(8, 8, 3), LL_EELEMENT, " (got 24)"));
    CHECK(says(ll_rows(8, 8, 0), LL_EELEMENT, " (got 0)"));
    CHECK(says(ll_rows_for(a, 0), LL_EELEMENT, " (got 0)"));
    CHECK(says(ll_rows_for(a, 32), LL_EELEMENT, " (got 256)"));
    s.rows = s.cols = 8;
    s.access = 2;
    CHECK(says(ll_rows_of(s), LL_EACCESS, " (got 2)"));
    s.access = 12;
    CHECK(says(ll_rows_of(s), LL_EACCESS, " (got 12)"));
}

static int compares(const char *a, const char *b, const char *why) {
    char text[ROOM], want[ROOM], start[9];
    const unsigned n = ll_compare(L(a), L(b), text, sizeof text);
    snprintf(want, sizeof want, "first:  %s\nsecond: %s\n%s\n", a, b, why);
    ll_compare(L(a), L(b), start, sizeof start);
    return strcmp(text, want) == 0 && n == strlen(text) &&
           strncmp(start, text, 8) == 0 && start[8] == 0;
}

/* The reason for LL_EMATCH or LL_ENOSOLUTION comes first. */
static void a_comparison_names_the_first_difference(void) {
    char text[ROOM];
    CHECK(compares("lane: i0 j0", "lane: i0 j0 j1",
                   "j has size 2 in the first layout and has size 4 in the "
                   "second"));
    CHECK(compares("lane: i0 i1 j0", "lane: i0 j0 j1",
                   "j has size 2 in the first layout and has size 4 in the "
                   "second"));
    CHECK(compares("lane: i0 j0", "lane: i0",
                   "j has size 2 in the first layout and is missing in the "
                   "second"));
    CHECK(compares("lane: i0", "lane: dim0.1 i0",
                   "dim0 is missing in the first layout and has size 4 in the "
                   "second"));
    CHECK(compares("lane: i0 0 -> j=2 | i=2", "lane: i0 j0",
                   "the first layout lacks the element i=0 j=1 of the second"));
    CHECK(compares("lane: k0 j0 i0 h0 g0 f0 e0 d0", "lane: k0 j0 i0 h0 c0",
                   "c is missing in the first layout and has size 2 in the "
                   "second"));
    CHECK(compares("lane: i0 i1 0 -> j=2 | i=4", "lane: i0 i1 | 1: j0",
                   "the first layout lacks the element i=0 j=1 of the second"));
    CHECK(compares("lane: i0 i1 j0", "lane: i0 j0",
                   "i has size 4 in the first layout and has size 2 in the "
                   "second"));
    CHECK(compares("lane: i0 i1", "lane: i0 | warp: i1",
                   "warp is missing in the first layout and has size 2 in the "
                   "second"));
    CHECK(compares("register: j0 | lane: i0 i1", "register: j0 | lane: i0 j0^i1",
                   "lane bit 1 is i1 in the first layout and j0^i1 in the "
                   "second"));
    CHECK(compares("lane: i0 i1 | 1: i0", "lane: i0 i1 | 1: i1",
                   "the affine part is i0 in the first layout and i1 in the "
                   "second"));
    CHECK(compares("lane: i0 i1 | 1: i0", "lane: i0 i1 | 1: i0",
                   "both put each element at the same place"));
    CHECK(compares("register: j0 | lane: i0", "lane: i0 | register: j0",
                   "both put each element at the same place"));
    ll_compare(ll_parse("?"), ll_parse("lane: i0"), text, sizeof text);
    CHECK(strstr(text, "second: lane: i0\n") != NULL);
    CHECK(strstr(text, "first layout") == NULL);
}

static int explains(ll_plan p, unsigned err, const char *tail) {
    char text[ROOM], want[ROOM];
    ll_explain(p, text, sizeof text);
    snprintf(want, sizeof want, "there is no plan: %s%s\n", ll_strerror(err),
             tail);
    return strcmp(text, want) == 0;
}

/* Half of 512 bytes will not do: no register is the same on both sides. */
static void plans_that_are_none_name_the_value(void) {
    const ll_layout a = L("register: j0 | lane: i0 i1 i2 i3 i4 | warp: j1");
    const ll_layout b = L("register: j1 | lane: i0 i1 i2 i3 i4 | warp: j0");
    const ll_target t = hopper();
    CHECK(explains(ll_plan_of(a, b, 24, t), LL_EELEMENT, " (got 24)"));
    CHECK(explains(ll_plan_of(L("lane: i0"), L("lane: i0"), 32, t), LL_ELANES,
                   " (the target has 32)"));
    CHECK(explains(ll_plan_within(a, b, 32, t, 256), LL_EBUDGET,
                   " (it needs 512)"));
    CHECK(explains(ll_plan_by(a, b, 32, t, LL_SHUFFLES), LL_EKIND, ""));
    CHECK(explains(ll_plan_of(L("lane: i0 i1 i2 i3 i4"), a, 32, t), LL_EMATCH,
                   " (ll_compare shows where)"));
}

/* ---- Sentences ----------------------------------------------------------- */

static void check_words(unsigned n, const char *text, const char *want) {
    CHECK(n == strlen(want) && strcmp(text, want) == 0);
    if (strcmp(text, want) != 0 && test.here < 3u) {
        printf("%s", text);
    }
}

/* The step of a plan that is filled in by hand. */
static ll_step *add_step(ll_plan *p, unsigned op, unsigned count) {
    ll_step *s = &p->step[p->n++];
    s->op = op;
    s->count = count;
    return s;
}

static void explained(ll_plan p, const char *want) {
    char text[ROOM];
    check_words(ll_explain(p, text, sizeof text), text, want);
}

/* Plans of one step, of 1 and of 2 instructions; a plan of renames alone says
 * so, and beside other steps a rename without instructions is no line. */
static void a_step_has_its_sentence(void) {
    static const struct {
        unsigned op, count, near;
        const char *words;
    } step[] = {
        {LL_OP_RENAME, 0, 0, "each lane renames its registers: no instruction"},
        {LL_OP_RENAME, 1, 0,
         "1 byte permute reorders the bytes of each lane's registers"},
        {LL_OP_RENAME, 2, 0,
         "2 byte permutes reorder the bytes of each lane's registers"},
        {LL_OP_SELECT, 1, 0, "1 select reorders each lane's registers"},
        {LL_OP_SELECT, 6, 0, "6 selects reorder each lane's registers"},
        {LL_OP_SHUFFLE, 1, 0, "1 shuffle exchanges words between lanes"},
        {LL_OP_SHUFFLE, 4, 0, "4 shuffles exchange words between lanes"},
        {LL_OP_SHUFFLE, 4, 4, "4 near moves exchange words between lanes"},
        {LL_OP_SHUFFLE, 4, 3,
         "3 near moves and 1 shuffle exchange words between lanes"},
        {LL_OP_SHUFFLE, 4, 1,
         "1 near move and 3 shuffles exchange words between lanes"},
        {LL_OP_SWAP, 2, 0, "2 swaps exchange words between lanes 32 apart"},
        {LL_OP_SYNC_WARP, 1, 0, "__syncwarp()"},
        {LL_OP_SYNC_BLOCK, 1, 0, "__syncthreads()"},
        {LL_OP_SYNC_CLUSTER, 1, 0,
         "barrier of the cluster, and another one after all blocks have "
         "loaded"},
    };
    for (unsigned k = 0; k < sizeof step / sizeof step[0]; ++k) {
        ll_plan p = LL_ZERO;
        char want[ROOM];
        p.kind = p.next_kind = LL_SHUFFLES;
        ll_step *s = add_step(&p, step[k].op, step[k].count);
        s->near = step[k].near;
        s->at.n = 3;
        s->at.place[2] = 32;
        snprintf(want, sizeof want, "data stays in its warp\n  1. %s\n",
                 step[k].words);
        explained(p, want);
        add_step(&p, LL_OP_RENAME, 0);
        snprintf(want, sizeof want, "data stays in its warp\n%s%s%s",
                 k ? "  1. " : "", k ? step[k].words : "", k ? "\n" : "");
        explained(p, want);
        add_step(&p, LL_OP_RENAME, 1);
        snprintf(want, sizeof want,
                 "data stays in its warp\n%s%s%s  %u. %s\n", k ? "  1. " : "",
                 k ? step[k].words : "", k ? "\n" : "", k ? 2u : 1u,
                 step[1].words);
        explained(p, want);
    }
}

static void an_access_has_its_sentence(void) {
    static const struct {
        unsigned op, count, bits, bytes, form, dsmem, wavefronts, least;
        const char *words;
    } step[] = {
        {LL_OP_STORE, 1, 0, 4, LL_FORM_VECTOR, 0, 1, 1,
         "stores 1 element to shared memory in 1 access of 4 bytes, 1 "
         "wavefront: no bank conflicts"},
        {LL_OP_STORE, 2, 3, 1, LL_FORM_VECTOR, 0, 4, 2,
         "stores 8 elements to shared memory in 2 accesses of 1 byte, 4 "
         "wavefronts each (best possible: 2): bank conflicts"},
        {LL_OP_LOAD, 2, 4, 16, LL_FORM_MATRIX, 0, 4, 4,
         "loads 16 elements from shared memory in 2 matrix accesses of 16 "
         "bytes, 4 wavefronts each: no bank conflicts"},
        {LL_OP_LOAD, 1, 1, 16, LL_FORM_TRANS, 0, 8, 4,
         "loads 2 elements from shared memory in 1 transposing matrix access "
         "of 16 bytes, 8 wavefronts (best possible: 4): bank conflicts"},
        {LL_OP_LOAD, 1, 1, 8, LL_FORM_BYTES, 0, 1, 1,
         "loads 2 elements from shared memory in 1 transposing matrix access "
         "of 8 bytes, 1 wavefront: no bank conflicts"},
        {LL_OP_LOAD, 1, 1, 8, LL_FORM_VECTOR, 9, 1, 1,
         "loads 2 elements from the cluster's shared memory in 1 access of 8 "
         "bytes, 1 wavefront: no bank conflicts"},
    };
    for (unsigned k = 0; k < sizeof step / sizeof step[0]; ++k) {
        ll_plan p = LL_ZERO;
        char want[ROOM];
        p.kind = p.next_kind = LL_SHUFFLES; /* so that no memory is told */
        p.to_bits = step[k].bits;
        ll_step *s = add_step(&p, step[k].op, step[k].count);
        s->bits = step[k].bits;
        s->bytes = step[k].bytes;
        s->form = step[k].form;
        s->dsmem = step[k].dsmem;
        s->wavefronts = step[k].wavefronts;
        s->least = step[k].least;
        snprintf(want, sizeof want,
                 "data stays in its warp\n  1. each lane %s\n",
                 step[k].words);
        explained(p, want);
        p.to_bits = 0; /* more than it needs */
        snprintf(want, sizeof want,
                 "data stays in its warp\n  1. each lane %s\n%s",
                 step[k].words, s->op == LL_OP_LOAD && s->bits
                     ? "     an over-read: twice the bytes that it needs\n"
                     : "");
        explained(p, want);
    }
}

/* The first line, the last lines, and what is said of memory. */
static void a_plan_says_what_it_needs(void) {
    ll_plan p = LL_ZERO;
    p.memory = L("offset: j0 i0");
    explained(p, "nothing moves\n");
    p.kind = p.next_kind = LL_REGISTERS;
    p.cycles = 1;
    explained(p, "data stays in its lane, about 1 cycle per warp\n");
    p.next_kind = LL_SHARED;
    p.next_cycles = 20;
    explained(p, "data stays in its lane, about 1 cycle per warp\n"
                 "  next best: through shared memory, about 20 cycles per "
                 "warp\n");
    p.kind = LL_SHARED;
    p.next_kind = LL_SHUFFLES;
    p.smem_bytes = 64;
    explained(p, "data goes through shared memory, 64 bytes, about 1 cycle per "
                 "warp\n"
                 "  memory offset: j0 i0\n"
                 "  next best: by shuffles, about 20 cycles per warp\n");
    p.next_kind = LL_REGISTERS;
    p.passes = 2;
    p.pair = 1;
    explained(p, "data goes through shared memory, 64 bytes in 4 passes, about "
                 "1 cycle per warp\n"
                 "  memory of pairs offset: j0 i0\n"
                 "  next best: within each lane, about 20 cycles per warp\n");
    p.next_kind = p.kind;
    p.passes = p.pair = p.cycles = 0;
    p.rank = 7;
    explained(p, "data goes through shared memory, differently in each block "
                 "of the cluster, 64 bytes\n"
                 "  memory offset: j0 i0\n");
    p.kind = p.next_kind = LL_CLUSTER;
    p.blocks = 1;
    explained(p, "data goes through the shared memory of the cluster's blocks, "
                 "64 bytes each\n"
                 "  memory offset: j0 i0\n");
}

/* Two steps take 2 and 2 x 3 wavefronts. */
static void a_plan_says_whether_less_is_possible(void) {
    static const char words[] = "data goes through shared memory, 64 bytes\n";
    char want[ROOM], text[ROOM];
    ll_plan p = LL_ZERO;
    p.kind = p.next_kind = LL_SHARED;
    p.smem_bytes = 64;
    p.memory = L("offset: j0");
    add_step(&p, LL_OP_STORE, 1)->wavefronts = 2;
    add_step(&p, LL_OP_LOAD, 2)->wavefronts = 3;
    for (unsigned fewest = 0; fewest < 10u; ++fewest) {
        p.fewest = fewest;
        ll_explain(p, text, sizeof text);
        snprintf(want, sizeof want,
                 fewest == 8u ? "  memory offset: j0\n"
                                "  optimal: no shared-memory layout needs "
                                "fewer wavefronts for vector accesses\n"
                 : fewest ? "  memory offset: j0\n  every shared-memory layout "
                            "needs at least %u wavefront%s for vector "
                            "accesses\n"
                          : "  memory offset: j0\n",
                 fewest, fewest == 1u ? "" : "s");
        CHECK(strncmp(text, words, strlen(words)) == 0);
        const char *tail = strstr(text, "  memory");
        CHECK(tail && strcmp(tail, want) == 0);
    }
}

static void nibbles_have_their_sentences(void) {
    ll_plan p = LL_ZERO;
    p.kind = p.next_kind = LL_SHUFFLES;
    p.nibbles = 1;
    ll_step *s = add_step(&p, LL_OP_STORE, 1);
    s->bits = 1;
    s->bytes = 2;
    explained(p, "data stays in its warp\n"
                 "  1. each lane stores 2 bytes to shared memory in 1 access "
                 "of 2 bytes, 0 wavefronts: no bank conflicts\n");
    s->op = LL_OP_SHUFFLE;
    p.before = LL_APART;
    explained(p, "data stays in its warp\n"
                 "  1. each lane unpacks its elements, one per byte\n"
                 "  2. 1 shuffle exchanges words between lanes\n");
    p.after = LL_APART;
    p.before = LL_STAY;
    explained(p, "data stays in its warp\n"
                 "  1. 1 shuffle exchanges words between lanes\n"
                 "  2. each lane packs its elements, two per byte\n");
    p.before = 2;
    p.after = 3;
    explained(p, "data stays in its warp\n"
                 "  1. each lane exchanges nibbles, register bit 0 with bit 2\n"
                 "  2. 1 shuffle exchanges words between lanes\n"
                 "  3. each lane exchanges nibbles, register bit 0 with bit "
                 "3\n");
}

/* Bits of an element are told where they are at fault: no power of two from 4
 * to 128. Otherwise, a plan of that kind has no elements of that size. */
static void an_odd_element_is_named(void) {
    for (unsigned bits = 1; bits < 300u; ++bits) {
        ll_plan p = LL_ZERO;
        char tail[32] = "";
        int odd = 1;
        for (unsigned good = 4; good <= 128u; good *= 2u) {
            odd = odd && bits != good;
        }
        p.element_bits = bits;
        p.err = LL_EELEMENT;
        if (odd) {
            snprintf(tail, sizeof tail, " (got %u)", bits);
        }
        CHECK(explains(p, LL_EELEMENT, tail));
        p.err = LL_EKIND;
        CHECK(explains(p, LL_EKIND, ""));
    }
}

static void gathered(ll_gather_plan p, const char *want) {
    char text[ROOM];
    check_words(ll_explain_gather(p, text, sizeof text), text, want);
}

static void a_gather_has_its_sentences(void) {
    ll_gather_plan p = LL_ZERO;
    p.kind = p.next_kind = LL_REGISTERS;
    p.cycles = 5;
    p.n = 1;
    p.fetch.count = 1;
    gathered(p, "data stays in its lane, about 5 cycles per warp\n"
                "  1. 1 select picks each lane's elements by its indices\n");
    p.step[0].count = 3;
    p.kind = LL_SHUFFLES;
    p.fetch.count = 2;
    p.next_kind = LL_SHARED;
    p.next_cycles = 9;
    gathered(p, "data stays in its warp, about 5 cycles per warp\n"
                "  1. 3 byte permutes reorder the bytes of each lane's "
                "registers\n"
                "  2. 2 shuffles exchange all words that indices may select\n"
                "  next best: through shared memory, about 9 cycles per "
                "warp\n");
    p.kind = LL_SHARED;
    p.next_kind = LL_SHUFFLES;
    p.smem_bytes = 256;
    p.step[0].count = 0;
    p.n = 2;
    p.step[1].op = LL_OP_SYNC_BLOCK;
    p.step[1].count = 1;
    p.fetch.bytes = 4;
    p.fetch.wavefronts = 3;
    gathered(p, "data goes through shared memory, 256 bytes, about 5 cycles "
                "per warp\n"
                "  1. __syncthreads()\n"
                "  2. each lane loads the elements at its indices in 2 "
                "accesses of 4 bytes, about 3 wavefronts each\n"
                "  next best: by shuffles, about 9 cycles per warp\n");
    p.next_kind = LL_SHARED;
    p.fetch.count = p.fetch.bytes = p.fetch.wavefronts = 1;
    p.turn.count = 4;
    gathered(p, "data goes through shared memory, 256 bytes, about 5 cycles "
                "per warp\n"
                "  1. __syncthreads()\n"
                "  2. each lane loads the elements at its indices in 1 access "
                "of 1 byte, about 1 wavefront each, in its own order: 4 "
                "selects before and 4 after\n");
    p.err = LL_EKIND;
    char want[ROOM];
    snprintf(want, sizeof want, "there is no plan: %s\n",
             ll_strerror(LL_EKIND));
    gathered(p, want);
}

/* Inputs of one bit and more: a column is named by the input that it is of. */
static void a_difference_names_its_input(void) {
    const ll_layout a = L("register: j0 | lane: j1 j2 | warp: j3 j4 j5");
    for (unsigned k = 0; k < 6u; ++k) {
        static const char *const name[] = {"register bit 0", "lane bit 0",
                                           "lane bit 1",     "warp bit 0",
                                           "warp bit 1",     "warp bit 2"};
        char text[ROOM], want[ROOM];
        ll_layout b = a;
        b.basis[k] = a.basis[k] ^ (k == 5u ? 1u : 32u);
        ll_compare(a, b, text, sizeof text);
        snprintf(want, sizeof want, "\n%s is j%u in the first layout and ",
                 name[k], k);
        CHECK(strstr(text, want) != NULL);
    }
}

/* A plan along an axis that the layout does not hold names the first bit that
 * lacks; a bit of another axis may lack. */
static void plans_along_an_axis_name_the_bit_that_lacks(void) {
    static const struct {
        const char *layout, *says;
        ll_dim dim;
        unsigned bit;
    } lacking[] = {
        {"register: j0 j1 | lane: j2 j3 j4 j5 j6 | warp: j7 j9 i0", "j8", LL_J,
         8},
        {"register: j0 j1 j1 j8 | lane: j3 j4 j5 j6 j7", "j2", LL_J, 2},
        {"register: j1 | lane: j2 0 0 i0 i1", "j0", LL_J, 0},
        {"register: j1 | lane: j0^i0 j2 0 0 i1", "j0", LL_J, 0},
        {"register: j0^j1 | lane: j2 j3 j4 j5 j6", "j0", LL_J, 0},
        {"register: j0 | lane: j1 j2 j3 j4 j5 | block: j7", "j6", LL_J, 6}};
    for (unsigned k = 0; k < sizeof lacking / sizeof *lacking; ++k) {
        const ll_layout a = L(lacking[k].layout);
        const ll_target t = LL_SM90;
        char want[ROOM], text[6][ROOM];
        const ll_reduce_plan p = ll_reduce_of(a, LL_J, 32, t);
        const ll_scan_plan s = ll_scan_of(a, LL_J, 32, t);
        const ll_sort_plan o = ll_sort_of(a, LL_J, 32, t);
        const ll_sort_plan top = ll_top_of(a, LL_J, 1, 32, t);
        const ll_cluster_plan c = ll_cluster_reduce_of(a, LL_J, 32, t);
        const ll_cluster_plan d = ll_cluster_scan_of(a, LL_J, 32, t);
        const ll_lack all[6] = {p.lacks, s.lacks,   o.lacks,
                                c.lacks, top.lacks, d.lacks};
        const unsigned err[6] = {p.err, s.err, o.err, c.err, top.err, d.err};
        ll_explain_reduce(p, text[0], ROOM);
        ll_explain_scan(s, text[1], ROOM);
        ll_explain_sort(o, text[2], ROOM);
        ll_explain_cluster(c, text[3], ROOM);
        ll_explain_sort(top, text[4], ROOM);
        ll_explain_cluster(d, text[5], ROOM);
        snprintf(want, sizeof want,
                 "there is no plan: the layout lacks bit %s of the axis\n",
                 lacking[k].says);
        for (unsigned n = 0; n < 6u; ++n) {
            CHECK(err[n] == LL_EHELD);
            CHECK(all[n].dim == lacking[k].dim);
            CHECK(all[n].bit == lacking[k].bit);
            CHECK(strcmp(text[n], want) == 0);
        }
    }
    /* A source of a gather must hold all that an index may ask for. */
    char text[ROOM];
    const ll_layout index = L("lane: k0 k1 k2 k3 k4");
    const ll_gather_plan g = ll_gather_of(
        L("lane: k0 k1 0 k3 k4"), index, 0, 32, LL_SM90);
    ll_explain_gather(g, text, sizeof text);
    CHECK(g.err == LL_EHELD && g.lacks.dim == LL_K && g.lacks.bit == 2u);
    CHECK(strcmp(text, "there is no plan: the layout lacks bit k2 of the "
                       "axis\n") == 0);
    /* Names that end in digits have a point; other axes may lack bits. */
    const ll_reduce_plan r =
        ll_reduce_of(L("lane: a1.1 0 0 0 0"), ll_dim_of("a1"), 32, LL_SM90);
    ll_explain_reduce(r, text, sizeof text);
    CHECK(strcmp(text, "there is no plan: the layout lacks bit a1.0 of the "
                       "axis\n") == 0);
    const ll_layout rest = L("lane: i0 i1 0 i3 j0 -> j=2 | i=16");
    CHECK(ll_reduce_of(rest, LL_J, 32, LL_SM90).err == LL_OK);
    CHECK(ll_scan_of(rest, LL_J, 32, LL_SM90).err == LL_OK);
    CHECK(ll_reduce_of(rest, LL_I, 32, LL_SM90).lacks.bit == 2u);
    CHECK(ll_reduce_of(rest, LL_J, 32, LL_SM90).lacks.dim == 0);
    CHECK(ll_reduce_of(rest, LL_J, 24, LL_SM90).err == LL_EELEMENT);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(errors_name_the_character_or_the_value);
    RUN(a_comparison_names_the_first_difference);
    RUN(plans_that_are_none_name_the_value);
    RUN(plans_along_an_axis_name_the_bit_that_lacks);
    RUN(a_step_has_its_sentence);
    RUN(an_access_has_its_sentence);
    RUN(a_plan_says_what_it_needs);
    RUN(a_plan_says_whether_less_is_possible);
    RUN(nibbles_have_their_sentences);
    RUN(an_odd_element_is_named);
    RUN(a_gather_has_its_sentences);
    RUN(a_difference_names_its_input);
    return test_end();
}
