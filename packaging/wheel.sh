#!/bin/sh
# Writes a wheel: programs, pages, completion, charts and docs, so that `pip install` puts `bankshot` into a virtual environment's bin.
#   sh packaging/wheel.sh                               of this machine: make wheel
#   make wheel BUILD=build/arm64 NATIVE=build CC=aarch64-linux-gnu-gcc HAVE_SIM= HIP_INCLUDE=     of another (docs/packages.md)
# The libraries that pip's machines may not have lie in lib/bankshot, where the programs look first. The tag says which glibc the
# programs need; GPU drivers are looked up when a program runs, so one wheel serves all GPUs.
set -u
cd "$(dirname "$0")/.." || exit 1
. packaging/lib.sh

CC=${CC:-cc}
work=$dist/wheel
machine=$($CC -dumpmachine) || exit 1
machine=${machine%%-*}
strip=$(command -v "$($CC -print-prog-name=strip)") || refuse "there is no strip for $CC: install binutils"
stage "$work" /data "-Wl,--disable-new-dtags,-rpath,'\$\$ORIGIN/../lib/bankshot'" CC="$CC"
rm -f "$work"/data/lib/bankshot/* # plug-ins of this machine
mkdir -p "$work/scripts" "$work/data/lib/bankshot/copyright" && mv "$work"/data/bin/* "$work/scripts/" && rmdir "$work/data/bin" || exit 1

# needed FILE...: the libraries that they name, but those of the C library and what is on every machine (PEP 600).
needed() {
    readelf -d "$@" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u |
        grep -Ev '^(lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|z)\.so\.[0-9]*|ld-linux.*)$'
}

set -- "$work"/scripts/bankshot-*
while [ $# -gt 0 ]; do
    found=
    for name in $(needed "$@"); do
        library=$work/data/lib/bankshot/$name
        [ ! -e "$library" ] || continue
        cp -L "$($CC -print-file-name="$name")" "$library" || refuse "$name is not found: install what the programs were linked with"
        found="$found $library"
        for text in "/usr/share/doc/${name%%.*}"*/copyright; do
            [ ! -e "$text" ] || cp "$text" "$work/data/lib/bankshot/copyright/$name"
        done
    done
    # shellcheck disable=SC2086 # a list of files
    set -- $found
done
"$strip" "$work"/scripts/bankshot-* || exit 1
glibc=$(readelf -VW "$work"/scripts/bankshot-* "$work"/data/lib/bankshot/*.so* | grep -o 'GLIBC_2\.[0-9]*' | sed 's/.*\.//' | sort -n | tail -n 1)
wheel=$dist/bankshot-$version-py3-none-manylinux_2_${glibc}_$machine.whl
python3 packaging/wheel.py "$work" "$wheel" || exit 1
rm -rf "$work"
finish_package "$wheel"
