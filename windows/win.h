/*
 * win.h -- what the files of this folder share: the system's headers in their
 * one right order, texts in UTF-16, and a few calls between rooms that no
 * other floor may see.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_WIN_H
#define LUN_WIN_H

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef _WIN32_WINNT
#define _WIN32_WINNT  0x0A00
#endif
#ifndef NTDDI_VERSION
#define NTDDI_VERSION  0x0A000005
#endif

#include <winsock2.h>
#include <ws2tcpip.h>
#include <mswsock.h>
#include <windows.h>
#include <winternl.h>

#include "os/native_path.h"
#include "os/proc.h"

/* What the compiler's headers lack. */
#ifndef ERROR_DIRECTORY_NOT_SUPPORTED
#define ERROR_DIRECTORY_NOT_SUPPORTED  336L
#endif


/* --- wide.c: UTF-8 and UTF-16 --- */

/* As lun_utf16_from() and _to(): UTF-8 to UTF-16, strictly, and back. */
ptrdiff_t lun_wide_from(wchar_t *out, const char *text, size_t len);
size_t lun_wide_to(char *out, const wchar_t *text, size_t n);

/* Both zero-terminated and malloc'ed; NULL for malformed UTF-8. */
wchar_t *lun_wide_dup(const char *text);
char *lun_wide_text(const wchar_t *text);

/* A path in the form that the system's functions take. */
typedef struct {
    wchar_t  *text;
    wchar_t   room[264];
} lun_wide_path;

/*
 * `extra` units stay free at the end (to append "\*").  Long absolute paths
 * get the prefix that lifts the limit of 260.  End it with lun_wide_end(),
 * which keeps GetLastError() as it is; not after an error.
 */
lun_err lun_wide_path_of(lun_wide_path *w, const char *path, size_t extra);
void lun_wide_end(lun_wide_path *w);

/*
 * The same for a path that `native` (or NULL), or the prefix, may lead: then
 * what is behind that is converted alone.
 */
lun_err lun_wide_path_under(lun_wide_path *w, const lun_native_path *native,
    const char *path, size_t extra);

/* path.c: the prefix, if it can be put before the rest of a path; or NULL. */
const lun_native_path *lun_wide_prefix_of(lun_str path);

/* UTF-16 from the system as a path of ours: '/', no slash at its end. */
lun_err lun_wide_to_path(char *path, size_t room, const wchar_t *text,
    size_t n);

/* This executable; malloc'ed.  *len without the zero; NULL: no memory. */
wchar_t *lun_wide_program(size_t *len);


/* --- file.c --- */

/* lookup.c: in a build that is made to be measured only. */
#ifndef LUN_FULL_LOOKUP
#define LUN_FULL_LOOKUP  0
#endif

bool lun_wide_is_long(const wchar_t *path);

/* --- owner.c --- */

/*
 * For what only this account, administrators and the system may touch; the
 * caller frees sa->lpSecurityDescriptor (LocalFree).
 */
lun_err lun_owner_access(SECURITY_ATTRIBUTES *sa);
/* CreateFileW(), sharing all; `secret`: what is made is for those alone. */
HANDLE lun_owner_create(const wchar_t *path, DWORD access, DWORD disposition,
    DWORD attributes, bool secret);

lun_err lun_file_open_wide(const wchar_t *path, unsigned flags, lun_fd *fd);


/* --- sock.c: addresses as the system has them --- */

typedef struct sockaddr_storage  lun_sockaddr;

/* Its size; 0 for a family that the system does not have. */
int lun_sock_encode(lun_sockaddr *sa, const lun_addr *addr);
void lun_sock_decode(lun_addr *addr, const void *sa);

SOCKET lun_sock_new(int family, int type, int protocol);
lun_err lun_sock_nonblocking(SOCKET s);

/* An extension function, into the pointer at `fn`; NULL if there is none. */
void lun_sock_extension(const GUID *id, void *fn);


/* --- port.c: packets that other rooms send to a port --- */

/*
 * The key of every packet is the function that takes it, in the port's
 * thread: `what` is the packet's OVERLAPPED pointer, of whatever it is.
 */
typedef void lun_port_packet_fn(lun_port *port, void *what, uint32_t bytes);

/* From any thread. */
void lun_port_packet(lun_port *port, lun_port_packet_fn *take, void *what);

/* Lets a handle's completions come as packets for `take`. */
lun_err lun_port_bind(lun_port *port, HANDLE handle, lun_port_packet_fn *take);

void lun_port_count_accept(lun_port *port);
void lun_port_count_read(lun_port *port);
void lun_port_count_other(lun_port *port);


/* --- shm.c --- */

/* Maps a segment of ours into another process, at its address. */
lun_err lun_shm_map_into(HANDLE process, const lun_shm *shm);


#endif
