/* preload.c - see preload.h. */
#include "compat/preload.h"
#include "format/format.h"
#include "put/put.h"
#include "ext/standard/php_var.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* This function must not bail out between open() and close(), because the file would stay open. */
zend_string *larder_preload_read(const char *path, const char **wrong)
{
    struct stat file;
    size_t used = 0;
    ssize_t got = 0;
    *wrong = "not a file that can be read";
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
        return NULL;
    zend_string *text = zend_string_alloc((size_t)file.st_size, 0);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && used < ZSTR_LEN(text) &&
           (got = read(fd, ZSTR_VAL(text) + used, ZSTR_LEN(text) - used)) > 0)
        used += (size_t)got;
    int error = errno;
    if (fd >= 0)
        close(fd);
    if (fd < 0 || got < 0) {
        *wrong = strerror(error);
        zend_string_release(text);
        return NULL;
    }
    ZSTR_LEN(text) = used;
    ZSTR_VAL(text)[used] = '\0';
    return text;
}

bool larder_preload_parse(const zend_string *text, zval *value, size_t *wrong_at)
{
    const unsigned char *start = (const unsigned char *)ZSTR_VAL(text), *at = start;
    const unsigned char *end = at + ZSTR_LEN(text);
    php_unserialize_data_t data;
    HashTable none;
    zend_hash_init(&none, 0, NULL, NULL, 0);
    /* Raise serialize_lock, so that references in `text` cannot refer to values of an outer
     * unserialize(). */
    BG(serialize_lock)
    ++;
    PHP_VAR_UNSERIALIZE_INIT(data);
    php_var_unserialize_set_allowed_classes(data, &none);
    ZVAL_UNDEF(value);
    bool good = php_var_unserialize(value, &at, end, &data);
    PHP_VAR_UNSERIALIZE_DESTROY(data);
    BG(serialize_lock)--;
    zend_hash_destroy(&none);
    static const char blank[] = {' ', '\t', '\r', '\n'};
    while (good && at < end && memchr(blank, *at, sizeof blank) != NULL)
        at++;
    *wrong_at = (size_t)(at - start);
    return good && at == end;
}

static bool preload_is_plain(const zval *value)
{
    zval *element;
    if (Z_TYPE_P(value) != IS_ARRAY)
        return Z_TYPE_P(value) < IS_OBJECT;
    ZEND_HASH_FOREACH_VAL(Z_ARR_P(value), element)
        if (!preload_is_plain(element))
            return false;
    ZEND_HASH_FOREACH_END();
    return true;
}

int larder_preload_add(larder_format format, lrd_store *store, zend_string *key,
                       const zend_string *text, zval *value)
{
    static const larder_blame blame = {.argument = 1, .root = "$value", .lenient = true};
    zend_string *name = larder_layer_key(key);
    int rc;
    larder_target to = {.store = store, .key = name, .mode = LRD_ADD};
    if (preload_is_plain(value))
        rc = larder_put_as(format, &to, value, &blame);
    else
        LARDER_CALL(rc,
                    lrd_put(store, ZSTR_VAL(name), ZSTR_LEN(name), ZSTR_VAL(text), ZSTR_LEN(text),
                            &(lrd_write){.mode = LRD_ADD, .type = LARDER_SERIALIZED}));
    zend_string_release(name);
    return rc;
}
