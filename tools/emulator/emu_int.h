/* emu_int.h - what the emulator's own files share. Kernels never see it.
 *
 * All state hangs off one heap object, so that the executable's static
 * storage is free to stand for shared memory.
 */
#ifndef EMU_INT_H
#define EMU_INT_H

#include "emu.h"
#undef memcpy
#undef memmove
#undef memset
#undef __builtin_memcpy
#undef __builtin_memmove
#undef __builtin_memset
#include "include/cuda_runtime.h"

#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

enum { SPACE_NONE, SPACE_SHARED, SPACE_GLOBAL, SPACE_CONST };
enum { WAIT_NONE, WAIT_WARP, WAIT_BLOCK, WAIT_CLUSTER, WAIT_MBARRIER, DONE };
enum {
    OP_SYNCWARP, OP_SHFL, OP_VOTE, OP_ARRIVE,
    OP_ARRIVE_RELAXED, OP_AMD, OP_LDMATRIX, OP_STMATRIX,
    OP_MOVMATRIX, OP_ARRIVE_NAMED, OP_MATCH, OP_REDUCE, OP_PRODUCT
};
enum { FORM_PLAIN, FORM_TRANS, FORM_LOAD_B8, FORM_STORE_B8 }; /* matrices */
enum { MAX_DEPTH = 64, STACK_BYTES = 4 << 20, MAX_LANES = 64 };
enum {
    REDUCE_ADD, REDUCE_AND, REDUCE_OR, REDUCE_XOR, REDUCE_MIN, REDUCE_MAX,
    REDUCE_SMIN, REDUCE_SMAX
};
enum { BARRIER_WARP, BARRIER_BLOCK, BARRIER_CLUSTER };
static const size_t NO_LIMIT = ~(size_t)0;
enum { DYNAMIC_LIMIT = 227 << 10, GUARD_BYTES = 4096 };
/* Addresses of shared memory: dynamic memory first, so that an address there
 * has 18 bits, as on a GPU, then variables, with gaps. */
enum { DYNAMIC_OFFSET = 1024, STATIC_OFFSET = 1 << 18 };
enum { CLUSTER_LIMIT = 8, FAR_SHIFT = 27 }; /* mapa: block + 1 above offset */

/* ---- Sites: one place of the kernel, reached through one call chain ----- */

/* One warp instruction being collected: who took part, and where. */
struct group {
    uint64_t mask;
    uint64_t at[MAX_LANES];
};

/* The occurrences of a site in one warp since the last flush. */
struct gather {
    uint32_t count[MAX_LANES] = {};
    std::vector<group> groups;
};

/* A dotted part of a mnemonic, compared with a literal by its length first. */
struct dotted : std::string {
    using std::string::string;
    dotted(const std::string &s) : std::string(s) {}
    template <size_t N> bool operator==(const char (&m)[N]) const {
        return size() == N - 1 && !memcmp(data(), m, N - 1);
    }
    template <size_t N> bool operator!=(const char (&m)[N]) const {
        return !(*this == m);
    }
};

struct site {
    std::vector<uint64_t> frames;  /* return addresses, innermost first */
    std::string kind, file;
    int line = -1;                 /* -1: not looked up yet             */
    bool in_layer = false;         /* within a function of ll           */
    const emu_memory *half = nullptr; /* a write of a half, through this */
    int space = SPACE_NONE, size = 0, write = 0, merges = 0;
    emu_row sum = {};
    std::vector<gather> warps;
    unsigned reported = 0;         /* bit per error class               */
    unsigned number = 0;
};

/* ---- Threads ------------------------------------------------------------ */

struct emu_thread {
    uint3 thread, block;
    dim3 threads, blocks;
    int lanes;
};

/* A store whose hook has run; its new bytes are compared at the next event. */
struct pending {
    int size;
    uint64_t addr, offset;
    uint32_t shared_with;   /* bit per byte: another lane wrote it too */
    unsigned other;         /* site of that write                      */
    int lane;
    site *at;
    unsigned char old[32];
    bool is_global;         /* then `other` is the number of a mark    */
};

struct warp;

/* What a lane brings to a warp collective and takes from it. */
struct collective {
    int op, mode, n;     /* mode: of a shuffle, or FORM_; n: matrices     */
    uint64_t mask;
    uint32_t in[4], out[4];
    uint32_t b, seg, clamp;
    uint64_t addr, ballot;
    int pred;
    site *at;
    void (*perform)(warp &w, uint64_t active);  /* OP_AMD, OP_PRODUCT: for
                                                    all lanes */
};

/* An index beyond an array, as the compiler's check told it. */
struct check_data;
struct beyond {
    const check_data *data;
    uint64_t index, pc;
};

struct fiber {
    emu_thread pub;      /* what threadIdx and its kin show              */
    void *sp;
    char *stack;
    int tid, warp, lane, wait; /* warp: among those of the cluster       */
    int rank;                  /* of the block in its cluster            */
    unsigned bar_id, bar_count, bar_total;
    bool bar_aligned;
    bool yields;               /* it goes on as if it had not stopped */
    unsigned arrived, waited;  /* at cluster barriers                    */
    uint64_t bar_key, bar_parity;  /* of the mbarrier that it waits for  */
    bool has_waited;               /* they are of its last wait          */
    unsigned fences;           /* of the proxies, so far                 */
    unsigned watched;          /* ranges of registers that wgmma uses    */
    struct scope_use *scope;   /* the last that it was in                */
    struct move_use *move;     /* the last that it began                 */
    const char *scope_name;    /* what the kernel calls it by            */
    const emu_memory *half;    /* of the half that it is in              */
    bool half_loads;
    bool at_scope;             /* it is at the barrier of that scope     */
    bool wgmma_fenced;
    unsigned char swizzle;     /* of what the copy engine writes: see written */
    bool strong;               /* its store is volatile or relaxed */
    collective c;
    pending p;
    beyond left;               /* null, or not yet told */
    int depth;
    uint64_t hash, steps;
    uint64_t frames[MAX_DEPTH], hashes[MAX_DEPTH];
};

/* The threads that have only arrived at one of the 16 barriers of a block. */
struct named_barrier {
    unsigned arrived = 0, count = 0;
    site *at = nullptr;
    std::vector<uint64_t> seen;    /* what is known of them */
    std::vector<int> warps;        /* theirs */
    int early = -1;                /* one that did not wait for the last use */
};

/* The warps that came last to one of them, and the clock of each then. */
struct barrier_use {
    site *at = nullptr;
    std::vector<std::pair<int, uint64_t>> warps;
};

/* A cp.async that is under way, in the order of issue of its thread. */
struct async_copy {
    uint64_t to, shadow;
    int size;
    site *at;
    unsigned char data[16];
};

/* Products of wgmma, or stores of the copy engine, that are under way: what they
 * read in shared memory, by 16 bytes of shadow memory, and when. */
struct reading {
    std::vector<uint64_t> chunks;
    uint64_t clock = 0;
};

struct warp {
    std::vector<fiber *> lanes;
    std::vector<reading> groups;       /* the last one is not committed */
    uint64_t retired = 0;              /* groups so far */
    std::vector<uint64_t> reads;       /* when, of each committed group */
    uint64_t products = 0;
    site *product_at = nullptr;
    std::vector<uint64_t> seen;    /* clock of each warp known to this one */
    std::vector<uint64_t> passed;  /* the same of what has been executed, but
                                      what was written need not be seen */
    std::vector<std::pair<site *, gather *>> touched;
};

/* ---- Memory ------------------------------------------------------------- */

/* The last write of a byte of shared memory, and whether it is of this
 * block. Clocks count barriers; "seen" above orders them. */
struct written {
    uint64_t block, clock;
    unsigned at;          /* site number */
    short warp;
    unsigned char lane;
    bool many, atomic;
    bool async;           /* by the copy engine */
    unsigned char swizzle; /* of a tensor copy: its width, 16: none */
    unsigned fences;      /* of the proxies that the writer had made */
};

/* The last reads of a byte by one warp. */
struct readers {        /* or of its atomic updates */
    uint64_t clock;
    unsigned at;
    unsigned char lane;
    bool many;
};

struct buffer {
    char *start;
    size_t size;
    char *block;                    /* what to free; null: not ours */
    std::vector<unsigned char> valid;
    uint32_t *by = nullptr;         /* the last store: see global_mark */
};

/* A store to global memory: which thread of which block, and when. */
struct global_mark {
    uint64_t cluster, clock, event;
    unsigned block, at;             /* the block in the grid, the site */
    short warp;
    unsigned char lane;
};

/* One arrival at an mbarrier. */
struct arrival {
    const fiber *by;
    site *at;
    uint64_t clock;
};

/* A barrier in shared memory: of this phase the arrivals and bytes that are
 * missing, and what those know who have arrived; what all knew at the end of the
 * last phase. */
struct mbarrier {
    unsigned expected = 0, pending = 0;
    int64_t bytes = 0;
    uint64_t phase = 0;
    std::vector<uint64_t> arrived, known;
    site *at = nullptr;            /* of its initialisation */
    fiber *by = nullptr;
    unsigned fences = 0;
    uint64_t clock = 0;
    std::string name;
    /* Bytes that this phase was told to expect, and those of copies that were
     * started; and the first phase of fewer expected ones. */
    int64_t named = 0, started = 0;
    int64_t few_named = 0, few_started = 0;
    uint64_t few_phase = 0;
    std::vector<arrival> came, before; /* of this phase and of the last */
    uint64_t watched = 0;          /* the last phase that a wait saw begin */
};

/* A load of the copy engine that is under way to one block. */
struct bulk_load {
    uint64_t bar;                  /* the key of its mbarrier */
    int owner;
    std::vector<std::pair<uint64_t, unsigned char>> bytes; /* by address */
    std::vector<uint64_t> seen;
    site *at;
    const fiber *by;
};

/* Registers that a wgmma writes, or reads, until its group is awaited. */
struct register_range {
    uint64_t lo, hi, group;
    bool input, busy;
    site *at;
};

/* What reads shared memory on its own, by 16 bytes. */
struct busy_chunk {
    unsigned count;
    site *at;
    const char *what;
};

/* What cuTensorMapEncodeTiled was told. */
struct tensor_map {
    uint64_t address = 0, dims[5] = {}, strides[5] = {};
    unsigned rank = 0, bytes = 0, box[5] = {}, swizzle = 0;
};

/* A variable of the section emu_shared; `shadow`: of its first byte in the
 * shadow memory, which has no gaps. */
struct object {
    uint64_t start, end;
    std::string name;
    uint64_t shadow;
    uint64_t launch = 0;    /* the last one that asked for its address */
    uint64_t counted = 0;   /* the last one that accessed it */
};

/* A shared variable, or the dynamic memory, of each block of a cluster. That of
 * the running block is in place, the others' are here. */
struct image {
    size_t size;
    std::vector<std::vector<char>> of;
};

/* What was under way at a cp.async.commit_group, by thread. */
typedef std::vector<async_copy> copy_group;

struct phase_rule {
    int banks, n, basis[6];
};

struct finding {
    int kind;
    site *at, *other;
    std::string text, other_text, whole;
    int barrier = -1;   /* of a race: the one that is missing */
    uint64_t times = 1, event = 0;  /* how often, and when last */
    uint64_t launch = 0;
    std::string hint;   /* of a race between moves: their scope */
    std::string note;   /* which element of an operand it is of */
};

struct target {
    int lanes = 32, banks = 32, merge = 1;
    unsigned gfx = 0;               /* 0x942 for gfx942; 0: none           */
    size_t static_limit = 48 << 10; /* bytes of __shared__ variables       */
    std::map<std::pair<int, int>, phase_rule> rules;
};

/* The threads of a block that came to a scope, and to its barrier. */
struct scope_use {
    std::string name;
    unsigned threads = 0;
    std::vector<int> numbers;      /* by thread; -1: did not come  */
    std::vector<site *> places;    /* where it came first          */
    site *at = nullptr;            /* of the barrier               */
    std::vector<bool> came;        /* to the barrier, by number    */
    bool varies = false;           /* a thread had several numbers */
};

/* How often each thread began a move, by number, and what threads waited at
 * behind its beginning: for others than their warp? */
struct move_use {
    site *at = nullptr;
    std::string scope;             /* empty: none */
    std::vector<unsigned> came;
    std::map<site *, bool> waits;
    bool fills = false;            /* a half that fills a tile */
};

/* The last access of a warp to the shared memory of another block. */
struct remote_use {
    uint64_t clock;
    site *at;
    int tid;
};

struct emulator {
    target t;
    /* the running kernel */
    std::string kernel;
    dim3 grid, block, cluster;
    int ranks = 1;                  /* blocks of a cluster: they run together */
    int each = 1;                   /* warps of a block */
    void (*entry)(void *);
    char *params;
    size_t param_bytes;
    std::vector<fiber *> fibers;
    std::vector<warp> warps;        /* behind those of the blocks: one for
                                       the copy engine of each block, then
                                       for each warpgroup's tensor core    */
    std::vector<fiber> engines;     /* what runs beside the threads */
    std::vector<char *> stacks;
    fiber *cur = nullptr;
    void *sched_sp = nullptr;
    bool dead = false;
    int live = 0, last_error = 0;
    uint64_t limit = 300000;        /* accesses between two barriers       */
    uint64_t block_id = 0, clock = 1;    /* an id for each cluster   */
    std::vector<named_barrier> named;    /* 16 for each block */
    std::vector<barrier_use> uses;       /* the last of each of them */
    std::map<std::tuple<int, std::string, unsigned>, scope_use> scopes;
                                    /* by rank of the block, name, threads */
    std::map<std::pair<int, uint64_t>, move_use> moves; /* and address   */
    bool half_unwritten = false;    /* a half has read what nobody wrote */
    std::map<std::pair<int, int>, remote_use> remote; /* by rank of that block
                                                         and warp */
    std::vector<uint64_t> arrived_seen[2]; /* what is known at a cluster
                                            barrier, by those who came */
    std::vector<uint64_t> arrived_passed[2]; /* with those that are relaxed */
    /* memory */
    uint64_t shared_lo, shared_hi;  /* the section emu_shared             */
    uint64_t dyn_shadow = 0;        /* the same in shadow memory          */
    size_t dyn_size = 0;
    size_t dyn_limit = NO_LIMIT;   /* of it, in the next launch */
    size_t static_bytes = 0;        /* of the variables that a launch accesses */
    char *dyn;
    written *writes = nullptr;      /* per block and byte                 */
    readers *reads = nullptr;       /* [block][byte][warp]                */
    readers *updates = nullptr;     /* the same of atomic updates         */
    bool updated = false;           /* there has been one                 */
    size_t shadow_bytes = 0, shadow_warps = 0;
    int shadow_ranks = 0;
    std::unordered_map<uint64_t, site *> in_flight; /* by shadow / 4: bytes
                                       that a cp.async has not delivered */
    std::unordered_map<const fiber *, std::vector<copy_group>> copies;
    std::map<uint64_t, mbarrier> mbarriers; /* by shadow, of the cluster  */
    std::vector<bulk_load> loads;   /* under way, oldest first */
    std::unordered_map<const fiber *, std::vector<reading>> stores;
    std::unordered_map<const fiber *, std::vector<register_range>> registers;
    std::unordered_map<const fiber *, std::vector<uint64_t>> fence_seen;
    std::unordered_map<uint64_t, busy_chunk> busy;
    std::vector<tensor_map> maps;
    std::map<uint64_t, uint64_t> grid_constants; /* their ends, by start */
    std::map<uint64_t, image> images; /* by address, of a cluster         */
    int in_place = 0;               /* whose block's shared memory is     */
    std::map<uint64_t, buffer> buffers;
    std::vector<global_mark> marks;        /* of this launch, from number */
    uint32_t first_mark = 1;        /* `first_mark` on             */
    unsigned cluster_index = 0;
    std::vector<uint64_t> released; /* by block: its last fence, or atomic
                                       operation, */
    std::vector<uint64_t> fenced;   /* and its last fence */
    std::vector<bool> acquired;     /* by rank: whether it had one           */
    std::vector<object> objects;
    std::vector<std::pair<uint64_t, uint64_t>> constants;
    /* results */
    std::unordered_map<uint64_t, site *> site_of;
    std::vector<site *> sites;
    std::vector<emu_row> rows;
    std::vector<finding> findings, told; /* as found; one for each place, the
                                            cause first                   */
    std::string (*note)(const void *) = nullptr; /* of what is being read */
    const void *note_of = nullptr;
    bool retell = false;            /* there are others since */
    uint64_t launches = 0;
    uint64_t event = 0;             /* counts accesses and exchanges */
    bool faulty = false;            /* had a finding that nobody expected */
    std::map<std::pair<unsigned, unsigned>, int> barriers; /* that the races
                                       of two sites need                 */
    std::string all_errors;
    std::string exe;
    uint64_t slide = 0;
};

extern emulator *emu_self_;
emulator *emu_get(void);            /* makes it at the first call */

/* emu.cc */
void emu_park(void);                /* back to the scheduler       */
[[noreturn]] void emu_abandon(void);
void emu_collect(fiber *f);
uint64_t emu_live_mask(const warp &w);
void emu_tell_beyond(fiber *f);
std::string emu_index(const uint3 &i);
std::string emu_writer(const global_mark &m, bool with_block);
std::string emu_block(unsigned number);
std::string emu_same_number(const fiber *f, int warp);

/* emu_mem.cc */
void emu_settle(fiber *f);
void emu_access(fiber *f, uint64_t addr, int size, int write, site *at,
                int owner = -1,     /* the block whose memory it is; -1: f's */
                bool atomic = false);
void emu_copy_begin(fiber *f, uint64_t to, const void *data, int size,
                    site *at);
void emu_copy_commit(fiber *f);
void emu_copy_wait(fiber *f, size_t pending_groups);
void emu_enter_block(int rank);     /* puts its shared memory in place    */
const char *emu_far_bytes(uint64_t addr, int owner);
uint64_t emu_shadow(uint64_t addr, int owner);
std::string emu_place(uint64_t addr);
uint64_t emu_matching_shared(uint64_t low, int bits);
bool emu_has_static_tile(void);     /* whose address may have more bits */
void emu_shared_check(fiber *f, uint64_t addr, int size, site *at, int owner);
void emu_global_check(fiber *f, uint64_t addr, uint64_t size, int write,
                      site *at);
void emu_global_store(fiber *f, uint64_t addr, unsigned size, const void *now,
                      site *at); /* what the copy engine brings there */
void emu_order(fiber *f, bool fence); /* or what may tell other blocks */
void emu_async_read(fiber *f, fiber *engine, uint64_t addr, site *at,
                    const char *what, reading &r,
                    int owner = -1); /* the block; -1: f's */
void emu_async_write(fiber *f, uint64_t addr, int owner, site *at,
                     int size = 16);
const written *emu_copied(uint64_t shadow); /* by a tensor copy; or null */
void emu_async_done(reading &r);
void emu_in_flight(uint64_t shadow, int size, site *at);  /* null: no more */
uint64_t emu_shared_addr(uint64_t offset);
void emu_flush(int warp);
void emu_count(site *s, const fiber *f, bool active, uint64_t at);
void emu_memory_begin(void);
void emu_memory_init(void);

/* emu_async.cc */
int emu_engines(void);              /* of a block: 1, and its warpgroups */
fiber *emu_engine(const fiber *f, bool tensor); /* knows what f knows */
bool emu_wgmma_ready(const warp &w);
void emu_async_begin(void);
void emu_async_end(void);
bool emu_release_mbarriers(int rank);
std::string emu_mbarrier_state(const fiber *f);
bool emu_has_begun(const fiber *f); /* its mbarrier: some have come */
bool emu_never_began(const fiber *f); /* it: nothing has, in no phase */
std::string emu_why_early(const fiber *f, uint64_t shadow, const site *copy);
void emu_touch_registers(fiber *f, uint64_t addr, int size, int write,
                         uint64_t pc);
void emu_proxy_fence(fiber *f);

struct mbarrier_place {
    uint64_t addr;
    int owner;
};
void emu_mbarrier_init(fiber *f, mbarrier_place at, uint64_t count, site *s);
void emu_mbarrier_inval(fiber *f, mbarrier_place at, site *s);
void emu_mbarrier_arrive(fiber *f, mbarrier_place at, uint64_t count,
                         uint64_t bytes, site *s, bool relaxed = false);
void emu_mbarrier_wait(fiber *f, mbarrier_place at, uint64_t parity, site *s);
bool emu_mbarrier_test(fiber *f, mbarrier_place at, uint64_t parity, site *s);
void emu_copy_arrive(fiber *f, mbarrier_place at, site *s);
void emu_core_arrive(fiber *f, fiber *core, mbarrier_place at, site *s);

/* One copy of the engine: a box, or bytes where map is null. */
struct bulk_call {
    const tensor_map *map = nullptr;
    int32_t at[5] = {};
    uint64_t global = 0, bytes = 0;
    mbarrier_place shared = {0, 0}, bar = {0, 0};
    unsigned blocks = 0;           /* of a multicast; 0: one */
    bool is_multicast = false;
};
const char *emu_bulk_load(fiber *f, const bulk_call &c, site *s);
/* Why no multicast goes to these blocks, or null. */
const char *emu_mask_problem(unsigned blocks);
void emu_store_async(fiber *f, mbarrier_place to, const void *data, int size,
                     mbarrier_place bar, site *s);
const char *emu_bulk_store(fiber *f, const bulk_call &c, site *s);
void emu_bulk_commit(fiber *f);
void emu_bulk_wait(fiber *f, size_t groups, bool reading, site *s);
const tensor_map *emu_map_at(uint64_t address);
bool emu_map_is_local(const fiber *f, uint64_t address);

/* emu_tensor.cc */
struct product_call {
    dotted types[4];               /* of d, a, b, c */
    int m = 0, n = 0, k = 0;       /* 0: the name has no shape */
    bool is_xor = false, in_registers = false;
    bool cols_a = false, cols_b = true; /* of m8n8k4, as in the name */
    bool mn_a = false, mn_b = false, keep = true;
    uint64_t a_at = 0, b_at = 0;   /* descriptors of wgmma */
    std::vector<uint64_t> a, b, c; /* registers */
    int sign_a = 1, sign_b = 1;
    bool sparse = false;           /* a has half of k, e says which */
    bool scaled = false;           /* by factors of blocks */
    bool quads = false;            /* a product for each quad pair */
    uint32_t e = 0, select = 0;
    int scales = 0;                /* of a row and product; 0: none */
    bool scales_e4m3 = false;
    uint32_t scale[2] = {}, byte[2] = {}, thread[2] = {}; /* of A, of B */
    site *at = nullptr;
};
bool emu_shape_of(const dotted &name, product_call &c);
const char *emu_product(const product_call &c, bool wgmma);
void emu_multiply(warp &w, uint64_t active);
void emu_multiply_quads(warp &w, uint64_t active);
void emu_multiply_group(warp &w, uint64_t active);
void emu_watch(fiber *f, uint64_t lo, uint64_t hi, bool input, site *at);
void emu_wgmma_commit(warp &w, uint64_t active);
void emu_wgmma_wait(warp &w, uint64_t active);

double emu_value_of(const dotted &type, uint64_t pattern);
uint64_t emu_pattern_of(const dotted &type, double x);

/* emu_tmem.cc */
enum {
    TMEM_ALLOC, TMEM_DEALLOC, TMEM_RELINQUISH, TMEM_LD, TMEM_ST, TMEM_WAIT_LD,
    TMEM_WAIT_ST
};

/* What a warp does with tensor memory. */
struct tmem_call {
    int what = 0, group = 0;       /* .cta_group; 0: none */
    uint32_t address = 0, columns = 0;
    mbarrier_place to = {0, 0};    /* where the address comes to */
    std::string shape, problem;
    bool packed = false;           /* .pack::16b or .unpack::16b */
    int split = 0;
    std::vector<uint64_t> r;       /* registers */
    site *at = nullptr;
};
void emu_tmem_collective(warp &w, uint64_t active);

/* What a thread starts: a product, or a copy of a to d. */
struct tmem_product {
    std::string kind;
    int group = 1, scales = 0;     /* of a row; 0: none */
    bool from_tensor = false, keep = false, ws = false;
    uint32_t d = 0, idesc = 0, sa = 0, sb = 0;
    uint64_t a = 0, b = 0;
    site *at = nullptr;
};
const char *emu_tmem_multiply(fiber *f, const tmem_product &c);
const char *emu_tmem_copy(fiber *f, const tmem_product &c,
                          const std::string &shape, const std::string &to);
const char *emu_tmem_commit(fiber *f, int group, mbarrier_place bar,
                            bool is_multicast, unsigned blocks, site *s);
void emu_tmem_fence(fiber *f, bool after);
void emu_tmem_begin(void);
void emu_tmem_end(void);

/* emu_report.cc */
site *emu_site_at(fiber *f, uint64_t pc, int stmt, const char *kind,
                  int space, int size, int write);
void emu_place(void);  /* finds the lines of all sites */
void emu_find(int kind, site *at, const std::string &text,
              site *other = nullptr, const std::string &other_text = "",
              const std::string &hint = "");
void emu_race(site *at, site *other, int barrier, const std::string &text,
              const std::string &other_text, const std::string &hint = "");
void emu_forget(int kind, const site *at);
std::string emu_text(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void emu_find_overflow(fiber *f, uint64_t pc);
void emu_report_init(void);

#define EMU_PC ((uint64_t)__builtin_return_address(0))

#endif
