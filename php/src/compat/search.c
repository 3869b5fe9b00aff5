/* search.c - see search.h. */
#include "compat/search.h"

/* pcre2_match() has different names in PHP's own PCRE and in the system's. __asm__ is necessary
 * because a header of PHP renames the functions in C. */
typedef int search_match(const pcre2_code *, PCRE2_SPTR, PCRE2_SIZE, PCRE2_SIZE, uint32_t,
                         pcre2_match_data *, pcre2_match_context *);
extern search_match search_system __asm__("pcre2_match_8") __attribute__((weak));
extern search_match search_bundled __asm__("php_pcre2_match") __attribute__((weak));

static bool search_compile(larder_search *search, zend_string *pattern)
{
    pcre_cache_entry *regex = pcre_get_compiled_regex_cache(pattern);
    if (regex == NULL) { /* PHP has raised a warning about the pattern */
        if (!EG(exception))
            zend_throw_error(NULL, "Could not compile regular expression: %s", ZSTR_VAL(pattern));
        return false;
    }
    php_pcre_pce_incref(regex);
    search->regex = regex;
    search->match = php_pcre_create_match_data(0, php_pcre_pce_re(regex));
    if (search->match == NULL)
        zend_throw_error(NULL, "Could not allocate memory for a regular expression");
    return search->match != NULL;
}

static void search_list(larder_search *search, HashTable *list, bool numbers)
{
    zval *element;
    search->keys = zend_new_array(zend_hash_num_elements(list));
    zend_hash_real_init_mixed(search->keys);
    ZEND_HASH_FOREACH_VAL(list, element)
        ZVAL_DEREF(element);
        if (Z_TYPE_P(element) != IS_STRING && (!numbers || Z_TYPE_P(element) != IS_LONG))
            continue;
        zend_string *key = zval_get_string(element);
        zend_hash_add_empty_element(search->keys, key);
        zend_string_release(key);
    ZEND_HASH_FOREACH_END();
}

bool larder_search_begin(larder_search *search, zval *argument, bool numbers)
{
    larder_search_end(search);
    if (argument != NULL && Z_TYPE_P(argument) == IS_STRING && Z_STRLEN_P(argument) != 0)
        return search_compile(search, Z_STR_P(argument));
    if (argument != NULL && Z_TYPE_P(argument) == IS_ARRAY)
        search_list(search, Z_ARR_P(argument), numbers);
    return true;
}

bool larder_search_matches(const larder_search *search, const char *key, size_t length)
{
    if (search->keys != NULL)
        return zend_hash_str_exists(search->keys, key, length);
    if (search->regex == NULL)
        return true;
    search_match *match = search_system != NULL ? search_system : search_bundled;
    return match(php_pcre_pce_re(search->regex), (PCRE2_SPTR)key, length, 0, 0, search->match,
                 php_pcre_mctx()) >= 0;
}

void larder_search_end(larder_search *search)
{
    if (search->match != NULL)
        php_pcre_free_match_data(search->match);
    if (search->regex != NULL)
        php_pcre_pce_decref(search->regex);
    if (search->keys != NULL)
        zend_array_destroy(search->keys);
    *search = (larder_search){.regex = NULL};
}
