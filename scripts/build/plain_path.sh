#!/bin/sh
# A path for make, for which a space ends a name:
#   sh scripts/build/plain_path.sh FOLDER
# prints FOLDER or, if its name has a space, the name of a link to it, which is made here, in the repository's root.
set -u
case ${1:-} in
*[[:space:]]*) ;;
*)
    echo "${1:-build}"
    exit
    ;;
esac
link=build-$(printf %s "$1" | cksum | tr -d ' ')
mkdir -p "$1" && ln -sfn "$(cd "$1" && pwd)" "$link" || exit 1
echo "$link"
