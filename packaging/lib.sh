# What the scripts of packaging/ share: sourced in the repository's root. Packages go to $dist. They are the same whenever and in
# whatever folder they are built from one commit by one compiler, because their files have the commit's time.
# shellcheck shell=sh
. scripts/lib.sh

# shellcheck disable=SC2034 # the scripts use it
version=$(sed -n 's/^VERSION *:= *//p' Makefile)
dist=${DIST:-$BUILD/dist}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(sh scripts/build/commit.sh date)}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date +%s)}
export SOURCE_DATE_EPOCH
umask 022
mkdir -p "$dist" || exit 1

# refuse WHAT: ends the script.
refuse() {
    echo "$(basename "$0" .sh): $*" >&2
    exit 1
}

# stage FOLDER PREFIX LDFLAGS [SETTING...]: installs there what the objects of this build give, linked anew. Without apsp-mpi, which
# would need the MPI of this machine.
stage() {
    folder=$1 prefix=$2 flags=$3
    shift 3
    rm -rf "$folder" "$folder.build"
    mkdir -p "$folder.build" || exit 1
    make -s -j"$(processors)" BUILD="$folder.build" OBJ="$BUILD/obj" HAVE_MPI= LDFLAGS="-Wl,--build-id=none $flags" \
        DESTDIR="$folder" PREFIX="$prefix" "$@" install >/dev/null || refuse "make install failed: see above"
    rm -rf "$folder.build"
}

# finish_package FILE: its checksum beside those of the others.
finish_package() {
    (cd "$dist" && for file in bankshot*; do sha256sum "$file"; done >SHA256SUMS) || exit 1
    echo "$1"
}
