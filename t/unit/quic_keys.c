/*
 * quic_keys.c -- host keys: those of listeners here, and those that others
 * have told of.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/quic/quic_keys.c"

#include "loop_help.h"
#include "tap.h"


static shared_keys        shared;
static lun_datagram_door  plain, one, two, again;
static lun_quics         *all;


/* By which of the keys that a door tries somebody's id is read. */
static int
which_reads(const lun_datagram_door *d, lun_quic_ids *ids)
{
    unsigned        which;
    uint8_t         id[LUN_QUIC_CID];
    lun_quic_owner  owner, maker = { .row = 7, .process = 0x1234567890 };

    lun_quic_cid_make(ids, &maker, id);

    for (which = 0; lun_quic_keys_owner(all, d, id, which, &owner); which++) {
        if (owner.row == maker.row && owner.process == maker.process) {
            return (int) which;
        }
    }

    return -1;
}


static void
keys_of_listeners(void)
{
    lun_quic_keys_use(all, &plain, LUN_STR(""));
    lun_quic_keys_use(all, &one, LUN_STR("one"));
    lun_quic_keys_use(all, &two, LUN_STR("two"));
    lun_quic_keys_use(all, &again, LUN_STR("one"));

    ok(lun_quic_keys_at(all, &plain) == all->ids,
       "a listener without a key has the random one");
    ok(lun_quic_keys_at(all, &one) != lun_quic_keys_at(all, &two)
       && lun_quic_keys_at(all, &one) != all->ids,
       "others have their own");
    ok(lun_quic_keys_at(all, &one) == lun_quic_keys_at(all, &again),
       "the same file is the same key");
    is_int(which_reads(&one, lun_quic_keys_at(all, &one)), 0,
           "an id by it is read at once");
    is_int(which_reads(&one, lun_quic_keys_at(all, &two)), -1,
           "by another's it is nobody's, in a process alone");
}


static void
keys_of_others(void)
{
    unsigned            i;
    char                name[16];
    lun_quic_ids       *gone;
    lun_datagram_door   d = { 0 };

    init_keys(&(lun_zone) { .shm.addr = (char *) &shared }, NULL);
    all->keys = &shared;
    lun_quic_keys_use(all, &one, LUN_STR("one"));
    lun_quic_keys_use(all, &two, LUN_STR("two"));
    lun_quic_keys_use(all, &again, LUN_STR("one"));
    is_int((int64_t) atomic_load(&shared.taken), 2,
           "two keys are told of, each once");
    ok(which_reads(&plain, lun_quic_keys_at(all, &two)) > 0
       && which_reads(&one, lun_quic_keys_at(all, &two)) > 0,
       "ids by them are read wherever they come to");

    gone = lun_quic_keys_at(all, &one);

    for (i = 0; i < LUN_QUIC_KEYS; i++) {
        (void) snprintf(name, sizeof(name), "key %u", i);
        lun_quic_keys_use(all, &d, lun_str_of(name, strlen(name)));
    }

    is_int(which_reads(&plain, gone), -1, "the oldest is forgotten");
    ok(which_reads(&plain, lun_quic_keys_at(all, &d)) > 0,
       "the newest is known in its place");
    all->keys = NULL;
}


int
main(void)
{
    is_int(lun_loop_init(lp), 0, "a loop");
    all = lun_quics_of(lp);

    keys_of_listeners();
    keys_of_others();

    lun_loop_fini(lp);
    return done_testing();
}
