#!/bin/sh
# Kernels that mean harm: whatever they do, before a launch or in it, ends within its time, reaches nothing outside of their process,
# and leaves nothing behind. No GPU is needed.
# shellcheck disable=SC2154 # work, status: tests/shell/lib.sh
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

lanes=$BUILD/lanes
built "$lanes"

harm=$work/harm # everything that a kernel manages to write
tmp=$work/tmp
mkdir -p "$harm" "$tmp"
echo whole >"$work/victim"
if ! ps -eo pid= >"$work/null" 2>&1; then
    skip "kernels that mean harm" "ps is not here"
    finish
fi
if ! compiles_for h200; then
    skip "kernels that mean harm" "$no_compiler"
    finish
fi

# actions: what kernels try. A name, what the call declares, and the call, as an int.
actions() {
    cat <<END
system|int system(const char *)|system("echo x >$harm/system")
popen|struct _IO_FILE *popen(const char *, const char *)|popen("echo x >$harm/popen", "r") != 0
fork|int fork()|fork()
vfork|long syscall(long, ...)|(int)syscall(58)
clone|long syscall(long, ...)|(int)syscall(56, 0x11, 0, 0, 0, 0)
clone3|long syscall(long, ...)|(int)syscall(435, 0, 0)
exec|int execl(const char *, const char *, ...)|execl("/bin/sh", "sh", "-c", "echo x >$harm/exec", (char *)0)
socket|int socket(int, int, int)|socket(2, 1, 0)
socketpair|long syscall(long, ...)|(int)syscall(53, 1, 1, 0, 0)
kill-parent|int kill(int, int), getppid()|kill(getppid(), 9)
kill-all|int kill(int, int)|kill(0, 9)
tgkill-parent|int getppid(); extern "C" __device__ long syscall(long, ...)|(int)syscall(234, getppid(), getppid(), 9)
sigqueue|long syscall(long, ...)|(int)syscall(129, 1, 9, 0)
create|struct _IO_FILE *fopen(const char *, const char *)|fopen("$harm/create", "w") != 0
open|int open(const char *, int, ...)|open("$harm/open", 0101, 0600)
truncate|int truncate(const char *, long)|truncate("$work/victim", 0)
unlink|int unlink(const char *)|unlink("$work/victim")
rename|int rename(const char *, const char *)|rename("$work/victim", "$harm/victim")
mkdir|int mkdir(const char *, unsigned)|mkdir("$harm/mkdir", 0700)
symlink|int symlink(const char *, const char *)|symlink("/", "$harm/symlink")
chmod|int chmod(const char *, unsigned)|chmod("$work/victim", 0777)
ptrace|long syscall(long, ...)|(int)syscall(101, 16, 1, 0, 0)
END
}

# write_kernel PLACE DECLARATION CALL: to $work/kernel.cu.
write_kernel() {
    {
        echo "extern \"C\" __device__ $2;"
        case $1 in
        initializer) echo "__device__ int given = $3;" ;;
        constructor) printf '__device__ int given;\n__attribute__((constructor)) __device__ void before() { given = %s; }\n' "$3" ;;
        object) printf 'struct S { int value; __device__ S() { value = %s; } };\n__device__ S object;\n__device__ int given;\n' "$3" ;;
        launch) echo "__device__ int given;" ;;
        esac
        echo "__global__ void f(int *a) {"
        [ "$1" != launch ] || echo "    given = $3;"
        [ "$1" != constructor ] || echo "    if (a == nullptr) before();"
        [ "$1" != object ] || echo "    given = object.value;"
        printf '    a[threadIdx.x] = given;\n}\n'
    } >"$work/kernel.cu"
}

# left_behind: sets $left to the folders and processes of a run. What ends by itself gets a second to do so.
left_behind() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        # shellcheck disable=SC2009 # pgrep does not tell zombies apart
        left=$(ls "$tmp" && ps -eo pid=,stat=,args= | grep -F "$work/kernel.cu" | grep -v 'grep' | grep -v ' Z')
        [ -n "$left" ] || return 1
        sleep 0.1
    done
}

# contained NAME OPTION...: runs $work/kernel.cu; lanes itself must end well or with a line that says what is wrong, in time, with nothing
# done and nothing left.
contained() {
    name=$1
    shift
    begun=$(date +%s)
    TMPDIR=$tmp timeout -s KILL 60 "$lanes" --gpu h200 --kernel "$work/kernel.cu" --block 32 --arg buffer:int:32 --max-time 1 "$@" \
        >"$work/out" 2>"$work/err" </dev/null
    status=$?
    took=$(($(date +%s) - begun))
    why=
    [ "$status" -le 1 ] || why="status $status"
    [ "$status" -ne 1 ] || tail -n 1 "$work/err" | grep -Eaq '^lanes: .+: .+' || why="no reason given"
    [ "$took" -le 30 ] || why="$why, took $took s"
    [ -z "$(ls "$harm")" ] || why="$why, wrote $(ls "$harm")"
    [ "$(cat "$work/victim" 2>"$work/null")$(find "$work/victim" -perm 777)" = whole ] || why="$why, harmed a file"
    [ "$(wc -c <"$work/err")" -lt 1100000 ] || why="$why, printed $(wc -c <"$work/err") bytes"
    ! left_behind || why="$why, left $left"
    rm -rf "$harm" "$work/victim"
    mkdir "$harm"
    echo whole >"$work/victim"
    if [ -z "$why" ]; then ok "$name"; else fail "$name" "$why" "$(tail -n 3 "$work/err" | cut -c 1-300)"; fi
}

# A compiler that takes only constant initializers refuses all others with this message, whatever they call: one kernel shows it for a place.
# Where a compiler takes them, every kernel runs.
refused_places=
note_refusal() {
    ! grep -q 'dynamic initialization is not supported' "$work/err" || refused_places="$refused_places $1 "
}

takes() {
    case $refused_places in *" $1 "*) return 1 ;; esac
}

# Each call, where a program's code runs before a launch, and in a launch. Numbers of system calls are x86-64's. No compiler for GPUs takes
# them, or nothing defines them.
test_calls() {
    actions >"$work/actions"
    while IFS='|' read -r action declaration call; do
        everything || [ "$action" = system ] || [ "$action" = kill-parent ] || continue
        [ "$(uname -m)" = x86_64 ] || [ "${declaration##*syscall}" = "$declaration" ] || continue
        for place in initializer constructor object launch; do
            takes "$place" || continue
            write_kernel "$place" "$declaration" "$call"
            contained "$action, $place"
            note_refusal "$place"
        done
    done <"$work/actions"
}

# What never ends, or prints without end.
test_floods() {
    for place in initializer constructor object launch; do
        everything || [ "$place" = launch ] || continue
        takes "$place" || continue
        write_kernel "$place" 'void abort(); static __device__ int endless() { volatile int i = 1; while (i) { } return 0; }' 'endless()'
        contained "an endless loop, $place"
        write_kernel "$place" 'int printf(const char *, ...); static __device__ int flood() { for (;;) printf("%0999d", 7); return 0; }' \
            'flood()'
        contained "a flood of output, $place"
        [ "$place" != launch ] || is "it is cut, and said to be" "$(grep -ac 'printed more than 1048576 bytes: the rest is left out' "$work/err")" 1
        write_kernel "$place" 'long write(int, const void *, unsigned long); static __device__ int flood() {
            for (;;) for (int i = 1; i < 9; i++) write(i, "flood, flood, flood, flood", 26); return 0; }' 'flood()'
        contained "a flood into every file, $place"
        write_kernel "$place" 'void *malloc(unsigned long); static __device__ int fill() {
            for (;;) { volatile char *p = (volatile char *)malloc(1 << 26); if (!p) return 1; for (int i = 0; i < 1 << 26; i += 4096) p[i] = 1; } }' \
            'fill()'
        contained "memory without end, $place"
        write_kernel "$place" 'int close(int); static __device__ int shut() {
            for (int i = 0; i < 64; i++) close(i); volatile int i = 1; while (i) { } return 0; }' 'shut()'
        contained "every file closed, then an endless loop, $place"
    done
}

# A pipe for a header: no reader may wait for its writer, neither bankshot nor a compiler.
test_pipes() {
    mkfifo "$work/pipe"
    printf '#include "pipe"\n__global__ void f(int *a) { a[threadIdx.x] = 1; }\n' >"$work/kernel.cu"
    run timeout 60 "$lanes" --kernel "$work/kernel.cu" --block 32 --arg buffer:int:32
    is "a pipe for a header is said to be one" "$status $(tail -n 1 "$work/err" | grep -c 'is a pipe: include a regular file')" "1 1"
    printf '#include "device/kernel/kernel.h"\n#include "pipe"\nKERNEL void f(uint32_t *a) { a[threadIdx.x] = 1; }\n' >"$work/kernel.cu"
    run env BANKSHOT_COMPILER_SECONDS=1 timeout 60 "$lanes" --kernel "$work/kernel.cu" --block 32 --arg buffer:int:32
    is "a compiler that waits for one is ended" "$status $(tail -n 1 "$work/err" | grep -c 'still ran after 1 s')" "1 1"
    for signal in TERM:143 KILL:137 HUP:129; do
        TMPDIR=$tmp "$lanes" --gpu h200 --kernel "$work/kernel.cu" --block 32 --arg buffer:int:32 >"$work/out" 2>"$work/err" </dev/null &
        pid=$!
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            [ -z "$(ls "$tmp")" ] || break
            sleep 0.2
        done
        sleep 0.3
        check "the compiler waits, before SIG${signal%:*}" [ -n "$(ls "$tmp")" ]
        kill -s "${signal%:*}" "$pid"
        wait "$pid" 2>"$work/null"
        is "SIG${signal%:*} ends lanes, its compiler and their folder" "$? $(left_behind && echo "$left")" "${signal#*:} "
    done
}

test_calls
test_floods
test_pipes
finish
