/* verdict.h - counts the checks of a program that tests kernels.
 * SPDX-License-Identifier: MIT
 */
#ifndef VERDICT_H
#define VERDICT_H

#include "../../examples/kernels/check.h"
#include <stdarg.h>

static unsigned passed, failed;

/* Counts a check, with its wrong elements. What the emulator found
 * since the last one counts as well. A check that failed is named by a format
 * of printf. */
__attribute__((format(printf, 2, 3))) static inline void
verdict(unsigned bad, const char *format, ...) {
#if LL_EMULATE
    bad += (unsigned)emu_error_count();
    printf("%s", emu_errors());
    emu_reset();
#endif
    if (bad) {
        va_list names;
        va_start(names, format);
        printf("FAIL ");
        vprintf(format, names);
        printf(": %u wrong\n", bad);
        va_end(names);
    }
    bad ? ++failed : ++passed;
}

#endif
