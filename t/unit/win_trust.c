/*
 * win_trust.c -- the system's store of root certificates.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../windows/trust.c"

#include "tap.h"

enum { SEQUENCE = 0x30 };

static size_t  count, good;


static void
take(void *data, lun_str certificates)
{
    count++;
    good += certificates.len > 100
            && (unsigned char) certificates.data[0] == SEQUENCE;
}


int
main(void)
{
    is_int(lun_trust_each(take, NULL), 0, "it is read");
    ok(count != 0, "it has authorities");
    is_int(good, (int) count, "all in DER");
    return done_testing();
}
