#!/bin/sh
# Runs one group of tests for scripts/test.sh and prints its result:
#   sh scripts/test_group.sh NAME SECONDS COMMAND...
# The command reports its tests as cmocka's TAP or as tests/shell/lib.sh does. It is stopped after SECONDS.
# build/tests/logs gets NAME.log, the command's output, and NAME.results, one line per test: `ok NAME`, `FAIL NAME` or
# `SKIP NAME: why`.
set -u
. scripts/lib.sh

name=$1 limit=$2
shift 2
log=$BUILD/tests/logs/$name
started=$(date +%s)
CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 10 "$limit" "$@" >"$log.log" 2>&1 </dev/null
status=$?
times >"$log.times" # of this shell, then of the command
awk -v name="$name" -v status="$status" '
    /^1\.\.[0-9]+$/ { planned += substr($0, 4) }
    !/^(ok|not ok|FAIL|SKIP) / { next }
    {
        verdict = /^SKIP|# SKIP/ ? "SKIP" : /^not ok|^FAIL/ ? "FAIL" : "ok" # cmocka: not ok 5 # SKIP
        sub(/^(not ok|ok|FAIL|SKIP) ([0-9]+ (- |# SKIP ))?/, "")
        print verdict " " name ": " $0
        count[verdict]++
    }
    END {
        total = count["ok"] + count["FAIL"] + count["SKIP"]
        if (status == 124)
            print "FAIL " name ": stopped after its time limit"
        else if (status != 0 && !count["FAIL"])
            print "FAIL " name ": ended with status " status
        else if (total == 0 || total < planned)
            print "FAIL " name ": ran " total + 0 " of " planned + 0 " tests"
    }' "$log.log" >"$log.results"
# why_it_failed: what each failed test printed with its name; if none did, as in a crash, what came last.
why_it_failed() {
    awk -v LINES=12 '
        /^(ok|SKIP) |# SKIP/ { failed = 0; next }
        /^(not ok|FAIL) / { failed = LINES; any = 1 }
        failed-- > 0 { print "    " $0 }
        END { exit !any }' "$log.log" || tail -n 25 "$log.log" | sed 's/^/    /'
}

# Prints the summary in one piece, because other groups print at the same time.
{
    printf '%-4s %s: %s tests in %s s, CPU time %s s\n' "$(grep -q ^FAIL "$log.results" && echo FAIL || echo ok)" "$name" \
        "$(wc -l <"$log.results" | tr -d ' ')" "$(($(date +%s) - started))" \
        "$(LC_ALL=C awk 'END { for (i = 1; i <= 2; i++) { split($i, part, "[ms]"); sum += 60 * part[1] + part[2] } printf "%.0f", sum }' "$log.times")"
    if grep ^FAIL "$log.results"; then why_it_failed; fi
} >"$log.summary"
cat "$log.summary"
rm "$log.summary"
