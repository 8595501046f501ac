/*
 * quic_cid.c -- connection ids that say whose they are; addresses for ngtcp2.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/quic/quic_cid.c"

#include "net/quic/quic_path.h"
#include "tap.h"


static void
ids_say_whose_they_are(void)
{
    uint8_t         key[LUN_QUIC_KEY] = "a key of thirty-two bytes, or so";
    uint8_t         one[LUN_QUIC_CID], other[LUN_QUIC_CID];
    lun_quic_ids   *ids = lun_quic_ids_new(key), *same, *others;
    lun_quic_owner  owner = { 77, UINT64_C(0x123456789abcdef) }, read;

    same = lun_quic_ids_new(key);
    key[0] = 'b';
    others = lun_quic_ids_new(key);

    lun_quic_cid_make(ids, &owner, one);
    lun_quic_cid_make(ids, &owner, other);
    ok(memcmp(one + 1, other + 1, LUN_QUIC_CID - 1) != 0,
       "two of one owner differ");

    lun_quic_cid_read(same, one, &read);
    ok(read.row == 77 && read.process == owner.process,
       "who has the key reads the owner");
    lun_quic_cid_read(ids, other, &read);
    ok(read.row == 77 && read.process == owner.process, "of each of them");
    lun_quic_cid_read(others, one, &read);
    ok(read.process != owner.process, "and nobody else");
    one[5] ^= 1;
    lun_quic_cid_read(ids, one, &read);
    ok(read.process != owner.process, "a changed bit changes all");

    ok(memcmp(lun_quic_reset_secret(ids), lun_quic_reset_secret(same),
              LUN_QUIC_SECRET) == 0
       && memcmp(lun_quic_reset_secret(ids), lun_quic_token_secret(ids),
                 LUN_QUIC_SECRET) != 0
       && memcmp(lun_quic_reset_secret(ids), lun_quic_reset_secret(others),
                 LUN_QUIC_SECRET) != 0,
       "secrets are the key's, each for one purpose");

    lun_quic_ids_free(ids);
    lun_quic_ids_free(same);
    lun_quic_ids_free(others);
    lun_quic_ids_free(NULL);
}


static void
paths(const char *local, const char *remote)
{
    lun_addr             a, b, back;
    ngtcp2_path_storage  path;

    lun_addr_parse(lun_str_z(local), &a);
    lun_addr_parse(lun_str_z(remote), &b);
    lun_quic_path_set(&path, &a, &b);
    lun_quic_path_addr(&path.path.local, &back);
    ok(lun_addr_eq(&a, &back), "%s is what it was", local);
    lun_quic_path_addr(&path.path.remote, &back);
    ok(lun_addr_eq(&b, &back), "%s, too", remote);
}


int
main(void)
{
    ids_say_whose_they_are();
    paths("127.0.0.1:443", "10.1.2.3:50000");
    paths("[::1]:443", "[fe80::1234:5678]:1");

    return done_testing();
}
