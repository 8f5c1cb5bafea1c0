#!/bin/sh
# commit.sh - the commit of the sources that a result is of: LL_COMMIT where it
# is set, else HEAD, with `-dirty` where a tracked file differs from it. Results
# and texts do not count: one result is written after the other.
cd "$(dirname "$0")/.." || exit 1
if [ -n "${LL_COMMIT:-}" ]; then
    echo "$LL_COMMIT"
elif head=$(git rev-parse --short HEAD 2>/dev/null); then
    git diff --quiet HEAD -- . ':!bench/results' ':!*.md' || head=$head-dirty
    echo "$head"
else
    echo unknown
fi
