/*
 * store_script.h -- what runs inside the store.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STORE_SCRIPT_H
#define LUN_STORE_SCRIPT_H

/*
 * EVAL of a batch of changes: KEYS are a zone's log, all, meta; ARGV is
 *
 *     length of the log, entries of `all`, node, epoch, from, to, then a key
 *     and a record (store_record.h) for each change
 *
 * `from` and `to` are positions in the feed of that epoch: what was said before
 * is not said again.  "-" as `from`: these are no changes, but what the node
 * has.  Each record that is the last of its key becomes the entry of that key
 * in `all`, and all of these are one entry of the log.  Returns `to`, or the
 * position up to which the node has said all before: nothing was done then.
 */
extern const char  lun_store_push[];

#endif
