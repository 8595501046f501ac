/*
 * file.c -- files.
 *
 * Everything is opened sharing reads, writes and deletes, so that deploys by
 * rename work under load.  What comes up against somebody who does not share
 * (a virus scanner looks at a fresh file for some milliseconds) is tried
 * again a few times.
 *
 * A file's identity here is the time of its creation: the one thing beside
 * size and time of change that both an open handle and the one-call stat by
 * name can tell.  It shows that a name stands for another file now, which is
 * what it is asked for; it does not prove that two names are one file.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/file.h"

#include "windows/win.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/fmt.h"
#include "os/dir.h"


enum {
    SHARE_ALL  = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
    TRIES      = 5,                /* 1 + 2 + 4 + 8 ms of patience */
    TEMP_TRIES = 100
};

/* The compiler's headers misnumber this one. */
static const FILE_INFO_BY_HANDLE_CLASS  rename_info_ex = 22;

/* 1601 to 1970, in seconds. */
#define EPOCH  INT64_C(11644473600)


static DWORD
access_of(unsigned flags)
{
    DWORD  access;

    access = 0;

    if (flags & LUN_FILE_READ) {
        access |= GENERIC_READ;
    }

    if (flags & LUN_FILE_APPEND) {
        access |= FILE_APPEND_DATA | FILE_READ_ATTRIBUTES | SYNCHRONIZE;

    } else if (flags & LUN_FILE_WRITE) {
        access |= GENERIC_WRITE;
    }

    if (flags & LUN_FILE_TEMP) {
        access |= DELETE;
    }

    return access ? access : FILE_READ_ATTRIBUTES;
}


static DWORD
disposition_of(unsigned flags)
{
    if (flags & LUN_FILE_CREATE) {
        if (flags & LUN_FILE_EXCL) {
            return CREATE_NEW;
        }

        return flags & LUN_FILE_TRUNC ? CREATE_ALWAYS : OPEN_ALWAYS;
    }

    return flags & LUN_FILE_TRUNC ? TRUNCATE_EXISTING : OPEN_EXISTING;
}


static DWORD
attributes_of(unsigned flags)
{
    DWORD  attributes;

    attributes = FILE_ATTRIBUTE_NORMAL;

    if (flags & LUN_FILE_TEMP) {
        attributes = FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE;
    }

    if (flags & LUN_FILE_DIR) {
        attributes |= FILE_FLAG_BACKUP_SEMANTICS;
    }

    return attributes;
}


lun_err
lun_file_open_wide(const wchar_t *path, unsigned flags, lun_fd *fd)
{
    DWORD    err, attributes;
    HANDLE   h;

    h = lun_owner_create(path, access_of(flags), disposition_of(flags),
                         attributes_of(flags), flags & LUN_FILE_SECRET);

    if (h != INVALID_HANDLE_VALUE) {
        *fd = (lun_fd) h;
        return 0;
    }

    err = GetLastError();

    /* The system says the same of a folder and of a file that is not ours. */
    if (err == ERROR_ACCESS_DENIED && !(flags & LUN_FILE_DIR)) {
        attributes = GetFileAttributesW(path);

        if (attributes != INVALID_FILE_ATTRIBUTES
            && (attributes & FILE_ATTRIBUTE_DIRECTORY))
        {
            err = ERROR_DIRECTORY_NOT_SUPPORTED;
        }
    }

    *fd = LUN_FD_NONE;
    return (lun_err) err;
}


lun_err
lun_file_open(const char *path, unsigned flags, unsigned access, lun_fd *fd)
{
    return lun_file_open_under(NULL, path, flags, access, fd);
}


lun_err
lun_file_open_under(const lun_native_path *native, const char *path,
    unsigned flags, unsigned access, lun_fd *fd)
{
    lun_err        err;
    lun_wide_path  w;

    *fd = LUN_FD_NONE;

    err = lun_wide_path_under(&w, native, path, 0);

    if (err) {
        return err;
    }

    if (LUN_FULL_LOOKUP && !(flags & LUN_FILE_CREATE)
        && !lun_wide_is_long(w.text))
    {
        err = ERROR_FILE_NOT_FOUND;

    } else {
        err = lun_file_open_wide(w.text, flags, fd);
    }

    lun_wide_end(&w);
    return err;
}


void
lun_file_close(lun_fd fd)
{
    CloseHandle((HANDLE) fd);
}


static uint64_t
join(DWORD high, DWORD low)
{
    return (uint64_t) high << 32 | low;
}


static void
fill(lun_file_info *info, DWORD attributes, FILETIME written, FILETIME created,
    uint64_t size)
{
    int64_t  t;

    t = (int64_t) join(written.dwHighDateTime, written.dwLowDateTime);

    info->device = 0;
    info->id = join(created.dwHighDateTime, created.dwLowDateTime);
    info->size = (int64_t) size;
    info->mtime = t / 10000000 - EPOCH;
    info->mtime_ns = (uint32_t) (t % 10000000 * 100);
    info->is_dir = (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    info->is_file = !info->is_dir && !(attributes & FILE_ATTRIBUTE_DEVICE);
    info->is_exec = 0;
}


lun_err
lun_file_info_of(lun_fd fd, lun_file_info *info)
{
    DWORD                       type;
    BY_HANDLE_FILE_INFORMATION  by;

    memset(info, 0, sizeof(*info));
    type = GetFileType((HANDLE) fd);

    if (type != FILE_TYPE_DISK) {
        return type == FILE_TYPE_UNKNOWN ? (lun_err) GetLastError() : 0;
    }

    if (!GetFileInformationByHandle((HANDLE) fd, &by)) {
        return (lun_err) GetLastError();
    }

    fill(info, by.dwFileAttributes, by.ftLastWriteTime, by.ftCreationTime,
         join(by.nFileSizeHigh, by.nFileSizeLow));
    return 0;
}


/* Through a link, which the call by name does not follow. */
static lun_err
stat_open(const wchar_t *path, lun_file_info *info)
{
    lun_fd   fd;
    lun_err  err;

    err = lun_file_open_wide(path, LUN_FILE_DIR, &fd);

    if (err == 0) {
        err = lun_file_info_of(fd, info);
        lun_file_close(fd);
    }

    return err;
}


lun_err
lun_file_stat(const char *path, lun_file_info *info)
{
    return lun_file_stat_under(NULL, path, info);
}


/*
 * Without opening it, unless it is a reparse point, which has to be followed.
 */
lun_err
lun_file_stat_under(const lun_native_path *native, const char *path,
    lun_file_info *info)
{
    lun_err                    err;
    lun_wide_path              w;
    WIN32_FILE_ATTRIBUTE_DATA  a;

    memset(info, 0, sizeof(*info));
    err = lun_wide_path_under(&w, native, path, 0);

    if (err) {
        return err;
    }

    if (LUN_FULL_LOOKUP && !lun_wide_is_long(w.text)) {
        err = ERROR_FILE_NOT_FOUND;

    } else if (!GetFileAttributesExW(w.text, GetFileExInfoStandard, &a)) {
        err = (lun_err) GetLastError();

    } else if (a.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) {
        err = stat_open(w.text, info);

    } else {
        fill(info, a.dwFileAttributes, a.ftLastWriteTime, a.ftCreationTime,
             join(a.nFileSizeHigh, a.nFileSizeLow));
    }

    lun_wide_end(&w);
    return err;
}


/* The position is in the call, so that threads may share a handle. */
lun_err
lun_file_read(lun_fd fd, void *buf, size_t size, int64_t at, size_t *done)
{
    DWORD       n;
    OVERLAPPED  ov;

    *done = 0;

    while (*done < size) {
        memset(&ov, 0, sizeof(ov));
        ov.Offset = (DWORD) (uint64_t) at;
        ov.OffsetHigh = (DWORD) ((uint64_t) at >> 32);

        n = (DWORD) lun_min(size - *done, (size_t) 1 << 30);

        if (!ReadFile((HANDLE) fd, (char *) buf + *done, n, &n, &ov)) {
            if (GetLastError() == ERROR_HANDLE_EOF
                || GetLastError() == ERROR_BROKEN_PIPE)
            {
                return 0;
            }
            return (lun_err) GetLastError();
        }

        if (n == 0) {
            return 0;
        }

        *done += n;
        at += n;
    }

    return 0;
}


/* Consoles, pipes, and what a parent redirected: they have a place already. */
static bool
is_standard(HANDLE h)
{
    return h == GetStdHandle(STD_ERROR_HANDLE)
           || h == GetStdHandle(STD_OUTPUT_HANDLE);
}


static lun_err
write_at(lun_fd fd, const char *p, size_t size, int64_t at)
{
    DWORD        n;
    OVERLAPPED   ov, *where;

    where = is_standard((HANDLE) fd) ? NULL : &ov;

    while (size > 0) {
        memset(&ov, 0, sizeof(ov));
        ov.Offset = (DWORD) (uint64_t) at;
        ov.OffsetHigh = (DWORD) ((uint64_t) at >> 32);

        n = (DWORD) lun_min(size, (size_t) 1 << 30);

        if (!WriteFile((HANDLE) fd, p, n, &n, where)) {
            return (lun_err) GetLastError();
        }

        p += n;
        at += n;
        size -= n;
    }

    return 0;
}


/*
 * Wine asks where the end is and then writes there, which is no append when
 * several processes do it.  A lock on a byte that no file has makes it one.
 */
static bool
appends_race(void)
{
    static int  answer = -1;

    if (answer < 0) {
        answer = GetProcAddress(GetModuleHandleW(L"ntdll.dll"),
                                "wine_get_version") != NULL;
    }

    return answer != 0;
}


lun_err
lun_file_write(lun_fd fd, const void *buf, size_t size, int64_t at)
{
    bool        locked;
    lun_err     err;
    OVERLAPPED  end;

    if (at != -1 || !appends_race() || is_standard((HANDLE) fd)) {
        return write_at(fd, buf, size, at);
    }

    memset(&end, 0, sizeof(end));
    end.OffsetHigh = INT32_MAX;
    locked = LockFileEx((HANDLE) fd, LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &end);
    err = write_at(fd, buf, size, at);

    if (locked) {
        UnlockFileEx((HANDLE) fd, 0, 1, 0, &end);
    }

    return err;
}


static lun_fd
standard(DWORD which)
{
    HANDLE  h;

    h = GetStdHandle(which);
    return h == NULL ? LUN_FD_NONE : (lun_fd) h;
}


void
lun_file_access_of(lun_fd fd, lun_file_access *access)
{
    *access = (lun_file_access) { 0 };
}


void
lun_file_set_access(lun_fd fd, const lun_file_access *access)
{
}


lun_err
lun_file_set_mtime(lun_fd fd, int64_t mtime)
{
    int64_t   ticks;
    FILETIME  t;

    ticks = (mtime + EPOCH) * 10000000;
    t.dwLowDateTime = (DWORD) ticks;
    t.dwHighDateTime = (DWORD) (ticks >> 32);

    return SetFileTime((HANDLE) fd, NULL, NULL, &t)
           ? 0 : (lun_err) GetLastError();
}


lun_fd
lun_file_stderr(void)
{
    return standard(STD_ERROR_HANDLE);
}


lun_err
lun_file_slurp_fd(lun_fd fd, char **data, size_t *size)
{
    char           *p, *grown;
    size_t          room, have, n;
    lun_err         err;
    lun_file_info   info;

    err = lun_file_info_of(fd, &info);
    room = (size_t) info.size + 1;
    have = 0;
    p = NULL;

    /* Read until the end is seen: the file may grow meanwhile. */
    while (err == 0) {
        grown = realloc(p, room + 1);

        if (grown == NULL) {
            err = ERROR_NOT_ENOUGH_MEMORY;
            break;
        }

        p = grown;
        err = lun_file_read(fd, p + have, room - have, (int64_t) have, &n);
        have += n;

        if (have < room) {
            break;
        }

        room = room * 2 + 4096;
    }

    if (err) {
        free(p);
        return err;
    }

    p[have] = 0;
    *data = p;
    *size = have;
    return 0;
}


lun_err
lun_file_slurp(const char *path, char **data, size_t *size)
{
    lun_fd   fd;
    lun_err  err;

    err = lun_file_open(path, LUN_FILE_READ, 0, &fd);

    if (err == 0) {
        err = lun_file_slurp_fd(fd, data, size);
        lun_file_close(fd);
    }

    return err;
}


/*
 * The next number for a name.  Each process starts somewhere else,
 * so that they seldom try the same name.
 */
static uint64_t
next_number(void)
{
    static uint64_t  number;

    LARGE_INTEGER  now;

    if (number == 0) {
        QueryPerformanceCounter(&now);
        number = (uint64_t) now.QuadPart
                 ^ (uint64_t) GetCurrentProcessId() << 20;
        number %= UINT64_C(9000000000);
    }

    return ++number % UINT64_C(10000000000);
}


static bool
is_passing(DWORD err)
{
    return err == ERROR_SHARING_VIOLATION || err == ERROR_LOCK_VIOLATION;
}


/*
 * A scanner or an indexer may hold it for a moment: tried again, for a fraction
 * of a second in all.
 */
lun_err
lun_file_delete(const char *path)
{
    DWORD          err;
    unsigned       i;
    lun_wide_path  w;

    err = (DWORD) lun_wide_path_under(&w, NULL, path, 0);

    if (err) {
        return (lun_err) err;
    }

    for (i = 0; i < TRIES; i++) {
        if (DeleteFileW(w.text)) {
            err = 0;
            break;
        }

        err = GetLastError();

        if (!is_passing(err)) {
            break;
        }

        Sleep(1u << i);
    }

    lun_wide_end(&w);
    return (lun_err) err;
}


/* Only on NTFS, and not before Windows 10. */
bool
lun_file_name_is_free(void)
{
    return false;
}


/*
 * The rename that posix has: the target's name changes hands at once, even
 * while somebody has the old file open.  Windows 10 on NTFS.
 */
static bool
rename_posix(const wchar_t *from, const wchar_t *to)
{
    bool               done;
    size_t             len, size;
    HANDLE             h;
    FILE_RENAME_INFO  *info;

    h = CreateFileW(from, DELETE | SYNCHRONIZE, SHARE_ALL, NULL, OPEN_EXISTING,
                    FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT,
                    NULL);

    if (h == INVALID_HANDLE_VALUE) {
        return false;
    }

    len = wcslen(to) * sizeof(wchar_t);
    size = sizeof(*info) + len;
    info = calloc(1, size);
    done = false;

    if (info != NULL) {
        /* These flags lie where the older form has ReplaceIfExists. */
        *(DWORD *) info = FILE_RENAME_FLAG_REPLACE_IF_EXISTS
                          | FILE_RENAME_FLAG_POSIX_SEMANTICS;
        info->FileNameLength = (DWORD) len;
        memcpy(info->FileName, to, len);

        done = SetFileInformationByHandle(h, rename_info_ex, info,
                                          (DWORD) size) != 0;
        free(info);
    }

    CloseHandle(h);
    return done;
}


static bool
is_file(const wchar_t *path)
{
    DWORD  attributes;

    attributes = GetFileAttributesW(path);

    return attributes != INVALID_FILE_ATTRIBUTES
           && !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}


/* The target goes aside under a name of its own, and then for good. */
static bool
rename_aside(const wchar_t *from, const wchar_t *to)
{
    bool      done;
    size_t    room;
    wchar_t  *aside;

    room = wcslen(to) + 32;
    aside = calloc(room, sizeof(wchar_t));

    if (aside == NULL) {
        return false;
    }

    _snwprintf(aside, room - 1, L"%ls.%010llu.old", to,
               (unsigned long long) next_number());
    done = false;

    if (MoveFileExW(to, aside, 0)) {
        done = MoveFileExW(from, to, 0) != 0;

        if (done) {
            DeleteFileW(aside);
        } else {
            MoveFileExW(aside, to, 0);
        }
    }

    free(aside);
    return done;
}


/*
 * The older ways, for file systems that lack it: a replacing move, which is
 * denied over an open target; then three moves, between which the name is
 * missing for a moment.
 */
static DWORD
rename_plain(const wchar_t *from, const wchar_t *to)
{
    DWORD  err;

    if (MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING)) {
        return 0;
    }

    err = GetLastError();

    if (err == ERROR_ACCESS_DENIED && is_file(to)
        && rename_aside(from, to))
    {
        return 0;
    }

    return err;
}


/*
 * POSIX semantics replace a file that is open; older systems and file systems
 * have the plain one only.
 */
lun_err
lun_file_rename(const char *from, const char *to)
{
    DWORD          err;
    unsigned       i;
    lun_wide_path  wfrom, wto;

    err = (DWORD) lun_wide_path_under(&wfrom, NULL, from, 0);

    if (err) {
        return (lun_err) err;
    }

    err = (DWORD) lun_wide_path_under(&wto, NULL, to, 0);

    if (err) {
        lun_wide_end(&wfrom);
        return (lun_err) err;
    }

    for (i = 0; i < TRIES; i++) {
        err = rename_posix(wfrom.text, wto.text)
              ? 0 : rename_plain(wfrom.text, wto.text);

        if (!is_passing(err) && err != ERROR_ACCESS_DENIED) {
            break;
        }

        Sleep(1u << i);
    }

    lun_wide_end(&wto);
    lun_wide_end(&wfrom);
    return (lun_err) err;
}


/* "dir/3/21/0987654321": each level takes its digits from the end. */
static char *
temp_name(char *p, char *end, const char *dir, const int levels[3],
    uint64_t number)
{
    int    i, left;
    char   digits[11];

    lun_fmt_pad(digits, number, 10);
    left = 10;
    p = lun_fmt(p, end, "%s/", dir);

    for (i = 0; i < 3 && levels != NULL && levels[i] > 0; i++) {
        if (levels[i] > left) {
            break;
        }

        left -= levels[i];
        p = lun_fmt(p, end, "%.*s/", levels[i], digits + left);
    }

    return lun_fmt(p, end, "%.10s", digits);
}


lun_err
lun_file_temp(const char *dir, const int levels[3], bool delete_on_close,
    char *path, size_t room, lun_fd *fd)
{
    int       i;
    char     *end, *slash;
    unsigned  flags;
    lun_err   err;

    flags = LUN_FILE_READ | LUN_FILE_WRITE | LUN_FILE_CREATE | LUN_FILE_EXCL
            | (delete_on_close ? LUN_FILE_TEMP : 0);
    err = ERROR_FILE_EXISTS;
    *fd = LUN_FD_NONE;

    for (i = 0; i < TEMP_TRIES; i++) {
        end = temp_name(path, path + room, dir, levels, next_number());

        if (end == path + room) {
            return ERROR_FILENAME_EXCED_RANGE;
        }

        *end = 0;
        err = lun_file_open(path, flags, 0600, fd);

        if (lun_err_kind_of(err) == LUN_ERR_NOT_FOUND) {
            slash = strrchr(path, '/');
            *slash = 0;
            err = lun_dir_make_all(path, 0700);
            *slash = '/';

            if (err && lun_err_kind_of(err) != LUN_ERR_EXISTS) {
                return err;
            }

            err = lun_file_open(path, flags, 0600, fd);
        }

        if (lun_err_kind_of(err) != LUN_ERR_EXISTS) {
            return err;
        }
    }

    return err;
}
