/* Private: returns the bits that the descriptors of wgmma and tcgen05 share. */
LL_FN unsigned long long ll_ptx_desc_bits_(ll_ptx_desc d, unsigned address) {
    return ((address + d.at) >> 4 & 0x3fffu) |
           (unsigned long long)(d.lbo >> 4) << 16 |
           (unsigned long long)(d.sbo >> 4) << 32;
}

/* ll_ptx_desc_wgmma(d, address), ll_ptx_desc_tcgen05(d, address): the 64 bits
 * that the instruction takes for a tile at a shared memory address in bytes,
 * or for its slice d.at bytes later. The address is aligned to the pattern of
 * the swizzle: 128 bytes for swizzle 0, else 8 times `swizzle`. The result is
 * 0 if d has an error, or a mode that wgmma lacks. Source (sm_90a): PTX,
 * "Matrix descriptor" of wgmma, "Shared memory descriptor" of tcgen05.
 * Example: ll_ptx_desc_wgmma(ll_ptx_desc_of(
 *          ll_ptx_smem_k(64, 64, 16, 128), 64, 16, 16), 1024) is
 *          0x4000004000010040;
 */
LL_FN unsigned long long ll_ptx_desc_wgmma(ll_ptx_desc d, unsigned address) {
    const unsigned long long mode = d.swizzle == 128u  ? 1u
                                    : d.swizzle == 64u ? 2u
                                    : d.swizzle == 32u ? 3u
                                                       : 0u;
    return d.err || d.atom != 16u ? 0u
                                  : ll_ptx_desc_bits_(d, address) | mode << 62;
}

LL_FN unsigned long long ll_ptx_desc_tcgen05(ll_ptx_desc d, unsigned address) {
    const unsigned long long mode = d.atom == 32u       ? 1u
                                    : d.swizzle == 128u ? 2u
                                    : d.swizzle == 64u  ? 4u
                                    : d.swizzle == 32u  ? 6u
                                                        : 0u;
    return d.err ? 0u
                 : ll_ptx_desc_bits_(d, address) | 1ull << 46 | mode << 61;
}

