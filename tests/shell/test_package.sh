#!/bin/sh
# The version, and the packages: a source archive that builds outside git, a wheel in a fresh virtual environment, a Debian package
# in a fresh root. Nothing is fetched but that root.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

built "$BUILD/gmem"
export DIST="$work/dist"
commit=$(sh scripts/build/commit.sh)
version=$(sed -n 's/^VERSION *:= *//p' Makefile)

test_version() {
    all=$(sh scripts/bankshot.sh --version)
    check "bankshot --version begins with the version: $all" sh -c 'echo "$1" | grep -Eq "^bankshot $2( \([0-9a-f]{12}(-dirty)?\))?$"' sh "$all" "$version"
    for program in $(listed_probes) $(listed_tools) apsp-mpi; do
        [ ! -x "$BUILD/$program" ] || is "$program --version is the same" "$("$BUILD/$program" --version)" "bankshot $program ${all#bankshot }"
    done
    "$BUILD/gmem" --device cpu --variant read --elements 1K --min-time 0 --max-time 0.01 --quiet --csv "$work/rows.csv"
    is "rows say which version wrote them" "$(head -n 1 "$work/rows.csv")" "# bankshot: gmem ${all#bankshot }"
    date=$(sed -n 's/^date-released: //p' CITATION.cff)
    is "CITATION.cff cites it" "$(sed -n 's/^version: //p' CITATION.cff)" "$version"
    check "CHANGELOG.md has its date" grep -qx "## $version, $date" CHANGELOG.md
}

# sums_agree: the checksums beside the packages.
sums_agree() {
    within "$DIST" sha256sum -c --quiet SHA256SUMS
}

# same_again NAME FILE COMMAND...: the package is the same when it is built again.
same_again() {
    label=$1 package=$2
    shift 2
    mv "$package" "$work/first"
    "$@" >"$work/again" 2>&1
    check "$label is the same when it is built again" cmp "$work/first" "$package"
}

test_dist() {
    if ! git rev-parse HEAD >"$work/head" 2>&1; then
        skip "make dist" "this is no clone of the repository"
        return
    fi
    archive=$DIST/bankshot-$version.tar.gz
    check "make dist" sh packaging/dist.sh
    same_again "the archive" "$archive" sh packaging/dist.sh
    check "SHA256SUMS has its checksum" sums_agree
    mkdir "$work/outside" && tar -xzf "$archive" -C "$work/outside"
    tree=$work/outside/bankshot-$version
    is "an archive knows its commit" "$(within "$tree" sh scripts/build/commit.sh)" "$(cut -c 1-12 "$work/head")"
    is "and its date" "$(within "$tree" sh scripts/build/commit.sh date)" "$(git log -1 --format=%ct)"
    refuses "make dist outside git" 1 sh "$tree/packaging/dist.sh"
    everything || return 0
    # With the objects of this build, so that it takes seconds; what else is built is compiled there.
    mkdir "$tree/build" && cp -r "$BUILD/obj" "$tree/build/obj" && rm -r "$tree/build/obj/tools"
    touch -t 200001010000 "$tree/build/obj/compiler" # older than the objects
    check "the archive builds" within "$tree" make -s BUILD=build build/lanes
    is "what it builds knows the commit" "$("$tree/build/lanes" --version)" "bankshot lanes $version ($(cut -c 1-12 "$work/head"))"
}

# try_installed WHAT BIN: commands of an installed bankshot.
try_installed() {
    is "$1: bankshot --version" "$("$2/bankshot" --version)" "bankshot $version${commit:+ ($commit)}"
    check "$1: bankshot gmem --quick" "$2/bankshot" gmem --quick --budget 1 --device cpu --elements 1M --quiet
    check "$1: bankshot lanes" "$2/bankshot" lanes --gpu h200 --space shared --op load --width 4 --stride 2
}

test_wheel() {
    if ! python3 -c 'import venv, ensurepip' 2>"$work/null" || ! command -v readelf >"$work/null"; then
        skip "a wheel" "python3 with venv, or readelf, is not here"
        return
    fi
    check "make wheel" sh packaging/wheel.sh
    wheel=$(ls "$DIST"/bankshot-*.whl)
    same_again "the wheel" "$wheel" sh packaging/wheel.sh
    check "SHA256SUMS has it, too" sums_agree
    environment=$work/environment
    check "a fresh virtual environment" python3 -m venv "$environment"
    check "pip installs it without a network" "$environment/bin/python" -m pip install --quiet --no-index "$wheel"
    try_installed "the wheel" "$environment/bin"
    for file in man/man1/bankshot.1 man/man1/bankshot-gmem.1 bash-completion/completions/bankshot zsh/site-functions/_bankshot \
        fish/vendor_completions.d/bankshot.fish bankshot/plots/draw.sh bankshot/docs/csv.md; do
        check "the wheel: $file" [ -s "$environment/share/$file" ]
    done
    # shellcheck disable=SC2016 # bash's own
    is "the wheel: bash completes" "$(bash -c '. "$1" && COMP_WORDS=(bankshot gm) COMP_CWORD=1 && _bankshot && echo "${COMPREPLY[@]}"' bash \
        "$environment/share/bash-completion/completions/bankshot")" gmem
    if "$environment/bin/bankshot-gmem" --list-devices | grep -q '^sim:'; then
        run env PATH="$work" "$environment/bin/bankshot-gmem" --device sim:h200 --variant read --quiet
        check "the wheel: the simulator says which compiler it wants" grep -q 'cannot run the compiler .*install gcc or clang' "$work/err"
    fi
    check "pip removes it" "$environment/bin/python" -m pip uninstall --quiet --yes bankshot
    is "nothing is left of it" "$(find "$environment" -type f -name '*bankshot*')" ""
}

# in_root COMMAND...: runs it there, with the machine's /proc while it runs.
in_root() {
    unshare -m sh -c 'mount --rbind /proc "$1/proc" && exec chroot "$@"' sh "$work/root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"
}

# A root of the distribution that the package was built on.
make_root() {
    suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    timeout 300 debootstrap --variant=minbase --include=libdw1,libffi8,libjansson4,libgomp1 "$suite" "$work/root"
}

test_deb() {
    if ! command -v dpkg-shlibdeps >"$work/null"; then
        skip "a Debian package" "dpkg-dev is not here"
        return
    fi
    check "make deb" sh packaging/deb.sh
    package=$(ls "$DIST"/bankshot_*.deb)
    check "SHA256SUMS has the Debian package" sums_agree
    dpkg-deb -x "$package" "$work/deb"
    try_installed "the Debian package" "$work/deb/usr/bin"
    if command -v lintian >"$work/null"; then
        is "lintian finds nothing" "$(TMPDIR="$work" lintian --allow-root --fail-on none "$package" 2>&1)" ""
    else
        skip "lintian finds nothing" "lintian is not here"
    fi
    if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >"$work/null"; then
        skip "the Debian package in a fresh root" "this needs root and debootstrap"
    elif ! make_root >"$work/debootstrap" 2>&1; then
        skip "the Debian package in a fresh root" "there is no network: $(tail -n 1 "$work/debootstrap")"
    else
        cp "$package" "$work/root/bankshot.deb"
        check "dpkg installs it in a fresh root" in_root dpkg -i /bankshot.deb
        is "it runs there" "$(in_root bankshot --version)" "bankshot $version${commit:+ ($commit)}"
        check "bankshot gmem --quick runs there" in_root bankshot gmem --quick --budget 1 --device cpu --elements 1M --quiet
        check "dpkg removes it" in_root dpkg --purge bankshot
        is "nothing is left of the package" "$(find "$work/root/usr" "$work/root/etc" -name '*bankshot*')" ""
    fi
}

test_version
test_dist
if everything; then
    test_wheel
    test_deb
fi
finish
