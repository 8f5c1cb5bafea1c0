/* emu_address.cc - finds and names what lies at an address: variables, dynamic
 * memory, buffers, and the shared memory of each block of a cluster.
 *
 * Sections: variables - shared addresses - names - the memory of a cluster.
 */
#include "emu_mem.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <elf.h>
#include <link.h>

extern "C" {
extern char __start_emu_shared[] __attribute__((weak));
extern char __stop_emu_shared[] __attribute__((weak));
extern char __start_emu_constant[] __attribute__((weak));
extern char __stop_emu_constant[] __attribute__((weak));
extern char __start_emu_device[] __attribute__((weak));
extern char __stop_emu_device[] __attribute__((weak));
/* Dynamic shared memory, named by `extern __shared__` arrays. */
__attribute__((aligned(1024))) char emu_dynamic_[DYNAMIC_LIMIT + 1024];
}

/* ==== Variables ========================================================= */

static int see_segments(struct dl_phdr_info *info, size_t, void *p) {
    emulator *e = (emulator *)p;
    e->slide = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        bool fixed = (h->p_type == PT_LOAD && !(h->p_flags & PF_W)) ||
                     h->p_type == PT_GNU_RELRO;
        if (fixed) {
            uint64_t lo = info->dlpi_addr + h->p_vaddr;
            e->constants.push_back({lo, lo + h->p_memsz});
        }
    }
    return 1;   /* only the first object: the executable */
}

static std::string short_name(const char *mangled) {
    int bad = 0;
    char *d = abi::__cxa_demangle(mangled, nullptr, nullptr, &bad);
    std::string s = bad ? mangled : d;
    free(d);
    size_t at = s.rfind("::");
    return at == std::string::npos ? s : s.substr(at + 2);
}

static std::string read_file(const std::string &path) {
    std::string s;
    FILE *f = fopen(path.c_str(), "rb");
    char part[65536];
    for (size_t n; f && (n = fread(part, 1, sizeof part, f)) > 0;) {
        s.append(part, n);
    }
    if (f) {
        fclose(f);
    }
    return s;
}

/* A variable of the kernel: shared, or __device__, which is global memory. */
static void see_object(emulator *e, const Elf64_Sym &y, const char *name) {
    uint64_t at = y.st_value + e->slide;
    if (ELF64_ST_TYPE(y.st_info) != STT_OBJECT || !y.st_size) {
        return;
    }
    if (at >= e->shared_lo && at < e->shared_hi) {
        e->objects.push_back({at, at + y.st_size, short_name(name), 0});
    } else if (at >= (uint64_t)__start_emu_device &&
               at < (uint64_t)__stop_emu_device) {
        emu_global_add((void *)at, y.st_size);
    }
}

/* Reads the shared variables from the symbol table. emucc leaves a gap after
 * each, 256 KiB or less if there are hundreds, so an access past the end of
 * one, by an instruction or through a pointer, does not reach another. */
static void see_objects(emulator *e) {
    std::string s = read_file(e->exe);
    if (s.size() < sizeof(Elf64_Ehdr)) {
        return;
    }
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)s.data();
    const Elf64_Shdr *sec = (const Elf64_Shdr *)(s.data() + h->e_shoff);
    for (int i = 0; i < h->e_shnum; i++) {
        if (sec[i].sh_type != SHT_SYMTAB) {
            continue;
        }
        const Elf64_Sym *y = (const Elf64_Sym *)(s.data() + sec[i].sh_offset);
        const char *names = s.data() + sec[sec[i].sh_link].sh_offset;
        for (size_t k = 0; k < sec[i].sh_size / sizeof *y; k++) {
            see_object(e, y[k], names + y[k].st_name);
        }
    }
    std::sort(e->objects.begin(), e->objects.end(),
              [](const object &a, const object &b) {
                  return a.start < b.start;
              });
    for (object &o : e->objects) { /* keeps 16 bytes together */
        o.shadow = e->dyn_shadow + o.start % 16;
        e->dyn_shadow = (o.shadow + o.end - o.start + 15) & ~(uint64_t)15;
    }
}

void emu_memory_init(void) {
    emulator *e = emu_self_;
    /* Rounds down to 1024, so that an aligned array has an aligned offset. */
    e->shared_lo = (uint64_t)__start_emu_shared & ~(uint64_t)1023;
    e->shared_hi = (uint64_t)__stop_emu_shared;
    if ((STATIC_OFFSET + e->shared_hi - e->shared_lo) >> FAR_SHIFT) {
        fprintf(stderr, "emu: the static variables exceed the %d MiB of shared "
                        "addresses\n", 1 << (FAR_SHIFT - 20));
        exit(2);
    }
    e->dyn = emu_dynamic_;
    dl_iterate_phdr(see_segments, e);
    if (__start_emu_constant) {
        e->constants.push_back({(uint64_t)__start_emu_constant,
                                (uint64_t)__stop_emu_constant});
    }
    see_objects(e);
}

/* ==== Shared addresses ================================================== */

/* Returns the address of a shared offset, or 0 if there is none. */
uint64_t emu_shared_addr(uint64_t offset) {
    const emulator *e = emu_self_;
    const uint64_t d = offset - DYNAMIC_OFFSET, s = offset - STATIC_OFFSET;
    if (d < DYNAMIC_LIMIT + 1024) {
        return (uint64_t)e->dyn + d;
    }
    return s < e->shared_hi - e->shared_lo ? e->shared_lo + s : 0;
}

extern "C" size_t emu_shared_offset(const void *p) {
    emulator *e = emu_get();
    int64_t o = shared_offset(e, (uint64_t)p);
    const object *found = object_at(e, (uint64_t)p);
    if (found) {
        e->objects[(size_t)(found - e->objects.data())].launch = e->launches;
    }
    /* Not shared: an offset that every access refuses. */
    return o < 0 ? 0xfffffff0u : (size_t)o;
}

uint64_t emu_shadow(uint64_t addr, int owner) {
    return shadow_of(emu_self_, addr) +
           (uint64_t)owner * emu_self_->shadow_bytes;
}

/* Returns the shared address with these low bits, since a descriptor has no
 * more. Returns 0 if there is none. The order of search:
 *  - dynamic memory
 *  - variables with an address taken in this launch, as other kernels'
 *    variables can have the same bits
 *  - beyond the end of dynamic memory
 *  - other variables */
uint64_t emu_matching_shared(uint64_t low, int bits) {
    const emulator *e = emu_self_;
    const uint64_t size = (uint64_t)1 << bits;
    uint64_t d = (low - DYNAMIC_OFFSET) & (size - 1);
    if (d < e->dyn_size) {
        return (uint64_t)e->dyn + d;
    }
    uint64_t other = 0;
    for (const object &o : e->objects) {
        d = (low - (o.start - e->shared_lo)) & (size - 1);
        if (d < o.end - o.start && o.launch == e->launches) {
            return o.start + d;
        }
        other = d < o.end - o.start && !other ? o.start + d : other;
    }
    d = (low - DYNAMIC_OFFSET) & (size - 1);
    return e->dyn_size && d < DYNAMIC_LIMIT ? (uint64_t)e->dyn + d : other;
}

/* Returns whether this launch took the address of a variable with a tile. */
bool emu_has_static_tile(void) {
    const emulator *e = emu_self_;
    for (const object &o : e->objects) {
        if (o.launch == e->launches && o.end - o.start >= 256) {
            return true;
        }
    }
    return false;
}

/* ==== Names ============================================================= */

/* Names an address in shared memory. In a gap, the nearer variable counts. */
std::string emu_place_name(const emulator *e, uint64_t addr) {
    const object *best = nullptr;
    uint64_t least = ~(uint64_t)0;
    if (in_dynamic(e, addr)) {
        return emu_text("dynamic shared byte %llu",
                        (unsigned long long)(addr - (uint64_t)e->dyn));
    }
    for (const object &o : e->objects) {
        uint64_t away = addr < o.start ? o.start - addr
                        : addr >= o.end ? addr - o.end : 0;
        if (away < least) {
            best = &o;
            least = away;
        }
    }
    return best ? emu_text("byte %lld of shared `%s`",
                           (long long)(addr - best->start),
                           best->name.c_str())
                : "shared memory, but the kernel has none";
}

std::string emu_place(uint64_t addr) { return emu_place_name(emu_self_, addr); }

/* Names a byte of shadow memory, in any block of a cluster. */
std::string emu_shared_name(uint64_t shadow) {
    const emulator *e = emu_self_;
    shadow %= e->shadow_bytes;
    if (shadow >= e->dyn_shadow) {
        return emu_place_name(e, (uint64_t)e->dyn + shadow - e->dyn_shadow);
    }
    auto it = std::upper_bound(e->objects.begin(), e->objects.end(), shadow,
                               [](uint64_t a, const object &o) {
                                   return a < o.shadow;
                               });
    --it;
    return emu_place_name(e, it->start + shadow - it->shadow);
}

std::string emu_shared_problem(const emulator *e, uint64_t addr, int size) {
    if (in_dynamic(e, addr)) {
        uint64_t d = addr - (uint64_t)e->dyn;
        return d + (uint64_t)size <= e->dyn_size ? ""
            : emu_text("byte %llu of %zu bytes of dynamic shared memory",
                       (unsigned long long)d, e->dyn_size);
    }
    const object *o = object_at(e, addr);
    if (o && addr + (uint64_t)size <= o->end) {
        return "";
    }
    return emu_place_name(e, addr) +
           (o ? " and bytes past its end" : ", which is outside the variable");
}

std::string emu_global_problem(emulator *e, uint64_t addr, int size) {
    buffer *b = buffer_near(e, addr);
    if (!b) {
        auto it = e->buffers.upper_bound(addr);
        if (it != e->buffers.end() && it->first - addr < GUARD_BYTES) {
            return emu_text("byte -%llu of a global buffer of %zu bytes",
                            (unsigned long long)(it->first - addr),
                            it->second.size);
        }
        return emu_text("address 0x%llx, which is not device memory",
                        (unsigned long long)addr);
    }
    uint64_t off = addr - (uint64_t)b->start;
    return off + (uint64_t)size <= b->size ? ""
        : emu_text("byte %llu of a global buffer of %zu bytes",
                   (unsigned long long)off, b->size);
}

/* ==== The memory of a cluster =========================================== */

/* The images of the variable or dynamic memory at a shared address, from its
 * first access on: until then it is the same in all blocks. */
image *emu_image_at(emulator *e, uint64_t addr, uint64_t *start) {
    const object *o = object_at(e, addr);
    const bool dynamic = in_dynamic(e, addr);
    if (!dynamic && !o) {
        return nullptr;
    }
    *start = dynamic ? (uint64_t)e->dyn : o->start;
    image &m = e->images[*start];
    if (m.of.empty()) {
        const char *now = (const char *)*start;
        m.size = dynamic ? e->dyn_size : o->end - o->start;
        m.of.assign((size_t)e->ranks, std::vector<char>(now, now + m.size));
    }
    return &m;
}

void emu_enter_block(int rank) {
    emulator *e = emu_self_;
    for (auto &i : e->images) {
        image &m = i.second;
        if (rank != e->in_place) {
            memcpy(m.of[(size_t)e->in_place].data(), (void *)i.first, m.size);
            memcpy((void *)i.first, m.of[(size_t)rank].data(), m.size);
        }
    }
    e->in_place = rank;
}

/* Returns the place of block `owner`'s bytes at an address. Call it after an
 * access. */
const char *emu_far_bytes(uint64_t addr, int owner) {
    emulator *e = emu_self_;
    uint64_t start = 0;
    const image *m = emu_image_at(e, addr, &start);
    return owner == e->in_place || !m
               ? (const char *)addr
               : m->of[(size_t)owner].data() + (addr - start);
}

bool emu_has_ended(const emulator *e, int rank) {
    bool ended = true;
    for (const fiber *f : e->fibers) {
        ended = ended && (f->rank != rank || f->wait == DONE);
    }
    return ended;
}
