/* search.h - the search of APCUIterator and ImmutableCacheIterator: a regular expression, a list of
 * keys, or all keys. */
#ifndef LARDER_COMPAT_SEARCH_H
#define LARDER_COMPAT_SEARCH_H

#include "php_larder.h"
#include "ext/pcre/php_pcre.h"

typedef struct larder_search {
    pcre_cache_entry *regex; /* NULL if there is no regular expression */
    pcre2_match_data *match; /* for the matches of `regex` */
    /* an array whose keys are the keys of the list, or NULL */
    zend_array *keys;
} larder_search;

/* Begin a search for keys. A non-empty string as `argument` is a regular expression. An array is a
 * list of keys, which may contain ints if `numbers` is true. Anything else selects all keys.
 * Returns false if an exception is set. The caller must end the search in any case. */
bool larder_search_begin(larder_search *search, zval *argument, bool numbers);
bool larder_search_matches(const larder_search *search, const char *key, size_t length);
void larder_search_end(larder_search *search);

#endif
