/* search.h - the search of the iterators of the layers for APCu and immutable_cache: keys that
 * match a regular expression, keys of a list, or all. */
#ifndef LARDER_COMPAT_SEARCH_H
#define LARDER_COMPAT_SEARCH_H

#include "php_larder.h"
#include "ext/pcre/php_pcre.h"

typedef struct larder_search {
    pcre_cache_entry *regex; /* NULL: none */
    pcre2_match_data *match; /* for regex */
    zend_array *keys;        /* each key once, as an array key; NULL: no list, so all keys */
} larder_search;

/* Begin a search from a constructor's argument. NULL, and any value that is neither a string nor an
 * array, matches all keys. An int in a list is a key if `numbers`. Returns false if an exception is
 * set. The caller frees the search in any case. */
bool larder_search_begin(larder_search *search, zval *argument, bool numbers);
bool larder_search_matches(const larder_search *search, const char *key, size_t length);
void larder_search_end(larder_search *search);

#endif
