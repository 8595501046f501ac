/*
 * port_connect.c -- connecting through the port: ConnectEx, which needs a
 * bound socket and asks an unwilling server three times.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/port_priv.h"

#include <mstcpip.h>
#include <mswsock.h>


/* NULL where the system has none. */
static LPFN_CONNECTEX
connect_ex(void)
{
    static const GUID      id = WSAID_CONNECTEX;
    static bool            asked;
    static LPFN_CONNECTEX  found;

    if (!asked) {
        lun_sock_extension(&id, &found);
        asked = true;
    }

    return found;
}


/* ConnectEx wants a bound socket; the caller may have chosen the address. */
static void
bind_any(lun_stream *s, lun_family family)
{
    lun_addr  any;

    memset(&any, 0, sizeof(any));
    any.family = family;
    lun_sock_bind(s->fd, &any);
}


static bool
is_loopback(const lun_addr *addr)
{
    static const uint8_t  six[16] = { [15] = 1 };

    return addr->family == LUN_AF_INET ? addr->ip[0] == 127
                                       : memcmp(addr->ip, six, 16) == 0;
}


/*
 * A refusal is tried three times, half a second apart: sensible across a
 * network, two lost seconds when the backend is on this machine.
 */
static void
refuse_at_once(lun_stream *s)
{
    DWORD                       unused;
    TCP_INITIAL_RTO_PARAMETERS  p;

    p.Rtt = TCP_INITIAL_RTO_UNSPECIFIED_RTT;
    p.MaxSynRetransmissions = TCP_INITIAL_RTO_NO_SYN_RETRANSMISSIONS;

    WSAIoctl((SOCKET) s->fd, SIO_TCP_INITIAL_RTO, &p, sizeof(p), NULL, 0,
             &unused, NULL, NULL);
}


/*
 * ConnectEx wants a bound socket.  On loopback a refusal is taken for what it
 * is, where the system would try again for two seconds.
 */
void
lun_port_connect(lun_stream *s, const lun_addr *addr, lun_op_fn *done)
{
    int           len;
    win_op       *os;
    lun_sockaddr  sa;

    os = lun_port_start(s, &s->out, OP_CONNECT, done);
    lun_port_count_other(s->port);

    if (s->datagram) {
        lun_port_finish(s->port, &s->out,
                        lun_sock_connect_datagram(s->fd, addr), 0);
        return;
    }

    len = lun_sock_encode(&sa, addr);

    if (len == 0 || connect_ex() == NULL) {
        lun_port_finish(s->port, &s->out, WSAEAFNOSUPPORT, 0);
        return;
    }

    bind_any(s, addr->family);

    if (is_loopback(addr)) {
        refuse_at_once(s);
    }

    lun_port_complete(&s->out,
                      connect_ex()((SOCKET) s->fd, (struct sockaddr *) &sa,
                                   len, NULL, 0, NULL, &os->ov)
                      ? 0 : (lun_err) WSAGetLastError(), 0);
}
