/* log.c - writes to PHP's error log. Escapes control characters, which might send commands to a
 * terminal. */
#include "stores/log.h"

#include <syslog.h>

void larder_log(const char *text)
{
    char line[2048];
    size_t used = 0;
    const unsigned char *at = (const unsigned char *)text;
    for (; *at != '\0' && used + sizeof "\\x00\\x00" <= sizeof line; at++) {
        bool second = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0; /* U+0080 to U+009F */
        if (second)
            used += (size_t)snprintf(line + used, sizeof line - used, "\\xc2\\x%02x", *++at);
        else if (*at < 0x20 || *at == 0x7f)
            used += (size_t)snprintf(line + used, sizeof line - used, "\\x%02x", *at);
        else
            line[used++] = (char)*at;
    }
    line[used] = '\0';
    php_log_err_with_severity(line, LOG_WARNING);
}
