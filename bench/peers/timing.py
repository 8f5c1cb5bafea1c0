"""timing.py - the time of a call on a GPU, and PyTorch's compiler as a peer."""
import torch

SKIPPED = []  # what torch.compile could not compile, and why


def timed(f):
    """Seconds of f() on the GPU, without the launch."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(600_000)  # the host fills the queue meanwhile
    start.record()
    f()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1e-3


def compiled(name, f, *given):
    """{name: a call of f(*given), compiled for these tensors}. Empty if
    torch.compile fails; SKIPPED then says why."""
    try:
        fast = torch.compile(f, dynamic=False)
        fast(*given)
        torch.cuda.synchronize()
    except Exception as error:  # no Triton, no C compiler, ..
        SKIPPED.append(f"{f.__name__}: {str(error).splitlines()[:1]}")
        print("no torch.compile of", SKIPPED[-1], flush=True)
        return {}
    return {name: lambda: fast(*given)}
