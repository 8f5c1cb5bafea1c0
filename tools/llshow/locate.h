/* locate.h - llshow LAYOUT --at 17,42: who holds one element.
 * SPDX-License-Identifier: MIT
 */
#ifndef LLSHOW_LOCATE_H
#define LLSHOW_LOCATE_H

#include "texts.h"

enum { LOCATED = 64 }; /* most lines */

/* Returns the element at indices such as 17,42, the slowest axis first. Returns
 * ~0 and prints why if there is none. */
static unsigned element_at(const char *text, const ll_layout *a) {
    const char *rest = text;
    char sentence[160];
    ll_writer_ w = ll_writer_on_(sentence, sizeof sentence);
    unsigned element = 0;
    for (unsigned d = a->out.n; d-- > 0;) {
        char *end = NULL;
        const unsigned long x = strtoul(rest, &end, 10);
        const int number = ll_is_digit_(*rest);
        if (!number || *end != (d ? ',' : 0)) {
            wrong("--at needs an index for each axis, as in --at 17,42", text);
            return ~0u;
        }
        if (x >> a->out.bits[d]) {
            ll_write_(&w, "--at: the index of axis ");
            ll_write_name_(&w, a->out.dim[d]);
            ll_write_(&w, " must be below ");
            ll_write_number_(&w, 1u << a->out.bits[d]);
            wrong(sentence, text);
            return ~0u;
        }
        element |= (unsigned)x << ll_shape_start_(&a->out, d);
        rest = *end ? end + 1 : end;
    }
    return element;
}

/* Prints the offset of an element, its byte and its bank. */
static void print_offset(const options *o, const ll_foreign *f, unsigned x,
                         const ll_target *t) {
    unsigned long long at = x;
    for (unsigned k = 0; k < f->pads; ++k) {
        at += (unsigned long long)(x / f->every[k]) * f->pad[k];
    }
    const unsigned long long byte = at * ll_element_held_(o->bits) / 8u;
    printf("offset %llu (byte %llu, bank %llu)", at, byte,
           byte / t->bank_bytes % t->banks[LL_READ][0]);
}

/* Prints one holder: the inputs from the highest to the lowest. */
static void print_holder(const options *o, const ll_foreign *f, unsigned x,
                         const ll_target *t) {
    const ll_shape *in = &f->layout.in;
    for (unsigned d = in->n; d-- > 0;) {
        char name[12];
        ll_writer_ w = ll_writer_on_(name, sizeof name);
        const unsigned n =
            x >> ll_shape_start_(in, d) & ll_ones_(in->bits[d]);
        if (in->dim[d] == LL_OFFSET) {
            print_offset(o, f, n, t);
        } else {
            ll_write_name_(&w, in->dim[d]);
            printf("%s %u", name, n);
        }
        printf(d ? ", " : "\n");
    }
}

/* Prints who holds the element --at, a line for each copy. */
static int locate(options *o, const ll_foreign *f) {
    const ll_layout *a = &f->layout;
    const unsigned bits = ll_shape_bits_(&a->in);
    const unsigned element = element_at(o->at, a);
    ll_target t;
    unsigned y = a->offset, found = 0;
    if (element == ~0u || read_target(o, &t)) {
        return 2;
    }
    if (is_memory(*a)) {
        print_assumed(o);
    }
    for (unsigned long long x = 0; x < 1ull << bits; ++x) {
        if (y == element && found++ < LOCATED) {
            print_holder(o, f, (unsigned)x, &t);
        }
        for (unsigned k = 0; k < bits; ++k) { /* the bits that x + 1 flips */
            y ^= a->basis[k];
            if (!(x >> k & 1u)) {
                break;
            }
        }
    }
    if (found > LOCATED) {
        printf("and %u more\n", found - LOCATED);
    } else if (!found) {
        printf("nothing holds the element %s\n", o->at);
    }
    return 0;
}

#endif
