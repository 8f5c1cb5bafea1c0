/* emu_ptx.cc - parses and executes PTX text, from the PTX ISA manual.
 *
 * A text is parsed once, into statements: a mnemonic with its dotted parts, and
 * operands. Each execution runs the statements with the operands of its call.
 *
 * Sections: reading - running.
 */
#include "emu_ptx.h"

#include <ctime>

/* ==== Reading =========================================================== */

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

uint64_t emu_special(const context &c, int n) {
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

/* ==== Running =========================================================== */

static bool is_real(const stmt &s) {
    const dotted &t = s.mods.back();
    return t[0] == 'f' || t == "bf16" || t == "bf16x2";
}

static void do_nothing(context &, const stmt &) {}

static handler handler_of(const dotted &m) {
    static const struct { const char *name; handler run; } all[] = {
        {"ld", emu_do_ld}, {"st", emu_do_st}, {"cp", emu_do_cp},
        {"prmt", emu_do_prmt}, {"lop3", emu_do_lop3}, {"shf", emu_do_shf},
        {"mad", emu_do_mad}, {"and", emu_do_binary}, {"or", emu_do_binary},
        {"xor", emu_do_binary}, {"not", emu_do_binary}, {"add", emu_do_binary},
        {"sub", emu_do_binary}, {"mul", emu_do_binary}, {"shl", emu_do_binary},
        {"shr", emu_do_binary}, {"popc", emu_do_binary}, {"mov", emu_do_mov},
        {"setp", emu_do_setp}, {"selp", emu_do_selp}, {"bar", emu_do_bar},
        {"barrier", emu_do_bar}, {"shfl", emu_do_shfl}, {"redux", emu_do_redux},
        {"vote", emu_do_vote}, {"ldmatrix", emu_do_matrix},
        {"stmatrix", emu_do_matrix}, {"movmatrix", emu_do_movmatrix},
        {"fence", emu_do_fence}, {"mbarrier", emu_do_mbarrier},
        {"mma", emu_do_mma}, {"wgmma", emu_do_wgmma},
        {"tcgen05", emu_do_tcgen05}, {"setmaxnreg", emu_do_setmaxnreg},
        {"griddepcontrol", do_nothing}, {"elect", emu_do_elect},
        {"membar", emu_do_fence}, {"prefetch", do_nothing},
        {"mapa", emu_do_mapa}, {"cvt", emu_do_cvt}, {"fma", emu_do_real},
        {"div", emu_do_real}, {"min", emu_do_real}, {"max", emu_do_real},
        {"neg", emu_do_real}, {"abs", emu_do_real}, {"ex2", emu_do_real},
        {"lg2", emu_do_real}, {"rcp", emu_do_real}, {"sqrt", emu_do_real},
        {"rsqrt", emu_do_real}, {"sin", emu_do_real}, {"cos", emu_do_real},
        {"tanh", emu_do_real},
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
        s.run = s.run == emu_do_binary && is_real(s) ? emu_do_real : s.run;
    }
    return s.run;
}

/* A lane that is predicated off still passes, so that its later passages match
 * those of the other lanes. */
static void pass_over(context &c, const stmt &s) {
    bool load = s.mods[0] == "ld";
    if (load || s.mods[0] == "st") {
        emu_count(emu_memory_site(c, emu_access_shape(s), !load), c.f, false,
                  0);
    } else if (performs(s) != do_nothing && performs(s) != emu_do_cp) {
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
