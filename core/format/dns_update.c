/*
 * dns_update.c -- messages that set a TXT record, and their answers.
 *
 * A signature is the last record of a message, and is over all that stands
 * before it, as if it were not there; what belongs to the signature itself
 * follows in an order of its own (RFC 8945, 4.3).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/dns_update.h"

#include "base/digest.h"


enum {
    TYPE_SOA = 6, TYPE_TXT = 16, TYPE_TSIG = 250,
    CLASS_IN = 1, CLASS_NONE = 254, CLASS_ANY = 255,
    RESPONSE = 0x8000,
    OPCODE = 0x7800,
    UPDATE = 5 << 11,
    RCODE = 15,
    NOTAUTH = 9,
    FUDGE = 300,                   /* seconds that two clocks may differ by */
    DIGESTED = 2 + LUN_DNS_MAC + LUN_DNS_UPDATE + 2 * 256 + 32
};

#define ALGORITHM  "hmac-sha256"


/* --- writing ------------------------------------------------------------- */

static uint8_t *
put16(uint8_t *p, unsigned n)
{
    *p++ = (uint8_t) (n >> 8);
    *p++ = (uint8_t) n;
    return p;
}


static uint8_t *
put32(uint8_t *p, uint32_t n)
{
    return put16(put16(p, n >> 16), n & 0xffff);
}


static uint8_t *
put48(uint8_t *p, uint64_t n)
{
    return put32(put16(p, (unsigned) (n >> 32) & 0xffff), (uint32_t) n);
}


static uint8_t *
put_bytes(uint8_t *p, const void *bytes, size_t len)
{
    if (len != 0) {
        memcpy(p, bytes, len);
    }

    return p + len;
}


/* What is said of a signature besides the message. */
typedef struct {
    uint64_t        time;
    unsigned        fudge, error;
    const uint8_t  *other;
    size_t          other_len;
} stamp;


/* The variables of a signature, as they are digested. */
static uint8_t *
put_stamp(uint8_t *p, const char *key, const stamp *s)
{
    p = lun_dns_put_name(p, key);
    p = put16(p, CLASS_ANY);
    p = put32(p, 0);
    p = lun_dns_put_name(p, ALGORITHM);
    p = put48(p, s->time);
    p = put16(p, s->fudge);
    p = put16(p, s->error);
    p = put16(p, (unsigned) s->other_len);
    return put_bytes(p, s->other, s->other_len);
}


static uint8_t *
put_signature(uint8_t *start, uint8_t *p, unsigned id, const lun_dns_update *u,
    uint8_t mac[LUN_DNS_MAC])
{
    size_t    n = (size_t) (p - start);
    uint8_t   room[DIGESTED], *size, *end;
    stamp     s = { (uint64_t) u->now, FUDGE, 0, NULL, 0 };

    end = put_stamp(put_bytes(room, start, n), u->key, &s);
    lun_hmac_sha256(u->secret, lun_str_of((char *) room,
                                          (size_t) (end - room)), mac);

    p = lun_dns_put_name(p, u->key);
    p = put16(p, TYPE_TSIG);
    p = put16(p, CLASS_ANY);
    p = put32(p, 0);
    size = p;
    p = lun_dns_put_name(p + 2, ALGORITHM);
    p = put48(p, s.time);
    p = put16(p, s.fudge);
    p = put16(p, LUN_DNS_MAC);
    p = put_bytes(p, mac, LUN_DNS_MAC);
    p = put16(p, id);
    p = put32(p, 0);               /* no error, nothing else */
    (void) put16(size, (unsigned) (p - size - 2));
    (void) put16(start + 10, 1);   /* additional records */
    return p;
}


size_t
lun_dns_update_put(uint8_t out[LUN_DNS_UPDATE], uint16_t id,
    const lun_dns_update *u, uint8_t mac[LUN_DNS_MAC])
{
    uint8_t  *p = out;
    size_t    n = lun_min(u->text.len, (size_t) LUN_DNS_TEXT);

    p = put16(p, id);
    p = put16(p, UPDATE);
    p = put16(p, 1);               /* the zone */
    p = put16(p, 0);               /* nothing that has to be there before */
    p = put16(p, 1);               /* the record */
    p = put16(p, 0);
    p = lun_dns_put_name(p, u->zone);
    p = put16(p, TYPE_SOA);
    p = put16(p, CLASS_IN);
    p = lun_dns_put_name(p, u->name);
    p = put16(p, TYPE_TXT);
    p = put16(p, u->remove ? CLASS_NONE : CLASS_IN);
    p = put32(p, u->remove ? 0 : u->ttl);
    p = put16(p, (unsigned) n + 1);
    *p++ = (uint8_t) n;
    p = put_bytes(p, u->text.data, n);

    if (u->key != NULL) {
        p = put_signature(out, p, id, u, mac);
    }

    return (size_t) (p - out);
}


/* --- reading ------------------------------------------------------------- */

typedef struct {
    const uint8_t  *data;
    size_t          len, at;
} cursor;


static bool
get16(cursor *in, unsigned *n)
{
    if (in->len - in->at < 2) {
        return false;
    }

    *n = (unsigned) in->data[in->at] << 8 | in->data[in->at + 1];
    in->at += 2;
    return true;
}


static bool
pass(cursor *in, size_t n)
{
    if (in->len - in->at < n) {
        return false;
    }

    in->at += n;
    return true;
}


/* Not read: where it ends.  A compressed one ends with its pointer. */
static bool
skip_name(cursor *in)
{
    uint8_t  n;

    while (in->at < in->len) {
        n = in->data[in->at++];

        if (n == 0) {
            return true;
        }

        if (n >= 0xc0) {
            return pass(in, 1);
        }

        if (n > 63 || !pass(in, n)) {
            return false;
        }
    }

    return false;
}


/* Up to the last record of those in front of the signature. */
static bool
skip_records(cursor *in, unsigned questions, unsigned records)
{
    unsigned  size;

    while (questions-- > 0) {
        if (!skip_name(in) || !pass(in, 4)) {
            return false;
        }
    }

    while (records-- > 0) {
        if (!skip_name(in) || !pass(in, 8) || !get16(in, &size)
            || !pass(in, size))
        {
            return false;
        }
    }

    return true;
}


/* A name that may not be compressed, in whatever case. */
static bool
get_name(cursor *in, const char *name)
{
    size_t   i, n;
    uint8_t  want[256];

    n = (size_t) (lun_dns_put_name(want, name) - want);

    if (in->len - in->at < n) {
        return false;
    }

    for (i = 0; i < n; i++) {
        if ((uint8_t) lun_lower((char) in->data[in->at + i]) != want[i]) {
            return false;
        }
    }

    in->at += n;
    return true;
}


typedef struct {
    stamp           stamp;
    const uint8_t  *mac;
    size_t          mac_len;
    unsigned        id;
} signature;


/* The record at the cursor, with which the message ends. */
static bool
get_signature(cursor *in, const char *key, signature *s)
{
    unsigned  type, class, size, high, middle, low, n;

    if (!get_name(in, key) || !get16(in, &type) || type != TYPE_TSIG
        || !get16(in, &class) || class != CLASS_ANY
        || !get16(in, &high) || !get16(in, &low) || (high | low) != 0
        || !get16(in, &size) || size != in->len - in->at
        || !get_name(in, ALGORITHM) || !get16(in, &high)
        || !get16(in, &middle) || !get16(in, &low)
        || !get16(in, &s->stamp.fudge) || !get16(in, &n))
    {
        return false;
    }

    s->stamp.time = (uint64_t) high << 32 | (uint64_t) middle << 16 | low;
    s->mac = in->data + in->at;
    s->mac_len = n;

    if (!pass(in, n) || !get16(in, &s->id) || !get16(in, &s->stamp.error)
        || !get16(in, &n))
    {
        return false;
    }

    s->stamp.other = in->data + in->at;
    s->stamp.other_len = n;
    return pass(in, n) && in->at == in->len;
}


/* Over the mac of the question, the answer up to `end`, and the variables. */
static bool
is_signed(const uint8_t *data, size_t end, unsigned records,
    const lun_dns_update *u, const uint8_t mac[LUN_DNS_MAC],
    const signature *s)
{
    size_t    i;
    uint8_t   room[DIGESTED], *p, *head, sum[LUN_DNS_MAC], wrong = 0;

    if (s->mac_len != LUN_DNS_MAC || s->stamp.other_len > 16
        || end > LUN_DNS_UPDATE)
    {
        return false;
    }

    p = put_bytes(put16(room, LUN_DNS_MAC), mac, LUN_DNS_MAC);
    head = p;
    p = put_bytes(p, data, end);
    (void) put16(head, s->id);
    (void) put16(head + 10, records);
    p = put_stamp(p, u->key, &s->stamp);
    lun_hmac_sha256(u->secret, lun_str_of((char *) room,
                                          (size_t) (p - room)), sum);

    for (i = 0; i < LUN_DNS_MAC; i++) {
        wrong |= sum[i] ^ s->mac[i];
    }

    return wrong == 0;
}


static const char *
rcode_text(unsigned rcode)
{
    static const char *const  texts[] = {
        NULL, "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED",
        "YXDOMAIN", "YXRRSET", "NXRRSET", "NOTAUTH", "NOTZONE"
    };

    return rcode < LUN_ARRAY_LEN(texts) ? texts[rcode] : "an unknown error";
}


/* Why a server does not take a signature; it need not sign that. */
static const char *
tsig_text(unsigned error)
{
    return error == 16 ? "BADSIG" : error == 17 ? "BADKEY"
           : error == 18 ? "BADTIME: the clocks differ" : "NOTAUTH";
}


/*
 * An error is believed unsigned, since who refuses a key can't sign with it
 * (RFC 8945, 5.3.2); success is not.
 */
const char *
lun_dns_update_fault(const uint8_t *data, size_t len, uint16_t id,
    const lun_dns_update *u, const uint8_t mac[LUN_DNS_MAC])
{
    bool       has = false;
    size_t     i, end;
    cursor     in = { data, len, 0 };
    unsigned   have, flags, counts[4];
    signature  s = { .mac = NULL };

    if (!get16(&in, &have) || !get16(&in, &flags) || have != id
        || (flags & RESPONSE) == 0 || (flags & OPCODE) != UPDATE)
    {
        return "not an answer to an update";
    }

    for (i = 0; i < LUN_ARRAY_LEN(counts); i++) {
        if (!get16(&in, &counts[i])) {
            return "malformed";
        }
    }

    end = in.at;

    if (u->key != NULL && counts[3] != 0
        && skip_records(&in, counts[0], counts[1] + counts[2] + counts[3] - 1))
    {
        end = in.at;
        has = get_signature(&in, u->key, &s);
    }

    if ((flags & RCODE) != 0) {
        return (flags & RCODE) == NOTAUTH && has ? tsig_text(s.stamp.error)
               : rcode_text(flags & RCODE);
    }

    if (u->key == NULL) {
        return NULL;
    }

    if (!has || s.stamp.error != 0
        || !is_signed(data, end, counts[3] - 1, u, mac, &s))
    {
        return "its answer is not signed with the key";
    }

    return s.stamp.time + s.stamp.fudge < (uint64_t) u->now
           || s.stamp.time > (uint64_t) u->now + s.stamp.fudge
           ? "BADTIME: the clocks differ" : NULL;
}
