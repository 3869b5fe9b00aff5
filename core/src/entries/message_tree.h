/* message_tree.h - the functions of message_tree.c. */
#pragma once

#include "ground/queue_layout.h"
#include "ground/private.h"

/* Put a row into the tree of its state / take it out. The order is by priority and turn (ready),
 * by due and turn (reserved, delayed), or by turn (buried). [locked] */
void lrd__tree_insert(const lrd_store *store, lrd__queue *queue, lrd__message *m);
void lrd__tree_remove(const lrd_store *store, lrd__queue *queue, lrd__message *m);
/* Return the next row in order; 0: none. [locked] */
uint32_t lrd__tree_next(const lrd_store *store, uint32_t shard, uint32_t link);
/* Return the first row in order behind the key of a row, which need not be in the tree; 0: none.
 * [locked] */
uint32_t lrd__tree_after(const lrd_store *store, const lrd__queue *queue, const lrd__message *key);
/* Return true if a comes before b; both have the same state. */
bool lrd__tree_before(const lrd__message *a, const lrd__message *b);
/* Return the weight that keeps the tree balanced: a row's is at most its parent's. */
uint32_t lrd__tree_weight(uint32_t link);
