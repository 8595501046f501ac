/*
 * dns_update.c -- messages that set a TXT record, and their answers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/dns_update.c"
#include "tap.h"


enum { NOW = 1700000000, ID = 0x1234 };

static uint8_t   out[LUN_DNS_UPDATE], answer[LUN_DNS_UPDATE];
static uint8_t   mac[LUN_DNS_MAC];
static size_t    len, answer_len;

static const lun_dns_update  plain = {
    .zone = "a.test", .name = "_acme-challenge.a.test",
    .text = LUN_STR_INIT("value"), .ttl = 60, .now = NOW
};
static const lun_dns_update  keyed = {
    .zone = "a.test", .name = "_acme-challenge.a.test",
    .text = LUN_STR_INIT("value"), .ttl = 60, .now = NOW,
    .key = "key.test", .secret = LUN_STR_INIT("0123456789abcdef")
};


static bool
has(const void *bytes, size_t n)
{
    size_t  i;

    for (i = 0; i + n <= len; i++) {
        if (memcmp(out + i, bytes, n) == 0) {
            return true;
        }
    }

    return false;
}


static void
questions(void)
{
    lun_dns_update  u = plain;

    static const uint8_t  head[] = { 0x12, 0x34, 0x28, 0, 0, 1, 0, 0, 0, 1, 0,
                                     0 };

    len = lun_dns_update_put(out, ID, &u, mac);
    ok(memcmp(out, head, sizeof(head)) == 0, "an update of one record");
    ok(has("\1a\4test\0\0\6\0\1", 12), "of a zone");
    ok(has("\4test\0\0\20\0\1\0\0\0\74\0\6\5value", 22), "sets a text");
    u.remove = true;
    len = lun_dns_update_put(out, ID, &u, mac);
    ok(has("\4test\0\0\20\0\376\0\0\0\0\0\6\5value", 22), "or takes it back");

    u = keyed;
    len = lun_dns_update_put(out, ID, &u, mac);
    ok(out[11] == 1 && has("\3key\4test\0\0\372\0\377\0\0\0\0", 19)
       && has("\13hmac-sha256", 13) && has(mac, sizeof(mac)), "signed");
}


/* What a server answers that has the key, or another. */
static void
make_answer(const lun_dns_update *u, unsigned rcode, lun_str secret,
    int64_t time, unsigned error)
{
    uint8_t  *p = answer, room[DIGESTED], *q, sum[LUN_DNS_MAC], *size;
    stamp     s = { (uint64_t) time, FUDGE, error, NULL, 0 };

    p = put16(p, ID);
    p = put16(p, RESPONSE | UPDATE | rcode);
    p = put16(p, 1);
    p = put16(put16(put16(p, 0), 0), 0);
    p = lun_dns_put_name(p, u->zone);
    p = put16(put16(p, TYPE_SOA), CLASS_IN);

    if (secret.len != 0) {
        q = put_bytes(put16(room, LUN_DNS_MAC), mac, LUN_DNS_MAC);
        q = put_bytes(q, answer, (size_t) (p - answer));
        q = put_stamp(q, u->key, &s);
        lun_hmac_sha256(secret, lun_str_of((char *) room, (size_t) (q - room)),
                        sum);
        p = lun_dns_put_name(p, u->key);
        p = put32(put16(put16(p, TYPE_TSIG), CLASS_ANY), 0);
        size = p;
        p = lun_dns_put_name(p + 2, ALGORITHM);
        p = put16(put48(p, s.time), FUDGE);
        p = put_bytes(put16(p, LUN_DNS_MAC), sum, LUN_DNS_MAC);
        p = put16(put16(put16(p, ID), error), 0);
        (void) put16(size, (unsigned) (p - size - 2));
        (void) put16(answer + 10, 1);
    }

    answer_len = (size_t) (p - answer);
}


static const char *
fault(const lun_dns_update *u)
{
    const void  *data = tap_edge((char *) answer, answer_len);

    return lun_dns_update_fault(data, answer_len, ID, u, mac);
}


static void
answers(void)
{
    size_t                 i;
    const lun_dns_update  *u = &plain;

    make_answer(u, 0, LUN_STR(""), NOW, 0);
    ok(fault(u) == NULL, "done");
    make_answer(u, 5, LUN_STR(""), NOW, 0);
    is_str(fault(u), "REFUSED", "or not");
    make_answer(u, 15, LUN_STR(""), NOW, 0);
    is_str(fault(u), "an unknown error", "for whatever reason");
    answer[0] ^= 1;
    is_str(fault(u), "not an answer to an update", "of another question");

    u = &keyed;
    (void) lun_dns_update_put(out, ID, u, mac);
    make_answer(u, 0, u->secret, NOW, 0);
    ok(fault(u) == NULL, "signed with the key");
    make_answer(u, 0, u->secret, NOW + FUDGE + 1, 0);
    is_str(fault(u), "BADTIME: the clocks differ", "an hour ago");
    make_answer(u, 0, LUN_STR("another"), NOW, 0);
    is_str(fault(u), "its answer is not signed with the key", "with another");
    make_answer(u, 0, LUN_STR(""), NOW, 0);
    is_str(fault(u), "its answer is not signed with the key", "or not at all");
    make_answer(u, NOTAUTH, u->secret, NOW, 17);
    is_str(fault(u), "BADKEY", "a key that nobody knows");
    make_answer(u, 0, u->secret, NOW, 0);
    mac[0] ^= 1;
    is_str(fault(u), "its answer is not signed with the key", "an answer to "
           "another question");
    mac[0] ^= 1;

    for (i = 0; i < answer_len; i++) {
        answer[i] ^= 0x40;

        if (fault(u) == NULL) {
            break;
        }

        answer[i] ^= 0x40;
    }

    is_int((int64_t) i, (int64_t) answer_len, "no byte can be another");

    for (i = answer_len; i-- > 0; ) {
        answer_len = i;

        if (fault(u) == NULL) {
            break;
        }
    }

    is_int((int64_t) answer_len, 0, "none can be missing");
}


int
main(void)
{
    questions();
    answers();
    return done_testing();
}
