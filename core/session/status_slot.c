/*
 * status_slot.c -- statuses of HTTP by small numbers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/status_slot.h"

#include "base/fmt.h"


enum { PART = 64 };                /* series of a look, at a time */

/* Those that are registered, and nginx's own; at its place: its slot. */
#define SLOTS(S)                                                              \
    S(100, 1) S(101, 2) S(102, 3) S(103, 4)                                   \
    S(200, 5) S(201, 6) S(202, 7) S(203, 8) S(204, 9) S(205, 10) S(206, 11)   \
    S(207, 12) S(208, 13) S(226, 14)                                          \
    S(300, 15) S(301, 16) S(302, 17) S(303, 18) S(304, 19) S(305, 20)         \
    S(307, 21) S(308, 22)                                                     \
    S(400, 23) S(401, 24) S(402, 25) S(403, 26) S(404, 27) S(405, 28)         \
    S(406, 29) S(407, 30) S(408, 31) S(409, 32) S(410, 33) S(411, 34)         \
    S(412, 35) S(413, 36) S(414, 37) S(415, 38) S(416, 39) S(417, 40)         \
    S(418, 41) S(421, 42) S(422, 43) S(423, 44) S(424, 45) S(425, 46)         \
    S(426, 47) S(428, 48) S(429, 49) S(431, 50) S(444, 51) S(451, 52)         \
    S(494, 53) S(495, 54) S(496, 55) S(497, 56) S(499, 57)                    \
    S(500, 58) S(501, 59) S(502, 60) S(503, 61) S(504, 62) S(507, 63)

#define AT_STATUS(status, slot)  [(status) - 100] = slot,
#define AT_SLOT(status, slot)    [slot] = status,

const uint8_t  lun_status_slots[500] = { SLOTS(AT_STATUS) };

static const uint16_t  statuses[LUN_STATUS_SLOTS] = { SLOTS(AT_SLOT) };


static lun_str
name_of(unsigned slot, char room[static 8])
{
    if (slot == 0) {
        return LUN_STR("xxx");
    }

    return lun_str_of(room, (size_t) (lun_fmt_u64(room, statuses[slot])
                                      - room));
}


uint64_t
lun_status_slots_sum(const uint64_t *cells)
{
    unsigned  i;
    uint64_t  sum = 0;

    for (i = 0; i < LUN_STATUS_SLOTS; i++) {
        sum += cells[i];
    }

    return sum;
}


void
lun_status_write_responses(lun_status_walk *w, const uint64_t *cells)
{
    char      room[24];
    unsigned  i;

    if (!lun_status_open(w, LUN_STR("responses"))) {
        return;
    }

    for (i = 1; i < LUN_STATUS_SLOTS; i++) {
        if (cells[i] != 0) {
            *lun_fmt_u64(room, statuses[i]) = '\0';
            lun_status_number(w, room, (int64_t) cells[i]);
        }
    }

    if (cells[0] != 0) {
        lun_status_number(w, "xxx", (int64_t) cells[0]);
    }

    lun_status_close(w);
}


bool
lun_status_look_at_responses(const lun_metric_looking *l, uint32_t *cursor)
{
    char               room[24];
    int                left = PART;
    lun_str            labels[LUN_METRIC_LABELS + 1];
    unsigned           i;
    lun_metric_info    info;
    lun_metric_series  s;

    if (!lun_metric_find(l->m->of, l->generation, &info)) {
        return false;
    }

    while (lun_metric_next(&info, l->generation, cursor, &s)) {
        memcpy(labels, s.labels, sizeof(s.labels));

        for (i = 0; i < LUN_STATUS_SLOTS; i++) {
            if (s.cells[i] != 0) {
                labels[info.label_count] = name_of(i, room);
                l->found(l->to, labels, 0, s.cells[i]);
            }
        }

        if (--left == 0) {
            return true;
        }
    }

    return false;
}
