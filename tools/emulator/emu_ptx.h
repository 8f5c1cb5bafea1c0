/* emu_ptx.h - a PTX statement, its operands, and how an instruction reads and
 * writes them; shared by the files that execute PTX text.
 *
 * emu_ptx.cc parses a text and runs it. It looks up a handler by the mnemonic;
 * the other files define the handlers, emu_do_...
 *
 * Sections: statements - values - operands - handlers.
 */
#ifndef EMU_PTX_H
#define EMU_PTX_H

#include "emu_int.h"

#include <initializer_list>
#include <stdexcept>

/* ==== Statements ======================================================== */

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

static inline int type_bits(const dotted &t) {
    const size_t n = t.size();
    if ((n == 2 || n == 3) && strchr("busf", t[0])) {
        const int bits = n == 2 ? (t[1] == '8' && t[0] != 'f') * 8
                                : (t[1] - '0') * 10 + t[2] - '0';
        return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits : 0;
    }
    return n == 4 && t == "pred" ? 1 : 0;
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

static inline uint64_t low(uint64_t v, int bits) {
    return bits >= 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

static inline const emu_operand &arg_of(const context &c, int n) {
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

/* The value of a special register, by its number in the table of names. */
uint64_t emu_special(const context &c, int n);

static inline uint64_t get(const context &c, const opnd &o) {
    uint64_t v = 0;
    switch (o.type) {
    case IMM: v = o.value; break;
    case REG: v = c.regs[(size_t)o.n]; break;
    case SPECIAL: v = emu_special(c, o.n); break;
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

static inline int bits_of(const context &c, const opnd &o) {
    return o.type == ARG ? arg_of(c, o.n).bits
           : o.type == REG ? c.p->reg_bits[(size_t)o.n] : 64;
}

static inline void set(context &c, const opnd &o, uint64_t v) {
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

static inline void need_args(const stmt &s, size_t least, size_t most) {
    if (s.args.size() < least || s.args.size() > most) {
        throw fault(emu_text("%zu operands instead of %zu", s.args.size(),
                             least));
    }
}

/* ==== Operands ========================================================== */

/* Every dotted part must be known; cache hints are ignored. The parts do not
 * change, so a statement that has run is not checked again. */
static inline void check_mods(const stmt &s,
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
static inline uint64_t address(const context &c, const opnd &o, bool shared) {
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

static inline bool is_shared(const stmt &s) {
    return s.has("shared") || s.has("shared::cta");
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

static inline operands parts(const opnd &o, int n) {
    const operands v(o);
    if (v.size() != (size_t)n) {
        throw fault(emu_text("%zu registers instead of %d", v.size(), n));
    }
    return v;
}

static inline site *count(context &c, const char *kind) {
    site *s = emu_site_at(c.f, c.pc, c.number, kind, SPACE_NONE, 0, 0);
    emu_count(s, c.f, true, 0);
    return s;
}

/* What one load or store moves. */
struct shape {
    int n, bits;
    bool sign, shared, far;  /* far: in any block of the cluster */
};

shape emu_access_shape(const stmt &s);
site *emu_memory_site(context &c, const shape &h, int write);
mbarrier_place emu_place_of(const context &c, const opnd &o);

/* ==== Handlers ========================================================== */

/* emu_ptx_memory.cc */
void emu_do_ld(context &c, const stmt &s);
void emu_do_st(context &c, const stmt &s);
void emu_do_mapa(context &c, const stmt &s);
void emu_do_cp(context &c, const stmt &s);
void emu_do_mbarrier(context &c, const stmt &s);
void emu_do_fence(context &c, const stmt &s);

/* emu_ptx_math.cc */
void emu_do_prmt(context &c, const stmt &s);
void emu_do_lop3(context &c, const stmt &s);
void emu_do_mad(context &c, const stmt &s);
void emu_do_shf(context &c, const stmt &s);
void emu_do_binary(context &c, const stmt &s);
void emu_do_mov(context &c, const stmt &s);
void emu_do_setp(context &c, const stmt &s);
void emu_do_selp(context &c, const stmt &s);
void emu_do_real(context &c, const stmt &s);
void emu_do_cvt(context &c, const stmt &s);

/* emu_ptx_warp.cc */
void emu_do_bar(context &c, const stmt &s);
void emu_do_shfl(context &c, const stmt &s);
void emu_do_redux(context &c, const stmt &s);
void emu_do_vote(context &c, const stmt &s);
void emu_do_matrix(context &c, const stmt &s);
void emu_do_movmatrix(context &c, const stmt &s);
void emu_do_setmaxnreg(context &c, const stmt &s);
void emu_do_elect(context &c, const stmt &s);

/* emu_ptx_product.cc */
void emu_do_mma(context &c, const stmt &s);
void emu_do_wgmma(context &c, const stmt &s);
void emu_do_tcgen05(context &c, const stmt &s);

#endif
