/* message_tree.h - ordered trees of messages, one for each state. */
#pragma once

#include "ground/queue_layout.h"
#include "ground/private.h"

/* Put a row into the tree of its state, or take it out. message_tree.c tells the order. [locked] */
void lrd__tree_insert(const lrd_store *store, lrd__queue *queue, lrd__message *m);
void lrd__tree_remove(const lrd_store *store, lrd__queue *queue, lrd__message *m);
/* Return the row after row `link`, or 0 if there is none. [locked] */
uint32_t lrd__tree_next(const lrd_store *store, uint32_t shard, uint32_t link);
/* Return the first row that comes after `key`, or 0 if there is none. `key` need not be in the
 * tree. [locked] */
uint32_t lrd__tree_after(const lrd_store *store, const lrd__queue *queue, const lrd__message *key);
/* True if `a` comes before `b`. Both must have the same state. */
bool lrd__tree_before(const lrd__message *a, const lrd__message *b);
/* Return a row's weight. In a tree, no row has a greater weight than its parent. */
uint32_t lrd__tree_weight(uint32_t link);
