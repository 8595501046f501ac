/*
 * shm.c -- shared memory on Linux: anonymous shared mappings inside one
 * reserved range; forked workers inherit them where they are.
 *
 * The segments are kept in the order of their addresses.  A new one goes into
 * the first hole that has room for it and for a gap on both sides, so that
 * running over an end is a fault, not a neighbour's problem.
 *
 * Where a limit of address space (ulimit -v) forbids the reservation there is
 * none: the kernel puts nothing there by itself, and each segment looks.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/shm.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/check.h"
#include "base/pool.h"


#define RANGE       ((uint64_t) 64 << 30)
#define CANDIDATE   UINT64_C(0x47047e00000)
#define NEXT        UINT64_C(0x100000000000)

enum { CANDIDATES = 8, ALIGN = 65536, GAP = 65536 };

typedef struct {
    uintptr_t  start;
    size_t     size;
} segment;

static uintptr_t   base;
static bool        reserved;
static segment    *segments;
static size_t      count, room;


static void *
reserve(uintptr_t at, uint64_t size, int how)
{
    return mmap((void *) at, size, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | how, -1, 0);
}


uint64_t
lun_shm_limit(void)
{
    struct rlimit  limit;

    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
           ? limit.rlim_cur : 0;
}


lun_err
lun_shm_init(void)
{
    int         i;
    void       *p;
    lun_err     err = ENOMEM;
    uintptr_t   at;

    if (base) {
        return 0;
    }

    for (i = 0; i < CANDIDATES; i++) {
        at = CANDIDATE + (uint64_t) i * NEXT;
        p = reserve(at, RANGE, MAP_FIXED_NOREPLACE);

        if (p == (void *) at) {
            base = at;
            reserved = true;
            return 0;
        }

        /* Kernels before 4.17 take the address for a wish. */
        if (p == MAP_FAILED) {
            err = errno;
        } else {
            (void) munmap(p, RANGE);
        }
    }

    if (err == ENOMEM && lun_shm_limit() != 0) {
        base = CANDIDATE;
        err = 0;
    }

    return err;
}


size_t
lun_shm_page(void)
{
    static size_t  page;

    if (page == 0) {
        page = (size_t) sysconf(_SC_PAGESIZE);
    }

    return page;
}


/* The address for `size` bytes and, in *before, its place in the order. */
static uintptr_t
find_hole(size_t size, size_t *before)
{
    size_t     i;
    uintptr_t  at, end;

    at = base;

    for (i = 0; i <= count; i++) {
        end = i < count ? segments[i].start - GAP : base + RANGE;

        if (at < end && size <= end - at) {
            *before = i;
            return at;
        }

        if (i < count) {
            at = lun_align(segments[i].start + segments[i].size + GAP, ALIGN);
        }
    }

    return 0;
}


static void
insert(size_t before, uintptr_t at, size_t size)
{
    if (count == room) {
        room = room ? room * 2 : 16;
        segments = lun_realloc(segments, room * sizeof(segment));
    }

    memmove(segments + before + 1, segments + before,
            (count - before) * sizeof(segment));

    segments[before].start = at;
    segments[before].size = size;
    count++;
}


static lun_err
map_segment(size_t size, int how, lun_shm *shm)
{
    void       *p;
    size_t      before;
    uintptr_t   at;

    LUN_CHECK(base != 0);

    if (size > RANGE) {
        return ENOMEM;
    }

    size = lun_align(lun_max(size, 1), lun_shm_page());
    at = find_hole(size, &before);

    if (at == 0) {
        return ENOMEM;
    }

    p = mmap((void *) at, size, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS | how
             | (reserved ? MAP_FIXED : MAP_FIXED_NOREPLACE), -1, 0);
    if (p == MAP_FAILED) {
        return errno;
    }

    if (p != (void *) at) {            /* a kernel before 4.17 */
        (void) munmap(p, size);
        return ENOMEM;
    }

    insert(before, at, size);
    shm->addr = p;
    shm->size = size;
    shm->handle = -1;

    return 0;
}


lun_err
lun_shm_new(size_t size, lun_shm *shm)
{
    return map_segment(size, 0, shm);
}


lun_err
lun_shm_reserve(size_t size, lun_shm *shm)
{
    return map_segment(size, MAP_NORESERVE, shm);
}


lun_err
lun_shm_commit(void *at, size_t size)
{
    return 0;
}


void
lun_shm_free(lun_shm *shm)
{
    size_t  i;

    if (shm->addr == NULL) {
        return;
    }

    for (i = 0; i < count; i++) {
        if (segments[i].start == (uintptr_t) shm->addr) {

            /* Back to the reservation: nobody else may map there. */
            if (reserved) {
                (void) reserve(segments[i].start, segments[i].size, MAP_FIXED);

            } else {
                (void) munmap(shm->addr, segments[i].size);
            }

            count--;
            memmove(segments + i, segments + i + 1,
                    (count - i) * sizeof(segment));

            shm->addr = NULL;
            shm->size = 0;
            return;
        }
    }

    LUN_NEVER("no such segment");
}
