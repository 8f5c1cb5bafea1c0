/* emu_ptx_math.cc - PTX instructions that compute in one lane: arithmetic of
 * integers and floats, selections, and conversions.
 *
 * Sections: integers - floats - conversions.
 */
#include "emu_ptx.h"
#include "include/cuda_fp8.h"

#include <algorithm>
#include <cmath>
#include <cstring>

/* ==== Integers ========================================================== */

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

void emu_do_prmt(context &c, const stmt &s) {
    need_args(s, 4, 4);
    check_mods(s, {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
    count(c, "prmt");
    set(c, s.args[0], permute(s.mods.back(), (uint32_t)get(c, s.args[1]),
                              (uint32_t)get(c, s.args[2]),
                              (uint32_t)get(c, s.args[3])));
}

void emu_do_lop3(context &c, const stmt &s) {
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

void emu_do_mad(context &c, const stmt &s) {
    need_args(s, 4, 4);
    check_mods(s, {"lo"});
    count(c, "mad");
    set(c, s.args[0], (uint32_t)(get(c, s.args[1]) * get(c, s.args[2]) +
                                 get(c, s.args[3])));
}

void emu_do_shf(context &c, const stmt &s) {
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

void emu_do_binary(context &c, const stmt &s) {
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
void emu_do_mov(context &c, const stmt &s) {
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
        emu_do_binary(c, s);
    }
}

static bool compare(const dotted &op, int64_t a, int64_t b) {
    return op == "eq" ? a == b : op == "ne" ? a != b : op == "lt" ? a < b
           : op == "le" ? a <= b : op == "gt" ? a > b : a >= b;
}

void emu_do_setp(context &c, const stmt &s) {
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

void emu_do_selp(context &c, const stmt &s) {
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
void emu_do_real(context &c, const stmt &s) {
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

/* ==== Conversions ======================================================= */

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
void emu_do_cvt(context &c, const stmt &s) {
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
