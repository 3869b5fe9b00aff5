/* table.h - the list of kinds (see builtin.h). A kind is a line in this file, and a file beside it
 * that ends with its larder_object_kind. A kind's number is its position. Blocks do not contain
 * these numbers, so the order may change. A class belongs to the first kind that accepts it. */
#ifndef LARDER_KINDS_TABLE_H
#define LARDER_KINDS_TABLE_H

/* one line for each kind: KIND(NAME, name). NAME ends the name of its larder_builtin, and `name`
 * that of its larder_object_kind. */
#define LARDER_OBJECT_KINDS(KIND)                                                                  \
    KIND(DATE, date)         /* DateTime, DateTimeImmutable */                                     \
    KIND(ZONE, zone)         /* DateTimeZone */                                                    \
    KIND(INTERVAL, interval) /* DateInterval */                                                    \
    KIND(PERIOD, period)     /* DatePeriod */                                                      \
    KIND(ARRAY, array)       /* ArrayObject, ArrayIterator */                                      \
    KIND(FIXED, fixed)       /* SplFixedArray */                                                   \
    KIND(LIST, list)         /* SplDoublyLinkedList, SplQueue, SplStack */                         \
    KIND(TOLD, told)         /* SplObjectStorage; unusual linked lists */                          \
    KIND(CARBON, carbon)     /* Carbon's classes with Carbon's own hooks */                        \
    KIND(HEAP, heap)         /* SplHeap and SplPriorityQueue without hooks */

#endif
