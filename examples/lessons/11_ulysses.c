/* 11_ulysses.c - how do I switch from sequence parallel to head parallel
 * attention (Ulysses)?
 * SPDX-License-Identifier: MIT
 *
 * A long sequence is sharded over GPUs: each has some positions of all heads.
 * Attention wants all positions of some heads. Ulysses gets there by a permute,
 * an all-to-all and another permute, and goes back with the axes exchanged. As
 * layouts, both shardings are one line each, and one call plans either
 * direction. Here i is the position, j the element of a head, k the head; there
 * are 4 GPUs and 2^13 x 32 x 128 elements of 16 bits.
 *
 * The picture shows 8 positions of 8 heads. A letter is the GPU that holds the
 * element; after the exchange, = is data that stayed.
 *
 * Build: cc -std=c11 -I. examples/lessons/11_ulysses.c -o 11_ulysses
 * Output:
 *             before      after
 *     head 0  AABBCCDD    ==AAAAAA
 *     head 1  AABBCCDD    ==AAAAAA
 *     head 2  AABBCCDD    BB==BBBB
 *     head 3  AABBCCDD    BB==BBBB
 *     head 4  AABBCCDD    CCCC==CC
 *     head 5  AABBCCDD    CCCC==CC
 *     head 6  AABBCCDD    DDDDDD==
 *     head 7  AABBCCDD    DDDDDD==
 *
 *     There:
 *     4 ranks, all-to-all among 4
 *     over gpu a rank receives at most 12 MiB and sends 12 MiB
 *     3 messages of 4 MiB to a rank from others, and 4 MiB that stay: runs of 2 KiB in the source, 512 KiB in the target, 256 bytes in both
 *     rank r receives from r ^ d, d = 0, 1, 2, 3
 *     about 37 us
 *
 *     And back:
 *     4 ranks, all-to-all among 4
 *     over gpu a rank receives at most 12 MiB and sends 12 MiB
 *     3 messages of 4 MiB to a rank from others, and 4 MiB that stay: runs of 512 KiB in the source, 2 KiB in the target, 256 bytes in both
 *     rank r receives from r ^ d, d = 0, 1, 2, 3
 *     about 37 us
 *
 *     On two hosts:
 *     8 ranks, all-to-all among 4
 *     over gpu a rank receives at most 6 MiB and sends 6 MiB
 *     over node a rank receives at most 0 bytes and sends 0 bytes
 *     3 messages of 2 MiB to a rank from others, and 2 MiB that stay: runs of 2 KiB in the source, 256 KiB in the target, 256 bytes in both
 *     rank r receives from r ^ d, d = 0, 1, 2, 3
 *     about 20 us
 */
#include "tools/reshard/ll_reshard.h"
#include <stdio.h>

static char text[2000];

/* Which GPU holds position i of head k? */
static char holder(ll_layout a, unsigned i, unsigned k) {
    const ll_layout where = ll_inv(a);
    const unsigned x = ll_apply(where, ll_pack(a.out, LL_I, i) |
                                           ll_pack(a.out, LL_K, k));
    return (char)('A' + (int)ll_unpack(a.in, ll_dim_of("gpu"), x));
}

static void draw(ll_layout a, ll_layout b) {
    printf("        before      after\n");
    for (unsigned k = 0; k < 8u; ++k) {
        printf("head %u  ", k);
        for (unsigned i = 0; i < 8u; ++i) {
            putchar(holder(a, i, k));
        }
        printf("    ");
        for (unsigned i = 0; i < 8u; ++i) {
            const char to = holder(b, i, k);
            putchar(to == holder(a, i, k) ? '=' : to);
        }
        putchar('\n');
    }
}

static void show(const char *what, ll_layout a, ll_layout b, ll_topology t) {
    ll_explain_reshard(ll_reshard_of(a, b, 16, t), text, sizeof text);
    printf("\n%s\n%s", what, text);
}

int main(void) {
    /* GB/s of a copy within a GPU; GB/s and nanoseconds of a link. */
    const ll_topology t =
        ll_topology_with(ll_topology_of(2000), "gpu", 374, 3000);

    draw(ll_parse("offset: j0 k0 k1 k2 i0 | gpu: i1 i2"),
         ll_parse("offset: j0 i0 i1 i2 k0 | gpu: k1 k2"));

    const ll_layout positions =
        ll_parse("offset: j0 j1 j2 j3 j4 j5 j6 k0 k1 k2 k3 k4"
                 " i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 | gpu: i11 i12");
    const ll_layout heads =
        ll_parse("offset: j0 j1 j2 j3 j4 j5 j6 i0 i1 i2 i3 i4 i5 i6 i7 i8 i9"
                 " i10 i11 i12 k0 k1 k2 | gpu: k3 k4");
    show("There:", positions, heads, t);
    show("And back:", heads, positions, t);

    /* Two hosts with a slow link: shard heads within a host and positions
     * across hosts, and no data crosses that link. */
    const ll_layout both =
        ll_parse("offset: j0 j1 j2 j3 j4 j5 j6 i0 i1 i2 i3 i4 i5 i6 i7 i8 i9"
                 " i10 i11 k0 k1 k2 | gpu: k3 k4 | node: i12");
    const ll_layout spread =
        ll_parse("offset: j0 j1 j2 j3 j4 j5 j6 k0 k1 k2 k3 k4"
                 " i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 | gpu: i10 i11 | node: i12");
    show("On two hosts:", spread, both,
         ll_topology_with(t, "node", 45, 10000));
    return 0;
}
