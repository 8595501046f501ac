/*
 * err.c -- the system's error numbers, and what they are.
 *
 * One table: number, kind, words.  The words are posix's, because they are
 * what people and their scripts look for in a log; a number that is not in
 * the table is said by the system itself, in English if it can.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/err.h"

#include "windows/win.h"


typedef struct {
    int           err;
    lun_err_kind  kind;
    const char   *text;
} row;

/* The first row of a kind is the number that stands for it. */
static const row  rows[] = {
    { WSAEWOULDBLOCK, LUN_ERR_AGAIN, "Resource temporarily unavailable" },
    { ERROR_IO_PENDING, LUN_ERR_AGAIN, "Operation now in progress" },
    { ERROR_IO_INCOMPLETE, LUN_ERR_AGAIN, "Operation now in progress" },
    { WSAEINPROGRESS, LUN_ERR_AGAIN, "Operation now in progress" },
    { WSAEALREADY, LUN_ERR_AGAIN, "Operation already in progress" },

    { ERROR_OPERATION_ABORTED, LUN_ERR_CANCELLED, "Operation canceled" },
    { ERROR_CANCELLED, LUN_ERR_CANCELLED, "Operation canceled" },
    { WSAECANCELLED, LUN_ERR_CANCELLED, "Operation canceled" },
    { WSA_E_CANCELLED, LUN_ERR_CANCELLED, "Operation canceled" },
    { WSAEINTR, LUN_ERR_CANCELLED, "Interrupted system call" },

    { WSAETIMEDOUT, LUN_ERR_TIMEOUT, "Connection timed out" },
    { ERROR_SEM_TIMEOUT, LUN_ERR_TIMEOUT, "Connection timed out" },
    { ERROR_TIMEOUT, LUN_ERR_TIMEOUT, "Connection timed out" },
    { WAIT_TIMEOUT, LUN_ERR_TIMEOUT, "Connection timed out" },

    { ERROR_FILE_NOT_FOUND, LUN_ERR_NOT_FOUND, "No such file or directory" },
    { ERROR_PATH_NOT_FOUND, LUN_ERR_NOT_FOUND, "No such file or directory" },
    { ERROR_BAD_NETPATH, LUN_ERR_NOT_FOUND, "No such file or directory" },
    { ERROR_BAD_NET_NAME, LUN_ERR_NOT_FOUND, "No such file or directory" },
    { ERROR_INVALID_DRIVE, LUN_ERR_NOT_FOUND, "No such file or directory" },
    { ERROR_NO_MORE_FILES, LUN_ERR_NOT_FOUND, "No such file or directory" },
    { WSAHOST_NOT_FOUND, LUN_ERR_NOT_FOUND, "host not found" },
    { WSANO_DATA, LUN_ERR_NOT_FOUND, "host not found" },

    { ERROR_DIRECTORY, LUN_ERR_NOT_DIR, "Not a directory" },

    { ERROR_DIRECTORY_NOT_SUPPORTED, LUN_ERR_IS_DIR, "Is a directory" },

    { ERROR_FILE_EXISTS, LUN_ERR_EXISTS, "File exists" },
    { ERROR_ALREADY_EXISTS, LUN_ERR_EXISTS, "File exists" },
    { ERROR_DIR_NOT_EMPTY, LUN_ERR_EXISTS, "Directory not empty" },

    { ERROR_ACCESS_DENIED, LUN_ERR_ACCESS, "Permission denied" },
    { WSAEACCES, LUN_ERR_ACCESS, "Permission denied" },
    { ERROR_PRIVILEGE_NOT_HELD, LUN_ERR_ACCESS, "Operation not permitted" },
    { ERROR_WRITE_PROTECT, LUN_ERR_ACCESS, "Read-only file system" },
    { ERROR_NETWORK_ACCESS_DENIED, LUN_ERR_ACCESS, "Permission denied" },
    { ERROR_CANT_ACCESS_FILE, LUN_ERR_ACCESS, "Permission denied" },

    { ERROR_INVALID_NAME, LUN_ERR_BAD_NAME, "Invalid argument" },
    { ERROR_FILENAME_EXCED_RANGE, LUN_ERR_BAD_NAME, "File name too long" },
    { ERROR_BUFFER_OVERFLOW, LUN_ERR_BAD_NAME, "File name too long" },
    { ERROR_BAD_PATHNAME, LUN_ERR_BAD_NAME, "Invalid argument" },

    { ERROR_CANT_RESOLVE_FILENAME, LUN_ERR_LINK,
      "Too many levels of symbolic links" },

    { ERROR_SHARING_VIOLATION, LUN_ERR_BUSY, "Device or resource busy" },
    { ERROR_LOCK_VIOLATION, LUN_ERR_BUSY, "Device or resource busy" },
    { ERROR_BUSY, LUN_ERR_BUSY, "Device or resource busy" },
    { ERROR_PIPE_BUSY, LUN_ERR_BUSY, "Device or resource busy" },
    { ERROR_DELETE_PENDING, LUN_ERR_BUSY, "Device or resource busy" },
    { ERROR_USER_MAPPED_FILE, LUN_ERR_BUSY, "Text file busy" },

    { ERROR_DISK_FULL, LUN_ERR_NO_SPACE, "No space left on device" },
    { ERROR_HANDLE_DISK_FULL, LUN_ERR_NO_SPACE, "No space left on device" },

    { ERROR_TOO_MANY_OPEN_FILES, LUN_ERR_TOO_MANY_FILES,
      "Too many open files" },
    { WSAEMFILE, LUN_ERR_TOO_MANY_FILES, "Too many open files" },

    { ERROR_NOT_ENOUGH_MEMORY, LUN_ERR_NO_MEMORY, "Cannot allocate memory" },
    { ERROR_OUTOFMEMORY, LUN_ERR_NO_MEMORY, "Cannot allocate memory" },
    { ERROR_COMMITMENT_LIMIT, LUN_ERR_NO_MEMORY, "Cannot allocate memory" },
    { ERROR_NO_SYSTEM_RESOURCES, LUN_ERR_NO_MEMORY, "Cannot allocate memory" },
    { WSAENOBUFS, LUN_ERR_NO_MEMORY, "No buffer space available" },

    { WSAEADDRINUSE, LUN_ERR_ADDR_IN_USE, "Address already in use" },

    { WSAEADDRNOTAVAIL, LUN_ERR_ADDR_NOT_AVAILABLE,
      "Cannot assign requested address" },

    { WSAECONNREFUSED, LUN_ERR_REFUSED, "Connection refused" },
    { ERROR_CONNECTION_REFUSED, LUN_ERR_REFUSED, "Connection refused" },
    { ERROR_PORT_UNREACHABLE, LUN_ERR_REFUSED, "Connection refused" },

    { WSAECONNRESET, LUN_ERR_RESET, "Connection reset by peer" },
    { ERROR_NETNAME_DELETED, LUN_ERR_RESET, "Connection reset by peer" },
    { WSAECONNABORTED, LUN_ERR_RESET, "Software caused connection abort" },
    { ERROR_CONNECTION_ABORTED, LUN_ERR_RESET,
      "Software caused connection abort" },
    { WSAENETRESET, LUN_ERR_RESET, "Network dropped connection on reset" },
    { WSAESHUTDOWN, LUN_ERR_RESET, "Broken pipe" },
    { WSAEDISCON, LUN_ERR_RESET, "Connection reset by peer" },
    { ERROR_BROKEN_PIPE, LUN_ERR_RESET, "Broken pipe" },
    { ERROR_NO_DATA, LUN_ERR_RESET, "Broken pipe" },
    { ERROR_PIPE_NOT_CONNECTED, LUN_ERR_RESET, "Broken pipe" },
    { ERROR_GRACEFUL_DISCONNECT, LUN_ERR_RESET, "Connection reset by peer" },

    { WSAEHOSTUNREACH, LUN_ERR_UNREACHABLE, "No route to host" },
    { ERROR_HOST_UNREACHABLE, LUN_ERR_UNREACHABLE, "No route to host" },
    { WSAENETUNREACH, LUN_ERR_UNREACHABLE, "Network is unreachable" },
    { ERROR_NETWORK_UNREACHABLE, LUN_ERR_UNREACHABLE,
      "Network is unreachable" },
    { WSAENETDOWN, LUN_ERR_UNREACHABLE, "Network is down" },
    { WSAEHOSTDOWN, LUN_ERR_UNREACHABLE, "Host is down" },

    { ERROR_NOT_SUPPORTED, LUN_ERR_NOT_SUPPORTED, "Operation not supported" },
    { ERROR_CALL_NOT_IMPLEMENTED, LUN_ERR_NOT_SUPPORTED,
      "Function not implemented" },
    { ERROR_INVALID_FUNCTION, LUN_ERR_NOT_SUPPORTED,
      "Operation not supported" },
    { WSAEOPNOTSUPP, LUN_ERR_NOT_SUPPORTED, "Operation not supported" },
    { WSAEAFNOSUPPORT, LUN_ERR_NOT_SUPPORTED,
      "Address family not supported by protocol" },
    { WSAEPROTONOSUPPORT, LUN_ERR_NOT_SUPPORTED, "Protocol not supported" },

    /* Known in words, of no kind that anybody decides on. */
    { ERROR_GEN_FAILURE, LUN_ERR_OTHER, "Input/output error" },
    { ERROR_IO_DEVICE, LUN_ERR_OTHER, "Input/output error" },
    { ERROR_CRC, LUN_ERR_OTHER, "Input/output error" },
    { ERROR_INVALID_HANDLE, LUN_ERR_OTHER, "Bad file descriptor" },
    { WSAENOTSOCK, LUN_ERR_OTHER, "Socket operation on non-socket" },
    { ERROR_INVALID_PARAMETER, LUN_ERR_OTHER, "Invalid argument" },
    { WSAEINVAL, LUN_ERR_OTHER, "Invalid argument" },
    { WSAEFAULT, LUN_ERR_OTHER, "Bad address" },
    { WSAENOTCONN, LUN_ERR_OTHER, "Transport endpoint is not connected" },
    { WSAEISCONN, LUN_ERR_OTHER,
      "Transport endpoint is already connected" },
    { WSAEMSGSIZE, LUN_ERR_OTHER, "Message too long" },
    { WSAEDESTADDRREQ, LUN_ERR_OTHER, "Destination address required" },
    { WSATRY_AGAIN, LUN_ERR_OTHER,
      "Temporary failure in name resolution" },
    { ERROR_NOT_SAME_DEVICE, LUN_ERR_OTHER, "Invalid cross-device link" },
    { ERROR_HANDLE_EOF, LUN_ERR_OTHER, "End of file" }
};


static const row *
find(lun_err err)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(rows); i++) {
        if (rows[i].err == err) {
            return &rows[i];
        }
    }

    return NULL;
}


lun_err_kind
lun_err_kind_of(lun_err err)
{
    const row  *known;

    if (err == 0) {
        return LUN_ERR_NONE;
    }

    known = find(err);
    return known ? known->kind : LUN_ERR_OTHER;
}


lun_err
lun_err_of_kind(lun_err_kind kind)
{
    size_t  i;

    if (kind == LUN_ERR_NONE) {
        return 0;
    }

    for (i = 0; i < LUN_ARRAY_LEN(rows); i++) {
        if (rows[i].kind == kind) {
            return rows[i].err;
        }
    }

    return ERROR_GEN_FAILURE;
}


/* The system's words, on one line, without the full stop. */
static size_t
ask_system(lun_err err, char *room, size_t size)
{
    DWORD    n, i;
    size_t   len;
    wchar_t  text[256];
    char     utf8[3 * LUN_ARRAY_LEN(text)];

    n = 0;

    for (i = 0; i < 2 && n == 0; i++) {
        n = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM
                           | FORMAT_MESSAGE_IGNORE_INSERTS
                           | FORMAT_MESSAGE_MAX_WIDTH_MASK, NULL, (DWORD) err,
                           i == 0 ? MAKELANGID(LANG_ENGLISH,
                                               SUBLANG_ENGLISH_US) : 0,
                           text, LUN_ARRAY_LEN(text), NULL);
    }

    while (n != 0 && (text[n - 1] <= L' ' || text[n - 1] == L'.')) {
        n--;
    }

    len = lun_wide_to(utf8, text, n);
    len = lun_min(len, size);
    memcpy(room, utf8, len);
    return len;
}


lun_str
lun_err_text(lun_err err, char *room, size_t size)
{
    size_t      len;
    const row  *known;

    if (err == 0) {
        return LUN_STR("Success");
    }

    known = find(err);

    if (known) {
        return lun_str_z(known->text);
    }

    len = ask_system(err, room, size);
    return len ? lun_str_of(room, len) : LUN_STR("Unknown error");
}


const char *
lun_err_sock_text(lun_err err)
{
    static _Thread_local char  words[96];

    size_t   len;
    lun_str  text;

    if (lun_err_kind_of(err) == LUN_ERR_TIMEOUT) {
        return "timeout";
    }

    text = lun_err_text(err, words, sizeof(words));
    len = lun_min(text.len, sizeof(words) - 1);
    lun_mem_lower(words, text.data, len);
    words[len] = 0;
    return words;
}
