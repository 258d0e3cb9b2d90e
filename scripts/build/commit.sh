#!/bin/sh
# Prints the commit that the sources are of, or nothing where that is not known; `commit.sh date` prints its time, in seconds since
# 1970. Run in the repository's root. git archive puts both here (.gitattributes).
set -u
# shellcheck disable=SC2016 # for git archive
archived='$Format:%H %ct$'
case ${1:-commit}:$archived in
date:*Format*) [ ! -e .git ] || git log -1 --format=%ct 2>/dev/null ;;
commit:*Format*) [ ! -e .git ] || git describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null ;;
date:*) echo "${archived#* }" ;;
commit:*) printf '%.12s\n' "$archived" ;;
esac
