/* jit.c - stops opcache's JIT from losing the values of variables, by replacing the value of
 * opcache.jit wherever it is set. The setting still shows the original value.
 *
 * The tracing JIT of PHP 8.4 and later, and the function JIT of all versions, may fail to write a
 * register back at an interrupt, so a loop may never end. With the new value, the JIT uses
 * registers only within one block of code. */
#include "statics/internal.h"

#define JIT_TRACING_LOSES (PHP_VERSION_ID >= 80400)

static ZEND_INI_MH((*jit_next_modify));

static bool jit_is_tracing(const char *value)
{
    static const char *const names[] = {"tracing", "1", "on", "yes", "true"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(value, names[i]) == 0)
            return true;
    return false;
}

/* Return the number for opcache.jit that selects the same JIT, but keeps no variable in a register
 * across rounds of a loop. Returns 0 if `value` needs no change.
 *
 * PHP's manual calls the digits C, R, T and O. R = 2 allows registers in a whole function or trace,
 * R = 1 only in a block. T = 5 selects the tracing JIT. */
static zend_long jit_spared(const char *value)
{
    if (jit_is_tracing(value))
        return JIT_TRACING_LOSES ? 1154 : 0;
    if (strcasecmp(value, "function") == 0)
        return 1105;
    char *end;
    zend_long number = ZEND_STRTOL(value, &end, 10);
    if (*end != '\0' || number < 0 || number / 100 % 10 != 2)
        return 0;
    return JIT_TRACING_LOSES || number / 10 % 10 != 5 ? number - 100 : 0;
}

static ZEND_INI_MH(jit_modify)
{
    zend_long number = new_value != NULL ? jit_spared(ZSTR_VAL(new_value)) : 0;
    if (number == 0)
        return jit_next_modify(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
    zend_string *spared = zend_long_to_str(number);
    int rc = jit_next_modify(entry, spared, mh_arg1, mh_arg2, mh_arg3, stage);
    zend_string_release(spared);
    return rc;
}

void larder_statics_jit(void)
{
    zend_ini_entry *entry = zend_hash_str_find_ptr(EG(ini_directives), ZEND_STRL("opcache.jit"));
    if (entry == NULL || entry->on_modify == NULL)
        return;
    jit_next_modify = entry->on_modify;
    entry->on_modify = jit_modify;
    jit_modify(entry, entry->value, entry->mh_arg1, entry->mh_arg2, entry->mh_arg3,
               ZEND_INI_STAGE_STARTUP);
}
