/*
 * dns.c -- /etc/resolv.conf and /etc/hosts.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/dns.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>

#include "base/fmt.h"


enum { DNS_PORT = 53 };

/* Words of a line up to a '#' or ';'. */
static lun_str
next_word(lun_str *line)
{
    lun_str      word;
    const char  *p = line->data, *end = p + line->len;

    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) {
        p++;
    }

    word = lun_str_of(p, 0);

    if (p == end || *p == '#' || *p == ';') {
        line->len = 0;
        return word;
    }

    while (p < end && *p != ' ' && *p != '\t' && *p != '\r' && *p != '#') {
        p++;
    }

    word.len = (size_t) (p - word.data);
    *line = lun_str_of(p, (size_t) (end - p));

    return word;
}


static bool
next_line(lun_str *text, lun_str *line)
{
    const char  *nl;

    if (text->len == 0) {
        return false;
    }

    nl = lun_str_chr(*text, '\n');
    line->data = text->data;
    line->len = nl ? (size_t) (nl - text->data) : text->len;
    text->len -= lun_min(line->len + 1, text->len);
    text->data += line->len + 1;

    return true;
}


/* With the name of an interface after '%', which lun_addr_parse won't have. */
static lun_rc
parse_scoped(lun_str word, lun_addr *addr)
{
    char         name[IF_NAMESIZE];
    size_t       n;
    const char  *percent;

    percent = lun_str_chr(word, '%');

    if (percent == NULL) {
        return lun_addr_parse(word, addr);
    }

    n = (size_t) (word.data + word.len - percent - 1);

    if (n == 0 || n >= sizeof(name)
        || lun_addr_parse(lun_str_of(word.data, word.len - n - 1), addr)
           != LUN_OK)
    {
        return LUN_ERROR;
    }

    memcpy(name, percent + 1, n);
    name[n] = '\0';
    addr->scope = if_nametoindex(name);

    if (addr->scope == 0) {
        addr->scope = (uint32_t) strtoul(name, NULL, 10);
    }

    return LUN_OK;
}


/* An address of a config file: never with a port, never a path. */
static bool
parse_ip(lun_str word, lun_addr *addr)
{
    return parse_scoped(word, addr) == LUN_OK && addr->port == 0
           && addr->family != LUN_AF_UNIX;
}


lun_err
lun_dns_servers(lun_addr *addrs, size_t room, size_t *count)
{
    char     *data;
    size_t    size;
    lun_err   err;
    lun_str   text, line;

    *count = 0;

    err = lun_file_slurp("/etc/resolv.conf", &data, &size);
    if (err) {
        return err;
    }

    text = lun_str_of(data, size);

    while (*count < room && next_line(&text, &line)) {
        if (lun_str_eq(next_word(&line), LUN_STR("nameserver"))
            && parse_ip(next_word(&line), &addrs[*count]))
        {
            addrs[(*count)++].port = DNS_PORT;
        }
    }

    free(data);
    return 0;
}


static bool
line_names(lun_str line, lun_str name)
{
    lun_str  word;

    for (word = next_word(&line); word.len; word = next_word(&line)) {
        if (lun_str_caseeq(word, name)) {
            return true;
        }
    }

    return false;
}


/*
 * The file is read anew: it may change, and a server is not restarted for that.
 */
lun_err
lun_dns_hosts(lun_str name, lun_addr *addrs, size_t room, size_t *count)
{
    char     *data;
    size_t    size;
    lun_err   err;
    lun_str   text, line, word;

    *count = 0;

    err = lun_file_slurp("/etc/hosts", &data, &size);
    if (err) {
        return lun_err_kind_of(err) == LUN_ERR_NOT_FOUND ? 0 : err;
    }

    text = lun_str_of(data, size);

    while (*count < room && next_line(&text, &line)) {
        word = next_word(&line);

        if (word.len && line_names(line, name)
            && parse_ip(word, &addrs[*count]))
        {
            (*count)++;
        }
    }

    free(data);
    return 0;
}
