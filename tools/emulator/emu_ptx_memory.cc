/* emu_ptx_memory.cc - PTX instructions that access memory: loads and stores,
 * asynchronous copies, barriers in shared memory (mbarrier), and fences.
 *
 * Sections: loads and stores - asynchronous copies - barriers and fences.
 */
#include "emu_ptx.h"

#include <algorithm>
#include <cstring>

/* ==== Loads and stores ================================================== */

shape emu_access_shape(const stmt &s) {
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

site *emu_memory_site(context &c, const shape &h, int write) {
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
void emu_do_mapa(context &c, const stmt &s) {
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
    emu_access(c.f, at ? at : 1, h.n * h.bits / 8, 0, emu_memory_site(c, h, 0),
               owner);
    for (int i = 0; i < h.n; i++) {
        uint64_t v = 0;
        check_width(c, d[(size_t)i], h.bits);
        memcpy(&v, emu_far_bytes(at, owner) + i * h.bits / 8,
               (size_t)h.bits / 8);
        set(c, d[(size_t)i], v);
    }
}

/* Loads and stores that may signal other threads. */
static void order_by(const context &c, const stmt &s, uint64_t at, int write) {
    if (s.has("volatile") || s.has("relaxed")) {
        emu_strong(c.f, at, write);
    }
}

void emu_do_ld(context &c, const stmt &s) {
    need_args(s, 2, 2);
    shape h = emu_access_shape(s);
    if (h.far) {
        load_far(c, s, h);
        return;
    }
    const operands d = parts(s.args[0], h.n);
    uint64_t at = address(c, s.args[1], h.shared);
    order_by(c, s, at, 0);
    emu_access(c.f, at, h.n * h.bits / 8, 0, emu_memory_site(c, h, 0));
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

void emu_do_st(context &c, const stmt &s) {
    if (s.has("async")) {
        store_async(c, s);
        return;
    }
    need_args(s, 2, 2);
    shape h = emu_access_shape(s);
    if (h.far) {
        throw fault("stores to other blocks are not supported");
    }
    const operands d = parts(s.args[1], h.n);
    uint64_t at = address(c, s.args[0], h.shared);
    for (const opnd &o : d) {
        check_width(c, o, h.bits);
    }
    order_by(c, s, at, 1);
    emu_access(c.f, at, h.n * h.bits / 8, 1, emu_memory_site(c, h, 1));
    c.f->strong = false;
    for (int i = 0; i < h.n; i++) {
        uint64_t v = get(c, d[(size_t)i]);
        memcpy((char *)at + i * h.bits / 8, &v, (size_t)h.bits / 8);
    }
    emu_settle(c.f);
}

/* ==== Asynchronous copies =============================================== */

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
    ld->by_8 = cg;
    if (take == (uint64_t)size) {
        emu_access(c.f, from, size, 0, ld);
    } else if (take) { /* the rest is zeros and may lie outside the buffer */
        if (from % (uint64_t)size) {
            throw fault(emu_text("a source that is not a multiple of %d",
                                 size));
        }
        emu_settle(c.f);
        emu_self_->event++;
        emu_global_check(c.f, from, take, 0, ld);
        emu_count(ld, c.f, true, from);
    }
    memcpy(data, (void *)from, take);
    emu_copy_begin(c.f, to, data, size, st);
}

/* A place in shared memory, in any block of the cluster. */
mbarrier_place emu_place_of(const context &c, const opnd &o) {
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
    const mbarrier_place to = emu_place_of(c, s.args[0]);
    if (emu_shared_offset((const void *)to.addr) % (uint64_t)(n * bits / 8)) {
        throw fault("an address that is not a multiple of the access");
    }
    emu_store_async(c.f, to, data, n * bits / 8, emu_place_of(c, s.args[2]),
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
    b.shared = emu_place_of(c, s.args.at(load ? 0 : 1));
    if (load) {
        const size_t k = tensor ? 2 : 3;
        need_args(s, k + 1 + b.is_multicast, k + 1 + b.is_multicast);
        b.bar = emu_place_of(c, s.args[k]);
        b.blocks = b.is_multicast ? (unsigned)get(c, s.args[k + 1]) : 0;
        bad = emu_bulk_load(c.f, b, count(c, "cp.async.bulk.load"));
    } else {
        bad = emu_bulk_store(c.f, b, count(c, "cp.async.bulk.store"));
    }
    if (bad) {
        throw fault(bad);
    }
}

/* ==== Barriers and fences =============================================== */

void emu_do_mbarrier(context &c, const stmt &s) {
    check_mods(s, {"init", "inval", "expect_tx", "arrive", "try_wait",
                   "test_wait", "parity", "shared", "shared::cta",
                   "shared::cluster", "release", "acquire", "cluster",
                   "noComplete"});
    const dotted &what = s.mods.at(1);
    const bool arrives = what == "arrive", waits = s.has("parity");
    const opnd &o = s.args.at(arrives || waits ? 1 : 0);
    const mbarrier_place p = emu_place_of(c, o);
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

/* Proxy fences, and fences that order the other blocks or the own one. */
void emu_do_fence(context &c, const stmt &s) {
    if ((s.has("proxy") && s.has("async")) || s.has("mbarrier_init")) {
        emu_settle(c.f);
        emu_proxy_fence(c.f);
    } else if (s.has("cta")) {
        emu_fence_block();
    } else {
        emu_fence();
    }
}

void emu_do_cp(context &c, const stmt &s) {
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
        emu_copy_arrive(c.f, emu_place_of(c, s.args.at(0)),
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
