/* consumer.c - a program outside of this tree that uses an installed ll. */
#include <ll.h>
#include <ll_ptx.h>
#ifndef CONSUMER_OF_ONE_FILE
#include <ll_reshard.h>
#include <ll_views.h>
#endif

int main(void) {
    const ll_layout a = ll_rows(64, 64, 4);
    const ll_plan p = ll_plan_of(a, ll_trans(a, "j i"), 32, LL_SM90);
#ifndef CONSUMER_OF_ONE_FILE
    if (ll_view_tensor(a).err || ll_topology_of(1000).err) {
        return 1;
    }
#endif
    return p.err == LL_OK && p.kind == LL_SHARED && ll_conflicts(p) == 0 ? 0
                                                                         : 1;
}
