/* dates.c - stores and restores objects of ext/date without their hooks, which write and parse
 * text. Begin reading at larder_date_takes(), larder_date_write() and larder_date_fill().
 *
 * - The engine restores the first object of each sort, for example the first date in a time zone,
 *   as a sample. A later object is a copy of the sample with other numbers.
 * - If a date is near a change of its zone's offset, or an object is unusual, the engine's hooks
 *   are used.
 * - Samples point to descriptions of time zones, which ext/date keeps until the request ends. So
 *   samples are kept no longer. */
#include "kinds/dates.h"
#include "format/format.h"
#include "kinds/builtin.h"
#include "request/memory.h"
#include "zend_exceptions.h"

#define DATES_ZONES 16u          /* maximum number of zones that are kept */
#define DATES_OFFSETS 8u         /* maximum number of samples for each zone */
#define DATES_MARGIN (2 * 86400) /* in seconds; more than the UTC offset of any zone */
#define DATES_NAME sizeof((larder_date *)0)->time.zone
/* The number for a zone's UTC offset before the zone's first change. Each UTC offset of a zone has
 * a number, usually its index in timelib's table. */
#define DATES_BEFORE 256u
/* One number for all UTC offsets after the last change in timelib's table. Used if a rule
 * (posix_info) gives these offsets. */
#define DATES_AFTER 257u

/* A time that the engine has made, for one offset of one zone. */
typedef struct dates_sample {
    uint32_t offset;  /* number of the offset */
    int64_t from_utc; /* seconds */
    char abbreviation[16];
    timelib_time time; /* `time.tz_abbr` is NULL or points to `abbreviation` */
} dates_sample;

typedef struct dates_zone {
    char name[DATES_NAME];
    uint8_t type;
    /* the zone's changes of offset; NULL if the zone has only one offset */
    timelib_tzinfo *info;
    uint32_t used; /* number of samples made so far; if all places are used, a new sample replaces
                      the oldest one */
    dates_sample samples[DATES_OFFSETS];
} dates_zone;

/* The fields of a DateTimeZone that the engine has made. */
typedef struct dates_zone_object {
    char name[DATES_NAME];
    uint8_t stored_type;
    int type;
    timelib_tzinfo *info;
    timelib_sll offset;
    int dst;
    char abbreviation[16];
} dates_zone_object;

struct larder_zones {
    /* number of elements that were made so far in `zones` and `objects`, including overwritten
     * ones */
    uint32_t zones_used, objects_used;
    dates_zone *zones[DATES_ZONES];
    dates_zone_object *objects[DATES_ZONES];
};

/* Facts about the running version of PHP. They are kept from one request to the next. */
struct larder_dates {
    int civil_or_wall;
    timelib_rel_time interval;
};

/* ---- storing ---- */

static bool dates_takes_name(const char *name)
{
    return name != NULL && name[0] != '\0' && strnlen(name, DATES_NAME) < DATES_NAME;
}

/* Return true if __serialize() can write an offset exactly. `offset` is in seconds. */
static bool dates_takes_offset(timelib_sll offset)
{
    return offset % 60 == 0 && offset > -86400 && offset < 86400;
}

static int dates_month_days(timelib_sll year, timelib_sll month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

bool larder_date_takes_time(const timelib_time *time)
{
    if (time == NULL || !time->is_localtime || time->y < 1 || time->y > 9999 || time->m < 1 ||
        time->m > 12 || time->d < 1 || time->d > dates_month_days(time->y, time->m) ||
        time->h < 0 || time->h > 23 || time->i < 0 || time->i > 59 || time->s < 0 || time->s > 59 ||
        time->us < 0 || time->us > 999999)
        return false;
    switch (time->zone_type) {
    case TIMELIB_ZONETYPE_ID:
        return time->tz_info != NULL && dates_takes_name(time->tz_info->name);
    case TIMELIB_ZONETYPE_OFFSET:
        return dates_takes_offset(time->z);
    case TIMELIB_ZONETYPE_ABBR:
        return dates_takes_name(time->tz_abbr);
    default:
        return false;
    }
}

static bool dates_takes_zone(zend_object *object)
{
    const php_timezone_obj *zone = php_timezone_obj_from_obj(object);
    if (!zone->initialized)
        return false;
    switch (zone->type) {
    case TIMELIB_ZONETYPE_ID:
        return zone->tzi.tz != NULL && dates_takes_name(zone->tzi.tz->name);
    case TIMELIB_ZONETYPE_OFFSET:
        return dates_takes_offset(zone->tzi.utc_offset);
    case TIMELIB_ZONETYPE_ABBR:
        return dates_takes_name(zone->tzi.z.abbr);
    default:
        return false;
    }
}

bool larder_date_takes_relative(const timelib_rel_time *interval)
{
    timelib_sll us = interval->us;
    return us > -1000000 && us < 1000000 && (timelib_sll)((double)us / 1000000.0 * 1000000.0) == us;
}

static bool dates_takes_interval(zend_object *object)
{
    const php_interval_obj *interval = php_interval_obj_from_obj(object);
    return interval->initialized && !interval->from_string && interval->diff != NULL &&
           larder_date_takes_relative(interval->diff);
}

bool larder_date_takes(zend_object *object)
{
    return larder_date_takes_time(php_date_obj_from_obj(object)->time);
}

/* Convert the local time to seconds since 1970-01-01 00:00:00, in the proleptic Gregorian
 * calendar. */
static int64_t dates_seconds(const timelib_time *time)
{
    int64_t year = time->y - (time->m <= 2), month = (time->m + 9) % 12;
    int64_t days =
        year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + time->d - 1;
    return (days - 719468) * 86400 + time->h * 3600 + time->i * 60 + time->s;
}

static void dates_write_zone(larder_date *date, int type, const char *name, int64_t offset)
{
    date->time.zone_type = (uint8_t)type;
    if (type != TIMELIB_ZONETYPE_OFFSET) {
        memcpy(date->time.zone, name, strlen(name));
        return;
    }
    int64_t minutes = (offset < 0 ? -offset : offset) / 60;
    char *out = date->time.zone;
    *out++ = offset < 0 ? '-' : '+';
    *out++ = (char)('0' + minutes / 600);
    *out++ = (char)('0' + minutes / 60 % 10);
    *out++ = ':';
    *out++ = (char)('0' + minutes % 60 / 10);
    *out = (char)('0' + minutes % 10);
}

void larder_date_write_time(const timelib_time *time, larder_date *date)
{
    bool named = time->zone_type == TIMELIB_ZONETYPE_ID;
    dates_write_zone(date, (int)time->zone_type, named ? time->tz_info->name : time->tz_abbr,
                     time->z);
    date->time.local = dates_seconds(time);
    date->time.year = (int32_t)time->y;
    date->time.month = (uint8_t)time->m;
    date->time.day = (uint8_t)time->d;
    date->time.hour = (uint8_t)time->h;
    date->time.minute = (uint8_t)time->i;
    date->time.second = (uint8_t)time->s;
    date->time.microsecond = (int32_t)time->us;
}

void larder_date_write_relative(const timelib_rel_time *diff, larder_date *date)
{
    date->interval.y = diff->y;
    date->interval.m = diff->m;
    date->interval.d = diff->d;
    date->interval.h = diff->h;
    date->interval.i = diff->i;
    date->interval.s = diff->s;
    date->interval.us = diff->us;
    date->interval.days = diff->days;
    date->interval.invert = diff->invert;
}

void larder_date_write(zend_object *object, void *content)
{
    memset(content, 0, sizeof(larder_date));
    larder_date_write_time(php_date_obj_from_obj(object)->time, content);
}

static void dates_write_timezone(zend_object *object, void *content)
{
    const php_timezone_obj *zone = php_timezone_obj_from_obj(object);
    memset(content, 0, sizeof(larder_date));
    if (zone->type == TIMELIB_ZONETYPE_ID)
        dates_write_zone(content, zone->type, zone->tzi.tz->name, 0);
    else if (zone->type == TIMELIB_ZONETYPE_ABBR)
        dates_write_zone(content, zone->type, zone->tzi.z.abbr, 0);
    else
        dates_write_zone(content, zone->type, NULL, zone->tzi.utc_offset);
}

static void dates_write_interval(zend_object *object, void *content)
{
    memset(content, 0, sizeof(larder_date));
    larder_date_write_relative(php_interval_obj_from_obj(object)->diff, content);
}

/* ---- restoring by the engine ---- */

static void dates_state_zone(zval *state, const larder_date *date)
{
    add_assoc_long(state, "timezone_type", date->time.zone_type);
    add_assoc_string(state, "timezone", date->time.zone);
}

static void dates_state_time(zval *state, const larder_date *date)
{
    add_assoc_str(state, "date",
                  strpprintf(0, "%04d-%02u-%02u %02u:%02u:%02u.%06d", (int)date->time.year,
                             (unsigned)date->time.month, (unsigned)date->time.day,
                             (unsigned)date->time.hour, (unsigned)date->time.minute,
                             (unsigned)date->time.second, (int)date->time.microsecond));
    dates_state_zone(state, date);
}

void larder_date_state(const larder_date *date, zval *state)
{
    array_init(state);
    dates_state_time(state, date);
}

static void dates_state_interval(zval *state)
{
    static const char *const zero[] = {"y", "m", "d", "h", "i", "s", "invert"};
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        add_assoc_long(state, zero[i], 0);
    add_assoc_double(state, "f", 0);
    add_assoc_bool(state, "days", false);
    add_assoc_bool(state, "from_string", false);
}

/* Let the engine make an object from `state`, and free `state`. Returns false if this fails. Clears
 * exceptions, and calls no error handler of the program. */
static bool dates_unserialize(zend_class_entry *ce, zval *state, zval *object)
{
    zend_error_handling handling;
    /* a class that disable_classes disables has no methods */
    bool good =
        !EG(exception) && ce->__unserialize != NULL && object_init_ex(object, ce) == SUCCESS;
    if (good) {
        zend_replace_error_handling(EH_THROW, NULL, &handling);
        zend_call_known_function(ce->__unserialize, Z_OBJ_P(object), ce, NULL, 1, state, NULL);
        zend_restore_error_handling(&handling);
        good = !EG(exception);
        if (!good) {
            zend_clear_exception();
            zval_ptr_dtor(object);
        }
    }
    zval_ptr_dtor(state);
    return good;
}

static struct larder_zones *dates_zones(void)
{
    if (UNEXPECTED(LARDER_G(known).zones == NULL))
        LARDER_G(known).zones = larder_request_alloc(sizeof(struct larder_zones));
    return LARDER_G(known).zones;
}

/* Return zeroed room for one more element, or NULL if there is no memory. If all places are in use,
 * the new element replaces the oldest one. */
static void *dates_place(void **places, uint32_t *used, size_t size)
{
    void **place = places + *used % DATES_ZONES;
    if (*place == NULL && (*place = larder_request_alloc(size)) == NULL)
        return NULL;
    ++*used;
    return memset(*place, 0, size);
}

/* ---- dates ---- */

/* Count the changes of a zone's offset that happened before or at `time`. */
static uint64_t dates_changes(const timelib_tzinfo *info, int64_t time)
{
    uint64_t from = 0, to = info->bit64.timecnt;
    while (from < to) {
        uint64_t middle = from + (to - from) / 2;
        if (info->trans[middle] <= time)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Find the number of the offset at a local time. Returns false if the offset may change near this
 * time. */
static bool dates_offset(const timelib_tzinfo *info, int64_t local, uint32_t *offset)
{
    *offset = 0;
    if (info == NULL)
        return true;
    uint64_t changes = dates_changes(info, local - DATES_MARGIN);
    if (changes < info->bit64.timecnt && info->trans[changes] <= local + DATES_MARGIN)
        return false;
    if (changes == info->bit64.timecnt && info->posix_info != NULL) {
        *offset = DATES_AFTER;
        return info->posix_info->dst_end == NULL;
    }
    *offset = changes == 0 ? DATES_BEFORE : info->trans_idx[changes - 1];
    return true;
}

static dates_zone *dates_find_zone(const struct larder_zones *zones, const larder_date *date)
{
    uint32_t count = zones->zones_used < DATES_ZONES ? zones->zones_used : DATES_ZONES;
    for (uint32_t i = 0; i < count; i++)
        if (memcmp(zones->zones[i]->name, date->time.zone, DATES_NAME) == 0 &&
            zones->zones[i]->type == date->time.zone_type)
            return zones->zones[i];
    return NULL;
}

static const dates_sample *dates_find_sample(const dates_zone *zone, int64_t local)
{
    uint32_t offset, count = zone->used < DATES_OFFSETS ? zone->used : DATES_OFFSETS;
    if (!dates_offset(zone->info, local, &offset))
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (zone->samples[i].offset == offset)
            return zone->samples + i;
    return NULL;
}

/* Keep `time`, which the engine has made for `date`, as a sample. Does nothing if the UTC offset of
 * the zone may change near `date`. */
static void dates_keep(struct larder_zones *zones, const larder_date *date,
                       const timelib_time *time)
{
    uint32_t offset;
    timelib_tzinfo *info = time->zone_type == TIMELIB_ZONETYPE_ID ? time->tz_info : NULL;
    bool same = time->y == date->time.year && time->m == date->time.month &&
                time->d == date->time.day && time->h == date->time.hour &&
                time->i == date->time.minute && time->s == date->time.second &&
                time->us == date->time.microsecond;
    if (!same || !dates_offset(info, date->time.local, &offset) ||
        (time->tz_abbr != NULL && strlen(time->tz_abbr) >= sizeof((dates_sample *)0)->abbreviation))
        return;
    dates_zone *zone = dates_find_zone(zones, date);
    if (zone == NULL) {
        zone = dates_place((void **)zones->zones, &zones->zones_used, sizeof *zone);
        if (zone == NULL)
            return;
        memcpy(zone->name, date->time.zone, sizeof zone->name);
        zone->type = date->time.zone_type;
        zone->info = info;
    }
    dates_sample *sample = zone->samples + zone->used++ % DATES_OFFSETS;
    sample->offset = offset;
    sample->from_utc = date->time.local - time->sse;
    sample->time = *time;
    if (time->tz_abbr != NULL) {
        memcpy(sample->abbreviation, time->tz_abbr, strlen(time->tz_abbr) + 1);
        sample->time.tz_abbr = sample->abbreviation;
    }
}

zend_class_entry *larder_date_plain(void)
{
    zend_class_entry *ce = php_date_get_immutable_ce();
    return EXPECTED(ce->__unserialize != NULL) ? ce : php_date_get_date_ce();
}

static timelib_time *dates_parse(struct larder_zones *zones, const larder_date *date)
{
    zval state, made;
    array_init(&state);
    dates_state_time(&state, date);
    if (!dates_unserialize(larder_date_plain(), &state, &made))
        return NULL;
    timelib_time *time = Z_PHPDATE_P(&made)->time;
    Z_PHPDATE_P(&made)->time = NULL;
    zval_ptr_dtor(&made);
    dates_keep(zones, date, time);
    return time;
}

timelib_time *larder_date_time(const larder_date *date)
{
    struct larder_zones *zones = dates_zones();
    if (UNEXPECTED(zones == NULL))
        return NULL;
    const dates_zone *zone = dates_find_zone(zones, date);
    const dates_sample *sample = zone != NULL ? dates_find_sample(zone, date->time.local) : NULL;
    if (UNEXPECTED(sample == NULL))
        return dates_parse(zones, date);
    timelib_time *time = larder_date_copy_time(&sample->time);
    time->y = date->time.year;
    time->m = date->time.month;
    time->d = date->time.day;
    time->h = date->time.hour;
    time->i = date->time.minute;
    time->s = date->time.second;
    time->us = date->time.microsecond;
    time->sse = date->time.local - sample->from_utc;
    return time;
}

/* ---- zones and intervals ---- */

static dates_zone_object *dates_find_object(const struct larder_zones *zones,
                                            const larder_date *date)
{
    uint32_t count = zones->objects_used < DATES_ZONES ? zones->objects_used : DATES_ZONES;
    for (uint32_t i = 0; i < count; i++)
        if (memcmp(zones->objects[i]->name, date->time.zone, DATES_NAME) == 0 &&
            zones->objects[i]->stored_type == date->time.zone_type)
            return zones->objects[i];
    return NULL;
}

/* Let the engine make a time zone, and keep it. Returns NULL if this fails. */
static dates_zone_object *dates_make_object(struct larder_zones *zones, const larder_date *date)
{
    zval state, made;
    array_init(&state);
    dates_state_zone(&state, date);
    if (!dates_unserialize(php_date_get_timezone_ce(), &state, &made))
        return NULL;
    const php_timezone_obj *zone = Z_PHPTIMEZONE_P(&made);
    dates_zone_object *kept = NULL;
    bool named = zone->type == TIMELIB_ZONETYPE_ABBR;
    if (!named || strlen(zone->tzi.z.abbr) < sizeof kept->abbreviation)
        kept = dates_place((void **)zones->objects, &zones->objects_used, sizeof *kept);
    if (kept != NULL) {
        kept->stored_type = date->time.zone_type;
        kept->type = zone->type;
        memcpy(kept->name, date->time.zone, sizeof kept->name);
        if (zone->type == TIMELIB_ZONETYPE_ID)
            kept->info = zone->tzi.tz;
        kept->offset = named ? zone->tzi.z.utc_offset : zone->tzi.utc_offset;
        if (named) {
            kept->dst = zone->tzi.z.dst;
            memcpy(kept->abbreviation, zone->tzi.z.abbr, strlen(zone->tzi.z.abbr) + 1);
        }
    }
    zval_ptr_dtor(&made);
    return kept;
}

static bool dates_fill_zone(zend_object *zone, const void *content)
{
    struct larder_zones *zones = dates_zones();
    php_timezone_obj *object = php_timezone_obj_from_obj(zone);
    if (UNEXPECTED(zones == NULL))
        return false;
    const dates_zone_object *kept = dates_find_object(zones, content);
    if (UNEXPECTED(kept == NULL) && (kept = dates_make_object(zones, content)) == NULL)
        return false;
    if (kept->type == TIMELIB_ZONETYPE_ID) {
        object->tzi.tz = kept->info;
    } else if (kept->type == TIMELIB_ZONETYPE_OFFSET) {
        object->tzi.utc_offset = kept->offset;
    } else {
        object->tzi.z.abbr = timelib_strdup(kept->abbreviation);
        object->tzi.z.utc_offset = kept->offset;
        object->tzi.z.dst = kept->dst;
    }
    /* set the type last: freeing an object with a type also frees its abbreviation */
    object->type = kept->type;
    object->initialized = true;
    return true;
}

/* Let the engine make an interval, and keep its fields. Returns NULL if this fails. */
static zend_never_inline struct larder_dates *dates_learn_interval(void)
{
    zval state, made;
    array_init(&state);
    dates_state_interval(&state);
    if (!dates_unserialize(php_date_get_interval_ce(), &state, &made))
        return NULL;
    const php_interval_obj *interval = Z_PHPINTERVAL_P(&made);
    struct larder_dates *dates = malloc(sizeof *dates);
    if (dates != NULL)
        *dates = (struct larder_dates){.interval = *interval->diff,
                                       .civil_or_wall = interval->civil_or_wall};
    zval_ptr_dtor(&made);
    return dates;
}

timelib_rel_time *larder_date_relative(const larder_date *date)
{
    const struct larder_dates *dates = LARDER_G(dates);
    if (UNEXPECTED(dates == NULL) && (dates = LARDER_G(dates) = dates_learn_interval()) == NULL)
        return NULL;
    timelib_rel_time *diff = timelib_malloc(sizeof *diff);
    *diff = dates->interval;
    diff->y = date->interval.y;
    diff->m = date->interval.m;
    diff->d = date->interval.d;
    diff->h = date->interval.h;
    diff->i = date->interval.i;
    diff->s = date->interval.s;
    diff->us = date->interval.us;
    diff->days = date->interval.days;
    diff->invert = (int)date->interval.invert;
    return diff;
}

static bool dates_fill_interval(zend_object *interval, const void *content)
{
    php_interval_obj *object = php_interval_obj_from_obj(interval);
    object->diff = larder_date_relative(content);
    if (UNEXPECTED(object->diff == NULL))
        return false;
    object->civil_or_wall = LARDER_G(dates)->civil_or_wall;
    object->initialized = true;
    return true;
}

bool larder_date_fill(zend_object *object, const void *content)
{
    return (php_date_obj_from_obj(object)->time = larder_date_time(content)) != NULL;
}

void larder_dates_end(struct larder_dates *dates) { free(dates); }

/* ---- the kinds ---- */

static LARDER_HOT bool dates_is_date(const zend_class_entry *base)
{
    return base == php_date_get_date_ce() || base == php_date_get_immutable_ce();
}

static LARDER_HOT bool dates_is_zone(const zend_class_entry *base)
{
    return base == php_date_get_timezone_ce();
}

static LARDER_HOT bool dates_is_interval(const zend_class_entry *base)
{
    return base == php_date_get_interval_ce();
}

static const char *const dates_internal[] = {"date", "timezone_type", "timezone", NULL};
static const char *const dates_zone_internal[] = {"timezone_type", "timezone", NULL};
static const char *const dates_interval_internal[] = {
    "y", "m", "d", "h", "i", "s", "f", "invert", "days", "from_string", "date_string", NULL};

const larder_object_kind larder_object_kind_date = {
    .node = LARDER_NODE_CONTENT,
    .is_base = dates_is_date,
    .takes = larder_date_takes,
    .internal = dates_internal,
    .content = sizeof(larder_date),
    .write = larder_date_write,
    .fill = larder_date_fill,
};

const larder_object_kind larder_object_kind_zone = {
    .node = LARDER_NODE_CONTENT,
    .is_base = dates_is_zone,
    .takes = dates_takes_zone,
    .internal = dates_zone_internal,
    .content = sizeof(larder_date),
    .write = dates_write_timezone,
    .fill = dates_fill_zone,
};

const larder_object_kind larder_object_kind_interval = {
    .node = LARDER_NODE_CONTENT,
    .is_base = dates_is_interval,
    .takes = dates_takes_interval,
    .internal = dates_interval_internal,
    .content = sizeof(larder_date),
    .write = dates_write_interval,
    .fill = dates_fill_interval,
};
