// ll: TURN: an access to shared memory has bank conflicts
#include "ll_ptx.h"

LL_LAYOUT(IN, ll_rows(64, 64, 4));
LL_LAYOUT(OUT, ll_trans(LL_GET(IN), "j i"));
LL_PLAN(BEST, IN, OUT, 32, LL_SM90);

// A plan as LL_PLAN declares it, spoilt: its first access waits once more.
constexpr ll_plan spoilt(ll_plan p) {
    p.step[1].wavefronts += 1;
    return p;
}
struct TURN {
    static constexpr ll_plan get() {
#ifdef TWIN
        return LL_GET(BEST);
#else
        return spoilt(LL_GET(BEST));
#endif
    }
};
LL_EXPECT_NO_CONFLICTS(TURN);
