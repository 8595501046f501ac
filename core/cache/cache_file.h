/*
 * cache_file.h -- the file of a cached answer: what stands in it, and how it
 * is called.  No system call is made here.
 *
 *     fixed part | key | vary | etag | status line | headers | body
 *
 * All in front of the body is the head, of one size from the beginning: it is
 * written anew when the body's length and checksum are known, and when the
 * answer is found to be still right.  A checksum of its own says whether it is
 * whole; a file that is not as long as its head says is not either.  Numbers
 * are this machine's: another kind of machine sees another version.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CACHE_FILE_H
#define LUN_CACHE_FILE_H

#include "base/str.h"
#include "cache/cache_index.h"

enum {
    LUN_CACHE_HEAD_MAX = 1024 * 1024,      /* bytes of a head */
    LUN_CACHE_HEAD_MIN = 160       /* reading fewer is of no use */
};

typedef struct {
    lun_cache_key  main;           /* of the key's text */
    lun_cache_key  variant;        /* the file's own, if it varies, or as main:
                                      of what a request said where it varies */
    uint64_t       family;         /* what the variants of a key share */
    unsigned       status;
    int64_t        valid;          /* until; this and below in seconds */
    int64_t        stale_updating; /* how long after that it may be used */
    int64_t        stale_error;    /* while it is updated; instead of errors */
    int64_t        date;           /* it was stored, or found right; ms */
    int64_t        last_modified;  /* -1: not said */
    int64_t        length;         /* of the body; -1: not known yet */
    uint32_t       body_crc;
    bool           bodiless;       /* of a HEAD: there is more for a GET */
    lun_str        key;
    lun_str        vary;           /* names of fields; "": it does not */
    lun_str        etag;           /* "": none */
    lun_str        status_line;    /* "": by its number */
    lun_str        lines;          /* lun_cache_next_line() */
} lun_cache_head;

/* Its size as packed; 0: more than LUN_CACHE_HEAD_MAX. */
size_t lun_cache_head_size(const lun_cache_head *h);

/* So many bytes at dst. */
void lun_cache_head_pack(const lun_cache_head *h, char *dst);

typedef enum {
    LUN_CACHE_WHOLE,
    LUN_CACHE_SHORT,               /* *size bytes are needed */
    LUN_CACHE_OTHER,               /* version, or no such file at all */
    LUN_CACHE_BROKEN
} lun_cache_head_verdict;

/* Texts are views of `bytes`.  *size: of the head. */
lun_cache_head_verdict lun_cache_head_read(lun_str bytes, lun_cache_head *h,
    size_t *size);

/* A header line: its size, and itself at dst, which moves on. */
static inline size_t
lun_cache_line_size(lun_str name, lun_str value)
{
    return 2 * sizeof(uint32_t) + name.len + value.len;
}

char *lun_cache_put_line(char *dst, lun_str name, lun_str value);

/* Takes the first one from *lines; false: there is none. */
bool lun_cache_next_line(lun_str *lines, lun_str *name, lun_str *value);

/*
 * "c/29/b7f5...29c" for levels 1:2: two of its digits, from the end, name a
 * folder.  `dst` has room for LUN_CACHE_NAME bytes; it ends with a zero byte.
 */
enum { LUN_CACHE_NAME = 2 * LUN_CACHE_KEY + 3 * 3 + 1 };

char *lun_cache_file_name(char *dst, const int levels[3],
    const lun_cache_key *key);

/*
 * The list that is written beside the files: `head`, and a row for each.  One
 * that is not whole gives 0 rows.
 */
typedef struct {
    uint32_t  magic;
    uint32_t  crc;                 /* of all behind this member */
    uint64_t  count;
    uint64_t  complete;            /* there are no other files */
} lun_cache_list_head;

typedef struct {
    lun_cache_key  key;
    int64_t        size;
    uint32_t       used;
    uint32_t       uses;
} lun_cache_list_row;

/* `bytes` are the whole list, with room for its head in front. */
void lun_cache_list_seal(char *bytes, uint64_t count, bool complete);
const lun_cache_list_row *lun_cache_list_read(lun_str bytes, uint64_t *count,
    bool *complete);

/* The key that a file's name (without its folder) is of; false: of none. */
bool lun_cache_key_of_name(lun_str name, lun_cache_key *key);

static inline bool
lun_cache_key_eq(const lun_cache_key *a, const lun_cache_key *b)
{
    return memcmp(a->bytes, b->bytes, LUN_CACHE_KEY) == 0;
}

#endif
