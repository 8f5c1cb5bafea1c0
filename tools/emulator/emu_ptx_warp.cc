/* emu_ptx_warp.cc - PTX instructions that threads execute together: barriers,
 * exchanges and votes of a warp, and its matrices in shared memory.
 *
 * Sections: barriers - exchanges - matrices - registers.
 */
#include "emu_ptx.h"

/* ==== Barriers ========================================================== */

/* barrier.cluster.arrive and barrier.cluster.wait.acquire, alternately. */
static void barrier_cluster(context &c, const stmt &s) {
    check_mods(s, {"cluster", "arrive", "wait", "release", "acquire",
                   "relaxed"});
    need_args(s, 0, 0);
    fiber *f = c.f;
    bool comes = s.has("arrive");
    if (comes == s.has("wait") || !s.has("aligned") ||
        (s.has("relaxed") && (!comes || s.has("release")))) {
        throw fault("not interpreted");
    }
    if (comes != (f->arrived == f->waited)) {
        throw fault(comes ? "a second arrive without a wait"
                          : "a wait without an arrive");
    }
    f->c.at = count(c, comes ? "barrier.cluster.arrive"
                             : "barrier.cluster.wait");
    emu_settle(f);
    if (comes) {
        f->c.op = s.has("relaxed") ? OP_ARRIVE_RELAXED : OP_ARRIVE;
        f->c.mask = 0xffffffffu;
        emu_collect(f);
        return;
    }
    f->wait = WAIT_CLUSTER;
    emu_park();
}

/* The thread arrives at one of the 16 barriers of its block. */
static void named_barrier_of(context &c, const stmt &s) {
    fiber *f = c.f;
    uint64_t id = get(c, s.args[0]);
    uint64_t count = s.args.size() > 1 ? get(c, s.args[1]) : 0;
    if (id > 15) {
        throw fault(emu_text("there is no barrier %llu: a block has barriers 0 "
                             "to 15",
                             (unsigned long long)id));
    }
    if (count % (unsigned)emu_self_->t.lanes) {
        throw fault(emu_text("%llu threads: the count must be a multiple of a "
                             "warp",
                             (unsigned long long)count));
    }
    f->bar_id = (unsigned)id;
    f->bar_count = (unsigned)count;
    f->bar_aligned = s.mods[0] == "bar" || s.has("aligned");
}

/* bar.arrive: of whole warps if the instruction is .aligned. */
static void do_arrive(context &c, const stmt &s) {
    fiber *f = c.f;
    need_args(s, 2, 2);
    f->c.op = OP_ARRIVE_NAMED;
    f->c.mask = f->bar_aligned ? 0xffffffffu : 1ull << f->lane;
    emu_collect(f);
}

/* bar.sync n / barrier.sync n / bar.arrive n, count / bar.warp.sync mask. */
void emu_do_bar(context &c, const stmt &s) {
    if (s.has("cluster")) {
        barrier_cluster(c, s);
        return;
    }
    check_mods(s, {"warp", "cta", "arrive"});
    fiber *f = c.f;
    need_args(s, 1, 2);
    if (!s.has("sync") && !s.has("arrive")) {
        throw fault("not interpreted");
    }
    f->c.at = count(c, s.has("warp") ? "syncwarp" : "bar");
    emu_settle(f);
    if (s.has("warp")) {
        f->c.op = OP_SYNCWARP;
        f->c.mask = get(c, s.args[0]);
        emu_collect(f);
        return;
    }
    named_barrier_of(c, s);
    if (s.has("arrive")) {
        do_arrive(c, s);
        return;
    }
    f->wait = WAIT_BLOCK;
    emu_park();
}

/* ==== Exchanges ========================================================= */

static int shuffle_mode(const stmt &s) {
    const int mode = s.has("idx") ? 0 : s.has("up") ? 1 : s.has("down") ? 2
                     : s.has("bfly") ? 3 : -1;
    if (mode < 0) {
        throw fault("no shuffle mode");
    }
    return mode;
}

void emu_do_shfl(context &c, const stmt &s) {
    need_args(s, 5, 5);
    check_mods(s, {"idx", "up", "down", "bfly"});
    fiber *f = c.f;
    uint64_t k = get(c, s.args[3]);
    uint32_t top = (uint32_t)emu_self_->t.lanes - 1;
    f->c.at = count(c, "shfl");
    f->c.op = OP_SHFL;
    f->c.mode = shuffle_mode(s);
    f->c.in[0] = f->c.out[0] = (uint32_t)get(c, s.args[1]);
    f->c.b = (uint32_t)get(c, s.args[2]) & top;
    f->c.clamp = (uint32_t)k & top;
    f->c.seg = (uint32_t)(k >> 8) & top;
    f->c.mask = low(get(c, s.args[4]), emu_self_->t.lanes);
    emu_collect(f);
    const opnd &d = s.args[0];
    set(c, d.type == PAIR ? d.sub[0] : d, f->c.out[0]);
    if (d.type == PAIR) {
        set(c, d.sub[1], (uint64_t)f->c.pred);
    }
}

/* redux.sync.{add, min, max}.{u32, s32}, .{and, or, xor}.b32 d, a, mask */
void emu_do_redux(context &c, const stmt &s) {
    need_args(s, 3, 3);
    check_mods(s, {"add", "min", "max", "and", "or", "xor"});
    fiber *f = c.f;
    bool is_signed = s.mods.back() == "s32";
    f->c.at = count(c, "redux");
    f->c.op = OP_REDUCE;
    f->c.mode = s.has("add")   ? REDUCE_ADD
                : s.has("and") ? REDUCE_AND
                : s.has("or")  ? REDUCE_OR
                : s.has("xor") ? REDUCE_XOR
                : s.has("min") ? (is_signed ? REDUCE_SMIN : REDUCE_MIN)
                               : (is_signed ? REDUCE_SMAX : REDUCE_MAX);
    f->c.in[0] = (uint32_t)get(c, s.args[1]);
    f->c.mask = low(get(c, s.args[2]), emu_self_->t.lanes);
    emu_collect(f);
    set(c, s.args[0], f->c.out[0]);
}

/* vote.sync.{ballot.b32, any.pred, all.pred} d, p, mask */
void emu_do_vote(context &c, const stmt &s) {
    need_args(s, 3, 3);
    check_mods(s, {"ballot", "any", "all"});
    fiber *f = c.f;
    bool all = s.has("all");
    f->c.at = count(c, "vote");
    f->c.op = OP_VOTE;
    f->c.pred = (get(c, s.args[1]) != 0) != all;
    f->c.mask = low(get(c, s.args[2]), emu_self_->t.lanes);
    emu_collect(f);
    set(c, s.args[0], s.has("ballot") ? f->c.ballot
                      : all ? f->c.ballot == 0 : f->c.ballot != 0);
}

/* elect.sync d|p, mask: the lowest lane. */
void emu_do_elect(context &c, const stmt &s) {
    need_args(s, 2, 2);
    fiber *f = c.f;
    f->c.at = count(c, "elect");
    f->c.op = OP_VOTE;
    f->c.pred = 1;
    f->c.mask = low(get(c, s.args[1]), emu_self_->t.lanes);
    emu_collect(f);
    const uint64_t lowest = (uint64_t)__builtin_ctzll(f->c.ballot);
    const opnd &d = s.args[0];
    if (d.type == PAIR) {
        set(c, d.sub[0], lowest);
        set(c, d.sub[1], lowest == (uint64_t)f->lane);
    }
}

/* ==== Matrices ========================================================== */

static int matrices(const stmt &s) {
    return s.has("x4") ? 4 : s.has("x2") ? 2 : s.has("x1") ? 1 : 0;
}

/* The form of an instruction's matrices in shared memory. Other forms are not
 * supported. */
static int form_of(const stmt &s, bool load) {
    bool trans = s.has("trans");
    const dotted &type = s.mods.back();
    if (!is_shared(s) || !s.has("sync") || !s.has("aligned")) {
        throw fault("it must be .sync.aligned and .shared");
    }
    if (s.has("m8n8") && type == "b16") {
        return trans ? FORM_TRANS : FORM_PLAIN;
    }
    if (load && s.has("m16n16") && trans && type == "b8" && !s.has("x4")) {
        return FORM_LOAD_B8;
    }
    if (!load && s.has("m16n8") && trans && type == "b8") {
        return FORM_STORE_B8;
    }
    throw fault("it must be m8n8 of b16, or transposed m16n16 (load) or m16n8 "
                "(store) of b8");
}

/* ldmatrix d, [a] and stmatrix [a], d. */
void emu_do_matrix(context &c, const stmt &s) {
    bool load = s.mods[0] == "ldmatrix";
    need_args(s, 2, 2);
    check_mods(s, {"m8n8", "m16n16", "m16n8", "x1", "x2", "x4", "trans",
                   "shared", "shared::cta"});
    int count_ = matrices(s), form = form_of(s, load);
    int n = count_ * (form == FORM_LOAD_B8 ? 2 : 1);
    if (!n) {
        throw fault("it must be .x1, .x2 or .x4");
    }
    fiber *f = c.f;
    const operands d = parts(s.args[load ? 0 : 1], n);
    std::string kind = s.mods[0] + emu_text(".x%d", count_) +
                       (s.has("trans") ? ".trans" : "");
    f->c.at = emu_site_at(f, c.pc, c.number, kind.c_str(), SPACE_SHARED, 16,
                          !load);
    f->c.at->merges = 0;
    f->c.op = load ? OP_LDMATRIX : OP_STMATRIX;
    f->c.mode = form;
    f->c.n = count_;
    f->c.mask = 0xffffffffu;
    f->c.addr = address(c, s.args[load ? 1 : 0], true);
    for (int i = 0; i < n && !load; i++) {
        f->c.in[i] = (uint32_t)get(c, d[(size_t)i]);
    }
    emu_collect(f);
    for (int i = 0; i < n && load; i++) {
        set(c, d[(size_t)i], f->c.out[i]);
    }
}

void emu_do_movmatrix(context &c, const stmt &s) {
    need_args(s, 2, 2);
    check_mods(s, {"m8n8", "trans"});
    if (!s.has("trans") || !s.has("m8n8")) {
        throw fault("only .m8n8.trans.b16 exists");
    }
    fiber *f = c.f;
    f->c.at = count(c, "movmatrix");
    f->c.op = OP_MOVMATRIX;
    f->c.mask = 0xffffffffu;
    f->c.in[0] = (uint32_t)get(c, s.args[1]);
    emu_collect(f);
    set(c, s.args[0], f->c.out[0]);
}

/* ==== Registers ========================================================= */

/* A warpgroup releases registers, or requests some. */
void emu_do_setmaxnreg(context &c, const stmt &s) {
    need_args(s, 1, 1);
    const uint64_t n = get(c, s.args[0]);
    if (s.has("inc") == s.has("dec") || n < 24 || n > 256 || n % 8) {
        throw fault("the number of registers must be a multiple of 8 from 24 "
                    "to 256");
    }
}
