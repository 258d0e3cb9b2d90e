#!/bin/sh
# What the programs do when something around them fails: the simulator's compiler, the disk, the folder, the user's patience.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh
. scripts/lib.sh

ln -s "$(cd "$BUILD" && pwd)" "$work/programs" # so that the path has no space and can be in a list of words
gmem=$work/programs/gmem
built "$gmem"
program=gmem # whose messages fails expects
quick="--quiet --min-time 0 --max-time 0.02 --width 4 --elements 64K"
has_sim=$("$gmem" --list-devices 2>/dev/null | grep -c "^sim:")

# fails NAME STATUS COMMAND...: the command must end by itself with this status, its last line being the error.
fails() {
    label=$1 expected=$2
    shift 2
    run "$@"
    if [ "$status" -ne "$expected" ]; then
        fail "$label" "status $status, expected $expected" "$(tail -n 3 "$work/err")"
    elif ! tail -n 1 "$work/err" | grep -Eq "^$program: .+: .+"; then
        fail "$label" "not '$program: what is wrong: what to do':" "$(tail -n 3 "$work/err")"
    else
        ok "$label"
    fi
}

# executable NAME LINE...: a script in $work/bin.
executable() {
    mkdir -p "$work/bin"
    file=$work/bin/$1
    shift
    printf '%s\n' '#!/bin/sh' "$@" >"$file"
    chmod +x "$file"
}

# shellcheck disable=SC2086 # $quick is a list of options
test_compiler() {
    if [ "$has_sim" -eq 0 ]; then
        skip "the simulator's compiler" "the simulator is not built here"
        return
    fi
    simulate="$gmem --device sim:h200 --variant copy $quick"
    executable killed "kill -KILL \$\$"
    executable silent "exit 0"
    executable garbage "while [ \$# -gt 0 ]; do [ \"\$1\" != -o ] || echo garbage >\"\$2\"; shift; done"
    executable chatter "echo 'kernel.c:1: error: no' >&2" "exit 1"
    fails "a compiler that fails" 1 env CC=/bin/false $simulate
    fails "a compiler that is killed" 1 env CC="$work/bin/killed" $simulate
    fails "a compiler that writes nothing" 1 env CC="$work/bin/silent" $simulate
    fails "a compiler that writes garbage" 1 env CC="$work/bin/garbage" $simulate
    fails "a compiler that refuses the kernel" 1 env CC="$work/bin/chatter" $simulate
    check "its log is shown" grep -q 'kernel.c:1: error: no' "$work/err"
    executable chatter 'for line in $(seq 40); do echo "kernel.c:$line: error: no"; done' "exit 1"
    fails "a compiler that refuses much" 1 env CC="$work/bin/chatter" $simulate
    is "of a long log the first lines are shown, and how to see all" "$(grep -c '^kernel.c' "$work/err") $(grep -c \
        '^\.\.\. and 28 more lines, which BANKSHOT_WHOLE_LOG=yes shows$' "$work/err")" "12 1"
    fails "a compiler that refuses much, all of it shown" 1 env BANKSHOT_WHOLE_LOG=yes CC="$work/bin/chatter" $simulate
    is "a long log is shown whole if one asks" "$(grep -c '^kernel.c' "$work/err") $(grep -c 'more lines' "$work/err")" "40 0"
    fails "a compiler that is not there" 1 env CC="$work/bin/none" $simulate
    fails "no compiler on the PATH" 1 env -u CC PATH="$work/empty" $simulate
    fails "a TMPDIR that does not exist" 1 env TMPDIR="$work/none" $simulate
    run env CC=/bin/false "$gmem" --device cpu,sim:h200 --variant copy $quick --csv "$work/both.csv"
    is "what was measured before stays: status" "$status" 1
    is "what was measured before stays: row" "$(column backend "$work/both.csv")" cpu
    echo kept >"$work/kept.csv"
    run env CC=/bin/false $simulate --csv "$work/kept.csv"
    is "a CSV stays until there is a row" "$status $(cat "$work/kept.csv")" "1 kept"
    run env CC=/bin/false $simulate --csv "$work/new.csv"
    check "without a row there is no new CSV" [ ! -e "$work/new.csv" ]
}

# The folder for temporary files is full. The error must say so, whichever program notices it first.
# shellcheck disable=SC2086
test_full_temporary_folder() {
    if [ "$has_sim" -eq 0 ]; then
        skip "a full TMPDIR" "the simulator is not built here"
        return
    fi
    mkdir -p "$work/small"
    for kilobytes in 16 64 96 128; do
        full="mount -t tmpfs -o size=${kilobytes}k none '$work/small' || exit 77; TMPDIR='$work/small' exec $gmem --device sim:h200 \
            --variant copy $quick"
        run unshare -rm sh -c "$full"
        if [ "$status" -eq 77 ] || ! unshare -rm true 2>/dev/null; then
            skip "a full TMPDIR" "no file system can be mounted here"
            return
        fi
        if [ "$status" -eq 0 ]; then
            ok "a TMPDIR of $kilobytes KiB is large enough"
        else
            fails "a TMPDIR of $kilobytes KiB" 1 unshare -rm sh -c "$full"
            check "its message says why" sh -c "tail -n 1 '$work/err' | grep -q 'No space left'"
        fi
    done
}

# A stack of 128 KiB, and more threads than there can be.
# shellcheck disable=SC2086
test_limits() {
    check "a small stack: the CPU" sh -c "ulimit -s 128; exec $gmem --device cpu --variant copy $quick"
    if [ "$has_sim" -gt 0 ]; then
        check "a small stack: a simulated GPU" sh -c "ulimit -s 128; exec $gmem --device sim:h200 --variant copy $quick"
        check "a small stack: lanes" sh -c "ulimit -s 128; exec '$BUILD/lanes' --gpu h200,mi210 --space global"
    fi
    for name in $(probes); do
        refuses "$name: a million threads" 2 env OMP_NUM_THREADS=1000000 "$BUILD/$name" --list-devices
    done
}

# What a limit of the shell forbids is said, and how to allow it.
test_small_limits() {
    for name in gmem lanes compare report; do
        program=$name
        fails "$name: a stack of 64 KiB" 1 sh -c "ulimit -s 64; exec '$BUILD/$name' --version"
        is "$name: the message says what is enough" "$(grep -c 'limited to 64 KiB: allow it 128 KiB at least (ulimit -s)' "$work/err")" 1
    done
    program=gmem
    [ "$has_sim" -gt 0 ] || return
    # shellcheck disable=SC2086 # a list of options
    fails "little memory for a simulated GPU" 1 sh -c "ulimit -v 600000; exec $gmem --device sim:h200 --variant copy --elements 256M"
    check "it names the options, and the limit" grep -q 'smaller (--elements, .*(ulimit -v)' "$work/err"
}

# A name may hold what a terminal obeys, and the end of a line.
test_control_characters() {
    name=$(printf 'missing\033[31m\nfolder\302\233/x.csv')
    refuses "control characters in a name" 2 "$gmem" --device cpu --csv "$name"
    is "they are shown by their numbers" "$(grep -cF 'missing\x1b[31m\x0afolder\u009b/x.csv' "$work/err")" 1
}

# A run that is killed leaves a torn line: the rows before it are read, and it is named.
test_torn_line() {
    check "rows to tear" "$gmem" --device cpu --variant copy --width 4,8 --elements 64K --min-time 0 --max-time 0.02 --quiet --csv "$work/rows.csv"
    lines=$(wc -l <"$work/rows.csv")
    for tail in 'gmem,co' "$(tail -n 1 "$work/rows.csv" | tr -d '\n')" 'gmem,"co'; do
        { cat "$work/rows.csv"; printf %s "$tail"; } >"$work/torn.csv"
        run "$BUILD/compare" "$work/torn.csv" "$work/rows.csv" --csv "$work/compared.csv"
        is "compare leaves out '$(printf %.12s "$tail")'" \
            "$status $(grep -c '^compare: .*torn.csv:'"$((lines + 1))"': the last line is torn, and left out: ' "$work/err") $(grep -c ',gmem,copy,' "$work/compared.csv")" "0 1 2"
        run "$BUILD/report" "$work/torn.csv" -o "$work/torn.html"
        is "report leaves out '$(printf %.12s "$tail")'" "$status $(grep -c "^report: .*torn.csv:$((lines + 1)): the last line is torn" "$work/err")" "0 1"
    done
}

# Output that only informs must arrive, too.
test_information() {
    for name in $(probes) $(listed_tools) apsp-mpi; do
        [ -x "$BUILD/$name" ] || continue
        for option in --help --version --list --list-devices --list-gpus; do
            timeout 60 "$BUILD/$name" "$option" >"$work/out" 2>&1 || continue # it has no such option
            program=$name
            fault=1
            [ "$name" != compare ] || fault=2 # whose 1 says that something is slower
            fails "$name $option: a full disk for standard output" $fault sh -c "exec '$BUILD/$name' $option >/dev/full"
            fails "$name $option: standard output closed" $fault sh -c "exec '$BUILD/$name' $option >&-"
        done
    done
    program=gmem
}

# shellcheck disable=SC2086
test_disk() {
    measure="$gmem --device cpu --variant stride-copy $quick --stride 1:64"
    fails "a full disk at once" 1 $measure --csv /dev/full
    fails "a full disk for standard output" 1 sh -c "$measure --csv - >/dev/full"
    fails "a full disk beneath the table" 1 sh -c "$measure >/dev/full"
    # 16 units of 512 or 1024 bytes: the header and some rows.
    fails "a disk that fills up in mid-run" 1 sh -c "trap '' XFSZ; ulimit -f 16; exec $measure --csv '$work/full.csv'"
    check "rows written before it filled up stay" [ "$(rows "$work/full.csv")" -ge 1 ]
    # One unit is too little for the head of an object, and enough for its end.
    fails "a disk that fills up before the first row" 1 sh -c "trap '' XFSZ; ulimit -f 1; exec $measure --json - >'$work/full.json'"
    is "standard output is a whole object without rows" "$(tr -d ' \n' <"$work/full.json")" '{"metadata":{}}'
    head -c 4096 /dev/zero >"$work/full.json"
    fails "an old file and a disk that fills up" 1 sh -c "trap '' XFSZ; ulimit -f 1; exec $measure --json '$work/full.json'"
    is "it gets no end without a beginning" "$(wc -c <"$work/full.json" | tr -d ' ')" 0
    fails "a limit that sends a signal" 1 sh -c "ulimit -f 16; exec $measure --csv '$work/full.csv'"
    is "it leaves whole rows" "$(tail -c 1 "$work/full.csv" | od -An -tu1 | tr -d ' ')" 10
    mkdir "$work/limited"
    yes '0 4 8' 2>"$work/null" | head -n 1000 >"$work/addresses"
    for writes in "lanes --addresses $work/addresses --csv" "report results/h200 -o" "parts h200 mi210 --csv" \
        "apsp --device cpu --vertices 100 --samples 1 --quiet --output"; do
        refuses "a limit that sends a signal: ${writes%% *}" 1 sh -c "ulimit -f 1; exec $BUILD/$writes '$work/limited/file' >'$work/null'"
    done
    refuses "a limit that sends a signal: compare" 2 \
        sh -c "ulimit -f 1; exec $BUILD/compare results/h200/reduce.csv results/h100/reduce.csv --csv '$work/limited/file' >'$work/null'"
    refuses "a limit that sends a signal: standard output" 1 sh -c "ulimit -f 1; exec $BUILD/lanes --addresses '$work/addresses' --csv - >'$work/printed'"
    is "such limits leave no file" "$(ls "$work/limited")" ""
    fails "standard output closed" 1 sh -c "$measure --csv - >&-"
    if [ "$has_sim" -gt 0 ]; then
        fails "standard output closed, and a kernel to compile" 1 sh -c "exec $gmem --device sim:h200 --variant copy --width 4,8 >&-"
        check "no file of another purpose took its place" grep -q 'standard output: cannot be written' "$work/err"
        echo >"$work/gmem" # no folder of a kernel
        run sh -c "cd '$work' && $gmem --device sim:h200 --variant copy --width 4 --quiet"
        is "a kernel is compiled beside a file that has its folder's name" "$status" 0
    fi
    run sh -c "$measure --csv - | head -n 1 >/dev/null"
    is "a reader that leaves does no harm" "$(grep -ci 'sanitizer\|core dumped' "$work/err")" 0
}

# The other probes stand on the same harness: the first fault of each kind, on the last of the devices that a probe runs on
# by itself.
# shellcheck disable=SC2086
test_other_probes() {
    for probe in $(probes); do
        [ "$probe" = gmem ] && continue
        device=$(BANKSHOT_DEVICES=cpu,sim:h200 devices "$probe" | tail -n 1)
        [ -n "$device" ] || continue # test_links.sh has its faults
        case $device in
        sim*)
            if [ "$has_sim" -eq 0 ]; then
                skip "$probe" "the simulator is not built here"
                continue
            fi
            ;;
        esac
        short="$work/programs/$probe --device $device --quiet $(short_options "$probe")"
        check "$probe runs" $short --csv "$work/$probe.csv"
        program=$probe
        [ "$device" = cpu ] || fails "$probe: a compiler that is killed" 1 env CC="$work/bin/killed" $short
        fails "$probe: a full disk" 1 $short --csv /dev/full
        fails "$probe: a folder that is missing" 2 $short --csv "$work/missing/file.csv"
        program=gmem
    done
}

# short_options PROBE: of a run that takes a second.
short_options() {
    case $1 in
    smem) echo "--variant load --width 4 --stride 1" ;;
    apsp) echo "--variant shared-row --vertices 40 --max-time 0.02 --min-time 0" ;;
    levels) echo "--variant latency --footprint 4K,64K --max-time 0.02 --min-time 0" ;;
    *) echo "--variant all" ;;
    esac
}

# shellcheck disable=SC2086
test_read_only() {
    other=$(without_power)
    if ! has_no_power; then
        skip "a read-only folder" "root can write everywhere, and setpriv can not take that power here"
        return
    fi
    mkdir -p "$work/read-only"
    echo kept >"$work/read-only/kept.csv"
    chmod 444 "$work/read-only/kept.csv"
    chmod 555 "$work/read-only"
    refuses "a read-only folder" 2 $other "$gmem" --device cpu --variant copy $quick --csv "$work/read-only/new.csv"
    refuses "a read-only file" 2 $other "$gmem" --device cpu --variant copy $quick --csv "$work/read-only/kept.csv"
    is "a read-only file stays" "$(cat "$work/read-only/kept.csv")" kept
    (
        cd "$work/read-only" || exit
        $other "$gmem" --device cpu --variant copy $quick --csv - 2>&1
    ) >"$work/inside.csv"
    is "runs inside a read-only folder" "$(column verified "$work/inside.csv")" yes
    if [ "$has_sim" -gt 0 ]; then
        fails "a TMPDIR that can not be written" 1 $other env TMPDIR="$work/read-only" "$gmem" --device sim:h200 \
            --variant copy $quick
    fi
}

rows() {
    if [ -e "$1" ]; then sed '1,/^probe,/d' "$1" | wc -l | tr -d ' '; else echo 0; fi
}

# A compiler has temporary files of its own, and no time to remove them.
test_signal_to_compiler() {
    # shellcheck disable=SC2016 # the script's own
    executable slow 'case " $* " in *" -o "*) ;; *) exec cc "$@" ;; esac' "trap '' TERM; mktemp >'$work/slow.file' && sleep 60"
    CC=$work/bin/slow "$gmem" --device sim:h200 --variant copy --width 4 --quiet >"$work/null" 2>&1 </dev/null &
    pid=$!
    waited=0
    while [ ! -s "$work/slow.file" ] && [ "$((waited += 1))" -lt 300 ]; do sleep 0.1; done
    kill "$pid"
    wait "$pid"
    check "a compiler was stopped" [ -s "$work/slow.file" ]
    check "its temporary file is gone" [ ! -e "$(cat "$work/slow.file")" ]
}

# A run that is stopped keeps the rows so far as whole lines. A shell starts background commands with SIGINT ignored; timeout
# passes the signal on.
test_signals() {
    for signal in INT TERM; do
        csv=$work/$signal.csv
        timeout -s KILL 90 env --default-signal="$signal" "$gmem" --device cpu --variant stride-copy --width 4 \
            --stride 1:64 --elements 1M --min-time 0.2 --max-time 0.2 --csv "$csv" >"$work/out" 2>"$work/err" </dev/null &
        pid=$!
        waited=0
        while [ "$(rows "$csv")" -lt 2 ] && [ "$waited" -lt 60 ] && kill -0 "$pid" 2>"$work/null"; do
            sleep 1
            waited=$((waited + 1))
        done
        kill -s "$signal" "$pid"
        wait "$pid"
        status=$?
        check "SIG$signal ends the run, not with status 0" [ "$status" -ne 0 ]
        check "SIG$signal ends the run soon" [ "$status" -ne 137 ]
        check "SIG$signal keeps the rows so far" [ "$(rows "$csv")" -ge 2 ]
        check "SIG$signal stopped it in mid-run" [ "$(rows "$csv")" -lt 64 ]
        is "SIG$signal leaves whole rows" "$(awk -F , '/^probe,/ { n = NF; next } n && NF < n' "$csv")" ""
        is "SIG$signal leaves a last line with its end" "$(tail -c 1 "$csv" | od -An -tu1 | tr -d ' ')" 10
    done
    [ "$has_sim" -eq 0 ] || test_signal_to_compiler
    # Open MPI keeps a folder for its sessions there.
    is "nothing is left in TMPDIR" "$(find "$tmp" -mindepth 1 -maxdepth 1 ! -name 'ompi.*')" ""
}

# Two processes on one CSV: the second is refused, and the first one's rows are whole.
# shellcheck disable=SC2086
test_two_runs() {
    csv=$work/two.csv
    "$gmem" --device cpu --variant stride-copy $quick --stride 1:20 --min-time 0.05 --max-time 0.05 --csv "$csv" \
        >"$work/null" 2>&1 </dev/null &
    pid=$!
    waited=0
    while [ "$(rows "$csv")" -lt 1 ] && [ "$waited" -lt 100 ] && kill -0 "$pid" 2>"$work/null"; do
        sleep 0.1
        waited=$((waited + 1))
    done
    refuses "a CSV that another run writes" 2 "$gmem" --device cpu --variant copy $quick --csv "$csv"
    wait "$pid"
    is "its owner ends well" "$? $(rows "$csv")" "0 20"
}

tmp=$work/tmp
mkdir -p "$work/empty" "$tmp"
export TMPDIR="$tmp"
test_compiler
test_full_temporary_folder
test_limits
test_small_limits
test_control_characters
test_torn_line
test_information
test_disk
test_other_probes
test_read_only
test_signals
test_two_runs
finish
