/* jit.c - keeps variables out of the registers of opcache's JIT where it loses them.
 *
 * Its loops check vm_interrupt before they begin again. If it is set they go to the engine's
 * interrupt handler, but do not always store variables first that are in a register only, like the
 * counter of a for loop. This is true of the tracing JIT from PHP 8.4 on, and of the JIT of
 * functions. The engine continues with an older value: it counts again, and for ever if each round
 * writes to a static. Any interrupt has this effect, also with pcntl_async_signals(), but
 * interrupts for statics are frequent.
 *
 * opcache.jit decides, among other things, which variables are in registers. Each value, from
 * php.ini, from a pool of php-fpm, or set at run time, is changed so that registers are used
 * only within single blocks of code. The directive still shows the value that was set. */
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

/* Return the number of the same JIT, but with no variable in a register when a loop begins
 * again; 0: the number is such a one already. Numbers are CRTO. R is 2 for registers throughout
 * a function or trace, 1 for registers within a block. T is 5 for traces. */
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
