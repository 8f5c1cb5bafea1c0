/* emu_report.cc - sites, their source lines, errors, statistics, settings. */
#include "emu_int.h"

#include <algorithm>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <unistd.h>

std::string emu_text(const char *format, ...) {
    char s[1024];
    va_list a;
    va_start(a, format);
    vsnprintf(s, sizeof s, format, a);
    va_end(a);
    return s;
}

static void tell_at_exit(int status, void *);

void emu_report_init(void) {
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    emu_self_->exe.assign(path, n > 0 ? (size_t)n : 0);
    on_exit(tell_at_exit, nullptr);
}

/* ==== Sites ============================================================= */

static uint64_t mix(uint64_t h, uint64_t x) {
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* Returns the site of an instruction: its address, its call chain, and the kind
 * of access. stmt numbers the statements of one PTX text. */
site *emu_site_at(fiber *f, uint64_t pc, int stmt, const char *kind,
                  int space, int size, int write) {
    emulator *e = emu_self_;
    uint64_t key = mix(mix(f->hash, pc), (uint64_t)(stmt * 4096 + space * 1024
                                                    + size * 2 + write));
    site *&s = e->site_of[key];
    if (!s) {
        s = new site;
        s->frames.push_back(pc);
        for (int d = std::min(f->depth, (int)MAX_DEPTH) - 1; d >= 0; d--) {
            s->frames.push_back(f->frames[d]);
        }
        s->kind = kind ? kind : "";
        s->space = space;
        s->size = size;
        s->write = write;
        s->merges = !write;
        s->number = (unsigned)e->sites.size();
        e->sites.push_back(s);
    }
    return s;
}

/* ==== Source lines ====================================================== */

/* Files that implement a layer: a finding names their caller instead. */
static bool is_layer(const std::string &file) {
    size_t slash = file.rfind('/');
    std::string b = slash == std::string::npos ? file : file.substr(slash + 1);
    return b == "ll.h" || b == "ll_ptx.h" || b == "ll_amd.h" ||
           b == "ll_reshard.h" || b == "??" ||
           b == "emu.h" || b == "emu.cc" || b == "tuple" || b == "invoke.h" ||
           b == "cuda_runtime.h" || b == "vector_types.h" || b == "" ||
           file.find("/emulator/include/") != std::string::npos;
}

/* The header that makes moves. */
static bool is_moves(const std::string &file) {
    return file == "ll.h" || (file.size() > 5 &&
                              !file.compare(file.size() - 5, 5, "/ll.h"));
}

typedef std::vector<std::pair<std::string, int>> places;

/* Parses "dir/file.cu:12 (discriminator 3)". The barrier of a scope is a
 * function at the line of its LL_SCOPE, so its caller is the place. */
static std::pair<std::string, int> parse_place(const std::string &function,
                                               const std::string &s) {
    size_t colon = s.rfind(':', s.find(" ("));
    if (colon == std::string::npos ||
        function.find("ll_sync_") != std::string::npos) {
        return {"??", 0};
    }
    return {s.substr(0, colon), atoi(s.c_str() + colon + 1)};
}

/* Runs addr2line once for up to 200 addresses; it lists inlined callers after
 * each. */
static std::map<uint64_t, places> look_up(const std::vector<uint64_t> &pcs) {
    std::map<uint64_t, places> r;
    for (size_t i = 0; i < pcs.size(); i += 200) {
        std::string cmd = "addr2line -a -f -i -e '" + emu_self_->exe + "'";
        for (size_t k = i; k < std::min(i + 200, pcs.size()); k++) {
            cmd += emu_text(" 0x%llx", (unsigned long long)pcs[k]);
        }
        FILE *p = popen((cmd + " 2>/dev/null").c_str(), "r");
        static char line[65536];
        std::string function;
        uint64_t at = 0;
        while (p && fgets(line, sizeof line, p)) {
            line[strcspn(line, "\n")] = 0;
            if (!strncmp(line, "0x", 2)) {
                at = strtoull(line, nullptr, 16);
            } else if (function.empty()) {
                function = line;
            } else {
                r[at].push_back(parse_place(function, line));
                function.clear();
            }
        }
        if (p) {
            pclose(p);
        }
    }
    return r;
}

/* A return address is after its call, hence the - 1. */
static uint64_t code_of(uint64_t pc) { return pc - 1 - emu_self_->slide; }

static void place_site(site *s, const std::map<uint64_t, places> &all) {
    s->file = "?";
    s->line = 0;
    for (uint64_t pc : s->frames) {
        auto it = all.find(code_of(pc));
        if (it == all.end()) {
            continue;
        }
        for (const auto &p : it->second) {
            if (!is_layer(p.first)) {
                s->file = p.first;
                s->line = p.second;
                return;
            }
            s->in_layer = s->in_layer || is_moves(p.first);
        }
    }
}

void emu_place(void) {
    std::vector<uint64_t> pcs;
    for (site *s : emu_self_->sites) {
        for (uint64_t pc : s->frames) {
            if (s->line < 0) {
                pcs.push_back(code_of(pc));
            }
        }
    }
    if (pcs.empty()) {
        return;
    }
    std::sort(pcs.begin(), pcs.end());
    pcs.erase(std::unique(pcs.begin(), pcs.end()), pcs.end());
    std::map<uint64_t, places> all = look_up(pcs);
    for (site *s : emu_self_->sites) {
        if (s->line < 0) {
            place_site(s, all);
        }
    }
}

/* ==== Errors ============================================================ */

/* Counts a finding again if it is at another access or exchange. */
static void again(finding &f) {
    f.times += f.event != emu_self_->event;
    f.event = emu_self_->event;
}

void emu_guess(const fiber *by, uint64_t place) {
    emu_self_->guesser = by;
    emu_self_->guessed = place;
}

static void keep_guess(bool barrier, const finding &now) {
    enum { GUESSES = 4096 };
    emulator *e = emu_self_;
    if (e->guesses.size() < GUESSES) {
        e->guesses.push_back({e->guesser, e->guessed, barrier, now});
    }
}

void emu_guessed(const fiber *by, uint64_t place) {
    std::vector<guess> &v = emu_self_->guesses;
    for (size_t i = v.size(); i-- > 0;) {
        if (v[i].by == by && v[i].place == place) {
            v.erase(v.begin() + (long)i);
        }
    }
}

/* The threads have ended: what is left were no guesses. */
void emu_tell_guesses(void) {
    emulator *e = emu_self_;
    for (const guess &g : e->guesses) {
        const finding &f = g.what;
        e->event++;
        if (g.barrier) {
            emu_race(f.at, f.other, f.barrier, f.text, f.other_text, f.hint);
        } else {
            emu_find(f.kind, f.at, f.text, f.other, f.other_text, f.hint);
        }
    }
    e->guesses.clear();
}

void emu_find(int kind, site *at, const std::string &text, site *other,
              const std::string &other_text, const std::string &hint) {
    emulator *e = emu_self_;
    if (e->guesser) {
        keep_guess(false, {kind, at, other, text, other_text, "", -1, 1,
                           e->event, e->launches, hint, ""});
        return;
    }
    e->retell = true;
    for (finding &f : e->findings) {
        if (at->reported >> kind & 1 && f.kind == kind && f.at == at) {
            again(f);
        }
    }
    if (at->reported >> kind & 1) {
        return;
    }
    at->reported |= 1u << kind;
    finding now = {kind, at, other, text, other_text, "", -1, 1, e->event,
                   e->launches, hint, e->note ? e->note(e->note_of) : ""};
    e->findings.push_back(now);
}

void emu_find_overflow(fiber *f, uint64_t pc) {
    emu_find(EMU_CRASH, emu_site_at(f, pc, 0, "call", SPACE_NONE, 0, 0),
             emu_text("crash: thread %d uses up its stack of %d MiB", f->tid,
                      STACK_BYTES >> 20));
}

/* A site keeps the race that needs the widest barrier. A missing barrier can
 * show at either of its two sites, so both findings name the widest one. */
void emu_race(site *at, site *other, int barrier, const std::string &text,
              const std::string &other_text, const std::string &hint) {
    emulator *e = emu_self_;
    std::pair<unsigned, unsigned> key(std::min(at->number, other->number),
                                      std::max(at->number, other->number));
    finding now = {EMU_RACE, at,      other, text,    other_text, "",
                   barrier,  1, e->event, e->launches, hint,
                   e->note ? e->note(e->note_of) : ""};
    if (e->guesser) {
        keep_guess(true, now);
        return;
    }
    e->retell = true;
    e->barriers[key] = std::max(e->barriers[key], barrier);
    for (finding &f : e->findings) {
        if (f.kind == EMU_RACE && f.at == at) {
            again(f);
            now.times = f.times;
            now.launch = f.launch;
            now.hint = f.hint.empty() ? hint : f.hint;
            f.hint = now.hint;
            f = f.barrier < barrier ? now : f;
            return;
        }
    }
    e->findings.push_back(now);
}

static std::string race_text(const finding &f) {
    static const char *const names[] = {"warp", "block", "cluster"};
    static const char *const wider[] = {
        "", " (threads of different warps race here as well)",
        " (threads of different blocks race here as well)"
    };
    std::pair<unsigned, unsigned> key(std::min(f.at->number, f.other->number),
                                      std::max(f.at->number, f.other->number));
    if (f.barrier < 0) {
        const bool move = f.at->in_layer && f.other && f.other->in_layer;
        return f.text + (f.hint.empty() || !move ? "" : "; " + f.hint);
    }
    int need = emu_self_->barriers[key];
    return f.text + ", with no " + names[need] + " barrier between" +
           (need > f.barrier ? wider[need] : "") +
           (f.hint.empty() || !f.at->in_layer || !f.other->in_layer
                ? "" : "; " + f.hint);
}

/* Removes a finding that a later one explains better. */
void emu_forget(int kind, const site *at) {
    std::vector<finding> &v = emu_self_->findings;
    emu_self_->retell = true;
    for (size_t i = v.size(); i-- > 0;) {
        if (v[i].kind == kind && v[i].at == at) {
            v.erase(v.begin() + (long)i);
        }
    }
}

/* A program with an unexpected finding does not exit with 0. */
static void tell_at_exit(int status, void *) {
    for (int i = 0; i < emu_error_count(); i++) {
        fprintf(stderr, "%s\n", emu_error(i));
    }
    if (status == 0 && (emu_self_->faulty || !emu_self_->findings.empty())) {
        fflush(nullptr);
        _exit(1);
    }
}

/* Returns a sentence without its digits. */
static std::string without_numbers(const std::string &s) {
    std::string r;
    for (char c : s) {
        r += c >= '0' && c <= '9' ? "" : std::string(1, c);
    }
    return r;
}

/* Returns whether two findings of a launch say the same about one place. A race
 * or missing wait is reported once, for whichever threads and bytes. */
static bool is_same(const finding &a, const finding &b) {
    const bool once = a.kind == EMU_EARLY ||
                      (a.kind == EMU_RACE && a.barrier >= 0 && b.barrier >= 0);
    return a.kind == b.kind && a.launch == b.launch &&
           a.at->line == b.at->line && a.at->file == b.at->file &&
           (once || without_numbers(a.text) == without_numbers(b.text));
}

/* Adds a finding to the list that is reported. */
static void tell(std::vector<finding> &told, const finding &f) {
    for (finding &g : told) {
        if (is_same(f, g)) {
            const uint64_t times = g.times + f.times;
            g = f.barrier > g.barrier ? f : g;
            g.times = times;
            return;
        }
    }
    told.push_back(f);
}

/* Causes come before effects: first wrong threads in a move and misaligned
 * tiles, then missing barriers, waits and fences. */
static int order_of(const finding &f) {
    return f.kind == EMU_LAUNCH || f.kind == EMU_ALIGN        ? 0
           : f.kind == EMU_EARLY || f.kind == EMU_ASYNC ||
             f.kind == EMU_BARRIER || f.kind == EMU_LANES     ? 1
                                                              : 2;
}

static std::vector<finding> &all_told(void) {
    emulator *e = emu_get();
    if (e->retell) {
        e->retell = false;
        e->told.clear();
        if (e->findings.size() > 1) {
            emu_place();
        }
        for (const finding &f : e->findings) {
            tell(e->told, f);
        }
        std::stable_sort(e->told.begin(), e->told.end(),
                         [](const finding &a, const finding &b) {
                             return std::make_pair(a.launch, order_of(a)) <
                                    std::make_pair(b.launch, order_of(b));
                         });
    }
    return e->told;
}

extern "C" int emu_error_count(void) { return (int)all_told().size(); }

static finding *finding_at(int i) {
    std::vector<finding> &told = all_told();
    return i >= 0 && (size_t)i < told.size() ? &told[(size_t)i] : nullptr;
}

extern "C" const char *emu_error(int i) {
    finding *f = finding_at(i);
    if (!f) {
        return "";
    }
    emu_place();
    f->whole = f->at->file + emu_text(":%d: ", f->at->line) +
               (f->kind == EMU_RACE ? race_text(*f) : f->text) + f->note;
    if (f->times > 1) {
        f->whole += emu_text("; %llu times at this place",
                             (unsigned long long)f->times);
    }
    if (f->other) {
        f->whole += " (" + f->other_text + ": " + f->other->file +
                    emu_text(":%d)", f->other->line);
    }
    return f->whole.c_str();
}

extern "C" const char *emu_errors(void) {
    emulator *e = emu_get();
    e->all_errors.clear();
    for (int i = 0; i < emu_error_count(); i++) {
        e->all_errors += std::string(emu_error(i)) + "\n";
    }
    return e->all_errors.c_str();
}

extern "C" int emu_error_kind(int i) {
    finding *f = finding_at(i);
    return f ? f->kind : -1;
}

extern "C" int emu_error_line(int i) {
    finding *f = finding_at(i);
    emu_place();
    return f ? f->at->line : 0;
}

/* ==== Statistics ======================================================== */

/* "ld.shared" includes "ld.shared.b8" but not "ld.shared8". */
static bool below(const std::string &kind, const char *want) {
    size_t n = strlen(want);
    return n == 0 || (kind.compare(0, n, want) == 0 &&
                      (kind.size() == n || kind[n] == '.'));
}

static uint64_t add_up(const char *kind, uint64_t emu_row::*field) {
    uint64_t r = 0;
    for (const site *s : emu_get()->sites) {
        r += below(s->kind, kind) ? s->sum.*field : 0;
    }
    return r;
}

extern "C" {

uint64_t emu_stat(const char *kind) {
    return add_up(kind, &emu_row::instructions);
}
uint64_t emu_wavefronts(const char *kind) {
    return add_up(kind, &emu_row::wavefronts);
}
uint64_t emu_ideal(const char *kind) { return add_up(kind, &emu_row::ideal); }
uint64_t emu_sectors(const char *kind) {
    return add_up(kind, &emu_row::sectors);
}
uint64_t emu_ideal_sectors(const char *kind) {
    return add_up(kind, &emu_row::ideal_sectors);
}
uint64_t emu_bytes(const char *kind) { return add_up(kind, &emu_row::bytes); }

static bool row_before(const emu_row &a, const emu_row &b) {
    int c = strcmp(a.file, b.file);
    c = c ? c : a.line - b.line;
    c = c ? c : strcmp(a.kind, b.kind);
    return c < 0;
}

static void add_row(emu_row &to, const emu_row &r) {
    to.instructions += r.instructions;
    to.wavefronts += r.wavefronts;
    to.ideal += r.ideal;
    to.sectors += r.sectors;
    to.ideal_sectors += r.ideal_sectors;
    to.bytes += r.bytes;
}

/* Adds up the rows with the same line and kind. */
int emu_site_count(void) {
    emulator *e = emu_get();
    std::vector<emu_row> all;
    emu_place();
    for (site *s : e->sites) {
        s->sum.file = s->file.c_str();
        s->sum.line = s->line;
        s->sum.kind = s->kind.c_str();
        if (s->sum.instructions) {
            all.push_back(s->sum);
        }
    }
    std::stable_sort(all.begin(), all.end(), row_before);
    e->rows.clear();
    for (const emu_row &r : all) {
        if (e->rows.empty() || row_before(e->rows.back(), r)) {
            e->rows.push_back(r);
        } else {
            add_row(e->rows.back(), r);
        }
    }
    return (int)e->rows.size();
}

/* Call emu_site_count first: it builds the list. */
emu_row emu_site(int i) {
    emulator *e = emu_get();
    return i >= 0 && (size_t)i < e->rows.size() ? e->rows[(size_t)i]
                                                : emu_row{};
}

void emu_print(void) {
    int n = emu_site_count();
    printf("%-28s %-20s %9s %9s %9s %9s %9s\n", "site", "kind", "instr",
           "wavefr", "ideal", "sectors", "ideal");
    for (int i = 0; i < n; i++) {
        emu_row r = emu_site(i);
        const char *slash = strrchr(r.file, '/');
        std::string at = emu_text("%s:%d", slash ? slash + 1 : r.file, r.line);
        printf("%-28s %-20s %9llu %9llu %9llu %9llu %9llu\n", at.c_str(),
               r.kind, (unsigned long long)r.instructions,
               (unsigned long long)r.wavefronts, (unsigned long long)r.ideal,
               (unsigned long long)r.sectors,
               (unsigned long long)r.ideal_sectors);
    }
}

void emu_expected(void) {
    emu_get()->findings.clear();
    emu_reset();
}

void emu_reset(void) {
    emulator *e = emu_get();
    e->faulty = e->faulty || !e->findings.empty();
    for (site *s : e->sites) {
        s->sum = emu_row{};
        s->reported = 0;
        s->warps.clear();
    }
    e->findings.clear();
    e->retell = true;
    e->barriers.clear();
    e->last_error = 0;
}

/* ==== Settings ========================================================== */

void emu_set_lanes(int lanes) {
    emu_get()->t.lanes = lanes == 64 ? 64 : 32;
}

void emu_set_banks(int banks) { emu_get()->t.banks = banks > 0 ? banks : 32; }

void emu_set_merge(int on) { emu_get()->t.merge = on; }

void emu_set_phase(int write, int bytes, int banks, int n, const int *basis) {
    emulator *e = emu_get();
    phase_rule r = {banks, n < 6 ? n : 6, {}};
    for (int i = 0; i < r.n; i++) {
        r.basis[i] = basis[i];
    }
    e->t.rules[{write != 0, bytes <= 4 ? 4 : bytes}] = r;
    e->t.merge = 0;
}

void emu_set_limit(uint64_t accesses) { emu_get()->limit = accesses; }

void emu_reset_target(void) {
    emulator *e = emu_get();
    int lanes = e->t.lanes;
    e->t = target();
    e->t.lanes = lanes;
}

}
