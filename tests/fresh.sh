#!/bin/sh
# fresh.sh SUITE - runs the two commands of the README in a new Debian.
#
# Makes a Debian SUITE (bookworm, trixie, sid, ..) with only make and git, copies
# it to build/fresh/SUITE, clones the last commit into it, and runs there as root, in
# an empty environment,
#
#     make run      make check
#
# `make run` may take 60 s on two idle cores and install 250 MB, or g++ if that is
# larger. Its first line comes within 5 s, and it is silent for at most 10 s; `make check` for 30. Then
# `make run` again where something is missing: root and compilers, a network, a
# new driver, g++. The settings for downloads are those of this machine: mirror
# and proxy of apt, pip's configuration, certificates. The output goes to
# build/fresh/SUITE-*.log; the result, with release, compiler, C library, seconds
# and megabytes, to bench/results/fresh-SUITE.txt (LL_RESULTS names another
# folder).
#
# Self-test: a program is planted on this machine only, and the emulator's
# compiler needs it. `make run` must then fail in the new system.
#
# COMMANDS="run" leaves out `make check` and writes no record. The script needs
# root and debootstrap, and ends with `N passed, N failed`.
set -u
cd "$(dirname "$0")/.." || exit 1
suite=${1:-}
commands=${COMMANDS:-run check}
base=$PWD/build/fresh
root=$base/$suite
tree=/srv/ll # of the clone, in the new system
results=${LL_RESULTS:-bench/results}
passed=0 failed=0 user='' net=''

stop() { echo "fresh.sh: $*" >&2; exit 2; }

# The mirror that apt uses here, or nothing: debootstrap has a default.
mirror() {
    apt-get indextargets --format '$(SITE)' 'Created-By: Packages' \
        'Label: Debian' 2>/dev/null | head -n 1
}

# The variables for downloads, as arguments of `env`.
carried() {
    env | grep -E '^(PIP_(INDEX_URL|EXTRA_INDEX_URL|CERT|TRUSTED_HOST|PROXY|DEFAULT_TIMEOUT)|SSL_CERT_FILE|REQUESTS_CA_BUNDLE|(https?|no|all)_proxy|(HTTPS?|NO|ALL)_PROXY)='
}

make_root() {
    rm -rf "$root"
    mkdir -p "$base"
    if [ ! -e "$root.new/made" ]; then
        rm -rf "$root.new"
        echo "making a Debian $suite in build/fresh/$suite.new"
        # shellcheck disable=SC2046 # one word, or none
        debootstrap --variant=minbase --include=make,git,ca-certificates \
            "$suite" "$root.new" $(mirror) >"$base/$suite-make.log" 2>&1 ||
            stop "debootstrap failed: see build/fresh/$suite-make.log"
        touch "$root.new/made"
    fi
    cp -a "$root.new" "$root"
}

settings() {
    { # a mirror may be a snapshot of a day that is past
        echo 'Acquire::Check-Valid-Until "false";'
        apt-config dump Acquire | grep -i proxy
    } >"$root/etc/apt/apt.conf.d/90carried"
    for file in /etc/resolv.conf /etc/hosts /etc/pip.conf \
        "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}"; do
        [ -e "$file" ] || continue
        mkdir -p "$root$(dirname "$file")"
        cat "$file" >"$root$file"
    done
}

# Runs a shell command in the new system, with its own /proc and /dev: for a user,
# who is `root` or not, and without a network if `net` is --net.
inside() { # command
    # shellcheck disable=SC2016,SC2046,SC2086 # $0 and $@ are the inner shell's
    unshare --mount --propagation private $net sh -c '
        mount -t proc proc "$0/proc" && mount -t sysfs sysfs "$0/sys" &&
        mount --rbind /dev "$0/dev" && mount -t tmpfs tmpfs "$0/dev/shm" &&
        exec chroot --userspec='"${user:-root}"' "$0" env -i "$@"' "$root" \
        HOME=/srv \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        $(carried) sh -c "$1" </dev/null
}

megabytes() { du -sm --one-file-system "$root" | cut -f 1; }
packages() { # with their kilobytes
    # shellcheck disable=SC2016 # dpkg-query's variables
    chroot "$root" dpkg-query -W -f '${Package} ${Installed-Size}\n' | sort
}
added() { # megabytes (2^20) of the packages since `before`, without those named
    packages | comm -13 "$base/before" - |
        awk -v without=" $* " 'index(without, " " $1 " ") == 0 {
            kilobytes += $2 } END { print int(kilobytes / 1024) }'
}
# g++ and all packages that it needs: from gcc 14 on they exceed 250 MB.
compilers() {
    chroot "$root" apt-cache depends --recurse --important g++ gcc |
        grep '^[a-z]' | sed 's/:.*//' | sort -u | tr '\n' ' '
}

# Copies lines, and writes to a file the longest silence in seconds and when the
# first line came.
timed() { # file
    last=$(date +%s) longest=0 begun=$(date +%s) first=
    while IFS= read -r line || [ -n "$line" ]; do
        now=$(date +%s)
        [ $((now - last)) -le $longest ] || longest=$((now - last))
        last=$now
        first=${first:-$((now - begun))}
        printf '%s\n' "$line"
    done
    now=$(date +%s)
    [ $((now - last)) -le $longest ] || longest=$((now - last))
    echo "$longest ${first:-$((now - begun))}" >"$1"
}

verdict() { # what, 0 if it holds
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $1"
    fi
}

# A bound of `make run`.
within() { # what, value, limit, unit
    [ "$2" -le "$3" ]
    verdict "make run: $1 is $2 $4 (at most $3)" $?
}

command_of() { # run or check
    log=$base/$suite-$1.log
    packages >"$base/before"
    before=$(megabytes) start=$(date +%s)
    { inside "cd $tree && make $1" 2>&1; echo $? >"$base/status"; } |
        timed "$base/longest" | tee "$log"
    seconds=$(($(date +%s) - start))
    status=$(cat "$base/status")
    read -r longest first <"$base/longest"
    added=$(added)
    verdict "make $1 ends with exit status $status" "$status"
    if [ "$1" = run ]; then
        within 'the time' $seconds 60 s
        within 'the first line' "$first" 5 s
        within 'the longest silence' "$longest" 10 s
        # shellcheck disable=SC2046 # a list of words
        [ "$added" -le 250 ] || within 'what apt-get installed beside g++' \
            "$(added $(compilers))" 0 MB
    else
        [ "$longest" -le 30 ]
        verdict "make $1 was silent for $longest s (at most 30)" $?
    fi
    {
        echo "make $1: exit status $status, $seconds s, $added MB of" \
            "packages, $(($(megabytes) - before)) MB in all, first line after" \
            "$first s, at most $longest s without a line"
        [ "$1" != check ] || tail -n 1 "$log" | sed 's/^/  /'
    } >>"$base/$suite.txt"
}

# `make run` where something is missing: it ends as it should, with this line,
# once.
lacking() { # name, exit status, regular expression of a line, words for make
    log=$base/$suite-$1.log start=$(date +%s)
    inside "cd ${user:+/srv/user/}${user:-$tree} && make run $4" >"$log" 2>&1
    status=$?
    [ $status = "$2" ] && [ "$(grep -c -E "$3" "$log")" = 1 ]
    verdict "make run, $1: exit status $status (not $2), or no line $3" $?
    echo "make run, $1: exit status $status, $(($(date +%s) - start)) s" \
        >>"$base/$suite.txt"
}

# Nothing is installed yet.
before_run() {
    inside 'id newbie || useradd newbie' >/dev/null 2>&1
    rm -rf "$root/srv/user"
    git clone -q "$PWD" "$root/srv/user/newbie" || stop "git clone failed"
    inside 'chown -R newbie: /srv/user'
    needs='gcc g\+\+ binutils'
    user=newbie
    lacking no-root 2 \
        "^setup: no permission .*--no-install-recommends $needs *$" ''
    user='' net=--net
    lacking no-network 2 \
        "^setup: apt-get did not install $needs .is there a network" ''
    net=''
}

# The compilers are there.
after_run() {
    user=newbie net=--net
    lacking no-root-no-network 0 '^make viewer: draws .*; it needs clang$' ''
    user='' net=''
    cat >"$root/usr/local/bin/nvidia-smi" <<'END'
#!/bin/sh
[ "$1" = -L ] && { echo 'GPU 0: NVIDIA Tester'; exit; }
echo '| NVIDIA-SMI 550.54    Driver Version: 550.54    CUDA Version: 12.4 |'
END
    chmod +x "$root/usr/local/bin/nvidia-smi"
    lacking old-driver 0 'is for CUDA 12.4, and .*nvcc.* The emulator runs' ''
    rm "$root/usr/local/bin/nvidia-smi"
}

# So is clang.
after_check() {
    inside "cd $tree && rm -rf build/emulated build/emu"
    lacking clang 0 '^All three agree' 'CC=clang CXX=clang++'
}

# This machine finds the planted program, and the new system does not.
planted() {
    tool=ll_planted_tool
    mkdir -p "$base/bin"
    printf '#!/bin/sh\n' >"$base/bin/$tool"
    chmod +x "$base/bin/$tool"
    emucc=$(cd "$root$tree" && git ls-files | grep '/emucc$')
    sed "2i $tool || exit 9" "$root$tree/$emucc" >"$base/emucc"
    cp "$base/emucc" "$root$tree/$emucc"
    (PATH=$base/bin:$PATH sh "$base/emucc" --help) >/dev/null 2>&1
    verdict "this machine lacks the planted program" $?
    inside "cd $tree && rm -rf build/emulated && make run GPU=" \
        >"$base/$suite-planted.log" 2>&1
    [ $? != 0 ] && grep -q "$tool" "$base/$suite-planted.log"
    verdict "a program that only this machine has was not missed" $?
    (cd "$root$tree" && git checkout -q "$emucc")
}

head_of_record() {
    echo "release  $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' \
        "$root/etc/os-release") ($suite)"
    echo "compiler $(inside 'gcc --version' | head -n 1)"
    echo "libc     $(inside 'ldd --version' | head -n 1)"
    echo "cores    $(nproc), with load $(cut -d ' ' -f 1 /proc/loadavg) at the end"
    echo "commit   $(git -C "$root$tree" rev-parse --short=7 HEAD)"
    echo "command  make check-fresh SUITE=$suite"
}

[ -n "$suite" ] || stop "SUITE is missing: make check-fresh SUITE=trixie"
[ "$(id -u)" = 0 ] || stop "making a new system needs root"
command -v debootstrap >/dev/null || stop "debootstrap is not installed"
make_root
settings
rm -rf "$root$tree" "$base/$suite.txt"
git clone -q "$PWD" "$root$tree" || stop "git clone failed"
before_run
for command in $commands; do
    command_of "$command"
    "after_$command"
done
planted
if [ "$commands" = "run check" ]; then
    mkdir -p "$results"
    { head_of_record; cat "$base/$suite.txt"; } >"$results/fresh-$suite.txt"
    cat "$results/fresh-$suite.txt"
fi
echo "$passed passed, $failed failed"
[ $failed = 0 ]
