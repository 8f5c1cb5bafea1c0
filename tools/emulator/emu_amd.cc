/* emu_amd.cc - the instructions of ll_amd.h, from the ISA references of CDNA1
 * to CDNA4, RDNA3 and RDNA4.
 *
 * An exchange waits until all live lanes are at the same place. Lanes that take
 * another branch are inactive (emu.cc, release_active). Reading an inactive
 * lane gives 0, or an error if the hardware gives an undefined value.
 *
 * Sections: exchanges - transposing loads - matrix products - memory - the
 * built-ins.
 */
#include "emu_int.h"

#include <cmath>
#include <cstdio>
#include <cstring>

/* ==== Exchanges ========================================================= */

enum {
    FROM_DPP, FROM_DPP8, FROM_ROW, FROM_OTHER_ROW, FROM_HALF, FROM_SWIZZLE,
    FROM_ADDRESS, FROM_LANE, FROM_FIRST
};

/* Row r, position p: lane 16 r + p. -1: there is no such lane. */
static int dpp_source(int lane, int lanes, unsigned control) {
    int row = lane & ~15, p = lane & 15, k = (int)(control & 15);
    if (control < 0x100) {
        return (lane & ~3) | (int)(control >> 2 * (lane & 3) & 3);
    }
    switch (control >> 4) {
    case 0x10: return p + k < 16 ? lane + k : -1;
    case 0x11: return p >= k ? lane - k : -1;
    case 0x12: return row | ((p - k) & 15);
    case 0x13: {
        int to = k < 8 ? lane + 1 : lane - 1;
        return k & 4 ? to & (lanes - 1) : to < lanes ? to : -1;
    }
    case 0x14:
        return k == 0 ? row | (15 - p) : k == 1 ? row | (p ^ 7)
               : k == 2 ? (row ? row - 1 : -1) : (lane < 32 ? -1 : 31);
    case 0x15: return row | k;
    default: return lane ^ k;
    }
}

static int swizzle_source(int lane, unsigned pattern) {
    if (pattern >> 15) {
        return (lane & ~3) | (int)(pattern >> 2 * (lane & 3) & 3);
    }
    unsigned l = (unsigned)lane & 31;
    l = ((l & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
    return (lane & ~31) | (int)l;
}

/* gfx10 and gfx11 permute each half of 64 lanes separately. */
static int addressed(int lane, unsigned address) {
    const target &t = emu_self_->t;
    bool halves = t.gfx >= 0x1000 && t.gfx < 0x1200;
    int n = halves ? 32 : t.lanes;
    return (int)(address / 4 & (unsigned)(n - 1)) | (lane & ~(n - 1));
}

static int source_of(const fiber *f, uint64_t active) {
    const collective &c = f->c;
    int l = f->lane, lanes = emu_self_->t.lanes;
    switch (c.mode) {
    case FROM_DPP: return dpp_source(l, lanes, c.b);
    case FROM_DPP8: return (l & ~7) | (int)(c.b >> 3 * (l & 7) & 7);
    case FROM_ROW:
    case FROM_OTHER_ROW:
        return ((l & ~15) ^ (c.mode == FROM_ROW ? 0 : 16)) |
               (int)((l & 8 ? c.in[2] : c.in[1]) >> 4 * (l & 7) & 15);
    case FROM_HALF: return l ^ 32;
    case FROM_SWIZZLE: return swizzle_source(l, c.b);
    case FROM_ADDRESS: return addressed(l, c.b);
    case FROM_LANE: return (int)(c.b & (unsigned)(lanes - 1));
    default: return __builtin_ctzll(active);
    }
}

static void gather_words(warp &w, uint64_t active) {
    for (fiber *f : w.lanes) {
        if (!(active >> f->lane & 1)) {
            continue;
        }
        int from = source_of(f, active);
        bool there = from >= 0 && (active >> from & 1);
        bool blind = f->c.mode == FROM_HALF || f->c.mode == FROM_LANE;
        f->c.out[0] = there ? w.lanes[(size_t)from]->c.in[0] : f->c.in[3];
        if (!there && blind) {
            emu_find(EMU_LANES, f->c.at,
                     emu_text("%s: lane %d of warp %d reads lane %d, which is "
                              "not active", f->c.at->kind.c_str(), f->lane,
                              f->warp, from));
        }
    }
}

static void scatter_words(warp &w, uint64_t active) {
    uint32_t out[MAX_LANES] = {};
    for (fiber *f : w.lanes) {
        if (active >> f->lane & 1) {
            out[addressed(f->lane, f->c.b)] = f->c.in[0];
        }
    }
    for (fiber *f : w.lanes) {
        f->c.out[0] = active >> f->lane & 1 ? out[f->lane] : f->c.out[0];
    }
}

/* Swaps a of the lanes with bit c.b and b of the lanes without it. */
static void swap_words(warp &w, uint64_t active) {
    unsigned bit = w.lanes[(size_t)__builtin_ctzll(active)]->c.b;
    uint32_t out[2][MAX_LANES] = {};
    for (fiber *f : w.lanes) {
        size_t other = (size_t)f->lane ^ bit;
        if ((active >> f->lane & 1) && !(active >> other & 1)) {
            emu_find(EMU_LANES, f->c.at,
                     emu_text("%s: lane %d of warp %d swaps with a lane that "
                              "is not active",
                              f->c.at->kind.c_str(), f->lane, f->warp));
            emu_self_->dead = true;
            return;
        }
        if (active >> f->lane & 1) {
            const collective &o = w.lanes[other]->c;
            bool upper = (f->lane & (int)bit) != 0;
            out[0][f->lane] = upper ? o.in[1] : f->c.in[0];
            out[1][f->lane] = upper ? f->c.in[1] : o.in[0];
        }
    }
    for (fiber *f : w.lanes) {
        if (active >> f->lane & 1) {
            f->c.out[0] = out[0][f->lane];
            f->c.out[1] = out[1][f->lane];
        }
    }
}

/* ==== Transposing loads ================================================= */

/* Each lane loads 8 bytes. In a group of 16 lanes, with 64/n elements of c.n
 * bits per lane, lane l receives element l % n of the lanes that start at l /
 * n, n/16 apart. */
static void load_transposed(warp &w, uint64_t active) {
    const collective &c = w.lanes[(size_t)__builtin_ctzll(active)]->c;
    int n = 64 / c.n;
    uint64_t data[MAX_LANES];
    if (w.lanes.size() != 64 || active != ~(uint64_t)0) {
        emu_find(EMU_LANES, c.at,
                 emu_text("%s needs all 64 lanes of the warp; lanes 0x%llx "
                          "are here", c.at->kind.c_str(),
                          (unsigned long long)active));
        emu_self_->dead = true;
        return;
    }
    for (fiber *f : w.lanes) {
        emu_access(f, f->c.addr, 8, 0, f->c.at);
        if (emu_self_->dead) {
            return;
        }
        memcpy(data + f->lane, (void *)f->c.addr, 8);
    }
    uint64_t mask = ((uint64_t)1 << c.n) - 1;
    for (fiber *f : w.lanes) {
        uint64_t got = 0;
        for (int e = 0; e < n; e++) {
            int from = (f->lane & 48) | e * (16 / n) | (f->lane & 15) / n;
            got |= (data[from] >> (f->lane & (n - 1)) * c.n & mask) << e * c.n;
        }
        f->c.out[0] = (uint32_t)got;
        f->c.out[1] = (uint32_t)(got >> 32);
    }
}

/* ==== Products of matrices ============================================== */

/* A product of matrices. of: element types, 'h' f16, 'b' bf16, 'f' f32, 'd'
 * f64, 'i' and 'u' integers, '8' fp8 (e4m3), '5' bf8 (e5m2), '4' fp4 (e2m1). */
struct product {
    char name[64];
    int m, k, rdna;   /* m = n; rdna: 0, 3 or 4 */
    char of[2];
    bool is_int, is_double, scaled, fnuz;
    const unsigned char *a, *b;
    unsigned char *c;
    unsigned scales[2];
};

/* Decodes sign, exponent with that bias, mantissa; infinities are not
 * decoded. */
static double number(uint32_t x, int exponent, int mantissa, int bias) {
    uint32_t e = x >> mantissa & ((1u << exponent) - 1);
    uint32_t m = x & ((1u << mantissa) - 1);
    double v = e ? ldexp((double)(m | 1u << mantissa), (int)e - bias - mantissa)
                 : ldexp((double)m, 1 - bias - mantissa);
    return x >> (exponent + mantissa) & 1 ? -v : v;
}

static double element(const product &p, const unsigned char *at, int operand,
                      int n) {
    uint32_t x = 0;
    float f;
    double d;
    switch (p.of[operand]) {
    case 'd': memcpy(&d, at + 8 * n, 8); return d;
    case 'f': memcpy(&f, at + 4 * n, 4); return f;
    case 'h': memcpy(&x, at + 2 * n, 2); return number(x, 5, 10, 15);
    case 'b': memcpy(&x, at + 2 * n, 2); return number(x, 8, 7, 127);
    case 'i': return (signed char)at[n];
    case 'u': return at[n];
    case '8': return number(at[n], 4, 3, p.fnuz ? 8 : 7);
    case '5': return number(at[n], 5, 2, p.fnuz ? 16 : 15);
    default: return number(at[n / 2] >> n % 2 * 4 & 15, 2, 1, 1);
    }
}

/* The k index of a lane's element e, and the row of its accumulator register r,
 * from the manuals. g: group of lanes, beyond the m rows or columns. */
static int k_of(const product &p, int operand, int g, int e) {
    int each = p.m * p.k / 64;
    bool half = p.of[operand] == 'h' || p.of[operand] == 'b';
    if (p.rdna == 3) {
        return e;
    }
    if (p.rdna == 4) {
        return half ? e % 4 + 4 * g + e / 4 * 8 : e + 8 * g;
    }
    /* eight words of 8-bit elements: two groups of 16 */
    return each == 32 && p.of[operand] != '4'
               ? e % 16 + 16 * g + e / 16 * (p.k / 2) : e + each * g;
}

static int row_of(const product &p, int g, int r) {
    return p.rdna == 3 ? 2 * r + g
           : p.rdna == 4 ? r + 8 * g
           : p.is_double ? g + 4 * r
                         : r % 4 + 4 * g + r / 4 * 4 * (64 / p.m);
}

static const product &product_of(const fiber *f) {
    return *(const product *)f->c.addr;
}

/* Collects a[i][k] from the lanes' first operands, or b[j][k] from the
 * second. */
static void collect_operand(const warp &w, int operand, double *to) {
    for (fiber *f : w.lanes) {
        const product &p = product_of(f);
        int each = p.rdna == 3 ? 16 : p.m * p.k / (int)w.lanes.size();
        for (int e = 0; e < each; e++) {
            int g = f->lane / p.m, k = k_of(p, operand, g, e);
            double v = element(p, operand ? p.b : p.a, operand, e);
            double *at = to + f->lane % p.m * p.k + k;
            if (p.rdna == 3 && g && *at != v) {
                emu_find(EMU_LANES, f->c.at,
                         emu_text("%s: lanes %d and %d must hold the same",
                                  p.name, f->lane, f->lane - 16));
            }
            *at = v;
        }
    }
    for (fiber *f : w.lanes) {
        const product &p = product_of(f);
        if (p.scaled) {   /* lane l: row l % m, 32 elements of k */
            double scale = ldexp(1, (int)p.scales[operand] - 127);
            double *at = to + f->lane % p.m * p.k + f->lane / p.m * 32;
            for (int k = 0; k < 32; k++) {
                at[k] *= scale;
            }
        }
    }
}

static void accumulate(const product &p, int at, const double *a,
                       const double *b) {
    double d;
    float x;
    int32_t n;
    memcpy(&d, p.c + (p.is_double ? 8 * at : 0), 8);
    memcpy(&x, p.c + 4 * at, 4);
    memcpy(&n, p.c + 4 * at, 4);
    for (int k = 0; k < p.k; k++) {
        d += a[k] * b[k];
        x += (float)(a[k] * b[k]);
        n += (int32_t)(a[k] * b[k]);
    }
    p.is_double ? memcpy(p.c + 8 * at, &d, 8)
                : memcpy(p.c + 4 * at, p.is_int ? (void *)&n : (void *)&x, 4);
}

static void multiply(warp &w, uint64_t active) {
    const fiber *first = w.lanes[(size_t)__builtin_ctzll(active)];
    const product &p = product_of(first);
    size_t lanes = p.rdna ? 32 : 64;
    if (w.lanes.size() != lanes ||
        active != ~(uint64_t)0 >> (64 - (int)lanes)) {
        emu_find(EMU_LANES, first->c.at,
                 emu_text("%s needs all %d lanes of the warp; lanes 0x%llx are "
                          "here", p.name, (int)lanes,
                          (unsigned long long)active));
        emu_self_->dead = true;
        return;
    }
    std::vector<double> a((size_t)(p.m * p.k)), b(a.size());
    collect_operand(w, 0, a.data());
    collect_operand(w, 1, b.data());
    for (fiber *f : w.lanes) {
        int j = f->lane % p.m;
        for (int r = 0; r < p.m * p.m / (int)lanes; r++) {
            int i = row_of(p, f->lane / p.m, r);
            accumulate(product_of(f), r, &a[(size_t)(i * p.k)],
                       &b[(size_t)(j * p.k)]);
        }
    }
}

/* Parses the types after the sizes in a name: f16, _fp8_bf8, bf16_1k, .. */
static void read_types(product *p, const char *s, unsigned signs) {
    const char *after = strchr(s, '_');
    bool both = !strncmp(s, "fp8_", 4) || !strncmp(s, "bf8_", 4);
    for (int k = 0; k < 2; k++) {
        const char *t = k && both ? after + 1 : s;
        bool is_signed = signs >> k & 1;
        p->of[k] = strstr(t, "f64") == t    ? 'd'
                   : strstr(t, "f32") == t  ? 'f'
                   : strstr(t, "f16") == t  ? 'h'
                   : strstr(t, "bf16") == t ? 'b'
                   : strstr(t, "fp8") == t  ? '8'
                   : strstr(t, "bf8") == t  ? '5'
                   : is_signed              ? 'i'
                                            : 'u';
    }
}

static void read_name(product *p, const char *name, unsigned signs,
                      const unsigned *types) {
    static const char scaled[] = "85--4";
    const char *sizes = strchr(name, 'x') - 2;
    int n = 0;
    snprintf(p->name, sizeof p->name, "%s", name);
    sscanf(sizes, "%dx%dx%d%n", &p->m, &p->m, &p->k, &n);
    read_types(p, sizes + n + (sizes[n] == '_'), signs);
    p->scaled = strstr(name, "scale") != nullptr;
    if (p->scaled) {
        p->of[0] = scaled[types[0]];
        p->of[1] = scaled[types[1]];
    }
    p->rdna = strstr(name, "gfx12") ? 4 : strstr(name, "wmma") ? 3 : 0;
    p->is_int = strstr(name, "_i32_") != nullptr;
    p->is_double = strstr(name, "_f64_") != nullptr;
    p->fnuz = emu_self_->t.gfx >= 0x940 && emu_self_->t.gfx <= 0x942;
}

/* ==== Memory ============================================================ */

static site *memory_site(uint64_t pc, int space, int bytes, int write) {
    bool shared = space == 3;
    site *s = emu_site_at(emu_self_->cur, pc, 0, nullptr,
                          shared ? SPACE_SHARED : SPACE_GLOBAL, bytes, write);
    if (s->kind.empty()) {
        s->kind = emu_text("%s.%s.b%d", write ? "st" : "ld",
                           shared ? "shared" : "global", 8 * bytes);
        s->merges = 0;
    }
    return s;
}

static uint64_t place(int space, uint64_t address) {
    uint64_t host = space == 3 ? emu_shared_addr(address & 0xffffffffu)
                               : address;
    return host ? host : 1;   /* 1: not memory, refused by emu_access */
}

static void access(uint64_t pc, int space, uint64_t address, int bytes,
                   int write, void *data, bool on) {
    fiber *f = emu_self_->cur;
    site *s = memory_site(pc, space, bytes, write);
    emu_settle(f);
    if (!on) {
        emu_count(s, f, false, 0);
        return;
    }
    address = place(space, address);
    emu_access(f, address, bytes, write, s);
    memcpy(write ? (void *)address : data, write ? data : (void *)address,
           (size_t)bytes);
    emu_settle(f);
}

/* ==== The built-ins ===================================================== */

static fiber *enter(uint64_t pc, const char *kind) {
    fiber *f = emu_self_->cur;
    emu_settle(f);
    f->c = collective();
    f->c.at = emu_site_at(f, pc, 0, kind, SPACE_NONE, 0, 0);
    f->c.op = OP_AMD;
    f->c.mask = 0xffffffffu;
    emu_count(f->c.at, f, true, 0);
    return f;
}

static uint32_t finish(fiber *f, void (*perform)(warp &, uint64_t)) {
    f->c.perform = perform;
    emu_collect(f);
    return f->c.out[0];
}

/* A word of another lane; b selects the lane, as the mode defines. */
static uint32_t word_from(uint64_t pc, const char *kind, int mode, uint32_t x,
                          uint32_t b) {
    fiber *f = enter(pc, kind);
    f->c.mode = mode;
    f->c.in[0] = x;
    f->c.b = b;
    return finish(f, gather_words);
}

static emu_b64 words_of(const fiber *f) {
    return emu_b64{f->c.out[0], f->c.out[1]};
}

static emu_b64 swap_with(uint64_t pc, const char *kind, uint32_t bit,
                         uint32_t a, uint32_t b) {
    fiber *f = enter(pc, kind);
    f->c.b = bit;
    f->c.in[0] = a;
    f->c.in[1] = b;
    finish(f, swap_words);
    return words_of(f);
}

static emu_b64 transposed(uint64_t pc, const char *kind, int bits,
                          uint32_t address) {
    fiber *f = emu_self_->cur;
    emu_settle(f);
    f->c = collective();
    f->c.at = emu_site_at(f, pc, 0, kind, SPACE_SHARED, 8, 0);
    f->c.at->merges = 0;
    f->c.op = OP_AMD;
    f->c.mask = 0xffffffffu;
    f->c.n = bits;
    f->c.addr = place(3, address);
    finish(f, load_transposed);
    return words_of(f);
}

/* Sets which lanes LDS serves together if that is not 128 bytes of neighbours
 * over 32 banks: reads on gfx950, and 16-byte accesses on gfx942 and RDNA3.
 * Measured by amd-shark-ai and HipKittens; gfx908 and gfx90a as gfx942. */
static void set_phases(unsigned gfx) {
    static const int two_of_eight[] = {1, 2, 20};
    static const int gfx950[] = {1, 2, 12, 20};
    static const int neighbours[] = {1, 2, 4, 8, 16, 32};
    if (gfx == 0x950) {
        emu_set_phase(0, 4, 64, 6, neighbours);
        emu_set_phase(0, 8, 64, 5, neighbours);
        emu_set_phase(0, 16, 64, 4, gfx950);
    } else if (gfx && gfx < 0x1200) {
        emu_set_phase(0, 16, 32, 3, two_of_eight);
    }
}

extern "C" {

void emu_set_gfx(unsigned gfx) {
    emu_get()->t.gfx = gfx;
    emu_get()->t.static_limit =
        (gfx == 0x950 ? 160u : gfx ? 64u : 48u) << 10;
    emu_get()->t.rules.clear();
    set_phases(gfx);
    emu_get()->t.merge = gfx == 0;
}

void emu_amd_read(void *to, int space, uint64_t address, int bytes, int on) {
    access(EMU_PC, space, address, bytes, 0, to, on != 0);
}

void emu_amd_write(const void *from, int space, uint64_t address, int bytes,
                   int on) {
    access(EMU_PC, space, address, bytes, 1, const_cast<void *>(from),
           on != 0);
}

/* Beyond the end nothing is accessed; an access across the end is a finding. */
void emu_amd_buffer(ll_amd_buffer b, uint32_t offset, int bytes, int write,
                    void *data) {
    uint64_t end = (uint64_t)offset + (uint64_t)bytes;
    if (offset < b.bytes && end > b.bytes) {
        emu_find(EMU_BOUNDS, memory_site(EMU_PC, 1, bytes, write),
                 emu_text("out of bounds: an access of %d bytes at byte %u of "
                          "a buffer of %u bytes crosses its end", bytes,
                          offset, b.bytes));
    }
    memset(data, 0, write ? 0 : (size_t)bytes);
    access(EMU_PC, 1, b.start + offset, bytes, write, data, end <= b.bytes);
}

ll_amd_buffer emu_amd_make_buffer_rsrc(void *p, int stride, int bytes,
                                       int flags) {
    unsigned gfx = emu_self_->t.gfx;
    int expected = gfx < 0x1000 ? 0x27000 : 0x31027000;
    if (stride || (gfx && flags != expected)) {
        fiber *f = emu_self_->cur;
        emu_find(EMU_PTX, emu_site_at(f, EMU_PC, 0, "buffer", 0, 0, 0),
                 emu_text("buffer: stride %d and flags 0x%x do not describe a "
                          "plain buffer", stride, (unsigned)flags));
    }
    return ll_amd_buffer{(uint64_t)p, (uint32_t)bytes};
}

void emu_amd_global_load_lds(uint64_t from, uint64_t to, int bytes, int offset,
                             int) {
    unsigned char data[16] = {};
    fiber *f = emu_self_->cur;
    uint64_t at = to + (uint64_t)(bytes * f->lane + offset);
    /* 12 bytes: three words, since an access has a power of 2 bytes */
    int each = bytes == 12 ? 4 : bytes;
    for (int k = 0; k < bytes; k += each) {
        access(EMU_PC, 1, from + (uint64_t)(offset + k), each, 0, data + k, 1);
        access(EMU_PC, 3, at + (uint64_t)k, each, 1, data + k, 1);
    }
}

int emu_amd_update_dpp(int old, int x, int control, int rows, int banks,
                       bool bound) {
    fiber *f = enter(EMU_PC, "dpp");
    f->c.mode = FROM_DPP;
    f->c.in[0] = (uint32_t)x;
    f->c.in[3] = bound ? 0 : (uint32_t)old;
    f->c.b = (uint32_t)control;
    uint32_t y = finish(f, gather_words);
    bool on = (rows >> f->lane / 16 & 1) && (banks >> f->lane % 16 / 4 & 1);
    return on ? (int)y : old;
}

uint32_t emu_amd_mov_dpp8(uint32_t x, uint32_t selector) {
    return word_from(EMU_PC, "dpp8", FROM_DPP8, x, selector);
}

static uint32_t permlane(uint64_t pc, const char *kind, int mode, uint32_t x,
                         uint32_t low, uint32_t high, uint32_t otherwise) {
    fiber *f = enter(pc, kind);
    f->c.mode = mode;
    f->c.in[0] = x;
    f->c.in[1] = low;
    f->c.in[2] = high;
    f->c.in[3] = otherwise;
    return finish(f, gather_words);
}

uint32_t emu_amd_permlane16(uint32_t old, uint32_t x, uint32_t low,
                            uint32_t high, bool, bool bound) {
    return permlane(EMU_PC, "permlane16", FROM_ROW, x, low, high,
                    bound ? 0 : old);
}

uint32_t emu_amd_permlanex16(uint32_t old, uint32_t x, uint32_t low,
                             uint32_t high, bool, bool bound) {
    return permlane(EMU_PC, "permlanex16", FROM_OTHER_ROW, x, low, high,
                    bound ? 0 : old);
}

uint32_t emu_amd_permlane64(uint32_t x) {
    return emu_self_->t.lanes == 64
               ? word_from(EMU_PC, "permlane64", FROM_HALF, x, 0) : x;
}

emu_b64 emu_amd_permlane16_swap(uint32_t a, uint32_t b, bool, bool) {
    return swap_with(EMU_PC, "permlane16_swap", 16, a, b);
}

emu_b64 emu_amd_permlane32_swap(uint32_t a, uint32_t b, bool, bool) {
    return swap_with(EMU_PC, "permlane32_swap", 32, a, b);
}

int emu_amd_ds_swizzle(int x, int pattern) {
    return (int)word_from(EMU_PC, "ds_swizzle", FROM_SWIZZLE, (uint32_t)x,
                          (uint32_t)pattern);
}

int emu_amd_ds_bpermute(int address, int x) {
    return (int)word_from(EMU_PC, "ds_bpermute", FROM_ADDRESS, (uint32_t)x,
                          (uint32_t)address);
}

int emu_amd_ds_permute(int address, int x) {
    fiber *f = enter(EMU_PC, "ds_permute");
    f->c.in[0] = (uint32_t)x;
    f->c.b = (uint32_t)address;
    return (int)finish(f, scatter_words);
}

int emu_amd_readlane(int x, int lane) {
    return (int)word_from(EMU_PC, "readlane", FROM_LANE, (uint32_t)x,
                          (uint32_t)lane);
}

int emu_amd_readfirstlane(int x) {
    return (int)word_from(EMU_PC, "readlane", FROM_FIRST, (uint32_t)x, 0);
}

void emu_amd_product(const char *name, const void *a, const void *b, void *c,
                     unsigned signs, const unsigned *types,
                     const unsigned *scales) {
    fiber *f = enter(EMU_PC, name);
    product p = {};
    read_name(&p, name, signs, types);
    p.a = (const unsigned char *)a;
    p.b = (const unsigned char *)b;
    p.c = (unsigned char *)c;
    p.scales[0] = scales[0];
    p.scales[1] = scales[1];
    f->c.addr = (uint64_t)&p;
    finish(f, multiply);
}

/* Bytes 0 to 3 come from b and 4 to 7 from a; then signs of 16 bits; 0;
 * 0xff. */
uint32_t emu_amd_perm(uint32_t a, uint32_t b, uint32_t select) {
    uint64_t all = (uint64_t)a << 32 | b;
    uint32_t y = 0;
    fiber *f = emu_self_->cur;
    emu_count(emu_site_at(f, EMU_PC, 0, "perm", SPACE_NONE, 0, 0), f, true, 0);
    for (int k = 0; k < 4; k++) {
        uint32_t s = select >> 8 * k & 0xff;
        uint32_t sign = (uint32_t)(all >> (16 * (s - 8) + 15) & 1) * 0xff;
        y |= (s < 8 ? (uint32_t)(all >> 8 * s) & 0xff
              : s < 12 ? sign : s == 12 ? 0 : 0xff) << 8 * k;
    }
    return y;
}

emu_b64 emu_amd_tr16_b64(uint32_t address) {
    return transposed(EMU_PC, "ds_read_tr16_b64", 16, address);
}

emu_b64 emu_amd_tr8_b64(uint32_t address) {
    return transposed(EMU_PC, "ds_read_tr8_b64", 8, address);
}

emu_b64 emu_amd_tr4_b64(uint32_t address) {
    return transposed(EMU_PC, "ds_read_tr4_b64", 4, address);
}

}
