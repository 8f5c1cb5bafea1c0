"""printed.py - checkers of what programs print."""
from unittest import mock

from selftests.base import (Missed, checker, fails, ran, sees, silent, succeeds,
                            tool, written)

DRAWN = "\n".join(
    " ".join([" ."] * 4 * k + [f" {k}"] * 4 + [" ."] * (28 - 4 * k))
    for k in range(8))
JOB = f"""A block reads a tile as
  register: j0 | lane: i0
and writes it as
  register: i0 | lane: j0
Between the two, data goes through shared memory, 16384 bytes
  1. each lane stores 32 elements to shared memory in 4 accesses of 16 bytes
  2. __syncthreads()

{DRAWN}

and of a load:

{DRAWN}

version  wrong   sectors (needed)
naive        0     70800
layout       0      9128

All agree.
"""


@checker("main_job.py")
def _(_folder):
    import main_job
    words = {"LL_EX": "an access has 1 byte"}
    def faults(text):
        return main_job.faults(text, words)
    silent(faults(JOB))
    sees(faults(JOB.replace(DRAWN, words["LL_EX"], 1)), "1 pictures of banks",
         "there is the error LL_EX")
    sees(faults(JOB.replace(DRAWN, DRAWN.replace(" .", " 3", 1), 1)),
         "picture 1 uses bank 4 twice")
    sees(faults(JOB.replace(DRAWN, DRAWN.split("\n")[0])), "has 1 lanes")
    sees(faults(JOB.replace("layout       0", "layout       2")),
         "layout has 2 wrong")
    sees(faults(JOB.replace("layout       0", "other        0")),
         "no version `layout`")
    sees(faults(JOB.replace("9128\n", "9128\na race\n")), "no version `layout`")
    sees(faults(JOB.replace("  2. __", "  __")), "the steps of the plan")
    sees(faults(JOB.replace("in 4 acc", "in acc")), "the accesses of the plan")
    sees(faults(""), "the layouts of both sides", "what the plan does")
    fails(ran(main_job, "false"), "exit status 1")


@checker("first_run.py")
def _(folder):
    import first_run
    case = "it", "", "exit 9", {"GPU": "", "CC": "no-cc"}, ["^run: no-cc is"], 2
    silent(list(first_run.faults(case, folder / "right")))
    case = "it", "", "exit 9", {"GPU": "", "CC": "no-cc"}, ["^not said$"], 0
    sees(first_run.faults(case, folder / "wrong"), "exit status 2, not 0",
         "there is not one line ^not said$", "what to do next")
    case = "it", 1000, "", 0, ["^setup: no permission .* no-cc no-c.. $"]
    silent(list(first_run.set_up(case, folder / "setup")))
    case = "it", 1000, "", 0, ["^setup: to install with"]
    sees(first_run.set_up(case, folder / "bad"), "not these lines in this order")


@checker("pairs.py")
def _(_folder):
    import pairs
    good = "96 of 784 of the paper's cases, 96 of 96 in all\n0 bank conflicts\n"
    silent(pairs.judge(good, 0, 8) or "")
    sees(pairs.judge(good, 1, 8), "exit status 1")
    sees(pairs.judge(good, 0, 9), "of 108 cases")
    sees(pairs.judge(good.replace("96 of 96", "95 of 96"), 0, 8), "95 of 96")
    sees(pairs.judge(good.replace("0 bank", "4 bank"), 0, 8), "4 bank")
    sees(pairs.judge("", 139, 8), "it says")
    some = {pair[:2] for seed in "012345"
            for pair in pairs.chosen_by(["each", seed])}
    one = pairs.chosen_by(["all", "each", "1"])
    if some != set(pairs.pairs()):
        raise Missed(f"six seeds choose not every pair: {some}")
    if {(a, b) for a, b, _ in one} != set(pairs.pairs()) or \
            {order for _, _, order in one} != {0, 1, 2, 3}:
        raise Missed(f"not every pair, or not every order: {one}")
    if len(pairs.pairs()) != 19 or ("s16", "e5m2") not in pairs.pairs():
        raise Missed(f"it does not read the table: {pairs.pairs()}")


@checker("faults.py")
def _(_folder):
    import faults
    clean = "8 x 8 x 8: 0 wrong, 0 bank conflicts\n"
    found = "a/matmul.cu:7: a race: thread 0\n"
    silent(faults.judge(0, clean) or "")
    silent(faults.judge(3, found + clean) or "")
    sees(faults.judge(0, found + clean), "without a fault")
    sees(faults.judge(0, ""), "without a fault")
    sees(faults.judge(3, clean), "not found")
    sees(faults.judge(3, clean.replace("0 wrong", "9 wrong")), "not found")
    text = faults.planted("wait(a);\nint p = 0;\n",
                          [(1, "wait(a);", ";"), (2, "wait(a);", "wait(b);"),
                           (3, "int p = 0;", "int p = X ? 1 : 0;")])
    sees(text, "if (is_planted(1)) { ; } else "
         "if (is_planted(2)) { wait(b); } else { wait(a); }",
         "int p = (is_planted(3)) ? 1 : 0;")
    for gone in ("wait();", "wait(a); wait(a);"):
        try:
            faults.planted(gone, [(1, "wait(a);", ";")])
        except ValueError:
            continue
        raise Missed(f"a line that is not there once: {gone}")


@checker("output.py")
def _(folder):
    import output
    good = "8 x 8 x 8, 64 lanes: 0 wrong, 0 bank conflicts\n"
    silent(output.gemm(good, "64"))
    sees(output.gemm(good, "32"), "64 lanes, not 32")
    sees(output.gemm(good.replace("0 wrong", "1 wrong"), "64"), "1 wrong elem")
    sees(output.gemm(good.replace("0 bank", "2 bank"), "64"), "2 bank conf")
    sees(output.gemm(good + "a race\n", "64"), "it says: a race")
    sees(output.gemm("", "64"), "no line")
    line = "8 x 8 x 8: 0 wrong, 0 bank conflicts\n"
    ragged = line.replace("8 x 8 x 8", "3 x 14 rows, 2 heads, ragged")
    silent(output.attention(ragged, "1"))
    sees(output.attention(ragged.replace("0 bank", "2 bank"), "1"), "2 bank")
    silent(output.matmul(2 * line, "2"))
    some = line.replace("8 x 8 x 8", "5 products")
    silent(output.matmul(some, "1"))
    sees(output.matmul(some.replace("0 wrong", "1 wrong"), "1"), "1 wrong")
    sees(output.matmul(line, "2"), "1 shapes are right, not 2")
    sees(output.matmul(line.replace("0 wrong", "3 wrong"), "1"), "3 wrong")
    sees(output.matmul(line + "a race\n", "1"), "it says: a race")
    line, end = "2 rows of 8: 0 wrong\n", "All agree with the CPU.\n"
    silent(output.rows(2 * line + end, "2"))
    sees(output.rows(line + end, "2"), "fewer than 2")
    sees(output.rows(line + line.replace("0", "3") + end, "1"), "3 wrong")
    sees(output.rows(2 * line + "a race\n" + end, "2"), "it says: a race")
    sees(output.rows(2 * line, "2"), "it says: 2 rows")
    sees(output.rows("", "2"), "fewer than 2")
    stat = "stat::number_of_executed_units: %d\n"
    silent(output.fuzz(stat % 10, "10"))
    sees(output.fuzz(stat % 9, "10"), "9 inputs were tried, not 10")
    sees(output.fuzz("", "10"), "no stat")
    sees(output.fuzz(stat % 10 + "==1==ERROR: x\n", "10"), "ERROR: x")
    bad = tool(folder / "bad", f"echo '{good.strip()}'\nexit 3\n")
    fails(ran(output, "gemm", 64, bad), "exit status 3")


@checker("fuzz_long.py")
def _(folder):
    import fuzz_long
    said = "echo 'stat::number_of_executed_units: 7'\n"
    with mock.patch.object(fuzz_long, "ROOT", folder):
        written(folder / "bench/commit.sh", "echo 1234567\n")
        good = tool(folder / "good", said)
        with mock.patch.object(fuzz_long, "processor_seconds",
                               lambda: 1800):
            sees(ran(fuzz_long, "fuzz_x", 1, 1, good)[1], "time 0.50, in 1 ")
            sees(ran(fuzz_long, "fuzz_x", 1, 1, good)[1], "time 1.00, in 2 ",
                 "ran         14\n")
            (folder / "build/fuzz/fuzz_x.json").unlink()
        begun = fuzz_long.processor_seconds()
        busy = tool(folder / "busy", said + "seq 300000 | sort -R >/dev/null\n")
        succeeds(ran(fuzz_long, "fuzz_x", 1, 1, busy))
        if fuzz_long.processor_seconds() < begun + 0.05:
            raise Missed("processor time of the fuzzer is not counted")
        told = ran(fuzz_long, "fuzz_x", 1800, 2, good, "-max_len=9")
        succeeds(told)
        sees(told[1], "ran         14\n", "promise    0\n",
             "make long-fuzz_x FUZZ_SECONDS=1800 FUZZ_JOBS=2 FUZZ_LENGTH=9\n")
        dead = tool(folder / "dead", said + "echo last; exit 77\n")
        fails(ran(fuzz_long, "fuzz_x", 1, 2, dead), "promise    2\n",
              "exit status 77", "last")
        fails(ran(fuzz_long, "fuzz_x", 1, 1, tool(folder / "mute", "")),
              "promise    1\n", "no stat")
