"""timing.py - the seconds that a GPU takes for one call."""
import torch


def timed(f):
    """Seconds of f() on the GPU, without those of starting it."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(600_000)  # the host fills the queue meanwhile
    start.record()
    f()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1e-3
