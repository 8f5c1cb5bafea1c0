"""report - tables and charts of bench/results.

python3 bench/report          writes the pages of bench/results, their charts,
                              and the summary in README.md, between the markers
                              <!-- bench:summary --> and <!-- /bench -->
python3 bench/report check    fails if a page is stale or a missed goal has no
                              reason; with a self-test
python3 bench/report table FILE     prints the tables of one record
python3 bench/report charts FILE    draws the charts of one record
python3 bench/report merge FILE MORE            adds the rows of MORE to FILE
python3 bench/report profile FILE NAMES CSV     adds what ncu counted for the
                                                rows NAMES
python3 bench/report costs RAW FILE             makes a record of the output of
                                                device/costs.cu
python3 bench/report tidy FILE      removes fields that do not affect the result
python3 bench/report held-out FILE  prints pairs with a faster runner-up

The latest of several records of a kind counts.
"""
import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from report import check, costs, held_out, records, trips # noqa: E402
from report.page import (README, SUBJECTS, every_result, # noqa: E402
                         written)
from report.summary import MARK # noqa: E402


def write(files):
    for path, text in files:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)


def plots():
    write(written(every_result()))
    if not MARK.search(records.read(README)):
        print("report: README.md has no <!-- bench:summary -->")


def subject_of(data):
    """The subject of a record, by its keys or by the name of its rows."""
    for subject in SUBJECTS.values():
        if subject.key and subject.key in data and subject.gpus in (
                0, data["context"].get("gpus")):
            return subject
    first = data["benchmarks"][0]["name"].split("/")[0]
    return SUBJECTS.get(first, SUBJECTS["host"])


def table(path):
    data = records.load(path)
    subject = subject_of(data)
    print("\n".join(subject.table(data)))
    missed = list(subject.missed(data))
    if missed:
        print("\nBelow goal:\n" + "\n".join(f"- {miss}" for miss in missed))


def charts(path):
    data = records.load(path)
    write(subject_of(data).charts(data))


COMMANDS = {"check": check.check, "table": table, "charts": charts,
            "merge": records.merge, "profile": trips.profile,
            "costs": costs.record_costs, "tidy": records.tidy,
            "held-out": held_out.held_out}


def main():
    if len(sys.argv) == 1:
        return plots()
    if sys.argv[1] not in COMMANDS:
        return __doc__
    return COMMANDS[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
