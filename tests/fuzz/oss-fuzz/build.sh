#!/bin/bash -eu
# SPDX-License-Identifier: LGPL-2.1-or-later
# Builds every fuzz target as OSS-Fuzz asks for it: with $CC and $CFLAGS, linked with $LIB_FUZZING_ENGINE, into $OUT, each
# with its seeds. It is called in the top folder of the project, and needs
#   meson ninja-build pkg-config zip zlib1g-dev libcmocka-dev
# Other libraries are left out, so that a target is one file that runs anywhere.

work=${WORK:-/tmp}
build=$work/f2fskit-fuzz
rm -rf "$build"
meson setup "$build" --buildtype=plain -Dfuzz=true -Dfuzz_engine="$LIB_FUZZING_ENGINE" -Dtools=false -Dpython=disabled \
	-Dblkid=disabled -Dlibdeflate=disabled -Dlz4=disabled -Dzstd=disabled -Dcasefold=disabled -Dcrypto=disabled \
	-Darchive=disabled -Dmagic=disabled -Dlibedit=disabled -Ddefault_library=static -Db_lundef=false -Dprefer_static=true
targets=$(ninja -C "$build" -t targets all | sed -n 's/^\(tests\/fuzz\/fuzz_[a-z]*\): .*/\1/p')
ninja -C "$build" $targets
for target in $targets; do
	name=${target##*/fuzz_}
	seeds=$(mktemp -d)
	tests/fuzz/fuzz-run --seeds "$seeds" "$build" "$work" "$name"
	tests/fuzz/fuzz-run --words "$OUT/fuzz_$name.dict" "$build" "$work" "$name"
	cp "$build/$target" "$OUT/"
	(cd "$seeds" && zip -q -r "$OUT/fuzz_${name}_seed_corpus.zip" .)
	rm -rf "$seeds"
done
