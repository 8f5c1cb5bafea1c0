// ll: TURN: elements of 4 bits are two to a byte: what the two of a byte of memory differ in must be a register bit of each side, and of no other column
#include "ll_ptx.h"
#ifdef TWIN
#define FIRST "offset: j0 j1 i0 i1 i2 i3 i4"
#else
#define FIRST "offset: i0 j0 j1 i1 i2 i3 i4"
#endif
LL_LAYOUT(IN, ll_parse("register: j0 j1 | lane: i0 i1 i2 i3 i4"));
LL_PLAN_THROUGH(TURN, IN, IN, 4, LL_SM90, ll_parse(FIRST));
int main() { return LL_GET(TURN).err != LL_OK; }
