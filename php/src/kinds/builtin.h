/* builtin.h - storing by content: objects of PHP's own classes and their subclasses, without a call of
 * __serialize() and __unserialize(), and with the same result. */
#ifndef LARDER_BUILTIN_H
#define LARDER_BUILTIN_H

#include "php_larder.h"
#include "format/format.h"

typedef enum larder_builtin {
    LARDER_BUILTIN_NONE,
    LARDER_BUILTIN_DATE,     /* DateTime, DateTimeImmutable */
    LARDER_BUILTIN_ZONE,     /* DateTimeZone */
    LARDER_BUILTIN_INTERVAL, /* DateInterval */
    LARDER_BUILTIN_PERIOD,   /* DatePeriod */
    LARDER_BUILTIN_ARRAY,    /* ArrayObject, ArrayIterator: one value, their array */
    LARDER_BUILTIN_FIXED,    /* SplFixedArray: its elements */
    LARDER_BUILTIN_LIST, /* SplDoublyLinkedList, SplQueue, SplStack: their elements, and flags */
    LARDER_BUILTIN_TOLD /* SplObjectStorage, and lists whose properties are unusual: what __serialize() says,
                           which runs no user code, and __unserialize() needs nothing else to be complete */
} larder_builtin;

/* Which of them the objects of a class are, where its own hooks and properties allow it. */
larder_builtin larder_builtin_of(const zend_class_entry *ce);
static zend_always_inline bool larder_builtin_is_date(larder_builtin builtin)
{
    return builtin >= LARDER_BUILTIN_DATE && builtin <= LARDER_BUILTIN_PERIOD;
}
static zend_always_inline uint32_t larder_builtin_made(larder_builtin builtin)
{
    return builtin == LARDER_BUILTIN_PERIOD ? LARDER_PERIOD_SLOTS : 0;
}
/* As which of them an object of such a class is stored; LARDER_BUILTIN_NONE: as what its __serialize() says. Runs
 * no user code; may allocate. */
larder_builtin larder_builtin_way(larder_builtin builtin, zend_object *object);
/* True if an object has properties without a slot, but for those that only the engine's way of listing its dates has
 * put there. */
bool larder_properties_added(larder_builtin builtin, const HashTable *properties);
static zend_always_inline bool larder_has_added(larder_builtin builtin, const zend_object *object)
{
    return UNEXPECTED(object->properties != NULL) &&
           larder_properties_added(builtin, object->properties);
}
/* Call an internal method, fast. False: an exception is set. */
bool larder_builtin_call(zend_object *object, zend_function *method, zval *argument, zval *result);

/* ---- dates.c --------------------------------------------------------------------------------------- */
bool larder_date_is_internal(larder_builtin builtin, const zend_string *property);
bool larder_date_takes(larder_builtin builtin, zend_object *object);
/* Describe an object that was taken. Writes to memory only. */
void larder_date_write(larder_builtin builtin, zend_object *object, larder_date *date);
/* Make a new object be what __unserialize() would make of it. Runs no user code. False: this process cannot
 * (it does not know the zone). */
bool larder_date_fill(larder_builtin builtin, zend_object *object, const larder_date *date);

/* The array that __serialize() says of a date. */
void larder_date_state(const larder_date *date, zval *state);

/* ---- periods.c ------------------------------------------------------------------------------------------ */
/* True if the first slots of this class are those that this release of PHP is known to have. */
bool larder_period_fits(const zend_class_entry *ce);
/* As those of dates.c. */
bool larder_period_takes(zend_object *object);
void larder_period_write(zend_object *object, larder_period *period);
bool larder_period_fill(zend_object *object, const larder_period *period);
static zend_always_inline bool larder_builtin_is_spl(larder_builtin builtin)
{
    return builtin >= LARDER_BUILTIN_ARRAY && builtin <= LARDER_BUILTIN_LIST;
}

/* ---- carbon.c -------------------------------------------------------------------------------------- */
/* True if it is a class of Carbon's, or a subclass of one, whose hooks are Carbon's own. */
bool larder_carbon_is(zend_class_entry *ce);
/* True if an object of such a class is its date. Else it is what its __serialize() says: then to be told what that
 * said. Runs no user code. */
bool larder_carbon_takes(zend_object *object);
void larder_carbon_told(zend_object *object, const zval *state);
/* Make a new object be what its __unserialize() would make of it, without a call of that. Runs no user code.
 * False: it is as it was. */
bool larder_carbon_fill(zend_object *object, const larder_date *date);
/* True if that was done. */
bool larder_carbon_is_filled(zend_object *object);
/* The same in any case, with a call of __unserialize() where need be. May set an exception. */
void larder_carbon_restore(zend_object *object, const larder_date *date);

/* ---- spl.c ------------------------------------------------------------------------------------------- */
bool larder_spl_takes(larder_builtin builtin, zend_object *object);
/* Of an object that was taken. */
zval *larder_spl_array(const zend_object *object);

/* ---- carbon.c: ends -------------------------------------------------------------------------- */
void larder_carbons_forget(void);                        /* at the end of a request */
void larder_carbons_end(struct larder_carbons *carbons); /* at the end of a thread; NULL: nothing */

#endif
