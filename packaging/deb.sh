#!/bin/sh
# Writes a Debian package of the programs, pages, completion, charts and docs: make deb. Needs dpkg-dev.
set -u
cd "$(dirname "$0")/.." || exit 1
. packaging/lib.sh

command -v dpkg-shlibdeps >/dev/null || refuse "dpkg-shlibdeps is not here: install dpkg-dev"
work=$dist/deb
architecture=$(dpkg --print-architecture)
maintainer=${DEBFULLNAME:+$DEBFULLNAME <${DEBEMAIL:-}>}
maintainer=${maintainer:-The bankshot authors <bankshot@users.noreply.github.com>}
revision=$version-0local1 # not of Debian
stage "$work" /usr -Wl,-z,relro,-z,now
doc=$work/usr/share/doc/bankshot
mkdir -p "$work/DEBIAN" "$doc" "$work/debian" || exit 1
rm -rf "$work/usr/lib" # plug-ins of this machine

strip --strip-unneeded --remove-section=.comment --remove-section=.note "$work"/usr/bin/bankshot-* || exit 1
gzip -9n "$work"/usr/share/man/man1/*.1 || exit 1
grep -l '^#!' "$work"/usr/share/bankshot/*/*.sh | xargs chmod +x # the others are read by them
{
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: bankshot\n\nFiles: *\n'
    printf 'Copyright: %s\nLicense: Expat\n' "$(sed -n 's/^Copyright (c) //p' LICENSE)"
    sed '1,/^Copyright/d; /./!d; s/^/ /' LICENSE | sed '1!{/^ Permission/i\ .
}'
} >"$doc/copyright"
printf 'bankshot (%s) unstable; urgency=medium\n\n  * See /usr/share/doc/bankshot/changelog.gz.\n\n -- %s  %s\n' \
    "$revision" "$maintainer" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.Debian.gz"
gzip -9n <CHANGELOG.md >"$doc/changelog.gz"

# The libraries' packages follow from the programs. A compiler is needed to simulate, gnuplot to draw.
printf 'Source: bankshot\n\nPackage: bankshot\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O usr/bin/bankshot-* 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || refuse "dpkg-shlibdeps finds no packages for the programs' libraries"
rm -r "$work/debian"
cat >"$work/DEBIAN/control" <<END
Package: bankshot
Version: $revision
Section: utils
Priority: optional
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$work/usr" | cut -f 1)
Depends: $depends
Recommends: gcc, libc6-dev, gnuplot-nox
Suggests: clang
Description: microbenchmarks, simulator and model of GPU memory
 bankshot measures how the memory of NVIDIA and AMD GPUs and of CPUs behaves:
 strides in global memory, bank conflicts in shared memory, caches, links,
 reductions and shortest paths. Its simulator runs the same kernels without a
 GPU, by the host's compiler, and its model predicts how long they take.
 .
 The GPU's driver and its compiler are looked up when a program runs.
END
(cd "$work" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
find "$work" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} + || exit 1
package=$dist/bankshot_${revision}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$work" "$package" >/dev/null || exit 1
rm -rf "$work"
finish_package "$package"
