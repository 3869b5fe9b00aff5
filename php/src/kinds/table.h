/* table.h - the kinds of objects with their own form in a block. A kind is a line here and a file
 * beside this one, which ends with its larder_object_kind (builtin.h). Only one process uses the
 * numbers that follow from the order: blocks do not contain them. A class belongs to the first kind
 * that accepts it. */
#ifndef LARDER_KINDS_TABLE_H
#define LARDER_KINDS_TABLE_H

/* one line for each kind: KIND(LARDER_BUILTIN_..., larder_object_kind_...) */
#define LARDER_OBJECT_KINDS(KIND)                                                                  \
    KIND(DATE, date)         /* DateTime, DateTimeImmutable */                                     \
    KIND(ZONE, zone)         /* DateTimeZone */                                                    \
    KIND(INTERVAL, interval) /* DateInterval */                                                    \
    KIND(PERIOD, period)     /* DatePeriod */                                                      \
    KIND(ARRAY, array)       /* ArrayObject, ArrayIterator */                                      \
    KIND(FIXED, fixed)       /* SplFixedArray */                                                   \
    KIND(LIST, list)         /* SplDoublyLinkedList, SplQueue, SplStack */                         \
    KIND(TOLD, told)         /* SplObjectStorage; lists whose properties are unusual */            \
    KIND(CARBON, carbon)     /* Carbon's classes, whose hooks are their own */                     \
    KIND(HEAP, heap)         /* SplHeap, SplPriorityQueue, which have no hooks */

#endif
