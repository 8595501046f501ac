/*
 * posix_shm.c -- segments where a limit of address space leaves no room for a
 * reservation.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "tap.h"

/* Behind it: its statics have the names of locals there. */
#include "../../core/os/posix/shm.c"


enum { LIMIT = 512 << 20, SIZE = 1 << 20 };


#ifndef LUN_POOL_DEBUG                        /* ASan wants room of its own */

static void
keeps_to_a_limit(void)
{
    void           *was;
    lun_shm         one, two, big;
    struct rlimit   limit = { .rlim_max = RLIM_INFINITY };

    limit.rlim_cur = RLIM_INFINITY;
    (void) setrlimit(RLIMIT_AS, &limit);
    is_int((int64_t) lun_shm_limit(), 0, "no limit");

    limit.rlim_cur = LIMIT;
    is_int(setrlimit(RLIMIT_AS, &limit), 0, "half a gigabyte");
    is_int((int64_t) lun_shm_limit(), LIMIT, "is known");

    is_int(lun_shm_init(), 0, "a range");
    ok(!reserved, "is not reserved");
    is_int(lun_shm_new(SIZE, &one), 0, "a segment");
    is_int(lun_shm_new(SIZE, &two), 0, "and another");
    memset(one.addr, 1, one.size);
    memset(two.addr, 2, two.size);
    ok((uintptr_t) two.addr >= (uintptr_t) one.addr + one.size + GAP,
       "apart");
    is_int(lun_shm_new(LIMIT, &big), ENOMEM, "one above the limit");

    was = one.addr;
    lun_shm_free(&one);
    ok(mmap(was, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS
            | MAP_FIXED_NOREPLACE, -1, 0) == was, "a freed one is nobody's");
    is_int(lun_shm_new(SIZE, &one), EEXIST, "what is taken is not replaced");
    (void) munmap(was, SIZE);
    is_int(lun_shm_new(SIZE, &one), 0, "free again");
    ok(one.addr == was && *(char *) was == 0, "in the old place, zeroed");
}

#endif


int
main(void)
{
#ifndef LUN_POOL_DEBUG
    keeps_to_a_limit();
#else
    ok(true, "a limit of address space is nothing for a sanitizer");
#endif
    return done_testing();
}
