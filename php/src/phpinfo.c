/* phpinfo.c - the section of phpinfo(). Shows facts from every folder. */
#include "api/info.h"
#include "compat/compat.h"
#include "fetch/resident.h"
#include "files/files.h"
#include "queue/queue.h"
#include "session/session.h"
#include "stores/fpm.h"
#include "stores/named.h"
#include "stores/settings.h"
#include "stores/stores.h"
#include "stores/table.h"
#include "SAPI.h"
#include "ext/standard/info.h"

#include <sys/prctl.h>
#include <unistd.h>

static void info_row(const char *name, const char *format, ...)
{
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    php_info_print_table_row(2, name, text);
}

static void info_pool(void)
{
    char name[128];
    larder_fpm_name(name, sizeof name);
    info_row("Store", "of this FPM pool%s%s%s, shared by its workers only",
             name[0] != '\0' ? " (" : "", name, name[0] != '\0' ? ")" : "");
    if (prctl(PR_GET_DUMPABLE) == 1)
        info_row("Isolation", "weak: this process is dumpable (process.dumpable, or FPM was not "
                              "started by root), so others of its user can read its memory");
}

/* Return true if reading the state would create the store's file, perhaps as root (`php --ri
 * larder`). */
static bool info_unmade(larder_kind kind, char *path, size_t size)
{
    char reason[LARDER_REASON_MAX] = "";
    const larder_place *place = larder_place_of(kind);
    if (strcmp(sapi_module.name, "cli") != 0 || place->store != NULL || !place->lazy ||
        !larder_settings_path(kind, NULL, path, size, reason, sizeof reason) || path[0] == '\0')
        return false;
    larder_named_find(path, size);
    return access(path, F_OK) != 0;
}

static void info_store(larder_kind kind)
{
    larder_info_state state;
    const double mib = 1 << 20;
    char path[512];
    if (info_unmade(kind, path, sizeof path)) {
        php_info_print_table_start();
        php_info_print_table_header(2, larder_store_table[kind].title, "on");
        info_row("Store", "%s, which is made when it is first used", path);
        php_info_print_table_end();
        return;
    }
    larder_info_read(kind, &state);
    php_info_print_table_start();
    php_info_print_table_header(2, larder_store_table[kind].title,
                                state.store != NULL ? "on" : "off");
    if (state.store == NULL) {
        info_row("Why it is off", "%s",
                 state.place->reason[0] != '\0' ? state.place->reason : "not usable here");
        php_info_print_table_end();
        return;
    }
    uint64_t reads = state.stats.hits + state.stats.misses;
    if (state.place->pool)
        info_pool();
    else
        info_row("Store", "%s",
                 state.place->path[0] != '\0'
                     ? state.place->path
                     : "anonymous, shared by the processes of this server");
    info_row("Memory", "%.1f MiB used by values, %.1f MiB claimed, of %.1f MiB",
             (double)state.stats.live_bytes / mib, (double)state.stats.page_bytes / mib,
             (double)state.info.size / mib);
    if (kind == LARDER_QUEUES) {
        larder_queue_phpinfo(state.store);
        php_info_print_table_end();
        return;
    }
    info_row("Entries", "%llu of at most %llu", (unsigned long long)state.stats.entries,
             (unsigned long long)state.info.entries_max);
    info_row("Largest value", "%.1f MiB", (double)state.info.value_max / mib);
    info_row("Reads", "%llu hit%s, %llu miss%s (%.1f %% hits), %llu answered with a copy",
             (unsigned long long)state.stats.hits, state.stats.hits == 1 ? "" : "s",
             (unsigned long long)state.stats.misses, state.stats.misses == 1 ? "" : "es",
             reads != 0 ? 100.0 * (double)state.stats.hits / (double)reads : 0.0,
             (unsigned long long)state.stats.copies);
    info_row("Writes", "%llu new, %llu replaced, %llu deleted, %llu refused",
             (unsigned long long)state.stats.inserts, (unsigned long long)state.stats.replaces,
             (unsigned long long)state.stats.deletes, (unsigned long long)state.stats.refused);
    for (int cause = 0; cause < LRD_REFUSALS; cause++)
        if (state.stats.refused_by[cause] != 0)
            info_row("Refused", "%llu: %s", (unsigned long long)state.stats.refused_by[cause],
                     lrd_refusal_text(cause));
    if (state.stats.memory_short != 0)
        info_row("File system", "full, noticed %llu time%s: the stored values must fit its size",
                 (unsigned long long)state.stats.memory_short,
                 state.stats.memory_short == 1 ? "" : "s");
    info_row("Left", "%llu evicted, %llu expired", (unsigned long long)state.stats.evicted,
             (unsigned long long)state.stats.expired);
    info_row("Deaths survived", "%llu, of these %llu inside a write",
             (unsigned long long)state.stats.deaths, (unsigned long long)state.stats.recoveries);
    info_row("Processes and threads attached", "%llu of at most %u",
             (unsigned long long)state.stats.slots_used, state.info.slots);
    if (kind == LARDER_SESSIONS)
        larder_session_phpinfo();
    php_info_print_table_end();
}

void larder_phpinfo(void)
{
    const double mib = 1 << 20;
    char layers[128];
    uint32_t graphs;
    size_t bytes;
    larder_residents_usage(&graphs, &bytes);
    larder_compat_names(layers, sizeof layers);
    php_info_print_table_start();
    php_info_print_table_row(2, "Larder", PHP_LARDER_VERSION);
    info_row("Resident graphs of this worker",
             "%u in %.1f MiB of private memory, of at most %.1f MiB", graphs, (double)bytes / mib,
             (double)larder_configured.resident_size / mib);
    larder_files_phpinfo();
    if (layers[0] != '\0')
        php_info_print_table_row(2, "Stands in for", layers);
    php_info_print_table_end();
    for (int kind = 0; kind < LARDER_KINDS; kind++)
        if (larder_store_table[kind].caches || larder_configured.size[kind] != 0)
            info_store((larder_kind)kind);
}
