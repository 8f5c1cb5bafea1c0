#!/bin/sh
# check.sh WHAT... - runs bench/run.sh WHAT again and compares the result with
# bench/results (bench/compare.py). A slower row fails. New results stay in
# build/bench-check.
set -u
cd "$(dirname "$0")/.." || exit 1
LL_RESULTS=build/bench-check
export LL_RESULTS
failed=0
for what in "$@"; do
    rm -f "$LL_RESULTS/$what"-*.json
    sh bench/run.sh "$what" >"build/bench-check-$what.log" 2>&1 || {
        tail -n 20 "build/bench-check-$what.log"
        failed=1
    }
    for new in "$LL_RESULTS/$what"-*.json; do
        old=bench/results/${new##*/}
        echo "$what:"
        if [ -e "$new" ] && [ -e "$old" ]; then
            python3 bench/compare.py "$new" "$old" || failed=1
        else
            echo "compare: no ${new##*/} was measured, or none is recorded"
            failed=1
        fi
    done
done
exit $failed
