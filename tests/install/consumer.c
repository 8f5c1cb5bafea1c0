/* consumer.c - a program outside of this tree that uses an installed ll. */
#include <ll.h>
#include <ll_ptx.h>

int main(void) {
    const ll_layout a = ll_rows(64, 64, 4);
    const ll_plan p = ll_plan_of(a, ll_trans(a, "j i"), 32, LL_SM90);
    return p.err == LL_OK && p.kind == LL_SHARED && ll_conflicts(p) == 0 ? 0
                                                                         : 1;
}
