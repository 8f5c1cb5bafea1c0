#!/usr/bin/env python3
"""fuzz_long.py - one fuzzer for a stated time, by several processes at once.

    fuzz_long.py NAME SECONDS JOBS PROGRAM OPTION...

The processes share the folder build/fuzz/NAME.found, so each goes on from what
another finds; the options, among them folders of first inputs, are libFuzzer's.
What it prints is the record bench/results/fuzz-*.txt. Runs of the same program
add up, in build/fuzz/NAME.json. A program that does not end well has broken a
promise, and its last words are printed after the record.
"""
import hashlib
import json
import pathlib
import re
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import output

ROOT = pathlib.Path(__file__).resolve().parent.parent


def at_once(jobs, command):
    """What each process said, and how it ended."""
    running = [subprocess.Popen([*command, f"-seed={1 + job}"], text=True,
                                errors="replace", cwd=ROOT,
                                stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)
               for job in range(jobs)]
    return [(one.communicate()[0], one.returncode) for one in running]


def faults(said, status):
    found = output.fuzz(said, "1")
    return found + [f"exit status {status}"] * (status != 0)


def inputs(said):
    return sum(map(int, re.findall(r"^stat::number_of_executed_units: +(\d+)$",
                                   said, re.M)))


def length(options):
    """The option -max_len as the Makefile takes it."""
    given = re.search(r"-max_len=(\d+)", " ".join(options))
    return f" FUZZ_LENGTH={given[1]}" if given else ""


def processor_seconds():
    """What the processes took together, which is less than their time where
    other work runs beside them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def added_up(name, program, **numbers):
    """The numbers, and those of earlier runs of the same program."""
    path = ROOT / "build/fuzz" / f"{name}.json"
    is_now = hashlib.sha256((ROOT / program).read_bytes()).hexdigest()
    before = json.loads(path.read_text()) if path.exists() else {}
    if before.get("program") == is_now:
        numbers = {key: x + before[key] for key, x in numbers.items()}
    path.write_text(json.dumps({"program": is_now, **numbers}))
    return numbers


def main():
    name, seconds, jobs, program, *options = sys.argv[1:]
    found = ROOT / "build/fuzz" / f"{name}.found"
    found.mkdir(parents=True, exist_ok=True)
    ended = at_once(int(jobs), [program, f"-max_total_time={seconds}",
                                "-print_final_stats=1", "-verbosity=0",
                                found, *options])
    bad = [(said, status) for said, status in ended if faults(said, status)]
    commit = subprocess.run(["sh", "bench/commit.sh"], cwd=ROOT, text=True,
                            stdout=subprocess.PIPE, check=True).stdout.strip()
    all_runs = added_up(name, program, runs=1,
                        hours=processor_seconds() / 3600,
                        inputs=sum(inputs(said) for said, _ in ended),
                        bad=len(bad))
    print(f"commit   {commit}\n"
          f"command  make long-{name} FUZZ_SECONDS={seconds} FUZZ_JOBS={jobs}"
          f"{length(options)}\n"
          f"hours of processor time {all_runs['hours']:.2f}, in "
          f"{all_runs['runs']} runs\n"
          f"inputs that ran         {all_runs['inputs']}\n"
          f"that broke a promise    {all_runs['bad']}\n"
          f"new paths were kept of  {len(list(found.iterdir()))}")
    for said, status in bad:
        print(*faults(said, status), *said.splitlines()[-20:], sep="\n")
    return len(bad) != 0


if __name__ == "__main__":
    sys.exit(main())
