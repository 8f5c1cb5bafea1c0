"""reasons.py - why figures are below their goals, by measurement.

Each entry names a section of bench/results/README.md, a pattern of the lines
there, and the reason. An entry that no line has any more is an error of
`report.py check`.
"""

REASONS = [
    ("transpose", r"^16 bit, (16384x32768|4096x4096)",
     "ncu: each byte moves once, memory is 82 % of its peak busy, 10 % of the "
     "issue slots are used. In one program 16384 x 32768 reaches 1.026 by "
     "tiles in turn down 256 rows of them, 1.000 by 8, 0.979 along the rows. "
     "4096 x 4096: copies of as many bytes one after the other reach 0.841 of a"
     " copy of 1 GiB, transposes 0.786, other tiles 0.73 to 0.783, streaming "
     "hints 0.765, tiles in turn down 16 to 64 rows 0.937 to 0.947 where those "
     "along the rows have 0.963"),
    ("matmul", r"^(bf16|f16|e4m3)",
     "power: all run at its limit (1,440 to 1,700 MHz of 1,980 under load). "
     "cuBLASLt's fastest kernel for 8192 x 8192 x 4096 has tiles of 176 x 128, "
     "two in work at a time: tensor cores active 97 % of the time, here 91 % "
     "until the store ran between the steps of the next tile. Slower or the "
     "same were work cut evenly by k (0.95 to 0.99), three stages ahead of the"
     " store, a staggered warpgroup, hints for the L2 cache, tiles of 192 x "
     "200, clusters of four and another order of tiles"),
    ("matmul", r"products of models",
     "64 x 5120 x 5120: memory alone needs 13 us; four shares take 18.1, of "
     "which adding them up is 2 to 3; 80 tiles of 64 x 64 19.6, with stages of "
     "128 of k 18.4 (no gain for other tiles), and cuBLASLt's 64 x 64 in "
     "clusters of four 16.1. Others: cuBLASLt's tiles fill 120 to 128 "
     "processors, as 112 columns x 128 rows, with the operands in each other's "
     "place. Slower were work cut evenly by k (0.77 to 0.98), weights "
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
    ("attention", r"e4m3, 128, .*causal:",
     "sums move to shared memory every 18 tiles, since of 16,384 values of one"
     " sign tensor cores lose 32 % (now 1.4): 1.22 and 1.23 of bf16 at 2048 "
     "and 4096 tokens, 1.24 and 1.26 where the program has the moves but makes"
     " none. Blocks take tasks in rounds, every second one in the opposite "
     "order: 654, 772, 855 and 901 TFLOP/s at 2048 to 16384 tokens; by pairs "
     "of a long and a short task, which leaves 3 % of the processors idle at "
     "the end, 637, 751, 824 and 873. A task of 2048 tokens has 8.5 tiles in "
     "the mean, of which 6 % is masked, and its start and end cost as much as "
     "2 more. Slower: floats moved every 8 tiles (577 to 833), a loop in a "
     "loop between moves (642 at 2048), factors of moved sums in shared memory"
     " (639 to 648). Tasks by a counter: what is read from memory is no "
     "uniform register (674 for 961 of full length)"),
    ("attention", r"e4m3, 256,",
     "sums move to shared memory every 36 tiles of 64 keys, since of 16,384 "
     "values of one sign tensor cores lose 32 % (now 1.4). That takes 2048 "
     "tokens from 1.30 and 1.28 (causal) of bf16 to 1.22 and 1.21; with the "
     "moves in the program, but none made, it is 1.27 and 1.25, as sums, "
     "scores and powers have 192 of 224 registers. A counter in place of the "
     "loop in a loop has 1.21 and 1.20, factors of moved sums in shared memory"
     " 1.24 and 1.21 (176 bytes spilled)"),
    ("attention", r"e4m3",
     "heads of 64: full length has 1.26 (2048 tokens) to 1.28 of bf16. Causal "
     "tasks of 192 rows have 8.5 tiles in the mean at 2048 tokens, of which 6 "
     "% is masked, and their start and end cost as much as 2 to 3 more. Blocks"
     " take every second round of tasks in the opposite order: 463, 538, 622 "
     "and 659 TFLOP/s at 2048 to 16384 tokens, by pairs of a long and a short "
     "task 460, 542, 598 and 660; other shifts between rounds (0, 7, 29) 458 "
     "to 465, 532 to 540, 619 to 622 and 657 to 660; factors of moved sums in "
     "shared memory 465, 542, 626 and 664. Sums that never moved gained 1.5 to"
     " 2.5 %, and of 16,384 values of one sign they lost 18 %. Per cent of the"
     " speed of an earlier form with one task a block: no polynomials 97, 5 or"
     " 6 of 16 words 99 to 100, barriers polled early 103 (with pairs 99), "
     "masks without a look 100, workers in turns 97, sums of weights by lanes "
     "97, weights rounded after the sums 88, four warpgroups with 64 keys 90. "
     "Two exponentials of 16 bits take the 16 cycles of two of 32 bits"),
    ("lowbit", r"m = 16:",
     "power and instructions: mxfp4 takes 304 for 64 x 64, int4 248, and at "
     "8192 11.55 and 10.82 us for the same bytes; at 16384 40 us rested, 47 "
     "after 0.15 s of it: such launches reach 700 W, and the clock falls from "
     "1,980 to 1,425 to 1,635 MHz. Weights alone take 33.6 us. Slower: weights"
     " in registers as operand A of wgmma with 16 columns (13.9 us for 11.6 at"
     " 8192, 46.0 for 40.4 at 16384, 6.4 for 3.8 at 4096; two blocks of it a "
     "processor 22.5, 45.3, 7.4), four tiles a block at 16384 (42.5 for 40.4),"
     " weights brought to the L2 cache before activations may be read (13.3 "
     "for 11.6 at 8192), the next kernel two steps earlier, one later or at "
     "the end (13.5, 12.2, 13.3 for 11.6 to 12.0), weights by bulk copies with"
     " a ring of activations for all warps (16 us for 12), clusters of 4 and 8"
     " (60 to 75 for 42)"),
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
     "those of s4 and nvfp4 are rounded to e4m3 before: 128 conversions of "
     "448 instructions for 64 x 64 of nvfp4. Slower: numbers rounded pair by "
     "pair instead of words (4.9 us for 4.4 at 4096), wgmma with 8 columns "
     "there (6.4 to 7.2). At 16384 wgmma multiplies e4m3 and is hidden; two "
     "blocks of it a processor take 44.9 us for 46.2 of nvfp4, but 38.4 for "
     "36.7 of mxfp4"),
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
    ("more", r"permute, .*x32769 to 021",
     "a tile of 128 bytes of each row has all 255 rows, so that its "
     "transpose is one run of the result, which elements enter one by one: "
     "ncu sees half of the issue slots used, and warps that wait for "
     "memory. Tiles of three parts of the rows reach 0.65. Slower: tiles of "
     "64, 256 and 384 bytes of a row (0.79 to 0.89), 3 and 6 blocks a "
     "multiprocessor (0.62 to 0.76), the last vector of a row together with "
     "the others (0.81 to 0.88)"),
    ("more", r"permute, .* to (021|0213|42031|71503264)",
     "runs of 64 to 256 bytes on one side (0.90 to 0.96): tiles of 8 to 32 "
     "KiB by words and by elements and 15 orders of tiles were tried, which "
     "differ by 0 to 2 % (more than that only where the longer side comes "
     "first), and neighbours of short axes are merged"),
    ("more", r"^embedding, ",
     "each row that is used counts once, but the table does not fit into the "
     "L2 cache. As tokens come, ncu sees 666 MB read where at most 268 count, "
     "and 0.70 is reached; 1 to 8 tokens a warp and 8 to 64 elements a lane "
     "reach 0.66 to 0.727, a block for each token 0.70. In the order of their "
     "rows 0.81 to 0.82, of which the order takes 0.036 of 0.375 ms; 16 to 64 "
     "elements a lane and 1 to 4 tokens a warp differ by 1 % then, 16 tokens "
     "reach 0.6"),
    ("more", r"^embedding backward",
     "to put tokens in order takes 0.040 of 0.46 ms, half of it to make those "
     "rows 0 that several warps add to; what is left moves 1.64 GB at 0.92 of "
     "a copy. 0.32 was reached by additions of tokens that are sorted in each "
     "block, 0.25 of single ones. Slower: 256 to 4096 columns a warp (0.72 to "
     "0.828), 8 columns a lane (0.64 to 0.77), 2, 8 and 16 tokens ahead, the "
     "next ones under the sums of the last (0.48 to 0.82), loads that stay in "
     "the L2 cache (0.66)"),
    ("more", r"^quantise to (fp8|mxfp8)",
     "the L2 cache: ncu sees it 83 to 92 % busy, memory 69 to 83 %, each byte "
     "moved once. A transpose in runs of 128 bytes costs 4 to 5 % (columns of "
     "fp8), and the scales of a tile of mxfp8 are 4 bytes of each line, a "
     "sector of their own: without them columns reach 0.97 for 0.92, both ways "
     "0.94 for 0.80. Not faster: such scales as words by way of shared memory "
     "(0.81), tiles in squares of 8 x 8 to 32 x 8 (0.79 to 0.80) so that "
     "sectors fill in the cache, tiles of 256 x 128 (0.81 to 0.83) and 256 x "
     "256 (0.75), 64 x 256 (columns of mxfp8 0.92 to 0.93, of fp8 0.955 to "
     "0.967, both 0.75), clusters of 1 x 8 to 8 x 1 (within 1 %), registers "
     "without shared memory before the scales are known (0.78 to 0.88, both "
     "0.70 to 0.745)"),
    ("more", r"^quantise to nvfp4",
     "instructions: sm_90 has no conversion to e2m1, so that a pair of numbers "
     "takes 14; of both ways 372 million, 68 % of the issue slots used, the L2 "
     "cache 66 % busy, memory 46 %. Tiles in turn or in squares differ by 1 %, "
     "tiles of 64 x 128 reach 0.88 to 0.93 and 0.69 to 0.70, of 128 x 256 0.76 "
     "to 0.79 and 0.58 to 0.61, 3 and 4 blocks a multiprocessor for 5 0.76 and "
     "0.86, 0.61 and 0.67, one more, where registers spill, 0.72 and 0.45; "
     "magnitudes compared as bf16, one instruction less a pair, 0.84 for 0.85 "
     "and 0.69 for 0.67. Registers without shared memory before the scales are "
     "known: 0.61 to 0.84, both 0.51 to 0.65. Rows as a line, 2 x 16 numbers a "
     "lane, reach 0.92 at 56 % of the issue slots; a plain kernel with 4 x 16 "
     "or 32 a lane reached 1.02 and is not yet written with layouts, with 8 "
     "side by side 0.86 to 0.97"),
    ("more", r"gather gemv",
     "a kernel that only reads the same 134 MB reaches 0.81 to 0.86, as an "
     "empty launch takes 2.7 us of 39 by this clock; bulk copies alone 0.75 to"
     " 0.77. 1 to 8 rows a warp, 4 to 16 warps a block and 1 to 16 vectors "
     "ahead reach 0.69 to 0.80, rows of which each warp of a block has a part "
     "0.62 to 0.81, 2 to 16 rows a block by bulk copies 0.47 to 0.70"),
    ("more", r"cumsum, (bf16|f32), (4096|16384|65536):",
     "bf16 of 4096 reaches 0.977 to 0.99 with two warps a row, 0.976 with 4, "
     "0.968 with 8; f32 0.972, 0.971 with 32 numbers a lane, 0.82 with 8; "
     "f32 of 65536 0.975, 0.978 from 32 bytes behind a multiple of 128 in "
     "shared memory on, 0.969 in clusters of 16, 0.91 with 16 numbers a lane; "
     "bf16 of 16384 0.984 by rows ahead in one block, 0.87 to 0.964 in "
     "clusters, 0.72 without"),
    ("kernels", r"layernorm, bf16, rows of \d*[1357]:",
     "gain and bias come from copies, one for each place of 16 bytes where "
     "a row may start (1015: 0.75 without them, 4087: 0.88, 65527: 0.80). "
     "Each row of more than 8k reads them from the L2 cache, twice what it "
     "has itself: ncu sees 58 % of that used, and 16 warps a "
     "multiprocessor, since row and weights take 128 registers. Slower: one "
     "copy in registers (0.60 to 0.81) or shared memory (0.80 to 0.88), 64 "
     "and 80 registers (0.76 to 0.87), three rows ahead (0.80 to 0.85)"),
    ("kernels", r"^((log-)?softmax|rmsnorm|layernorm|crossentropy with "
     r"gradient), (bf16, rows of (65536|131072|262144|262135)|f32, rows of "
     r"262144):",
     "kernels that only copy rows by such clusters, with one number sent "
     "between the blocks, reach at most 0.974 (65536), 0.977 (131072) and "
     "0.984 (262144), of 26, 8 and 14 forms whose rows are drawn. Where rows "
     "lie in shared memory decides: whole rows that are written over there, "
     "from where the copy engine stores them, reach 0.985 if they start 32 "
     "bytes behind a multiple of 128, 0.979 and 0.973 with 64 and 96, 0.966 "
     "with 0, 0.85 to 0.90 with 16, 48, 80 and 112. Softmax reaches 0.982 to "
     "0.985 so, f32 0.985, rmsnorm 0.978 and 0.98; layernorm, whose weights "
     "take as many registers as the row, is slower so (0.91 for 0.96, 0.71 "
     "for 0.92), as are rows that start anywhere and f32 of 262144, of which "
     "each multiprocessor holds one row's part (0.90 for 0.96). Slower: rows "
     "that are not drawn (0.94), a cluster for each row (0.83 to 0.95), loads "
     "evicted first (0.93), stores so (0.963), a row read again under the "
     "reduction of the next one (0.80 to 0.95), rows asked for before the "
     "reduction (0.52 to 0.96), exponentials made twice (0.96)"),
    ("kernels", r"^((log-)?softmax, f32|rmsnorm, bf16), rows of "
     r"(4096|16384):",
     "a block for each row, which waits for its reduction: 0.97 to 0.975 with "
     "8 to 128 numbers a lane, 1 to 16 warps and at most 32 to 64 registers "
     "(softmax of 16384 0.983 with 128 numbers and 4 warps, its logarithm "
     "0.974). Slower: 16 bytes of each warp in turn (0.965), 4 numbers (0.74 "
     "to 0.78), exponentials made twice (0.95 to 0.97), hints for loads (0.93) "
     "and for stores (0.96), one to three rows brought ahead (0.83 to 0.90, "
     "0.95 to 0.96 in clusters of 2 and 4), rows stored from shared memory "
     "(0.89 to 0.92, 16384: 0.95 to 0.968)"),
    ("kernels", r"^hadamard, bf16, rows of 4096:",
     "1, 2 and 4 rows a block reach 0.964, 0.972 and 0.926, as half of the "
     "warps wait at the one trip through shared memory"),
    ("kernels", r"^(layernorm, bf16, rows of 16384|crossentropy with "
     r"gradient, bf16, rows of 50257):",
     "from run to run 0.976 to 0.983 and 0.929 to 0.935, at 82 to 87 % of the "
     "memory's peak by ncu, with each byte moved once. Not faster: layernorm "
     "with 1 to 4 blocks a row, rows and weights kept or not (14 forms, 0.61 "
     "to 0.983); the gradient with 2 to 16 blocks a row and 1 to 4 rows ahead "
     "(11 forms, 0.60 to 0.932)"),
    ("kernels", r"^rope",
     "warps wait for memory (22 % of the issue slots), and each of them "
     "loads the angles, half as many sectors as it has itself; they cost no "
     "memory traffic since the L2 cache is asked to keep them (0.947 before, "
     "neighbours 0.961). Slower: tokens of the same position in turn, 1 to 256"
     " of them (0.85 to 0.88 where 0.92 was reached), two of them in a block "
     "(0.94 to 0.96), streaming hints (0.90 to 0.94; for stores alone 0.97, "
     "but neighbours 0.956), angles first, 2, 8 and 16 warps a block (0.81 to "
     "0.96)"),
    ("kernels", r"quantise both ways",
     "both results are written in runs of 128 bytes. A kernel that only reads "
     "such tiles and writes as much reaches 0.905, one with tiles of 256 x 256 "
     "0.953, for which registers and shared memory have no room beside each "
     "other. Clusters of 4 x 2 tiles, which start together, gain 1 %. Slower: "
     "tiles in turn down 4 to 256 rows of them (0.88 to 0.90), two and four "
     "tiles a multiprocessor (0.84 to 0.87), streaming hints (0.86 to 0.90), "
     "tiles copied ahead by blocks that stay (0.69 to 0.86)"),
    ("kernels", r"hadamard, bf16, rows of (16384|32768):",
     "a row of 32768 takes half of all registers, as sums have 32 bits, so "
     "that two rows of 16384 or one of 32768 are in work at a time, and all "
     "warps wait at its trip through shared memory: ncu sees 51 % of the "
     "issue slots used. A kernel that only copies rows in the same way reaches"
     " 0.925 to 0.94. Not faster: trips in two halves with half of the memory "
     "(0.91), with three rows (0.87) or two ahead (0.89), 32 numbers a lane "
     "(0.78 to 0.89), 128 (0.84), the next row asked for before the trip "
     "(0.87 to 0.92). Rows of 16384 drawn from a counter, and warps that wait "
     "only before they overwrite what others read, gain 2.5 % (0.925), but "
     "lose 20 % for 32768; stores without a hint gain 1 % there (0.918)"),
    ("kernels", r"norm backward",
     "the sums over rows stay in registers, 80 to 245 a lane, so that 8 to 20 "
     "warps a multiprocessor are in work; kernels that only move the same bytes"
     " reach 1.02 (flat), 0.95 to 0.985 by blocks that take rows in turn, and "
     "1.01 by clusters that draw them. Rows are read again from shared memory "
     "under the reduction of the next one, which with rows at 128 bytes there "
     "(up to 9 % in one call), sums in one pass and the second kernel launched "
     "early gained 1 to 9 %. Of 90 forms: one reading in registers 0.90 for "
     "1024 and 4096, 0.97 and 0.96 for more of rmsnorm, and 0.45 to 0.94 "
     "for layernorm, which spills or has 8 warps; gain in shared memory or as "
     "floats, 1 % faster at most; 16 numbers a lane of layernorm, 9 to 28 % "
     "slower; another row ahead, 1 % faster (16384) to 22 % slower"),
    ("lowbit", r"n = k = (8192|16384), m = (1|8):",
     "power, as for 16: mxfp4 at 16384, 36.1 us rested become 39.4 after 0.15 "
     "s of it. At 8192 one tile a block with four steps on the way takes 9.7 "
     "us where two tiles in clusters took 11.0"),
    ("of_paper", r"",
     "bf16xint16_gemm: no type of 16 bits holds both, so `matmul.cu` "
     "multiplies in f64, exactly, at 32 TFLOP/s of the 67 that the tensor "
     "cores have; Triton rounds the weights to bf16. The others move their "
     "bytes as fast as a copy and differ from Triton's by less than 1 %"),
]
