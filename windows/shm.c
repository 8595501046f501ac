/*
 * shm.c -- shared sections at the same address in every process.
 *
 * A section has no name that could be guessed or taken first; a worker gets
 * it mapped by the master, before its first instruction (proc.c).
 *
 * The range is remembered, not reserved: a reservation would have to be given
 * up and taken again around every mapping.  It lies where the system puts
 * nothing by itself (random bottom-up allocations stay in the lowest
 * terabyte, libraries and stacks at the very top), and a place that is taken
 * nevertheless is passed over.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/shm.h"

#include "base/check.h"
#include "windows/win.h"


enum { GRAIN = 64 * 1024 };        /* of mapping addresses; also the gap */

#define RANGE       ((uintptr_t) 256 << 30)
#define CANDIDATES  8

typedef NTSTATUS NTAPI map_fn(HANDLE section, HANDLE process, PVOID *base,
    ULONG_PTR zero_bits, SIZE_T commit, LARGE_INTEGER *offset, SIZE_T *size,
    ULONG inherit, ULONG type, ULONG protect);
typedef ULONG NTAPI dos_error_fn(NTSTATUS status);

enum { VIEW_UNMAP = 2 };           /* grandchildren do not get the view */

static const uintptr_t  candidates[CANDIDATES] = {
    0x047047e00000, 0x0a0047e00000, 0x100047e00000, 0x180047e00000,
    0x200047e00000, 0x300047e00000, 0x400047e00000, 0x500047e00000
};

static uintptr_t  range;           /* where ours begins */


/* Whether nothing lies there; else *after is the first address behind it. */
static bool
is_free(uintptr_t addr, size_t size, uintptr_t *after)
{
    MEMORY_BASIC_INFORMATION  m;

    if (VirtualQuery((void *) addr, &m, sizeof(m)) == 0) {
        *after = addr + size;
        return false;
    }

    *after = (uintptr_t) m.BaseAddress + m.RegionSize;
    return m.State == MEM_FREE && *after - addr >= size;
}


lun_err
lun_shm_init(void)
{
    size_t     i;
    uintptr_t  after;

    for (i = 0; i < CANDIDATES; i++) {
        if (is_free(candidates[i], RANGE, &after)) {
            range = candidates[i];
            return 0;
        }
    }

    return ERROR_INVALID_ADDRESS;
}


uint64_t
lun_shm_limit(void)
{
    return 0;
}


/* Maps it at the first place of the range with a gap around it, or NULL. */
static void *
place(HANDLE section, size_t size)
{
    void      *view;
    uintptr_t  at, after;

    at = range;

    while (at + size <= range + RANGE) {
        if (is_free(at, size + GRAIN, &after)) {
            view = MapViewOfFileEx(section, FILE_MAP_ALL_ACCESS, 0, 0, size,
                                   (void *) at);

            if (view != NULL) {
                return view;
            }

            after = at + GRAIN;
        }

        at = lun_align(after, GRAIN) + GRAIN;
    }

    return NULL;
}


/*
 * At a place of our own choosing: pointers in it have to mean the same in every
 * process.
 */
static lun_err
make_section(size_t size, DWORD how, lun_shm *shm)
{
    DWORD   err;
    void   *view;
    HANDLE  section;

    size = lun_align(lun_max(size, 1), lun_shm_page());
    section = CreateFileMappingW(INVALID_HANDLE_VALUE, NULL,
                                 PAGE_READWRITE | how,
                                 (DWORD) ((uint64_t) size >> 32),
                                 (DWORD) size, NULL);

    if (section == NULL) {
        return (lun_err) GetLastError();
    }

    view = place(section, size);

    if (view == NULL) {
        err = GetLastError();
        CloseHandle(section);
        return err ? (lun_err) err : ERROR_NOT_ENOUGH_MEMORY;
    }

    shm->addr = view;
    shm->size = size;
    shm->handle = (intptr_t) section;
    return 0;
}


lun_err
lun_shm_new(size_t size, lun_shm *shm)
{
    return make_section(size, SEC_COMMIT, shm);
}


lun_err
lun_shm_reserve(size_t size, lun_shm *shm)
{
    return make_section(size, SEC_RESERVE, shm);
}


lun_err
lun_shm_commit(void *at, size_t size)
{
    return VirtualAlloc(at, size, MEM_COMMIT, PAGE_READWRITE) != NULL
           ? 0 : (lun_err) GetLastError();
}


void
lun_shm_free(lun_shm *shm)
{
    if (shm->addr != NULL) {
        if (!UnmapViewOfFile(shm->addr)) {
            LUN_NEVER("no such segment");
        }

        /* A worker has the view only. */
        if (shm->handle != 0) {
            CloseHandle((HANDLE) shm->handle);
        }

        shm->addr = NULL;
    }
}


size_t
lun_shm_page(void)
{
    static size_t  page;

    SYSTEM_INFO  info;

    if (page == 0) {
        GetSystemInfo(&info);
        page = info.dwPageSize;
    }

    return page;
}


lun_err
lun_shm_map_into(HANDLE process, const lun_shm *shm)
{
    static map_fn        *map;
    static dos_error_fn  *dos_error;

    void      *base;
    SIZE_T     size;
    HMODULE    ntdll;
    NTSTATUS   status;

    if (map == NULL) {
        ntdll = GetModuleHandleW(L"ntdll.dll");
        map = (map_fn *) (void *) GetProcAddress(ntdll, "NtMapViewOfSection");
        dos_error = (dos_error_fn *) (void *)
            GetProcAddress(ntdll, "RtlNtStatusToDosError");
    }

    base = shm->addr;
    size = shm->size;
    status = map((HANDLE) shm->handle, process, &base, 0, 0, NULL, &size,
                 VIEW_UNMAP, 0, PAGE_READWRITE);

    return status < 0 ? (lun_err) dos_error(status) : 0;
}
