/* dates.h - functions of dates.c that periods.c and carbon.c also use. */
#ifndef LARDER_DATES_H
#define LARDER_DATES_H

#include "format/format.h"
#include "kinds/builtin.h"
#include "ext/date/php_date.h"

/* The functions of the kind of dates (see builtin.h). carbon.c calls them, too. */
bool larder_date_takes(zend_object *object);
void larder_date_write(zend_object *object, void *content);
bool larder_date_fill(zend_object *object, const void *content);

/* Return the class by which the engine makes our dates: DateTimeImmutable or, if disable_classes
 * disables it, DateTime. */
zend_class_entry *larder_date_plain(void);

/* Make the array that the __serialize() of a date would return. */
void larder_date_state(const larder_date *date, zval *state);

/* Return true if a time has a year of four digits, and PHP reads its text back as the same date.
 * `time` may be NULL. */
bool larder_date_takes_time(const timelib_time *time);
/* Return true if an interval's microseconds can be written as a fraction of a second without
 * loss. */
bool larder_date_takes_relative(const timelib_rel_time *interval);

/* Fill *date, which is all zeros, from an accepted time or interval. */
void larder_date_write_time(const timelib_time *time, larder_date *date);
void larder_date_write_relative(const timelib_rel_time *interval, larder_date *date);

/* Make the engine's structure for a stored time or interval. Returns NULL if this fails. */
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

/* Free `dates` at the end of a thread. `dates` may be NULL. */
void larder_dates_end(struct larder_dates *dates) ZEND_COLD;

#endif
