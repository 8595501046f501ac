# brotli: the encoder, and for tests the decoder.
#
# SPDX-License-Identifier: BSD-2-Clause

cd "$SRC"
compile_all libbrotlienc.a "-O2 -g -Iinclude" common/*.c enc/*.c
rm -rf obj
compile_all libbrotlidec.a "-O2 -g -Iinclude" dec/*.c
cp -R include/brotli "$OUT/include/"
