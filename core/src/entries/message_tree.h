/* message_tree.h - ordered trees of messages, one for each state. */
#pragma once

#include "ground/queue_layout.h"
#include "ground/private.h"

/* Put a row into the tree of its state (lrd__tree_insert()), or take it out (lrd__tree_remove()).
 * Ready messages are sorted by falling priority; reserved and delayed messages are sorted by `due`.
 * If two rows are equal in this, the row with the lower `turn` comes first. Buried messages are
 * sorted only by `turn`. [locked] */
void lrd__tree_insert(const lrd_store *store, lrd__queue *queue, lrd__message *m);
void lrd__tree_remove(const lrd_store *store, lrd__queue *queue, lrd__message *m);
/* Return the row after row `link` in the tree's order, or 0 if there is none. [locked] */
uint32_t lrd__tree_next(const lrd_store *store, uint32_t shard, uint32_t link);
/* Return the first row of the tree that comes after `key`, or 0 if there is none. `key` need not be
 * in the tree. [locked] */
uint32_t lrd__tree_after(const lrd_store *store, const lrd__queue *queue, const lrd__message *key);
/* Return true if `a` comes before `b`. Both must have the same state. */
bool lrd__tree_before(const lrd__message *a, const lrd__message *b);
/* Return a row's weight, which keeps the tree balanced: no row has a greater weight than its
 * parent. */
uint32_t lrd__tree_weight(uint32_t link);
