"""reasons.py - why figures are below their goals, by measurement.

Each entry names a section of bench/results/README.md, a pattern of the lines
there, and the reason. An entry that no line has any more is an error of
`report.py check`.
"""

REASONS = [
    ("matmul", r"^(bf16|f16|e4m3)",
     "all run at the power limit of the card (1,440 to 1,700 MHz of 1,980 "
     "under load), and since this record the peer's time no longer counts "
     "the host's before a burst. Tried, and at most 0.5 % faster: the store "
     "under the next tile, every second tile backwards in k, 4 or 16 columns"
     " of tiles at a time, a staggered warpgroup, clusters of four, tiles of"
     " 200 to 232 rows"),
    ("matmul", r"products of models",
     "with few rows a launch takes 5 us beside its loads, of which adding "
     "shares is 2. Tried: weights prefetched before the kernel waits for the"
     " one before (2.6 % slower), two blocks a processor (1.05 for one row, "
     "0.5 to 0.9 from 64 rows on), pairs of blocks (5 to 17 % slower), tiles"
     " of one warpgroup (in use). Work cut evenly by k was not tried"),
    ("scaled", r"rows? of A and column",
     "power: cuBLASLt's kernel has tiles of 128 x 128 and six stages. One "
     "like it reaches 0.95 to 0.99 of it sustained, but 0.98 to 1.00 rested;"
     " clusters of 1, 2 and 4, groups of 2 to 64 tiles, three warpgroups and"
     " the store under the next tile made no difference"),
    ("scaled", r"128 x 128 of B",
     "power. Slower were three warpgroups (1,183 TFLOP/s rested), partial "
     "sums of 64 and 96 columns (1,172, 1,258), two sets of partial sums "
     "(1,211), A in registers (1,279), and warpgroups in turns by named "
     "barriers (1,296)"),
    ("grouped", r"",
     "since this record the peers' time no longer counts the host's before a"
     " burst: `torch.mm` gained 12 %. The choice among tiles is the best "
     "measured one in six of seven lists; the rest is as for one product"),
    ("attention", r"e4m3",
     "heads of 128: exponentials take 45 % of the time of their units, "
     "products 41 %, instructions 49 % of the issue slots, and they coincide"
     " between warpgroups; heads of 64: three warpgroups need 1,632 cycles "
     "of exponentials a round of 2,475. Slower for 64 (597 TFLOP/s then): a "
     "part of the exponentials as polynomials (519 to 577), two warpgroups "
     "(522), products ahead with 64 keys (523), an exact integer maximum "
     "(555)"),
    ("lowbit", r"m = 16:",
     "two products for each fragment of weights: ncu sees 47 % of the memory"
     " rate and 58 % of the issue slots used at 3.6 warps a scheduler. At "
     "16384 the weights alone take 33.6 us; activations without arithmetic "
     "40.6 and arithmetic without activations 40.0, so either costs the "
     "goal. Tried: wgmma in their place, blocks of other heights and numbers"
     " of parts along k, loops rolled and unrolled"),
    ("lowbit", r"(int4|nvfp4), e4m3, m = ",
     "a scale that is no power of two is multiplied in f16 and rounded once "
     "to e4m3: 508 instructions for 64 x 64 weights of s4, 368 for mxfp4. "
     "Scales applied to sums of 64 of k would take more"),
    ("lowbit", r"e4m3, n = k = (4096|8192|16384), m = (1|8):",
     "sm_90 has no mma.sync of e4m3 (it becomes conversions and products of "
     "f16), so that with few tokens the weights are unpacked to f16, and "
     "those of s4 and nvfp4 are rounded to e4m3 before. At 16384 wgmma "
     "multiplies e4m3 and is hidden"),
    ("lowbit", r"n = k = 4096, m = (1|8):",
     "weights alone take 3.3 to 3.9 us in this kernel, and nvfp4 has a scale"
     " for each 16; a plain read takes 3.4 us back to back"),
    ("reshard", r"of a plain read",
     "each block takes a ticket by an atomic addition to one word and asks "
     "for the peers' flags by others. Without flags the kernels reach 0.97 "
     "to 1.03 of the plain read in the five pairs that were tried, at both "
     "sizes; with tiles of 32 KiB, half as many, 0.95 to 0.995 at 1 GiB and "
     "0.82 to 0.92 at 64 MiB; with tiles of 8 KiB 0.65 to 0.88; without the "
     "last wait as here"),
    ("more", r"permute, .* to (021|0213|42031|71503264)",
     "runs of 64 bytes or less on one side (0.88 to 0.95), and odd sizes are"
     " read from any byte on: tiles of 8 to 32 KiB by words and by elements "
     "were tried, and neighbours of short axes are merged"),
    ("kernels", r"layernorm, bf16, rows of \d*[1357]:",
     "each 16 bytes of weights are read as two vectors and shifted, since rows"
     " start anywhere. For 1015 that is done vector by vector in 80 registers"
     "; all at once it took 128 (0.68 of the copy). Slower there: warps that "
     "stay (0.54 to 0.57), copies ahead (0.68 to 0.71), weights in shared "
     "memory, 72 and 112 registers"),
    ("kernels", r"norm backward",
     "the sums over rows stay in registers, 96 to 168 a lane, so that 12 to "
     "16 warps a multiprocessor wait for each row's reduction: ncu sees 45 to"
     " 75 % of the issue slots and 79 to 83 % of the memory's peak used. "
     "Adding the sums of blocks takes another 2 to 3 %. Slower: rows and "
     "weights read twice from shared memory for fewer registers (0.74 to 0.89"
     " of the copy), clusters of more blocks, 1 to 3 rows ahead, 4 to 10 "
     "blocks a multiprocessor"),
    ("kernels", r"rows of 50257:",
     "the registers of a cluster are for 65536 elements, and a quarter of its"
     " lanes has none: rows of 65527 reach 0.95 with the same kernels. "
     "Clusters of 2 to 16 blocks of 2 to 16 warps were tried (0.59 to 0.90), "
     "2 to 4 rows ahead (0.72 to 0.90), and warps without elements that leave"
     " out their work (0.58 to 0.90)"),
]
