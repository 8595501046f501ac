/*
 * dns_parse.c -- DNS messages.
 *
 * Records are not stored: each step along a chain of aliases walks the message
 * again.  A compressed name may only point backwards, further with each jump,
 * and jump so often, so that reading one ends, and soon.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/dns_parse.h"

#include "base/fmt.h"


enum {
    HEAD_SIZE   = 12,
    LABEL_MAX   = 63,
    POINTER     = 0xc0,            /* the two bits of a compressed name */
    JUMPS       = 127,             /* as many as a name may have labels */
    CLASS_IN    = 1,
    ALIASES     = 16,              /* of one message; more is a loop */
    FLAG_RESPONSE  = 0x8000,
    FLAG_OPCODE    = 0x7800,
    FLAG_TRUNCATED = 0x0200,
    FLAG_RECURSE   = 0x0100,
    MASK_RCODE     = 0x000f
};

#define TTL_MAX            UINT32_C(0x7fffffff)

typedef struct {
    const uint8_t  *data;
    size_t          len;
    size_t          at;
} cursor;

typedef struct {
    char      name[LUN_DNS_NAME];
    uint16_t  type, class;
    uint32_t  ttl;
    size_t    at, size;            /* of its data */
} record;


/* --- writing ------------------------------------------------------------- */

/*
 * RFC 1035, 2.3.4: a label has up to 63 bytes, none is empty.  Names are
 * compared in lower case from here on.
 */
lun_rc
lun_dns_name(lun_str text, char name[LUN_DNS_NAME])
{
    size_t  i, label;

    if (text.len > 0 && text.data[text.len - 1] == '.') {
        text.len--;
    }

    if (text.len == 0 || text.len >= LUN_DNS_NAME) {
        return LUN_ERROR;
    }

    for (i = 0, label = 0; i < text.len; i++) {
        if (text.data[i] == '.') {
            if (label == 0) {
                return LUN_ERROR;
            }

            label = 0;

        } else if (text.data[i] == '\0' || ++label > LABEL_MAX) {
            return LUN_ERROR;
        }
    }

    if (label == 0) {
        return LUN_ERROR;
    }

    lun_mem_lower(name, text.data, text.len);
    name[text.len] = '\0';
    return LUN_OK;
}


static uint8_t *
put16(uint8_t *p, unsigned n)
{
    *p++ = (uint8_t) (n >> 8);
    *p++ = (uint8_t) n;
    return p;
}


uint8_t *
lun_dns_put_name(uint8_t *p, const char *name)
{
    size_t  n;

    for ( ;; ) {
        n = strcspn(name, ".");
        *p++ = (uint8_t) n;
        memcpy(p, name, n);
        p += n;

        if (name[n] == '\0') {
            break;
        }

        name += n + 1;
    }

    *p++ = 0;
    return p;
}


size_t
lun_dns_query(uint8_t query[LUN_DNS_QUERY], uint16_t id, const char *name,
    uint16_t type)
{
    uint8_t  *p = query;

    p = put16(p, id);
    p = put16(p, FLAG_RECURSE);
    p = put16(p, 1);               /* questions */
    p = put16(p, 0);
    p = put16(p, 0);
    p = put16(p, 0);
    p = lun_dns_put_name(p, name);
    p = put16(p, type);
    p = put16(p, CLASS_IN);

    return (size_t) (p - query);
}


/* --- reading ------------------------------------------------------------- */

static bool
get16(cursor *in, uint16_t *n)
{
    if (in->len - in->at < 2) {
        return false;
    }

    *n = (uint16_t) (in->data[in->at] << 8 | in->data[in->at + 1]);
    in->at += 2;
    return true;
}


static bool
get32(cursor *in, uint32_t *n)
{
    uint16_t  high, low;

    if (!get16(in, &high) || !get16(in, &low)) {
        return false;
    }

    *n = (uint32_t) high << 16 | low;
    return true;
}


/* Adds a label to the text; one that our texts cannot hold is malformed. */
static bool
add_label(char *name, size_t *len, const uint8_t *label, size_t n)
{
    if (memchr(label, '.', n) != NULL || memchr(label, '\0', n) != NULL) {
        return false;
    }

    if (*len + (*len != 0) + n >= LUN_DNS_NAME) {
        return false;
    }

    if (*len != 0) {
        name[(*len)++] = '.';
    }

    lun_mem_lower(name + *len, (const char *) label, n);
    *len += n;
    return true;
}


/* Leaves the cursor behind the name, wherever its pointers led. */
static bool
get_name(cursor *in, char name[LUN_DNS_NAME])
{
    size_t   at = in->at, floor = in->at, to, n, len = 0, jumps = 0;

    for ( ;; ) {
        if (at >= in->len) {
            return false;
        }

        n = in->data[at++];

        if (n > LABEL_MAX) {
            if ((n & POINTER) != POINTER || at == in->len) {
                return false;
            }

            to = (n & ~(size_t) POINTER) << 8 | in->data[at++];

            if (to >= floor || jumps == JUMPS) {
                return false;
            }

            if (jumps++ == 0) {
                in->at = at;
            }

            at = floor = to;
            continue;
        }

        if (n == 0) {
            break;
        }

        if (in->len - at < n || !add_label(name, &len, in->data + at, n)) {
            return false;
        }

        at += n;
    }

    if (jumps == 0) {
        in->at = at;
    }

    name[len] = '\0';
    return true;
}


static bool
get_record(cursor *in, record *rec)
{
    uint16_t  size;

    if (!get_name(in, rec->name) || !get16(in, &rec->type)
        || !get16(in, &rec->class) || !get32(in, &rec->ttl)
        || !get16(in, &size) || in->len - in->at < size)
    {
        return false;
    }

    rec->at = in->at;
    rec->size = size;
    in->at += size;
    return true;
}


/*
 * One question and no other: an answer that does not repeat what was asked
 * could be anybody's guess, and is not an answer.
 */
lun_rc
lun_dns_parse(const uint8_t *data, size_t len, lun_dns_head *head)
{
    cursor    in = { data, len, 0 };
    uint16_t  flags, questions, answers, class;

    if (len < HEAD_SIZE) {
        return LUN_ERROR;
    }

    (void) get16(&in, &head->id);
    (void) get16(&in, &flags);
    (void) get16(&in, &questions);
    (void) get16(&in, &answers);
    in.at = HEAD_SIZE;

    if ((flags & FLAG_RESPONSE) == 0 || (flags & FLAG_OPCODE) != 0
        || questions != 1 || !get_name(&in, head->name)
        || !get16(&in, &head->type) || !get16(&in, &class)
        || class != CLASS_IN)
    {
        return LUN_ERROR;
    }

    head->rcode = flags & MASK_RCODE;
    head->truncated = (flags & FLAG_TRUNCATED) != 0;
    head->records = answers;
    head->records_at = in.at;

    return LUN_OK;
}


/* Where a walk puts what it finds, and how it reads a record of that type. */
typedef struct {
    size_t     *count;
    uint32_t   *ttl;
    char       *alias;
    bool      (*take)(cursor in, const record *rec, void *out);
    void       *out;
} finding;


static bool
take_address(cursor in, const record *rec, void *to)
{
    lun_addr       *addr;
    lun_dns_addrs  *out = to;

    if (out->count == LUN_DNS_ADDRS) {
        return true;
    }

    if (rec->size != (rec->type == LUN_DNS_A ? 4u : 16u)) {
        return false;
    }

    addr = &out->addrs[out->count++];
    *addr = (lun_addr) { 0 };
    addr->family = rec->type == LUN_DNS_A ? LUN_AF_INET : LUN_AF_INET6;
    memcpy(addr->ip, in.data + rec->at, rec->size);
    return true;
}


/* It is only counted. */
static bool
take_text(cursor in, const record *rec, void *to)
{
    lun_dns_addrs  *out = to;

    (void) in;
    (void) rec;
    out->count++;
    return true;
}


static bool
take_service(cursor in, const record *rec, void *to)
{
    lun_dns_service   *s;
    lun_dns_services  *out = to;

    if (out->count == LUN_DNS_SERVICES) {
        return true;
    }

    in.at = rec->at;
    in.len = rec->at + rec->size;
    s = &out->services[out->count];

    if (!get16(&in, &s->priority) || !get16(&in, &s->weight)
        || !get16(&in, &s->port) || !get_name(&in, s->name))
    {
        return false;
    }

    /* The root: "decidedly not available at this domain". */
    out->count += s->name[0] != '\0' && s->port != 0;
    return true;
}


static bool
take_alias(cursor in, const record *rec, char *alias)
{
    in.at = rec->at;
    in.len = rec->at + rec->size;

    return get_name(&in, alias) && alias[0] != '\0';
}


typedef enum { NOTHING, RECORDS, ALIAS } walk_result;

/* One walk: the records of `name`, or its alias; *what says which. */
static lun_rc
walk(cursor in, const lun_dns_head *head, const char *name, finding *f,
    walk_result *what)
{
    bool      good;
    record    rec;
    unsigned  n;

    in.at = head->records_at;

    for (n = 0; n < head->records; n++) {
        if (!get_record(&in, &rec)) {
            return LUN_ERROR;
        }

        if (rec.class != CLASS_IN || strcmp(rec.name, name) != 0) {
            continue;
        }

        if (rec.type == head->type) {
            good = f->take(in, &rec, f->out);

        } else if (rec.type == LUN_DNS_CNAME) {
            good = take_alias(in, &rec, f->alias);

        } else {
            continue;
        }

        if (!good) {
            return LUN_ERROR;
        }

        *what = rec.type == head->type ? RECORDS : ALIAS;
        rec.ttl = rec.ttl > TTL_MAX ? 0 : rec.ttl;
        *f->ttl = lun_min(*f->ttl, rec.ttl);

        if (*what == ALIAS) {
            break;
        }
    }

    return LUN_OK;
}


/*
 * Aliases are followed within the answer, a few of them: a chain that comes
 * back to itself ends here.
 */
static lun_rc
find_records(cursor in, const lun_dns_head *head, finding *f)
{
    int          steps;
    char         name[LUN_DNS_NAME];
    walk_result  what;

    *f->count = 0;
    *f->ttl = TTL_MAX;
    f->alias[0] = '\0';
    memcpy(name, head->name, sizeof(name));

    for (steps = 0; steps <= ALIASES; steps++) {
        what = NOTHING;

        if (walk(in, head, name, f, &what) != LUN_OK) {
            return LUN_ERROR;
        }

        if (what != ALIAS) {
            return LUN_OK;
        }

        memcpy(name, f->alias, sizeof(name));
    }

    return LUN_ERROR;
}


lun_rc
lun_dns_addresses(const uint8_t *data, size_t len, const lun_dns_head *head,
    lun_dns_addrs *out)
{
    finding  f = { &out->count, &out->ttl, out->alias,
                   head->type == LUN_DNS_TXT ? take_text : take_address,
                   out };

    return find_records((cursor) { data, len, 0 }, head, &f);
}


lun_rc
lun_dns_find_services(const uint8_t *data, size_t len,
    const lun_dns_head *head, lun_dns_services *out)
{
    finding  f = { &out->count, &out->ttl, out->alias, take_service, out };

    return find_records((cursor) { data, len, 0 }, head, &f);
}
