/*
 * machine_extras.c -- what this Windows could do beyond what we take for
 * granted: each is asked by its own call, and none is needed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/machine/machine_priv.h"

#include "windows/win.h"

#include "base/fmt.h"


enum {
    OPTION_FASTOPEN = 15,          /* TCP_FASTOPEN */
    OPTION_SCALABILITY = 0x3006,   /* SO_PORT_SCALABILITY */
    OPTION_SEND_MSG_SIZE = 2,      /* UDP_SEND_MSG_SIZE */
    OPTION_COALESCED = 3,          /* UDP_RECV_MAX_COALESCED_SIZE */
    AFD_OPEN = 0x00100000          /* SYNCHRONIZE */
};

/* Of the system's native calls, as its own headers for drivers have them. */
typedef struct {
    USHORT   len, room;
    wchar_t *text;
} native_text;

typedef struct {
    ULONG         size;
    HANDLE        root;
    native_text  *name;
    ULONG         attributes;
    void         *security, *quality;
} native_object;

typedef struct {
    void      *status;
    uintptr_t  information;
} native_status;

typedef LONG WINAPI open_fn(HANDLE *h, ULONG access, native_object *o,
    native_status *status, void *size, ULONG attributes, ULONG share,
    ULONG how, ULONG options, void *ea, ULONG ea_size);


static bool
has_function(const wchar_t *library, const char *name)
{
    HMODULE  m = GetModuleHandleW(library);

    return m != NULL && GetProcAddress(m, name) != NULL;
}


static bool
takes_option(int type, int protocol, int level, int option)
{
    int     on = 1;
    bool    takes;
    SOCKET  s = WSASocketW(AF_INET, type, protocol, NULL, 0,
                           WSA_FLAG_OVERLAPPED);

    if (s == INVALID_SOCKET) {
        return false;
    }

    /* A size of a segment is one of bytes. */
    on = level == IPPROTO_UDP ? 1200 : 1;
    takes = setsockopt(s, level, option, (const char *) &on, sizeof(on)) == 0;
    closesocket(s);

    return takes;
}


static bool
has_extension(DWORD question, GUID id)
{
    bool    has;
    char    room[256];             /* a pointer, or RIO's table of them */
    DWORD   n;
    SOCKET  s = WSASocketW(AF_INET, SOCK_STREAM, 0, NULL, 0,
                           WSA_FLAG_OVERLAPPED);

    memset(room, 0, sizeof(room));
    has = s != INVALID_SOCKET
          && WSAIoctl(s, question, &id, sizeof(id), room, sizeof(room), &n,
                      NULL, NULL) == 0
          && memcmp(room, (char [sizeof(void *)]) { 0 }, sizeof(void *)) != 0;

    if (s != INVALID_SOCKET) {
        closesocket(s);
    }

    return has;
}


static bool
has_rio(void)
{
    const DWORD  multiple = 0xc8000024;    /* SIO_GET_MULTIPLE_EXTENSION... */
    const GUID   id = { 0x8509e081, 0x96dd, 0x4005,
                        { 0xb1, 0x65, 0x9e, 0x2e, 0xe8, 0xc7, 0x9e, 0x3f } };

    return has_extension(multiple, id);
}


static bool
has_transmit_packets(void)
{
    const GUID  id = WSAID_TRANSMITPACKETS;

    return has_extension(SIO_GET_EXTENSION_FUNCTION_POINTER, id);
}


static bool
has_fastopen(void)
{
    return takes_option(SOCK_STREAM, IPPROTO_TCP, IPPROTO_TCP,
                        OPTION_FASTOPEN);
}


static bool
has_scalability(void)
{
    return takes_option(SOCK_STREAM, IPPROTO_TCP, SOL_SOCKET,
                        OPTION_SCALABILITY);
}


static bool
has_uso(void)
{
    return takes_option(SOCK_DGRAM, IPPROTO_UDP, IPPROTO_UDP,
                        OPTION_SEND_MSG_SIZE);
}


static bool
has_uro(void)
{
    return takes_option(SOCK_DGRAM, IPPROTO_UDP, IPPROTO_UDP,
                        OPTION_COALESCED);
}


/* The device that readiness is asked of, as others' ports do. */
static bool
has_afd(void)
{
    enum { SHARE_ALL = 3, OPEN = 1 };

    bool           has;
    HANDLE         h = NULL;
    HMODULE        nt = GetModuleHandleW(L"ntdll.dll");
    wchar_t        text[] = L"\\Device\\Afd\\Lunette";
    native_text    name = { sizeof(text) - sizeof(wchar_t), sizeof(text),
                            text };
    native_object  object = { .size = sizeof(object), .name = &name };
    native_status  status = { NULL, 0 };
    open_fn       *open;

    if (nt == NULL) {
        return false;
    }

    open = (open_fn *) (void (*)(void)) GetProcAddress(nt, "NtCreateFile");
    has = open != NULL
          && open(&h, AFD_OPEN, &object, &status, NULL, 0, SHARE_ALL, OPEN, 0,
                  NULL, 0) >= 0;

    if (has) {
        CloseHandle(h);
    }

    return has;
}


static bool
has_wait_on_address(void)
{
    return has_function(L"kernelbase.dll", "WaitOnAddress");
}


static bool
has_information_by_name(void)
{
    return has_function(L"ntdll.dll", "NtQueryInformationByName");
}


static const struct {
    const char  *name;
    bool       (*has)(void);
} extras[] = {
    { "RIO", has_rio },
    { "TransmitPackets", has_transmit_packets },
    { "TCP_FASTOPEN", has_fastopen },
    { "SO_PORT_SCALABILITY", has_scalability },
    { "USO", has_uso },
    { "URO", has_uro },
    { "AFD", has_afd },
    { "WaitOnAddress", has_wait_on_address },
    { "NtQueryInformationByName", has_information_by_name }
};


/* Both lists in one line: which are there, which are not. */
void
lun_machine_extras(const char *folder, lun_machine_finding *f)
{
    size_t  i;
    char    there[192], missing[192];
    char   *p = there, *q = missing;

    for (i = 0; i < LUN_ARRAY_LEN(extras); i++) {
        if (extras[i].has()) {
            p = lun_fmt(p, there + sizeof(there) - 1, " %s", extras[i].name);

        } else {
            q = lun_fmt(q, missing + sizeof(missing) - 1, " %s",
                        extras[i].name);
        }
    }

    *p = *q = '\0';
    lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "there:%s; not:%s",
                    p == there ? " none" : there,
                    q == missing ? " none" : missing);
}
