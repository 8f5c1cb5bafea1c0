/* ---- Errors of AMD's instructions ------------------------------------- */
#ifndef LL_AMD_ERRORS_H
#define LL_AMD_ERRORS_H

/* The errors of the functions in ll_amd.h alone. They are in ll.h because
 * ll_strerror has all sentences. */
#define LL_AMD_ERRORS(X, n)                                                 \
    X(n, LL_EMFMA, 56,                                                      \
      "an MFMA has m = n of 4, 16 or 32, one block or as many "             \
      "as fill the lanes, bits of 4 to 64 (SMFMAC 8, 16), and a "           \
      "k that an instruction has with them")                                \
    X(n, LL_EWMMA, 57,                                                      \
      "a WMMA has gfx 0x1100 to 0x1103, 0x1150 to 0x1153, "                 \
      "0x1200 or 0x1201 (SWMMAC the last two), 32 or 64 lanes, "            \
      "bits of 4, 8, 16 (C: 16, 32), and a k that an "                      \
      "instruction has with them")                                          \
    X(n, LL_EMODIFIER, 58,                                                  \
      "cbsz is at most log2 of the blocks, abid below "                     \
      "2^cbsz, blgp at most 7, an index set within 32 "                     \
      "bits, high 0 or 1")                                                  \
    X(n, LL_ETRANSPOSE, 59,                                                 \
      "no transposing load has elements of so many bits")

#endif
