/* emu_int.h - declarations shared by the emulator's files; kernels do not
 * include it.
 *
 * All state is in one heap object, because the executable's static storage
 * stands for shared memory.
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
/* Addresses of shared memory. Dynamic memory comes first, so that its addresses
 * have 18 bits, as on a GPU. Variables follow, with gaps. */
enum { DYNAMIC_OFFSET = 1024, STATIC_OFFSET = 1 << 18 };
enum { CLUSTER_LIMIT = 8, FAR_SHIFT = 27 }; /* mapa: block + 1 above the
                                               offset */

/* ---- Sites: one place of the kernel, reached through one call chain ----- */

/* One warp instruction being collected: lanes that took part, addresses. */
struct group {
    uint64_t mask;
    uint64_t at[MAX_LANES];
};

/* Occurrences of a site in one warp since the last flush. */
struct gather {
    uint32_t count[MAX_LANES] = {};
    std::vector<group> groups;
};

/* A dotted part of a mnemonic. Comparing with a literal tests lengths first. */
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
    const emu_memory *half = nullptr; /* of a write: memory of the half that
                                         made it */
    int space = SPACE_NONE, size = 0, write = 0, merges = 0;
    bool by_8 = false;             /* sectors count for 8 lanes each    */
    emu_row sum = {};
    std::vector<gather> warps;
    unsigned reported = 0;         /* bit per error class               */
    unsigned number = 0;
    uint32_t mark = 0;             /* of its last access of global memory */
};

/* ---- Threads ------------------------------------------------------------ */

struct emu_thread {
    uint3 thread, block;
    dim3 threads, blocks;
    int lanes;
};

/* A store whose hook has run. Its new bytes are compared at the next event. */
struct pending {
    int size;
    uint64_t addr, offset;
    uint32_t shared_with;   /* bit per byte: another lane wrote it too */
    unsigned other;         /* site of the other write                 */
    int lane, warp;         /* of the other write                      */
    uint32_t polled;        /* bit per byte: volatile loads came before it,
                               which race if it changes the byte; the last: */
    unsigned poll;          /* its site, */
    int poll_lane, poll_warp; /* lane and warp */
    site *at;
    unsigned char old[32];
    bool is_global;         /* then `other` is a mark's number         */
};

struct warp;

/* Input and output of a lane in a warp collective. */
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

/* An array index out of bounds, as reported by the compiler's check. */
struct check_data;
struct beyond {
    const check_data *data;
    uint64_t index, pc;
};

struct fiber {
    emu_thread pub;      /* values of threadIdx and the like             */
    void *sp;
    char *stack;
    int tid, warp, lane, wait; /* warp: number within the cluster        */
    int rank;                  /* rank of its block in the cluster       */
    unsigned bar_id, bar_count, bar_total;
    bool bar_aligned;
    bool yields;               /* it only let others run */
    unsigned arrived, waited;  /* number of cluster barriers             */
    uint64_t bar_key, bar_parity;  /* the mbarrier that it waits for     */
    bool has_waited;               /* they are of its last wait          */
    unsigned fences;           /* proxy fences so far                    */
    unsigned watched;          /* register ranges that wgmma uses        */
    struct scope_use *scope;   /* the last scope it was in               */
    struct move_use *move;     /* the last move it began                 */
    const char *scope_name;    /* its name in the kernel                 */
    const emu_memory *half;    /* memory of its current half             */
    bool half_loads;
    bool at_scope;             /* it waits at that scope's barrier       */
    bool wgmma_fenced;
    unsigned char swizzle;     /* of TMA writes: see written */
    bool strong;               /* this access is volatile or relaxed   */
    bool tells;                /* it has stored nothing since a fence  */
    uint64_t polled;           /* address of its last strong load      */
    bool polls;                /* and of the one before                */
    bool compares;             /* its next atomic operation does so    */
    uint64_t came, met;        /* times: it arrived at the exchange in c; its
                                  last exchange took place */
    collective c;
    pending p;
    beyond left;               /* null: none to report */
    int depth;
    uint64_t hash, steps;
    uint64_t frames[MAX_DEPTH], hashes[MAX_DEPTH];
};

/* The threads that only arrived at one of the 16 barriers of a block. */
struct named_barrier {
    unsigned arrived = 0, count = 0;
    site *at = nullptr;
    std::vector<uint64_t> seen;    /* clocks that they know */
    std::vector<int> warps;        /* their warps */
    int early = -1;                /* a warp that did not wait for the last
                                      use */
};

/* The warps of a barrier's last use, and their clocks then. */
struct barrier_use {
    site *at = nullptr;
    std::vector<std::pair<int, uint64_t>> warps;
};

/* A cp.async in flight, in the order of issue of its thread. */
struct async_copy {
    uint64_t to, shadow;
    int size;
    site *at;
    unsigned char data[16];
};

/* What wgmma or TMA stores in flight read in shared memory, in units of 16
 * bytes of shadow memory, and when. */
struct reading {
    std::vector<uint64_t> chunks;
    uint64_t clock = 0;
    std::vector<uint32_t> marks;   /* of the bytes that it stores in global
                                      memory */
};

struct warp {
    std::vector<fiber *> lanes;
    std::vector<reading> groups;       /* the last one is not committed */
    uint64_t retired = 0;              /* number of completed groups */
    std::vector<uint64_t> reads;       /* time of each committed group */
    uint64_t products = 0;
    site *product_at = nullptr;
    std::vector<uint64_t> seen;    /* clock of each warp known to this one */
    std::vector<uint64_t> passed;  /* the same for execution only: their writes
                                      may not be visible yet */
    /* Set since a __syncwarp of some lanes, or a fence: what lane l knows of
     * lane m is known[MAX_LANES * l + m]. Otherwise each lane knows what all
     * did at earlier clocks. */
    bool split = false;
    std::vector<uint64_t> known;
    std::vector<uint64_t> fenced;  /* `seen` at the last fence; empty: none */
    std::vector<uint64_t> heard;   /* from flags that it loaded; it counts from
                                      the next fence or barrier on */
    std::vector<std::pair<site *, gather *>> touched;
};

/* ---- Memory ------------------------------------------------------------- */

/* The last write of a byte of shared memory. Clocks count barriers; `seen`
 * above orders them. */
struct written {
    uint64_t block, clock;
    unsigned at;          /* site number */
    short warp;
    unsigned char lane;
    bool many, atomic;
    bool async;           /* by the TMA unit */
    bool strong;          /* volatile */
    unsigned char swizzle; /* width of a tensor copy's swizzle; 16: none */
    unsigned fences;      /* proxy fences of the writer before it */
};

/* The last reads of a byte by one warp. */
struct readers {        /* or its atomic updates */
    uint64_t clock;
    unsigned at;
    unsigned char lane;
    bool many;
    bool strong;        /* reads that may poll a flag */
};

/* The last two accesses of 4 bytes of global memory by different warps, latest
 * first: a mark's number, with MANY_LANES if several lanes made them. */
struct word_use {
    uint32_t read[2], update[2];
};
static const uint32_t MANY_LANES = 1u << 31;

struct buffer {
    char *start;
    size_t size;
    char *block;                    /* to free; null: not allocated here */
    std::vector<unsigned char> valid;
    uint32_t *by = nullptr;         /* last store per byte: see global_mark */
    word_use *uses = nullptr;       /* per 4 bytes */
};

/* Accesses of global memory: thread, block and time. Both times are NOT_YET for
 * a store of the TMA unit that nothing has waited for. */
static const uint64_t NOT_YET = ~(uint64_t)0;
struct global_mark {
    uint64_t cluster, clock, event;
    unsigned block, at;             /* block in the grid, site */
    short warp;
    unsigned char lane;
};

/* One arrival at an mbarrier. */
struct arrival {
    const fiber *by;
    site *at;
    uint64_t clock;
};

/* A barrier in shared memory: arrivals and bytes missing in this phase, clocks
 * known to those who arrived, and clocks known at the end of the last phase. */
struct mbarrier {
    unsigned expected = 0, pending = 0;
    int64_t bytes = 0;
    uint64_t phase = 0;
    std::vector<uint64_t> arrived, known;
    site *at = nullptr;            /* where it was initialised */
    fiber *by = nullptr;
    unsigned fences = 0;
    uint64_t clock = 0;
    std::string name;
    /* Bytes announced by expect_tx in this phase, bytes of copies started, and
     * the first phase that ended with fewer bytes announced than started. */
    int64_t named = 0, started = 0;
    int64_t few_named = 0, few_started = 0;
    uint64_t few_phase = 0;
    std::vector<arrival> came, before; /* arrivals of this phase, of the last */
    uint64_t watched = 0;          /* last phase whose begin a wait saw */
};

/* A TMA load in flight to one block. */
struct bulk_load {
    uint64_t bar;                  /* key of its mbarrier */
    int owner;
    std::vector<std::pair<uint64_t, unsigned char>> bytes; /* by address */
    std::vector<uint64_t> seen;
    site *at;
    const fiber *by;
};

/* Registers that a wgmma reads or writes until its group is waited for. */
struct register_range {
    uint64_t lo, hi, group;
    bool input, busy;
    site *at;
};

/* Asynchronous readers of 16 bytes of shared memory. */
struct busy_chunk {
    unsigned count;
    site *at;
    const char *what;
};

/* Arguments of cuTensorMapEncodeTiled. */
struct tensor_map {
    uint64_t address = 0, dims[5] = {}, strides[5] = {};
    unsigned rank = 0, bytes = 0, box[5] = {}, swizzle = 0;
};

/* A variable of the section emu_shared. `shadow`: position of its first byte in
 * shadow memory, which has no gaps. */
struct object {
    uint64_t start, end;
    std::string name;
    uint64_t shadow;
    uint64_t launch = 0;    /* last launch that took its address */
    uint64_t counted = 0;   /* last launch that accessed it */
};

/* A shared variable, or the dynamic memory, of each block of a cluster. The
 * running block's copy is in place; the others are stored here. */
struct image {
    size_t size;
    std::vector<std::vector<char>> of;
};

/* The copies of a thread at a cp.async.commit_group. */
typedef std::vector<async_copy> copy_group;

struct phase_rule {
    int banks, n, basis[6];
};

struct finding {
    int kind;
    site *at, *other;
    std::string text, other_text, whole;
    int barrier = -1;   /* of a race: level of the missing barrier */
    uint64_t times = 1, event = 0;  /* count, and last event */
    uint64_t launch = 0;
    std::string hint;   /* of a race between moves: their scope */
    std::string note;   /* which element of an operand it is */
};

/* A race of a plain load with atomic updates. It is none if the thread then
 * compares and swaps there: the load was a guess. */
struct guess {
    const fiber *by;
    uint64_t place;     /* as in `flags` */
    bool barrier;       /* found by emu_race */
    finding what;
};

struct target {
    int lanes = 32, banks = 32, merge = 1;
    unsigned gfx = 0;               /* 0x942 for gfx942; 0: not AMD        */
    size_t static_limit = 48 << 10; /* limit for __shared__ variables      */
    std::map<std::pair<int, int>, phase_rule> rules;
};

/* The threads of a block that entered a scope or reached its barrier. */
struct scope_use {
    std::string name;
    unsigned threads = 0;
    std::vector<int> numbers;      /* by thread; -1: did not enter */
    std::vector<site *> places;    /* where it entered first       */
    site *at = nullptr;            /* the barrier's site           */
    std::vector<bool> came;        /* at the barrier, by number    */
    bool varies = false;           /* a thread had several numbers */
};

/* A move: how often each thread began it, by number, and where threads waited
 * after that. `waits` is true for a wait beyond the own warp. */
struct move_use {
    site *at = nullptr;
    std::string scope;             /* empty: none */
    std::vector<unsigned> came;
    std::map<site *, bool> waits;
    bool fills = false;            /* a half that fills a tile */
};

/* The last access of a warp to another block's shared memory. */
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
    int ranks = 1;                  /* blocks of a cluster; they run together */
    int each = 1;                   /* warps per block */
    void (*entry)(void *);
    char *params;
    size_t param_bytes;
    std::vector<fiber *> fibers;
    std::vector<warp> warps;        /* after those of the blocks: one for the
                                       TMA unit of each block, then one for the
                                       tensor core of each warpgroup */
    std::vector<fiber> engines;     /* units that run beside the threads */
    std::vector<char *> stacks;
    fiber *cur = nullptr;
    void *sched_sp = nullptr;
    bool dead = false;
    int live = 0, last_error = 0;
    uint64_t limit = 300000;        /* accesses between two barriers       */
    uint64_t block_id = 0, clock = 1;    /* block_id: one per cluster */
    std::vector<named_barrier> named;    /* 16 for each block */
    std::vector<barrier_use> uses;       /* the last use of each */
    std::map<std::tuple<int, std::string, unsigned>, scope_use> scopes;
                                    /* by rank of the block, name, threads */
    std::map<std::pair<int, uint64_t>, move_use> moves; /* and address   */
    bool half_unwritten = false;    /* a half has read unwritten bytes */
    std::map<std::pair<int, int>, remote_use> remote; /* by rank of the accessed
                                                         block, and warp */
    std::vector<uint64_t> arrived_seen[2]; /* clocks known at a cluster barrier,
                                              by parity of its use */
    std::vector<uint64_t> arrived_passed[2]; /* the same with relaxed
                                                arrivals */
    /* memory */
    uint64_t shared_lo, shared_hi;  /* bounds of the section emu_shared   */
    uint64_t dyn_shadow = 0;        /* dynamic memory in shadow memory    */
    size_t dyn_size = 0;
    size_t dyn_limit = NO_LIMIT;   /* limit for the next launch */
    size_t static_bytes = 0;        /* of the variables that a launch uses */
    char *dyn;
    written *writes = nullptr;      /* per block and byte                 */
    readers *reads = nullptr;       /* [block][byte][warp]                */
    readers *updates = nullptr;     /* the same for atomic updates        */
    bool updated = false;           /* updates and under are in use       */
    written *under = nullptr;       /* the last plain write of bytes that were
                                       updated after it */
    readers *same = nullptr;        /* as updates: plain writes of one value by
                                       several warps */
    bool agreed = false;            /* same is in use                     */
    std::unordered_map<uint64_t, std::vector<uint64_t>> flags; /* what is known
                                       to those who load a flag, by place */
    uint64_t meetings = 0;          /* counts arrivals at exchanges and
                                       exchanges */
    size_t shadow_bytes = 0, shadow_warps = 0;
    int shadow_ranks = 0;
    std::unordered_map<uint64_t, site *> in_flight; /* by shadow / 4: bytes that
                                                       a cp.async has not
                                                       delivered */
    std::unordered_map<const fiber *, std::vector<copy_group>> copies;
    std::map<uint64_t, mbarrier> mbarriers; /* by shadow address, in a
                                               cluster */
    std::vector<bulk_load> loads;   /* in flight, oldest first */
    std::unordered_map<const fiber *, std::vector<reading>> stores;
    std::unordered_map<const fiber *, std::vector<register_range>> registers;
    std::unordered_map<const fiber *, std::vector<uint64_t>> fence_seen;
    std::unordered_map<uint64_t, busy_chunk> busy;
    std::vector<tensor_map> maps;
    std::map<uint64_t, uint64_t> grid_constants; /* their ends, by start */
    std::map<uint64_t, image> images; /* by address, in a cluster         */
    int in_place = 0;               /* rank whose shared memory is in place */
    std::map<uint64_t, buffer> buffers;
    std::vector<global_mark> marks;        /* of this launch; the first */
    uint32_t first_mark = 1;        /* has number `first_mark`     */
    size_t read_marks = 0;          /* how many of them are of loads */
    unsigned cluster_index = 0;
    std::vector<uint64_t> released; /* by block: its last fence or atomic
                                       operation */
    std::vector<uint64_t> fenced;   /* by block: its last fence */
    std::vector<bool> acquired;     /* by rank: whether it had one           */
    std::vector<object> objects;
    std::vector<std::pair<uint64_t, uint64_t>> constants;
    /* results */
    std::unordered_map<uint64_t, site *> site_of;
    std::vector<site *> sites;
    std::vector<emu_row> rows;
    std::vector<finding> findings, told; /* as found; then one per place, cause
                                            first */
    std::vector<guess> guesses;     /* of this cluster */
    const fiber *guesser = nullptr; /* findings now are guesses of this one, */
    uint64_t guessed = 0;           /* at that place */
    std::string (*note)(const void *) = nullptr; /* describes the operand being
                                                    read */
    const void *note_of = nullptr;
    bool retell = false;            /* `told` is out of date */
    uint64_t launches = 0;
    uint64_t event = 0;             /* counts accesses and exchanges */
    bool faulty = false;            /* an unexpected finding was made */
    std::map<std::pair<unsigned, unsigned>, int> barriers; /* barrier level that
                                                              the races of two
                                                              sites need */
    std::string all_errors;
    std::string exe;
    uint64_t slide = 0;
};

extern emulator *emu_self_;
emulator *emu_get(void);            /* creates it at the first call */

/* emu.cc */
void emu_park(void);                /* switches to the scheduler   */
[[noreturn]] void emu_abandon(void);
uint64_t emu_live_mask(const warp &w);
std::string emu_index(const uint3 &i);
std::string emu_writer(const global_mark &m, bool with_block);
std::string emu_block(unsigned number);
bool emu_blocks_left(void);         /* some have not begun         */

/* emu_warp.cc */
void emu_collect(fiber *f);

/* emu_scope.cc */
std::string emu_same_number(const fiber *f, int warp);

/* emu_hooks.cc */
void emu_tell_beyond(fiber *f);

/* emu_address.cc */
uint64_t emu_shared_addr(uint64_t offset);
uint64_t emu_shadow(uint64_t addr, int owner);
std::string emu_place(uint64_t addr);
uint64_t emu_matching_shared(uint64_t low, int bits);
bool emu_has_static_tile(void);     /* its address may have more bits */
void emu_enter_block(int rank);     /* puts its shared memory in place    */
const char *emu_far_bytes(uint64_t addr, int owner);
void emu_memory_init(void);

/* emu_race.cc */
void emu_settle(fiber *f);
void emu_memory_begin(void);

/* emu_global.cc */
void emu_global_begin(void);
void emu_order(fiber *f, bool fence); /* a fence or a strong store */
void emu_global_store(fiber *f, uint64_t addr, unsigned size, const void *now,
                      site *at, reading &r); /* written by the TMA unit */
void emu_global_stored(fiber *f, reading &r); /* a wait for it has ended */

/* emu_order.cc */
void emu_fence_lanes(fiber *f);
void emu_flag(fiber *f, uint64_t place, bool loads, bool stores);
void emu_hear(warp &w);
void emu_sync_lanes(warp &w, const std::vector<fiber *> &in, uint64_t live);

/* emu_mem.cc */
void emu_strong(fiber *f, uint64_t addr, int write);
void emu_access(fiber *f, uint64_t addr, int size, int write, site *at,
                int owner = -1,     /* rank of the block with the memory; -1:
                                       f's */
                bool atomic = false);
void emu_copy_begin(fiber *f, uint64_t to, const void *data, int size,
                    site *at);
void emu_copy_commit(fiber *f);
void emu_copy_wait(fiber *f, size_t pending_groups);
void emu_shared_check(fiber *f, uint64_t addr, int size, site *at, int owner);
void emu_global_check(fiber *f, uint64_t addr, uint64_t size, int write,
                      site *at);
void emu_async_read(fiber *f, fiber *engine, uint64_t addr, site *at,
                    const char *what, reading &r,
                    int owner = -1); /* rank of the block; -1: f's */
void emu_async_write(fiber *f, uint64_t addr, int owner, site *at,
                     int size = 16);
const written *emu_copied(uint64_t shadow); /* by a tensor copy; or null */
void emu_async_done(reading &r);
void emu_in_flight(uint64_t shadow, int size, site *at);  /* null: it has
                                                             arrived */

/* emu_count.cc */
void emu_flush(int warp);
void emu_count(site *s, const fiber *f, bool active, uint64_t at);

/* emu_async.cc */
int emu_engines(void);              /* per block: 1 + warpgroups */
fiber *emu_engine(const fiber *f, bool tensor); /* knows what f knows */
bool emu_wgmma_ready(const warp &w);
void emu_async_begin(void);
void emu_async_end(void);
bool emu_release_mbarriers(int rank);
std::string emu_mbarrier_state(const fiber *f);
bool emu_has_begun(const fiber *f); /* some have arrived at its mbarrier */
bool emu_never_began(const fiber *f); /* nothing ever arrived there */
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

/* One TMA copy: a box of a tensor map, or plain bytes if map is null. */
struct bulk_call {
    const tensor_map *map = nullptr;
    int32_t at[5] = {};
    uint64_t global = 0, bytes = 0;
    mbarrier_place shared = {0, 0}, bar = {0, 0};
    unsigned blocks = 0;           /* mask of a multicast; 0: one block */
    bool is_multicast = false;
};
const char *emu_bulk_load(fiber *f, const bulk_call &c, site *s);
/* Returns an error message for a multicast to these blocks, or null. */
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
    bool sparse = false;           /* a has k / 2 columns; e: metadata */
    bool scaled = false;           /* by block scales */
    bool quads = false;            /* one product per quad pair */
    uint32_t e = 0, select = 0;
    int scales = 0;                /* per row of the product; 0: none */
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

/* A warp's operation on tensor memory. */
struct tmem_call {
    int what = 0, group = 0;       /* .cta_group; 0: none */
    uint32_t address = 0, columns = 0;
    mbarrier_place to = {0, 0};    /* where the address is stored */
    std::string shape, problem;
    bool packed = false;           /* .pack::16b or .unpack::16b */
    int split = 0;
    std::vector<uint64_t> r;       /* registers */
    site *at = nullptr;
};
void emu_tmem_collective(warp &w, uint64_t active);

/* An operation that one thread starts: a matrix product, or a copy of a to
 * d. */
struct tmem_product {
    std::string kind;
    int group = 1, scales = 0;     /* per row; 0: none */
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
void emu_guess(const fiber *by, uint64_t place); /* null: no more */
void emu_guessed(const fiber *by, uint64_t place); /* forgets them */
void emu_tell_guesses(void);
std::string emu_text(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
void emu_find_overflow(fiber *f, uint64_t pc);
void emu_report_init(void);

#define EMU_PC ((uint64_t)__builtin_return_address(0))

#endif
