/* litmus_test.c - protocols of the core. A shape is a protocol of a few instructions, which is
 * tried in every execution that ARMv8 allows (litmus.h). No execution may have a forbidden result.
 * If one of the shape's barriers or orders is left out (litmus_broken), some execution must have a
 * forbidden result.
 *
 * A shape names the functions of core/src for which it stands, and has their memory orders. If you
 * change an order there, change it here. Compiler barriers need no event, because the model assumes
 * no order that a compiler could break. */
#include "support.h"

#include "litmus.h"

typedef struct shape_test {
    const char *name;
    litmus_shape shape;
    int broken; /* number of variants, each of which leaves out one barrier or order */
} shape_test;

/* Return `order`. If the variant that is being tested leaves this order out, return RELAXED
 * instead. */
static enum litmus_order without(int variant, enum litmus_order order)
{
    return litmus_broken == variant ? RELAXED : order;
}

/* ---- the model itself: well-known shapes ---- */

enum { X, Y, Z };

static bool with_fences, with_orders;

static void sb_one(litmus_thread *t)
{
    store(t, X, 1, with_orders ? SEQ_CST : RELAXED);
    if (with_fences)
        fence(t);
    out(t, 0, load(t, Y, with_orders ? SEQ_CST : RELAXED));
}
static void sb_other(litmus_thread *t)
{
    store(t, Y, 1, with_orders ? SEQ_CST : RELAXED);
    if (with_fences)
        fence(t);
    out(t, 0, load(t, X, with_orders ? SEQ_CST : RELAXED));
}
static bool both_zero(const litmus_outcome *o) { return o->out[0][0] == 0 && o->out[1][0] == 0; }
static bool both_one(const litmus_outcome *o) { return o->out[0][0] == 1 && o->out[1][0] == 1; }

static void mp_sender(litmus_thread *t)
{
    store(t, X, 1, RELAXED);
    if (with_fences)
        fence(t);
    store(t, Y, 1, with_orders ? RELEASE : RELAXED);
}
static void mp_receiver(litmus_thread *t)
{
    out(t, 0, load(t, Y, with_orders ? ACQUIRE : RELAXED));
    if (with_fences)
        fence(t);
    out(t, 1, load(t, X, RELAXED));
}
static bool flag_without_data(const litmus_outcome *o)
{
    return o->out[1][0] == 1 && o->out[1][1] == 0;
}

static void lb_one(litmus_thread *t)
{
    out(t, 0, load(t, Y, with_orders ? ACQUIRE : RELAXED));
    store(t, X, 1, RELAXED);
}
static void lb_other(litmus_thread *t)
{
    out(t, 0, load(t, X, with_orders ? ACQUIRE : RELAXED));
    store(t, Y, 1, RELAXED);
}

/* Write-to-read causality over three threads: the second thread sees the write of the first, the
 * third sees that of the second. ARMv8 is multi-copy atomic, so with acquire loads the third must
 * see the first write, too. */
static void wrc_first(litmus_thread *t) { store(t, X, 1, RELAXED); }
static void wrc_second(litmus_thread *t)
{
    out(t, 0, load(t, X, with_orders ? ACQUIRE : RELAXED));
    store(t, Y, 1, RELAXED);
}
static void wrc_third(litmus_thread *t)
{
    out(t, 0, load(t, Y, with_orders ? ACQUIRE : RELAXED));
    out(t, 1, load(t, X, RELAXED));
}
static bool effect_without_cause(const litmus_outcome *o)
{
    return o->out[1][0] == 1 && o->out[2][0] == 1 && o->out[2][1] == 0;
}

static void corr_writer(litmus_thread *t) { store(t, X, 1, RELAXED); }
static void corr_reader(litmus_thread *t)
{
    out(t, 0, load(t, X, RELAXED));
    out(t, 1, load(t, X, RELAXED));
}
static bool new_then_old(const litmus_outcome *o) { return o->out[1][0] == 1 && o->out[1][1] == 0; }

/* An ldapr of another location may overtake an earlier store-release. An ldar may not. */
static void rcpc_one(litmus_thread *t)
{
    store(t, X, 1, RELEASE);
    out(t, 0, load(t, Y, with_orders ? SEQ_CST : ACQUIRE));
}
static void rcpc_other(litmus_thread *t)
{
    store(t, Y, 1, RELEASE);
    out(t, 0, load(t, X, with_orders ? SEQ_CST : ACQUIRE));
}

static void two_plus_two_one(litmus_thread *t)
{
    store(t, X, 1, RELAXED);
    store(t, Y, 2, with_orders ? RELEASE : RELAXED);
}
static void two_plus_two_other(litmus_thread *t)
{
    store(t, Y, 1, RELAXED);
    store(t, X, 2, with_orders ? RELEASE : RELAXED);
}
static bool first_stores_last(const litmus_outcome *o)
{
    return o->final[X] == 1 && o->final[Y] == 1;
}

/* Store buffering. The membarrier in one thread is a fence in the other thread, too. */
static void asymmetric(litmus_thread *t)
{
    store(t, Y, 1, RELAXED);
    if (with_fences)
        membarrier(t);
    out(t, 0, load(t, X, RELAXED));
}
static void unfenced(litmus_thread *t)
{
    store(t, X, 1, RELAXED);
    out(t, 0, load(t, Y, RELAXED));
}

static void the_model_knows_the_usual_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        litmus_shape shape;
        bool fences, orders, reached;
    } known[] = {
        {"SB", {{sb_one, sb_other}, {0}, both_zero}, false, false, true},
        {"SB+dmbs", {{sb_one, sb_other}, {0}, both_zero}, true, false, false},
        {"SB+stlr+ldar", {{sb_one, sb_other}, {0}, both_zero}, false, true, false},
        {"SB+stlr+ldapr", {{rcpc_one, rcpc_other}, {0}, both_zero}, false, false, true},
        {"SB+stlr+ldar again", {{rcpc_one, rcpc_other}, {0}, both_zero}, false, true, false},
        {"SB+membarrier", {{asymmetric, unfenced}, {0}, both_zero}, true, false, false},
        {"SB, one side", {{asymmetric, unfenced}, {0}, both_zero}, false, false, true},
        {"MP", {{mp_sender, mp_receiver}, {0}, flag_without_data}, false, false, true},
        {"MP+dmbs", {{mp_sender, mp_receiver}, {0}, flag_without_data}, true, false, false},
        {"MP+stlr+ldapr", {{mp_sender, mp_receiver}, {0}, flag_without_data}, false, true, false},
        {"LB", {{lb_one, lb_other}, {0}, both_one}, false, false, true},
        {"LB+ldapr", {{lb_one, lb_other}, {0}, both_one}, false, true, false},
        {"WRC",
         {{wrc_first, wrc_second, wrc_third}, {0}, effect_without_cause},
         false,
         false,
         true},
        {"WRC+ldapr",
         {{wrc_first, wrc_second, wrc_third}, {0}, effect_without_cause},
         false,
         true,
         false},
        {"CoRR", {{corr_writer, corr_reader}, {0}, new_then_old}, false, false, false},
        {"2+2W",
         {{two_plus_two_one, two_plus_two_other}, {0}, first_stores_last},
         false,
         false,
         true},
        {"2+2W+stlr",
         {{two_plus_two_one, two_plus_two_other}, {0}, first_stores_last},
         false,
         true,
         false},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint64_t allowed;
        with_fences = known[i].fences;
        with_orders = known[i].orders;
        check_context("%s", known[i].name);
        CHECK_EQ(litmus_reaches(&known[i].shape, &allowed), known[i].reached);
        CHECK(allowed > 0);
    }
}

/* ---- hazards: read_candidate(), get_hold() | lrd__entry_*, lrd__ledger_scan(),
 * lrd__arena_reclaim() ---- */

enum { WORD, LEDGER, N, BLOCK, CONTENT };
enum { FREED = 2 };

static void hazard_reader(litmus_thread *t)
{
    if (load(t, WORD, ACQUIRE) != 1)
        return;
    store(t, LEDGER, 1, RELEASE);
    store(t, N, 1, RELEASE);
    if (load(t, WORD, without(2, ACQUIRE)) != 1)
        return; /* the reader gives up */
    out(t, 0, load(t, BLOCK, RELAXED));
    out(t, 1, load(t, CONTENT, RELAXED));
}

/* Unlink the block, make a membarrier, and reuse the block if the reader's ledger does not list
 * it. */
static void hazard_writer(litmus_thread *t)
{
    store(t, WORD, 0, RELEASE);
    if (litmus_broken != 1)
        membarrier(t);
    if (load(t, N, ACQUIRE) != 0 && load(t, LEDGER, ACQUIRE) != 0)
        return;
    store(t, BLOCK, FREED, RELAXED);
}

static bool reads_freed(const litmus_outcome *o) { return o->out[0][0] == FREED; }

/* Use the block again under the same key. A reader whose second load reads the new word must see
 * the new content. */
static void reusing_writer(litmus_thread *t)
{
    store(t, WORD, 0, RELEASE);
    if (litmus_broken != 1)
        membarrier(t);
    if (load(t, N, ACQUIRE) != 0 && load(t, LEDGER, ACQUIRE) != 0)
        return;
    store(t, BLOCK, FREED, RELAXED);
    store(t, CONTENT, FREED, RELAXED);
    store(t, WORD, 1, without(3, RELEASE));
}
static bool reads_two_values(const litmus_outcome *o) { return o->out[0][0] != o->out[0][1]; }

/* Fence mode: the reader and the writer have a full fence each: lrd__protect(),
 * ledger_barrier(). */
static void fenced_reader(litmus_thread *t)
{
    if (load(t, WORD, ACQUIRE) != 1)
        return;
    store(t, LEDGER, 1, RELEASE);
    if (litmus_broken != 1)
        fence(t);
    if (load(t, WORD, ACQUIRE) != 1)
        return;
    out(t, 0, load(t, BLOCK, RELAXED));
}
static void fenced_writer(litmus_thread *t)
{
    store(t, WORD, 0, RELEASE);
    if (litmus_broken != 2)
        fence(t);
    if (load(t, LEDGER, ACQUIRE) == 0)
        store(t, BLOCK, FREED, RELAXED);
}

/* One barrier serves several writers: lrd__shard_unlock(), ledger_barrier(), lrd__ledger_passed().
 * When a writer unlinks a block, it notes the number of the last barrier that has begun. When a
 * later barrier of any thread is done, the block may be freed. */
enum { BEGUN = CONTENT, DONE };
static void listing_reader(litmus_thread *t)
{
    if (load(t, WORD, ACQUIRE) != 1)
        return;
    store(t, LEDGER, 1, RELEASE);
    if (load(t, WORD, ACQUIRE) == 1)
        out(t, 0, load(t, BLOCK, RELAXED));
}
static void noting_writer(litmus_thread *t)
{
    int early = litmus_broken == 2 ? load(t, BEGUN, SEQ_CST) : 0;
    store(t, WORD, 0, RELEASE);
    if (litmus_broken != 1)
        fence(t);
    int noted = litmus_broken == 2 ? early : load(t, BEGUN, without(1, SEQ_CST));
    int done = load(t, DONE, without(3, ACQUIRE));
    if (done < noted || (done == noted && litmus_broken != 4))
        return;
    if (load(t, LEDGER, ACQUIRE) == 0)
        store(t, BLOCK, FREED, RELAXED);
}
static void barrier_maker(litmus_thread *t)
{
    int number = add(t, BEGUN, 1, SEQ_CST) + 1;
    fence(t);
    if (litmus_broken != 5)
        membarrier(t);
    store(t, DONE, number, RELEASE);
}

/* A writer that sees no other claimed slot does not call membarrier(). A reader may claim a slot at
 * this time: slot_take(), read_candidate() | ledger_barrier(), ledger_is_alone(). */
enum { CLAIMED = N };
static void arriving_reader(litmus_thread *t)
{
    store(t, CLAIMED, 1, RELEASE);
    if (litmus_broken != 1)
        fence(t);
    if (load(t, WORD, ACQUIRE) != 1)
        return;
    store(t, LEDGER, 1, RELEASE);
    if (load(t, WORD, ACQUIRE) == 1)
        out(t, 0, load(t, BLOCK, RELAXED));
}
static void lone_writer(litmus_thread *t)
{
    if (litmus_broken != 3)
        store(t, WORD, 0, RELEASE);
    if (litmus_broken != 2)
        fence(t);
    int claimed = load(t, CLAIMED, ACQUIRE);
    if (litmus_broken == 3)
        store(t, WORD, 0, RELEASE);
    if (claimed == 0)
        store(t, BLOCK, FREED, RELAXED);
}

/* lrd__ledger_drop(), lrd__ledger_clear(), lrd__slot_clear(): clear the ledger entry after the
 * block's last use. */
static void releasing_reader(litmus_thread *t)
{
    out(t, 0, load(t, BLOCK, RELAXED));
    store(t, LEDGER, 0, without(1, RELEASE));
}
static void scanning_writer(litmus_thread *t)
{
    if (load(t, LEDGER, without(2, ACQUIRE)) == 0)
        store(t, BLOCK, FREED, RELAXED);
}

/* Publishing and reading: lrd__index_insert(), lrd__index_replace() | read_find_at(). */
static void publisher(litmus_thread *t)
{
    store(t, BLOCK, 1, RELAXED);
    store(t, WORD, 1, without(1, RELEASE));
}
static void finder(litmus_thread *t)
{
    out(t, 0, load(t, WORD, without(2, ACQUIRE)));
    out(t, 1, load(t, BLOCK, RELAXED));
}

/* ---- handovers: slot_copy_holds(), ledger_compact() | lrd__ledger_scan() ---- */

enum { FIRST, SECOND, HANDOVERS };

/* Move a hold: list it in the other slot, announce the handover, then clear it in this slot. */
static void handing_over(litmus_thread *t)
{
    store(t, SECOND, 1, RELAXED);
    if (litmus_broken == 2)
        store(t, FIRST, 0, RELEASE);
    if (litmus_broken != 1)
        add(t, HANDOVERS, 1, litmus_broken == 3 ? ACQUIRE : SEQ_CST);
    if (litmus_broken != 2)
        store(t, FIRST, 0, RELEASE);
}

/* The scan reads the new slot before the old one. If a hold moves between the two reads, neither
 * read sees the hold. Only HANDOVERS shows that the hold has moved. */
static void scan_of_slots(litmus_thread *t)
{
    int before = load(t, HANDOVERS, SEQ_CST);
    out(t, 0, load(t, SECOND, without(4, ACQUIRE)) + load(t, FIRST, without(4, ACQUIRE)));
    out(t, 1, load(t, HANDOVERS, SEQ_CST) == before);
}
static bool hold_is_missed(const litmus_outcome *o)
{
    return o->out[1][0] == 0 && o->out[1][1] == 1;
}

/* Move a hold within one slot, from the spare entry to another entry: lrd_hold() of a borrow |
 * ledger_read(). */
enum { SPARE, SLOT_N, ENTRY };
static void keeping_a_borrow(litmus_thread *t)
{
    store(t, ENTRY, 1, RELEASE);
    store(t, SLOT_N, 1, RELEASE);
    store(t, SPARE, 0, without(1, RELEASE));
}
static void scan_of_a_slot(litmus_thread *t)
{
    int spare = 0;
    if (litmus_broken != 2)
        spare = load(t, SPARE, without(3, ACQUIRE));
    int entry = load(t, SLOT_N, ACQUIRE) != 0 ? load(t, ENTRY, ACQUIRE) : 0;
    if (litmus_broken == 2)
        spare = load(t, SPARE, ACQUIRE);
    out(t, 0, spare == 0 && entry == 0);
}
static bool borrow_is_missed(const litmus_outcome *o) { return o->out[1][0] == 1; }

/* quota_try(), lrd__zone_take(): of two threads that raise their quotas, at least one sees the
 * other's new quota. */
enum { MINE, OTHERS };
static void quota_one(litmus_thread *t)
{
    swap(t, MINE, 0, 1, litmus_broken == 1 ? ACQ_REL : SEQ_CST);
    out(t, 0, load(t, OTHERS, litmus_broken == 1 ? ACQUIRE : SEQ_CST));
}
static void quota_other(litmus_thread *t)
{
    store(t, OTHERS, 1, SEQ_CST);
    if (litmus_broken == 2)
        out(t, 0, load(t, MINE, ACQUIRE));
    else
        out(t, 0, load(t, MINE, SEQ_CST));
}

/* Two threads raise their quotas: quota_try() | slot_extend(), quota_try(). The first thread reads
 * which slots are in use, and may not see the second thread's slot yet. The second thread must then
 * see the first one's quota. */
enum { SLOTS = 2 };
static void quota_of_a_known_slot(litmus_thread *t)
{
    swap(t, MINE, 0, 1, SEQ_CST);
    out(t, 0, 0);
    if (load(t, SLOTS, litmus_broken == 1 ? ACQUIRE : SEQ_CST) == 1)
        out(t, 0, load(t, OTHERS, SEQ_CST));
}
static void quota_of_a_new_slot(litmus_thread *t)
{
    store(t, SLOTS, 1, SEQ_CST);
    swap(t, OTHERS, 0, 1, litmus_broken == 2 ? ACQUIRE : SEQ_CST);
    out(t, 0, load(t, MINE, litmus_broken == 2 ? ACQUIRE : SEQ_CST));
}

/* ---- counters: read_add(), read_swap(), lrd_counter_value() ---- */

enum { COUNT, DATA };
static void counting(litmus_thread *t)
{
    store(t, DATA, 1, RELAXED);
    add(t, COUNT, 1, litmus_broken == 1 ? ACQUIRE : ACQ_REL);
}
static void swapping(litmus_thread *t)
{
    store(t, DATA, 1, RELAXED);
    swap(t, COUNT, 0, 1, litmus_broken == 1 ? ACQUIRE : ACQ_REL);
}
static void count_reader(litmus_thread *t)
{
    out(t, 0, load(t, COUNT, without(2, ACQUIRE)));
    out(t, 1, load(t, DATA, RELAXED));
}
static void second_counter(litmus_thread *t)
{
    if (litmus_broken != 1) {
        add(t, COUNT, 1, ACQ_REL);
        return;
    }
    /* a load and a separate store, instead of one atomic step */
    int seen = load(t, COUNT, ACQUIRE);
    if (seen + 1 < LITMUS_VALUES)
        store(t, COUNT, seen + 1, RELEASE);
}
static bool count_is_lost(const litmus_outcome *o) { return o->final[COUNT] != 3; }

/* ---- locks and leases: lrd__shard_lock(), lrd__lease_gone(), slot_reap() ---- */

enum { LOCK, STATE, GONE };
static void critical_section(litmus_thread *t)
{
    if (swap(t, LOCK, 0, 1, litmus_broken == 2 ? RELAXED : ACQUIRE) != 0)
        return;
    store(t, STATE, load(t, STATE, RELAXED) == 1 ? 2 : 1, RELAXED);
    store(t, LOCK, 0, without(1, RELEASE));
    out(t, 0, 1);
}
static bool section_is_lost(const litmus_outcome *o)
{
    return o->out[0][0] == 1 && o->out[1][0] == 1 && o->final[STATE] != 2;
}

/* A thread is killed with the lock, which the kernel or lrd__lease_gone() marks as dead. The next
 * holder must see everything that the killed thread did. */
enum { HELD = 1, DEAD = 2, TAKEN = 3 };
static void killed_holder(litmus_thread *t)
{
    store(t, STATE, 1, RELAXED);
    swap(t, LOCK, HELD, DEAD, without(1, RELEASE));
}
static void next_holder(litmus_thread *t)
{
    if (swap(t, LOCK, DEAD, TAKEN, without(2, ACQUIRE)) != DEAD)
        return;
    out(t, 0, 1);
    out(t, 1, load(t, STATE, RELAXED));
}
static bool death_hides_state(const litmus_outcome *o)
{
    return o->out[1][0] == 1 && o->out[1][1] == 0;
}

/* The reader is killed while it holds a block. The reaper takes and clears the dead reader's slot.
 * This ends the hold, and the block is freed. The reader's load must not see the freed block. */
static void killed_reader(litmus_thread *t)
{
    out(t, 0, load(t, BLOCK, RELAXED));
    swap(t, LOCK, HELD, DEAD, without(1, RELEASE));
}
static void reaper(litmus_thread *t)
{
    if (swap(t, LOCK, DEAD, TAKEN, without(2, ACQUIRE)) == DEAD)
        store(t, BLOCK, FREED, RELAXED);
}

/* ---- growing: grow_begin(), grow_extend(), grow_move(), lrd__grow_end() | lrd__read_find(),
 * read_find_new()
 * ---- */

enum { OLD_PLACE, NEW_PLACE, NEXT, MASK, MEMORY, MOVING = MEMORY };

static void grower(litmus_thread *t)
{
    swap(t, NEXT, 0, 1, ACQ_REL);
    if (litmus_broken == 1)
        store(t, OLD_PLACE, 0, RELEASE);
    store(t, NEW_PLACE, 1, RELEASE);
    if (litmus_broken != 1)
        store(t, OLD_PLACE, 0, without(2, RELEASE));
    swap(t, MASK, 0, 1, ACQ_REL);
}
static void searching(litmus_thread *t)
{
    int mask = load(t, MASK, ACQUIRE), next = 0;
    out(t, 0, 1); /* the key counts as missed if no load below finds it */
    if (litmus_broken == 3)
        next = load(t, NEXT, ACQUIRE);
    if (mask == 0 && load(t, OLD_PLACE, without(4, ACQUIRE)) != 0)
        out(t, 0, 0);
    else if (mask == 1 && load(t, NEW_PLACE, ACQUIRE) != 0)
        out(t, 0, 0);
    if (t->trace.out[0] == 0)
        return;
    if (litmus_broken != 3)
        next = load(t, NEXT, ACQUIRE);
    if (next == mask || next > 1)
        return; /* the reader does not search again */
    if (load(t, NEW_PLACE, ACQUIRE) != 0 || load(t, NEXT, ACQUIRE) != next ||
        load(t, MASK, ACQUIRE) != mask)
        out(t, 0, 0); /* the key was found, or the reader searches again */
}
static bool key_is_missed(const litmus_outcome *o) { return o->out[1][0] == 1; }

/* An entry moves from its home bucket to a higher one: lrd__grow_make_room(), lrd__index_copy(). If
 * a reader does not find the key in the home, it searches the higher buckets only if `displaced` is
 * set: read_find_at(). The reader must not miss the moving entry. */
enum { LOWER, HIGHER, DISPLACED };
static void moving_up(litmus_thread *t)
{
    if (litmus_broken != 1)
        store(t, DISPLACED, 1, RELEASE);
    store(t, HIGHER, 1, RELEASE);
    store(t, LOWER, 0, without(2, RELEASE));
    if (litmus_broken == 1)
        store(t, DISPLACED, 1, RELEASE);
}
static void looking_up(litmus_thread *t)
{
    out(t, 0, 0);
    if (load(t, LOWER, without(3, ACQUIRE)) == 0)
        out(t, 0, load(t, DISPLACED, ACQUIRE) == 0 || load(t, HIGHER, ACQUIRE) == 0);
}

/* grow_extend() commits the memory of new buckets before it publishes their number. */
static void extending(litmus_thread *t)
{
    store(t, MEMORY, 1, RELAXED);
    swap(t, NEXT, 0, 1, litmus_broken == 1 ? ACQUIRE : ACQ_REL);
}
static void reaching(litmus_thread *t)
{
    out(t, 0, load(t, NEXT, without(2, ACQUIRE)));
    out(t, 1, load(t, MEMORY, RELAXED));
}

/* ---- recovery: grow_move() killed at any instruction, lrd__grow_mend(), and readers meanwhile
 * ---- */

static void killed_mover(litmus_thread *t)
{
    int steps = choose(t, 5); /* the mover is killed after this number of steps */
    if (steps > 0)
        store(t, MOVING, 1, RELAXED);
    if (steps > 1)
        store(t, NEW_PLACE, 1, RELEASE);
    if (steps > 2)
        store(t, OLD_PLACE, 0, RELEASE);
    if (steps > 3)
        store(t, MOVING, 0, RELAXED);
    swap(t, MASK, HELD, DEAD, without(1, RELEASE)); /* MASK stands for the shard's lock */
}
static void mender(litmus_thread *t)
{
    if (swap(t, MASK, DEAD, TAKEN, without(2, ACQUIRE)) != DEAD)
        return;
    out(t, 0, 1);
    if (load(t, MOVING, RELAXED) == 0)
        return;
    if (litmus_broken == 3 || load(t, NEW_PLACE, RELAXED) != 0)
        store(t, OLD_PLACE, 0, RELEASE);
}
static void reading_meanwhile(litmus_thread *t)
{
    out(t, 0, load(t, OLD_PLACE, without(4, ACQUIRE)) == 0 && load(t, NEW_PLACE, ACQUIRE) == 0);
}
/* True if the reader found the block at neither place, or if both index words name the block after
 * the mender has run. */
static bool move_is_torn(const litmus_outcome *o)
{
    return o->out[2][0] == 1 ||
           (o->out[1][0] == 1 && o->final[OLD_PLACE] != 0 && o->final[NEW_PLACE] != 0);
}

/* lrd__vet_shard() drops a damaged word, and then marks the shard as vetted. lrd__vet_for_read()
 * reads the mark before a search. In the same way, lrd__shard_format() stores the number of homes
 * last, and readers read this number first. */
enum { UNSOUND, VETTED };
static void vetting(litmus_thread *t)
{
    store(t, UNSOUND, 0, RELAXED);
    store(t, VETTED, 1, without(1, RELEASE));
}
static void reading_vetted(litmus_thread *t)
{
    out(t, 0, load(t, VETTED, without(2, ACQUIRE)));
    out(t, 1, load(t, UNSOUND, RELAXED));
}
static bool unsound_is_seen(const litmus_outcome *o)
{
    return o->out[1][0] == 1 && o->out[1][1] == 1;
}

/* ---- judging ---- */

static const shape_test shapes[] = {
    {"list, re-load, scan",
     {{hazard_reader, hazard_writer}, {[WORD] = 1, [BLOCK] = 1}, reads_freed},
     1},
    {"list, re-load, the same again",
     {{hazard_reader, reusing_writer}, {[WORD] = 1, [BLOCK] = 1, [CONTENT] = 1}, reads_two_values},
     3},
    {"list, re-load, scan with fences",
     {{fenced_reader, fenced_writer}, {[WORD] = 1, [BLOCK] = 1}, reads_freed},
     2},
    {"list, re-load, another's barrier",
     {{listing_reader, noting_writer, barrier_maker}, {[WORD] = 1, [BLOCK] = 1}, reads_freed},
     5},
    {"claim, list, re-load, alone",
     {{arriving_reader, lone_writer}, {[WORD] = 1, [BLOCK] = 1}, reads_freed},
     3},
    {"release, scan",
     {{releasing_reader, scanning_writer}, {[LEDGER] = 1, [BLOCK] = 1}, reads_freed},
     2},
    {"publish, read", {{publisher, finder}, {0}, flag_without_data}, 2},
    {"hand over, scan", {{handing_over, scan_of_slots}, {[FIRST] = 1}, hold_is_missed}, 4},
    {"keep a borrow, scan",
     {{keeping_a_borrow, scan_of_a_slot}, {[SPARE] = 1}, borrow_is_missed},
     3},
    {"raise quotas", {{quota_one, quota_other}, {0}, both_zero}, 2},
    {"raise a new slot's quota", {{quota_of_a_known_slot, quota_of_a_new_slot}, {0}, both_zero}, 2},
    {"count, look", {{counting, count_reader}, {0}, flag_without_data}, 2},
    {"swap a counter, look", {{swapping, count_reader}, {0}, flag_without_data}, 2},
    {"three count", {{second_counter, second_counter, second_counter}, {0}, count_is_lost}, 1},
    {"lock, unlock", {{critical_section, critical_section}, {0}, section_is_lost}, 2},
    {"die in a lock", {{killed_holder, next_holder}, {[LOCK] = HELD}, death_hides_state}, 2},
    {"die with a hold", {{killed_reader, reaper}, {[LOCK] = HELD, [BLOCK] = 1}, reads_freed}, 2},
    {"move, search", {{grower, searching}, {[OLD_PLACE] = 1}, key_is_missed}, 4},
    {"move up, search", {{moving_up, looking_up}, {[LOWER] = 1}, key_is_missed}, 3},
    {"commit, reach", {{extending, reaching}, {0}, flag_without_data}, 2},
    {"die in a move",
     {{killed_mover, mender, reading_meanwhile}, {[OLD_PLACE] = 1, [MASK] = HELD}, move_is_torn},
     4},
    {"vet, read", {{vetting, reading_vetted}, {[UNSOUND] = 1}, unsound_is_seen}, 2},
};

static void each_shape_holds_and_breaks_without_a_barrier(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (litmus_broken = 0; litmus_broken <= shapes[i].broken; litmus_broken++) {
            uint64_t allowed;
            check_context("%s, variant %d", shapes[i].name, litmus_broken);
            bool reached = litmus_reaches(&shapes[i].shape, &allowed);
            print_message("%-32s %s %8llu executions: %s\n", shapes[i].name,
                          litmus_broken == 0 ? "as it is  " : "one is out",
                          (unsigned long long)allowed, reached ? "a bad one" : "none is bad");
            CHECK(allowed > 0);
            CHECK_EQ(reached, litmus_broken != 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_knows_the_usual_shapes),
        cmocka_unit_test(each_shape_holds_and_breaks_without_a_barrier),
    };
    return cmocka_run_group_tests_name("litmus", tests, NULL, NULL);
}
