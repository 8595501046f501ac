/*
 * shm.h -- shared memory at an address that is the same in every process.
 *
 * The master picks a range of addresses once (first candidate
 * 0x47047e00000, then seven others), reserves it, and hands out segments
 * inside it with gaps between them.  A worker finds every segment that its
 * boot block lists at the same address: on Linux it inherits the mappings,
 * on Windows the master maps them into the suspended child.  So what is in a
 * segment may hold plain pointers into segments of the same list.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_SHM_H
#define LUN_OS_SHM_H

#include "os/err.h"

typedef struct {
    void      *addr;
    size_t     size;               /* bytes, a multiple of the page size */
    intptr_t   handle;             /* of the section (Windows) */
} lun_shm;

/* Master (or the only process): chooses and reserves the range.  Once. */
lun_err lun_shm_init(void);

/* Bytes of address space that a process may have; 0: there is no limit. */
uint64_t lun_shm_limit(void);

/* A new, zeroed segment in this process. */
lun_err lun_shm_new(size_t size, lun_shm *shm);

/*
 * The same, but a part of it is only given memory when a process says that it
 * wants to use that: a part that has memory already is no error, and every
 * process says it of what it touches.  Where the system gives memory at the
 * first touch (Linux) nothing is left to do.
 */
lun_err lun_shm_reserve(size_t size, lun_shm *shm);
lun_err lun_shm_commit(void *at, size_t size);

/* Unmaps it here; it lives on in processes that have it. */
void lun_shm_free(lun_shm *shm);

size_t lun_shm_page(void);

#endif
