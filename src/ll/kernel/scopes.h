/* ---- Scopes ----------------------------------------------------------- */
#ifndef LL_KERNEL_SCOPES_H
#define LL_KERNEL_SCOPES_H

#include "constants.h"

/* A scope is a group of threads that call LL_LOAD, LL_CONVERT etc. together. It
 * gives each thread its number, and has the count and the barrier of the
 * threads. Without a scope they are the threads of a one-dimensional block.
 *
 * LL_SCOPE(NAME, number, threads, barrier) declares a scope, in a kernel, a
 * function or a namespace. number: an expression of threadIdx that counts from
 * 0 in the order of the lanes, so a scope consists of whole warps. threads: a
 * constant, the LL_THREADS of the layouts. barrier: executed where these calls
 * synchronise:
 *
 *     __syncthreads()       all threads of the block: each executes it equally
 *                           often, also without an ll call
 *     LL_BARRIER(id)        the named barrier id, a constant from 1 to 15 (0 is
 *                           __syncthreads), for the threads of the scope alone
 *                           (NVIDIA)
 *     LL_BARRIER_AT(id)     the same with an id that differs between threads,
 *                           such as 1 + threadIdx.x / 128
 *     LL_BARRIER_WARP()     one warp, in a scope of one warp
 *     LL_BARRIER_CLUSTER()  all threads of the cluster (NVIDIA, sm_90): for
 *                           plans of kind LL_CLUSTER
 *
 * or any other expression that waits for these threads. AMD's targets have no
 * named barriers; a compiler error says so.
 *
 * LL_IN(NAME); puts all ll calls, LL_AT too, from there to the end of the
 * enclosing braces into the scope. LL_SYNC() executes the barrier of the scope
 * in force. LL_THREAD() is the number of a thread in a block of any shape.
 *
 *     LL_SCOPE(LOADERS, threadIdx.x, 128, LL_BARRIER(1));
 *     LL_SCOPE(WORKERS, threadIdx.x - 128, 256, LL_BARRIER(2));
 *
 *     __global__ void kernel(..) {
 *         if (threadIdx.x < 128) {
 *             LL_IN(LOADERS);
 *             LL_LOAD(a, ROWS, src, ld);
 *             ..
 *         } else {
 *             LL_IN(WORKERS);
 *             LL_CONVERT(c, b, PLAN, smem);
 *             ..
 *         }
 *     }
 *
 * One warp can hand tiles to four. A plan needs max(LL_THREADS(FROM),
 * LL_THREADS(TO)) threads, and so does each of its halves. If the sides differ,
 * a plan of both layouts chooses the memory, and each side has its own plan
 * through that memory, of its own layout alone. LL_SYNC() in a scope of all
 * five warps hands over one of two tiles:
 *
 *     LL_PLAN_BY(TURN, ONE_WARP, FOUR, 32, LL_SM90, LL_COPIES);
 *     LL_PLAN_THROUGH(PUT, ONE_WARP, ONE_WARP, 32, LL_SM90,
 *                     LL_GET(TURN).memory);
 *     LL_PLAN_THROUGH(TAKE, FOUR, FOUR, 32, LL_SM90, LL_GET(TURN).memory);
 *     LL_SCOPE(GIVER, threadIdx.x, 32, LL_BARRIER_WARP());
 *     LL_SCOPE(TAKERS, threadIdx.x - 32, 128, LL_BARRIER(1));
 *     LL_SCOPE(BOTH, threadIdx.x, 160, LL_BARRIER(2));
 *
 *     LL_IN(BOTH);
 *     for (unsigned k = 0; k < tiles; ++k) {
 *         if (threadIdx.x < 32) {
 *             LL_IN(GIVER);
 *             LL_COPY(PUT, smem[k % 2], src + k * step, ld);
 *             LL_COPY_COMMIT();
 *             LL_COPY_WAIT(0);
 *         }
 *         LL_SYNC();
 *         if (threadIdx.x >= 32) {
 *             LL_IN(TAKERS);
 *             LL_LOAD_SHARED(a, TAKE, smem[k % 2]);
 *             ..
 *         }
 *     }
 *
 *     LL_SCOPE(ALL, LL_THREAD(), 256, __syncthreads());
 *
 * is the scope of a block of dim3(16, 16). A function that a kernel calls does
 * not see the kernel's scope: it is a template over a scope, or has its own
 * LL_IN.
 *
 * The compiler checks that a scope has as many threads as the layouts of its ll
 * calls. Which threads make a call is known only at run time. The emulator
 * always checks their numbers and lanes, that every number arrives at the
 * scope's barrier, and that no number occurs twice. With LL_DEBUG the GPU
 * checks each thread that makes a call; if its number is wrong, it prints a
 * message and stops. */

#ifdef LL_DEVICE

/* The emulator reports a scope by name, with threads that never arrived. */
#if LL_EMULATE
#define LL_CALLED_(NAME) static const char *ll_name_() { return #NAME; }
#define LL_CAME_(V_, SCOPE)                                                 \
    V_::came(SCOPE::ll_name_(), SCOPE::ll_thread_(), SCOPE::ll_threads_)
#else
#define LL_CALLED_(NAME)
#define LL_CAME_(V_, SCOPE) (void)0
#endif

#define LL_SCOPE(NAME, number, threads, ...)                                \
    static_assert(sizeof #__VA_ARGS__ > 1,                                  \
                  "ll: LL_SCOPE(" #NAME ", number, threads, barrier): the " \
                  "barrier is missing");                   \
    struct NAME##_ll_ {                                                     \
        typedef NAME##_ll_ ll_self_;                                        \
        enum : unsigned { ll_threads_ = (threads) };                        \
        LL_DEVICE unsigned ll_thread_() { return (unsigned)(number); }      \
        LL_CALLED_(NAME)                                                    \
        LL_DEVICE auto ll_sync_() { return __VA_ARGS__; }                   \
    };                                                                      \
    typedef ll_named_<NAME##_ll_, ll_source_> NAME LL_UNUSED_

/* A vendor's header defines LL_BY_VENDOR_(function) as the function. Without
 * one, what needs it says which header to include. */
template <class... T_> LL_DEVICE unsigned ll_no_vendor_(T_ &&...) {
    return ll_vendor_header_<sizeof...(T_) * 0>();
}
#define LL_BY_VENDOR_(...) ll_no_vendor_
#define LL_SHARED_ADDRESS_(smem) 0u

/* The hooks of a scope, from the vendor's header. */
struct ll_vendor_;
template <class SCOPE_> struct ll_vendor_in_;
template <class SCOPE_, class = void> struct ll_scope_of_ {
    static_assert(sizeof(SCOPE_) == 0,
                  "ll: LL_IN takes the name of a scope of LL_SCOPE");
    typedef ll_vendor_ type;
};
template <class SCOPE_>
struct ll_scope_of_<SCOPE_, decltype((void)SCOPE_::ll_threads_)> {
    typedef ll_vendor_in_<SCOPE_> type;
};
#define LL_IN(NAME)                                                         \
    typedef typename ll_scope_of_<NAME>::type ll_scope_                     \
        LL_UNUSED_

#define LL_THREAD()                                                         \
    (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))

/* The hooks that a vendor's header provides. ll_vendor_::moves<lanes> is a type
 * V for warps of that many lanes. ll_vendor_in_<SCOPE>::moves<lanes> is the
 * same for a scope, with V::threads the count of its threads, elsewhere 0:
 *
 *     V::thread()  the number of the thread in its block
 *     V::shared(p)  the address of p in shared memory
 *     V::lanes  the lanes of a warp
 *     V::permute(a, b, selector)  bytes of two words
 *     V::low_halves(a, b)  the low halves of two words; another word gets
 *         the high ones
 *     V::choose<OTHER>(a, b, on)  word b if `on` is not 0, else a; OTHER is 1
 *         for the second of two exchanged words, which may take another way
 *     V::exchange<XOR>(x), V::shuffle(x, lane)  the word x of another lane
 *     V::hop<HOP, CONTROL>(x)  the word x of another lane, by one hop
 *     V::swap<LANE>(a, b)  exchanges word a of each lane that has the bit LANE
 *         with word b of the lane that differs in that bit
 *     V::put<FORM, BYTES>(address, v), V::take<FORM, BYTES>(address)  an access
 *         to shared memory
 *     V::store<HOW, BYTES>(address, v, on), V::load<HOW, BYTES>(address, on)
 *         an access to global memory in lanes where `on` is not 0 (elsewhere a
 *         load returns 0); LL_STREAM in HOW may be ignored
 *     V::widest  the largest such access with LL_WIDE, in bytes
 *     V::copy<BYTES>(to, from), V::copy_some<BYTES>(to, from, on)  copies from
 *         global to shared memory; writes zeros where `on` is 0
 *     V::commit(), V::wait_copies<N>()  closes a group of copies; waits for all
 *         groups but the last N
 *     V::wait_warp(), V::wait_block()  barriers
 *     V::wait_named<ID, THREADS>(), V::wait_named_at<THREADS>(id)  barriers of
 *         some threads of the block, if V::named is 1
 *
 * V::hop and V::swap are for targets that have them. An emulator is also told
 * who moves what:
 *
 *     V::enter(scope, number, threads, lanes)  a thread begins an ll call
 *     V::came(scope, number, threads)  it arrives at the barrier of a scope
 *     V::columns(cols, each, all)  the columns of a tile inside the matrix
 *     V::half(&memory, is_load)  a half of a plan begins, through a V::memory
 *         that is known while it runs; with a null pointer it ends
 *
 * For clusters also:
 *
 *     V::block()  the rank of the thread's own block
 *     V::dsmem(address, block)  the address in another block's shared memory
 *     V::take_dsmem<BYTES>(address), V::wait_cluster()
 *
 * V::stores and V::loads (a bit for each form), V::copies and V::clusters say
 * what the GPU supports that the code is compiled for. */

/* The vendor's hooks for warps of LANES lanes. */
template <class VENDOR_, unsigned LANES_>
using ll_moves_ = typename VENDOR_::template moves<LANES_>;

/* The barriers of scopes. A cluster's barrier is recognised by its type. */
struct ll_of_cluster_ {};

template <class VENDOR_, class SCOPE_, unsigned ID_>
LL_DEVICE void ll_named_barrier_() {
    typedef ll_moves_<VENDOR_, 64> moves;
    constexpr unsigned threads = SCOPE_::ll_threads_;
    constexpr bool fits = ID_ - 1u < 15u && threads % 32u == 0;
    static_assert(moves::named,
                  "ll: LL_BARRIER: this GPU has no named barriers: use "
                  "__syncthreads() or LL_BARRIER_WARP()");
    static_assert(fits,
                  "ll: LL_BARRIER: the id must be 1 to 15 (0 is "
                  "__syncthreads), and the scope must be of whole warps");
    if constexpr (moves::named && fits) {
        moves::template wait_named<ID_, threads>();
    }
}

template <class VENDOR_, class SCOPE_>
LL_DEVICE void ll_named_barrier_at_(unsigned id) {
    typedef ll_moves_<VENDOR_, 64> moves;
    static_assert(moves::named,
                  "ll: LL_BARRIER_AT: this GPU has no named barriers: use "
                  "__syncthreads() or LL_BARRIER_WARP()");
    if constexpr (moves::named) {
        moves::template wait_named_at<SCOPE_::ll_threads_>(id);
    }
}

template <class VENDOR_> LL_DEVICE ll_of_cluster_ ll_cluster_barrier_() {
    typedef ll_moves_<VENDOR_, 64> moves;
    static_assert(moves::clusters,
                  "ll: LL_BARRIER_CLUSTER: this GPU has no clusters");
    if constexpr (moves::clusters) {
        moves::wait_cluster();
    }
    return {};
}

#define LL_BARRIER(id)                                                      \
    LL_BY_VENDOR_(ll_named_barrier_<ll_vendor_, ll_self_, (id)>)()
#define LL_BARRIER_AT(id)                                                   \
    LL_BY_VENDOR_(ll_named_barrier_at_<ll_vendor_, ll_self_>)(id)
#define LL_BARRIER_WARP()                                                   \
    LL_BY_VENDOR_(ll_moves_<ll_vendor_, 64>::wait_warp)()
#define LL_BARRIER_CLUSTER() LL_BY_VENDOR_(ll_cluster_barrier_<ll_vendor_>)()
#define LL_SYNC() LL_BY_VENDOR_(ll_moves_<ll_scope_, 64>::wait_block)()

/* A scope adds its thread number and its barrier to a vendor's hooks. */
template <class V_, class SCOPE_> struct ll_scoped_hooks_ : V_ {
    enum : unsigned { threads = SCOPE_::ll_threads_ };
    LL_DEVICE unsigned thread() { return SCOPE_::ll_thread_(); }
    LL_DEVICE void wait_block() {
        LL_CAME_(V_, SCOPE_);
        SCOPE_::ll_sync_();
    }
    LL_DEVICE void wait_cluster() {
        constexpr bool all =
            ll_is_same_<decltype(SCOPE_::ll_sync_()), ll_of_cluster_>::value;
        static_assert(all, "ll: a plan of kind LL_CLUSTER needs a scope with "
                           "the barrier LL_BARRIER_CLUSTER()");
        LL_CAME_(V_, SCOPE_);
        SCOPE_::ll_sync_();
    }
};

/* Checks at the start of a call by n threads, in warps of `lanes` lanes. At
 * compile time: the scope has n threads. At run time (emulator, LL_DEBUG): the
 * block has at least n threads, in x if there is no scope, and each arriving
 * thread has a number below n and the expected lane. The emulator also knows
 * the other threads, and the name of the scope, which is 0 without LL_IN. */
#if LL_EMULATE
LL_DEVICE const char *ll_scope_name_(const void *) { return 0; }
template <class V_, class SCOPE_>
LL_DEVICE const char *ll_scope_name_(const ll_scoped_hooks_<V_, SCOPE_> *) {
    return SCOPE_::ll_name_();
}

template <class V_, unsigned THREADS_, unsigned LANES_>
LL_DEVICE void ll_check_threads_() {
    V_::enter(ll_scope_name_((const V_ *)0), V_::thread(), THREADS_, LANES_);
}
#elif LL_DEBUG
#ifdef __clang__
#define LL_STOP_ __builtin_trap()
#else
#define LL_STOP_ __trap()
#endif
#define LL_REFUSE_(number, threads)                                         \
    (LL_THREAD() % 32u == 0 || number >= threads                            \
         ? (void)printf("ll: thread %u of a block of %u x %u x %u is number " \
                        "%u of a call by %u threads; numbers must count "   \
                        "from 0 in the order of the lanes, along x if "     \
                        "there is no LL_IN: see LL_SCOPE\n",                \
                        LL_THREAD(), blockDim.x, blockDim.y,                \
                        blockDim.z, number, threads)                        \
         : (void)0,                                                         \
     LL_STOP_)

template <class V_, unsigned THREADS_, unsigned LANES_>
LL_DEVICE void ll_check_threads_() {
    const unsigned number = V_::thread();
    const unsigned more = V_::threads ? blockDim.y * blockDim.z : 1u;
    const bool whole = blockDim.x * more >= THREADS_;
    if (!whole || number >= THREADS_ ||
        (number ^ LL_THREAD()) % LANES_ != 0) {
        LL_REFUSE_(number, THREADS_);
    }
}
#endif

/* Also checks that the matrix's columns are whole accesses of the tile S.
 * Otherwise the last access would cross the matrix's end. */
#if LL_EMULATE
#define LL_CHECK_COLS_(V_, S_, T_, cols)                                    \
    V_::columns(cols, (unsigned)(S_::bytes / sizeof(T_)),                   \
                1u << S_::value.col_bits)
#elif LL_DEBUG
template <unsigned EACH_, unsigned ALL_>
LL_DEVICE void ll_check_cols_(unsigned cols) {
    if (cols < ALL_ && cols % EACH_ != 0) {
        (void)printf("ll: a tile has %u columns inside the matrix, not a "
                     "multiple of the %u that one access moves\n", cols, EACH_);
        LL_STOP_;
    }
}
#define LL_CHECK_COLS_(V_, S_, T_, cols)                                    \
    ll_check_cols_<S_::bytes / sizeof(T_), 1u << S_::value.col_bits>(cols)
#else
#define LL_CHECK_COLS_(V_, S_, T_, cols) (void)0
#endif

#if LL_EMULATE || LL_DEBUG
#define LL_CHECK_(V_, n, lanes) ll_check_threads_<V_, (n), (lanes)>()
#else
#define LL_CHECK_(V_, n, lanes) (void)0
#endif

/* The compiler's note prints both numbers. GIVEN is 0 without LL_IN. */
template <unsigned GIVEN_, unsigned NEEDED_> struct ll_scope_has_ {
    static_assert(GIVEN_ == 0 || GIVEN_ == NEEDED_,
                  "ll: the scope has GIVEN_ threads below, but must have "
                  "NEEDED_, the LL_THREADS of the layouts (give a side with "
                  "fewer warps its own plan by LL_PLAN_THROUGH)");
    enum : bool { value = true };
};
#define LL_ENTER_MOVE_(V_, n, lanes)                                        \
    static_assert(ll_scope_has_<V_::threads, (n)>::value, "");              \
    LL_CHECK_(V_, n, lanes)

#endif

#endif
