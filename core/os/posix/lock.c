/*
 * lock.c -- lock words on Linux: pid << 32 | low half of its start time.
 *
 * /proc/<pid>/stat tells the start time, so a pid that was given to another
 * process since is not mistaken for the owner.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/lock.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fmt.h"
#include "os/time.h"


enum {
    SPINS      = 1024,             /* looks at the word before we give way */
    DOUBT_US   = 2000              /* then, and every so often: who is it? */
};

static uint64_t  self;


/*
 * The word of a process, 0 if it does not run.  The second field of stat may
 * hold anything, so the count begins after its last parenthesis: state is the
 * third field, the start time the twenty-second.
 */
static uint64_t
word_of(uint64_t pid)
{
    int       fd, field;
    char      path[40] = "", text[1024], *p;
    ssize_t   n;
    uint64_t  began;

    (void) lun_fmt(path, path + sizeof(path) - 1, "/proc/%" PRIu64 "/stat",
                   pid);

    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd == -1) {
        return 0;
    }

    n = read(fd, text, sizeof(text) - 1);
    (void) close(fd);

    if (n <= 0) {
        return 0;
    }

    text[n] = '\0';
    p = strrchr(text, ')');

    if (p == NULL || p[1] != ' ' || p[2] == 'Z' || p[2] == 'X') {
        return 0;                      /* dead, but nobody has asked yet */
    }

    for (p += 2, field = 3; field < 22; field++) {
        p = strchr(p, ' ');
        if (p == NULL) {
            return 0;
        }
        p++;
    }

    began = strtoull(p, NULL, 10);

    return pid << 32 | (began & UINT32_MAX);
}


void
lun_lock_init_process(void)
{
    uint64_t  pid = (uint64_t) getpid();

    self = word_of(pid);

    if (self == 0) {
        self = pid << 32;              /* no /proc: the pid must do */
    }
}


uint64_t
lun_lock_self(void)
{
    if (LUN_UNLIKELY(self == 0)) {
        lun_lock_init_process();
    }

    return self;
}


bool
lun_lock_owner_lives(uint64_t owner)
{
    return word_of(owner >> 32) == owner || owner == lun_lock_self();
}


bool
lun_lock_try(lun_lock *lock)
{
    uint64_t  nobody = 0;

    return atomic_load_explicit(&lock->owner, memory_order_relaxed) == 0
           && atomic_compare_exchange_strong_explicit(&lock->owner, &nobody,
                  lun_lock_self(), memory_order_acquire, memory_order_relaxed);
}


/* Takes it from an owner who is no more. */
static bool
inherit(lun_lock *lock)
{
    uint64_t  owner = atomic_load(&lock->owner);

    return owner != 0 && !lun_lock_owner_lives(owner)
           && atomic_compare_exchange_strong(&lock->owner, &owner,
                                             lun_lock_self());
}


/*
 * Holders are in it for less than a microsecond, so waiting costs less than a
 * call of the system.  Only one who died in it makes others wait until doubt:
 * then who holds it is looked at, and a dead one's lock is inherited.
 */
lun_lock_verdict
lun_lock_take(lun_lock *lock)
{
    unsigned  i, n;
    uint64_t  doubt;

    if (LUN_LIKELY(lun_lock_try(lock))) {
        return LUN_LOCK_TAKEN;
    }

    for (n = 1; n < SPINS; n <<= 1) {
        for (i = 0; i < n; i++) {
            lun_cpu_relax();
        }

        if (lun_lock_try(lock)) {
            return LUN_LOCK_TAKEN;
        }
    }

    doubt = lun_time_monotonic_us() + DOUBT_US;

    for ( ;; ) {
        lun_cpu_yield();

        if (lun_lock_try(lock)) {
            return LUN_LOCK_TAKEN;
        }

        if (lun_time_monotonic_us() >= doubt) {
            if (inherit(lock)) {
                return LUN_LOCK_ORPHAN;
            }

            doubt = lun_time_monotonic_us() + DOUBT_US;
        }
    }
}


void
lun_lock_free(lun_lock *lock)
{
    atomic_store_explicit(&lock->owner, 0, memory_order_release);
}


bool
lun_lock_seize(lun_lock *lock, int64_t pid)
{
    uint64_t  owner = atomic_load(&lock->owner);

    return owner != 0 && owner >> 32 == (uint64_t) pid
           && atomic_compare_exchange_strong(&lock->owner, &owner, 0);
}


void
lun_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__ ("yield" ::: "memory");
#endif
}


void
lun_cpu_yield(void)
{
    (void) sched_yield();
}
