/*
 * dns.c -- the name servers of the network adapters, and the hosts file.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/dns.h"

#include "windows/win.h"

#include <iphlpapi.h>
#include <stdlib.h>


enum {
    DNS_PORT   = 53,
    FIRST_ROOM = 16 * 1024,
    TRIES      = 4
};

/* A server, and how near its adapter is. */
typedef struct {
    ULONG     metric;
    lun_addr  addr;
} server;

enum { SERVERS = 64 };


/* --- name servers --- */

/* What the system invents for an adapter that was given none. */
static bool
is_placeholder(const lun_addr *a)
{
    static const uint8_t  site[] = { 0xfe, 0xc0, 0, 0, 0, 0, 0xff, 0xff };

    return a->family == LUN_AF_INET6 && memcmp(a->ip, site, sizeof(site)) == 0;
}


static bool
is_known(const server *servers, size_t n, const lun_addr *addr)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        if (lun_addr_eq(&servers[i].addr, addr)) {
            return true;
        }
    }

    return false;
}


/* Into their order; equal metrics stay as the system lists them. */
static void
insert(server *servers, size_t n, const server *s)
{
    while (n > 0 && servers[n - 1].metric > s->metric) {
        servers[n] = servers[n - 1];
        n--;
    }

    servers[n] = *s;
}


/*
 * The adapter with the least metric first: that is whom the system itself would
 * ask.
 */
static size_t
from_adapters(const IP_ADAPTER_ADDRESSES *list, server *servers)
{
    size_t                              n;
    server                              s;
    const IP_ADAPTER_ADDRESSES         *a;
    const IP_ADAPTER_DNS_SERVER_ADDRESS *d;

    n = 0;

    for (a = list; a != NULL; a = a->Next) {
        if (a->OperStatus != IfOperStatusUp) {
            continue;
        }

        for (d = a->FirstDnsServerAddress; d != NULL; d = d->Next) {
            lun_sock_decode(&s.addr, d->Address.lpSockaddr);
            s.addr.port = DNS_PORT;
            s.metric = s.addr.family == LUN_AF_INET6 ? a->Ipv6Metric
                                                     : a->Ipv4Metric;

            if (n < SERVERS && s.addr.family != LUN_AF_NONE
                && !is_placeholder(&s.addr) && !is_known(servers, n, &s.addr))
            {
                insert(servers, n++, &s);
            }
        }
    }

    return n;
}


lun_err
lun_dns_servers(lun_addr *addrs, size_t room, size_t *count)
{
    int                    i;
    ULONG                  rc, size;
    size_t                 n;
    server                 servers[SERVERS];
    IP_ADAPTER_ADDRESSES  *list;

    *count = 0;
    size = FIRST_ROOM;
    list = NULL;
    rc = ERROR_BUFFER_OVERFLOW;

    /* Adapters may come between asking for the size and for the list. */
    for (i = 0; i < TRIES && rc == ERROR_BUFFER_OVERFLOW; i++) {
        free(list);
        list = malloc(size);

        if (list == NULL) {
            return ERROR_NOT_ENOUGH_MEMORY;
        }

        rc = GetAdaptersAddresses(AF_UNSPEC, GAA_FLAG_SKIP_UNICAST
                                  | GAA_FLAG_SKIP_ANYCAST
                                  | GAA_FLAG_SKIP_MULTICAST
                                  | GAA_FLAG_SKIP_FRIENDLY_NAME, NULL, list,
                                  &size);
    }

    if (rc == 0) {
        n = from_adapters(list, servers);

        for (*count = 0; *count < lun_min(n, room); ++*count) {
            addrs[*count] = servers[*count].addr;
        }
    }

    free(list);
    return rc == ERROR_NO_DATA ? 0 : (lun_err) rc;
}


/* --- the hosts file --- */

static lun_str
next_line(lun_str *text)
{
    lun_str      line;
    const char  *end;

    end = lun_str_chr(*text, '\n');
    line.data = text->data;
    line.len = end ? (size_t) (end - text->data) : text->len;

    text->data += line.len + (end != NULL);
    text->len -= line.len + (end != NULL);

    end = lun_str_chr(line, '#');

    if (end != NULL) {
        line.len = (size_t) (end - line.data);
    }

    return line;
}


static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}


static lun_str
next_word(lun_str *line)
{
    size_t   n;
    lun_str  word;

    while (line->len > 0 && is_space(*line->data)) {
        line->data++;
        line->len--;
    }

    for (n = 0; n < line->len && !is_space(line->data[n]); n++) {
        /* find the end */
    }

    word = lun_str_of(line->data, n);
    line->data += n;
    line->len -= n;
    return word;
}


static size_t
find_host(lun_str text, lun_str name, lun_addr *addrs, size_t room)
{
    size_t    n;
    lun_str   line, ip, word;
    lun_addr  addr;

    n = 0;

    while (text.len > 0 && n < room) {
        line = next_line(&text);
        ip = next_word(&line);

        if (ip.len == 0 || lun_addr_parse(ip, &addr) != LUN_OK
            || addr.port != 0 || addr.family == LUN_AF_UNIX)
        {
            continue;
        }

        for (word = next_word(&line); word.len; word = next_word(&line)) {
            if (lun_str_caseeq(word, name)) {
                addrs[n++] = addr;
                break;
            }
        }
    }

    return n;
}


static lun_err
hosts_path(char *path, size_t room)
{
    static const wchar_t  tail[] = L"\\drivers\\etc\\hosts";

    UINT     n;
    wchar_t  w[MAX_PATH + LUN_ARRAY_LEN(tail)];

    n = GetSystemDirectoryW(w, MAX_PATH);

    if (n == 0 || n > MAX_PATH) {
        return (lun_err) GetLastError();
    }

    memcpy(w + n, tail, sizeof(tail));
    return lun_wide_to_path(path, room, w, n + LUN_ARRAY_LEN(tail) - 1);
}


/* The system's resolver knows it by itself: the file has it as a comment. */
static size_t
localhost(lun_addr *addrs, size_t room)
{
    static const lun_addr  known[] = {
        { .family = LUN_AF_INET, .ip = { 127, 0, 0, 1 } },
        { .family = LUN_AF_INET6, .ip = { [15] = 1 } }
    };

    size_t  n;

    for (n = 0; n < LUN_ARRAY_LEN(known) && n < room; n++) {
        addrs[n] = known[n];
    }

    return n;
}


lun_err
lun_dns_hosts(lun_str name, lun_addr *addrs, size_t room, size_t *count)
{
    char     path[3 * MAX_PATH + 64];
    char    *data;
    size_t   size;
    lun_err  err;

    *count = 0;
    err = hosts_path(path, sizeof(path));

    if (err == 0) {
        err = lun_file_slurp(path, &data, &size);
    }

    if (err == 0) {
        *count = find_host(lun_str_of(data, size), name, addrs, room);
        free(data);

    } else if (lun_err_kind_of(err) == LUN_ERR_NOT_FOUND) {
        err = 0;
    }

    if (*count == 0 && lun_str_caseeq(name, LUN_STR("localhost"))) {
        *count = localhost(addrs, room);
    }

    return err;
}
