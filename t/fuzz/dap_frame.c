/*
 * What the debugger's client sends: any bytes, in pieces.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/check.h"
#include "base/pool.h"
#include "modules/lua/look/dap_frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char             *body;
    size_t            len, piece = size != 0 ? 1 + data[0] % 64 : 1, n;
    const char       *p = (const char *) data, *end = p + size, *part;
    lun_dap_frame     f = { .line_len = 0 };
    lun_dap_verdict   verdict = LUN_DAP_MORE;

    while (p < end && verdict != LUN_DAP_BAD) {
        n = lun_min(piece, (size_t) (end - p));
        part = p + n;

        while ((verdict = lun_dap_take(&f, &p, part)) == LUN_DAP_WHOLE) {
            body = lun_dap_body(&f, &len);
            LUN_CHECK(len <= LUN_DAP_LONGEST && body[len] == '\0');
            lun_free(body);
        }
    }

    lun_free(f.body);
    return 0;
}
