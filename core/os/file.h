/*
 * file.h -- files.  Paths are zero-terminated UTF-8, with '/' (on Windows '\'
 * as well), of any length.  Every open shares reading, writing and deleting:
 * a file that is open here can be renamed or removed by anyone.
 *
 * Each function answers with 0 or the system's error number.  Those that end
 * in _under know a folder that the path may begin with: they cost less there.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_FILE_H
#define LUN_OS_FILE_H

#include "os/err.h"
#include "os/native_path.h"

typedef intptr_t  lun_fd;          /* a file's or a socket's handle */

#define LUN_FD_NONE  ((lun_fd) -1)

enum {
    LUN_FILE_READ    = 0x01,
    LUN_FILE_WRITE   = 0x02,
    LUN_FILE_APPEND  = 0x04,       /* each write lands whole at the end */
    LUN_FILE_CREATE  = 0x08,
    LUN_FILE_TRUNC   = 0x10,
    LUN_FILE_EXCL    = 0x20,       /* with CREATE: must not exist */
    LUN_FILE_TEMP    = 0x40,       /* delete on close where that exists */
    LUN_FILE_DIR     = 0x80,       /* a directory is fine too (to stat it);
                                      without it some systems refuse one */
    LUN_FILE_ASYNC   = 0x100,      /* for lun_port_send_file (Windows) */
    LUN_FILE_SECRET  = 0x200       /* with CREATE: one that is made is for
                                      this account alone, and, on Windows,
                                      administrators; `access` is 0600 */
};

typedef struct {
    uint64_t   device;             /* with `id`: the file's identity; the
                                      time of its creation on Windows */
    uint64_t   id;
    int64_t    size;               /* bytes */
    int64_t    mtime;              /* seconds since the epoch */
    uint32_t   mtime_ns;
    unsigned   is_file:1;          /* a regular disk file */
    unsigned   is_dir:1;
    unsigned   is_exec:1;          /* its owner may run it; 0 on Windows */
} lun_file_info;

/* `access` as the 0644 of open(2), used with CREATE; ignored on Windows. */
lun_err lun_file_open(const char *path, unsigned flags, unsigned access,
    lun_fd *fd);
lun_err lun_file_open_under(const lun_native_path *native, const char *path,
    unsigned flags, unsigned access, lun_fd *fd);
void lun_file_close(lun_fd fd);

/* Of an open file; of a path (follows links): one system call each. */
lun_err lun_file_info_of(lun_fd fd, lun_file_info *info);
lun_err lun_file_stat(const char *path, lun_file_info *info);
lun_err lun_file_stat_under(const lun_native_path *native, const char *path,
    lun_file_info *info);

/* At an offset; *done < size only at the end of the file. */
lun_err lun_file_read(lun_fd fd, void *buf, size_t size, int64_t at,
    size_t *done);
/*
 * At an offset; at the end for a file opened with APPEND (at is ignored) and
 * for what has no offsets (pipes, terminals): -1 is right for all of these.
 */
lun_err lun_file_write(lun_fd fd, const void *buf, size_t size, int64_t at);

/* Who may read and write a file: the posix mode and group. */
typedef struct {
    uint32_t   mode;               /* 0: not known */
    uint32_t   group;
} lun_file_access;

/*
 * Of an open file, for another one that takes its place.  What may not be set
 * is left; Windows: nothing, a folder says it for all files in it.
 */
void lun_file_access_of(lun_fd fd, lun_file_access *access);
void lun_file_set_access(lun_fd fd, const lun_file_access *access);

/* Of a file opened with WRITE: when it was last changed, in seconds. */
lun_err lun_file_set_mtime(lun_fd fd, int64_t mtime);

/* Standard error, as a file: append only. */
lun_fd lun_file_stderr(void);

/*
 * Whether the open file's own name ends as `path` does from byte `from` on,
 * which begins a component: caselessly, on the handle itself.  Windows: an 8.3
 * name, or one that a link behind `from` leads away from, does not.  Always on
 * posix systems, where a name has no aliases.
 */
bool lun_file_is_named(lun_fd fd, const char *path, size_t from);

/* Not a device, pipe or console; posix: a file, or a folder. */
bool lun_file_on_disk(lun_fd fd);

/*
 * The long form of a path that exists, slashes at its end included; what does
 * not exist is copied as it is.  ERR_BAD_NAME: `room` is too small.
 */
lun_err lun_file_long_name(const char *path, char *out, size_t room);

/*
 * The path that an existing one stands for, without links, "." and "..": posix
 * only, a copy on Windows.  ERR_BAD_NAME: `room` is too small.
 */
lun_err lun_file_real_path(const char *path, char *out, size_t room);

/* The whole file, malloc'ed and zero-terminated; the caller frees. */
lun_err lun_file_slurp(const char *path, char **data, size_t *size);
/* The same of an open file, from its beginning. */
lun_err lun_file_slurp_fd(lun_fd fd, char **data, size_t *size);

lun_err lun_file_delete(const char *path);

/*
 * Whether the name of a file is free at once when it is deleted, whoever has
 * the file open: then it costs nobody anything to keep one open for long.
 */
bool lun_file_name_is_free(void);
/* Replaces an existing target. */
lun_err lun_file_rename(const char *from, const char *to);

/*
 * A new file in `dir`, opened for reading and writing, named by a number:
 * "dir/0000000001"; `levels` (nginx's "1 2") adds folders, made as needed.
 * The name goes to `path`.
 */
lun_err lun_file_temp(const char *dir, const int levels[3],
    bool delete_on_close, char *path, size_t room, lun_fd *fd);

#endif
