/* table.h - the list of kinds (see builtin.h). A class belongs to the first kind that accepts it.
 * Blocks do not contain the numbers of kinds, so the order of the list may change. */
#ifndef LARDER_KINDS_TABLE_H
#define LARDER_KINDS_TABLE_H

/* For example, KIND(LIST, list) defines LARDER_BUILTIN_LIST, which larder_object_kind_list
 * describes. */
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
    KIND(HEAP, heap)         /* SplHeap, SplPriorityQueue: classes that have no hooks */

#endif
