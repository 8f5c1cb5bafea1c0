/* test_torch.c - the extension for PyTorch refuses what does not fit, in one
 * sentence each, and nothing else.
 * SPDX-License-Identifier: MIT
 */
#include "test.h"

#include "../examples/torch/checks.h"

static char text[SENTENCE];

/* Rows of whole numbers, or of one dimension less if n is 0. */
static tensor made(const char *name, const char *type, long long b, long long m,
                   long long h, long long n) {
    const long long size[4] = {b, m, h, n};
    tensor x;
    long long step = 1;
    memset(&x, 0, sizeof x);
    x.name = name;
    x.type = type;
    x.address = 4096;
    for (unsigned k = 0; k < 4u; ++k) {
        if (size[k] >= 0) {
            x.size[x.rank++] = size[k];
        }
    }
    for (unsigned k = x.rank; k-- > 0u; step *= x.size[k]) {
        x.stride[k] = step;
    }
    return x;
}

static int says(const char *said, const char *want) {
    return said && !strcmp(said, want);
}

static void a_softmax_of_any_rank_and_float_type_is_good(void) {
    static const char *const types[] = {"float32", "bfloat16", "float16"};
    for (unsigned k = 0; k < 3u; ++k) {
        tensor x = made("x", types[k], -1, -1, -1, 262144);
        CHECK(!check_softmax(text, &x));
        x = made("x", types[k], 3, 1, 5, 7);
        x.stride[1] = 99; /* of one element: it says nothing */
        CHECK(!check_softmax(text, &x));
        x = made("x", types[k], -1, -1, 0, 7);
        x.stride[0] = 3; /* of none */
        CHECK(!check_softmax(text, &x));
    }
}

static void a_bad_softmax_is_told_why(void) {
    const tensor good = made("x", "bfloat16", -1, -1, 4, 1000);
    tensor x = good;
    x.gpu = -1;
    CHECK(says(check_softmax(text, &x),
               "softmax: x is on the CPU; take x.cuda()"));
    x = good, x.type = "float64";
    CHECK(says(check_softmax(text, &x),
               "softmax: x is float64; it has to be float32, bfloat16 or "
               "float16"));
    x = good, x.type = "float1";
    CHECK(check_softmax(text, &x) != 0);
    x = good, x.type = "loat16";
    CHECK(check_softmax(text, &x) != 0);
    x = good, x.rank = 0;
    CHECK(says(check_softmax(text, &x),
               "softmax: x has 0 dimensions; it needs 1 to 8"));
    x = good, x.rank = 9;
    CHECK(says(check_softmax(text, &x),
               "softmax: x has 9 dimensions; it needs 1 to 8"));
    x = good, x.stride[0] = 1, x.stride[1] = 4;
    CHECK(says(check_softmax(text, &x),
               "softmax: x has stride 4 in dimension 1, not 1; take "
               "x.contiguous()"));
    x = good, x.stride[0] = 1001;
    CHECK(says(check_softmax(text, &x),
               "softmax: x has stride 1001 in dimension 0, not 1000; take "
               "x.contiguous()"));
    x = good, x.address += 8;
    CHECK(says(check_softmax(text, &x),
               "softmax: x starts at no multiple of 16 bytes; take x.clone()"));
    x = made("x", "bfloat16", -1, -1, 4, 262145);
    CHECK(says(check_softmax(text, &x),
               "softmax: x has 4 rows of 262145 elements; there are fewer than "
               "2^26 of at most 262144"));
    x = made("x", "bfloat16", -1, -1, 1 << 26, 4);
    CHECK(check_softmax(text, &x) != 0);
}

static void a_norm_needs_a_gain_for_each_column(void) {
    const tensor x = made("x", "float16", -1, 2, 4, 100);
    const tensor good = made("gain", "float16", -1, -1, -1, 100);
    tensor gain = good;
    CHECK(!check_rms_norm(text, &x, &gain));
    gain.size[0] = 99;
    CHECK(says(check_rms_norm(text, &x, &gain),
               "rms_norm: dimension 0 of gain is 99; the last of x is 100"));
    gain = good, gain.type = "float32";
    CHECK(says(check_rms_norm(text, &x, &gain),
               "rms_norm: gain is float32; it has to be float16"));
    gain = good, gain.gpu = 1;
    CHECK(says(check_rms_norm(text, &x, &gain),
               "rms_norm: gain is on GPU 1, the first tensor on 0"));
    gain = made("gain", "float16", -1, -1, 1, 100);
    CHECK(says(check_rms_norm(text, &x, &gain),
               "rms_norm: gain has 2 dimensions; it needs 1"));
}

static void an_attention_needs_three_that_fit(void) {
    const tensor q = made("q", "bfloat16", 2, 100, 8, 64);
    const tensor k = made("k", "bfloat16", 2, 70, 4, 64);
    const tensor v = made("v", "bfloat16", 2, 70, 4, 64);
    tensor x = q;
    CHECK(!check_attention(text, &q, &k, &v));
    x = made("q", "bfloat16", 2, 100, 8, 96);
    CHECK(says(check_attention(text, &x, &k, &v),
               "attention: heads of q have 96 elements, not 64 or 128"));
    x = made("q", "bfloat16", 2, 100, 6, 64);
    CHECK(says(check_attention(text, &x, &k, &v),
               "attention: q has 6 heads, no multiple of the 4 of k"));
    x = made("k", "bfloat16", 3, 70, 4, 64);
    CHECK(says(check_attention(text, &q, &x, &v),
               "attention: dimension 0 of k is 3; that of q is 2"));
    x = made("k", "bfloat16", 2, 70, 4, 128);
    CHECK(says(check_attention(text, &q, &x, &v),
               "attention: dimension 3 of k is 128; that of q is 64"));
    x = made("v", "bfloat16", 2, 71, 4, 64);
    CHECK(says(check_attention(text, &q, &k, &x),
               "attention: dimension 1 of v is 71; that of k is 70"));
    x = made("v", "bfloat16", 2, 70, 2, 64);
    CHECK(says(check_attention(text, &q, &k, &x),
               "attention: dimension 2 of v is 2; that of k is 4"));
    x = made("q", "bfloat16", 2, 0, 8, 64);
    CHECK(says(check_attention(text, &x, &k, &v),
               "attention: q, k and v have elements"));
    x = made("v", "float16", 2, 70, 4, 64);
    CHECK(says(check_attention(text, &q, &k, &x),
               "attention: v is float16; it has to be bfloat16"));
}

static void weights_of_four_bits_are_whole_groups(void) {
    const tensor e = made("elements", "uint8", -1, -1, 24, 192);
    const tensor s = made("scales", "bfloat16", -1, -1, 24, 3);
    const tensor x = made("x", "bfloat16", -1, -1, 5, 192);
    tensor y = e;
    CHECK(packed_bytes(24, 192) == 2 * 4 * (64 * 32 + 128));
    CHECK(packed_bytes(129, 320) == 4 * 8 * (64 * 32 + 128));
    y.gpu = -1;
    tensor z = s;
    CHECK(says(check_pack(text, &y, &s),
               "pack: scales is on a GPU; take scales.cpu()"));
    z.gpu = -1;
    CHECK(!check_pack(text, &y, &z));
    CHECK(says(check_pack(text, &e, &z),
               "pack: elements is on a GPU; take elements.cpu()"));
    z.size[1] = 4, z.stride[0] = 4;
    CHECK(says(check_pack(text, &y, &z),
               "pack: dimension 1 of scales is 4; one for 64 elements is 3"));
    y = made("packed", "uint8", -1, -1, -1, packed_bytes(24, 192));
    CHECK(!check_lowbit(text, &x, &y, 24));
    CHECK(!check_lowbit(text, &x, &y, 128)); /* takes as many bytes */
    CHECK(says(check_lowbit(text, &x, &y, 136),
               "lowbit: dimension 0 of packed is 17408; what pack makes of "
               "such weights is 34816"));
    CHECK(says(check_lowbit(text, &x, &y, 23),
               "lowbit: 23 features of 192 elements; the features are a "
               "multiple of 8 and the elements of 64, from there to 2^24"));
    z = made("x", "bfloat16", -1, -1, 0, 192);
    CHECK(says(check_lowbit(text, &z, &y, 24),
               "lowbit: x has 0 tokens, not 1 to 2^24"));
}

static void what_32_bits_do_not_count_is_too_large(void) {
    const tensor k = made("k", "bfloat16", 1, 8, 1, 64);
    const long long tokens = 1 << 14, features = 1 << 23;
    tensor q = made("q", "bfloat16", 1, 1 << 30, 1, 64);
    CHECK(!check_attention(text, &q, &k, &k));
    q = made("q", "bfloat16", 1, (1 << 30) + 1, 1, 64);
    CHECK(says(check_attention(text, &q, &k, &k),
               "attention: q has 1073741825 x 64 elements; 2^36 are the most"));
    q = made("q", "bfloat16", 1 << 16, 1 << 16, 2, 128);
    CHECK(check_attention(text, &q, &k, &k) != 0);
    tensor e = made("elements", "uint8", -1, -1, features, features);
    tensor s = made("scales", "bfloat16", -1, -1, features, features / 64);
    e.gpu = s.gpu = -1;
    CHECK(says(check_pack(text, &e, &s),
               "pack: the weight has 8388608 x 8388608 elements; 2^36 are the "
               "most"));
    const tensor x = made("x", "bfloat16", -1, -1, tokens, 64);
    const tensor w = made("packed", "uint8", -1, -1, -1,
                          packed_bytes(features, 64));
    CHECK(says(check_lowbit(text, &x, &w, features),
               "lowbit: the result has 16384 x 8388608 elements; 2^36 are the "
               "most"));
}

int main(int argc, char **argv) {
    test_begin(argc, argv);
    RUN(a_softmax_of_any_rank_and_float_type_is_good);
    RUN(a_bad_softmax_is_told_why);
    RUN(a_norm_needs_a_gain_for_each_column);
    RUN(an_attention_needs_three_that_fit);
    RUN(weights_of_four_bits_are_whole_groups);
    RUN(what_32_bits_do_not_count_is_too_large);
    return test_end();
}
