/* table.h - the list of kinds (see builtin.h). Each kind is described by a larder_object_kind at
 * the end of a file in this folder. Blocks do not contain the numbers of kinds, so the order may
 * change. A class belongs to the first kind that accepts it. */
#ifndef LARDER_KINDS_TABLE_H
#define LARDER_KINDS_TABLE_H

/* One line for each kind. For example, KIND(LIST, list) is the kind LARDER_BUILTIN_LIST, and
 * larder_object_kind_list describes it. */
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
