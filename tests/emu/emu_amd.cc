/* emu_amd.cc - the instructions of ll_amd.h, from the ISA references of CDNA1
 * to CDNA4, RDNA3 and RDNA4.
 *
 * An exchange waits until all live lanes are at the same place. Lanes that take
 * another way are not active (emu.cc, release_active); what is read of them is
 * 0, or an error where the hardware would give what a register happens to hold.
 *
 * Sections: exchanges - transposing loads - memory - the built-ins.
 */
#include "emu_int.h"

#include <cstring>

/* ==== Exchanges ========================================================= */

enum {
    FROM_DPP, FROM_DPP8, FROM_ROW, FROM_OTHER_ROW, FROM_HALF, FROM_SWIZZLE,
    FROM_ADDRESS, FROM_LANE, FROM_FIRST
};

/* Row r, place p: lane 16 r + p. -1: there is no such lane. */
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

/* gfx10 and gfx11 serve the halves of 64 lanes one by one. */
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

/* The a of lanes with the bit c.b, the b of lanes without. */
static void swap_words(warp &w, uint64_t active) {
    unsigned bit = w.lanes[(size_t)__builtin_ctzll(active)]->c.b;
    uint32_t out[2][MAX_LANES] = {};
    for (fiber *f : w.lanes) {
        size_t other = (size_t)f->lane ^ bit;
        if ((active >> f->lane & 1) && !(active >> other & 1)) {
            emu_find(EMU_LANES, f->c.at,
                     emu_text("%s: lane %d of warp %d changes places with a "
                              "lane that is not active",
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

/* Each lane loads 8 bytes; of its 16 lanes with 64/n elements of c.n bits, lane
 * l receives element l % n of the lanes that begin at l / n, n/16 apart. */
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
    return host ? host : 1;   /* 1: no memory, refused by emu_access */
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

/* One word of another lane; b says which, in the manner of the mode. */
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

extern "C" {

void emu_set_gfx(unsigned gfx) {
    emu_get()->t.gfx = gfx;
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

/* Nothing behind the end; across it is a fault of the kernel. */
void emu_amd_buffer(ll_amd_buffer b, uint32_t offset, int bytes, int write,
                    void *data) {
    uint64_t end = (uint64_t)offset + (uint64_t)bytes;
    if (offset < b.bytes && end > b.bytes) {
        emu_find(EMU_BOUNDS, memory_site(EMU_PC, 1, bytes, write),
                 emu_text("out of bounds: an access of %d bytes at byte %u of "
                          "a buffer of %u bytes lies across its end", bytes,
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
                 emu_text("buffer: stride %d and flags 0x%x are not those of "
                          "a plain buffer", stride, (unsigned)flags));
    }
    return ll_amd_buffer{(uint64_t)p, (uint32_t)bytes};
}

void emu_amd_global_load_lds(uint64_t from, uint64_t to, int bytes, int offset,
                             int) {
    unsigned char data[16] = {};
    fiber *f = emu_self_->cur;
    uint64_t at = to + (uint64_t)(bytes * f->lane + offset);
    /* 12 bytes are three words: an access of the emulator has a power of 2 */
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

/* Bytes 0 to 3 are of b and 4 to 7 of a; signs of 16 bits; 0; 0xff. */
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
