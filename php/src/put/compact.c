/* compact.c - see compact.h. */
#include "put/compact.h"
#include "fetch/igbinary.h"
#include "format/format.h"
#include "put/put.h"
#include "request/serializer.h"
#include "php_ini.h"

/* Return true if the user has set this INI setting. cfg_get_entry() does not find a value that an
 * FPM pool sets, so detect such a value by its string, which is not interned. */
static bool format_is_set(const zend_ini_entry *entry)
{
    return entry->modified || !ZSTR_IS_INTERNED(entry->value) ||
           cfg_get_entry(ZSTR_VAL(entry->name), ZSTR_LEN(entry->name)) != NULL;
}

larder_format larder_format_of(const char *directive)
{
    const zend_ini_entry *entry =
        zend_hash_str_find_ptr(EG(ini_directives), directive, strlen(directive));
    if (entry == NULL || entry->value == NULL || !format_is_set(entry) ||
        zend_string_equals_literal(entry->value, "default"))
        return LARDER_FORMAT_SHARED;
    if (zend_string_equals_literal(entry->value, "php"))
        return LARDER_FORMAT_PHP;
    bool known = zend_string_equals_literal(entry->value, "igbinary");
    if (known && zend_hash_str_exists(&module_registry, ZEND_STRL("igbinary")))
        return LARDER_FORMAT_IGBINARY;
    if (php_during_module_startup())
        zend_error(E_CORE_WARNING, "%s = \"%s\": %s; values are stored as with \"default\"",
                   directive, ZSTR_VAL(entry->value),
                   known ? "igbinary is not loaded" : "must be default, php or igbinary");
    return LARDER_FORMAT_SHARED;
}

/* Serialize a value with igbinary. Returns NULL after an exception or a warning. */
static zend_string *igbinary_text(zval *value)
{
    zend_function *serialize = larder_igbinary_function("igbinary_serialize");
    larder_serializer outer;
    zval text;
    if (serialize == NULL)
        return NULL;
    larder_serializer_begin(&outer);
    zend_call_known_function(serialize, NULL, NULL, &text, 1, value, NULL);
    larder_serializer_end(&outer);
    if (EXPECTED(Z_TYPE(text) == IS_STRING) && EXPECTED(!EG(exception)))
        return Z_STR(text);
    zval_ptr_dtor(&text);
    return NULL;
}

static int compact_put(larder_format format, const larder_target *to, zval *value,
                       const larder_blame *blame)
{
    bool heap;
    if (!larder_serializable_as_text(value, blame, &heap))
        return LRD_EINVAL;
    if (UNEXPECTED(heap))
        return larder_put(to, value, blame);
    zend_string *text =
        format == LARDER_FORMAT_IGBINARY ? igbinary_text(value) : larder_serialize(value);
    if (text == NULL)
        return LRD_EINVAL;
    int rc = larder_put_text(
        to, text, format == LARDER_FORMAT_IGBINARY ? LARDER_IGBINARY : LARDER_SERIALIZED);
    zend_string_release(text);
    return rc;
}

int larder_put_as(larder_format format, const larder_target *to, zval *value,
                  const larder_blame *blame)
{
    larder_blame serializers = *blame;
    zval own; /* keeps the value alive if a hook releases all other references */
    ZVAL_DEREF(value);
    if (format == LARDER_FORMAT_SHARED || Z_TYPE_P(value) < IS_ARRAY ||
        (Z_TYPE_P(value) == IS_ARRAY && zend_hash_num_elements(Z_ARR_P(value)) == 0))
        return larder_put(to, value, blame);
    /* the serializer handles resources */
    serializers.resource = NULL;
    ZVAL_COPY(&own, value);
    int rc = compact_put(format, to, &own, &serializers);
    zval_ptr_dtor(&own);
    return rc;
}
