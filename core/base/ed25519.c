/*
 * ed25519.c -- OpenSSL's own signs by keys of 32 bytes alone, so this is the
 * curve on OpenSSL's numbers: extended coordinates, one formula for adding and
 * doubling (RFC 8032, 5.1.4).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/ed25519.h"

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>


enum { HALF = 32, BITS = 256 };

typedef struct {
    BIGNUM  *x, *y, *z, *t;
} point;

/* The field's prime, twice the curve's d, the order of the base point. */
typedef struct {
    BN_CTX  *ctx;
    BIGNUM  *p, *d2, *order;
    bool     failed;
} curve;

static const char  prime[] =
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed";
static const char  twice_d[] =
    "2406d9dc56dffce7198e80f2eef3d13000e0149a8283b156ebd69b9426b2f159";
static const char  base_order[] =
    "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed";
static const char  base_x[] =
    "216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51a";
static const char  base_y[] =
    "6666666666666666666666666666666666666666666666666666666666666658";


static BIGNUM *
new_number(curve *c)
{
    BIGNUM  *n = BN_CTX_get(c->ctx);

    c->failed |= n == NULL;
    return n;
}


static BIGNUM *
read_hex(curve *c, const char *hex)
{
    BIGNUM  *n = new_number(c);

    c->failed |= n == NULL || BN_hex2bn(&n, hex) == 0;
    return n;
}


static void
new_point(curve *c, point *a)
{
    a->x = new_number(c);
    a->y = new_number(c);
    a->z = new_number(c);
    a->t = new_number(c);
}


static void
mul(curve *c, BIGNUM *r, const BIGNUM *a, const BIGNUM *b)
{
    c->failed |= BN_mod_mul(r, a, b, c->p, c->ctx) != 1;
}


static void
add(curve *c, BIGNUM *r, const BIGNUM *a, const BIGNUM *b)
{
    c->failed |= BN_mod_add(r, a, b, c->p, c->ctx) != 1;
}


static void
sub(curve *c, BIGNUM *r, const BIGNUM *a, const BIGNUM *b)
{
    c->failed |= BN_mod_sub(r, a, b, c->p, c->ctx) != 1;
}


/* r = a + b; n: eight numbers for use meanwhile.  r may be a or b. */
static void
add_points(curve *c, point *r, const point *a, const point *b, BIGNUM **n)
{
    sub(c, n[0], a->y, a->x);
    sub(c, n[1], b->y, b->x);
    mul(c, n[0], n[0], n[1]);
    add(c, n[1], a->y, a->x);
    add(c, n[2], b->y, b->x);
    mul(c, n[1], n[1], n[2]);
    mul(c, n[2], a->t, b->t);
    mul(c, n[2], n[2], c->d2);
    mul(c, n[3], a->z, b->z);
    add(c, n[3], n[3], n[3]);
    sub(c, n[4], n[1], n[0]);
    sub(c, n[5], n[3], n[2]);
    add(c, n[6], n[3], n[2]);
    add(c, n[7], n[1], n[0]);
    mul(c, r->x, n[4], n[5]);
    mul(c, r->y, n[6], n[7]);
    mul(c, r->t, n[4], n[7]);
    mul(c, r->z, n[5], n[6]);
}


/* The base point so many times, as its 32 bytes.  Both sums are always made. */
static void
multiply_base(curve *c, const BIGNUM *times, unsigned char out[HALF])
{
    int      i, bit;
    point    base, sum, other, pair[2];
    BIGNUM  *n[8];

    BN_CTX_start(c->ctx);
    base.x = read_hex(c, base_x);
    base.y = read_hex(c, base_y);
    base.z = new_number(c);
    base.t = new_number(c);
    new_point(c, &sum);
    new_point(c, &other);

    for (i = 0; i < 8; i++) {
        n[i] = new_number(c);
    }

    if (!c->failed) {
        c->failed |= BN_one(base.z) != 1 || BN_one(sum.y) != 1
                     || BN_one(sum.z) != 1;
        BN_zero(sum.x);
        BN_zero(sum.t);
        mul(c, base.t, base.x, base.y);
    }

    for (i = BITS - 1; i >= 0 && !c->failed; i--) {
        add_points(c, &sum, &sum, &sum, n);
        add_points(c, &other, &sum, &base, n);
        pair[0] = sum;
        pair[1] = other;
        bit = BN_is_bit_set(times, i) != 0;
        sum = pair[bit];
        other = pair[!bit];
    }

    if (!c->failed && BN_mod_inverse(n[0], sum.z, c->p, c->ctx) != NULL) {
        mul(c, sum.x, sum.x, n[0]);
        mul(c, sum.y, sum.y, n[0]);
        c->failed |= BN_bn2lebinpad(sum.y, out, HALF) != HALF;
        out[HALF - 1] |= (unsigned char) (BN_is_odd(sum.x) << 7);

    } else {
        c->failed = true;
    }

    BN_CTX_end(c->ctx);
}


/* SHA-512 of up to three texts, one behind the other. */
static bool
hash(unsigned char out[SHA512_DIGEST_LENGTH], lun_str a, lun_str b, lun_str d)
{
    bool         ok;
    EVP_MD_CTX  *ctx = EVP_MD_CTX_new();

    ok = ctx != NULL && EVP_DigestInit_ex(ctx, EVP_sha512(), NULL) == 1
         && EVP_DigestUpdate(ctx, a.data, a.len) == 1
         && EVP_DigestUpdate(ctx, b.data, b.len) == 1
         && EVP_DigestUpdate(ctx, d.data, d.len) == 1
         && EVP_DigestFinal_ex(ctx, out, NULL) == 1;

    EVP_MD_CTX_free(ctx);
    return ok;
}


static lun_str
bytes(const unsigned char *data, size_t len)
{
    return lun_str_of((const char *) data, len);
}


/* A hash as a number below the order. */
static BIGNUM *
reduce(curve *c, const unsigned char sum[SHA512_DIGEST_LENGTH])
{
    BIGNUM  *n = new_number(c);

    c->failed |= n == NULL || BN_lebin2bn(sum, SHA512_DIGEST_LENGTH, n) == NULL
                 || BN_nnmod(n, n, c->order, c->ctx) != 1;
    return n;
}


static void
sign(curve *c, lun_str secret, lun_str message, unsigned char *out)
{
    BIGNUM         *key = new_number(c), *once, *sum;
    unsigned char   h[SHA512_DIGEST_LENGTH], more[SHA512_DIGEST_LENGTH];
    unsigned char   public_key[HALF];

    c->failed |= !hash(h, secret, LUN_STR(""), LUN_STR(""))
                 || !hash(more, bytes(h + HALF, HALF), message, LUN_STR(""));
    h[0] &= 0xf8;
    h[HALF - 1] = (unsigned char) ((h[HALF - 1] & 0x7f) | 0x40);
    c->failed |= key == NULL || BN_lebin2bn(h, HALF, key) == NULL;

    if (c->failed) {
        return;
    }

    once = reduce(c, more);
    multiply_base(c, once, out);
    multiply_base(c, key, public_key);
    c->failed |= !hash(more, bytes(out, HALF), bytes(public_key, HALF),
                       message);
    sum = reduce(c, more);

    /* once + hash * key */
    c->failed |= c->failed
                 || BN_mod_mul(sum, sum, key, c->order, c->ctx) != 1
                 || BN_mod_add(sum, sum, once, c->order, c->ctx) != 1
                 || BN_bn2lebinpad(sum, out + HALF, HALF) != HALF;
    OPENSSL_cleanse(h, sizeof(h));
}


lun_rc
lun_ed25519_sign(lun_str secret, lun_str message,
    unsigned char out[LUN_ED25519_SIZE])
{
    curve  c = { .ctx = BN_CTX_secure_new() };

    if (c.ctx == NULL) {
        return LUN_ERROR;
    }

    BN_CTX_start(c.ctx);
    c.p = read_hex(&c, prime);
    c.d2 = read_hex(&c, twice_d);
    c.order = read_hex(&c, base_order);

    if (!c.failed) {
        sign(&c, secret, message, out);
    }

    BN_CTX_end(c.ctx);
    BN_CTX_free(c.ctx);
    return c.failed ? LUN_ERROR : LUN_OK;
}
