#!/bin/sh
# Opens every address from which a figure of `parts --csv` comes, with curl, and prints those that lead nowhere. A site that turns
# programs away (status 401, 403, 429) proves nothing: its addresses are listed apart, for a person to open. The exit status is 1 if an
# address leads nowhere or does not answer.
#   sh scripts/open_sources.sh
set -u
. "$(dirname "$0")/options.sh"
check_options "$0" "" "$@"
cd "$(dirname "$0")/.." || exit 1
. scripts/lib.sh

command -v curl >/dev/null || {
    echo "open_sources: curl is not installed: install it, for example with apt install curl" >&2
    exit 1
}
[ -x "$BUILD/parts" ] || {
    echo "open_sources: $BUILD/parts is not built: run make" >&2
    exit 1
}
# shellcheck disable=SC2046 # a list of names
"$BUILD/parts" --csv - $("$BUILD/parts" --list-gpus | cut -d ' ' -f 1) | grep -o 'https://[^ ",]*' | sort -u | while read -r address; do
    status=$(curl --silent --location --max-time 30 --output /dev/null --write-out '%{http_code}' "$address") || :
    echo "$status $address"
done | awk '
    $1 ~ /^2/ { opened++; next }
    $1 ~ /^(401|403|429)$/ { print "turned away (" $1 "): " $2; away++; next }
    { print ($1 == "000" ? "no answer: " : "leads nowhere (" $1 "): ") $2; lost++ }
    END {
        if (opened + away == 0) print "no address answers: is there a network?"
        printf "%d opened, %d did not, %d turn programs away\n", opened, lost, away
        exit lost > 0 || opened + away == 0
    }'
