/* search.h - the search of the iterators of the layers for APCu and immutable_cache: keys that
 * match a regular expression, keys of a list, or all. */
#ifndef LARDER_COMPAT_SEARCH_H
#define LARDER_COMPAT_SEARCH_H

#include "php_larder.h"
#include "ext/pcre/php_pcre.h"

typedef struct larder_search {
    pcre_cache_entry *regex; /* NULL: none */
    pcre2_match_data *match; /* for regex */
    zend_array *keys;        /* each once, as keys; NULL: any */
} larder_search;

/* From a constructor's argument; NULL, and what is neither a string nor an array, is all. An int is
 * a key in a list where numbers says so. False: an exception is set. What there is is freed in any
 * case. */
bool larder_search_begin(larder_search *search, zval *argument, bool numbers);
bool larder_search_matches(const larder_search *search, const char *key, size_t length);
void larder_search_end(larder_search *search);

#endif
