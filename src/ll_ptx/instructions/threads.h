/* ---- Instructions: threads and launches ------------------------------- */
#ifndef LL_PTX_INSTRUCTIONS_THREADS_H
#define LL_PTX_INSTRUCTIONS_THREADS_H

#include "suffix.h"

#ifdef LL_PTX_DEVICE_

/* setmaxnreg: the warps of a warpgroup give registers back, or take more, so
 * that each thread has REGS_, 24 to 256 in steps of 8. The kernel has
 * __launch_bounds__: ptxas leaves setmaxnreg out where it does not know the
 * registers of a thread at the start. griddepcontrol: wait for the grids that
 * this one depends on; let those that depend on it start.
 * elect.sync returns 1 in one lane of the warp and 0 in the others. */
template <unsigned REGS_>
LL_DEVICE void ll_ptx_setmaxnreg_inc(void) {
    LL_SFX_("setmaxnreg.inc.sync.aligned.u32 %0;", (), (LL_IMM_(REGS_)));
}

template <unsigned REGS_>
LL_DEVICE void ll_ptx_setmaxnreg_dec(void) {
    LL_SFX_("setmaxnreg.dec.sync.aligned.u32 %0;", (), (LL_IMM_(REGS_)));
}

LL_DEVICE void ll_ptx_griddepcontrol_wait(void) {
    LL_PTX_("griddepcontrol.wait;", (), ());
}

LL_DEVICE void ll_ptx_griddepcontrol_launch_dependents(void) {
    LL_PTX_("griddepcontrol.launch_dependents;", (), ());
}

LL_DEVICE unsigned ll_ptx_elect(void) {
    unsigned y = 0;
    LL_PTX_("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, "
            "1, 0, p; }",
            (LL_O32_(y)), ());
    return y;
}

/* bar.arrive counts the threads of a warp at named barrier `id`, on which
 * others wait by ll_ptx_bar_at, and continues; both say how many THREADS_ there
 * are in all. */
template <unsigned THREADS_> LL_DEVICE void ll_ptx_bar_arrive_at(unsigned id) {
    LL_PTX_("bar.arrive %0, %1;", (), (LL_I32_(id), LL_IMM_(THREADS_)));
}

#endif

#endif
