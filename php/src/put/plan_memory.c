/* plan_memory.c - the scratch memory of plans. It belongs to the thread and comes from malloc(), so
 * a bailout cannot leak it. */
#include "put/plan.h"
#include "format/hash.h"
#include "put/plan_table.h"
#include "put/put.h"
#include "request/memory.h"

#include <sys/random.h>

/* Initial sizes of the tables. All tables together must fit into one page of memory, because
 * getting a second page takes as long as storing a small value. */
#define PLAN_ROOM 8u
#define PLAN_CELLS 32u
/* maximum size (bytes) of scratch memory that is kept after a request */
#define PLAN_KEEP_MAX (1u << 20)

/* Resize memory like realloc(), but erase the old memory: the search for values in use (holds/)
 * must find no addresses there. */
static void *plan_moved(void *old, size_t old_size, size_t size)
{
    void *moved = malloc(size);
    if (moved == NULL || old == NULL)
        return moved;
    memcpy(moved, old, old_size);
    larder_erase_free(old, old_size);
    return moved;
}

bool larder_plan_grow(void **memory, uint32_t *room, size_t element)
{
    if (*room > LARDER_INDEX_MAX / 2)
        return false;
    uint32_t wanted = *room != 0 ? *room * 2 : PLAN_ROOM;
    void *grown = plan_moved(*memory, *room * element, wanted * element);
    if (grown == NULL)
        return false;
    *memory = grown;
    *room = wanted;
    return true;
}

bool larder_plan_grow_nodes(larder_plan *plan)
{
    uint32_t visited = plan->nodes_room;
    return larder_plan_grow((void **)&plan->visited, &visited, sizeof *plan->visited) &&
           larder_plan_grow((void **)&plan->nodes, &plan->nodes_room, sizeof *plan->nodes);
}

void *larder_plan_keep(larder_plan *plan, size_t size)
{
    if (UNEXPECTED(plan->page == NULL) ||
        UNEXPECTED(LARDER_PLANNED_PAGE - plan->page_used < size)) {
        larder_planned_page **next = plan->page == NULL ? &plan->pages : &plan->page->next;
        if (*next == NULL && (*next = calloc(1, sizeof **next)) == NULL)
            return NULL;
        plan->page = *next;
        plan->page_used = 0;
    }
    void *kept = plan->page->data + plan->page_used;
    plan->page_used += (uint32_t)size;
    return kept;
}

/* Double the number of cells. At most half of the cells are used, so the room for strings is half
 * the number of cells. */
bool larder_plan_rehash(larder_plan *plan)
{
    larder_cell *old = plan->cells;
    uint32_t old_room = plan->cells_room, room = old_room != 0 ? old_room * 2 : PLAN_CELLS;
    if (room > LARDER_INDEX_MAX)
        return false;
    larder_planned_string *strings = plan_moved(
        plan->strings, (size_t)old_room / 2 * sizeof *strings, (size_t)room / 2 * sizeof *strings);
    if (strings == NULL)
        return false;
    plan->strings = strings;
    larder_cell *cells = calloc(room, sizeof *cells);
    if (cells == NULL)
        return false;
    plan->cells = cells;
    plan->cells_room = room;
    plan->shift = 33 + (uint32_t)__builtin_clz(room);
    for (const larder_cell *cell = old; cell < old + old_room; cell++)
        if (cell->stamp == plan->stamp)
            *plan_find(plan,
                       cell->index & LARDER_CELL_ADDRESS
                           ? plan_address_hash(cell->source)
                           : ZSTR_H((const zend_string *)cell->source),
                       cell->source) = *cell;
    larder_erase_free(old, old_room * sizeof *old);
    return true;
}

/* Free the arrays from __serialize() that the plan has kept. If `ended` is true, PHP has freed them
 * at the end of the request already, so only their list is freed. */
static void plan_drop_lists(larder_plan *plan, bool ended)
{
    while (plan->lists != NULL) {
        larder_planned_list *list = plan->lists;
        plan->lists = list->next;
        if (!ended)
            zval_ptr_dtor(&list->told);
        larder_erase_free(list, sizeof *list);
    }
}

void larder_plan_done(void)
{
    larder_plan *plan = LARDER_G(plan);
    if (UNEXPECTED(plan != NULL) && UNEXPECTED(plan->lists != NULL))
        plan_drop_lists(plan, false);
}

static void plan_reuse(larder_plan *plan, const lrd_store *store)
{
    lrd_info info;
    plan->reuse_size = 0;
    if (EXPECTED(store == NULL))
        return;
    lrd_store_info(store, &info);
    plan->reuse = (uintptr_t)info.base;
    plan->reuse_size = info.size;
}

/* Return an odd multiplier for a hash. Its upper 16 bits come from the golden ratio, which spreads
 * neighbouring values best. Its lower bits are random. */
static uint64_t plan_multiplier(const larder_plan *plan)
{
    uint64_t bits;
    if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != sizeof bits)
        /* the kernel has no random bits yet */
        bits = (uint64_t)(uintptr_t)plan * LARDER_HASH_FACTOR;
    return (LARDER_HASH_FACTOR ^ bits >> 16) | 1;
}

larder_plan *larder_plan_begin(size_t limit, const lrd_store *reuse)
{
    larder_plan *plan = LARDER_G(plan);
    if (plan == NULL) {
        plan = LARDER_G(plan) = calloc(1, sizeof *plan);
        if (plan == NULL)
            return NULL;
        plan->multiplier = plan_multiplier(plan);
    }
    if (plan->cells_room == 0 && !larder_plan_rehash(plan))
        return NULL;
    plan->size = 0;
    plan->limit = limit;
    plan->arrays_used = plan->strings_used = plan->cells_used = 0;
    plan->nodes_used = plan->classes_used = plan->edges_used = 0;
    plan->targets_used = plan->visited_used = plan->order_used = 0;
    plan->marked = plan->calls = 0;
    plan->page = NULL;
    plan_drop_lists(plan, false);
    plan->unit = LARDER_NOWHERE;
    plan->found = LARDER_SOMEWHERE;
    plan_reuse(plan, reuse);
    plan->runs = plan->reuse_size == 0 ? MIN(limit, (size_t)LARDER_INDEX_MAX * 8) : 0;
    plan->shared = plan->referred = plan->references = plan->hooks = plan->cases = false;
    plan->again = plan->mixed = false;
    if (++plan->stamp == 0) {
        memset(plan->cells, 0, plan->cells_room * sizeof *plan->cells);
        plan->stamp = 1;
    }
    return plan;
}

static size_t plan_scratch(const larder_plan *plan)
{
    size_t pages = 0;
    for (const larder_planned_page *page = plan->pages; page != NULL; page = page->next)
        pages += sizeof *page;
    return plan->arrays_room * sizeof *plan->arrays + plan->cells_room / 2 * sizeof *plan->strings +
           plan->nodes_room * (sizeof *plan->nodes + sizeof *plan->visited) +
           plan->order_room * sizeof *plan->order + plan->classes_room * sizeof *plan->classes +
           plan->edges_room * sizeof *plan->edges + plan->targets_room * sizeof *plan->targets +
           plan->cells_room * sizeof *plan->cells + pages;
}

static void plan_overwrite(void *memory, size_t size)
{
    if (memory != NULL)
        larder_overwrite(memory, 0, size); /* larder_plan_free() will free the memory */
}

void larder_plan_erase(void)
{
    larder_plan *plan = LARDER_G(plan);
    if (plan == NULL || plan->stamp == plan->erased)
        return;
    plan_overwrite(plan->arrays, plan->arrays_room * sizeof *plan->arrays);
    plan_overwrite(plan->strings, plan->cells_room / 2 * sizeof *plan->strings);
    plan_overwrite(plan->nodes, plan->nodes_room * sizeof *plan->nodes);
    plan_overwrite(plan->classes, plan->classes_room * sizeof *plan->classes);
    plan_overwrite(plan->targets, plan->targets_room * sizeof *plan->targets);
    plan_overwrite(plan->cells, plan->cells_room * sizeof *plan->cells);
    for (larder_planned_page *page = plan->pages; page != NULL; page = page->next)
        plan_overwrite(page->data, sizeof page->data);
    plan->root = 0;
    plan->stamp = plan->erased = 1; /* the stamp of an empty cell is 0 */
}

void larder_plan_end(larder_plan *plan)
{
    if (plan == NULL)
        return;
    plan_drop_lists(plan, true);
    free(plan->arrays);
    free(plan->strings);
    free(plan->nodes);
    free(plan->visited);
    free(plan->order);
    free(plan->classes);
    free(plan->edges);
    free(plan->targets);
    for (larder_planned_page *page = plan->pages, *next; page != NULL; page = next) {
        next = page->next;
        free(page);
    }
    free(plan->cells);
    free(plan);
}

void larder_plan_free(void)
{
    if (LARDER_G(plan) == NULL)
        return;
    /* a bailout may have left arrays from __serialize() in the plan */
    plan_drop_lists(LARDER_G(plan), true);
    if (plan_scratch(LARDER_G(plan)) <= PLAN_KEEP_MAX)
        return;
    larder_plan_erase();
    larder_plan_end(LARDER_G(plan));
    LARDER_G(plan) = NULL;
}
