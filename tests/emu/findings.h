/* findings.h - what a user sees of the emulator's findings: a program that has
 * one prints it with its line and does not end with 0. Every kernel of these
 * tests has a fault and runs in a process of its own. FINDINGS is the name of
 * the file.
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_FINDINGS_H
#define TEST_FINDINGS_H

#define LL_TENSOR
#include "../../ll_ptx.h"

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

typedef unsigned u32;
typedef unsigned long long u64;
static int passed, failed;

/* What a program printed, on both streams, and how it ended. */
struct ending {
    char text[4096];
    int status;
};

static ending apart(void (*program)(u32 *)) {
    ending e = {"", -1};
    int ends[2], status = 0;
    size_t n = 0;
    fflush(stdout);
    if (pipe(ends)) {
        return e;
    }
    pid_t child = fork();
    if (child == 0) {
        u32 *p = 0;
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        cudaMalloc(&p, 4096);
        cudaMemset(p, 0, 4096);
        program(p);
        exit(0);
    }
    close(ends[1]);
    for (ssize_t k; n < sizeof e.text - 1 &&
         (k = read(ends[0], e.text + n, sizeof e.text - 1 - n)) > 0;) {
        n += (size_t)k;
    }
    close(ends[0]);
    waitpid(child, &status, 0);
    e.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return e;
}

static void check(bool ok, const char *what, const ending &e, int line) {
    ok ? ++passed : ++failed;
    if (!ok) {
        printf(FINDINGS ":%d: failed: %s; exit status %d, output:\n%s", line,
               what, e.status, e.text);
    }
}

/* The program fails, and one line of its output has both the place, where
 * `line` is not 0, and the text. */
static void finds(void (*program)(u32 *), int line, const char *text,
                  int from) {
    const ending e = apart(program);
    char place[64] = "", copy[sizeof e.text];
    bool found = false;
    if (line) {
        snprintf(place, sizeof place, "/" FINDINGS ":%d: ", line);
    }
    strcpy(copy, e.text);
    for (char *s = strtok(copy, "\n"); s; s = strtok(0, "\n")) {
        found = found || (strstr(s, place) && strstr(s, text));
    }
    check(found, text, e, from);
    check(e.status == 1, "a status of 1", e, from);
}
#define FINDS(line, text, ...)                                               \
    finds([](u32 *p) { (void)p; __VA_ARGS__; }, line, text, __LINE__)

static void harmless_program(void (*program)(u32 *), int from) {
    const ending e = apart(program);
    check(e.status == 0 && !e.text[0], "no finding", e, from);
}
#define HARMLESS(...) \
    harmless_program([](u32 *p) { __VA_ARGS__; }, __LINE__)

#endif
