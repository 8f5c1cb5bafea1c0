/* test_engine_origins.c - where the candidates of the layout engine come from.
 * SPDX-License-Identifier: MIT
 *
 * What a value is offered is compared with what the operations around it can ask
 * for.
 */
#include "engine_graphs.h"
#include "engine_orders.h"

/* A candidate of an operand was asked for by the product, is an order of k that
 * is best for it, or the rows of an access; values that follow have theirs from
 * the same. */
static void candidates_come_from_what_asks_for_them(void) {
    unsigned ordered = 0;
    unsigned rows = 0;
    for (unsigned n = 0; n < 12u; ++n) {
        char text[600];
        snprintf(text, sizeof text,
                 "a = %s 32x64:%u\ny = load 2:64\nb = %s 64x16:%u\n"
                 "w = load 2:64\nc = dot a b by=mma\nm = map a\nt = map b\n%s",
                 n % 2u ? "load" : "source", n % 3u ? 16u : 8u,
                 n / 2u % 2u ? "load" : "source", n % 3u ? 16u : 8u,
                 n > 5u ? "h = load 2:64\n" : "");
        begin(4);
        engine.most = 24;
        prepared(text);
        const ll_engine_op *o = &engine.op[4];
        for (unsigned side = 0; side < 2u; ++side) {
            const unsigned v = side ? 2u : 0u;
            const unsigned w = side ? 6u : 5u; /* a map of it */
            const ll_engine_value *x = &engine.value[v];
            const unsigned fixed = engine.fixed[o->at + side];
            CHECK(x->n == engine.value[w].n);
            for (unsigned k = 0; k < x->n; ++k) {
                const unsigned id = engine.candidate[x->first + k];
                const unsigned from = ll_engine_origin_(&engine, v, id);
                unsigned order[64];
                CHECK(from == engine.origin[x->first + k]);
                CHECK(from == ll_engine_origin_(&engine, w, id));
                CHECK((from % 4u == LL_ENGINE_BY_CALLER_) == (id == fixed));
                CHECK(from % 4u != LL_ENGINE_BY_NONE_);
                if (from % 4u == LL_ENGINE_BY_ACCESS_) {
                    CHECK(engine.op[from / 4u].kind == LL_ENGINE_LOAD);
                    CHECK(is_rows(v, id));
                    ++rows;
                } else {
                    CHECK(from / 4u == 4u);
                    CHECK(order_of(o, side, fixed, id, order));
                    ordered += from % 4u == LL_ENGINE_BY_ORDER_;
                }
            }
        }
    }
    COVERS(ordered > 12u && rows > 4u);
    begin(2);
    prepared("z = load 4x32:32\nm = map z\nu = source 8x8:32\n");
    CHECK(
        ll_engine_origin_(&engine, 2, engine.candidate[engine.value[2].first]) %
            4u ==
        LL_ENGINE_BY_NONE_);
    /* hints, and what nobody asks for, come from nowhere */
    begin(2);
    parsed("x = source 4x32:32\ny = map x\nz = load 4x32:32\n"
           "u = source 8x8:32\nsink y\n");
    const unsigned id = ll_engine_id(
        &engine, 0, ll_parse("register: i0 | lane: i1 j0 j1 j2 j3 | warp: j4"));
    ll_engine_hint(&engine, 0, id);
    engine.most = 24;
    ll_engine_prepare_(&engine);
    CHECK(!engine.err && has_candidate(0, id) && has_candidate(1, id));
    for (unsigned v = 0; v < 4u; ++v) {
        for (unsigned k = 0; k < engine.value[v].n; ++k) {
            const unsigned c = engine.candidate[engine.value[v].first + k];
            CHECK(ll_engine_origin_(&engine, v, c) % 4u ==
                  (v == 2u ? (unsigned)LL_ENGINE_BY_ACCESS_
                           : (unsigned)LL_ENGINE_BY_NONE_));
        }
    }
}

/* No value has more candidates than are allowed, but for those of the caller
 * and of the instructions. */
static void candidates_are_as_many_as_allowed(void) {
    static const char *const all[] = {
        "a = load 32x64:16\nb = load 64x16:16\nc = dot a b by=mma\n"
        "store c contiguous=16x1\n",
        "x = load 16x32:32\ny = reorder x 32x16\nstore y contiguous=32x1\n",
        "x = load 16x32:32\ni = load 16x32:32\ng = gather x i axis=1\n"
        "store g contiguous=16x1\n",
        "x = load 16x32:32\ng = gather x x axis=1\nstore g contiguous=16x1\n",
        "a = load 64x64:16\nb = load 64x64:16\nc = dot a b by=wgmma\n"
        "store c contiguous=1x64\n"};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        for (unsigned most = 1; most < 9u; ++most) {
            begin(4);
            engine.most = most;
            parsed(all[n]);
            ll_engine_prepare_(&engine); /* it may be that none fits */
            for (unsigned v = 0; v < engine.values; ++v) {
                unsigned asked = 0;
                for (unsigned p = 0; p < engine.ops; ++p) {
                    const ll_engine_op *o = &engine.op[p];
                    for (unsigned k = 0; k < o->n_in + o->n_out; ++k) {
                        asked += engine.operand[o->at + k] == v &&
                                 (engine.fixed[o->at + k] != LL_ENGINE_NONE ||
                                  (k < 2u && ll_engine_is_placed_(o, k) &&
                                   o->place[k][2] != LL_ENGINE_NONE));
                    }
                }
                CHECK(engine.value[v].n <= (asked > most ? asked : most));
            }
        }
    }
    for (unsigned most = 1; most < 4u; ++most) { /* both were offered others */
        begin(4);
        engine.most = most;
        parsed("x = source 16x16:32\ni = source 16x16:32\n"
               "g = gather x i axis=1\n");
        for (unsigned k = 0; k < 8u; ++k) {
            const unsigned v = 1u + k % 2u;
            ll_engine_hint(&engine, v, ll_engine_flat_id(
                                           &engine, v, random_flat(1, 5, 2)));
        }
        ll_engine_prepare_(&engine);
        CHECK(engine.value[1].n == most && engine.value[2].n == most);
    }
    /* a gather of a value by itself has its layouts */
    begin(2);
    engine.most = 24;
    prepared(all[3]);
    CHECK(engine.value[0].n == engine.value[1].n && engine.value[0].n > 2u);
    for (unsigned k = 0; k < engine.value[0].n; ++k) {
        CHECK(has_candidate(1, engine.candidate[engine.value[0].first + k]));
    }
    /* what instructions want in registers is there even if no more fit */
    begin(4);
    engine.most = 1;
    prepared("a = load 64x64:16 out0=\"register: j0 j1 j2 j3 j4 | lane: j5 i0 "
             "i1 i2 i3 | warp: i4 i5\"\nb = load 64x64:16\nw = load 2:8\n"
             "c = dot a b by=wgmma\n");
    const unsigned want = engine.op[3].place[0][2];
    CHECK(want != LL_ENGINE_NONE && has_candidate(0, want));
    CHECK(ll_engine_origin_(&engine, 0, want) ==
          4u * 3u + LL_ENGINE_BY_CALLER_);
    CHECK(ll_engine_solve(&engine));
    /* a lane holds up to 2^23 registers if it may */
    ll_engine_flat f = LL_ZERO;
    begin(1);
    f.n[1] = 5;
    for (unsigned n = 20; n < 25u; ++n) {
        ll_engine_spec s = LL_ZERO;
        begin(1);
        s.kind = LL_ENGINE_SOURCE;
        s.rank = 1;
        s.size[0] = (unsigned char)n;
        s.element_bits = 1;
        ll_engine_add(&engine, s);
        f.n[0] = (unsigned char)n;
        for (unsigned k = 0; k < n; ++k) {
            f.basis[k] = 1u << k;
        }
        const unsigned id = ll_engine_flat_id(&engine, 0, f);
        engine.registers = 1u << 18;
        CHECK(ll_engine_holds_(&engine, 0, id) == (n <= 23u));
        engine.registers = 0;
        CHECK(ll_engine_holds_(&engine, 0, id));
    }
}

/* Every candidate holds every element, whatever operations stand side by side,
 * and comes from the rows of an access or from the caller. */
static void candidates_hold_every_element(void) {
    static const char *const all[] = {
        "x = load 4x4:32\ny = load 16x32:32\nstore x\nr = reorder y 32x16\n"
        "store r\n",
        "y = load 16x32:32\nz = load 2:8\nr = reorder y 4x2x8x8\nstore r\n"
        "store z\n",
        "x = load 8x4:32\ni = load 8x16:32\ng = gather x i axis=1\n"
        "s = reduce g axis=1\nstore s\nstore x\n",
        "x = load 2x4x8x2:16\nt = trans x order=3x0x2x1\nr = reduce t axis=2\n"
        "e = expand r axis=0\nb = broadcast e 4x2x2x4\nj = join b b\n"
        "store j\na, c = split j\nu = unpack a axis=2\nstore u\nstore c\n",
        "x = load 16x8:32\nr = reduce x axis=0\nt = reshape r 2x4\n"
        "u = trans t order=1x0\nstore u\nstore r\n",
        "p = load 16x8:64\nc = source 16x8:32\nz = load 2:8\nstore p c\n"
        "store z\n"};
    for (unsigned n = 0; n < sizeof all / sizeof *all; ++n) {
        for (unsigned most = 2; most < 25u; most += 11u) {
            begin(2);
            engine.most = most;
            parsed(all[n]);
            ll_engine_prepare_(&engine);
            CHECK(!engine.err || (most == 2u && engine.err == LL_ENGINE_EFIT));
            for (unsigned v = 0; v < engine.values; ++v) {
                const ll_engine_value *x = &engine.value[v];
                CHECK(x->n);
                for (unsigned k = 0; k < x->n; ++k) {
                    const ll_engine_flat *f =
                        &engine.flat[engine.candidate[x->first + k]];
                    unsigned rank = 0;
                    unsigned left[LL_MAX_BITS] = LL_ZERO;
                    for (unsigned c = 0; c < (unsigned)f->n[0] + 6u; ++c) {
                        unsigned y = f->basis[c];
                        CHECK(y >> x->bits == 0);
                        for (unsigned b = 24; b-- > 0;) {
                            y ^= y >> b & 1u ? left[b] : 0u;
                        }
                        for (unsigned b = 24; b-- > 0 && y;) {
                            if (y >> b & 1u) {
                                left[b] = y;
                                ++rank;
                                break;
                            }
                        }
                    }
                    CHECK(rank == x->bits);
                    CHECK(f->n[1] == 5u && f->n[2] == 1u);
                }
            }
            CHECK(engine.err || (ll_engine_solve(&engine) &&
                                 ll_engine_check(&engine) == LL_ENGINE_PROVEN));
        }
    }
}

/* Accesses of elements of any size are offered single elements and vectors of
 * 16 bytes along each axis, and nothing else. */
static void accesses_are_offered_vectors(void) {
    for (unsigned bits = 4; bits <= 128u; bits *= 2u) {
        char text[200];
        unsigned wide = 0;
        while ((bits < 8u ? 1u : bits / 8u) << wide < 16u) {
            ++wide;
        }
        snprintf(text, sizeof text,
                 "p = load 16x32:64\nc = source 16x32:%u\n"
                 "z = load 2:8\nstore p c\n",
                 bits);
        begin(2);
        engine.most = 24;
        prepared(text);
        const ll_engine_value x = engine.value[1];
        unsigned ids[4];
        for (unsigned k = 0; k < 4u; ++k) {
            ids[k] = ll_engine_flat_id(
                &engine, 1,
                ll_engine_rows_(&engine, &x, k / 2u, k % 2u ? wide : 0u));
            CHECK(has_candidate(1, ids[k]));
        }
        for (unsigned k = 0; k < x.n; ++k) {
            const unsigned id = engine.candidate[x.first + k];
            CHECK(id == ids[0] || id == ids[1] || id == ids[2] ||
                  id == ids[3] || is_rows(0, id));
        }
        if (wide == 0) {
            CHECK(ll_engine_origin_(&engine, 1, ids[0]) % 4u ==
                  LL_ENGINE_BY_ACCESS_);
        }
        /* alone, they are all */
        snprintf(text, sizeof text, "c = load 16x32:%u\n", bits);
        begin(2);
        engine.most = 24;
        prepared(text);
        CHECK(engine.value[0].n == (wide ? 4u : 2u));
    }
    /* where one operand is fixed nothing else is offered */
    begin(2);
    engine.most = 24;
    prepared("p = source 8x8:64\nx = source 8x8:32\nz = load 2:8\n"
             "store p x in1=\"register: j0 | lane: j1 j2 i0 i1 i2\"\n");
    CHECK(engine.value[0].n == 1u && engine.value[1].n == 1u);
}

/* What the caller fixes of a gather holds for each of its operands, and of an
 * operation with many results for each of them. */
static void fixed_layouts_hold_for_each_operand(void) {
    static const char a[] = "register: j0 j1 | lane: j2 i0 i1 i2 i3 | warp: j3";
    static const char b[] = "register: j0 i3 | lane: j2 i0 i1 i2 j3 | warp: j1";
    for (unsigned n = 0; n < 8u; ++n) {
        char text[600] = "x = load 16x16:32\ni = load 16x16:32\nz = load 2:8\n"
                         "g = gather x i axis=1";
        append(text, sizeof text, n & 1u ? " in0=\"" : "");
        append(text, sizeof text, n & 1u ? a : "");
        append(text, sizeof text, n & 1u ? "\"" : "");
        append(text, sizeof text, n & 2u ? " in1=\"" : "");
        append(text, sizeof text, n & 2u ? b : "");
        append(text, sizeof text, n & 2u ? "\"" : "");
        append(text, sizeof text, n & 4u ? " out0=\"" : "");
        append(text, sizeof text, n & 4u ? b : "");
        append(text, sizeof text, n & 4u ? "\"" : "");
        append(text, sizeof text, "\nstore g contiguous=16x1\n");
        begin(2);
        engine.most = 24;
        prepared(text);
        const ll_engine_op *o = &engine.op[3];
        CHECK(o->n && engine.value[0].n > 1u);
        CHECK(engine.value[1].n > 1u && engine.value[3].n > 1u);
        for (unsigned t = 0; t < o->n; ++t) {
            unsigned tuple[3];
            ll_engine_numbers_(&engine, 3, t, tuple);
            for (unsigned k = 0; k < 3u; ++k) {
                const unsigned want = engine.fixed[o->at + k];
                CHECK(want == LL_ENGINE_NONE || want == tuple[k]);
                CHECK(has_candidate(k == 2u ? 3u : k, tuple[k]));
            }
            CHECK(tuple[1] == tuple[2]);
        }
        CHECK(n || o->n == engine.value[0].n * engine.value[3].n);
        for (unsigned t = 0; t < o->n; t += 7u) {
            unsigned tuple[3];
            ll_engine_numbers_(&engine, 3, t, tuple);
            const ll_gather_plan p = ll_gather_of(
                ll_engine_layout(&engine, 0, tuple[0]),
                ll_engine_layout(&engine, 1, tuple[1]), LL_J, 32, LL_SM90);
            CHECK(ll_engine_price(&engine, 3, tuple) == 8ull * p.cycles);
        }
    }
    for (unsigned first = 0; first < 2u; ++first) {
        static const char *const order[] = {
            "j0 | lane: j1 j2 i0 i1 i2", "j1 | lane: j0 j2 i0 i1 i2",
            "j2 | lane: j1 j0 i0 i1 i2", "i0 | lane: j1 j2 j0 i1 i2",
            "i1 | lane: j1 j2 i0 j0 i2", "i2 | lane: j1 j2 i0 i1 j0",
            "j0 | lane: j2 j1 i0 i1 i2", "j0 | lane: i0 j2 j1 i1 i2"};
        char text[2000];
        snprintf(text, sizeof text, "%sa, b, c, d, f, g, h, k = fixed 8x8:32",
                 first ? "" : "z = load 2:8\n");
        for (unsigned k = 0; k < 8u; ++k) {
            char line[80];
            snprintf(line, sizeof line, " out%u=\"register: %s\"", k, order[k]);
            append(text, sizeof text, line);
        }
        append(text, sizeof text,
               "\nm = map a b\nn = map m c\nstore n\n"
               "store k\n");
        begin(2);
        parsed(text);
        CHECK(ll_engine_solve(&engine));
        CHECK(ll_engine_check(&engine) == LL_ENGINE_PROVEN);
        const unsigned p = first ? 0u : 1u;
        unsigned tuple[8];
        CHECK(ll_engine_executed(&engine, p, 0, tuple));
        for (unsigned k = 0; k < 8u; ++k) {
            CHECK(tuple[k] == engine.fixed[engine.op[p].at + k]);
        }
    }
    /* constants of other layouts are free where nothing is said, but not those
       of a product */
    begin(2);
    parsed("c = constant 8x8:32\nd = fixed c out0=\"register: j0 | lane: j1 j2 "
           "i0 i1 i2\"\nstore d\n");
    CHECK(ll_engine_solve(&engine));
    begin(2);
    parsed(
        "c = constant 8x8:32\nx = load 8x8:32\nd = dot x c in0=\"register: "
        "j0 | lane: j1 j2 i0 i1 i2\" out0=\"register: j0 | lane: j1 j2 i0 i1 "
        "i2\"\n");
    CHECK(!ll_engine_solve(&engine) && engine.err == LL_ENGINE_EFIXED);
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(candidates_come_from_what_asks_for_them);
    RUN(candidates_are_as_many_as_allowed);
    RUN(candidates_hold_every_element);
    RUN(accesses_are_offered_vectors);
    RUN(fixed_layouts_hold_for_each_operand);
    return test_end();
}
