/*
 * reach.c -- which basic blocks a test has reached.
 *
 * Linked into a build that has clang's -fsanitize-coverage=trace-pc-guard: a
 * byte for each basic block, in the file that LUN_REACH names.  The file is
 * mapped and shared, so that it holds what all processes of a test did,
 * however they ended.  LUN_REACH_PCS names a file that gets the blocks'
 * addresses, eight bytes each, in the order of those bytes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Called by what the compiler writes; it knows the prototypes. */
void  __sanitizer_cov_trace_pc_guard_init(uint32_t *at, uint32_t *end);
void  __sanitizer_cov_trace_pc_guard(uint32_t *at);
void  __sanitizer_cov_pcs_init(const uintptr_t *at, const uintptr_t *end);

/* Not to be counted itself. */
#define UNCOUNTED  __attribute__((no_sanitize("coverage")))

static uint8_t  *reached;


/* NULL if it can't be: a process that may not write there is not counted. */
static UNCOUNTED uint8_t *
map_file(const char *name, size_t size)
{
    int    fd;
    void  *p;

    fd = open(name, O_RDWR | O_CREAT, 0666);
    if (fd < 0) {
        return NULL;
    }

    p = MAP_FAILED;

    if (ftruncate(fd, (off_t) size) == 0) {
        p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    }

    close(fd);
    return p == MAP_FAILED ? NULL : p;
}


/* Comes once per object file, always with the bounds of the whole program. */
UNCOUNTED void
__sanitizer_cov_trace_pc_guard_init(uint32_t *at, uint32_t *end)
{
    uint32_t     i, count = (uint32_t) (end - at);
    const char  *name = getenv("LUN_REACH");

    if (name == NULL || count == 0 || reached) {
        return;
    }

    reached = map_file(name, count);

    for (i = 0; i < count && reached; i++) {
        at[i] = i + 1;
    }
}


/* Numbers are 0 as long as nobody has asked for the map. */
UNCOUNTED void
__sanitizer_cov_trace_pc_guard(uint32_t *at)
{
    if (*at) {
        reached[*at - 1] = 1;
    }
}


/* Pairs of an address and flags. */
UNCOUNTED void
__sanitizer_cov_pcs_init(const uintptr_t *at, const uintptr_t *end)
{
    size_t       i, count = (size_t) (end - at) / 2;
    uint64_t    *pcs;
    const char  *name = getenv("LUN_REACH_PCS");

    if (name == NULL || count == 0) {
        return;
    }

    pcs = (uint64_t *) (void *) map_file(name, count * sizeof(uint64_t));

    for (i = 0; i < count && pcs; i++) {
        pcs[i] = at[2 * i];
    }
}
