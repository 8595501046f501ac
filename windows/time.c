/*
 * time.c -- the clocks.
 *
 * The tick counters of the system stand still for 16 ms at a time; the
 * performance counter does not, and costs no system call either.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/time.h"

#include "windows/win.h"


/* 1601 to 1970, in units of 100 ns and in seconds. */
#define EPOCH_TICKS  INT64_C(116444736000000000)
#define EPOCH_SEC    INT64_C(11644473600)

typedef VOID WINAPI get_time_fn(LPFILETIME);


uint64_t
lun_time_monotonic_us(void)
{
    static uint64_t  frequency;

    uint64_t       n;
    LARGE_INTEGER  now;

    if (frequency == 0) {
        QueryPerformanceFrequency(&now);
        frequency = (uint64_t) now.QuadPart;
    }

    QueryPerformanceCounter(&now);
    n = (uint64_t) now.QuadPart;

    return n / frequency * 1000000 + n % frequency * 1000000 / frequency;
}


lun_msec
lun_time_monotonic(void)
{
    return lun_time_monotonic_us() / 1000;
}


int64_t
lun_time_wall(void)
{
    static get_time_fn  *get;

    FILETIME  t;

    if (get == NULL) {
        get = (get_time_fn *) (void *) GetProcAddress(
            GetModuleHandleW(L"kernel32.dll"),
            "GetSystemTimePreciseAsFileTime");

        if (get == NULL) {
            get = GetSystemTimeAsFileTime;
        }
    }

    get(&t);

    return ((int64_t) ((uint64_t) t.dwHighDateTime << 32 | t.dwLowDateTime)
            - EPOCH_TICKS) / 10000;
}


int
lun_time_zone(int64_t sec)
{
    int64_t     ticks, local;
    FILETIME    t;
    SYSTEMTIME  utc, here;

    ticks = (sec + EPOCH_SEC) * 10000000;
    t.dwLowDateTime = (DWORD) (uint64_t) ticks;
    t.dwHighDateTime = (DWORD) ((uint64_t) ticks >> 32);

    if (sec < -EPOCH_SEC
        || !FileTimeToSystemTime(&t, &utc)
        || !SystemTimeToTzSpecificLocalTime(NULL, &utc, &here)
        || !SystemTimeToFileTime(&here, &t))
    {
        return 0;
    }

    local = (int64_t) ((uint64_t) t.dwHighDateTime << 32 | t.dwLowDateTime);
    return (int) ((local - ticks) / (60 * INT64_C(10000000)));
}


void
lun_time_sleep(lun_msec ms)
{
    Sleep((DWORD) lun_min(ms, (lun_msec) INT32_MAX));
}
