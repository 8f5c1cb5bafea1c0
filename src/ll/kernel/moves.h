/* The plan of that name, for which an array of shared memory must be large
 * enough. Of a pointer, and of an array without a size, nothing is known. */
template <unsigned given_, unsigned needed_> struct ll_bytes_are_ {
    static_assert(given_ >= needed_,
                  "ll: the array of shared memory has given_ bytes below, and "
                  "needed_ are needed: LL_SMEM_BYTES of the plan");
};
template <class PLAN_, unsigned BYTES_,
          bool IS_ = ll_is_plan_<PLAN_>::value && (BYTES_ > 0)>
struct ll_within_ {
    typedef PLAN_ type;
};
template <class PLAN_, unsigned BYTES_>
struct ll_within_<PLAN_, BYTES_, true>
    : ll_bytes_are_<BYTES_, LL_GET(PLAN_).smem_bytes> {
    typedef PLAN_ type;
};
template <class PLAN_, class T_, decltype(sizeof 0) N_>
LL_BOTH_ ll_within_<PLAN_, (unsigned)sizeof(T_[N_])> ll_within_of_(T_ (&)[N_]) {
    return {};
}
template <class PLAN_> LL_BOTH_ ll_within_<PLAN_, 0> ll_within_of_(...) {
    return {};
}
#define LL_MOVE_(move, PLAN, smem)                                          \
    move<ll_scope_,                                                         \
         typename decltype(ll_within_of_<LL_TYPE_(PLAN)>(smem))::type>

/* Arguments that no move takes, such as pointers in place of arrays: what a
 * call means if nothing else fits. */
#define LL_OTHERWISE_(move, text)                                           \
    template <class SCOPE_, class PLAN_> LL_DEVICE void move(...) {         \
        static_assert(sizeof(SCOPE_) == 0, "ll: " text);                    \
    }
#define LL_NO_TILE_(move, text)                                             \
    template <class SCOPE_, class LAYOUT_, unsigned HOW_>                   \
    LL_DEVICE void move(...) {                                              \
        static_assert(sizeof(SCOPE_) == 0, "ll: " text);                    \
    }
LL_NO_TILE_(ll_load_tile_, "LL_LOAD(a, LAYOUT, src, ld [, rows, cols]): a is "
            "an array, not a pointer, src a pointer to elements, ld, rows and "
            "cols are numbers")
LL_NO_TILE_(ll_store_tile_, "LL_STORE(a, LAYOUT, dst, ld [, rows, cols]): a is "
            "an array, not a pointer, dst a pointer to elements, ld, rows and "
            "cols are numbers")
LL_OTHERWISE_(ll_convert_, "LL_CONVERT(b, a, PLAN, smem): b and a are arrays, "
              "not pointers")
LL_OTHERWISE_(ll_store_shared_, "LL_STORE_SHARED(a, PLAN, smem): a is an "
              "array, not a pointer")
LL_OTHERWISE_(ll_load_shared_, "LL_LOAD_SHARED(b, PLAN, smem): b is an array, "
              "not a pointer")
LL_OTHERWISE_(ll_copy_tile_, "LL_COPY(PLAN, smem, src, ld [, rows, cols]): src "
              "is a pointer to elements, ld, rows and cols are numbers, both "
              "or none")
LL_OTHERWISE_(ll_reduce_, "LL_REDUCE(b, a, PLAN, smem, op): b and a are arrays "
              "of one type, not pointers, and op is an operation")
LL_OTHERWISE_(ll_reduce_each_, "LL_REDUCE_EACH(c, a, PLAN, smem, op): c and a "
              "are arrays of one type, not pointers, and op is an operation")
LL_OTHERWISE_(ll_scan_, "LL_SCAN(b, a, PLAN, smem, op): b and a are arrays of "
              "one type, not pointers, and op is an operation")
LL_OTHERWISE_(ll_scan_before_, "LL_SCAN_BEFORE(b, a, PLAN, smem, op, first): b "
              "and a are arrays of one type, not pointers, op is an operation "
              "and first an element")
LL_OTHERWISE_(ll_gather_, "LL_GATHER(out, src, idx, PLAN, smem): out, src and "
              "idx are arrays, not pointers, idx of unsigned")
#undef LL_OTHERWISE_
#undef LL_NO_TILE_

/* The moves. Include ll_ptx.h or ll_amd.h: a kernel changes vendor by its
 * #include and the targets of its plans.
 *
 * The registers of a lane are an array of LL_REGS(LAYOUT) elements, of any type
 * whose size is that of the layout's elements. Or they are an array of
 * LL_WORDS(LAYOUT, element_bits) unsigned words, each of which holds several
 * elements of 8 or 16 bits, as the operands of matrix instructions do; that
 * saves registers.
 *
 * Elements of 4 bits are pairs in bytes, of even and odd register numbers: an
 * array of LL_REGS(LAYOUT) / 2 ll_b4x2, or of LL_WORDS(LAYOUT, 4) words. In
 * memory the pairs are of columns 2j and 2j + 1, src and dst are pointers to
 * ll_b4x2, and ld, cols and the multiples that they have to be count pairs.
 * LL_LOAD and LL_STORE need a register bit that is column bit j0; LL_CONVERT
 * takes any layouts. LL_LOAD, LL_STORE, LL_CONVERT, LL_COPY and the halves of
 * conversions take elements of 4 bits. Elements of 6 bits are bytes.
 *
 * LL_LOAD(a, LAYOUT, src, ld): fills a with a tile of a row-major matrix. src
 * points to the tile's first element; ld is the distance of rows in elements.
 * LL_LOAD(a, LAYOUT, src, ld, rows, cols) loads only the first rows and cols of
 * the tile and gives zeros elsewhere. A layout with one axis is one row: ld has
 * no effect, and rows is 1. LL_STORE(a, LAYOUT, dst, ld [, rows, cols]) stores
 * a tile, one copy of each element. src, dst, ld and cols are multiples of what
 * one access moves, LL_VECTOR(LAYOUT, T) elements: 16 bytes, or less where the
 * layout has less side by side. A layout that lacks a bit of an axis, such as
 * "register: j0 j2", is valid: only the part of the tile where that bit is 0 is
 * moved. static_assert(ll_is_surjective(LL_GET(LAYOUT)), "") excludes that.
 *
 * LL_LOAD_BY(a, LAYOUT, how, src, ld [, rows, cols]) and LL_STORE_BY(a, LAYOUT,
 * how, dst, ..) choose how. LL_STREAM: the data is used once and leaves the
 * caches to other data. LL_WIDE: accesses have 32 bytes where the layout has as
 * many side by side, such as LL_ROWS(.rows = 64, .cols = 64, .bytes = 2,
 * .access = 32), and the target has such accesses: sm_100 and later, CUDA 12.9.
 * On every target, src, dst, ld and cols are then multiples of
 * LL_VECTOR_BY(LAYOUT, how, T) elements. LL_STREAM | LL_WIDE asks for both.
 *
 * LL_CONVERT(b, a, PLAN, smem): registers a of the plan's first layout become
 * registers b of its second. All threads of the block, or of the scope of an
 * LL_IN, take part: as many as the larger layout has. If the smaller one has n
 * warps, warp w is taken to hold copies of the elements of warp w mod n. For
 * FROM they are loaded by a layout that has them, LL_LAYOUT(ALL,
 * ll_resize_in(LL_GET(FROM), LL_WARP, warps)); if those warps hold anything
 * else, each side needs a plan of its own through one memory (section 24). smem
 * points to LL_SMEM_BYTES(PLAN) bytes of shared memory, 16-byte aligned. If
 * that memory was in use before, the caller first waits for the block, or only
 * for the warp if both plans are of one tensor and type and wait for no more
 * themselves (LL_OP_SYNC_WARP). A plan of kind LL_CLUSTER (sm_90) needs a
 * kernel whose clusters have LL_BLOCKS(LAYOUT) blocks. All of them take part,
 * with smem at the same address in each, and LL_CONVERT returns when all have
 * loaded. LL_STORE_SHARED(a, PLAN, smem) and LL_LOAD_SHARED(b, PLAN, smem) are
 * the halves of LL_CONVERT, for kernels that put other work or other barriers
 * between them. With a cluster's plan LL_LOAD_SHARED waits at its end, as
 * LL_CONVERT does.
 *
 * LL_COPY(PLAN, smem, src, ld [, rows, cols]) replaces LL_LOAD and
 * LL_STORE_SHARED: a tile goes from row-major memory straight to where the plan
 * would store it, with zeros beyond rows and cols, and no lane waits. The tile
 * is there after its threads have called LL_COPY_WAIT and the block a barrier.
 * LL_COPY_COMMIT() makes a group of the copies before it, and LL_COPY_WAIT(n)
 * waits for all groups but the last n. src, ld and cols are multiples of
 * LL_VECTOR(FROM, T), as for LL_LOAD. The plan is LL_PLAN_BY(PLAN, FROM, TO,
 * bits, target, LL_COPIES), whose memory keeps pieces of 4, 8 or 16 bytes of a
 * row whole, or a plan through that memory (section 24). For sm_80 and later.
 * With a FROM made by ll_rows_for(TO) it feeds matrix operands by ldmatrix. Two
 * buffers hide the latency of memory:
 *
 *     LL_COPY(FEED, smem[0], src, ld);
 *     LL_COPY_COMMIT();
 *     for (unsigned k = 0; k < tiles; ++k) {
 *         if (k + 1 < tiles) {
 *             LL_COPY(FEED, smem[(k + 1) % 2], src + 64 * (k + 1), ld);
 *         }
 *         LL_COPY_COMMIT();
 *         LL_COPY_WAIT(1);
 *         __syncthreads();
 *         LL_LOAD_SHARED(a, FEED, smem[k % 2]);
 *         ...
 *         __syncthreads();
 *     }
 *
 * LL_REDUCE(b, a, REDUCTION, smem, op): combines registers a of the reduction's
 * layout along the axis into registers b of ll_reduce. op(x, y) is a function
 * of two elements, such as a lambda. Which of two operands is x is not
 * specified: if op(x, y) and op(y, x) have the same bits, all copies of a
 * result do. Nothing is padded in, so the sum of -0.0 is -0.0, and op alone
 * decides what becomes of a NaN. smem is as for LL_CONVERT. a, b and op have
 * one element type. It may be a struct of up to 16 bytes, so that one pass
 * combines a largest element and the sum of exponentials below it, a mean and
 * its moments, or a value and its index. If the axis is spread over the `block`
 * of the layout (sm_90), the whole cluster takes part, as in LL_CONVERT.
 * ll_add(), ll_min(), ll_max(), ll_and(), ll_or() and ll_xor() are operations.
 * Of int and unsigned they combine the lanes of a warp by one instruction where
 * the target has it, which is sm_80 and later.
 *
 * LL_SCAN(b, a, SCAN, smem, op): combines each element of registers a with all
 * before it along the axis, into registers b; in op(x, y), x comes before y.
 * LL_SCAN_BEFORE(b, a, SCAN, smem, op, first): combines only those before it,
 * or gives `first` if there are none. op must have no side effects, since some
 * of its results are not used. Nothing is padded in, so the sum of -0.0 is
 * -0.0, and op alone decides what becomes of a NaN. smem is as for LL_CONVERT.
 *
 * LL_GATHER(out, src, idx, PLAN, smem): out[r] is the element of src for which
 * index idx[r] asks along the axis of an LL_GATHER_PLAN. All three arrays are
 * spread over the block. smem is as for LL_CONVERT. idx has 32-bit words of one
 * index each, or of two or four, the first lowest: LL_WORDS(INDEX, 16) or
 * LL_WORDS(INDEX, 8) words. Only the lowest bits of an index count, as many as
 * the axis has, so no index reads out of bounds. If src, idx and out are more
 * words than a thread has registers (255), give the kernel
 * __launch_bounds__(threads, 1): without the 1, ptxas may settle for 32
 * registers and spill four times as much.
 *
 * LL_REDUCE_EACH(c, a, REDUCTION, smem, op) reduces and brings the result back
 * to where the elements are: c[r] is the result of the line of a[r], as a
 * softmax needs it. LL_SPREAD(c, b, REDUCTION) is the second part alone, for
 * what was made of the results b of LL_REDUCE; it moves nothing between lanes.
 *
 * Reductions, scans and gathers have halves, too. The first one stores to smem
 * and returns what it keeps in registers, the second one continues after a
 * barrier that the caller provides, and other work fits between:
 *
 *     const auto state = LL_REDUCE_STORE(a, REDUCTION, smem, op);
 *     ..
 *     LL_SYNC();
 *     LL_REDUCE_LOAD(b, state, REDUCTION, smem, op);
 *
 * In the same way LL_SCAN_STORE(a, SCAN, smem, op) stands before
 * LL_SCAN_LOAD(b, state, SCAN, smem, op) or LL_SCAN_LOAD_BEFORE(b, state, SCAN,
 * smem, op, first), and LL_GATHER_STORE(src, PLAN, smem) before
 * LL_GATHER_LOAD(out, state, idx, PLAN, smem).
 *
 * LL_EACH(r, LAYOUT) loops over the registers. LL_AT(LAYOUT, d, r) is
 * coordinate d of register r in this thread, and in this block of the cluster
 * if the layout has several. LL_LOAD and LL_STORE take the layout of one block;
 * the kernel adds the start of the block to src or dst. */
#define LL_LOAD_BY(a, LAYOUT, how, ...)                                     \
    ll_load_tile_<ll_scope_, LL_TYPE_(LAYOUT), how>(a, __VA_ARGS__)
#define LL_STORE_BY(a, LAYOUT, how, ...)                                    \
    ll_store_tile_<ll_scope_, LL_TYPE_(LAYOUT), how>(a, __VA_ARGS__)
#define LL_LOAD(a, LAYOUT, ...) LL_LOAD_BY(a, LAYOUT, 0, __VA_ARGS__)
#define LL_STORE(a, LAYOUT, ...) LL_STORE_BY(a, LAYOUT, 0, __VA_ARGS__)
#define LL_CONVERT(b, a, PLAN, smem)                                        \
    LL_MOVE_(ll_convert_, PLAN, smem)(b, a, LL_SHARED_(smem))
#define LL_STORE_SHARED(a, PLAN, smem)                                      \
    LL_MOVE_(ll_store_shared_, PLAN, smem)(a, LL_SHARED_(smem))
#define LL_LOAD_SHARED(b, PLAN, smem)                                       \
    LL_MOVE_(ll_load_shared_, PLAN, smem)(b, LL_SHARED_(smem))
#define LL_COPY(PLAN, smem, ...)                                            \
    LL_MOVE_(ll_copy_tile_, PLAN, smem)(LL_SHARED_(smem), __VA_ARGS__)
#define LL_COPY_COMMIT() ll_moves_<ll_vendor_, 64>::commit()
#define LL_COPY_WAIT(n) ll_moves_<ll_vendor_, 64>::wait_copies<n>()
#define LL_REDUCE(b, a, REDUCTION, smem, ...)                               \
    LL_MOVE_(ll_reduce_, REDUCTION, smem)(                                  \
        b, a, LL_SHARED_(smem), LL_GIVEN_(__VA_ARGS__))
#define LL_SCAN(b, a, SCAN, smem, ...)                                      \
    LL_MOVE_(ll_scan_, SCAN, smem)(                                         \
        b, a, LL_SHARED_(smem), LL_GIVEN_(__VA_ARGS__))
#define LL_SCAN_BEFORE(b, a, SCAN, smem, ...)                               \
    LL_MOVE_(ll_scan_before_, SCAN, smem)(                                  \
        b, a, LL_SHARED_(smem), LL_GIVEN_(__VA_ARGS__))
#define LL_GATHER(out, src, idx, PLAN, smem)                                \
    LL_MOVE_(ll_gather_, PLAN, smem)(out, src, idx, LL_SHARED_(smem))
#define LL_REDUCE_STORE(a, REDUCTION, smem, ...)                            \
    LL_MOVE_(ll_reduce_store_, REDUCTION, smem)(                            \
        a, LL_SHARED_(smem), LL_GIVEN_(__VA_ARGS__))
#define LL_REDUCE_LOAD(b, state, REDUCTION, smem, ...)                      \
    LL_MOVE_(ll_reduce_load_, REDUCTION, smem)(                             \
        b, state, LL_SHARED_(smem), LL_GIVEN_(__VA_ARGS__))
#define LL_REDUCE_EACH(c, a, REDUCTION, smem, ...)                          \
    LL_MOVE_(ll_reduce_each_, REDUCTION, smem)(                             \
        c, a, LL_SHARED_(smem), LL_GIVEN_(__VA_ARGS__))
#define LL_SPREAD(c, b, REDUCTION) ll_spread_<LL_TYPE_(REDUCTION)>(c, b)
#define LL_SCAN_STORE(a, SCAN, smem, ...)                                   \
    LL_MOVE_(ll_scan_store_, SCAN, smem)(                                   \
        a, LL_SHARED_(smem), LL_GIVEN_(__VA_ARGS__))
#define LL_SCAN_LOAD(b, state, SCAN, smem, ...)                             \
    LL_MOVE_(ll_scan_load_, SCAN, smem)(                                    \
        b, state, LL_SHARED_(smem), LL_GIVEN_(__VA_ARGS__))
#define LL_SCAN_LOAD_BEFORE(b, state, SCAN, smem, ...)                      \
    LL_MOVE_(ll_scan_load_before_, SCAN, smem)(                             \
        b, state, LL_SHARED_(smem), LL_GIVEN_(__VA_ARGS__))
#define LL_GATHER_STORE(src, PLAN, smem)                                    \
    LL_MOVE_(ll_gather_store_, PLAN, smem)(src, LL_SHARED_(smem))
#define LL_GATHER_LOAD(out, state, idx, PLAN, smem)                         \
    LL_MOVE_(ll_gather_load_, PLAN, smem)(out, state, idx, LL_SHARED_(smem))
#define LL_VECTOR_BY(LAYOUT, how, T)                                        \
    LL_NUMBER_(ll_tile_of(LL_NAMED_LAYOUT_(LAYOUT),                         \
                          ll_is_b4x2_<T>::value ? 4u : 8u * sizeof(T),      \
                          (how) & LL_WIDE ? 32 : 16)                        \
                   .bytes /                                                 \
               (unsigned)sizeof(T))
#define LL_VECTOR(LAYOUT, T) LL_VECTOR_BY(LAYOUT, 0, T)
#define LL_EACH(r, LAYOUT)                                                  \
    LL_UNROLL for (unsigned r = 0; r < LL_REGS(LAYOUT); ++r)
#define LL_AT(LAYOUT, d, r)                                                 \
    ll_place_of_<ll_scope_, LL_TYPE_(LAYOUT),                               \
                 ll_named_axis_<LL_TYPE_(LAYOUT), ll_is_axis_(d),           \
                                ll_axis_(d)>::value>(r)

#endif

