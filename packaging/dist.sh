#!/bin/sh
# Writes the source archive of the last commit, with its checksum in SHA256SUMS: make dist.
set -u
cd "$(dirname "$0")/.." || exit 1
. packaging/lib.sh

[ -e .git ] || refuse "there is no commit to archive: run it in a clone of the repository"
archive=$dist/bankshot-$version.tar.gz
# gzip writes no name and no time of its own.
git archive --format=tar --prefix="bankshot-$version/" HEAD >"$archive.tar" && gzip -9n <"$archive.tar" >"$archive" || exit 1
rm -f "$archive.tar"
finish_package "$archive"
