/* ---- Errors of AMD's instructions ------------------------------------- */
#ifndef LL_AMD_ERRORS_H
#define LL_AMD_ERRORS_H

/* The errors that only functions of ll_amd.h return. They are in ll.h because
 * ll_strerror returns the sentence of any error. */
#define LL_AMD_ERRORS(X, n)                                                 \
    X(n, LL_EMFMA, 56,                                                      \
      "MFMA: m = n must be 4, 16 or 32, blocks 1 or as many as "            \
      "fill the lanes, bits 4 to 64 (SMFMAC: 8 or 16), and k as "           \
      "an instruction has it for these")                                    \
    X(n, LL_EWMMA, 57,                                                      \
      "WMMA: gfx must be 0x1100 to 0x1103, 0x1150 to 0x1153, "              \
      "0x1200 or 0x1201 (SWMMAC: the last two), lanes 32 or 64, "           \
      "bits 4, 8 or 16 (C: 16 or 32), and k as an instruction "             \
      "has it for these")                                                   \
    X(n, LL_EMODIFIER, 58,                                                  \
      "cbsz must be at most log2 of the blocks, abid below "                \
      "2^cbsz, blgp at most 7, an index set within 32 bits, "               \
      "high 0 or 1")                                                        \
    X(n, LL_ETRANSPOSE, 59,                                                 \
      "a transposing load needs elements of 4, 8 or 16 bits "               \
      "(ds_load_tr: 8 or 16)")

#endif
