/* search.h - the search of APCUIterator and ImmutableCacheIterator: keys that match a regular
 * expression, keys of a list, or all keys. */
#ifndef LARDER_COMPAT_SEARCH_H
#define LARDER_COMPAT_SEARCH_H

#include "php_larder.h"
#include "ext/pcre/php_pcre.h"

typedef struct larder_search {
    pcre_cache_entry *regex; /* NULL: none */
    pcre2_match_data *match; /* for regex */
    zend_array *keys;        /* the keys of this array; NULL: there is no list */
} larder_search;

/* Begin a search, from an argument of a constructor. A string is a regular expression, an array is
 * a list of keys, and anything else selects all keys. numbers: ints in a list count as keys.
 * Returns false if an exception is set. The caller frees the search in any case. */
bool larder_search_begin(larder_search *search, zval *argument, bool numbers);
bool larder_search_matches(const larder_search *search, const char *key, size_t length);
void larder_search_end(larder_search *search);

#endif
