/* test.h - what every test program needs.
 * SPDX-License-Identifier: MIT
 *
 * A test is a function without arguments whose name states a property;
 * RUN(property) runs it. The program takes two optional numbers: a seed, and a
 * factor for the number of random cases. The last line printed is "N passed, N
 * failed", followed by ", N skipped" if tests were skipped.
 */
#ifndef TEST_H
#define TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* TEST_APART: a function that is not inlined. */
#if defined(__GNUC__)
#define TEST_FN __attribute__((unused)) static
#define TEST_APART __attribute__((noinline, unused)) static
#else
#define TEST_FN static
#define TEST_APART static
#endif

#define L(text) ll_parse(text) /* as in the examples of the headers */

typedef struct test_state {
    unsigned passed, failed, skipped;
    unsigned here;             /* failed checks of the running test */
    unsigned effort;           /* 1, or more for a longer search */
    unsigned long long random; /* state of the generator */
    const char *name;
} test_state;

static test_state test;

#define CHECK(cond) ((cond) ? (void)0 : test_fails(__FILE__, __LINE__, #cond))
#define RUN(property) test_run(#property, property)

/* With TEST_STOPS the first failed check ends the program, and TEST_ONLY in the
 * environment is the name of the only property that runs. */
#ifndef TEST_STOPS
#define TEST_STOPS 0
#endif

TEST_APART void test_fails(const char *file, int line, const char *what) {
    if (test.here++ < 3u) {
        printf("%s:%d: %s: %s\n", file, line, test.name, what);
    }
    if (TEST_STOPS) {
        exit(1);
    }
}

/* A random number below n (any number for n = 0). */
TEST_FN unsigned test_random(unsigned n) {
    unsigned long long z = test.random += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    unsigned x = (unsigned)(z >> 32);
    return n ? x % n : x;
}

/* Returns how many times a search is repeated. An effort of 0, for compilers
 * and sanitizers that run tests which have already run in full, makes it a
 * twentieth. COVERS(condition) checks what a search is expected to meet by
 * chance; it is not checked with an effort of 0. */
TEST_FN unsigned times(unsigned n) {
    return test.effort ? n * test.effort : (n + 19u) / 20u;
}

#define COVERS(condition) CHECK(test.effort == 0 || (condition))

/* Compilers would make one function of a program's properties, since each is
 * called once; they take twice the time for it. */
TEST_APART void test_run(const char *name, void (*property)(void)) {
    const char *only = TEST_STOPS ? getenv("TEST_ONLY") : NULL;
    if (only && strcmp(only, name) != 0) {
        return;
    }
    test.name = name;
    test.here = 0;
    property();
    if (test.here) {
        printf("FAIL %s (%u checks)\n", name, test.here);
    }
    test.failed += test.here ? 1u : 0u;
    test.passed += test.here ? 0u : 1u;
}

TEST_FN void test_begin(int argc, char **argv) {
    unsigned long seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 1ul;
    test.effort = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1u;
    test.random = seed;
    printf("seed %lu\n", seed);
}

TEST_FN int test_end(void) {
    printf("%u passed, %u failed", test.passed, test.failed);
    if (test.skipped) {
        printf(", %u skipped", test.skipped);
    }
    printf("\n");
    return test.failed != 0;
}

#endif
