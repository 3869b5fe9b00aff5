/* kill_everywhere.c - kills a process after each instruction of an operation, and checks the store
 * that it leaves.
 *
 * kill_everywhere [--long] [--only PART-OF-A-NAME] [--part I/N] [--pairs N] [--control NAME]
 *
 * A store is built once, and its file is saved: the checkpoint. For each instruction k of an
 * operation:
 * - A child starts from the checkpoint, runs k instructions under ptrace, and is killed.
 * - Another child, the survivor, reads every key before it writes. It takes the locks, checks the
 *   store (lrd_fsck()), counts bytes, rows and slots, and makes ordinary calls.
 * - Each key must be old or new, and all counts must fit one of the two outcomes.
 * - The file is restored.
 *
 * A child reaches instruction k quickly:
 * - One run records the whole operation step by step. A later run sets a breakpoint at a seldom
 *   passed instruction before k, goes on to it, and steps from there.
 * - One instruction may copy many bytes, a step for each. The run lowers its count register, so
 *   that the instruction ends at step k by itself.
 * - In long operations, not every instruction is tried (STEPS_MOST, BETWEEN).
 *
 * Recoveries are operations, too: after a death in a write, and after a recoverer's death. Other
 * runs have two processes:
 * - In a pair, the second process is stopped at an instruction while the first one is killed, and
 *   then continued. In some pairs, both recover the store, from opposite ends.
 * - A reader is stopped after each instruction, while a writer reuses the block that the reader
 *   reads.
 *
 * With --part I/N, the run begins with the Ith operation and takes each Nth one. The first part
 * includes the pairs. tools/kill-long.sh runs the parts in parallel.
 *
 * Exit code: 0 nothing bad, 1 something bad, 2 usage, 77 skipped, because single steps are not
 * possible here. With --control the core is broken on purpose (in a build with LRD_CONTROLS), and
 * the run ends with the first finding. Start reading at operation_kill(). */
#include "operations.h"

#include "internal.h"
#include "larder_host.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* An operation with at most this number of instructions is killed after each of them. */
#define STEPS_MOST 20000u
#define TRACE_MOST 3000000u /* more instructions than this are not recorded */
#define PAGE 4096u
#define SURVIVOR_SECONDS 60 /* a survivor that takes longer than this counts as hanging */
#define KEYS_MOST 3200
/* With --long, a longer operation is killed after each instruction that changes shared memory, and
 * after one in BETWEEN of its other instructions. */
#define BETWEEN 400u
#define SHORT_KILLS 160u /* maximum number of kills of one operation without --long */
#define EXIT_SKIPPED 77

#if defined(__x86_64__)
#define STEPS_HERE 1
#define TRAP_HERE() __asm__ volatile("int3" ::: "memory")
#else
/* aarch64 cannot run in single steps: a step between an exclusive load and its store makes the
 * store fail. */
#define STEPS_HERE 0
#define TRAP_HERE() raise(SIGTRAP)
#endif

/* ---- what a survivor finds ---- */

enum { ENTRIES, LIVE, ALLOCATED, RETIRED, DEAD, SLOTS, KEYLOCKS, EMPTIED, NUMBERS };
static const char *const number_names[NUMBERS] = {
    "entries",    "live bytes",   "allocated bytes", "retired bytes",
    "dead bytes", "slots in use", "reserved keys",   "emptied shards"};

typedef struct facts {
    uint64_t key[KEYS_MOST];
    uint64_t number[NUMBERS];
} facts;

/* Shared with all children. */
static struct shared {
    facts first, last; /* what the survivor reads before it writes anything, and at the end */
    gate is_open;
    _Atomic uint32_t pages_used;
    uint32_t page[4096]; /* the pages of the file to which the operation writes */
} * shared;

static struct {
    bool is_long;
    const char *only, *control;
    unsigned pairs, part, parts;
} settings;

static bool *broken; /* the flag that --control sets to break the core, or NULL */
static uint64_t kills, bad, instructions, changes_all, missed, steps_taken, tested;
static unsigned keys_used = KEYS;

static uint64_t fact_of(const lrd_value *value, const char *key, uint64_t ttl)
{
    if (value->type == LRD_TYPE_COUNTER)
        return mix((uint64_t)lrd_counter_value(value) ^ mix(ttl + 1));
    static char raw[4096];
    const void *data = value->data;
    size_t size = value->size;
    if (value->type == LRD_TYPE_PACKED) { /* compare the unpacked value */
        lrd_packed head;
        CHECK_OK(lrd_packed_open(data, size, &head));
        CHECK(head.raw <= sizeof raw);
        CHECK_OK(lrd_unpack(&head, raw));
        data = raw;
        size = head.raw;
    }
    CHECK(value_valid(data, size, key, strlen(key)));
    return mix(value_seed(data, size) + 77 * size) ^ mix(ttl + 2);
}

static void look_at_entries(facts *f)
{
    for (unsigned k = 0; k < keys_used; k++) {
        lrd_value value;
        lrd_entry entry;
        const char *key = key_of((int)k);
        int code = lrd_get(S, key, strlen(key), LRD_GET_BORROW, &value);
        CHECK(code == LRD_OK || code == LRD_MISS);
        f->key[k] = 0;
        if (code != LRD_OK)
            continue;
        CHECK_OK(lrd_value_entry(S, &value, &entry));
        f->key[k] = fact_of(&value, key, entry.ttl_ms);
        CHECK_OK(lrd_release(S, &value));
    }
}

/* Read all messages. Each byte of a body is the number of the message. */
static void look_at_messages(facts *f)
{
    const char *name;
    size_t name_len;
    memset(f->key, 0, sizeof f->key);
    for (lrd_queue q = 0; lrd_queue_name(S, q, &name, &name_len) == LRD_OK; q++) {
        lrd_message m;
        uint64_t cursor = 0;
        while (lrd_queue_next(S, q, &cursor, LRD_GET_BORROW, &m) == LRD_OK) {
            const unsigned char *body = m.value.data;
            CHECK(m.value.size > 0 && body[0] < KEYS);
            CHECK_EQ(body[m.value.size - 1], body[0]);
            /* The owner of a reserved message is dead, so the message counts as ready. drain()
             * checks that it can be popped. */
            uint64_t state = m.state == LRD_MESSAGE_RESERVED ? LRD_MESSAGE_READY : m.state;
            f->key[body[0]] += mix(m.value.size + state * 1000003 +
                                   (uint64_t)(int64_t)m.priority * 7919 + m.attempts * 104729u);
        }
    }
}

static void look(facts *f)
{
    if (S->queues != NULL)
        look_at_messages(f);
    else
        look_at_entries(f);
}

static void take_keys(void)
{
    static const char *const names[] = {"one", "two", "three"};
    if (S->queues != NULL)
        return;
    for (int i = 0; i < 3; i++) {
        CHECK_OK(lrd_lock(S, names[i], strlen(names[i]), 0, 0, NULL));
        CHECK_OK(lrd_unlock(S, names[i], strlen(names[i]), 0));
    }
}

static void count(facts *f, const operation *op)
{
    lrd_stats stats = stats_of(S);
    f->number[ENTRIES] = stats.entries;
    f->number[LIVE] = stats.live_bytes;
    f->number[ALLOCATED] = allocated_bytes(S);
    f->number[RETIRED] = stats.retired_bytes;
    f->number[DEAD] = stats.dead_bytes;
    f->number[SLOTS] = stats.slots_used;
    f->number[KEYLOCKS] = keylocks_used(S);
    f->number[EMPTIED] = stats.emptied_shards != 0;
    CHECK_EQ(stats.retired_bytes, 0);
    CHECK_EQ(stats.dead_bytes, 0);
    CHECK(stats.emptied_shards == 0 || (op->flags & EMPTIES));
    /* An operation that drops damaged data must count this repair. A repair that a death interrupts
     * may count twice, so any number above 0 is right. */
    CHECK(stats.emptied_shards != 0 || !(op->flags & EMPTIES));
    CHECK_EQ(stats.slots_used, 1);
    if (S->queues == NULL)
        CHECK_EQ(allocated_bytes(S), stats.live_bytes);
}

/* Pop and acknowledge all messages that are neither delayed nor buried. After that, no message may
 * still be reserved by a dead process. */
static void drain(lrd_queue q)
{
    lrd_message m;
    lrd_queue_stats stats;
    while (lrd_queue_pop(S, q, LRD_GET_BORROW, 0, 0, &m) == LRD_OK)
        CHECK_OK(lrd_queue_ack(S, q, m.id));
    CHECK_OK(lrd_queue_stats_get(S, q, &stats));
    CHECK_EQ(stats.ready + stats.reserved, 0);
}

static void go_on(void)
{
    static char body[600];
    memset(body, 63, sizeof body);
    if (S->queues != NULL) {
        lrd_message m;
        lrd_queue q;
        CHECK_OK(lrd_queue_open(S, "survivor", 8, 0, &q));
        CHECK_OK(lrd_queue_push(S, q, body, sizeof body, 1, NULL, NULL));
        CHECK_OK(lrd_queue_pop(S, q, LRD_GET_BORROW, 0, 0, &m));
        CHECK_OK(lrd_queue_ack(S, q, m.id));
        CHECK_OK(lrd_queue_open(S, "work", 4, 0, &q));
        drain(q);
    } else {
        CHECK_OK(put_value(S, "survivor", 300, 1, LRD_SET, 0));
        CHECK_OK(get_checked(S, "survivor", NULL, NULL));
        CHECK_OK(lrd_delete(S, "survivor", 8));
        take_keys();
    }
    CHECK_FSCK(S);
}

typedef struct survivor {
    const operation *op;
    /* True if another process is stopped. Writes may then be refused, so the survivor only reads,
     * and tries one write. */
    bool beside;
} survivor;

static void survive(void *arg)
{
    const survivor *s = arg;
    alarm(SURVIVOR_SECONDS);
#ifdef LRD_CONTROLS
    if (broken == &lrd__control_no_recovery || broken == &lrd__control_forget_owner)
        *broken = true;
#endif
    if (s->op->flags & BY_NAME) {
        lrd_options options = world_options(s->op->world);
        CHECK_OK(lrd_open(&options, &S));
    }
    /* These reads must not wait for another process. */
    look(&shared->first);
    if (s->beside) {
        int code = S->queues == NULL ? put_value(S, "beside", 300, 1, LRD_SET, 0) : LRD_OK;
        CHECK(code == LRD_OK || code == LRD_EBUSY);
        if (S->queues == NULL && code == LRD_OK)
            lrd_delete(S, "beside", 6);
        return;
    }
    touch_all_shards(S);
    CHECK_FSCK(S);
    (void)stats_of(S); /* ends the holds of the dead process */
    look(&shared->last);
    for (unsigned k = 0; k < keys_used; k++)
        if (S->queues == NULL && shared->last.key[k] != shared->first.key[k])
            check_failed(__FILE__, __LINE__, "\"%s\" changed with the recovery", key_of((int)k));
    take_keys();
    CHECK_OK(lrd_sweep(S, NULL));
    look(&shared->last);
    CHECK_FSCK(S);
    count(&shared->last, s->op);
    go_on();
}

/* ---- the checkpoint ---- */

static struct checkpoint {
    int fd;
    uint64_t size;
    uint8_t *map, *image;
    uint8_t *has; /* for each page: true if it had memory at the checkpoint */
    uint64_t clock;
} point;

/* Call fn for each page of the file that has memory. */
static void each_page(void (*fn)(uint64_t page))
{
    for (off_t at = 0; (uint64_t)at < point.size;) {
        off_t from = lseek(point.fd, at, SEEK_DATA);
        if (from < 0)
            return;
        off_t to = lseek(point.fd, from, SEEK_HOLE);
        for (off_t page = from / PAGE; page * PAGE < to; page++)
            fn((uint64_t)page);
        at = to;
    }
}

static void page_keep(uint64_t page)
{
    memcpy(point.image + page * PAGE, point.map + page * PAGE, PAGE);
    point.has[page] = 1;
}

static void page_give_back(uint64_t page)
{
    if (!point.has[page])
        fallocate(point.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(page * PAGE), PAGE);
}

static void checkpoint_drop(void)
{
    if (point.map == NULL)
        return;
    munmap(point.map, point.size);
    munmap(point.image, point.size);
    munmap(point.has, point.size / PAGE + 1);
    close(point.fd);
    memset(&point, 0, sizeof point);
}

static void checkpoint_take(int fd)
{
    struct stat file;
    checkpoint_drop();
    point.fd = dup(fd);
    CHECK(fstat(fd, &file) == 0);
    point.size = (uint64_t)file.st_size;
    point.map = mmap(NULL, point.size, PROT_READ | PROT_WRITE, MAP_SHARED, point.fd, 0);
    int private = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    point.image = mmap(NULL, point.size, PROT_READ | PROT_WRITE, private, -1, 0);
    point.has = mmap(NULL, point.size / PAGE + 1, PROT_READ | PROT_WRITE, private, -1, 0);
    CHECK(point.map != MAP_FAILED && point.image != MAP_FAILED && point.has != MAP_FAILED);
    each_page(page_keep);
    point.clock = atomic_load(the_clock);
}

static void remove_named(void)
{
    char lock[256];
    snprintf(lock, sizeof lock, "%s.lock", the_path);
    unlink(the_path);
    unlink(lock);
}

static void checkpoint_restore(const operation *op)
{
    atomic_store(the_clock, point.clock);
    if (op->flags & OPENS) {
        remove_named();
        return;
    }
    for (uint64_t page = 0; page * PAGE < point.size; page++)
        if (point.has[page] &&
            memcmp(point.map + page * PAGE, point.image + page * PAGE, PAGE) != 0)
            memcpy(point.map + page * PAGE, point.image + page * PAGE, PAGE);
    each_page(page_give_back);
}

/* ---- the process that dies ---- */

static const operation *doomed; /* the operation that the next child runs */
static bool keeps_pages;        /* true if the next child records the pages to which it writes */
/* true if a stopped process may be the reason why a call is refused */
static bool is_beside;

__attribute__((noinline)) static void operation_ended(void) { __asm__ volatile("" ::: "memory"); }

/* Handle the fault of a write to a read-only page: note the page, and make it writable. */
static void note_page(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    uintptr_t at = (uintptr_t)info->si_addr, control = (uintptr_t)S->control;
    uintptr_t window = (uintptr_t)S->window;
    uint64_t offset = UINT64_MAX;
    if (at - control < S->geo.control_size)
        offset = at - control;
    else if (at - window < S->geo.data_size)
        offset = S->geo.data_at + (at - window);
    uint32_t used = atomic_fetch_add(&shared->pages_used, 1);
    if (offset == UINT64_MAX || used >= sizeof shared->page / sizeof *shared->page ||
        mprotect((void *)(at & ~(uintptr_t)(PAGE - 1)), PAGE, PROT_READ | PROT_WRITE) != 0)
        _exit(EXIT_CHECK_FAILED);
    shared->page[used] = (uint32_t)(offset / PAGE);
}

static void run_doomed(void *arg)
{
    (void)arg;
    doomed->before();
    if (keeps_pages) {
        struct sigaction action = {.sa_sigaction = note_page, .sa_flags = SA_SIGINFO};
        sigaction(SIGSEGV, &action, NULL);
        atomic_store(&shared->pages_used, 0);
        CHECK(mprotect(S->control, S->geo.control_size, PROT_READ) == 0);
        CHECK(mprotect(S->window, S->geo.data_size, PROT_READ) == 0);
        doomed->run();
        _exit(0);
    }
    if (is_beside && freopen("/dev/null", "w", stderr) == NULL)
        _exit(EXIT_CHECK_FAILED);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(EXIT_SKIPPED);
    if (broken != NULL)
        *broken = true;
    TRAP_HERE();
    doomed->run();
    operation_ended();
    check_held(); /* a child comes here only if it is continued after the death of another child */
    _exit(0);
}

/* ---- stepping ---- */

typedef struct step_state {
    pid_t pid;
    int status; /* wait status of the child */
    bool over;  /* the child has ended */
} step_state;

static bool step_wait(step_state *t)
{
    while (waitpid(t->pid, &t->status, __WALL) < 0)
        if (errno != EINTR)
            return false;
    t->over = !WIFSTOPPED(t->status);
    return !t->over;
}

#if STEPS_HERE
static uint64_t step_at(const step_state *t)
{
    errno = 0;
    return (uint64_t)ptrace(PTRACE_PEEKUSER, t->pid, (void *)offsetof(struct user_regs_struct, rip),
                            NULL);
}

/* Set a breakpoint at the address. Returns the word of code that was there. */
static long step_break(const step_state *t, uint64_t at)
{
    long word = ptrace(PTRACE_PEEKTEXT, t->pid, (void *)at, NULL);
    ptrace(PTRACE_POKETEXT, t->pid, (void *)at, (void *)((word & ~0xffl) | 0xcc));
    return word;
}

static void step_mend(const step_state *t, uint64_t at, long word)
{
    ptrace(PTRACE_POKETEXT, t->pid, (void *)at, (void *)word);
}

static void step_back(const step_state *t, uint64_t at)
{
    ptrace(PTRACE_POKEUSER, t->pid, (void *)offsetof(struct user_regs_struct, rip), (void *)at);
}

static uint64_t step_left(const step_state *t)
{
    return (uint64_t)ptrace(PTRACE_PEEKUSER, t->pid, (void *)offsetof(struct user_regs_struct, rcx),
                            NULL);
}

static void step_leave(const step_state *t, uint64_t left)
{
    ptrace(PTRACE_POKEUSER, t->pid, (void *)offsetof(struct user_regs_struct, rcx), (void *)left);
}

/* Return true if the instruction is "rep movs" or "rep stos". In single steps, each copied or
 * filled unit is a step. */
static bool repeats(uint64_t at)
{
    const uint8_t *code = (const uint8_t *)(uintptr_t)at;
    if (*code++ != 0xf3)
        return false;
    code += (*code & 0xf8) == 0x48; /* units of 8 bytes */
    return *code == 0xa4 || *code == 0xa5 || *code == 0xaa || *code == 0xab;
}
#else
static uint64_t step_at(const step_state *t) { return (uint64_t)t->pid * 0; }
static long step_break(const step_state *t, uint64_t at) { return (long)(t->pid * 0 + at * 0); }
static void step_mend(const step_state *t, uint64_t at, long word)
{
    (void)t, (void)at, (void)word;
}
static void step_back(const step_state *t, uint64_t at) { (void)t, (void)at; }
static uint64_t step_left(const step_state *t) { return (uint64_t)t->pid * 0; }
static void step_leave(const step_state *t, uint64_t left) { (void)t, (void)left; }
static bool repeats(uint64_t at) { return at * 0 != 0; }
#endif

static bool step_start(step_state *t, const operation *op)
{
    doomed = op;
    t->pid = start_child(run_doomed, NULL);
    return step_wait(t) && WSTOPSIG(t->status) == SIGTRAP;
}

static bool step_one(step_state *t)
{
    steps_taken++;
    if (ptrace(PTRACE_SINGLESTEP, t->pid, NULL, NULL) != 0)
        return false;
    return step_wait(t);
}

static void reap_all(void)
{
    while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR)
        continue;
}

static void step_kill(step_state *t, bool others)
{
    if (!t->over) {
        kill(t->pid, SIGKILL);
        while (step_wait(t))
            ptrace(PTRACE_CONT, t->pid, NULL, NULL);
    }
    if (others)
        reap_all(); /* the children of the killed process are now children of this process */
}

/* The recording run. */
static struct trace {
    uint32_t length;
    uint64_t *at; /* for each instruction, its address */
    /* For each instruction k: the earlier instruction at which a later run sets a breakpoint. From
     * there, this run goes on to k in single steps. */
    uint32_t *from;
    uint32_t *passes; /* for each instruction: how often its address was executed before */
    uint8_t *changed; /* for each instruction, true if it changed shared memory */
} trace;

extern char __executable_start, etext;

static uint64_t text_start(void) { return (uint64_t)(uintptr_t)&__executable_start; }
static uint64_t text_size(void) { return (uint64_t)(uintptr_t)&etext - text_start(); }

/* Passing a breakpoint takes as long as this number of single steps. */
#define PASS_STEPS 3
/* minimum number of units for which step_copy() uses a breakpoint */
#define COPY_LEAST 16u

static void trace_plan(void)
{
    uint64_t start = text_start(), size = text_size();
    uint32_t *passed = calloc(size, sizeof *passed), best = 0;
    int64_t cost = INT64_MAX;
    CHECK(passed != NULL);
    for (uint32_t k = 0; k < trace.length; k++) {
        uint64_t at = trace.at[k] - start;
        trace.passes[k] = at < size ? passed[at]++ : 0;
        int64_t this = at < size ? (int64_t)PASS_STEPS * trace.passes[k] - k : INT64_MAX;
        if (this <= cost) {
            cost = this;
            best = k;
        }
        trace.from[k] = best;
    }
    free(passed);
}

static void trace_keep(struct trace *way)
{
    uint32_t n = trace.length + 1;
    *way = (struct trace){trace.length, malloc(n * sizeof *way->at), malloc(n * sizeof *way->from),
                          malloc(n * sizeof *way->passes), malloc(n)};
    CHECK(way->at && way->from && way->passes && way->changed);
    memcpy(way->at, trace.at, trace.length * sizeof *way->at);
    memcpy(way->from, trace.from, trace.length * sizeof *way->from);
    memcpy(way->passes, trace.passes, trace.length * sizeof *way->passes);
    memcpy(way->changed, trace.changed, trace.length);
}

static void trace_free(struct trace *way)
{
    free(way->at);
    free(way->from);
    free(way->passes);
    free(way->changed);
}

static int record_pages(const operation *op)
{
    doomed = op;
    keeps_pages = true;
    int status = run_in_child(run_doomed, NULL);
    keeps_pages = false;
    reap_all();
    checkpoint_restore(op);
    return status;
}

static bool pages_differ(uint8_t *copies)
{
    bool differ = false;
    for (uint32_t i = 0; i < atomic_load(&shared->pages_used); i++) {
        const uint8_t *page = point.map + (uint64_t)shared->page[i] * PAGE;
        if (memcmp(page, copies + (size_t)i * PAGE, PAGE) != 0) {
            memcpy(copies + (size_t)i * PAGE, page, PAGE);
            differ = true;
        }
    }
    return differ;
}

/* Run the whole operation in single steps, and record it in `trace`. */
static bool record(const operation *op)
{
    step_state t = {0};
    atomic_store(&shared->pages_used, 0);
    trace.length = 0;
    if (!(op->flags & BY_NAME) && record_pages(op) != 0)
        return false;
    uint8_t *copies = malloc((size_t)(atomic_load(&shared->pages_used) + 1) * PAGE);
    CHECK(copies != NULL);
    bool fine = step_start(&t, op);
    pages_differ(copies);
    uint64_t at = fine ? step_at(&t) : 0, end = (uint64_t)(uintptr_t)operation_ended;
    while (fine && at != end && trace.length < TRACE_MOST) {
        trace.at[trace.length] = at;
        fine = step_one(&t);
        trace.changed[trace.length++] = fine && pages_differ(copies);
        at = fine ? step_at(&t) : 0;
    }
    step_kill(&t, true);
    free(copies);
    checkpoint_restore(op);
    if (fine)
        trace_plan();
    return fine && at == end;
}

/* Continue the child until it comes to the address or ends. If `waits` is true, give up after a
 * while, because the child may wait for a lock. */
static bool step_run(step_state *t, uint64_t at, bool waits)
{
    uint64_t end = (uint64_t)(uintptr_t)operation_ended;
    long ended = step_break(t, end), word = at != end ? step_break(t, at) : 0;
    ptrace(PTRACE_CONT, t->pid, NULL, NULL);
    for (int ms = 0; waits && waitpid(t->pid, &t->status, __WALL | WNOHANG) == 0; ms++) {
        if (ms >= 300)
            return false;
        sleep_ms(1);
    }
    if (!waits && !step_wait(t))
        return false;
    t->over = !WIFSTOPPED(t->status);
    if (t->over || WSTOPSIG(t->status) != SIGTRAP)
        return false;
    uint64_t now = step_at(t) - 1;
    step_mend(t, end, ended);
    if (at != end)
        step_mend(t, at, word);
    step_back(t, now);
    return now == at;
}

/* If the next instruction copies at least COPY_LEAST units, each unit is one step of the trace. Run
 * these steps together, but not beyond step k. Returns the number of steps that were run, or 0. */
static uint32_t step_copy(step_state *t, uint32_t from, uint32_t k, const struct trace *way)
{
    uint64_t at = way->at[from];
    uint32_t end = from;
    while (end < way->length && way->at[end] == at)
        end++;
    if (end - from < COPY_LEAST || end >= way->length || at - text_start() >= text_size() ||
        !repeats(at) || step_at(t) != at)
        return 0;
    uint64_t left = step_left(t);
    uint32_t units = (k < end ? k : end) - from;
    if (left != end - from)
        return 0;
    step_leave(t, units);
    if (!step_run(t, way->at[end], false))
        return 0;
    if (units < left) {
        step_back(t, at);
        step_leave(t, left - units);
    }
    return units;
}

/* Run the child for k instructions. Returns false if the operation took a shorter way than the
 * recorded one and ended. If `waits` is true, give up after a while, because the child may wait for
 * a lock. */
static bool step_to(step_state *t, uint32_t k, const struct trace *way, bool waits)
{
    uint64_t end = (uint64_t)(uintptr_t)operation_ended;
    if (k >= way->length)
        return step_run(t, end, waits);
    uint32_t from = way->from[k];
    uint64_t at = way->at[from];
    if (from > 0) {
        /* The child stands at its first instruction and has not executed it. A breakpoint at this
         * address is not hit for this first pass. */
        uint32_t hits = way->passes[from] + (at != way->at[0]);
        for (uint32_t hit = 0; hit < hits; hit++)
            if ((hit > 0 && !step_one(t)) || !step_run(t, at, waits))
                return false;
        if (hits == 0)
            return false;
    }
    while (from < k) {
        uint32_t copied = step_copy(t, from, k, way);
        if (copied == 0 && (step_at(t) == end || !step_one(t)))
            return false;
        from += copied != 0 ? copied : 1;
    }
    return true;
}

/* ---- judging ---- */

#define ALLOWED_MOST 8
static struct allowed {
    facts *of[ALLOWED_MOST];
    unsigned count;
} allowed;

static void allow(const facts *f)
{
    CHECK(allowed.count < ALLOWED_MOST);
    allowed.of[allowed.count] = malloc(sizeof *f);
    CHECK(allowed.of[allowed.count] != NULL);
    memcpy(allowed.of[allowed.count++], f, sizeof *f);
}

static void allow_none(void)
{
    while (allowed.count > 0)
        free(allowed.of[--allowed.count]);
}

/* Return NULL if the state of all keys is allowed, otherwise a description of the fault. Without
 * flags, all keys must match the same allowed state. With PARTS or EVICTS, each key may match a
 * different allowed state. With EVICTS, a key may also be missing. */
static const char *judge_keys(const facts *f, unsigned flags)
{
    static char text[120];
    bool whole = false;
    for (unsigned i = 0; i < allowed.count && !whole; i++)
        whole = memcmp(f->key, allowed.of[i]->key, keys_used * sizeof *f->key) == 0;
    if (whole)
        return NULL;
    for (unsigned k = 0; k < keys_used; k++) {
        bool is = (flags & EVICTS) && f->key[k] == 0;
        for (unsigned i = 0; i < allowed.count && !is; i++)
            is = f->key[k] == allowed.of[i]->key[k];
        if (!is) {
            snprintf(text, sizeof text, "\"%s\" is neither as before nor as after", key_of((int)k));
            return text;
        }
    }
    return flags & (PARTS | EVICTS) ? NULL : "some keys are as before, others as after";
}

static const char *judge_numbers(const facts *f, unsigned flags)
{
    static char text[120];
    for (unsigned n = 0; n < NUMBERS && !(flags & (PARTS | EVICTS)); n++) {
        bool is = false;
        for (unsigned i = 0; i < allowed.count && !is; i++)
            is = f->number[n] == allowed.of[i]->number[n];
        if (!is) {
            snprintf(text, sizeof text, "%s are %llu, before %llu, after %llu", number_names[n],
                     (unsigned long long)f->number[n], (unsigned long long)allowed.of[0]->number[n],
                     (unsigned long long)allowed.of[allowed.count - 1]->number[n]);
            return text;
        }
    }
    return NULL;
}

/* Run a survivor in a child. Returns NULL, or a description of what it found wrong. */
static const char *survivor_says(const operation *op, bool beside)
{
    static char text[160];
    survivor s = {op, beside};
    memset(&shared->first, 0, sizeof shared->first);
    memset(&shared->last, 0, sizeof shared->last);
    int status = run_in_child(survive, &s);
    if (WIFSIGNALED(status)) {
        snprintf(text, sizeof text, "the survivor %s (signal %d)",
                 WTERMSIG(status) == SIGALRM ? "hangs" : "crashed", WTERMSIG(status));
        return text;
    }
    return status != 0 ? "the survivor's checks failed, see above" : NULL;
}

static const char *judge(const operation *op)
{
    const char *why = survivor_says(op, false);
    if (why == NULL && !(op->flags & OPENS))
        why = judge_keys(&shared->first, op->flags | (op->world == QUEUES ? PARTS : 0));
    if (why == NULL)
        why = judge_keys(&shared->last, op->flags);
    if (why == NULL)
        why = judge_numbers(&shared->last, op->flags);
    return why;
}

static void tell(const operation *op, uint32_t k, const char *what)
{
    bad++;
    if (bad <= 20)
        fprintf(stderr, "bad: %s, killed after instruction %u of %u (%#llx): %s\n", op->name, k,
                trace.length, k < trace.length ? (unsigned long long)trace.at[k] : 0ull, what);
    if (settings.control != NULL) {
        printf("caught at \"%s\", after instruction %u of %u\n", op->name, k, trace.length);
        exit(1);
    }
}

/* ---- an operation ---- */

/* Keep a named store open. Otherwise the next process would adopt it, and vet all shards again. */
static void keep_open(void *arg)
{
    (void)arg;
    lrd_options options = world_options(NAMED);
    CHECK_OK(lrd_open(&options, &S));
    gate_open(&shared->is_open);
    for (;;)
        pause();
}

static pid_t start_keeper(void)
{
    atomic_store(&shared->is_open, 0);
    pid_t pid = start_child(keep_open, NULL);
    gate_wait(&shared->is_open);
    return pid;
}

/* Kill the operation after instruction k, and run a survivor. If `outcome` is true, add the state
 * that the survivor finds to the allowed states. If it is false, check that this state is
 * allowed. */
static void kill_at(const operation *op, uint32_t k, bool outcome)
{
    step_state t = {0};
    bool there = step_start(&t, op);
    if (!there) {
        step_kill(&t, true);
        tell(op, k, "it did not get to its first instruction");
    } else {
        bool came = step_to(&t, k, &trace, false);
        if (t.over)
            tell(op, k, "it failed before that");
        missed += !came && !t.over;
        pid_t keeper = (op->flags & EMPTIES) ? start_keeper() : 0;
        step_kill(&t, keeper == 0);
        kills++;
        tested++;
        const char *why = outcome ? survivor_says(op, false) : judge(op);
        if (keeper != 0) {
            stop_child(keeper);
            reap_all();
        }
        if (why != NULL)
            tell(op, k, why);
        if (outcome)
            allow(&shared->last);
    }
    checkpoint_restore(op);
}

/* Return true if the operation must be killed after instruction k. With --long, a short operation
 * is killed after each instruction. In a long operation, some instructions that change no memory
 * are left out. Without --long, fewer instructions are tried, evenly spread. */
static bool tried(const operation *op, uint32_t k, uint32_t changes)
{
    bool known = !(op->flags & BY_NAME);
    if (settings.is_long && trace.length <= STEPS_MOST)
        return true;
    if (settings.is_long || (settings.control != NULL && !known))
        return k % BETWEEN == 0 || (known && trace.changed[k - 1]);
    uint32_t share = settings.control != NULL ? 1 : (changes + SHORT_KILLS - 1) / SHORT_KILLS;
    static uint32_t turn;
    if (known && trace.changed[k - 1])
        return share <= 1 || turn++ % share == 0;
    return k % (trace.length / 60 + 1) == 0;
}

static void kill_through(const operation *op)
{
    uint64_t killed = kills, bad_before = bad;
    if (!record(op)) {
        tell(op, 0, "the recording run failed");
        return;
    }
    uint32_t changes = 0;
    for (uint32_t k = 0; k < trace.length; k++)
        changes += trace.changed[k];
    if (allowed.count == 0) {
        kill_at(op, 0, true);
        kill_at(op, trace.length, true);
    }
    for (uint32_t k = 1; k < trace.length; k++)
        if (tried(op, k, changes))
            kill_at(op, k, false);
    instructions += trace.length;
    changes_all += changes;
    printf("%-46s %7u instructions %6u changes %6llu kills %3llu bad\n", op->name, trace.length,
           changes, (unsigned long long)(kills - killed), (unsigned long long)(bad - bad_before));
    fflush(stdout);
}

static bool shard_left_locked(void)
{
    for (uint32_t i = 0; i < S->geo.shards; i++)
        if (atomic_load_explicit(&S->gates[i].lock.word, memory_order_relaxed) & FUTEX_OWNER_DIED)
            return true;
    return false;
}

static const operation recovery = {"recover", SESSION, NULL, NULL, PARTS};

static void recover_run(void) { touch_all_shards(S); }
static void recover_before(void) {}

/* Kill the operation at some points at which it has a lock. For each point, kill the recovery after
 * each of its instructions. Then kill one recovery in its middle, and the next one after each
 * instruction. */
static void kill_recoverers(const operation *op)
{
    unsigned points = settings.is_long ? 6 : 1;
    char name[120], deeper[140];
    struct trace way;
    trace_keep(&way);
    uint32_t *changed = malloc(way.length * sizeof *changed), changes = 0;
    CHECK(changed != NULL);
    for (uint32_t k = 0; k < way.length; k++)
        if (way.changed[k])
            changed[changes++] = k + 1;
    operation first = recovery, second = recovery;
    first.world = second.world = op->world;
    first.before = second.before = recover_before;
    first.run = second.run = recover_run;
    first.flags = second.flags = op->flags | PARTS;
    first.name = name;
    second.name = deeper;
    struct checkpoint whole = point;
    for (unsigned i = 1; i <= points; i++) {
        uint32_t k = changes > 0 ? changed[(uint64_t)changes * i / (points + 1)] : 0;
        step_state t = {0};
        point = whole;
        bool there = step_start(&t, op) && step_to(&t, k, &way, false);
        step_kill(&t, true);
        if (there && shard_left_locked()) {
            memset(&point, 0, sizeof point);
            checkpoint_take(whole.fd);
            snprintf(name, sizeof name, "recover: %s, %u", op->name, k);
            kill_through(&first);
            if (trace.length > 0) {
                uint32_t middle = trace.length / 2;
                bool dead = step_start(&t, &first) && step_to(&t, middle, &trace, false);
                step_kill(&t, true);
                struct checkpoint once = point;
                if (dead) {
                    memset(&point, 0, sizeof point);
                    checkpoint_take(whole.fd);
                    snprintf(deeper, sizeof deeper, "recover: %s, %u, %u", op->name, k, middle);
                    kill_through(&second);
                    checkpoint_drop();
                }
                point = once;
            }
            checkpoint_drop();
        }
        point = whole;
        checkpoint_restore(op);
    }
    trace_free(&way);
    free(changed);
}

static bool recovers(const operation *op)
{
    static const char *const names[] = {
        "put: over",    "put: a run",      "delete: small",          "grow: a step",
        "evict: pages", "queue: push",     "publish: over",          "queue: pop",
        "queue: ack",   "put: over a run", "sweep: what was cleared"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(op->name, names[i]) == 0)
            return settings.is_long || i < 2 || settings.control != NULL;
    return false;
}

static void operation_kill(const operation *op)
{
    allow_none();
    kill_through(op);
    if (recovers(op))
        kill_recoverers(op);
    allow_none();
}

/* ---- kills in pairs ---- */

static const char *const partners[] = {
    "put: over",  "get: held", "count: more",         "delete: small",
    "put: a run", "key: lock", "replace: by version", "touch: a time to live"};
#define PARTNERS (sizeof partners / sizeof *partners)
static struct trace partner_way[PARTNERS];
static const operation *partner_of[PARTNERS];

/* Continue a stopped child until it ends. Returns its wait status. */
static int step_finish(step_state *t)
{
    ptrace(PTRACE_CONT, t->pid, NULL, NULL);
    while (step_wait(t))
        ptrace(PTRACE_CONT, t->pid, NULL, NULL);
    return t->status;
}

static void pair(unsigned a, unsigned b, uint64_t *chance)
{
    const operation *one = partner_of[a], *other = partner_of[b];
    step_state first = {0}, second = {0};
    uint32_t at_b = 1 + (uint32_t)random_below(chance, partner_way[b].length - 1);
    uint32_t at_a = 1 + (uint32_t)random_below(chance, partner_way[a].length - 1);
    bool stopped = step_start(&second, other) && step_to(&second, at_b, &partner_way[b], false);
    if (step_start(&first, one))
        (void)step_to(&first, at_a, &partner_way[a], true);
    step_kill(&first, false);
    kills++;
    const char *why = survivor_says(one, true);
    if (!second.over) {
        int status = step_finish(&second);
        /* The second process's call may be refused, because the dead process had changed the
         * entry. */
        if (WIFSIGNALED(status))
            why = "the second one crashed when it went on";
        else if (status != 0 && strcmp(other->name, "get: held") == 0)
            why = "what the second one held has changed";
    }
    reap_all();
    survivor s = {one, false};
    if (why == NULL && run_in_child(survive, &s) != 0)
        why = "the survivor's checks failed, see above";
    if (why != NULL) {
        bad++;
        fprintf(stderr, "bad: \"%s\" killed after %u, \"%s\" stopped after %u (%d): %s\n",
                one->name, at_a, other->name, at_b, stopped, why);
        if (settings.control != NULL) {
            printf("caught by a pair: \"%s\" and \"%s\"\n", one->name, other->name);
            exit(1);
        }
    }
    checkpoint_restore(one);
}

static void pairs_run(unsigned number)
{
    uint64_t chance = test_seed(20240607), before = kills, bad_before = bad;
    for (unsigned i = 0; i < PARTNERS; i++)
        for (unsigned o = 0; o < operation_count; o++)
            if (strcmp(operations[o].name, partners[i]) == 0) {
                partner_of[i] = &operations[o];
                if (!record(partner_of[i])) {
                    tell(partner_of[i], 0, "the recording run failed");
                    return;
                }
                trace_keep(&partner_way[i]);
            }
    is_beside = true;
    for (unsigned n = 0; n < number; n++)
        pair(n % PARTNERS, n / PARTNERS % PARTNERS, &chance);
    is_beside = false;
    printf("%-46s %42llu kills %3llu bad\n", "pairs: another process stopped meanwhile",
           (unsigned long long)(kills - before), (unsigned long long)(bad - bad_before));
}

/* ---- a recoverer beside another ---- */

static void recover_back(void)
{
    for (uint32_t shard = S->geo.shards; shard-- > 0;) {
        CHECK_OK(lrd__shard_lock(S, NULL, shard));
        lrd__shard_unlock(S, shard);
    }
}

static uint32_t shards_left_locked(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < S->geo.shards; i++)
        count += (atomic_load_explicit(&S->gates[i].lock.word, memory_order_relaxed) &
                  FUTEX_OWNER_DIED) != 0;
    return count;
}

static void die_halfway(const operation *op)
{
    uint32_t changes = 0, seen = 0, k = 0;
    CHECK(record(op));
    for (uint32_t i = 0; i < trace.length; i++)
        changes += trace.changed[i];
    while (k < trace.length && seen < changes / 2)
        seen += trace.changed[k++];
    step_state t = {0};
    (void)(step_start(&t, op) && step_to(&t, k, &trace, false));
    step_kill(&t, true);
}

static void allow_outcomes(const operation *op)
{
    CHECK(record(op));
    kill_at(op, 0, true);
    kill_at(op, trace.length, true);
}

/* Stop one recoverer after at_b of its instructions, kill another one after at_a, and continue the
 * stopped one. */
static void recoverers_pair(const operation *one, const operation *other, const struct trace *way_a,
                            const struct trace *way_b, uint32_t at_a, uint32_t at_b)
{
    step_state first = {0}, second = {0};
    if (step_start(&second, other))
        (void)step_to(&second, at_b, way_b, false);
    if (step_start(&first, one))
        (void)step_to(&first, at_a, way_a, true);
    step_kill(&first, false);
    kills++;
    const char *why = NULL;
    if (!second.over) {
        int status = step_finish(&second);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            why = "the second recoverer failed when it went on";
    }
    reap_all();
    if (why == NULL)
        why = judge(one);
    if (why != NULL) {
        bad++;
        fprintf(stderr, "bad: a recoverer killed after %u beside one stopped after %u: %s\n", at_a,
                at_b, why);
    }
    checkpoint_restore(one);
}

/* Two processes die with a shard locked. Two recoverers go through all shards in opposite orders:
 * the first recoverer is stopped, and the second one is killed. */
static void recoverers_run(unsigned number)
{
    static const char *const names[] = {"put: over", "delete: a run", "put: new",
                                        "touch: a time to live", "delete: small"};
    uint64_t chance = test_seed(20240608), before = kills, bad_before = bad;
    struct checkpoint whole = point;
    const operation *dead[2] = {NULL, NULL};
    operation one = {"recover forth", SESSION, recover_before, recover_run, PARTS};
    operation other = {"recover back", SESSION, recover_before, recover_back, PARTS};
    struct trace way_a, way_b;
    for (size_t i = 0; i < sizeof names / sizeof *names && dead[1] == NULL; i++)
        for (unsigned o = 0; o < operation_count && dead[1] == NULL; o++) {
            const operation *op = &operations[o];
            if (strcmp(op->name, names[i]) != 0)
                continue;
            point = whole;
            /* before the second death, save the store that the first one has left */
            if (dead[0] != NULL) {
                memset(&point, 0, sizeof point);
                checkpoint_take(whole.fd);
            }
            die_halfway(op);
            uint32_t left = shards_left_locked();
            if (left == (dead[0] == NULL ? 1u : 2u))
                dead[dead[0] != NULL] = op;
            else
                checkpoint_restore(op);
            if (point.map != whole.map)
                checkpoint_drop();
        }
    point = whole;
    CHECK(dead[1] != NULL);
    memset(&point, 0, sizeof point);
    checkpoint_take(whole.fd);
    struct checkpoint dying = point;
    point = whole;
    checkpoint_restore(dead[0]);
    allow_none();
    allow_outcomes(dead[0]);
    allow_outcomes(dead[1]);
    point = dying;
    checkpoint_restore(&one);
    CHECK(record(&one));
    trace_keep(&way_a);
    CHECK(record(&other));
    trace_keep(&way_b);
    is_beside = true;
    for (unsigned n = 0; n < number; n++)
        recoverers_pair(&one, &other, &way_a, &way_b,
                        1 + (uint32_t)random_below(&chance, way_a.length - 1),
                        1 + (uint32_t)random_below(&chance, way_b.length - 1));
    is_beside = false;
    trace_free(&way_a);
    trace_free(&way_b);
    checkpoint_drop();
    point = whole;
    checkpoint_restore(&one);
    allow_none();
    printf("%-46s %42llu kills %3llu bad\n", "recoverers: one killed beside another",
           (unsigned long long)(kills - before), (unsigned long long)(bad - bad_before));
}

/* ---- readers ---- */

typedef struct writing {
    const reader *r;
    bool frees, takes;
} writing;

static void write_beside(void *arg)
{
    const writing *w = arg;
    alarm(SURVIVOR_SECONDS);
    if (broken != NULL)
        *broken = true;
    if (w->frees)
        reuse_free(w->r->k);
    if (w->takes)
        reuse_take(w->r->other, w->r->count, w->r->size);
}

/* Stop the reader after instruction k. Meanwhile a writer deletes and reuses the block that the
 * reader reads. If `whole` is false, the reader ends its get before the block is reused. */
static void reader_stop(const reader *r, uint32_t k, bool whole)
{
    step_state t = {0};
    const char *why = NULL;
    if (step_start(&t, &r->op))
        (void)step_to(&t, k, &trace, false);
    writing first = {r, true, whole}, second = {r, false, true};
    if (run_in_child(write_beside, &first) != 0)
        why = "the writer failed beside it";
    if (!t.over && !whole)
        (void)step_run(&t, (uint64_t)(uintptr_t)operation_ended, false);
    if (!whole && run_in_child(write_beside, &second) != 0)
        why = "the writer failed beside it";
    if (!t.over) {
        int status = step_finish(&t);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            why = "what it read has changed";
    }
    reap_all();
    survivor s = {&r->op, false};
    if (why == NULL && run_in_child(survive, &s) != 0)
        why = "the survivor's checks failed, see above";
    tested++;
    if (why != NULL)
        tell(&r->op, k, why);
    checkpoint_restore(&r->op);
}

static void reader_run(const reader *r)
{
    uint64_t bad_before = bad;
    if (!record(&r->op)) {
        tell(&r->op, 0, "the recording run failed");
        return;
    }
    is_beside = true;
    uint32_t every = trace.length > STEPS_MOST ? BETWEEN : 1;
    for (uint32_t k = 0; k < trace.length; k += every)
        for (int whole = 0; whole <= 1; whole++)
            reader_stop(r, k, whole != 0);
    is_beside = false;
    printf("%-46s %7u stops %34llu bad\n", r->op.name, trace.length,
           (unsigned long long)(bad - bad_before));
}

/* ---- worlds ---- */

static bool wanted(const operation *op)
{
    bool reads = op < operations || op >= operations + operation_count;
    unsigned number = reads ? operation_count : (unsigned)(op - operations);
    if (number % settings.parts != settings.part)
        return false;
    if (settings.only != NULL)
        return strstr(op->name, settings.only) != NULL;
    return settings.is_long || settings.control != NULL || (op->flags & SAMPLE) != 0;
}

/* Build the store of a world, and run all operations that use this kind of store. */
static void world_run(world w)
{
    bool any = false;
    for (unsigned i = 0; i < operation_count; i++)
        any |= operations[i].world == w && wanted(&operations[i]);
    for (unsigned i = 0; i < reader_count; i++)
        any |= readers[i].op.world == w && wanted(&readers[i].op);
    if (!any && !(w == SESSION && settings.pairs != 0))
        return;
    remove_named();
    world_build(w == ABSENT ? SESSION : w);
    keys_used = KEYS;
    if (w == GROWING)
        for (keys_used = 0;
             lrd_has(S, key_of((int)keys_used), strlen(key_of((int)keys_used))) == 0;)
            keys_used++;
    if (w == GROWING)
        keys_used += 4;
    lrd_thread_leave(S);
    if (w == NAMED || w == DAMAGED) {
        lrd_close(S);
        int fd = open(the_path, O_RDWR | O_CLOEXEC);
        CHECK(fd >= 0);
        checkpoint_take(fd);
        close(fd);
    } else {
        checkpoint_take(S->fd);
    }
    for (unsigned i = 0; i < operation_count; i++)
        if (operations[i].world == w && wanted(&operations[i]))
            operation_kill(&operations[i]);
    for (unsigned i = 0; i < reader_count; i++)
        if (readers[i].op.world == w && wanted(&readers[i].op))
            reader_run(&readers[i]);
    if (w == SESSION && settings.pairs != 0 && settings.control == NULL)
        recoverers_run(settings.pairs / 4);
    if (w == SESSION && settings.pairs != 0)
        pairs_run(settings.pairs);
    checkpoint_drop();
    if (w != NAMED && w != DAMAGED)
        lrd_close(S);
    remove_named();
}

/* ---- main ---- */

/* Choose a control, which is turned on after the store is built. no-recovery and forget-owner break
 * the survivor. The others break the operation that is killed. */
static bool set_control(const char *name)
{
#ifdef LRD_CONTROLS
    static const struct {
        const char *name;
        bool *flag;
        /* the operation that must find the fault; NULL: kills in pairs must find it */
        const char *only;
    } controls[] = {{"clear-first", &lrd__control_clear_first, "grow: a step"},
                    {"mark-before-vetting", &lrd__control_mark_first, "open: vet what is damaged"},
                    {"publish-first", &lrd__control_publish_first, "queue: push"},
                    {"forget-owner", &lrd__control_forget_owner, "queue: pop"},
                    {"ignore-ledger", &lrd__control_ignore_ledger, "a reader"},
                    {"hand-out-before-listing", &lrd__control_hand_out_first, "a reader"},
                    {"no-barrier", &lrd__control_no_barrier, "a reader"},
                    {"scan-first-entries", &lrd__control_scan_first, "a reader of many"},
                    {"stamp-late", &lrd__control_stamp_late, "put: new"},
                    {"fill-late", &lrd__control_fill_late, "put: new"},
                    {"count-torn", &lrd__control_count_torn, "count: more"},
                    {"no-flux", &lrd__control_no_flux, "touch: a time to live"},
                    {"no-recovery", &lrd__control_no_recovery, "put: over"}};
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
        if (strcmp(controls[i].name, name) == 0) {
            settings.only = controls[i].only != NULL ? controls[i].only : "in pairs";
            settings.pairs = controls[i].only != NULL ? 0 : 2000;
            broken = controls[i].flag;
            lrd__control_no_gap = true;
            return true;
        }
#endif
    (void)name;
    return false;
}

static bool parse(int argc, char **argv)
{
    settings.pairs = 64;
    settings.parts = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--long") == 0) {
            settings.is_long = true;
            settings.pairs = 4000;
        } else if (i + 1 < argc && strcmp(argv[i], "--only") == 0) {
            settings.only = argv[++i];
            settings.pairs = 0;
        } else if (i + 1 < argc && strcmp(argv[i], "--part") == 0) {
            if (sscanf(argv[++i], "%u/%u", &settings.part, &settings.parts) != 2 ||
                settings.part >= settings.parts)
                return false;
            if (settings.part != 0)
                settings.pairs = 0;
        } else if (i + 1 < argc && strcmp(argv[i], "--pairs") == 0) {
            settings.pairs = (unsigned)strtoul(argv[++i], NULL, 10);
        } else if (i + 1 < argc && strcmp(argv[i], "--control") == 0) {
            settings.control = argv[++i];
        } else {
            return false;
        }
    }
    return settings.control == NULL || set_control(settings.control);
}

static void try_a_step(void *arg)
{
    (void)arg;
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(EXIT_SKIPPED);
    raise(SIGSTOP);
    _exit(0);
}

static bool steps_are_possible(void)
{
    step_state t = {.pid = start_child(try_a_step, NULL)};
    bool possible = STEPS_HERE && step_wait(&t) && step_one(&t);
    step_kill(&t, true);
    return possible;
}

int main(int argc, char **argv)
{
    if (!parse(argc, argv)) {
        fprintf(stderr, "usage: kill_everywhere [--long] [--only PART-OF-A-NAME] [--part I/N] "
                        "[--pairs N] [--control NAME]\n");
        return 2;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (!steps_are_possible()) {
        printf("skipped: a process may not be stepped with ptrace here\n");
        return EXIT_SKIPPED;
    }
    shared = shared_memory(sizeof *shared);
    the_clock = clock_new();
    the_path = strdup(temp_path("named"));
    trace.at = malloc(TRACE_MOST * sizeof *trace.at);
    trace.from = malloc(TRACE_MOST * sizeof *trace.from);
    trace.passes = malloc(TRACE_MOST * sizeof *trace.passes);
    trace.changed = malloc(TRACE_MOST);
    CHECK(the_path != NULL && trace.at != NULL && trace.from != NULL && trace.passes != NULL &&
          trace.changed != NULL);
    values_make();
    unsigned number = 0;
    for (unsigned i = 0; i < operation_count; i++)
        number += wanted(&operations[i]);
    for (int w = 0; w < WORLDS; w++)
        world_run((world)w);
    printf(
        "operations=%u instructions=%llu changes=%llu kills=%llu missed=%llu steps=%llu bad=%llu\n",
        number, (unsigned long long)instructions, (unsigned long long)changes_all,
        (unsigned long long)kills, (unsigned long long)missed, (unsigned long long)steps_taken,
        (unsigned long long)bad);
    return bad != 0 ? 1 : 0;
}
