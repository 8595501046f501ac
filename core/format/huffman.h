/*
 * huffman.h -- the code of HPACK and QPACK (RFC 7541, appendix B).  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_HUFFMAN_H
#define LUN_FORMAT_HUFFMAN_H

#include "base/str.h"

/* The shortest code has five bits. */
#define LUN_HUFFMAN_ROOM(len)  ((len) * 8 / 5 + 1)

/* A longer string of bytes than this is not worth unpacking: see the limit. */
#define LUN_HUFFMAN_MOST(len)  ((len) * 30 / 8 + 1)

/*
 * Unpacks `len` bytes to `out`, where LUN_HUFFMAN_ROOM of them have room;
 * returns the end.  NULL: they mean nothing.  The last byte is filled up with
 * ones, with 7 bits at most (RFC 7541, 5.2); `filling` says how many are
 * borne.
 */
char *lun_huffman_read(char *out, const uint8_t *p, size_t len,
    unsigned filling);

/* Bytes that a text has when it is packed: to be asked first. */
size_t lun_huffman_len(lun_str s);
char *lun_huffman_put(char *p, lun_str s);

#endif
