/* emu_ptx.cc - parses and executes PTX text, from the PTX ISA manual.
 *
 * A text is parsed once, into statements: a mnemonic with its dotted parts, and
 * operands. Each execution runs the statements with the operands of its call.
 *
 * Sections: reading - values - memory - arithmetic - floats - exchanges -
 * products - running.
 */
#include "emu_int.h"
#include "include/cuda_fp8.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <stdexcept>

/* ==== Reading =========================================================== */

enum { ARG, REG, IMM, VEC, ADDR, PAIR, SPECIAL, SINK };

struct opnd {
    int type = IMM;
    int n = 0;                 /* operand or register number, special    */
    uint64_t value = 0;
    bool negated = false;      /* !p                                     */
    std::vector<opnd> sub;     /* of vector; base, offset; d, p          */
};

struct context;
struct stmt;
typedef void (*handler)(context &, const stmt &);

struct stmt {
    int guard = -1;            /* predicate register, or none            */
    bool guard_not = false;
    std::vector<dotted> mods;
    std::vector<opnd> args;
    std::string text;
    mutable handler run = nullptr; /* executes it, once that is known */
    mutable bool ran = false;      /* it ran: its parts are known          */
    mutable product_call product;  /* of mma: parsed name                  */

    template <size_t N> bool has(const char (&m)[N]) const {
        for (const dotted &own : mods) {
            if (own == m) {
                return true;
            }
        }
        return false;
    }
};

struct program {
    std::string text, error;
    std::vector<stmt> stmts;
    std::map<std::string, int> regs;
    std::vector<int> reg_bits;
};

/* An error in the text or its use. The message says what is wrong. */
typedef std::runtime_error fault;

struct reader {
    program *p;
    const std::string s;
    size_t i = 0;

    void blank() {
        while (i < s.size() && isspace((unsigned char)s[i])) {
            i++;
        }
    }
    bool eat(char c) {
        blank();
        if (i < s.size() && s[i] == c) {
            i++;
            return true;
        }
        return false;
    }
    void need(char c) {
        if (!eat(c)) {
            throw fault(std::string("expected '") + c + "' before '" +
                        s.substr(i, 12) + "'");
        }
    }
    std::string word() {
        blank();
        size_t from = i;
        while (i < s.size() && (isalnum((unsigned char)s[i]) ||
                                strchr("_$.:%", s[i]))) {
            i++;
        }
        if (from == i) {
            throw fault("expected a name before '" + s.substr(i, 12) + "'");
        }
        return s.substr(from, i - from);
    }
    opnd operand();
    opnd number();
    opnd named(const std::string &w);
};

static const char *const specials[] = {
    "%laneid", "%warpid", "%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ctaid.x",
    "%ctaid.y", "%nctaid.x", "%lanemask_lt", "%cluster_ctarank",
    "%cluster_nctarank", "%ntid.y", "%ntid.z", "%ctaid.z", "%nctaid.y",
    "%nctaid.z", "%lanemask_eq", "%lanemask_le", "%lanemask_gt",
    "%lanemask_ge", "%nwarpid", "%smid", "%nsmid", "%clock", "%clock64",
    "%globaltimer"
};

opnd reader::number() {
    opnd o;
    bool minus = eat('-');
    blank();
    size_t used = 0;
    try {
        o.value = std::stoull(s.substr(i), &used, 0);
    } catch (const std::exception &) {
        throw fault("bad number at '" + s.substr(i, 12) + "'");
    }
    i += used;
    if (i < s.size() && (s[i] == 'U' || s[i] == 'u')) {
        i++;
    }
    o.value = minus ? 0 - o.value : o.value;
    return o;
}

/* %3, %%laneid or the name of a register declared in the text. */
opnd reader::named(const std::string &w) {
    opnd o;
    if (w == "_") {
        o.type = SINK;
        return o;
    }
    if (w.size() > 1 && w[0] == '%' && isdigit((unsigned char)w[1])) {
        o.type = ARG;
        o.n = atoi(w.c_str() + 1);
        return o;
    }
    std::string name = w.compare(0, 2, "%%") == 0 ? w.substr(1) : w;
    auto it = p->regs.find(name);
    if (it != p->regs.end()) {
        o.type = REG;
        o.n = it->second;
        return o;
    }
    for (size_t k = 0; k < sizeof specials / sizeof *specials; k++) {
        if (name == specials[k]) {
            o.type = SPECIAL;
            o.n = (int)k;
            return o;
        }
    }
    throw fault("unknown operand '" + w + "'");
}

opnd reader::operand() {
    opnd o;
    blank();
    if (eat('{')) {
        o.type = VEC;
        do {
            o.sub.push_back(operand());
        } while (eat(','));
        need('}');
    } else if (eat('[')) {
        o.type = ADDR;
        o.sub.push_back(operand());
        if (eat('+') || eat(',')) {
            o.sub.push_back(operand());
        } else if (i < s.size() && s[i] == '-') {
            o.sub.push_back(number());
        }
        need(']');
    } else if (eat('!')) {
        o = operand();
        o.negated = true;
        return o;
    } else if (i < s.size() && (isdigit((unsigned char)s[i]) || s[i] == '-')) {
        return number();
    } else {
        o = named(word());
    }
    if (eat('|')) {
        opnd both;
        both.type = PAIR;
        both.sub = {o, operand()};
        return both;
    }
    return o;
}

static std::vector<dotted> split_dots(const std::string &w) {
    std::vector<dotted> v(1);
    for (char c : w) {
        if (c == '.') {
            v.push_back("");
        } else {
            v.back() += c;
        }
    }
    return v;
}

static int type_bits(const dotted &t) {
    const size_t n = t.size();
    if ((n == 2 || n == 3) && strchr("busf", t[0])) {
        const int bits = n == 2 ? (t[1] == '8' && t[0] != 'f') * 8
                                : (t[1] - '0') * 10 + t[2] - '0';
        return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits : 0;
    }
    return n == 4 && t == "pred" ? 1 : 0;
}

static void read_declaration(reader &r) {
    std::string type = r.word();
    int bits = type.size() > 1 ? type_bits(type.substr(1)) : 0;
    if (!bits) {
        throw fault("unknown register type '" + type + "'");
    }
    do {
        std::string name = r.word();
        name = name.compare(0, 2, "%%") == 0 ? name.substr(1) : name;
        r.p->regs[name] = (int)r.p->reg_bits.size();
        r.p->reg_bits.push_back(bits);
    } while (r.eat(','));
}

static void read_statement(reader &r) {
    stmt st;
    size_t from = r.i;
    if (r.eat('@')) {
        st.guard_not = r.eat('!');
        opnd g = r.named(r.word());
        if (g.type != REG || r.p->reg_bits[(size_t)g.n] != 1) {
            throw fault("the guard is not a predicate");
        }
        st.guard = g.n;
    }
    std::string w = r.word();
    if (w == ".reg") {
        read_declaration(r);
        r.need(';');
        return;
    }
    st.mods = split_dots(w);
    r.blank();
    if (r.i < r.s.size() && r.s[r.i] != ';') {
        do {
            st.args.push_back(r.operand());
        } while (r.eat(','));
    }
    st.text = r.s.substr(from, r.i - from);
    r.need(';');
    r.p->stmts.push_back(st);
}

static void read_program(program *p, const char *text) {
    reader r = {p, text};
    try {
        for (r.blank(); r.i < r.s.size(); r.blank()) {
            if (!r.eat('{') && !r.eat('}') && !r.eat(';')) {
                read_statement(r);
            }
        }
    } catch (const fault &f) {
        p->error = f.what();
    }
}

/* ==== Values ============================================================ */

struct context {
    fiber *f;
    program *p;
    const emu_operand *outs, *ins;
    int n_outs, n_ins;
    uint64_t pc;
    int number;                     /* number of the statement */
    std::vector<uint64_t> regs;
};

static uint64_t low(uint64_t v, int bits) {
    return bits >= 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

static const emu_operand &arg_of(const context &c, int n) {
    if (n >= c.n_outs + c.n_ins) {
        throw fault(emu_text("there is no operand %%%d", n));
    }
    const emu_operand &o = n < c.n_outs ? c.outs[n] : c.ins[n - c.n_outs];
    if (!o.bits) {
        throw fault(emu_text("operand %%%d has another width than its "
                             "variable", n));
    }
    return o;
}

static uint64_t special(const context &c, int n) {
    const fiber *f = c.f;
    switch (n) {
    case 0: return (uint64_t)f->lane;
    case 1: return (uint64_t)f->warp;
    case 2: return f->pub.thread.x;
    case 3: return f->pub.thread.y;
    case 4: return f->pub.thread.z;
    case 5: return f->pub.threads.x;
    case 6: return f->pub.block.x;
    case 7: return f->pub.block.y;
    case 8: return f->pub.blocks.x;
    case 9: return ((uint64_t)1 << f->lane) - 1;
    case 10: return (uint64_t)f->rank;
    case 11: return (uint64_t)emu_self_->ranks;
    case 12: return f->pub.threads.y;
    case 13: return f->pub.threads.z;
    case 14: return f->pub.block.z;
    case 15: return f->pub.blocks.y;
    case 16: return f->pub.blocks.z;
    case 17: return (uint64_t)1 << f->lane;
    case 18: return ((uint64_t)2 << f->lane) - 1;
    case 19: return ~(((uint64_t)2 << f->lane) - 1);
    case 20: return ~(((uint64_t)1 << f->lane) - 1);
    case 21: return (uint64_t)emu_self_->each;
    case 22: return 0; /* there is one multiprocessor */
    case 23: return 1;
    default: return (uint64_t)clock();
    }
}

static uint64_t get(const context &c, const opnd &o) {
    uint64_t v = 0;
    switch (o.type) {
    case IMM: v = o.value; break;
    case REG: v = c.regs[(size_t)o.n]; break;
    case SPECIAL: v = special(c, o.n); break;
    case ARG: {
        const emu_operand &a = arg_of(c, o.n);
        if (a.at) {
            memcpy(&v, a.at, (size_t)a.bits / 8);
        } else {
            v = a.value;
        }
        break;
    }
    default: throw fault("an operand of this form has no value");
    }
    return o.negated ? !v : v;
}

static int bits_of(const context &c, const opnd &o) {
    return o.type == ARG ? arg_of(c, o.n).bits
           : o.type == REG ? c.p->reg_bits[(size_t)o.n] : 64;
}

static void set(context &c, const opnd &o, uint64_t v) {
    if (o.type == SINK) {
        return;
    }
    if (o.type == REG) {
        c.regs[(size_t)o.n] = low(v, c.p->reg_bits[(size_t)o.n]);
        return;
    }
    if (o.type != ARG || !arg_of(c, o.n).at) {
        throw fault("the destination is not an output operand");
    }
    const emu_operand &a = arg_of(c, o.n);
    memcpy(a.at, &v, (size_t)a.bits / 8);
}

static void need_args(const stmt &s, size_t least, size_t most) {
    if (s.args.size() < least || s.args.size() > most) {
        throw fault(emu_text("%zu operands instead of %zu", s.args.size(),
                             least));
    }
}

/* ==== Memory ============================================================ */

/* Every dotted part must be known; cache hints are ignored. The parts do not
 * change, so a statement that has run is not checked again. */
static void check_mods(const stmt &s,
                       std::initializer_list<const char *> known) {
    static const char *const cache[] = {
        "nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "volatile", "weak",
        "relaxed", "cta", "gpu", "sys", "sync", "aligned"
    };
    for (size_t i = 1; !s.ran && i < s.mods.size(); i++) {
        const dotted &m = s.mods[i];
        bool ok = type_bits(m) || m.compare(0, 2, "L1") == 0 ||
                  m.compare(0, 2, "L2") == 0;
        for (const char *k : known) {
            ok = ok || m == k;
        }
        for (const char *k : cache) {
            ok = ok || m == k;
        }
        if (!ok) {
            throw fault("unknown part '." + m + "'");
        }
    }
}

/* The host address of [base+offset] in the named space. */
static uint64_t address(const context &c, const opnd &o, bool shared) {
    if (o.type != ADDR) {
        throw fault("the address is not in brackets");
    }
    uint64_t v = 0;
    for (const opnd &part : o.sub) {
        if (part.type == VEC) {
            continue; /* coordinates in a tensor */
        }
        int bits = bits_of(c, part);
        uint64_t x = get(c, part);
        v += bits == 32 ? (uint64_t)(int64_t)(int32_t)x : x;
    }
    if (!shared) {
        return v;
    }
    uint64_t host = emu_shared_addr(v & 0xffffffffu);
    return host ? host : 1;   /* 1: not memory, refused by emu_access */
}

static bool is_shared(const stmt &s) {
    return s.has("shared") || s.has("shared::cta");
}

struct shape {
    int n, bits;
    bool sign, shared, far;  /* far: in any block of the cluster */
};

static shape shape_of(const stmt &s) {
    bool far = s.has("shared::cluster");
    shape h = {1, 0, false, is_shared(s) || far, far};
    check_mods(s, {"shared", "shared::cta", "shared::cluster", "global", "v2",
                   "v4", "v8"});
    h.n = s.has("v8") ? 8 : s.has("v4") ? 4 : s.has("v2") ? 2 : 1;
    h.bits = type_bits(s.mods.back());
    h.sign = s.mods.back()[0] == 's';
    if (!h.bits) {
        throw fault("no type");
    }
    if (!h.shared && !s.has("global")) {
        throw fault("the address must be in shared or global memory");
    }
    int widest = h.shared ? 128 : 256;
    if (h.n * h.bits > widest) {
        throw fault(emu_text("more than %d bits in one access", widest));
    }
    return h;
}

static site *memory_site(context &c, const shape &h, int write) {
    int size = h.n * h.bits / 8;
    int space = h.shared ? SPACE_SHARED : SPACE_GLOBAL;
    site *s = emu_site_at(c.f, c.pc, c.number, nullptr, space, size, write);
    if (s->kind.empty()) {
        s->kind = emu_text("%s.%s.b%d", write ? "st" : "ld",
                           h.far      ? "shared::cluster"
                           : h.shared ? "shared"
                                      : "global", 8 * size);
    }
    return s;
}

/* The parts of a vector operand; another operand is its own only part. */
struct operands {
    const opnd *first;
    size_t count;

    explicit operands(const opnd &o)
        : first(o.type == VEC ? o.sub.data() : &o),
          count(o.type == VEC ? o.sub.size() : 1) {}
    const opnd *begin() const { return first; }
    const opnd *end() const { return first + count; }
    size_t size() const { return count; }
    const opnd &operator[](size_t k) const { return first[k]; }
};

static operands parts(const opnd &o, int n) {
    const operands v(o);
    if (v.size() != (size_t)n) {
        throw fault(emu_text("%zu registers instead of %d", v.size(), n));
    }
    return v;
}

static void check_width(const context &c, const opnd &o, int bits) {
    if (o.type != SINK && o.type != IMM && bits_of(c, o) < bits) {
        throw fault(emu_text("a register of %d bits for a type of %d",
                             bits_of(c, o), bits));
    }
}

/* Returns the block of a cluster that owns an address. */
static int owner_of(const context &c, uint64_t at) {
    return at >> FAR_SHIFT ? (int)(at >> FAR_SHIFT) - 1 : c.f->rank;
}

/* mapa.shared::cluster.u32 d, address, block */
static void do_mapa(context &c, const stmt &s) {
    need_args(s, 3, 3);
    check_mods(s, {"shared::cluster"});
    uint64_t at = get(c, s.args[1]), block = get(c, s.args[2]);
    if (!s.has("shared::cluster") || !s.has("u32")) {
        throw fault("not .shared::cluster.u32");
    }
    if (block >= (uint64_t)emu_self_->ranks) {
        throw fault(emu_text("block %llu of a cluster of %d",
                             (unsigned long long)block, emu_self_->ranks));
    }
    if (at >> FAR_SHIFT) {
        throw fault("the address is not in this block's shared memory");
    }
    set(c, s.args[0], (block + 1) << FAR_SHIFT | at);
}

static void load_far(context &c, const stmt &s, const shape &h) {
    const operands d = parts(s.args[0], h.n);
    uint64_t a = address(c, s.args[1], false) & 0xffffffffu;
    uint64_t at = emu_shared_addr(low(a, FAR_SHIFT));
    int owner = owner_of(c, a);
    if (owner >= emu_self_->ranks) {
        throw fault("an address that belongs to no block of the cluster");
    }
    emu_access(c.f, at ? at : 1, h.n * h.bits / 8, 0, memory_site(c, h, 0),
               owner);
    for (int i = 0; i < h.n; i++) {
        uint64_t v = 0;
        check_width(c, d[(size_t)i], h.bits);
        memcpy(&v, emu_far_bytes(at, owner) + i * h.bits / 8,
               (size_t)h.bits / 8);
        set(c, d[(size_t)i], v);
    }
}

/* Loads and stores of global memory that may signal other blocks. */
static void order_by(const context &c, const stmt &s, const shape &h) {
    c.f->strong = !h.shared && (s.has("volatile") || s.has("relaxed"));
    if (c.f->strong) {
        emu_order(c.f, false);
    }
}

static void do_ld(context &c, const stmt &s) {
    need_args(s, 2, 2);
    shape h = shape_of(s);
    if (h.far) {
        load_far(c, s, h);
        return;
    }
    const operands d = parts(s.args[0], h.n);
    uint64_t at = address(c, s.args[1], h.shared);
    order_by(c, s, h);
    emu_access(c.f, at, h.n * h.bits / 8, 0, memory_site(c, h, 0));
    c.f->strong = false;
    for (int i = 0; i < h.n; i++) {
        uint64_t v = 0;
        check_width(c, d[(size_t)i], h.bits);
        memcpy(&v, (char *)at + i * h.bits / 8, (size_t)h.bits / 8);
        if (h.sign && v >> (h.bits - 1) & 1) {
            v |= ~low(~(uint64_t)0, h.bits);
        }
        set(c, d[(size_t)i], v);
    }
}

static void store_async(context &c, const stmt &s);

static void do_st(context &c, const stmt &s) {
    if (s.has("async")) {
        store_async(c, s);
        return;
    }
    need_args(s, 2, 2);
    shape h = shape_of(s);
    if (h.far) {
        throw fault("stores to other blocks are not supported");
    }
    const operands d = parts(s.args[1], h.n);
    uint64_t at = address(c, s.args[0], h.shared);
    for (const opnd &o : d) {
        check_width(c, o, h.bits);
    }
    order_by(c, s, h);
    emu_access(c.f, at, h.n * h.bits / 8, 1, memory_site(c, h, 1));
    c.f->strong = false;
    for (int i = 0; i < h.n; i++) {
        uint64_t v = get(c, d[(size_t)i]);
        memcpy((char *)at + i * h.bits / 8, &v, (size_t)h.bits / 8);
    }
    emu_settle(c.f);
}

/* cp.async: the load is performed at once, the store at a wait. */
static void copy_async(context &c, const stmt &s) {
    need_args(s, 3, 4);
    check_mods(s, {"async", "shared", "shared::cta", "global"});
    int size = (int)get(c, s.args[2]);
    uint64_t to = address(c, s.args[0], true), take = (uint64_t)size;
    uint64_t from = address(c, s.args[1], false);
    bool cg = s.has("cg");
    if (size != 16 && (cg || (size != 4 && size != 8))) {
        throw fault(emu_text("a copy of %d bytes", size));
    }
    if (s.args[2].type != IMM) {
        throw fault("the size of a copy must be a literal");
    }
    if (s.args.size() == 4) {
        take = std::min(take, get(c, s.args[3]));
    }
    unsigned char data[16] = {};
    site *ld = emu_site_at(c.f, c.pc, c.number, "cp.async.global",
                           SPACE_GLOBAL, size, 0);
    site *st = emu_site_at(c.f, c.pc, c.number, "cp.async.shared",
                           SPACE_SHARED, size, 1);
    if (take) {
        emu_access(c.f, from, size, 0, ld);
        memcpy(data, (void *)from, take);
    }
    emu_copy_begin(c.f, to, data, size, st);
}

static site *count(context &c, const char *kind) {
    site *s = emu_site_at(c.f, c.pc, c.number, kind, SPACE_NONE, 0, 0);
    emu_count(s, c.f, true, 0);
    return s;
}

/* A place in shared memory, in any block of the cluster. */
static mbarrier_place place_of(const context &c, const opnd &o) {
    const uint64_t a = address(c, o, false) & 0xffffffffu;
    const uint64_t at = emu_shared_addr(low(a, FAR_SHIFT));
    const int owner = owner_of(c, a);
    if (owner >= emu_self_->ranks) {
        throw fault("an address that belongs to no block of the cluster");
    }
    return {at ? at : 1, owner};
}

/* Parses the tensor map and coordinates of [map, {x, y}]. */
static void read_box(const context &c, const stmt &s, const opnd &o,
                     bulk_call &call) {
    const uint64_t map = address(c, o, false);
    call.map = emu_map_at(map);
    if (!call.map) {
        throw fault("the map was not made by cuTensorMapEncodeTiled");
    }
    if (emu_map_is_local(c.f, map)) {
        throw fault("the map is a copy in the thread's own variables: TMA "
                    "reads maps in global memory and in kernel parameters with "
                    "__grid_constant__");
    }
    const size_t dims = (size_t)(s.mods[4][0] - '0');
    if (o.sub.size() != 2 || o.sub[1].sub.size() != dims ||
        call.map->rank != dims) {
        throw fault(emu_text("%zu coordinates for a map of %u dimensions",
                             o.sub.size() == 2 ? o.sub[1].sub.size() : 0,
                             call.map->rank));
    }
    for (size_t d = 0; d < dims; d++) {
        call.at[d] = (int32_t)get(c, o.sub[1].sub[d]);
    }
}

/* st.async.shared::cluster: stores to a block's memory, signals its
 * mbarrier. */
static void store_async(context &c, const stmt &s) {
    need_args(s, 3, 3);
    check_mods(s, {"async", "shared::cluster", "v2", "v4",
                   "mbarrier::complete_tx::bytes"});
    const int n = s.has("v4") ? 4 : s.has("v2") ? 2 : 1;
    const int bits = type_bits(s.mods.back());
    const operands d = parts(s.args[1], n);
    unsigned char data[32];
    if (bits < 32 || n * bits > 128 || !s.has("shared::cluster") ||
        !s.has("mbarrier::complete_tx::bytes")) {
        throw fault("not interpreted");
    }
    for (int i = 0; i < n; i++) {
        const uint64_t v = get(c, d[(size_t)i]);
        check_width(c, d[(size_t)i], bits);
        memcpy(data + i * bits / 8, &v, (size_t)bits / 8);
    }
    const mbarrier_place to = place_of(c, s.args[0]);
    if (emu_shared_offset((const void *)to.addr) % (uint64_t)(n * bits / 8)) {
        throw fault("an address that is not a multiple of the access");
    }
    emu_store_async(c.f, to, data, n * bits / 8, place_of(c, s.args[2]),
                    count(c, "st.async"));
}

/* cp.async.bulk and cp.async.bulk.tensor: loads, stores, and their groups. */
static void copy_bulk(context &c, const stmt &s) {
    const bool tensor = s.has("tensor");
    if (s.has("prefetch")) {
        return;
    }
    if (s.has("commit_group")) {
        emu_bulk_commit(c.f);
        return;
    }
    if (s.has("wait_group")) {
        need_args(s, 1, 1);
        emu_bulk_wait(c.f, get(c, s.args[0]), s.has("read"),
                      count(c, "cp.async.bulk.wait_group"));
        return;
    }
    check_mods(s, {"async", "bulk", "tensor", "tile", "1d", "2d", "3d", "4d",
                   "5d", "shared::cluster", "shared::cta", "global",
                   "mbarrier::complete_tx::bytes", "multicast::cluster",
                   "bulk_group"});
    bulk_call b;
    const bool load = s.has("mbarrier::complete_tx::bytes");
    const char *bad;
    b.is_multicast = s.has("multicast::cluster");
    if (load == s.has("bulk_group")) {
        throw fault("neither a load with an mbarrier nor a store of a group");
    }
    const opnd &memory = s.args.at(load ? 1 : 0);
    if (tensor) {
        read_box(c, s, memory, b);
    } else {
        b.global = address(c, memory, false);
        b.bytes = get(c, s.args.at(2));
    }
    b.shared = place_of(c, s.args.at(load ? 0 : 1));
    if (load) {
        const size_t k = tensor ? 2 : 3;
        need_args(s, k + 1 + b.is_multicast, k + 1 + b.is_multicast);
        b.bar = place_of(c, s.args[k]);
        b.blocks = b.is_multicast ? (unsigned)get(c, s.args[k + 1]) : 0;
        bad = emu_bulk_load(c.f, b, count(c, "cp.async.bulk.load"));
    } else {
        bad = emu_bulk_store(c.f, b, count(c, "cp.async.bulk.store"));
    }
    if (bad) {
        throw fault(bad);
    }
}

static void do_mbarrier(context &c, const stmt &s) {
    check_mods(s, {"init", "inval", "expect_tx", "arrive", "try_wait",
                   "test_wait", "parity", "shared", "shared::cta",
                   "shared::cluster", "release", "acquire", "cluster",
                   "noComplete"});
    const dotted &what = s.mods.at(1);
    const bool arrives = what == "arrive", waits = s.has("parity");
    const opnd &o = s.args.at(arrives || waits ? 1 : 0);
    const mbarrier_place p = place_of(c, o);
    const std::string kind = "mbarrier." + what;
    site *at = what == "init"
                   ? emu_site_at(c.f, c.pc, c.number, kind.c_str(),
                                 SPACE_SHARED, 8, 1)
                   : count(c, kind.c_str());
    emu_settle(c.f);
    if (what == "init") {
        emu_mbarrier_init(c.f, p, get(c, s.args.at(1)), at);
    } else if (what == "inval") {
        emu_mbarrier_inval(c.f, p, at);
    } else if (what == "expect_tx") {
        emu_mbarrier_arrive(c.f, p, 0, get(c, s.args.at(1)), at);
    } else if (arrives) {
        const bool bytes = s.has("expect_tx");
        const uint64_t more = s.args.size() > 2 ? get(c, s.args[2]) : 0;
        emu_mbarrier_arrive(c.f, p, bytes || s.args.size() < 3 ? 1 : more,
                            bytes ? more : 0, at,
                            s.has("relaxed") && !bytes);
    } else if (waits && what == "try_wait") {
        emu_mbarrier_wait(c.f, p, get(c, s.args.at(2)), at);
        set(c, s.args[0], 1);
    } else if (waits && what == "test_wait") {
        emu_yield();
        set(c, s.args[0], emu_mbarrier_test(c.f, p, get(c, s.args.at(2)), at));
    } else {
        throw fault("not interpreted");
    }
}

/* Proxy fences. Other fences do nothing: the emulator executes in order. */
static void do_fence(context &c, const stmt &s) {
    if ((s.has("proxy") && s.has("async")) || s.has("mbarrier_init")) {
        emu_settle(c.f);
        emu_proxy_fence(c.f);
    } else if (!s.has("cta")) {
        emu_fence();
    }
}

static void do_cp(context &c, const stmt &s) {
    if (s.mods.size() < 3 || s.mods[1] != "async") {
        throw fault("not interpreted");
    }
    if (s.mods[2] == "bulk") {
        copy_bulk(c, s);
        return;
    }
    if (s.mods[2] == "mbarrier") {
        if (!s.has("noinc")) {
            throw fault("not interpreted");
        }
        emu_copy_arrive(c.f, place_of(c, s.args.at(0)),
                        count(c, "cp.async.mbarrier.arrive"));
        return;
    }
    if (s.mods[2] == "commit_group") {
        emu_copy_commit(c.f);
    } else if (s.mods[2] == "wait_all") {
        emu_copy_commit(c.f);
        emu_copy_wait(c.f, 0);
    } else if (s.mods[2] == "wait_group") {
        need_args(s, 1, 1);
        emu_copy_wait(c.f, get(c, s.args[0]));
    } else {
        copy_async(c, s);
    }
}

/* ==== Arithmetic ======================================================== */

/* Returns the byte that prmt picks for byte k, for each mode. */
static uint32_t permute(const dotted &mode, uint32_t a, uint32_t b,
                        uint32_t sel) {
    uint64_t all = (uint64_t)b << 32 | a;
    uint32_t d = 0, q = sel & 3;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t i = sel >> 4 * k & 7, sign = sel >> (4 * k + 3) & 1;
        if (mode != "b32") {
            sign = 0;
            i = mode == "f4e" ? q + k
                : mode == "b4e" ? (q - k) & 7
                : mode == "rc8" ? q
                : mode == "ecl" ? std::max(k, q)
                : mode == "ecr" ? std::min(k, q)
                                : (q & 1) * 2 + (k & 1);
        }
        uint32_t byte = (uint32_t)(all >> 8 * i) & 0xff;
        byte = sign ? (byte >> 7) * 0xff : byte;
        d |= byte << 8 * k;
    }
    return d;
}

extern "C" uint32_t emu_prmt(uint32_t a, uint32_t b, uint32_t sel) {
    emulator *e = emu_self_;
    if (e && e->cur) {
        emu_count(emu_site_at(e->cur, EMU_PC, 0, "prmt", SPACE_NONE, 0, 0),
                  e->cur, true, 0);
    }
    return permute("b32", a, b, sel);
}

static void do_prmt(context &c, const stmt &s) {
    need_args(s, 4, 4);
    check_mods(s, {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
    count(c, "prmt");
    set(c, s.args[0], permute(s.mods.back(), (uint32_t)get(c, s.args[1]),
                              (uint32_t)get(c, s.args[2]),
                              (uint32_t)get(c, s.args[3])));
}

static void do_lop3(context &c, const stmt &s) {
    need_args(s, 5, 5);
    check_mods(s, {});
    count(c, "lop3");
    uint32_t x = (uint32_t)get(c, s.args[1]), y = (uint32_t)get(c, s.args[2]);
    uint32_t z = (uint32_t)get(c, s.args[3]), d = 0;
    uint64_t table = get(c, s.args[4]);
    for (int i = 0; i < 32; i++) {
        uint32_t k = (x >> i & 1) * 4 + (y >> i & 1) * 2 + (z >> i & 1);
        d |= (uint32_t)(table >> k & 1) << i;
    }
    set(c, s.args[0], d);
}

static void do_mad(context &c, const stmt &s) {
    need_args(s, 4, 4);
    check_mods(s, {"lo"});
    count(c, "mad");
    set(c, s.args[0], (uint32_t)(get(c, s.args[1]) * get(c, s.args[2]) +
                                 get(c, s.args[3])));
}

static void do_shf(context &c, const stmt &s) {
    need_args(s, 4, 4);
    check_mods(s, {"l", "r", "wrap", "clamp"});
    count(c, "shf");
    uint64_t both = (uint64_t)(uint32_t)get(c, s.args[2]) << 32 |
                    (uint32_t)get(c, s.args[1]);
    uint32_t n = (uint32_t)get(c, s.args[3]);
    n = s.has("clamp") ? std::min(n, 32u) : n & 31;
    set(c, s.args[0], s.has("l") ? (uint32_t)((both << n) >> 32)
                                 : (uint32_t)(both >> n));
}

static uint64_t shift_right(uint64_t a, uint64_t n, int bits, bool sign) {
    bool ones = sign && a >> (bits - 1) & 1;
    uint64_t fill = ones ? low(~(uint64_t)0, bits) : 0;
    if (n >= (uint64_t)bits) {
        return fill;
    }
    return a >> n | (n ? low(fill << ((uint64_t)bits - n), bits) : 0);
}

static void do_binary(context &c, const stmt &s) {
    const dotted &m = s.mods[0];
    bool one = m == "not" || m == "mov" || m == "popc";
    need_args(s, one ? 2 : 3, one ? 2 : 3);
    check_mods(s, {"pred", "lo"});
    int bits = type_bits(s.mods.back());
    uint64_t a = low(get(c, s.args[1]), bits), r = 0;
    uint64_t b = one ? 0 : low(get(c, s.args[2]), m[0] == 's' && m[1] == 'h'
                                                      ? 32 : bits);
    count(c, m.c_str());
    if (!bits) {
        throw fault("no type");
    }
    if (m == "and") { r = a & b; }
    else if (m == "or") { r = a | b; }
    else if (m == "xor") { r = a ^ b; }
    else if (m == "not") { r = ~a; }
    else if (m == "mov") { r = a; }
    else if (m == "popc") { r = (uint64_t)__builtin_popcountll(a); }
    else if (m == "add") { r = a + b; }
    else if (m == "sub") { r = a - b; }
    else if (m == "mul") { r = a * b; }
    else if (m == "shl") { r = b >= (uint64_t)bits ? 0 : a << b; }
    else { r = shift_right(a, b, bits, s.mods.back()[0] == 's'); }
    set(c, s.args[0], low(r, bits));
}

/* mov can also pack {lo,hi} into one register, and unpack. */
static void do_mov(context &c, const stmt &s) {
    need_args(s, 2, 2);
    const opnd &d = s.args[0], &a = s.args[1];
    int bits = type_bits(s.mods.back());
    if (a.type == VEC) {
        uint64_t v = 0;
        int part = bits / (int)a.sub.size();
        for (size_t i = 0; i < a.sub.size(); i++) {
            v |= low(get(c, a.sub[i]), part) << (size_t)part * i;
        }
        count(c, "mov");
        set(c, d, v);
    } else if (d.type == VEC) {
        int part = bits / (int)d.sub.size();
        uint64_t v = get(c, a);
        count(c, "mov");
        for (size_t i = 0; i < d.sub.size(); i++) {
            set(c, d.sub[i], low(v >> (size_t)part * i, part));
        }
    } else {
        do_binary(c, s);
    }
}

static bool compare(const dotted &op, int64_t a, int64_t b) {
    return op == "eq" ? a == b : op == "ne" ? a != b : op == "lt" ? a < b
           : op == "le" ? a <= b : op == "gt" ? a > b : a >= b;
}

static void do_setp(context &c, const stmt &s) {
    need_args(s, 3, 3);
    check_mods(s, {"eq", "ne", "lt", "le", "gt", "ge"});
    const dotted &t = s.mods.back();
    int bits = type_bits(t);
    if (s.mods.size() != 3 || bits < 16) {
        throw fault("setp needs a comparison and a type");
    }
    uint64_t a = low(get(c, s.args[1]), bits), b = low(get(c, s.args[2]), bits);
    /* Flipping the top bit turns unsigned order into signed order. */
    uint64_t top = (uint64_t)1 << 63;
    int up = 64 - bits;
    uint64_t flip = t[0] == 's' ? 0 : top;
    bool r = compare(s.mods[1], (int64_t)((a << up) ^ flip),
                     (int64_t)((b << up) ^ flip));
    count(c, "setp");
    if (s.args[0].type == PAIR) {
        set(c, s.args[0].sub[0], r);
        set(c, s.args[0].sub[1], !r);
    } else {
        set(c, s.args[0], r);
    }
}

static void do_selp(context &c, const stmt &s) {
    need_args(s, 4, 4);
    check_mods(s, {});
    count(c, "selp");
    set(c, s.args[0], get(c, s.args[get(c, s.args[3]) ? 1 : 2]));
}

/* ==== Floats ============================================================ */

static double real(uint64_t v, int bits) {
    float f;
    double d;
    memcpy(&f, &v, 4);
    memcpy(&d, &v, 8);
    return bits == 32 ? f : d;
}

static uint64_t real_bits(double x, int bits) {
    uint64_t v = 0;
    float f = (float)x;
    memcpy(&v, bits == 32 ? (void *)&f : (void *)&x, (size_t)bits / 8);
    return v;
}

static double unary_real(const dotted &m, double a) {
    return m == "neg" ? -a : m == "abs" ? fabs(a) : m == "ex2" ? exp2(a)
           : m == "lg2" ? log2(a) : m == "rcp" ? 1 / a : m == "sqrt" ? sqrt(a)
           : m == "rsqrt" ? 1 / sqrt(a) : m == "sin" ? sin(a)
           : m == "cos" ? cos(a) : tanh(a);
}

static double binary_real(const dotted &m, double a, double b) {
    return m == "add" ? a + b : m == "sub" ? a - b : m == "mul" ? a * b
           : m == "div" ? a / b : m == "min" ? fmin(a, b) : fmax(a, b);
}

/* a b + c for both numbers of a word. */
static void fma_of_pairs(context &c, const stmt &s) {
    const bool half = s.mods.back()[0] == 'f';
    const int E = half ? 5 : 8, M = half ? 10 : 7;
    uint64_t v = 0;
    need_args(s, 4, 4);
    check_mods(s, {"rn", "f16x2", "bf16x2"});
    count(c, "fma");
    for (int k = 0; k < 2; k++) {
        long double x[3];
        for (size_t i = 0; i < 3; i++) {
            x[i] = emu_unpack((unsigned)(get(c, s.args[i + 1]) >> 16 * k) &
                              0xffff, E, M);
        }
        v |= (uint64_t)emu_pack(x[0] * x[1] + x[2], E, M) << 16 * k;
    }
    set(c, s.args[0], v);
}

/* add.f32 and the like. Double has enough bits: the result is rounded once. */
static void do_real(context &c, const stmt &s) {
    const dotted &m = s.mods[0], &type = s.mods.back();
    size_t n = s.args.size();
    if (m == "fma" && (type == "f16x2" || type == "bf16x2")) {
        fma_of_pairs(c, s);
        return;
    }
    check_mods(s, {"rn", "approx", "ftz", "full"});
    if (type != "f32" && type != "f64") {
        throw fault("not supported for ." + type);
    }
    int bits = type_bits(type);
    bool three = m == "fma" || m == "mad";
    bool two = m == "add" || m == "sub" || m == "mul" || m == "div" ||
               m == "min" || m == "max";
    need_args(s, three ? 4 : two ? 3 : 2, three ? 4 : two ? 3 : 2);
    double a = real(get(c, s.args[1]), bits);
    double b = n > 2 ? real(get(c, s.args[2]), bits) : 0;
    double r = !three ? two ? binary_real(m, a, b) : unary_real(m, a)
               : bits == 32
                   ? fmaf((float)a, (float)b,
                          (float)real(get(c, s.args[3]), bits))
                   : fma(a, b, real(get(c, s.args[3]), bits));
    count(c, m.c_str());
    set(c, s.args[0], real_bits(r, bits));
}

static bool is_real(const stmt &s) {
    const dotted &t = s.mods.back();
    return t[0] == 'f' || t == "bf16" || t == "bf16x2";
}

/* The pattern of a float in a 16-bit format. */
static uint64_t narrow(context &c, const opnd &o, const dotted &to) {
    bool half = to[0] == 'f';
    return emu_pack(real(get(c, o), 32), half ? 5 : 8, half ? 10 : 7);
}

/* Returns the nearest number of a small type, with up to 7 bits and a sign;
 * ties to even. Larger values give the largest number (PTX, "cvt",
 * .satfinite). */
static unsigned small_pattern(const dotted &type, double x) {
    const int bits = type == "e2m1" ? 3 : type[0] == 'e' && type != "e4m3" &&
                                          type != "e5m2" ? 5 : 7;
    const unsigned minus = std::signbit(x) ? 1u << bits : 0;
    unsigned best = 0;
    if (std::isnan(x)) {
        return bits == 7 ? 0x7f : (1u << bits) - 1;
    }
    double most = 0;
    for (unsigned v = 0; v < 1u << bits; v++) {
        const double y = emu_value_of(type, v);
        most = std::isfinite(y) ? std::max(most, y) : most;
    }
    const double a = std::min(std::fabs(x), most);
    for (unsigned v = 1; v < 1u << bits; v++) {
        const double y = emu_value_of(type, v);
        const double far = std::fabs(a - y);
        const double was = std::fabs(a - emu_value_of(type, best));
        if (std::isfinite(y) && (far < was || (far == was && v % 2 == 0))) {
            best = v;
        }
    }
    return minus | best;
}

/* cvt.rn.satfinite.TYPEx2 d, a, b, from two floats or a pair of f16, and
 * cvt.rn.f16x2.TYPEx2. */
static void convert_small(context &c, const stmt &s, const dotted &to,
                          const dotted &from) {
    const bool down = to != "f16x2";
    const dotted type = (down ? to : from).substr(0, 4);
    const int bits = type == "e2m1" ? 4 : 8;
    const uint64_t v = get(c, s.args[1]);
    uint64_t y = 0;
    if (down != s.has("satfinite") || !s.has("rn") ||
        (down && from != "f32" && from != "f16x2")) {
        throw fault("not interpreted");
    }
    need_args(s, from == "f32" ? 3 : 2, from == "f32" ? 3 : 2);
    for (int k = 0; k < 2; k++) {
        if (!down) {
            y |= (uint64_t)emu_pack(emu_value_of(type, low(v >> k * bits,
                                                           bits)),
                                    5, 10) << 16 * k;
            continue;
        }
        double x = emu_unpack((unsigned)(v >> 16 * k) & 0xffff, 5, 10);
        if (from == "f32") {
            const uint64_t w = get(c, s.args[k ? 1 : 2]);
            x = emu_value_of("f32", w);
        }
        y |= (uint64_t)small_pattern(type, x) << k * bits;
    }
    set(c, s.args[0], y);
}

/* cvt.pack.sat.TYPE.s32.b32 d, a, b, c: b in the lowest bits. */
static void convert_pack(context &c, const stmt &s) {
    need_args(s, 4, 4);
    const dotted type = s.mods.at(3);
    const int bits = type[1] - '0';
    const bool is_signed = type[0] == 's';
    const int64_t most = (1 << (bits - is_signed)) - 1;
    const int64_t least = is_signed ? -most - 1 : 0;
    uint64_t y = get(c, s.args[3]) << 2 * bits;
    if ((bits != 8 && bits != 4) || s.mods[2] != "sat" || s.mods[4] != "s32") {
        throw fault("not interpreted");
    }
    for (int k = 0; k < 2; k++) {
        const int64_t x = (int32_t)get(c, s.args[k ? 1 : 2]);
        const int64_t v = std::min(std::max(x, least), most);
        y |= low((uint64_t)v, bits) << k * bits;
    }
    set(c, s.args[0], low(y, 32));
}

static bool is_small(const dotted &t) {
    return t == "e4m3x2" || t == "e5m2x2" || t == "e2m3x2" || t == "e3m2x2" ||
           t == "e2m1x2";
}

/* cvt between float and 16 bits, and between integers. */
static void do_cvt(context &c, const stmt &s) {
    size_t n = s.mods.size();
    check_mods(s, {"rn", "rni", "f16x2", "bf16x2", "bf16", "e4m3x2", "e5m2x2",
                   "e2m3x2", "e3m2x2", "e2m1x2", "satfinite", "pack", "sat",
                   "s4", "u4"});
    const dotted to = n > 2 ? s.mods[n - 2] : "", from = s.mods.back();
    if (s.has("pack")) {
        count(c, "cvt");
        convert_pack(c, s);
        return;
    }
    if (is_small(to) || (to == "f16x2" && is_small(from) && from[1] != '4' &&
                         from[1] != '5')) {
        count(c, "cvt");
        convert_small(c, s, to, from);
        return;
    }
    int bits = type_bits(from);
    const bool pairs = to == "f16x2" || to == "bf16x2";
    bool wide = pairs && from == "f32", whole = to[0] != 'f';
    need_args(s, wide ? 3 : 2, wide ? 3 : 2);
    count(c, "cvt");
    uint64_t v = get(c, s.args[1]);
    if (to == "f16x2" && (from == "e4m3x2" || from == "e5m2x2")) {
        const auto k = from[1] == '4' ? __NV_E4M3 : __NV_E5M2;
        const uint64_t low = (uint64_t)emu_pack(
            emu_from_fp8((unsigned char)v, k), 5, 10);
        v = low | (uint64_t)emu_pack(emu_from_fp8((unsigned char)(v >> 8), k),
                                     5, 10) << 16;
    } else if (from == "f32" && wide) {
        v = narrow(c, s.args[1], to) << 16 | narrow(c, s.args[2], to);
    } else if (from == "f32" && (to == "f16" || to == "bf16")) {
        v = narrow(c, s.args[1], to);
    } else if (to == "f32" && (from == "f16" || from == "bf16")) {
        bool half = from == "f16";
        v = real_bits(emu_unpack((unsigned)v & 0xffff, half ? 5 : 8,
                                 half ? 10 : 7), 32);
    } else if (to == "s32" && from == "f32" && s.has("rni")) {
        const double x = emu_value_of("f32", v);
        v = std::isnan(x) ? 0
                          : (uint32_t)(int32_t)std::min(
                                std::max(std::nearbyint(x), -2147483648.0),
                                2147483647.0);
    } else if (to == "f32" && from == "s32" && s.has("rn")) {
        v = real_bits((int32_t)v, 32);
    } else if (whole && bits && from[0] != 'f' && type_bits(to)) {
        bool ones = from[0] == 's' && v >> (bits - 1) & 1;
        v = low(v, bits) | (ones ? ~low(~(uint64_t)0, bits) : 0);
        v = low(v, type_bits(to));
    } else {
        throw fault("not interpreted");
    }
    set(c, s.args[0], v);
}

/* ==== Exchanges ========================================================= */

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
static void do_bar(context &c, const stmt &s) {
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

static int shuffle_mode(const stmt &s) {
    const int mode = s.has("idx") ? 0 : s.has("up") ? 1 : s.has("down") ? 2
                     : s.has("bfly") ? 3 : -1;
    if (mode < 0) {
        throw fault("no shuffle mode");
    }
    return mode;
}

static void do_shfl(context &c, const stmt &s) {
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
static void do_redux(context &c, const stmt &s) {
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
static void do_vote(context &c, const stmt &s) {
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
static void do_matrix(context &c, const stmt &s) {
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

static void do_movmatrix(context &c, const stmt &s) {
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

/* ==== Products ========================================================== */

static std::vector<uint64_t> values(const context &c, const opnd &o) {
    const operands all(o);
    std::vector<uint64_t> v;
    v.reserve(all.size());
    for (const opnd &x : all) {
        v.push_back(get(c, x));
    }
    return v;
}

/* Finds the first dotted part that is a shape. Returns the part after it. */
static size_t shape_at(const stmt &s, product_call &p) {
    for (size_t i = 1; i < s.mods.size(); i++) {
        if (emu_shape_of(s.mods[i], p)) {
            return i;
        }
    }
    throw fault("no shape");
}

/* All lanes of the warp bring their operands and receive the results. */
static void multiply(context &c, product_call &p, const char *kind,
                     void (*perform)(warp &, uint64_t)) {
    fiber *f = c.f;
    f->c.at = p.at = count(c, kind);
    f->c.op = OP_PRODUCT;
    f->c.mask = 0xffffffffu;
    f->c.perform = perform;
    f->c.addr = (uint64_t)&p;
    emu_collect(f);
}

/* Parts of a name between the shape and the types. */
static bool is_between(const dotted &m) {
    return m == "row" || m == "col" || m == "block_scale" ||
           m.compare(0, 6, "kind::") == 0 ||
           m.compare(0, 11, "scale_vec::") == 0;
}

/* Reads the scales after the other operands, of A and of B: a word, {its first
 * byte, a lane}. */
static void read_scales(const context &c, const stmt &s, size_t at,
                        product_call &p) {
    p.scales = s.has("scale_vec::4X") ? 4 : s.has("scale_vec::2X") ? 2 : 1;
    p.scales_e4m3 = s.mods.back() == "ue4m3";
    if ((s.mods.back() != "ue8m0" && !p.scales_e4m3) ||
        (p.scales_e4m3 && p.scales != 4)) {
        throw fault("a type of scales that is not supported");
    }
    for (size_t k = 0; k < 2; k++) {
        const std::vector<uint64_t> word = values(c, s.args.at(at + 2 * k));
        const std::vector<uint64_t> ids = values(c, s.args.at(at + 2 * k + 1));
        p.scale[k] = (uint32_t)word.at(0);
        p.byte[k] = (uint32_t)ids.at(0);
        p.thread[k] = (uint32_t)ids.at(1);
    }
}

/* Parses the name of a statement. */
static product_call read_mma(const stmt &s) {
    product_call p;
    p.sparse = s.has("sp::ordered_metadata");
    p.scaled = s.has("block_scale");
    const size_t n = 4 + 2 * p.sparse + 4 * p.scaled;
    need_args(s, n, n);
    size_t i = shape_at(s, p) + 1;
    const bool quads = p.quads = p.m == 8 && p.n == 8 && p.k == 4 &&
                       s.mods.back() != "f64";
    p.cols_a = s.mods.at(i) == "col";
    p.cols_b = s.mods.at(i + 1) == "col";
    if (!s.has("sync") || !s.has("aligned") || s.has("sp") ||
        s.has("satfinite") || (!quads && (p.cols_a || !p.cols_b))) {
        throw fault("not interpreted");
    }
    while (i < s.mods.size() && is_between(s.mods[i])) {
        i++;
    }
    for (int t = 0; t < 4; t++) {
        p.types[t] = s.mods.at(i + (size_t)t);
    }
    p.is_xor = s.has("xor");
    p.in_registers = s.has("kind::f8f6f4") || s.has("kind::mxf8f6f4");
    return p;
}

/* mma.sync.aligned.SHAPE.row.col.D.A.B.C d, a, b, c. mma.sp has metadata and
 * selector after that; block_scale has the scales. */
static void do_mma(context &c, const stmt &s) {
    if (!s.ran) {
        s.product = read_mma(s);
    }
    product_call p = s.product;
    if (p.sparse) {
        p.e = (uint32_t)get(c, s.args[4]);
        p.select = (uint32_t)get(c, s.args[5]);
    }
    if (p.scaled) {
        read_scales(c, s, p.sparse ? 6 : 4, p);
    }
    const bool known = s.ran && !p.sparse && !p.scaled;
    if (const char *bad = known ? nullptr : emu_product(p, false)) {
        throw fault(bad);
    }
    p.a = values(c, s.args[1]);
    p.b = values(c, s.args[2]);
    p.c = values(c, s.args[3]);
    const operands d = parts(s.args[0], (int)p.c.size());
    multiply(c, p, "mma", p.quads ? emu_multiply_quads : emu_multiply);
    for (size_t k = 0; k < d.size(); k++) {
        set(c, d[k], p.c[k]);
    }
}

/* The registers of operands, as ranges of the stack. */
static void watch(context &c, const opnd &o, bool input, site *at) {
    std::vector<uint64_t> all;
    for (const opnd &x : o.sub) {
        if (x.type == ARG && arg_of(c, x.n).at) {
            all.push_back((uint64_t)arg_of(c, x.n).at);
        }
    }
    std::sort(all.begin(), all.end());
    for (size_t i = 0, from = 0; i < all.size(); i++) {
        if (i + 1 == all.size() || all[i + 1] != all[i] + 4) {
            emu_watch(c.f, all[from], all[i] + 4, input, at);
            from = i + 1;
        }
    }
}

/* Groups of wgmma: all lanes of a warp take part. */
static void group_of_products(context &c, const stmt &s) {
    fiber *f = c.f;
    const bool waits = s.has("wait_group");
    f->c.at = count(c, waits ? "wgmma.wait_group" : "wgmma.commit_group");
    f->c.n = waits ? (int)get(c, s.args.at(0)) : 0;
    f->c.op = OP_PRODUCT;
    f->c.mask = 0xffffffffu;
    f->c.perform = waits ? emu_wgmma_wait : emu_wgmma_commit;
    emu_collect(f);
}

/* Bits of a descriptor that must be 0: an address has 18 bits, in units of
 * 16. */
static void check_fields(uint64_t descriptor, const char *which) {
    if (descriptor & 0x3ff1c000c000c000 && !emu_has_static_tile()) {
        throw fault(emu_text("descriptor: %s has bits set outside its address, "
                             "distances and swizzle: add offsets in units of "
                             "16 bytes, >> 4", which));
    }
}

/* A swizzled tile must start at a pattern of 8 rows, unless the descriptor has
 * a base offset. Slices of k start within its first row. */
static void check_tile(uint64_t descriptor, const char *which) {
    const uint64_t mode = descriptor >> 62, width = mode ? 256u >> mode : 0;
    const uint64_t start = (descriptor & 0x3fff) << 4;
    if (width && !(descriptor >> 49 & 7) && start % (8 * width) >= width) {
        throw fault(emu_text("misaligned: with a swizzle of %llu bytes the "
                             "tile of %s must start at a multiple of %llu, and "
                             "this one starts %llu bytes after one: see "
                             "__align__, and whether the slice's distance was "
                             "added in units of 16 bytes, >> 4",
                             (unsigned long long)width, which,
                             (unsigned long long)(8 * width),
                             (unsigned long long)(start % (8 * width))));
    }
}

/* wgmma.mma_async.sync.aligned.SHAPE.D.A.B d, a, b, p, scales, orders.
 * wgmma.mma_async.sp has metadata and selector before p. */
static void do_wgmma(context &c, const stmt &s) {
    product_call p;
    if (!s.has("sync") || !s.has("aligned")) {
        throw fault("not .sync.aligned");
    }
    if (s.has("fence")) {
        c.f->wgmma_fenced = true;
        return;
    }
    if (!s.has("mma_async")) {
        group_of_products(c, s);
        return;
    }
    const size_t i = shape_at(s, p) + 1;
    for (int t = 0; t < 3; t++) {
        p.types[t] = s.mods.at(i + (size_t)t);
    }
    p.sparse = s.has("sp");
    const size_t n = s.args.size(), q = p.sparse ? 5 : 3; /* position of p */
    if (p.sparse) {
        p.e = (uint32_t)get(c, s.args.at(3));
        p.select = (uint32_t)get(c, s.args.at(4));
    }
    if (const char *bad = emu_product(p, true)) {
        throw fault(bad);
    }
    if ((p.types[1] == "b1") != (s.has("and") && s.has("popc"))) {
        throw fault("b1 needs .and.popc, and other types must not have it");
    }
    const bool turns = p.types[1] == "f16" || p.types[1] == "bf16";
    p.in_registers = s.args.at(1).type == VEC;
    const size_t scales = p.types[0] == "s32" ? 0 : 2;
    need_args(s, q + 1 + scales + (turns ? 2 - p.in_registers : 0),
              q + 1 + scales + (turns ? 2 - p.in_registers : 0));
    p.a = p.in_registers ? values(c, s.args[1]) : p.a;
    p.a_at = p.in_registers ? 0 : get(c, s.args[1]);
    p.b_at = get(c, s.args[2]);
    check_fields(p.a_at, "A");
    check_fields(p.b_at, "B");
    check_tile(p.a_at, "A");
    check_tile(p.b_at, "B");
    p.keep = get(c, s.args[q]) != 0;
    p.sign_a = scales ? (int)(int64_t)get(c, s.args[q + 1]) : 1;
    p.sign_b = scales ? (int)(int64_t)get(c, s.args[q + 2]) : 1;
    p.mn_b = turns && get(c, s.args[n - 1]) != 0;
    p.mn_a = turns && !p.in_registers && get(c, s.args[n - 2]) != 0;
    const int regs = p.n / (p.types[0] == "f16" ? 4 : 2);
    const operands d = parts(s.args[0], regs);
    p.c = values(c, s.args[0]);
    multiply(c, p, "wgmma.mma_async", emu_multiply_group);
    for (size_t k = 0; k < d.size(); k++) {
        set(c, d[k], p.c[k]);
    }
    watch(c, s.args[0], false, p.at);
    if (p.in_registers) {
        watch(c, s.args[1], true, p.at);
    }
}

/* Returns the rest of the part of a name that starts with `begins`, or "". */
static std::string part_behind(const stmt &s, const char *begins) {
    for (const dotted &m : s.mods) {
        if (m.compare(0, strlen(begins), begins) == 0) {
            return m.substr(strlen(begins));
        }
    }
    return "";
}

/* An address in tensor memory, [a]. */
static uint32_t tensor_address(const context &c, const opnd &o) {
    return (uint32_t)address(c, o, false);
}

/* tcgen05.alloc, dealloc, relinquish_alloc_permit, ld, st, wait: all lanes of a
 * warp take part. */
static void tensor_collective(context &c, const stmt &s,
                              const dotted &what) {
    static const char *const names[] = {"alloc", "dealloc",
                                        "relinquish_alloc_permit", "ld", "st",
                                        "wait::ld", "wait::st"};
    tmem_call call;
    fiber *f = c.f;
    const bool ld = what == "ld", st = what == "st";
    call.what = (int)(std::find(names, names + 7, what) - names);
    call.group = atoi(part_behind(s, "cta_group::").c_str());
    if (call.what == 7 || !s.has("sync") || !s.has("aligned")) {
        throw fault("not interpreted");
    }
    const std::string kind = "tcgen05." + what;
    call.at = what == "alloc" ? emu_site_at(f, c.pc, c.number, kind.c_str(),
                                            SPACE_SHARED, 4, 1)
                              : count(c, kind.c_str());
    emu_settle(f);
    if (what == "alloc") {
        need_args(s, 2, 2);
        call.to = place_of(c, s.args[0]);
        call.columns = (uint32_t)get(c, s.args[1]);
    } else if (what == "dealloc") {
        need_args(s, 2, 2);
        call.address = (uint32_t)get(c, s.args[0]);
        call.columns = (uint32_t)get(c, s.args[1]);
    } else if (ld || st) {
        const bool split = s.has("16x32bx2");
        need_args(s, split ? 3 : 2, split ? 3 : 2);
        call.shape = s.mods.at(4);
        call.packed = ld ? s.has("pack::16b") : s.has("unpack::16b");
        call.split = split ? (int)get(c, s.args[ld ? 2 : 1]) : 0;
        call.address = tensor_address(c, s.args[ld ? 1 : 0]);
        const opnd &list = s.args[ld ? 0 : split ? 2 : 1];
        const int each = call.shape == "16x128b"   ? 2
                         : call.shape == "16x256b" ? 4 : 1;
        const int n = each * atoi(part_behind(s, "x").c_str());
        parts(list, n);
        call.r = st ? values(c, list) : std::vector<uint64_t>((size_t)n);
    }
    f->c.at = call.at;
    f->c.op = OP_PRODUCT;
    f->c.mask = 0xffffffffu;
    f->c.perform = emu_tmem_collective;
    f->c.addr = (uint64_t)&call;
    emu_collect(f);
    if (!call.problem.empty()) {
        throw fault(call.problem);
    }
    for (size_t k = 0; ld && k < call.r.size(); k++) {
        set(c, parts(s.args[0], (int)call.r.size())[k], call.r[k]);
    }
}

/* tcgen05.mma [d], a, b, idesc, {[sa], [sb],} p */
static void tensor_product(context &c, const stmt &s) {
    tmem_product p;
    const bool scaled = s.has("block_scale");
    need_args(s, scaled ? 7 : 5, scaled ? 7 : 5);
    p.kind = part_behind(s, "kind::");
    p.group = atoi(part_behind(s, "cta_group::").c_str());
    p.scales = !scaled              ? 0
               : s.has("block16")   ? 4
               : p.kind[2] == 'f' && p.kind[3] == '8' ? 1 : 2;
    if (scaled != (p.kind.compare(0, 2, "mx") == 0) ||
        (scaled && !s.has("block16") && !s.has("block32")) || s.has("sp") ||
        (s.has("ws") && (scaled || p.group != 1))) {
        throw fault("not interpreted");
    }
    p.ws = s.has("ws");
    p.d = tensor_address(c, s.args[0]);
    p.from_tensor = s.args[1].type == ADDR;
    p.a = p.from_tensor ? tensor_address(c, s.args[1]) : get(c, s.args[1]);
    p.b = get(c, s.args[2]);
    p.idesc = (uint32_t)get(c, s.args[3]);
    p.sa = scaled ? tensor_address(c, s.args[4]) : 0;
    p.sb = scaled ? tensor_address(c, s.args[5]) : 0;
    p.keep = get(c, s.args.back()) != 0;
    p.at = count(c, "tcgen05.mma");
    emu_settle(c.f);
    if (const char *bad = emu_tmem_multiply(c.f, p)) {
        throw fault(bad);
    }
}

/* Instructions of the fifth generation of tensor cores. */
static void do_tcgen05(context &c, const stmt &s) {
    const dotted what = s.mods.at(1);
    const char *bad = nullptr;
    if (what == "mma") {
        tensor_product(c, s);
    } else if (what == "cp") {
        tmem_product p;
        need_args(s, 2, 2);
        p.group = atoi(part_behind(s, "cta_group::").c_str());
        p.kind = "f16";
        p.d = tensor_address(c, s.args[0]);
        p.a = get(c, s.args[1]);
        p.at = count(c, "tcgen05.cp");
        emu_settle(c.f);
        bad = s.has("b8x16") ? "not interpreted"
                             : emu_tmem_copy(c.f, p, s.mods.at(3),
                                             s.mods.back());
    } else if (what == "commit") {
        const bool many = s.has("multicast::cluster");
        need_args(s, 1 + many, 1 + many);
        site *at = count(c, "tcgen05.commit");
        emu_settle(c.f);
        bad = emu_tmem_commit(c.f,
                              atoi(part_behind(s, "cta_group::").c_str()),
                              place_of(c, s.args[0]), many,
                              many ? (unsigned)get(c, s.args[1]) : 0, at);
    } else if (what == "fence::before_thread_sync" ||
               what == "fence::after_thread_sync") {
        emu_tmem_fence(c.f, what == "fence::after_thread_sync");
    } else {
        tensor_collective(c, s, what);
    }
    if (bad) {
        throw fault(bad);
    }
}

/* A warpgroup releases registers, or requests some. */
static void do_setmaxnreg(context &c, const stmt &s) {
    need_args(s, 1, 1);
    const uint64_t n = get(c, s.args[0]);
    if (s.has("inc") == s.has("dec") || n < 24 || n > 256 || n % 8) {
        throw fault("the number of registers must be a multiple of 8 from 24 "
                    "to 256");
    }
}

/* elect.sync d|p, mask: the lowest lane. */
static void do_elect(context &c, const stmt &s) {
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

static void do_nothing(context &, const stmt &) {}

/* ==== Running =========================================================== */

static handler handler_of(const dotted &m) {
    static const struct { const char *name; handler run; } all[] = {
        {"ld", do_ld}, {"st", do_st}, {"cp", do_cp}, {"prmt", do_prmt},
        {"lop3", do_lop3}, {"shf", do_shf}, {"mad", do_mad},
        {"and", do_binary},
        {"or", do_binary}, {"xor", do_binary}, {"not", do_binary},
        {"add", do_binary}, {"sub", do_binary}, {"mul", do_binary},
        {"shl", do_binary}, {"shr", do_binary}, {"popc", do_binary},
        {"mov", do_mov}, {"setp", do_setp}, {"selp", do_selp},
        {"bar", do_bar}, {"barrier", do_bar}, {"shfl", do_shfl},
        {"redux", do_redux},
        {"vote", do_vote}, {"ldmatrix", do_matrix}, {"stmatrix", do_matrix},
        {"movmatrix", do_movmatrix}, {"fence", do_fence},
        {"mbarrier", do_mbarrier}, {"mma", do_mma}, {"wgmma", do_wgmma},
        {"tcgen05", do_tcgen05},
        {"setmaxnreg", do_setmaxnreg}, {"griddepcontrol", do_nothing},
        {"elect", do_elect},
        {"membar", do_fence}, {"prefetch", do_nothing},
        {"mapa", do_mapa}, {"cvt", do_cvt}, {"fma", do_real},
        {"div", do_real}, {"min", do_real}, {"max", do_real},
        {"neg", do_real}, {"abs", do_real}, {"ex2", do_real},
        {"lg2", do_real}, {"rcp", do_real}, {"sqrt", do_real},
        {"rsqrt", do_real}, {"sin", do_real}, {"cos", do_real},
        {"tanh", do_real},
    };
    for (const auto &h : all) {
        if (m == h.name) {
            return h.run;
        }
    }
    throw fault("unknown instruction '" + m + "'");
}

/* Looks up the function that executes a statement, once. */
static handler performs(const stmt &s) {
    if (!s.run) {
        s.run = handler_of(s.mods[0]);
        s.run = s.run == do_binary && is_real(s) ? do_real : s.run;
    }
    return s.run;
}

/* A lane that is predicated off still passes, so that its later passages match
 * those of the other lanes. */
static void pass_over(context &c, const stmt &s) {
    bool load = s.mods[0] == "ld";
    if (load || s.mods[0] == "st") {
        emu_count(memory_site(c, shape_of(s), !load), c.f, false, 0);
    } else if (performs(s) != do_nothing && performs(s) != do_cp) {
        std::string k = s.mods[0];
        emu_count(emu_site_at(c.f, c.pc, c.number, k.c_str(), SPACE_NONE, 0,
                              0), c.f, false, 0);
    }
}

static program *program_of(const char *text) {
    static auto *all = new std::unordered_map<std::string, program *>;
    static auto *by_address = new std::unordered_map<const char *, program *>;
    program *&quick = (*by_address)[text];
    if (quick && quick->text == text) {
        return quick;
    }
    program *&p = (*all)[text];
    if (!p) {
        p = new program;
        p->text = text;
        read_program(p, text);
    }
    return quick = p;
}

static void run_program(context &c) {
    if (!c.p->error.empty()) {
        throw fault(c.p->error);
    }
    for (const stmt &s : c.p->stmts) {
        c.number++;
        if (s.guard >= 0 && (c.regs[(size_t)s.guard] != 0) == s.guard_not) {
            pass_over(c, s);
            continue;
        }
        try {
            performs(s)(c, s);
            s.ran = true;
        } catch (const fault &f) {
            throw fault(std::string(f.what()) + " in '" + s.text.substr(0, 60) +
                        (s.text.size() > 60 ? "...'" : "'"));
        }
    }
}

/* Returns whether it ran; if not, *why is the reason. It is separate from
 * emu_ptx so that nothing is left to unwind when the fiber is abandoned. */
static bool try_program(context &c, std::string *why) {
    try {
        run_program(c);
        return true;
    } catch (const fault &f) {
        *why = f.what();
        return false;
    }
}

extern "C" void emu_ptx(const char *text, const emu_operand *outs, int n_outs,
                        const emu_operand *ins, int n_ins) {
    emulator *e = emu_self_;
    uint64_t pc = EMU_PC;
    if (!e || !e->cur) {
        return;
    }
    emu_settle(e->cur);
    program *p = program_of(text);
    context c = {e->cur, p, outs, ins, n_outs, n_ins, pc, 0, {}};
    c.regs.assign(p->reg_bits.size(), 0);
    std::string why;
    if (!try_program(c, &why)) {
        site *s = emu_site_at(c.f, pc, 0, "ptx", SPACE_NONE, 0, 0);
        const std::string all = text;
        const std::string one = all.substr(0, all.find_last_not_of("; \n") + 1);
        const bool named = why.find("'" + one.substr(0, 60)) !=
                               std::string::npos || one.size() > 200;
        emu_find(EMU_PTX, s, "ptx: " + why + (named ? "" : "; text: " + all));
        emu_abandon();
    }
}
