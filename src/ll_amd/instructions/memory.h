/* ---- Instructions: memory --------------------------------------------- */
#ifndef LL_AMD_INSTRUCTIONS_MEMORY_H
#define LL_AMD_INSTRUCTIONS_MEMORY_H

#include "bodies.h"

#ifdef LL_AMD_DEVICE_

/* ds_read, ds_write (ds_load, ds_store from gfx11 on): the address must be a
 * multiple of the width. Loads of 8 and 16 bits fill the upper bits with
 * zeros. */
LL_DEVICE ll_words ll_amd_ds_read_b8(unsigned address) {
    LL_AMD_LOADED_(, 3, 1, ll_amd_b8_, 1);
}

LL_DEVICE ll_words ll_amd_ds_read_b16(unsigned address) {
    LL_AMD_LOADED_(, 3, 1, ll_amd_b16_, 1);
}

LL_DEVICE ll_words ll_amd_ds_read_b32(unsigned address) {
    LL_AMD_LOADED_(, 3, 1, ll_amd_b32_, 1);
}

LL_DEVICE ll_words ll_amd_ds_read_b64(unsigned address) {
    LL_AMD_LOADED_(, 3, 2, ll_amd_b64_, 1);
}

LL_DEVICE ll_words ll_amd_ds_read_b128(unsigned address) {
    LL_AMD_LOADED_(, 3, 4, ll_amd_b128_, 1);
}

LL_DEVICE void ll_amd_ds_write_b8(unsigned address, ll_words v) {
    LL_AMD_STORED_(, 3, 1, ll_amd_b8_, 1)
}

LL_DEVICE void ll_amd_ds_write_b16(unsigned address, ll_words v) {
    LL_AMD_STORED_(, 3, 1, ll_amd_b16_, 1)
}

LL_DEVICE void ll_amd_ds_write_b32(unsigned address, ll_words v) {
    LL_AMD_STORED_(, 3, 1, ll_amd_b32_, 1)
}

LL_DEVICE void ll_amd_ds_write_b64(unsigned address, ll_words v) {
    LL_AMD_STORED_(, 3, 2, ll_amd_b64_, 1)
}

LL_DEVICE void ll_amd_ds_write_b128(unsigned address, ll_words v) {
    LL_AMD_STORED_(, 3, 4, ll_amd_b128_, 1)
}

/* ds_read2, ds_write2 access two places: at `address` plus A and plus B times
 * the width of a place. The words of the first place come first. The functions
 * make two accesses; the compiler joins them into one instruction. */
#define LL_AMD_READ2_(n, read)                                              \
    ll_words v = read(address + 4 * n * A_);                                \
    const ll_words b = read(address + 4 * n * B_);                          \
    static_assert(A_ < 256 && B_ < 256,                                     \
                  "ll: ds_read2: A_ and B_ must be below 256");             \
    for (unsigned k = 0; k < n; ++k) {                                      \
        v.w[n + k] = b.w[k];                                                \
    }                                                                       \
    return v
#define LL_AMD_WRITE2_(n, write)                                            \
    ll_words b = LL_ZERO;                                                   \
    static_assert(A_ < 256 && B_ < 256,                                     \
                  "ll: ds_write2: A_ and B_ must be below 256");            \
    for (unsigned k = 0; k < n; ++k) {                                      \
        b.w[k] = v.w[n + k];                                                \
    }                                                                       \
    write(address + 4 * n * A_, v);                                         \
    write(address + 4 * n * B_, b)

template <unsigned A_, unsigned B_>
LL_DEVICE ll_words ll_amd_ds_read2_b32(unsigned address) {
    LL_AMD_READ2_(1, ll_amd_ds_read_b32);
}

template <unsigned A_, unsigned B_>
LL_DEVICE ll_words ll_amd_ds_read2_b64(unsigned address) {
    LL_AMD_READ2_(2, ll_amd_ds_read_b64);
}

template <unsigned A_, unsigned B_>
LL_DEVICE void ll_amd_ds_write2_b32(unsigned address, ll_words v) {
    LL_AMD_WRITE2_(1, ll_amd_ds_write_b32);
}

template <unsigned A_, unsigned B_>
LL_DEVICE void ll_amd_ds_write2_b64(unsigned address, ll_words v) {
    LL_AMD_WRITE2_(2, ll_amd_ds_write_b64);
}

/* ds_read_b64_tr_b16, _b8, _b4: all 64 lanes must call them. Each lane passes
 * the address of 8 bytes, a multiple of 8, and groups of 16 lanes exchange
 * their elements. ll_amd_ds_read_tr returns the layout. (The layouts of 8 and 4
 * bits are Triton's; no public source confirms them on hardware.) */
#if !LL_EMULATE
template <unsigned GFX_> struct ll_amd_tr_ {
    typedef short v4i16 __attribute__((vector_size(8)));
    typedef int v2i32 __attribute__((vector_size(8)));
};
#define LL_AMD_READ_TR_(name, T_, address)                                  \
    ((ll_amd_b64_)LL_AMD_(ds_read_##name##_##T_)(                           \
        LL_AMD_AT_(3, typename ll_amd_tr_<GFX_>::T_, address)))
#endif
#define LL_AMD_TURNED_(name, T, text)                                       \
    LL_AMD_NEEDS_(GFX_, text, "gfx950");                                    \
    const ll_amd_b64_ x =                                                   \
        LL_AMD_READ_TR_(name, T, LL_AMD_WORD_(GFX_, address));              \
    ll_words v = LL_ZERO;                                                   \
    LL_AMD_TO2_(v, x);                                                      \
    return v

template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE ll_words ll_amd_ds_read_tr16_b64(unsigned address) {
    LL_AMD_TURNED_(tr16_b64, v4i16, "ds_read_tr16_b64");
}

template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE ll_words ll_amd_ds_read_tr8_b64(unsigned address) {
    LL_AMD_TURNED_(tr8_b64, v2i32, "ds_read_tr8_b64");
}

template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE ll_words ll_amd_ds_read_tr4_b64(unsigned address) {
    LL_AMD_TURNED_(tr4_b64, v2i32, "ds_read_tr4_b64");
}

/* global_load, global_store: the address must be a multiple of the width. A
 * lane with `on` 0 accesses nothing, and its load returns zeros. _nt is for
 * data that is used once: it does not displace other data from the caches (bits
 * nt, slc or th: NT of the instruction). */
LL_DEVICE ll_words ll_amd_global_load_b8(unsigned long long address,
                                         unsigned on) {
    LL_AMD_LOADED_(, 1, 1, ll_amd_b8_, on);
}

LL_DEVICE ll_words ll_amd_global_load_b16(unsigned long long address,
                                          unsigned on) {
    LL_AMD_LOADED_(, 1, 1, ll_amd_b16_, on);
}

LL_DEVICE ll_words ll_amd_global_load_b32(unsigned long long address,
                                          unsigned on) {
    LL_AMD_LOADED_(, 1, 1, ll_amd_b32_, on);
}

LL_DEVICE ll_words ll_amd_global_load_b64(unsigned long long address,
                                          unsigned on) {
    LL_AMD_LOADED_(, 1, 2, ll_amd_b64_, on);
}

LL_DEVICE ll_words ll_amd_global_load_b128(unsigned long long address,
                                           unsigned on) {
    LL_AMD_LOADED_(, 1, 4, ll_amd_b128_, on);
}

LL_DEVICE void ll_amd_global_store_b8(unsigned long long address, ll_words v,
                                      unsigned on) {
    LL_AMD_STORED_(, 1, 1, ll_amd_b8_, on)
}

LL_DEVICE void ll_amd_global_store_b16(unsigned long long address, ll_words v,
                                       unsigned on) {
    LL_AMD_STORED_(, 1, 1, ll_amd_b16_, on)
}

LL_DEVICE void ll_amd_global_store_b32(unsigned long long address, ll_words v,
                                       unsigned on) {
    LL_AMD_STORED_(, 1, 1, ll_amd_b32_, on)
}

LL_DEVICE void ll_amd_global_store_b64(unsigned long long address, ll_words v,
                                       unsigned on) {
    LL_AMD_STORED_(, 1, 2, ll_amd_b64_, on)
}

LL_DEVICE void ll_amd_global_store_b128(unsigned long long address, ll_words v,
                                        unsigned on) {
    LL_AMD_STORED_(, 1, 4, ll_amd_b128_, on)
}

LL_DEVICE ll_words ll_amd_global_load_nt_b8(unsigned long long address,
                                            unsigned on) {
    LL_AMD_LOADED_(NT_, 1, 1, ll_amd_b8_, on);
}

LL_DEVICE ll_words ll_amd_global_load_nt_b16(unsigned long long address,
                                             unsigned on) {
    LL_AMD_LOADED_(NT_, 1, 1, ll_amd_b16_, on);
}

LL_DEVICE ll_words ll_amd_global_load_nt_b32(unsigned long long address,
                                             unsigned on) {
    LL_AMD_LOADED_(NT_, 1, 1, ll_amd_b32_, on);
}

LL_DEVICE ll_words ll_amd_global_load_nt_b64(unsigned long long address,
                                             unsigned on) {
    LL_AMD_LOADED_(NT_, 1, 2, ll_amd_b64_, on);
}

LL_DEVICE ll_words ll_amd_global_load_nt_b128(unsigned long long address,
                                              unsigned on) {
    LL_AMD_LOADED_(NT_, 1, 4, ll_amd_b128_, on);
}

LL_DEVICE void ll_amd_global_store_nt_b8(unsigned long long address, ll_words v,
                                         unsigned on) {
    LL_AMD_STORED_(NT_, 1, 1, ll_amd_b8_, on)
}

LL_DEVICE void ll_amd_global_store_nt_b16(unsigned long long address,
                                          ll_words v, unsigned on) {
    LL_AMD_STORED_(NT_, 1, 1, ll_amd_b16_, on)
}

LL_DEVICE void ll_amd_global_store_nt_b32(unsigned long long address,
                                          ll_words v, unsigned on) {
    LL_AMD_STORED_(NT_, 1, 1, ll_amd_b32_, on)
}

LL_DEVICE void ll_amd_global_store_nt_b64(unsigned long long address,
                                          ll_words v, unsigned on) {
    LL_AMD_STORED_(NT_, 1, 2, ll_amd_b64_, on)
}

LL_DEVICE void ll_amd_global_store_nt_b128(unsigned long long address,
                                           ll_words v, unsigned on) {
    LL_AMD_STORED_(NT_, 1, 4, ll_amd_b128_, on)
}

/* buffer_load, buffer_store access a buffer of global memory, `offset` bytes
 * from its start. p and the size in bytes must be the same in all lanes. Beyond
 * the end a load returns zeros and a store does nothing; no access may straddle
 * the end. Word 3 of the resource is the same as in LLVM's MLIR: elements of 32
 * bits; from gfx10 on the hardware checks only the offset. */
#if LL_EMULATE || __clang_major__ >= 19
#if !LL_EMULATE
typedef __amdgpu_buffer_rsrc_t ll_amd_buffer;
#endif

template <unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE ll_amd_buffer ll_amd_make_buffer_rsrc(const void *p,
                                                unsigned bytes) {
    return LL_AMD_(make_buffer_rsrc)(const_cast<void *>(p), 0, (int)bytes,
                                     GFX_ < 0x1000u ? 0x27000 : 0x31027000);
}

#define LL_AMD_FETCHED_(load, n, T)                                         \
    const T x = LL_AMD_(load)(buffer, (int)offset, 0, 0);                   \
    ll_words v = LL_ZERO;                                                   \
    LL_AMD_TO##n##_(v, x);                                                  \
    return v

LL_DEVICE ll_words ll_amd_raw_buffer_load_b8(ll_amd_buffer buffer,
                                             unsigned offset) {
    LL_AMD_FETCHED_(raw_buffer_load_b8, 1, ll_amd_b8_);
}

LL_DEVICE ll_words ll_amd_raw_buffer_load_b16(ll_amd_buffer buffer,
                                              unsigned offset) {
    LL_AMD_FETCHED_(raw_buffer_load_b16, 1, ll_amd_b16_);
}

LL_DEVICE ll_words ll_amd_raw_buffer_load_b32(ll_amd_buffer buffer,
                                              unsigned offset) {
    LL_AMD_FETCHED_(raw_buffer_load_b32, 1, ll_amd_b32_);
}

LL_DEVICE ll_words ll_amd_raw_buffer_load_b64(ll_amd_buffer buffer,
                                              unsigned offset) {
    LL_AMD_FETCHED_(raw_buffer_load_b64, 2, ll_amd_b64_);
}

LL_DEVICE ll_words ll_amd_raw_buffer_load_b128(ll_amd_buffer buffer,
                                               unsigned offset) {
    LL_AMD_FETCHED_(raw_buffer_load_b128, 4, ll_amd_b128_);
}

LL_DEVICE void ll_amd_raw_buffer_store_b8(ll_amd_buffer buffer, unsigned offset,
                                          ll_words v) {
    LL_AMD_(raw_buffer_store_b8)
    (LL_AMD_OF1_(ll_amd_b8_, v), buffer, (int)offset, 0, 0);
}

LL_DEVICE void ll_amd_raw_buffer_store_b16(ll_amd_buffer buffer,
                                           unsigned offset, ll_words v) {
    LL_AMD_(raw_buffer_store_b16)
    (LL_AMD_OF1_(ll_amd_b16_, v), buffer, (int)offset, 0, 0);
}

LL_DEVICE void ll_amd_raw_buffer_store_b32(ll_amd_buffer buffer,
                                           unsigned offset, ll_words v) {
    LL_AMD_(raw_buffer_store_b32)
    (LL_AMD_OF1_(ll_amd_b32_, v), buffer, (int)offset, 0, 0);
}

LL_DEVICE void ll_amd_raw_buffer_store_b64(ll_amd_buffer buffer,
                                           unsigned offset, ll_words v) {
    LL_AMD_(raw_buffer_store_b64)
    (LL_AMD_OF2_(ll_amd_b64_, v), buffer, (int)offset, 0, 0);
}

LL_DEVICE void ll_amd_raw_buffer_store_b128(ll_amd_buffer buffer,
                                            unsigned offset, ll_words v) {
    LL_AMD_(raw_buffer_store_b128)
    (LL_AMD_OF4_(ll_amd_b128_, v), buffer, (int)offset, 0, 0);
}
#endif

/* global_load_lds copies BYTES bytes from each lane's global address `from` to
 * LDS, in the order of the lanes: the bytes of lane l go to `to` + BYTES * l.
 * `to` must be the same in all lanes. BYTES is 1, 2 or 4 on gfx9 and gfx10, on
 * gfx950 also 12 or 16. The data has arrived after the next
 * ll_amd_s_barrier. */
template <unsigned BYTES_, unsigned GFX_ = LL_AMD_HERE_>
LL_DEVICE void ll_amd_global_load_lds(unsigned to, unsigned long long from) {
    constexpr bool wide = BYTES_ > 4;
    static_assert(wide || ll_amd_on_<GFX_>("global_load_lds"),
                  "ll: global_load_lds of 1, 2 or 4 bytes is an instruction of "
                  "gfx9 and gfx10");
    static_assert(!wide || ll_amd_on_<GFX_>("global_load_lds 16"),
                  "ll: global_load_lds of 12 or 16 bytes is an instruction of "
                  "gfx950");
    static_assert(BYTES_ == 1 || BYTES_ == 2 || BYTES_ == 4 || BYTES_ == 12 ||
                      BYTES_ == 16,
                  "ll: global_load_lds: BYTES_ must be 1, 2, 4, 12 or 16");
    LL_AMD_(global_load_lds)(LL_AMD_AT_(1, void, from),
                             LL_AMD_AT_(3, void, LL_AMD_WORD_(GFX_, to)),
                             ll_amd_on_<GFX_>("global_load_lds 16") || !wide
                                 ? BYTES_
                                 : 4,
                             0, 0);
}

#undef LL_AMD_LOADED_
#undef LL_AMD_STORED_
#undef LL_AMD_READ2_
#undef LL_AMD_WRITE2_
#undef LL_AMD_TURNED_
#undef LL_AMD_FETCHED_

#endif

#endif
