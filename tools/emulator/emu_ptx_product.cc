/* emu_ptx_product.cc - PTX instructions of the tensor cores: mma, wgmma and
 * tcgen05. It parses them; emu_tensor.cc and emu_tmem.cc compute the products.
 *
 * Sections: mma - wgmma - tcgen05.
 */
#include "emu_ptx.h"

#include <algorithm>
#include <cstring>

/* ==== mma =============================================================== */

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
void emu_do_mma(context &c, const stmt &s) {
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

/* ==== wgmma ============================================================= */

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
void emu_do_wgmma(context &c, const stmt &s) {
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

/* ==== tcgen05 =========================================================== */

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
        call.to = emu_place_of(c, s.args[0]);
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
void emu_do_tcgen05(context &c, const stmt &s) {
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
                              emu_place_of(c, s.args[0]), many,
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
