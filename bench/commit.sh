#!/bin/sh
# commit.sh - prints the commit of the sources: LL_COMMIT if it is set, else
# HEAD, with `-dirty` if a tracked file differs from it. Changed results and
# texts do not count, since results are written one after another.
cd "$(dirname "$0")/.." || exit 1
if [ -n "${LL_COMMIT:-}" ]; then
    echo "$LL_COMMIT"
elif head=$(git rev-parse --short HEAD 2>/dev/null); then
    git diff --quiet HEAD -- . ':!bench/results' ':!*.md' || head=$head-dirty
    echo "$head"
else
    echo unknown
fi
