/* barrier.c - a write barrier made of page protection. The first write to a read-only page faults.
 * The handler of SIGSEGV makes the page writable, records the write, and asks the engine to call
 * zend_interrupt_function. That call publishes the change and protects the page again (publish.c).
 * Begin reading at barrier_fault().
 *
 * Invariants
 * - The pages of all threads lie in one range of addresses, which is never unmapped. So the handler
 *   recognises Larder's faults by the address, without a lock.
 * - Only the thread that owns a page writes to the page's record.
 * - All other faults go to the previous handler, as if the kernel had called it. If there is no
 *   previous handler, the instruction faults again with the default action, so that the core dump
 *   shows the instruction.
 * - A handler that a program installs later gets Larder's faults first, and must pass them on. The
 *   next request with statics installs Larder's handler in front of it.
 * - Behind each page, or pair of pages, lies an unused page, so making a page writable never splits
 *   a mapping. A split would fail in a process with vm.max_map_count mappings.
 * - A page that cannot be protected counts as written to.
 * - The engine writes to the header of a PHP reference even if the value stays the same. So the
 *   header lies at the end of a writable page, and the value at the beginning of the next one; the
 *   two are a pair. */
#include "statics/barrier.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __GLIBC__
#define BARRIER_TLS __attribute__((tls_model("initial-exec")))
#else /* musl refuses the model initial-exec in a library that is loaded after program start */
#define BARRIER_TLS
#endif
#define BARRIER_PAGES 32768u /* of all threads together */
#define BARRIER_HANDLERS 8u  /* maximum number of previous handlers that Larder remembers */

typedef struct barrier_page {
    /* NULL if no thread owns the page: a fault then goes to the previous handlers */
    larder_barrier *owner;
    uint32_t next; /* the next page of the chain, or 0 */
    uint32_t used; /* number of values in the page */
    bool open;     /* true if the page is writable */
    /* true if the page was written to, or could not be protected */
    bool wrote;
} barrier_page;

typedef struct barrier_group {
    /* For each kind of page: head of a chain of pages. Only the first page of a chain may have
     * room. */
    uint32_t pages[LARDER_BARRIER_KINDS];
    uint32_t alone; /* head of the chain of pages that contain only one value */
    /* Head of the chain of page pairs; each pair contains one PHP reference. The link to the next
     * pair is in the second page of a pair. */
    uint32_t pairs;
} barrier_group;

/* address of page 0, which is never used, because the index 0 ends a chain */
static char *barrier_base;
static size_t barrier_page_size;
static uint32_t barrier_taken = 1;
static barrier_page barrier_pages[BARRIER_PAGES];
/* Heads of two chains of freed pages: one of single pages, and one of pairs of pages. In the chain
 * of pairs, `next` of a pair's first page leads to the next pair. */
static uint32_t barrier_spare[2];
/* protects barrier_taken, barrier_spare and the installation of handlers */
static pthread_mutex_t barrier_lock = PTHREAD_MUTEX_INITIALIZER;

/* The handlers that were installed before Larder's. The newest one is the last element, and is
 * called first. */
static struct sigaction barrier_before[BARRIER_HANDLERS];
static uint32_t barrier_befores;
/* number of previous handlers that are running for the current fault */
static __thread uint32_t barrier_depth BARRIER_TLS;

/* ---- the handler ---- */

static bool barrier_is_default(const struct sigaction *action)
{
    return !(action->sa_flags & SA_SIGINFO) &&
           (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN);
}

/* Do what the kernel would do for SIG_DFL or SIG_IGN. */
static void barrier_default(const struct sigaction *action, const siginfo_t *info)
{
    /* true if a process has sent the signal, false after a fault */
    bool sent = info->si_code <= 0;
    if (sent && action->sa_handler == SIG_IGN)
        return;
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigemptyset(&plain.sa_mask);
    sigaction(SIGSEGV, &plain, NULL);
    if (sent)
        /* SIGSEGV is blocked, so the new signal ends the process when the handler returns */
        raise(SIGSEGV);
}

static void barrier_call(const struct sigaction *action, int number, siginfo_t *info, void *context)
{
    sigset_t mask = action->sa_mask, now;
    struct sigaction plain = {.sa_handler = SIG_DFL};
    if (!(action->sa_flags & SA_NODEFER))
        sigaddset(&mask, SIGSEGV);
    pthread_sigmask(SIG_BLOCK, &mask, &now);
    if (action->sa_flags & SA_NODEFER) {
        sigemptyset(&mask);
        sigaddset(&mask, SIGSEGV);
        pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
    }
    if (action->sa_flags & SA_RESETHAND)
        sigaction(SIGSEGV, &plain, NULL);
    if (action->sa_flags & SA_SIGINFO)
        action->sa_sigaction(number, info, context);
    else
        action->sa_handler(number);
    pthread_sigmask(SIG_SETMASK, &now, NULL);
}

static void barrier_pass_on(int number, siginfo_t *info, void *context)
{
    uint32_t depth = barrier_depth;
    uint32_t count = __atomic_load_n(&barrier_befores, __ATOMIC_ACQUIRE);
    /* all previous handlers have passed the fault back to Larder's */
    if (depth >= count) {
        struct sigaction nobody = {.sa_handler = SIG_DFL};
        barrier_default(&nobody, info);
        return;
    }
    const struct sigaction *action = barrier_before + (count - 1 - depth);
    if (barrier_is_default(action)) {
        barrier_default(action, info);
        return;
    }
    barrier_depth = depth + 1;
    barrier_call(action, number, info, context);
    barrier_depth = depth;
}

/* Restore the default action, so that the next fault ends the process. */
static void barrier_give_up(const siginfo_t *info)
{
    static const char text[] =
        "Larder: a static cannot be assigned: the kernel refuses to make its page "
        "writable (see the limits of the process)\n";
    const struct sigaction nobody = {.sa_handler = SIG_DFL};
    ssize_t unused = write(STDERR_FILENO, text, sizeof text - 1);
    (void)unused;
    barrier_default(&nobody, info);
}

static void barrier_fault(int number, siginfo_t *info, void *context)
{
    int error = errno;
    uintptr_t at = (uintptr_t)info->si_addr - (uintptr_t)barrier_base;
    if (info->si_code == SEGV_ACCERR && at < (size_t)BARRIER_PAGES * barrier_page_size) {
        barrier_page *page = barrier_pages + at / barrier_page_size;
        char *start = barrier_base + at / barrier_page_size * barrier_page_size;
        if (page->owner != NULL) {
            if (mprotect(start, barrier_page_size, PROT_READ | PROT_WRITE) == 0) {
                page->open = page->wrote = true;
                page->owner->written = 1;
                zend_atomic_bool_store_ex(page->owner->interrupt, true);
            } else {
                barrier_give_up(info);
            }
            errno = error;
            return;
        }
    }
    barrier_pass_on(number, info, context);
    errno = error;
}

void larder_barrier_unblock(void)
{
    sigset_t faults;
    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    pthread_sigmask(SIG_UNBLOCK, &faults, NULL);
}

static bool barrier_is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == barrier_fault;
}

static bool barrier_is_same(const struct sigaction *a, const struct sigaction *b)
{
    return (a->sa_flags & SA_SIGINFO) == (b->sa_flags & SA_SIGINFO) &&
           (a->sa_flags & SA_SIGINFO ? a->sa_sigaction == b->sa_sigaction
                                     : a->sa_handler == b->sa_handler);
}

/* Install Larder's handler in front of the current one. */
static bool barrier_put_first(const struct sigaction *now)
{
    struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    ours.sa_sigaction = barrier_fault;
    sigemptyset(&ours.sa_mask);
    uint32_t count = barrier_befores;
    bool known = count != 0 && barrier_is_same(barrier_before + count - 1, now);
    /* If the list is full, drop the second oldest handler. Keep the oldest, which was installed
     * before Larder's own. */
    if (!known && count == BARRIER_HANDLERS) {
        memmove(barrier_before + 1, barrier_before + 2,
                (BARRIER_HANDLERS - 2) * sizeof *barrier_before);
        count--;
    }
    if (!known) {
        barrier_before[count] = *now;
        /* release: pairs with the load in barrier_pass_on() */
        __atomic_store_n(&barrier_befores, count + 1, __ATOMIC_RELEASE);
    }
    larder_barrier_unblock(); /* the parent process may have blocked the signal */
    return sigaction(SIGSEGV, &ours, NULL) == 0;
}

static bool barrier_reserve(void)
{
    long size = sysconf(_SC_PAGESIZE);
    if (size <= 0)
        return false;
    barrier_page_size = (size_t)size;
    void *base = mmap(NULL, BARRIER_PAGES * barrier_page_size, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return false;
    barrier_base = base;
    return true;
}

bool larder_barrier_install(void)
{
    struct sigaction now;
    bool good = true;
    /* reset the depth, because a previous handler may have called longjmp() */
    barrier_depth = 0;
    if (sigaction(SIGSEGV, NULL, &now) != 0)
        return false;
    if (EXPECTED(barrier_is_ours(&now)))
        return true;
    pthread_mutex_lock(&barrier_lock);
    if (barrier_base == NULL)
        good = barrier_reserve();
    /* another thread may have installed Larder's handler meanwhile */
    good = good && sigaction(SIGSEGV, NULL, &now) == 0 &&
           (barrier_is_ours(&now) || barrier_put_first(&now));
    pthread_mutex_unlock(&barrier_lock);
    return good;
}

/* ---- pages ---- */

static char *barrier_start(uint32_t page) { return barrier_base + page * barrier_page_size; }

static uint32_t barrier_page_of(const void *value)
{
    return (uint32_t)((size_t)((const char *)value - barrier_base) / barrier_page_size);
}

static bool barrier_allow(uint32_t page, uint32_t count, int protection)
{
    return mprotect(barrier_start(page), count * barrier_page_size, protection) == 0;
}

static void barrier_give(uint32_t first, uint32_t count)
{
    pthread_mutex_lock(&barrier_lock);
    barrier_pages[first].next = barrier_spare[count - 1];
    barrier_spare[count - 1] = first;
    pthread_mutex_unlock(&barrier_lock);
}

/* Take `count` (1 or 2) neighbouring pages, empty and writable. Returns the number of the first
 * page, or 0 if none is left. */
static uint32_t barrier_take(larder_barrier *barrier, uint32_t count)
{
    uint32_t *spare = barrier_spare + (count - 1), first;
    if (barrier->groups == NULL) {
        barrier->groups = calloc(1, sizeof *barrier->groups);
        if (barrier->groups == NULL)
            return 0;
    }
    pthread_mutex_lock(&barrier_lock);
    first = *spare;
    if (first != 0) {
        *spare = barrier_pages[first].next;
    } else if (barrier_taken + count + 1 <= BARRIER_PAGES) {
        first = barrier_taken;
        barrier_taken += count + 1;
    }
    pthread_mutex_unlock(&barrier_lock);
    if (first == 0)
        return 0;
    if (!barrier_allow(first, count, PROT_READ | PROT_WRITE)) {
        barrier_give(first, count);
        return 0;
    }
    barrier_pages[first + count - 1] = (barrier_page){.owner = barrier, .open = true};
    return first;
}

zval *larder_barrier_value_alone(larder_barrier *barrier)
{
    uint32_t page = barrier_take(barrier, 1);
    if (page == 0)
        return NULL;
    barrier_pages[page].next = barrier->groups->alone;
    barrier->groups->alone = page;
    return (zval *)(void *)barrier_start(page);
}

zval *larder_barrier_value(larder_barrier *barrier, larder_barrier_kind kind)
{
    uint32_t page = barrier->groups != NULL ? barrier->groups->pages[kind] : 0;
    if (page == 0 || barrier_pages[page].used == barrier_page_size / sizeof(zval)) {
        uint32_t fresh = barrier_take(barrier, 1);
        if (fresh == 0)
            return NULL;
        barrier_pages[fresh].next = page;
        barrier->groups->pages[kind] = page = fresh;
    }
    if (!barrier_pages[page].open) {
        if (!barrier_allow(page, 1, PROT_READ | PROT_WRITE))
            return NULL;
        barrier_pages[page].open = true;
    }
    return (zval *)(void *)barrier_start(page) + barrier_pages[page].used++;
}

zend_reference *larder_barrier_reference(larder_barrier *barrier)
{
    _Static_assert(offsetof(zend_reference, val) == sizeof(zend_refcounted_h),
                   "the value begins where the header ends");
    uint32_t first = barrier_take(barrier, 2);
    if (first == 0)
        return NULL;
    barrier_pages[first + 1].next = barrier->groups->pairs;
    barrier->groups->pairs = first + 1;
    return (zend_reference *)(void *)(barrier_start(first + 1) - offsetof(zend_reference, val));
}

bool larder_barrier_open(const zval *value) { return barrier_pages[barrier_page_of(value)].open; }

bool larder_barrier_wrote(const zval *value) { return barrier_pages[barrier_page_of(value)].wrote; }

void larder_barrier_forget(const zval *value)
{
    barrier_pages[barrier_page_of(value)].wrote = false;
}

void larder_barrier_protect(const zval *value)
{
    barrier_page *page = barrier_pages + barrier_page_of(value);
    if (!page->open)
        return;
    if (barrier_allow(barrier_page_of(value), 1, PROT_READ))
        page->open = false;
    else
        page->wrote = true;
}

static void barrier_lift_page(uint32_t page)
{
    if (!barrier_pages[page].open && barrier_allow(page, 1, PROT_READ | PROT_WRITE))
        barrier_pages[page].open = true;
}

void larder_barrier_lift_one(const zval *value) { barrier_lift_page(barrier_page_of(value)); }

static void barrier_lift_chain(uint32_t page)
{
    for (; page != 0; page = barrier_pages[page].next)
        barrier_lift_page(page);
}

void larder_barrier_lift(larder_barrier *barrier)
{
    if (barrier->groups == NULL)
        return;
    for (int kind = 0; kind < LARDER_BARRIER_KINDS; kind++)
        barrier_lift_chain(barrier->groups->pages[kind]);
    barrier_lift_chain(barrier->groups->alone);
    barrier_lift_chain(barrier->groups->pairs);
}

static void barrier_empty_chain(uint32_t *chain, uint32_t before)
{
    uint32_t page = *chain;
    *chain = 0;
    while (page != 0) {
        uint32_t next = barrier_pages[page].next;
        barrier_pages[page].owner = NULL;
        barrier_give(page - before, 1 + before);
        page = next;
    }
}

void larder_barrier_empty(larder_barrier *barrier)
{
    barrier->written = 0;
    if (barrier->groups == NULL)
        return;
    for (int kind = 0; kind < LARDER_BARRIER_KINDS; kind++)
        barrier_empty_chain(barrier->groups->pages + kind, 0);
    barrier_empty_chain(&barrier->groups->alone, 0);
    barrier_empty_chain(&barrier->groups->pairs, 1);
}

void larder_barrier_end(larder_barrier *barrier)
{
    larder_barrier_empty(barrier);
    free(barrier->groups);
    barrier->groups = NULL;
}
