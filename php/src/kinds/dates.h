/* dates.h - dates, and the times and intervals inside objects of ext/date: the functions of dates.c
 * for periods.c and carbon.c. */
#ifndef LARDER_DATES_H
#define LARDER_DATES_H

#include "format/format.h"
#include "kinds/builtin.h"
#include "ext/date/php_date.h"

/* Functions of the kind of dates, which periods and Carbon use, too. */
bool larder_date_takes(zend_object *object);
void larder_date_write(zend_object *object, void *content);
bool larder_date_fill(zend_object *object, const void *content);

/* Make the array that __serialize() returns for a date. */
void larder_date_state(const larder_date *date, zval *state);

/* True if the numbers are a date with a year of four digits, so that its text is read back as
 * the same date. time: may be NULL. */
bool larder_date_takes_time(const timelib_time *time);
/* True if the number of microseconds survives being written as a fraction of a second. */
bool larder_date_takes_relative(const timelib_rel_time *interval);

/* Describe a date or interval that can be stored. *date is all zeros. */
void larder_date_write_time(const timelib_time *time, larder_date *date);
void larder_date_write_relative(const timelib_rel_time *interval, larder_date *date);

/* Make the engine's structure for a date or an interval, as its __unserialize() would. NULL:
 * this process cannot. */
timelib_time *larder_date_time(const larder_date *date);
timelib_rel_time *larder_date_relative(const larder_date *date);

static zend_always_inline timelib_time *larder_date_copy_time(const timelib_time *time)
{
    timelib_time *copy = timelib_malloc(sizeof *copy);
    *copy = *time;
    if (time->tz_abbr != NULL)
        copy->tz_abbr = timelib_strdup(time->tz_abbr);
    return copy;
}

/* Called at the end of a thread; NULL: do nothing. */
void larder_dates_end(struct larder_dates *dates) ZEND_COLD;

#endif
