# zstd, for one thread; without what reads the formats before its first.
#
# SPDX-License-Identifier: BSD-2-Clause

cd "$SRC"
compile_all libzstd.a "-O2 -g -I. -DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0" \
    common/*.c compress/*.c decompress/*.c
cp zstd.h zstd_errors.h "$OUT/include/"
