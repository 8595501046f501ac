# zlib-ng by its own names (zng_...), without its gz* file functions, which
# nobody here calls.  What a processor has beyond the least of its kind is
# found at run time; 512-bit registers are left alone.
#
# SPDX-License-Identifier: BSD-2-Clause

cd "$SRC"

mkdir -p ours
sed 's/#ifdef HAVE_UNISTD_H .*/#if 1/' zconf-ng.h.in > ours/zconf-ng.h
sed 's/@ZLIB_SYMBOL_PREFIX@//' zlib-ng.h.in > ours/zlib-ng.h
cp zlib_name_mangling.h.empty ours/zlib_name_mangling-ng.h

flags="-O2 -g -std=gnu11 -Iours -I. -D_LARGEFILE64_SOURCE=1
    -DHAVE_ATTRIBUTE_ALIGNED -DHAVE_BUILTIN_ASSUME_ALIGNED
    -DHAVE_BUILTIN_CTZ -DHAVE_BUILTIN_CTZLL -DWITH_ALL_FALLBACKS"

# A stack of Windows is aligned to 16 bytes, which gcc forgets where it keeps
# wider registers.
case $SYS in
windows) flags="$flags -Wa,-muse-unaligned-vector-move" ;;
*)
    flags="$flags -fPIC -fvisibility=hidden -D_GNU_SOURCE -DHAVE_SYS_AUXV_H
        -DHAVE_POSIX_MEMALIGN -DHAVE_VISIBILITY_HIDDEN
        -DHAVE_VISIBILITY_INTERNAL"
    ;;
esac

# compile FLAGS FILE...: of those that this kind of processor has
compile() {
    more=$1
    shift
    compile_all libz-ng.a "$flags $more" "$@"
}

case $($CC -dumpmachine) in
x86_64*)
    flags="$flags -DWITH_OPTIM -DX86_FEATURES -DHAVE_CPUID_GNU -DX86_SSE2
        -DX86_SSSE3 -DX86_SSE41 -DX86_SSE42 -DX86_PCLMULQDQ_CRC -DX86_AVX2"
    compile '-msse4.2 -mpclmul' arch/x86/crc32_pclmulqdq.c
    compile -msse4.2 arch/x86/adler32_sse42.c
    compile -msse4.1 arch/x86/chorba_sse41.c
    compile -mssse3 arch/x86/*_ssse3.c
    compile '-mavx2 -mbmi2' arch/x86/*_avx2.c
    compile -msse2 arch/x86/*_sse2.c arch/x86/x86_features.c
    ;;
esac

files=
for file in *.c arch/generic/*.c; do
    case $file in
    gz*.c) ;;
    *) files="$files $file" ;;
    esac
done

compile '' $files
cp ours/*.h "$OUT/include/"
