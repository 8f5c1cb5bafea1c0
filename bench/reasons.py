"""reasons.py - why figures are below their goals, by measurement.

Each entry names a section of bench/results/README.md, a pattern of the lines
there, and the reason. An entry that no line has any more is an error of
`report.py check`.
"""

REASONS = [
    ("matmul", r"^(bf16|f16|e4m3)",
     "power: all run at its limit (1,440 to 1,700 MHz of 1,980 under load). "
     "cuBLASLt's fastest kernel for 8192 x 8192 x 4096 has tiles of 176 x 128, "
     "two in work at a time: tensor cores active 97 % of the time, here 91 % "
     "until the store ran between the steps of the next tile. Slower or the "
     "same were work cut evenly by k (0.95 to 0.99), three stages ahead of the"
     " store, a staggered warpgroup, hints for the L2 cache, tiles of 192 x "
     "200, clusters of four and another order of tiles"),
    ("matmul", r"products of models",
     "cuBLASLt has tiles here that fill 120 to 128 processors without shares "
     "of k: 64 x 64 and 112 x 128 columns and rows, 128 x 112 in clusters of "
     "four. Here adding shares takes 1.6 to 3 us of 14 to 45, the end of a "
     "launch 1 to 2. Slower were work cut evenly by k (0.77 to 0.98), weights "
     "prefetched before the kernel waits for the one before (0.97), and two "
     "blocks a processor from 64 rows on (0.5 to 0.9); weights loaded before "
     "that wait gain 0 to 5 %, but nobody promises that they are not written"),
    ("scaled", r"rows? of A and column",
     "power: cuBLASLt's kernel has tiles of 128 x 128, two in work at a time, "
     "and six stages. Tiles of 128 x 128 that two warpgroups share reach 1,428"
     " TFLOP/s where those of 128 x 256 reach 1,503. The same speed had scales"
     " in shared memory, a staggered warpgroup, clusters of 1, 2 and 4 and "
     "groups of 2 to 64 tiles; without any scaling it is 3 % faster"),
    ("scaled", r"128 x 128 of B",
     "power. Slower were three warpgroups (1,183 TFLOP/s rested), partial "
     "sums of 64 and 96 columns (1,172, 1,258), two sets of partial sums "
     "(1,211), A in registers (1,279), and warpgroups in turns by named "
     "barriers (1,296)"),
    ("grouped", r"",
     "`torch.mm` has a tile of its own for each product, one kernel has one for"
     " all. The choice among them has not been tried form by form since the "
     "store runs under the next tile; the rest is as for one product"),
    ("attention", r"e4m3",
     "heads of 128: exponentials take 45 % of the time of their units, "
     "products 41 %, instructions 49 % of the issue slots, and they coincide"
     " between warpgroups; heads of 64: three warpgroups need 1,632 cycles "
     "of exponentials a round of 2,475. Slower for 64 (597 TFLOP/s then): a "
     "part of the exponentials as polynomials (519 to 577), two warpgroups "
     "(522), products ahead with 64 keys (523), an exact integer maximum "
     "(555)"),
    ("lowbit", r"m = 16:",
     "two products for each fragment of weights, 307 instructions for 64 x 64"
     " of mxfp4 against 280 with one: ncu sees 58 % of the issue slots used "
     "at 3.6 warps a scheduler. At 16384 the weights alone take 33.6 us; "
     "activations without arithmetic 40.6 and arithmetic without activations"
     " 40.0. One kernel took 41.6 us on one H200 and 48.2 and 50.0 on two "
     "others. Slower: weights by bulk copies and a ring of activations for "
     "all warps with the same k (8192: 16 us for 12), clusters of 4 and 8, "
     "of which 248 and 240 blocks of 264 run at once (60 to 75 us for 42); "
     "at 8192 64 features a warp (13.2 us) and 16 warps that share k (13.1)"),
    ("lowbit", r"(int4|nvfp4), e4m3, m = ",
     "a scale that is no power of two is multiplied in f16 and rounded once "
     "to e4m3: 176 instructions a warp for 128 of k of s4, 195 of nvfp4, 141"
     " of mxfp4. Rested, 2,048 tokens, they reach 0.93 and 0.98. "
     "Buffers for a third step do not help: ptxas serialises wgmma whose "
     "registers are written while others run. Scales applied to sums of 64 "
     "of k would take more"),
    ("lowbit", r"e4m3, n = k = (4096|8192|16384), m = (1|8):",
     "sm_90 has no mma.sync of e4m3 (it becomes conversions and products of "
     "f16), so that with few tokens the weights are unpacked to f16, and "
     "those of s4 and nvfp4 are rounded to e4m3 before. At 16384 wgmma "
     "multiplies e4m3 and is hidden"),
    ("lowbit", r"n = k = 4096, m = (1|8):",
     "weights alone take 3.3 to 3.9 us in this kernel, and nvfp4 has a scale"
     " for each 16; a plain read takes 3.4 us back to back"),
    ("reshard", r"of a plain read",
     "16 bytes of the target come from several ranks in pairs from turns, so "
     "that these are read from the peers; the others are written, which is 7 "
     "to 9 % faster. At 64 MiB reading reaches 0.98 without flags, 0.94 with a"
     " release of both flags to the system, 0.96 without. Two small kernels "
     "for the flags: 0.91; tiles of 32 KiB: 0.94; 2 to 16 tiles a block: 0.95;"
     " blocks that stay: 0.94"),
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
    ("lowbit", r"n = k = 8192, m = (1|8):",
     "a block has two tiles of 64 features here and shares k with another one,"
     " 16 warps in all. The form before had one tile and 16 warps in a block: "
     "beside this one it takes 10.5 us to 11.3, but for 16 tokens at 4096 5.4 "
     "to 3.8"),
    ("examples", r"matmul_(hopper|grouped).*s, to be",
     "a kernel of 0.7 s for each form of a tile, 20 and 16 of them; which could"
     " go without a loss was not tried"),
]
