#!/bin/sh
# run.sh - runs one part of the tests, and adds up the parts.
#
#   run.sh NAME COMMAND...      runs a part; its last line of output reads
#                               "N passed, N failed" or ".., N skipped"
#   run.sh NAME --skip REASON   a part that this machine cannot run
#   run.sh --begin              forgets what ran before
#   run.sh --sum NAME...        adds the parts up; one that left nothing failed
#
# What a part prints is kept in build/check/NAME.log, or in the folder RESULTS,
# and its end is shown when it fails. The second line of NAME.cpu is its processor
# time, user and system.
set -u
cd "$(dirname "$0")/.." || exit 1
dir=${RESULTS:-build/check}
mkdir -p $dir

counts() { # file: "passed failed skipped" from its last line, or nothing
    tail -n 1 "$1" | sed -n -E \
        -e 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2 0/p' \
        -e 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p'
}

# Adds up the files NAME.sum: passed, failed and skipped.
sum() {
    passed=0 failed=0 skipped=0
    for name in "$@"; do
        if [ -s $dir/"$name".sum ]; then
            read -r p f s <$dir/"$name".sum
        else
            echo "$name: was not built, so it failed"
            p=0 f=1 s=0
        fi
        passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    done
    echo "$passed passed, $failed failed, $skipped skipped"
    [ $failed = 0 ]
}

run() { # name command...
    name=$1 log=$dir/$1.log
    shift
    rm -f $dir/"$name".sum
    start=$(date +%s)
    "$@" >"$log" 2>&1 </dev/null
    status=$?
    times >$dir/"$name".cpu
    # shellcheck disable=SC2046 # three numbers, or none
    set -- $(counts "$log")
    why=
    if [ $# != 3 ]; then
        set -- 0 1 0
        why=" (no closing line, exit status $status)"
    elif [ $status != 0 ] && [ "$2" = 0 ]; then
        set -- "$1" 1 "$3"
        why=" (exit status $status)"
    elif [ "$*" = "0 0 0" ]; then
        set -- 0 1 0
        why=" (nothing was tested)"
    fi
    echo "$*" >$dir/"$name".sum
    seconds=$(($(date +%s) - start))
    {
        [ "$2" = 0 ] || { echo "---- $name"; tail -n 40 "$log"; echo "----"; }
        [ "$3" = 0 ] || sed -n "s/^skipped: /$name: skipped: /p" "$log"
        echo "$name: $1 passed, $2 failed, $3 skipped$why, $seconds s"
    } >"$log".end
    cat "$log".end # at once: other parts write at the same time
    [ "$2" = 0 ]
}

case $1 in
--begin) rm -f $dir/*.sum $dir/*.log $dir/*.end ;;
--sum) shift; sum "$@" ;;
*)
    if [ "$2" = --skip ]; then
        part=$1
        shift 2
        run "$part" printf 'skipped: %s\n0 passed, 0 failed, 1 skipped\n' \
            "$*"
    else
        run "$@"
    fi
    ;;
esac
