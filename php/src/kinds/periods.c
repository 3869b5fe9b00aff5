/* periods.c - stores and restores DatePeriod without its hooks. Begin reading at period_takes() and
 * period_fill().
 *
 * A period is stored as its private fields, with the interval as numbers. Before PHP 8.5, a program
 * can change the date objects in a period's properties. __serialize() ignores such changes, and so
 * does this file. */
#include "format/format.h"
#include "kinds/builtin.h"
#include "kinds/dates.h"

/* Return true if a class begins with the declared properties of this PHP's DatePeriod. */
static bool period_fits(const zend_class_entry *ce)
{
    static const char *const names[] = {"start",           "current",     "end",
                                        "interval",        "recurrences", "include_start_date",
                                        "include_end_date"};
    const zend_class_entry *base = php_date_get_period_ce();
    if (base->default_properties_count != (int)LARDER_PERIOD_SLOTS)
        return false;
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        const zend_property_info *info =
            zend_hash_str_find_ptr(&ce->properties_info, names[i], strlen(names[i]));
        if (info == NULL || info->ce != base ||
            (LARDER_PERIOD_SLOTS != 0 && OBJ_PROP_TO_NUM(info->offset) != i))
            return false;
    }
    return true;
}

/* Return true if a period can be stored. Its dates must be DateTime or DateTimeImmutable:
 * subclasses may have hooks or properties. */
static bool period_takes(zend_object *object)
{
    const php_period_obj *period = php_period_obj_from_obj(object);
    return period->recurrences >= 0 &&
           (period->start_ce == php_date_get_date_ce() ||
            period->start_ce == php_date_get_immutable_ce()) &&
           larder_date_takes_time(period->start) &&
           (period->current == NULL || larder_date_takes_time(period->current)) &&
           (period->end == NULL || larder_date_takes_time(period->end)) &&
           period->interval != NULL && larder_date_takes_relative(period->interval);
}

static void period_write(zend_object *object, void *content)
{
    larder_period *period = content;
    const php_period_obj *from = php_period_obj_from_obj(object);
    memset(period, 0, sizeof *period);
    larder_date_write_time(from->start, &period->start);
    if (from->current != NULL)
        larder_date_write_time(from->current, &period->current);
    if (from->end != NULL)
        larder_date_write_time(from->end, &period->end);
    larder_date_write_relative(from->interval, &period->interval);
    period->recurrences = from->recurrences;
    period->immutable = from->start_ce == php_date_get_immutable_ce();
    period->include_start = from->include_start_date;
    period->include_end = from->include_end_date;
}

/* Make *time from a stored date. If no date is stored (the zone's type is 0), leaves *time
 * unchanged. Returns false on failure. */
static bool period_time(timelib_time **time, const larder_date *date)
{
    return date->time.zone_type == 0 || (*time = larder_date_time(date)) != NULL;
}

#if PHP_VERSION_ID < 80500
static zend_object *period_object(zval *slot, zend_class_entry *ce)
{
    zend_object *object = ce->create_object(ce);
    ZVAL_OBJ(slot, object);
    return object;
}

static void period_date(zval *slot, zend_class_entry *ce, const timelib_time *time)
{
    if (time != NULL)
        php_date_obj_from_obj(period_object(slot, ce))->time = larder_date_copy_time(time);
    else
        ZVAL_NULL(slot);
}

/* Put a new interval into a property slot. In the engine's periods, civil_or_wall is 0, so leave it
 * 0. */
static void period_interval(zval *slot, const timelib_rel_time *interval)
{
    zend_class_entry *ce = php_date_get_interval_ce();
    php_interval_obj *object = php_interval_obj_from_obj(period_object(slot, ce));
    object->diff = timelib_malloc(sizeof *interval);
    *object->diff = *interval;
    object->initialized = true;
}

static void period_fill_slots(zval *slot, const php_period_obj *period)
{
    period_date(slot, period->start_ce, period->start);
    period_date(slot + 1, period->start_ce, period->current);
    period_date(slot + 2, period->start_ce, period->end);
    period_interval(slot + 3, period->interval);
    ZVAL_LONG(slot + 4, period->recurrences);
    ZVAL_BOOL(slot + 5, period->include_start_date);
    ZVAL_BOOL(slot + 6, period->include_end_date);
    for (uint32_t i = 0; i < LARDER_PERIOD_SLOTS; i++)
        Z_PROP_FLAG_P(slot + i) = 0; /* mark the property as initialised */
}
#endif

/* Fill a period. If this fails, the engine can still destroy the object. */
static bool period_fill(zend_object *object, const void *content)
{
    const larder_period *period = content;
    php_period_obj *to = php_period_obj_from_obj(object);
    to->start_ce = period->immutable ? php_date_get_immutable_ce() : php_date_get_date_ce();
    if (!period_time(&to->start, &period->start) || !period_time(&to->current, &period->current) ||
        !period_time(&to->end, &period->end) ||
        (to->interval = larder_date_relative(&period->interval)) == NULL)
        return false;
    to->recurrences = period->recurrences;
    to->include_start_date = period->include_start;
    to->include_end_date = period->include_end;
#if PHP_VERSION_ID < 80500
    period_fill_slots(object->properties_table, to);
#endif
    to->initialized = true;
    return true;
}

static LARDER_HOT bool period_is(const zend_class_entry *base)
{
    return base == php_date_get_period_ce();
}

const larder_object_kind larder_object_kind_period = {
    .node = LARDER_NODE_PERIOD,
    .is_base = period_is,
    .fits = period_fits,
    .takes = period_takes,
    .content = sizeof(larder_period),
    .made = LARDER_PERIOD_SLOTS,
    .write = period_write,
    .fill = period_fill,
};
