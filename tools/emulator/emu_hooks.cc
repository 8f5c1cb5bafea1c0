/* emu_hooks.cc - the functions that the compiler calls: __tsan_ before a load
 * or store, and at the start and end of a function; __ubsan_ for a pointer or
 * index that may be wrong.
 *
 * Sections: accesses - indices and alignment - hooks.
 */
#include "emu_mem.h"

#include <cstring>

extern "C" {
extern char __start_emu_indices[], __stop_emu_indices[];
}

/* ==== Accesses ========================================================== */

static void check_steps(fiber *f, site *at) {
    if (++f->steps > emu_self_->limit) {
        emu_find(EMU_DEADLOCK, at,
                 emu_text("endless: thread %d made %llu accesses without "
                          "reaching a barrier%s", f->tid,
                          (unsigned long long)emu_self_->limit,
                          at->space == SPACE_GLOBAL && emu_blocks_left()
                              ? "; if it waits for a block that has not begun "
                                "(a grid barrier), no verdict is possible: "
                                "blocks run one after another here" : ""));
        emu_abandon();
    }
}

static void seen_access(uint64_t addr, int size, int write, uint64_t pc) {
    emulator *e = emu_self_;
    fiber *f = e->cur;
    static const char *const names[] = {"", "shared", "global", "const"};
    int space = space_of(e, addr);
    site *s = emu_site_at(f, pc, 0, nullptr, space, size, write);
    if (s->kind.empty()) {
        s->kind = emu_text("%s.%s.b%d", write ? "st" : "ld", names[space],
                           8 * size);
    }
    check_steps(f, s);
    emu_access(f, addr, size, write, s);
}

/* Stack, parameters and threadIdx are registers on a GPU, not memory. */
static bool is_private(emulator *e, uint64_t addr, int write) {
    bool index = addr >= (uint64_t)__start_emu_indices &&
                 addr < (uint64_t)__stop_emu_indices;
    return in_stack(e->cur, addr) || (!write && (index || in_params(e, addr)));
}

/* A volatile access may signal other threads. */
static void hook(void *p, int size, int write, uint64_t pc);
static void strong_hook(void *p, int size, int write, uint64_t pc) {
    fiber *f = emu_self_ ? emu_self_->cur : nullptr;
    if (f && !is_private(emu_self_, (uint64_t)p, write)) {
        emu_strong(f, (uint64_t)p, write);
    }
    hook(p, size, write, pc);
    if (f) {
        f->strong = false;
    }
}

static void hook(void *p, int size, int write, uint64_t pc) {
    emulator *e = emu_self_;
    if (!e || !e->cur) {
        return;
    }
    const beyond left = e->cur->left;
    e->cur->left.data = nullptr;
    emu_settle(e->cur);
    if (!is_private(e, (uint64_t)p, write)) {
        seen_access((uint64_t)p, size, write, pc);
    } else if (e->cur->watched) {
        emu_touch_registers(e->cur, (uint64_t)p, size, write, pc);
    }
    if (left.data) {
        e->cur->left = left;
        emu_tell_beyond(e->cur);
        emu_abandon();
    }
}

/* An atomic operation follows. Other threads run first, since this thread may
 * be waiting for them. */
static void see_atomic(emulator *e, void *p, size_t size, uint64_t pc) {
    emu_yield();
    uint64_t addr = (uint64_t)p;
    int space = space_of(e, addr);
    site *s = emu_site_at(e->cur, pc, 0, nullptr, space, (int)size, 1);
    if (s->kind.empty()) {
        s->kind = emu_text("atom.%s.b%zu",
                           space == SPACE_SHARED ? "shared" : "global",
                           8 * size);
    }
    check_steps(e->cur, s);
    emu_access(e->cur, addr, (int)size, 1, s, -1, true);
    e->cur->compares = false;
}

extern "C" void emu_atomic(void *p, void *old, size_t size) {
    emulator *e = emu_self_;
    if (e && e->cur && !in_stack(e->cur, (uint64_t)p)) {
        see_atomic(e, p, size, EMU_PC);
    } else if (e && e->cur) {
        e->cur->compares = false;
    }
    memcpy(old, p, size);
}

extern "C" void emu_compares(void) {
    if (emu_self_ && emu_self_->cur) {
        emu_self_->cur->compares = true;
    }
}

extern "C" void emu_poke(void *p, const void *now, size_t size) {
    memcpy(p, now, size);
}

/* A copy of any size, as the widest aligned pieces, as a compiler splits it. */
static void hook_range(const void *p, size_t size, int write, uint64_t pc) {
    emulator *e = emu_self_;
    uint64_t a = (uint64_t)p;
    if (!e || !e->cur) {
        return;
    }
    emu_settle(e->cur);
    if (e->cur->watched && in_stack(e->cur, a)) {
        emu_touch_registers(e->cur, a, (int)size, write, pc);
    }
    while (size && !is_private(e, a, write)) {
        int n = 16;
        while (a % (uint64_t)n || (size_t)n > size) {
            n /= 2;
        }
        seen_access(a, n, write, pc);
        a += (uint64_t)n;
        size -= (size_t)n;
    }
}

/* ==== Indices and alignment ============================================= */

/* What the compiler's checks pass: a source place, which the emulator knows by
 * the address, and the type, with its name in quotes. */
struct check_type {
    uint16_t kind, info;
    char name[1];
};
struct check_data {
    const char *file;
    uint32_t line, column;
    const check_type *type;
    unsigned char log_align;
};

/* Reports an index of a local array that was too large, if no access to shared
 * or global memory was wrong since. */
void emu_tell_beyond(fiber *f) {
    const beyond b = f->left;
    f->left.data = nullptr;
    if (b.data) {
        emu_find(EMU_BOUNDS, emu_site_at(f, b.pc, 0, "index", 0, 0, 0),
                 emu_text("out of bounds: thread %d uses element %lld of %s",
                          f->tid, (long long)b.index, b.data->type->name));
        emu_self_->dead = true;
    }
}

/* A pointer whose type needs another alignment, such as a vector in an array of
 * numbers. */
static void found_askew(const check_data &d, uint64_t addr, uint64_t pc) {
    emulator *e = emu_self_;
    const bool whole = strstr(d.type->name, "struct ") ||
                       strstr(d.type->name, "union ") || d.log_align > 3;
    if (!e || !e->cur || addr % (1ull << d.log_align) == 0 || !whole) {
        return; /* the access to a single number is checked itself */
    }
    const bool shared = shared_offset(e, addr) >= 0;
    const std::string where =
        in_stack(e->cur, addr) ? "the address of a variable of its own"
        : shared ? emu_place_name(e, addr)
                 : emu_text("address 0x%llx", (unsigned long long)addr);
    emu_find(EMU_ALIGN, emu_site_at(e->cur, pc, 0, "use", 0, 0, 0),
             emu_text("misaligned: thread %d needs an address that is a "
                      "multiple of %llu for %s, not %s", e->cur->tid,
                      1ull << d.log_align, d.type->name, where.c_str()) +
                 (shared ? emu_text(": see __align__(%llu)",
                                    1ull << d.log_align) : ""));
    emu_abandon();
}

/* An index out of an array with a size known to the compiler. If the array is
 * in shared or global memory, the access that follows reports more. */
static void found_beyond(const check_data &d, uint64_t index, uint64_t pc) {
    fiber *f = emu_self_ ? emu_self_->cur : nullptr;
    if (!f) {
        return;
    }
    if (f->left.data) {
        emu_tell_beyond(f);
        emu_abandon();
    }
    f->left = {&d, index, pc};
}

/* ==== Hooks ============================================================= */

extern "C" {

void __ubsan_handle_type_mismatch_v1(const check_data *d, uint64_t address) {
    found_askew(*d, address, EMU_PC);
}
void __ubsan_handle_out_of_bounds(const check_data *d, uint64_t index) {
    found_beyond(*d, index, EMU_PC);
}

#define EMU_HOOKS(n)                                                         \
    void __tsan_read##n(void *p) { hook(p, n, 0, EMU_PC); }                  \
    void __tsan_write##n(void *p) { hook(p, n, 1, EMU_PC); }                 \
    void __tsan_volatile_read##n(void *p) { strong_hook(p, n, 0, EMU_PC); }  \
    void __tsan_volatile_write##n(void *p) { strong_hook(p, n, 1, EMU_PC); } \
    void __tsan_unaligned_read##n(void *p) { hook_range(p, n, 0, EMU_PC); }  \
    void __tsan_unaligned_write##n(void *p) { hook_range(p, n, 1, EMU_PC); }

EMU_HOOKS(1)
EMU_HOOKS(2)
EMU_HOOKS(4)
EMU_HOOKS(8)
EMU_HOOKS(16)

void __tsan_read_range(void *p, size_t n) { hook_range(p, n, 0, EMU_PC); }
void __tsan_write_range(void *p, size_t n) { hook_range(p, n, 1, EMU_PC); }
/* clang calls these from 15 on. */
void *__tsan_memset(void *p, int value, size_t n) {
    hook_range(p, n, 1, EMU_PC);
    return memset(p, value, n);
}
void *__tsan_memcpy(void *to, const void *from, size_t n) {
    hook_range(from, n, 0, EMU_PC);
    hook_range(to, n, 1, EMU_PC);
    return memcpy(to, from, n);
}
void *__tsan_memmove(void *to, const void *from, size_t n) {
    hook_range(from, n, 0, EMU_PC);
    hook_range(to, n, 1, EMU_PC);
    return memmove(to, from, n);
}
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}
void __tsan_init(void) {}

/* emu.h turns the calls of a kernel file into these. */
void *emu_memcpy(void *to, const void *from, size_t n) {
    hook_range(from, n, 0, EMU_PC);
    hook_range(to, n, 1, EMU_PC);
    return memcpy(to, from, n);
}
void *emu_memmove(void *to, const void *from, size_t n) {
    hook_range(from, n, 0, EMU_PC);
    hook_range(to, n, 1, EMU_PC);
    return memmove(to, from, n);
}
void *emu_memset(void *to, int c, size_t n) {
    hook_range(to, n, 1, EMU_PC);
    return memset(to, c, n);
}

/* The call chain distinguishes the callers of a helper function. */
void __tsan_func_entry(void *pc) {
    fiber *f = emu_self_ ? emu_self_->cur : nullptr;
    if (!f) {
        return;
    }
    if ((char *)__builtin_frame_address(0) < f->stack + 32768) {
        emu_find_overflow(f, EMU_PC);
        emu_abandon();
    }
    if (f->depth < MAX_DEPTH) {
        f->frames[f->depth] = (uint64_t)pc;
        f->hashes[f->depth] = f->hash;
        f->hash = (f->hash ^ (uint64_t)pc) * 0x9e3779b97f4a7c15u;
    }
    f->depth++;
}
void __tsan_func_exit(void) {
    fiber *f = emu_self_ ? emu_self_->cur : nullptr;
    if (f && f->depth > 0 && --f->depth < MAX_DEPTH) {
        f->hash = f->hashes[f->depth];
    }
}

/* Atomics of host code in a kernel file, and of guards: performed, not
 * checked. */
#define EMU_RMW_(n, T, name)                                                 \
    T __tsan_atomic##n##_##name(volatile T *p, T v, int) {                   \
        return __atomic_##name(p, v, __ATOMIC_SEQ_CST);                      \
    }
#define EMU_CAS_(n, T, name)                                                 \
    int __tsan_atomic##n##_##name(volatile T *p, T *c, T v, int, int) {      \
        return __atomic_compare_exchange_n(p, c, v, 0, __ATOMIC_SEQ_CST,     \
                                           __ATOMIC_SEQ_CST);                \
    }
#define EMU_ATOMICS(n, T)                                                    \
    T __tsan_atomic##n##_load(const volatile T *p, int) {                    \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                         \
    }                                                                        \
    void __tsan_atomic##n##_store(volatile T *p, T v, int) {                 \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                            \
    }                                                                        \
    T __tsan_atomic##n##_exchange(volatile T *p, T v, int) {                 \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                  \
    }                                                                        \
    EMU_RMW_(n, T, fetch_add)                                                \
    EMU_RMW_(n, T, fetch_sub)                                                \
    EMU_RMW_(n, T, fetch_and)                                                \
    EMU_RMW_(n, T, fetch_or)                                                 \
    EMU_RMW_(n, T, fetch_xor)                                                \
    EMU_CAS_(n, T, compare_exchange_strong)                                  \
    EMU_CAS_(n, T, compare_exchange_weak)

EMU_ATOMICS(8, uint8_t)
EMU_ATOMICS(16, uint16_t)
EMU_ATOMICS(32, uint32_t)
EMU_ATOMICS(64, uint64_t)
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}

}
