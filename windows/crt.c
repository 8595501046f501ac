/*
 * crt.c -- the C library's calls that take names, with names in UTF-8.
 *
 * The C library and the A functions of the system take them in the machine's
 * code page, whatever that is; our manifest makes it UTF-8, but only on
 * systems of 2019 and later.  The linker puts these in their place
 * (--wrap), for LuaJIT above all: io.open, io.lines, loadfile, require, C
 * modules, os.rename, os.remove, os.execute, io.popen, os.getenv.
 *
 * Files are opened as everywhere here: shared for deletion as well, longer
 * than 260 characters, and not inherited by children.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/win.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>

#include "os/dir.h"


/* By the linker's rule: the names that others call, and these. */
#define WRAPS(name)  __asm__("__wrap_" name)

FILE *lun_crt_fopen(const char *path, const char *mode) WRAPS("fopen");
FILE *lun_crt_tmpfile(void) WRAPS("tmpfile");
int lun_crt_remove(const char *path) WRAPS("remove");
int lun_crt_rename(const char *from, const char *to) WRAPS("rename");
int lun_crt_system(const char *command) WRAPS("system");
char *lun_crt_getenv(const char *name) WRAPS("getenv");

extern void *const  lun_crt_popen WRAPS("__imp__popen");
extern void *const  lun_crt_load_library WRAPS("__imp_LoadLibraryExA");
extern void *const  lun_crt_module_name WRAPS("__imp_GetModuleFileNameA");


/* --- files --- */

static int
errno_of(lun_err err)
{
    switch (lun_err_kind_of(err)) {

    case LUN_ERR_NOT_FOUND:
    case LUN_ERR_BAD_NAME:
        return ENOENT;

    case LUN_ERR_NOT_DIR:
        return ENOTDIR;

    case LUN_ERR_EXISTS:
        return EEXIST;

    case LUN_ERR_IS_DIR:
    case LUN_ERR_ACCESS:
    case LUN_ERR_BUSY:
        return EACCES;

    case LUN_ERR_NO_SPACE:
        return ENOSPC;

    case LUN_ERR_TOO_MANY_FILES:
        return EMFILE;

    case LUN_ERR_NO_MEMORY:
        return ENOMEM;

    default:
        return EIO;
    }
}


/* false: no mode that C knows. */
static bool
read_mode(const char *mode, unsigned *flags, int *crt)
{
    bool  update, binary;

    update = strchr(mode, '+') != NULL;
    binary = strchr(mode, 'b') != NULL;

    switch (mode[0]) {

    case 'r':
        *flags = LUN_FILE_READ | (update ? LUN_FILE_WRITE : 0);
        break;

    case 'w':
        *flags = LUN_FILE_WRITE | LUN_FILE_CREATE | LUN_FILE_TRUNC
                 | (update ? LUN_FILE_READ : 0);
        break;

    case 'a':
        *flags = LUN_FILE_APPEND | LUN_FILE_CREATE
                 | (update ? LUN_FILE_READ : 0);
        break;

    default:
        return false;
    }

    *crt = (mode[0] == 'a' ? _O_APPEND : 0)
           | (update ? _O_RDWR : mode[0] == 'r' ? _O_RDONLY : _O_WRONLY)
           | (binary ? _O_BINARY : _O_TEXT) | _O_NOINHERIT;
    return true;
}


/* The C library's own view of the handle, which it then owns. */
static FILE *
stream_of(lun_fd handle, int crt, const char *mode)
{
    int    fd;
    FILE  *f;

    fd = _open_osfhandle((intptr_t) handle, crt);

    if (fd == -1) {
        lun_file_close(handle);
        return NULL;
    }

    f = _fdopen(fd, mode);

    if (f == NULL) {
        _close(fd);
    }

    return f;
}


FILE *
lun_crt_fopen(const char *path, const char *mode)
{
    int       crt;
    lun_fd    fd;
    lun_err   err;
    unsigned  flags;

    if (!read_mode(mode, &flags, &crt)) {
        errno = EINVAL;
        return NULL;
    }

    err = lun_file_open(path, flags, 0666, &fd);

    if (err != 0) {
        errno = errno_of(err);
        return NULL;
    }

    return stream_of(fd, crt, mode);
}


/* The C library would make it in the root of the drive. */
FILE *
lun_crt_tmpfile(void)
{
    char     folder[3 * MAX_PATH + 1], path[sizeof(folder) + 32];
    lun_fd   fd;
    lun_err  err;

    err = lun_dir_temp(folder, sizeof(folder));

    if (err == 0) {
        err = lun_file_temp(folder, NULL, true, path, sizeof(path), &fd);
    }

    if (err != 0) {
        errno = errno_of(err);
        return NULL;
    }

    return stream_of(fd, _O_RDWR | _O_BINARY | _O_NOINHERIT, "w+b");
}


int
lun_crt_remove(const char *path)
{
    lun_err  err;

    err = lun_file_delete(path);

    if (err != 0) {
        errno = errno_of(err);
        return -1;
    }

    return 0;
}


/* Over an existing file, too, as posix has it. */
int
lun_crt_rename(const char *from, const char *to)
{
    lun_err  err;

    err = lun_file_rename(from, to);

    if (err != 0) {
        errno = errno_of(err);
        return -1;
    }

    return 0;
}


/* --- commands, the environment --- */

int
lun_crt_system(const char *command)
{
    int       code;
    wchar_t  *wide;

    if (command == NULL) {
        return _wsystem(NULL);
    }

    wide = lun_wide_dup(command);

    if (wide == NULL) {
        errno = EINVAL;
        return -1;
    }

    code = _wsystem(wide);
    free(wide);
    return code;
}


static FILE *
open_pipe(const char *command, const char *mode)
{
    FILE     *f;
    wchar_t  *wide, *wide_mode;

    wide = lun_wide_dup(command);
    wide_mode = lun_wide_dup(mode);
    f = NULL;

    if (wide != NULL && wide_mode != NULL) {
        f = _wpopen(wide, wide_mode);

    } else {
        errno = EINVAL;
    }

    free(wide);
    free(wide_mode);
    return f;
}

void *const  lun_crt_popen = open_pipe;


/* The caller copies it, or it would be gone with the next change. */
char *
lun_crt_getenv(const char *name)
{
    return (char *) lun_env_get(name);
}


/* --- programs --- */

static HMODULE WINAPI
load_library(const char *path, HANDLE file, DWORD flags)
{
    HMODULE         module;
    lun_err         err;
    lun_wide_path   w;

    err = lun_wide_path_of(&w, path, 0);

    if (err != 0) {
        SetLastError((DWORD) err);
        return NULL;
    }

    module = LoadLibraryExW(w.text, file, flags);
    lun_wide_end(&w);
    return module;
}

void *const  lun_crt_load_library = load_library;


/* Of a module that fits; else as much as says nothing wrong: none of it. */
static DWORD WINAPI
module_file_name(HMODULE module, char *name, DWORD size)
{
    char      text[3 * MAX_PATH + 1];
    DWORD     n;
    size_t    len;
    wchar_t   wide[MAX_PATH];

    n = GetModuleFileNameW(module, wide, MAX_PATH);

    if (n == 0 || n == MAX_PATH || size == 0) {
        return 0;
    }

    len = lun_wide_to(text, wide, n);

    if (len >= size) {
        SetLastError(ERROR_INSUFFICIENT_BUFFER);
        return size;
    }

    memcpy(name, text, len);
    name[len] = 0;
    return (DWORD) len;
}

void *const  lun_crt_module_name = module_file_name;
