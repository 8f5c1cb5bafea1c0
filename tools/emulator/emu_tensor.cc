/* emu_tensor.cc - mma.sync and wgmma, from the PTX manual.
 *
 * One formula gives the fragments of all shapes. With g = lane / 4, t = lane %
 * 4 and e elements per register:
 * - A: row g + 8 (r & 1), column t e + i % e + 4 e (r / 2)
 * - B: row t e + i % e + 4 e r, column g
 * - accumulator: row g + 8 (i / 2 % 2), columns 8 (i / 4) + 2 t + i % 2
 *
 * wgmma repeats it along n, and warps stack the rows. m8n8k4 of f16 differs:
 * each quad pair computes a product of its own. Sums are in double precision,
 * rounded once.
 */
#include "emu_int.h"
#include "include/emu_floats.h"

#include <algorithm>
#include <cmath>
#include <cstring>

/* ==== Numbers =========================================================== */

static int bits_of(const dotted &t) {
    return t == "b1" ? 1 : t == "s4" || t == "u4" || t == "e2m1" ? 4
           : t == "s8" || t == "u8" || t == "e4m3" || t == "e5m2" ||
                     t == "e2m3" || t == "e3m2" ? 8
           : t == "f16" || t == "bf16" ? 16
           : t == "tf32" || t == "f32" || t == "s32" ? 32
           : t == "f64" ? 64 : 0;
}

/* A float with E exponent and M mantissa bits, without infinities. */
static double small(unsigned v, int E, int M) {
    const int bias = (1 << (E - 1)) - 1, e = (int)(v >> M) & ((1 << E) - 1);
    const double m = v & ((1u << M) - 1);
    const double x = e ? ldexp(m + (1 << M), e - bias - M)
                       : ldexp(m, 1 - bias - M);
    return v >> (E + M) & 1 ? -x : x;
}

double emu_value_of(const dotted &t, uint64_t v) {
    float f;
    double d;
    if (t == "f16" || t == "bf16") {
        const bool half = t == "f16";
        return emu_unpack((unsigned)v, half ? 5 : 8, half ? 10 : 7);
    }
    if (t == "f32" || t == "tf32") {
        const uint32_t w = (uint32_t)v & (t == "f32" ? ~0u : 0xffffe000u);
        memcpy(&f, &w, 4);
        return f;
    }
    if (t == "f64") {
        memcpy(&d, &v, 8);
        return d;
    }
    if (t == "e5m2") {
        return emu_unpack((unsigned)v, 5, 2);
    }
    if (t == "e4m3") {
        return (v & 0x7f) == 0x7f ? NAN : small((unsigned)v, 4, 3);
    }
    return t == "e2m1"   ? small((unsigned)v, 2, 1)
           : t == "e2m3" ? small((unsigned)v & 0x3f, 2, 3)
           : t == "e3m2" ? small((unsigned)v & 0x3f, 3, 2)
           : t == "s8"   ? (double)(int8_t)v
           : t == "s4"   ? (double)((int)(v ^ 8) - 8)
           : t == "s32"  ? (double)(int32_t)v
                         : (double)v;
}

uint64_t emu_pattern_of(const dotted &t, double x) {
    uint64_t v = 0;
    if (t == "f16") {
        return emu_pack(x, 5, 10);
    }
    if (t == "f64") {
        memcpy(&v, &x, 8);
    } else if (t == "s32") {
        v = (uint32_t)(int64_t)x;
    } else {
        const float f = (float)x;
        memcpy(&v, &f, 4);
    }
    return v;
}

/* The values of all patterns of up to 16 bits. */
static const std::vector<float> &table_of(const dotted &t) {
    static auto *all = new std::map<std::string, std::vector<float>>;
    std::vector<float> &v = (*all)[t];
    if (v.empty()) {
        v.resize((size_t)1 << bits_of(t));
        for (size_t k = 0; k < v.size(); k++) {
            v[k] = (float)emu_value_of(t, k);
        }
    }
    return v;
}

/* Element k of registers. Under kind::f8f6f4 each takes a byte, and e2m1 is in
 * the byte's middle bits. */
static double element(const dotted &t, const std::vector<uint64_t> &regs,
                      int k, bool in_bytes) {
    const int bits = in_bytes ? 8 : bits_of(t), word = bits == 64 ? 64 : 32;
    const int per = word / bits;
    uint64_t v = regs[(size_t)(k / per)] >> (bits * (k % per));
    v = in_bytes && t == "e2m1" ? v >> 2 & 15
        : bits == 64            ? v : v & (((uint64_t)1 << bits) - 1);
    return emu_value_of(t, v);
}

/* ==== mma.sync ========================================================== */

static product_call *call_of(const fiber *f) {
    return (product_call *)f->c.addr;
}

/* Returns the four metadata bits of group `group` of a row: the positions of
 * the group's two numbers (PTX, "Sparse matrix storage"). A word has 4 groups
 * of two rows, or 8 groups of one row if elements have 8 bits or less. */
static unsigned metadata(const warp &w, const product_call &p, int bits,
                         int row, int group) {
    const bool narrow = bits <= 8;
    const int groups = p.k / (bits == 32 ? 2 : bits == 4 ? 8 : 4);
    const int each = narrow ? 8 : 4, part = group / each;
    const int wide = groups / each; /* lanes per row */
    const int used = wide * (narrow ? 2 : 1);
    const int t = narrow ? (row >> 3) + 2 * part : part;
    const int lane = 4 * (row % 8) + used * (int)p.select + t;
    const int at = 4 * (group % each) + (narrow ? 0 : 16 * (row >> 3));
    return call_of(w.lanes[(size_t)lane])->e >> at & 15;
}

/* Expands a sparse A of 16 rows and k / 2 columns. */
template <class T>
static bool spread(const warp &w, const product_call &p, int bits,
                   std::vector<T> &a) {
    const int group = bits == 32 ? 2 : bits == 4 ? 8 : 4;
    std::vector<T> all((size_t)(16 * p.k));
    for (int row = 0; row < 16; row++) {
        for (int g = 0; g < p.k / group; g++) {
            const unsigned v = metadata(w, p, bits, row, g);
            const unsigned one = v & 3, two = v >> 2;
            const bool half = one % 2 == 0 && two == one + 1; /* of 32 bits */
            if (one >= two || (bits == 32 && !half)) {
                emu_find(EMU_LANES, p.at,
                         emu_text("sparse: the metadata of row %d from column "
                                  "%d on is 0x%x, which selects no valid "
                                  "positions", row,
                                  g * group, v));
                return false;
            }
            for (int i = 0; i < group / 2; i++) {
                const int to = bits == 32  ? (int)one / 2
                               : bits == 4 ? 2 * (int)(i < 2 ? one : two) +
                                                 i % 2
                                           : (int)(i ? two : one);
                all[(size_t)(row * p.k + g * group + to)] =
                    a[(size_t)(row * p.k / 2 + g * group / 2 + i)];
            }
        }
    }
    a = all;
    return true;
}

/* Returns the scale of row (side 0) or column (side 1) n at column k of the
 * product (PTX, "Block scaling for mma.sync"). */
static double factor(const warp &w, const product_call &p, int side, int n,
                     int k) {
    const int lane = side ? 4 * n + (int)p.thread[1]
                          : 4 * (n % 8) + 2 * (int)p.thread[0] + n / 8;
    const unsigned byte = p.byte[side] + (unsigned)(k / (p.k / p.scales));
    const uint32_t word = call_of(w.lanes[(size_t)lane])->scale[side];
    const unsigned v = word >> 8 * byte & 255;
    return p.scales_e4m3 ? emu_value_of("e4m3", v & 127)
           : v == 255    ? NAN
                         : ldexp(1, (int)v - 127);
}

static void scale(const warp &w, const product_call &p, std::vector<double> &a,
                  std::vector<double> &b) {
    for (int k = 0; k < p.k; k++) {
        for (int row = 0; row < p.m; row++) {
            a[(size_t)(row * p.k + k)] *= factor(w, p, 0, row, k);
        }
        for (int col = 0; col < p.n; col++) {
            b[(size_t)(k * p.n + col)] *= factor(w, p, 1, col, k);
        }
    }
}

void emu_multiply(warp &w, uint64_t) {
    product_call &p = *call_of(w.lanes[0]);
    const bool in_bytes = p.in_registers, bit = p.types[1] == "b1";
    const int bits = in_bytes ? 8 : bits_of(p.types[1]);
    const int e = bits < 32 ? 32 / bits : 1;
    const int stored = p.sparse ? p.k / 2 : p.k; /* columns of A */
    const bool packed = p.types[0] == "f16";
    std::vector<double> a((size_t)(p.m * stored)), b((size_t)(p.k * p.n));
    for (int l = 0; l < 32; l++) {
        const product_call &q = *call_of(w.lanes[(size_t)l]);
        const int g = l / 4, t = l % 4;
        for (int i = 0; i < p.m * stored / 32; i++) {
            const int r = i / e, half = p.m == 16 ? r & 1 : 0;
            const int at = p.m == 16 ? r >> 1 : r;
            a[(size_t)((g + 8 * half) * stored + t * e + i % e + 4 * e * at)] =
                element(p.types[1], q.a, i, in_bytes);
        }
        for (int i = 0; i < p.k * p.n / 32; i++) {
            b[(size_t)((t * e + i % e + 4 * e * (i / e)) * p.n + g)] =
                element(p.types[2], q.b, i, in_bytes);
        }
    }
    if (p.sparse && !spread(w, p, bits, a)) {
        return;
    }
    if (p.scales) {
        scale(w, p, a, b);
    }
    for (int l = 0; l < 32; l++) {
        product_call &q = *call_of(w.lanes[(size_t)l]);
        for (int i = 0; i < p.m * p.n / 32; i++) {
            const int row = l / 4 + 8 * (i >> 1), col = 2 * (l % 4) + (i & 1);
            uint64_t &to = q.c[(size_t)(packed ? i / 2 : i)];
            const int up = packed ? 16 * (i % 2) : 0;
            double sum = emu_value_of(p.types[0],
                                  packed ? to >> up & 0xffff : to);
            for (int k = 0; k < p.k; k++) {
                const double x = a[(size_t)(row * p.k + k)];
                const double y = b[(size_t)(k * p.n + col)];
                sum += bit ? (p.is_xor ? x != y : x != 0 && y != 0) : x * y;
            }
            const uint64_t now = emu_pattern_of(p.types[0], sum);
            to = packed ? (to & ~((uint64_t)0xffff << up)) | now << up : now;
        }
    }
}

/* mma.m8n8k4 of f16 (PTX, "Matrix Fragments for mma.m8n8k4 with .f16 floating
 * point type"). Lanes 4 q .. 4 q + 3 and the lanes 16 above them compute a
 * product of their own. Lane x of eight has row x of A, or column x of B. In
 * the other order it has column x % 4 of A for rows 4 (x / 4) .. + 3; likewise
 * for B. */
static void multiply_quad(warp &w, int quad) {
    double a[8][4], b[4][8];
    auto lane_of = [&](int x) {
        return (size_t)(4 * quad + x % 4 + 16 * (x / 4));
    };
    for (int x = 0; x < 8; x++) {
        const product_call &q = *call_of(w.lanes[lane_of(x)]);
        for (int i = 0; i < 4; i++) {
            const double va = element(q.types[1], q.a, i, false);
            const double vb = element(q.types[2], q.b, i, false);
            const int row = i + x / 4 * 4;
            (q.cols_a ? a[row][x % 4] : a[x][i]) = va;
            (q.cols_b ? b[i][x] : b[x % 4][row]) = vb;
        }
    }
    for (int x = 0; x < 8; x++) {
        product_call &q = *call_of(w.lanes[lane_of(x)]);
        const bool packed = q.types[0] == "f16";
        for (int i = 0; i < 8; i++) {
            const int row = packed ? x : (x & 1) + (i & 2) + x / 4 * 4;
            const int col = packed ? i : (i & 4) + (x & 2) + (i & 1);
            uint64_t &to = q.c[(size_t)(packed ? i / 2 : i)];
            const int up = packed ? 16 * (i % 2) : 0;
            double sum = emu_value_of(q.types[0],
                                      packed ? to >> up & 0xffff : to);
            for (int k = 0; k < 4; k++) {
                sum += a[row][k] * b[k][col];
            }
            const uint64_t now = emu_pattern_of(q.types[0], sum);
            to = packed ? (to & ~((uint64_t)0xffff << up)) | now << up : now;
        }
    }
}

void emu_multiply_quads(warp &w, uint64_t) {
    for (int quad = 0; quad < 4; quad++) {
        multiply_quad(w, quad);
    }
}

/* ==== wgmma ============================================================= */

/* An operand in shared memory, from its descriptor: address of element mn,
 * k. */
struct described {
    uint64_t start, lbo, sbo, width, mask;
    int bits;
    bool mn;

    described(uint64_t d, int element_bits, bool mn_major)
        : start((d & 0x3fff) << 4), lbo((d >> 16 & 0x3fff) << 4),
          sbo((d >> 32 & 0x3fff) << 4), width(16), mask(0), bits(element_bits),
          mn(mn_major) {
        const uint64_t mode = d >> 62;
        width = mode == 1 ? 128 : mode == 2 ? 64 : mode == 3 ? 32 : 16;
        mask = width - 16;
    }
    /* Returns whether two elements of a tile overlap. Outside a pattern of 8
     * lines, compares the smallest distance. */
    bool folds(int rows, int depth) const {
        const uint64_t each = 128 / (uint64_t)bits, wide = each * width / 16;
        const bool along = (uint64_t)(mn ? rows : depth) > wide;
        const bool across = (mn ? depth : rows) > 8;
        const bool plain = width == 16;
        const uint64_t a = mn && plain ? sbo : lbo, b = mn && plain ? lbo : sbo;
        return (along && (mn || plain) && a < 8 * width) ||
               (across && b < 8 * width) ||
               (along && across && (mn || plain) && a == b);
    }
    uint64_t at(int row, int k) const {
        const uint64_t r = (uint64_t)row, x = (uint64_t)(k * bits / 8);
        const uint64_t y = (uint64_t)(row * bits / 8), z = (uint64_t)k;
        uint64_t o;
        if (!mn && width == 16) {
            o = x % 16 + r % 8 * 16 + lbo * (x / 16) + sbo * (r / 8);
        } else if (!mn) {
            o = x + r % 8 * width + sbo * (r / 8);
        } else if (width == 16) {
            o = y % 16 + z % 8 * 16 + sbo * (y / 16) + lbo * (z / 8);
        } else {
            o = y % width + z % 8 * width + lbo * (y / width) + sbo * (z / 8);
        }
        o += start;
        return o ^ (o >> 3 & mask);
    }
};

/* The part of an operand being read, for findings. */
struct part_of_operand {
    const described *d;
    const char *name;
    int row, k;
    uint64_t from;      /* start of the first row */
};

static std::string note_of(const void *p) {
    const part_of_operand &x = *(const part_of_operand *)p;
    const uint64_t at = x.d->at(x.row, x.k);
    if (at == x.from) {
        return "";
    }
    return emu_text("; its descriptor puts row %d, column %d of k of %s here, "
                    "%lld bytes after its start: are its distances right, and "
                    "is it %s-major?", x.row, x.k, x.name,
                    (long long)(at - x.from), x.d->mn ? "MN" : "K");
}

/* A tile must be read with the swizzle of its copy. */
static void check_swizzle(const written *by, const described &d,
                          const char *name, site *at) {
    if (by && by->swizzle != d.width) {
        const auto text = [](uint64_t width) {
            return width == 16 ? std::string("no swizzle")
                               : emu_text("a swizzle of %llu bytes",
                                          (unsigned long long)width);
        };
        emu_find(EMU_ALIGN, at,
                 "descriptor: it reads " + std::string(name) + " with " +
                     text(d.width) + ", and the tensor map that loaded it has "
                     + text(by->swizzle),
                 emu_self_->sites[by->at], "the copy");
    }
}

/* Reads rows of an operand from `first` on, with `depth` columns of k, in units
 * of 16 bytes, into [row][k]. */
static bool fetch(warp &w, fiber *engine, const product_call &p,
                  bool is_b, int first, int rows, std::vector<float> &to) {
    const std::string &type = p.types[1 + is_b];
    const bool mn = is_b ? p.mn_b : p.mn_a;
    const int bits = bits_of(type), each = 128 / bits;
    const int depth = p.sparse && !is_b ? p.k / 2 : p.k;
    const described d(is_b ? p.b_at : p.a_at, bits, mn);
    part_of_operand part = {&d, is_b ? "B" : "A", first, 0, d.at(first, 0)};
    emu_self_->note_of = &part;
    emu_self_->note = note_of;
    const std::vector<float> *table = bits <= 16 ? &table_of(type) : nullptr;
    if (d.folds(is_b ? p.n : 64, depth)) {
        emu_find(EMU_ALIGN, p.at,
                 emu_text("descriptor: elements of %s overlap: its distances "
                          "are %llu and %llu bytes, less than its pattern of 8 "
                          "lines of %llu, and it is %s-major",
                          part.name, (unsigned long long)d.lbo,
                          (unsigned long long)d.sbo,
                          (unsigned long long)d.width, mn ? "MN" : "K"));
    }
    for (int i = 0; i < rows; i += mn ? each : 1) {
        for (int k = 0; k < depth; k += mn ? 1 : each) {
            part.row = first + i;
            part.k = k;
            const uint64_t low = d.at(first + i, k);
            const uint64_t at = emu_matching_shared(low, 18);
            emu_async_read(w.lanes[0], engine, at ? at : 1, p.at, "wgmma",
                           w.groups.back());
            if (emu_self_->dead) {
                emu_self_->note = nullptr;
                return false;
            }
            check_swizzle(emu_copied(emu_shadow(at, w.lanes[0]->rank)), d,
                          part.name, p.at);
            for (int x = 0; x < each; x++) {
                uint64_t v = 0;
                memcpy(&v, (const char *)at + x * bits / 8,
                       bits < 8 ? 1 : (size_t)bits / 8);
                v = bits < 8 ? v >> x % 8 & 1 : v;
                const int row = mn ? i + x : i, col = mn ? k : k + x;
                to[(size_t)(row * depth + col)] =
                    table ? (*table)[v] : (float)emu_value_of(type, v);
            }
        }
    }
    emu_self_->note = nullptr;
    return true;
}

/* Reads operand A from a warp's registers. */
static void gather(const warp &w, const product_call &p, int depth,
                   std::vector<float> &a) {
    const int bits = bits_of(p.types[1]), e = 32 / bits;
    for (int l = 0; l < 32; l++) {
        const product_call &q = *call_of(w.lanes[(size_t)l]);
        for (int i = 0; i < 16 * depth / 32; i++) {
            const int r = i / e, col = l % 4 * e + i % e + 4 * e * (r >> 1);
            a[(size_t)((l / 4 + 8 * (r & 1)) * depth + col)] =
                (float)element(p.types[1], q.a, i, false);
        }
    }
}

static bool same_in_all_lanes(const warp &w) {
    const product_call &p = *call_of(w.lanes[0]);
    for (const fiber *f : w.lanes) {
        const product_call &q = *call_of(f);
        if (q.a_at != p.a_at || q.b_at != p.b_at || q.keep != p.keep) {
            return false;
        }
        if (!f->wgmma_fenced) {
            emu_find(EMU_ASYNC, p.at,
                     emu_text("asynchronous: thread %d starts a wgmma that is "
                              "the first, or whose registers were written, "
                              "without a wgmma.fence before", f->tid));
            return true;
        }
    }
    return true;
}

/* Multiplies the 16 rows of one warp. */
void emu_multiply_group(warp &w, uint64_t) {
    product_call &p = *call_of(w.lanes[0]);
    const int first = w.lanes[0]->tid / 32 % 4 * 16;
    const int stored = p.sparse ? p.k / 2 : p.k; /* columns of A */
    std::vector<float> a((size_t)(16 * stored)), b((size_t)(p.n * p.k));
    const bool packed = p.types[0] == "f16";
    fiber *engine = emu_engine(w.lanes[0], true);
    if (!same_in_all_lanes(w)) {
        emu_find(EMU_LANES, p.at, "wgmma: the lanes of a warp give different "
                                  "descriptors");
    }
    if (p.in_registers) {
        gather(w, p, stored, a);
    } else if (!fetch(w, engine, p, false, first, 16, a)) {
        return;
    }
    if (!fetch(w, engine, p, true, 0, p.n, b)) {
        return;
    }
    if (p.sparse && !spread(w, p, bits_of(p.types[1]), a)) {
        return;
    }
    uint64_t &clock = emu_self_->warps[(size_t)engine->warp]
                          .seen[(size_t)engine->warp];
    emu_self_->clock = std::max(emu_self_->clock, ++clock);
    w.products++;
    w.product_at = p.at;
    for (int l = 0; l < 32; l++) {
        product_call &q = *call_of(w.lanes[(size_t)l]);
        for (int i = 0; i < p.n / 2; i++) {
            const int row = l / 4 + 8 * (i >> 1 & 1);
            const int col = 8 * (i >> 2) + 2 * (l % 4) + (i & 1);
            uint64_t &to = q.c[(size_t)(packed ? i / 2 : i)];
            const int up = packed ? 16 * (i % 2) : 0;
            const float *x = &a[(size_t)(row * p.k)];
            const float *y = &b[(size_t)(col * p.k)];
            double sum = 0;
            for (int k = 0; k < p.k; k++) {
                sum += (double)x[k] * y[k];
            }
            sum *= p.sign_a * p.sign_b;
            sum += p.keep ? emu_value_of(p.types[0],
                                     packed ? to >> up & 0xffff : to) : 0;
            const uint64_t now = emu_pattern_of(p.types[0], sum);
            to = packed ? (to & ~((uint64_t)0xffff << up)) | now << up : now;
        }
    }
}

/* ==== Names ============================================================= */

/* Sets m, n and k if that part of a name is a shape. */
bool emu_shape_of(const dotted &name, product_call &c) {
    int *const to[] = {&c.m, &c.n, &c.k};
    const char *s = name.c_str();
    for (int i = 0; i < 3; i++) {
        if (*s++ != "mnk"[i] || *s < '0' || *s > '9') {
            return false;
        }
        for (*to[i] = 0; *s >= '0' && *s <= '9'; s++) {
            *to[i] = 10 * *to[i] + *s - '0';
        }
    }
    return true;
}

/* Returns an error message for a product, or null. */
const char *emu_product(const product_call &c, bool wgmma) {
    const int bits = bits_of(c.types[1]);
    if (!bits || !bits_of(c.types[2]) || !bits_of(c.types[0])) {
        return "types that are not supported";
    }
    if (wgmma) {
        const uint32_t selects = bits <= 8 ? 1 : 2;
        return c.m != 64 || c.n % 8 != 0 || c.n > 256 ||
                       c.k * bits != (c.sparse ? 512 : 256) ||
                       (c.sparse && bits < 8)
                   ? "a shape that is not supported"
               : c.sparse && c.select >= selects
                   ? "a selector that this shape does not have" : nullptr;
    }
    const bool narrow = c.in_registers || bits <= 8;
    const int wide = c.k * (c.in_registers ? 8 : bits); /* bits per row */
    const uint32_t selects = wide == 512 ? narrow ? 1 : 2 : narrow ? 2 : 4;
    const bool is_sparse = (wide == 256 || wide == 512) && c.m == 16 &&
                           bits >= 4 && bits <= 32;
    if (c.sparse && (!is_sparse || c.select >= selects)) {
        return is_sparse ? "a selector that this shape does not have"
                         : "a shape that is not supported";
    }
    const uint32_t n = (uint32_t)c.scales;
    if (n && (c.byte[0] % n || c.byte[1] % n || c.byte[0] > 3 ||
              c.byte[1] > 3 || c.thread[0] > 1 || c.thread[1] > 3)) {
        return "a byte or thread id that the scales do not have";
    }
    return (c.m == 8 || c.m == 16) && c.n == 8
               ? nullptr : "a shape that is not supported";
}
