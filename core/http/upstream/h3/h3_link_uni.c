/*
 * h3_link_uni.c -- what a server says of the connection: its control stream,
 * and QPACK's, on which it has nothing to say (our table has no room).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/upstream/h3/h3_link_priv.h"

#include "base/check.h"


enum {
    KIND        = 0x03,            /* of a stream, in its id: */
    REQUEST     = 0x00,            /* one of ours that goes both ways */
    SERVERS_UNI = 0x03,
    MOST_IDLE   = 1000             /* frames that tell us nothing */
};

static const char  no_room = 0x20; /* QPACK: the table's new size is 0 */

typedef enum { NEW, CONTROL, ENCODER, DECODER, IGNORED } use;

typedef struct {
    lun_h3_link_wire  w;           /* first */
    use               use;
    lun_varint        number;      /* a type, a setting, or what GOAWAY says */
    lun_h3_frames     frames;
    bool              settled;     /* its SETTINGS have come */
    bool              odd;         /* half of a setting has */
    bool              whole;       /* the number of GOAWAY has */
    bool              longer;      /* ... and more */
} peer;


lun_h3_link_wire *
lun_h3_link_peer_new(lun_h3_link *l, int64_t id)
{
    peer  *p;

    if ((id & KIND) != SERVERS_UNI) {
        lun_h3_link_refuse(l, LUN_H3_STREAM_CREATION_ERROR,
                           "opened a stream that must not be");
        return NULL;
    }

    p = lun_calloc(sizeof(peer));
    lun_h3_link_wire_init(&p->w, l, LUN_H3_LINK_PEER, id);
    return &p->w;
}


void
lun_h3_link_peer_free(lun_h3_link_wire *w)
{
    lun_free(lun_container_of(w, peer, w));
}


bool
lun_h3_link_peer_is_critical(const lun_h3_link_wire *w)
{
    const peer  *p = (const peer *) (const void *) w;

    return p->use == CONTROL || p->use == ENCODER || p->use == DECODER;
}


/* --- the control stream -------------------------------------------------- */

static void
refuse(peer *p, uint64_t code, const char *what)
{
    lun_h3_link_refuse(p->w.link, code, what);
    p->use = IGNORED;
}


static void
begin_frame(peer *p)
{
    const lun_h3_frames  *f = &p->frames;

    p->number = (lun_varint) { 0 };
    p->odd = p->whole = p->longer = false;

    if (!p->settled && f->type != LUN_H3_SETTINGS) {
        refuse(p, LUN_H3_MISSING_SETTINGS, "sent no settings first");

    } else if ((p->settled && f->type == LUN_H3_SETTINGS)
               || f->type == LUN_H3_DATA || f->type == LUN_H3_HEADERS
               || f->type == LUN_H3_PUSH_PROMISE
               || lun_h3_is_of_h2(f->type))
    {
        refuse(p, LUN_H3_FRAME_UNEXPECTED,
               "sent unexpected frame in control stream");

    } else if (f->type != LUN_H3_SETTINGS
               && ++p->w.link->idle_frames > MOST_IDLE)
    {
        refuse(p, LUN_H3_EXCESSIVE_LOAD, "sent too many frames for nothing");
    }

    p->settled = true;
}


/* HTTP/2 has a setting of that number, and HTTP/3 must not (RFC 9114,
   7.2.4.1). */
static bool
is_barred(uint64_t setting)
{
    return setting == 0 || (setting >= 2 && setting <= 5);
}


/* Pairs of numbers, of which none changes what we do. */
static void
take_settings(peer *p, const char *pos, const char *end)
{
    while (lun_varint_take(&p->number, &pos, end)) {
        if (!p->odd && is_barred(p->number.value)) {
            refuse(p, LUN_H3_SETTINGS_ERROR, "sent setting of HTTP/2");
            return;
        }

        p->odd = !p->odd;
    }
}


/* Requests from that number on are not looked at. */
static void
take_goaway(peer *p)
{
    lun_h3_link         *l = p->w.link;
    lun_h3_link_wire    *w;
    lun_h3_link_stream  *s;

    if ((p->number.value & KIND) != REQUEST) {
        refuse(p, LUN_H3_ID_ERROR, "sent goaway with a wrong id");
        return;
    }

    lun_h3_link_retire(l);

    lun_list_each (&l->wires, it) {
        w = lun_container_of(it, lun_h3_link_wire, of_link);

        if (w->kind == LUN_H3_LINK_REQUEST
            && w->id >= (int64_t) p->number.value)
        {
            s = lun_h3_link_stream_of(w);
            s->unheard = true;
            lun_h3_link_tell(s);
        }
    }
}


static void
take_piece(peer *p, lun_str piece)
{
    const char  *pos = piece.data, *end = pos + piece.len;

    if (p->frames.type == LUN_H3_SETTINGS) {
        take_settings(p, pos, end);

    } else if (p->frames.type == LUN_H3_GOAWAY) {
        p->longer |= p->whole;
        p->whole = p->whole || lun_varint_take(&p->number, &pos, end);
        p->longer |= pos != end;
    }
}


static void
end_frame(peer *p)
{
    switch (p->frames.type) {

    case LUN_H3_SETTINGS:
        if (p->odd || p->number.left != 0) {
            refuse(p, LUN_H3_FRAME_ERROR, "sent settings of wrong length");
        }

        break;

    case LUN_H3_GOAWAY:
        if (!p->whole || p->longer) {
            refuse(p, LUN_H3_FRAME_ERROR, "sent goaway of wrong length");

        } else {
            take_goaway(p);
        }

        break;

    default:
        break;
    }
}


static void
take_control(peer *p, const char *pos, const char *end)
{
    lun_str         piece;
    lun_h3_verdict  v;

    while (p->use == CONTROL
           && (v = lun_h3_frames_next(&p->frames, &pos, end, &piece))
              != LUN_H3_MORE)
    {
        if (v == LUN_H3_BEGIN) {
            begin_frame(p);

        } else if (v == LUN_H3_PIECE) {
            take_piece(p, piece);

        } else {
            end_frame(p);
        }
    }
}


/* --- any of them --------------------------------------------------------- */

static void
take_type(peer *p)
{
    bool          *has;
    lun_h3_link   *l = p->w.link;

    switch (p->number.value) {

    case LUN_H3_TYPE_CONTROL:
        has = &l->has_control;
        p->use = CONTROL;
        break;

    case LUN_H3_TYPE_ENCODER:
        has = &l->has_encoder;
        p->use = ENCODER;
        break;

    case LUN_H3_TYPE_DECODER:
        has = &l->has_decoder;
        p->use = DECODER;
        break;

    case LUN_H3_TYPE_PUSH:
        refuse(p, LUN_H3_ID_ERROR, "pushes, which was not allowed");
        return;

    default:
        p->use = IGNORED;
        return;
    }

    if (*has) {
        refuse(p, LUN_H3_STREAM_CREATION_ERROR,
               "opened a stream that must not be");
    }

    *has = true;
}


/* What it says of a table that has no room can only be wrong. */
static void
take_encoder(peer *p, const char *pos, const char *end)
{
    while (pos != end) {
        if (*pos++ != no_room) {
            refuse(p, LUN_QPACK_ENCODER_ERROR,
                   "sent instructions for a table that has no room");
            return;
        }
    }
}


void
lun_h3_link_peer_take(lun_h3_link_wire *w, const char *bytes, size_t n,
    bool fin)
{
    peer        *p = lun_container_of(w, peer, w);
    const char  *pos = bytes, *end = bytes + n;

    if (p->use == NEW && lun_varint_take(&p->number, &pos, end)) {
        take_type(p);
    }

    if (p->use == CONTROL) {
        take_control(p, pos, end);

    } else if (p->use == ENCODER) {
        take_encoder(p, pos, end);

    } else if (p->use == DECODER && pos != end) {
        refuse(p, LUN_QPACK_DECODER_ERROR,
               "acknowledged what was not sent");
    }

    if (fin && lun_h3_link_peer_is_critical(w)) {
        refuse(p, LUN_H3_CLOSED_CRITICAL, "closed a critical stream");
    }

    lun_quic_consumed(w->link->q, w->id, n);
}
