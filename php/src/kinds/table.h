/* table.h - the kinds of objects that lie in a block in a way of their own. A kind is a line here
 * and a file beside this one, which ends with its larder_object_kind (builtin.h). The numbers that
 * follow from the order are of one process alone: blocks have none of them. The first kind that an
 * object's class is of is the class's. */
#ifndef LARDER_KINDS_TABLE_H
#define LARDER_KINDS_TABLE_H

/* KIND(LARDER_BUILTIN_..., larder_object_kind_...) */
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
