/* entries.c - finds the key of a static, and deletes the statics of a class */
#include "statics/internal.h"
#include "statics/statics.h"
#include "stores/stores.h"
#include "zend_exceptions.h"
#include "zend_smart_str.h"

static zend_string *entries_class(zend_string *name)
{
    return ZSTR_VAL(name)[0] == '\\' ? zend_string_init(ZSTR_VAL(name) + 1, ZSTR_LEN(name) - 1, 0)
                                     : zend_string_copy(name);
}

/* Return the prefix that the keys of a member's statics have. If `member` is NULL, return the
 * prefix for all statics of the class. */
static zend_string *entries_prefix(zend_string *class, const char *member, size_t length)
{
    smart_str prefix = {0};
    zend_string *lower = zend_string_tolower(class);
    smart_str_appendl(&prefix, LARDER_STATICS_KEY, sizeof LARDER_STATICS_KEY - 1);
    smart_str_append(&prefix, lower);
    smart_str_appendc(&prefix, '\0');
    if (member != NULL) {
        smart_str_appendl(&prefix, member, length);
        smart_str_appendc(&prefix, '\0');
    }
    smart_str_0(&prefix);
    zend_string_release(lower);
    return prefix.s;
}

/* Return the next key that begins with `prefix`, or NULL if there is none. The caller must release
 * the key. */
static zend_string *entries_next(lrd_store *store, lrd_cursor *cursor, const zend_string *prefix)
{
    lrd_value value;
    lrd_entry entry;
    for (;;) {
        int rc;
        LARDER_CALL(rc, lrd_next(store, cursor, &value));
        if (rc != LRD_OK)
            return NULL;
        if (lrd_value_entry(store, &value, &entry) == LRD_OK && entry.key_len > ZSTR_LEN(prefix) &&
            memcmp(entry.key, ZSTR_VAL(prefix), ZSTR_LEN(prefix)) == 0)
            return zend_string_init(entry.key, entry.key_len, 0);
    }
}

/* Return true if the string has the form of a class name in a namespace. */
static bool entries_names_class(const zend_string *name)
{
    const char *at = ZSTR_VAL(name);
    return strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_\\") ==
               ZSTR_LEN(name) &&
           strchr(at, '\\') != NULL;
}

/* Find a class, with autoloaders if `load`. Their exceptions are dropped, but an exit() takes
 * effect. */
static zend_class_entry *entries_find_class(zend_string *name, bool load)
{
    if (ZSTR_LEN(name) == 0 || EG(exception))
        return NULL;
    zend_class_entry *ce =
        zend_lookup_class_ex(name, NULL, load ? 0 : ZEND_FETCH_CLASS_NO_AUTOLOAD);
    if (EG(exception) && !zend_is_unwind_exit(EG(exception)) &&
        !zend_is_graceful_exit(EG(exception)))
        zend_clear_exception();
    return ce;
}

/* Return true if the class declares statics of this request. */
static bool entries_has_statics(const zend_class_entry *ce)
{
    const struct larder_statics *all = LARDER_G(statics);
    for (const larder_static *s = all != NULL ? all->first : NULL; s != NULL; s = s->next)
        if (s->ce == ce)
            return true;
    return false;
}

bool larder_statics_delete(lrd_store *store, zend_string *class_name)
{
    bool any = false;
    if (!LARDER_G(statics_on))
        return false;
    zend_string *class = entries_class(class_name);
    const zend_class_entry *ce = entries_find_class(class, entries_names_class(class));
    if (ce != NULL && entries_has_statics(ce)) {
        /* publish changes now, so that they are not stored after the deletion */
        larder_statics_flush();
        lrd_cursor cursor = {0};
        zend_string *key, *prefix = entries_prefix(ce->name, NULL, 0);
        while ((key = entries_next(store, &cursor, prefix)) != NULL) {
            int rc;
            LARDER_CALL(rc, lrd_delete(store, ZSTR_VAL(key), ZSTR_LEN(key)));
            any |= rc == LRD_OK;
            zend_string_release(key);
        }
        zend_string_release(prefix);
    }
    zend_string_release(class);
    return any;
}

zend_string *larder_static_entry(larder_kind kind, zend_string *property, zend_string *class_name)
{
    lrd_store *store = larder_store(kind);
    const struct larder_statics *all;
    const char *member = ZSTR_VAL(property);
    size_t length = ZSTR_LEN(property);
    if (store == NULL)
        return NULL;
    larder_statics_flush();
    if (*member == '$') {
        member++;
        length--;
    }
    zend_string *class = entries_class(class_name), *found = NULL;
    zend_class_entry *ce = entries_find_class(class, true);
    zend_property_info *info =
        ce != NULL ? zend_hash_str_find_ptr(&ce->properties_info, member, length) : NULL;
    if (info != NULL)
        ce = info->ce; /* the key of a static names the class that declares the property */
    zend_string *prefix = entries_prefix(ce != NULL ? ce->name : class, member, length);
    all = LARDER_G(statics);
    for (larder_static *s = all != NULL ? all->first : NULL; s != NULL && found == NULL;
         s = s->next)
        if (s->kind == kind && ZSTR_LEN(s->key) > ZSTR_LEN(prefix) &&
            memcmp(ZSTR_VAL(s->key), ZSTR_VAL(prefix), ZSTR_LEN(prefix)) == 0)
            found = zend_string_copy(s->key);
    lrd_cursor cursor = {0};
    if (found == NULL && ce == NULL && !EG(exception))
        found = entries_next(store, &cursor, prefix);
    zend_string_release(prefix);
    zend_string_release(class);
    return found;
}
