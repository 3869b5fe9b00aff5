/* holds.pml - how a block is published, listed, retired and freed, while any process may die at any
 * step. One reader, which may fork, two writers, three blocks; the index is one word.
 *
 * Each step names the function of the core that it stands for. A store to a ledger stays in a store
 * buffer until that is flushed: at some time, by a fence, or by the membarrier of another process.
 *
 * Safety: no block in use is free. When all processes have ended and the lock was taken once more,
 * every block that nothing names is free. Liveness: each get ends, whichever process dies.
 *
 * Broken variants, each of which must yield a trace: NO_RELOAD, NO_BARRIER, NO_SCAN, FREE_FIRST,
 * NO_RECOVERY, NO_HANDOVER, READER_LOCKS. */

#define BLOCKS 3
#define NONE 0
#define FREE 0
#define BUILT 1
#define LIVE 2
#define RETIRED 3

byte word = 1;            /* of the index: block; NONE */
byte state[BLOCKS + 1];   /* of each block: free, in use, retired */
byte ledger[2];           /* of the reader's slot 1, and of its child's, 0, as others see it */
byte buffered[2];         /* a listing that is in the reader's store buffer still; NONE */
byte used[2];             /* what is being read from a slot; NONE */
byte handovers;
byte lock_owner;          /* 0: free; else the writer */
bool lock_died;           /* the owner has died: the kernel's mark */
byte deaths;
bool started, asking, reader_over, writers_over[2];

#define MAY_DIE (deaths < 2)

inline flush_all() {
    if :: buffered[0] != NONE -> ledger[0] = buffered[0]; buffered[0] = NONE :: else fi;
    if :: buffered[1] != NONE -> ledger[1] = buffered[1]; buffered[1] = NONE :: else fi
}

/* A store buffer is flushed at some time. */
active proctype store_buffer() {
    do
    :: atomic { buffered[1] != NONE -> ledger[1] = buffered[1]; buffered[1] = NONE }
    :: reader_over && writers_over[0] && writers_over[1] -> break
    od
}

/* lrd__slot_clear(), for a slot whose owner is dead: its ledger is empty. */
inline slot_die(slot) {
    d_step { used[slot] = NONE; buffered[slot] = NONE; ledger[slot] = NONE }
}

active proctype reader() {
    byte found, again;
    started;
    asking = true;
#ifdef READER_LOCKS
    lock_owner == 0;
#endif
retry:
    found = word;                                        /* lrd__read_find() */
    if
    :: found == NONE -> goto answered
    :: else
    fi;
    buffered[1] = found;                                 /* lrd__protect() */
    if
    :: MAY_DIE -> atomic { deaths++; slot_die(1); goto gone }
    :: true
    fi;
#ifndef NO_RELOAD
    again = word;                                        /* read_candidate() */
    if
    :: again != found ->
        d_step { buffered[1] = NONE; ledger[1] = NONE }  /* lrd__read_unlist() */
        goto retry
    :: else
    fi;
#endif
    used[1] = found;
    if
    :: MAY_DIE -> atomic { deaths++; slot_die(1); goto gone }
    :: true
    fi;
answered:
    asking = false;
    if
    :: used[1] != NONE ->                                /* slot_fork_prepare() */
        d_step { flush_all(); ledger[0] = used[1] }
        used[0] = used[1];                               /* the child reads on */
#ifndef NO_HANDOVER
        handovers++;
#endif
        d_step { used[1] = NONE; ledger[1] = NONE }      /* lrd_request_end(), of the parent */
        if
        :: MAY_DIE -> atomic { deaths++; slot_die(0) }
        :: true -> d_step { used[0] = NONE; ledger[0] = NONE } /* of the child */
        fi
    :: else
    fi;
gone:
    asking = false;
    reader_over = true
}

/* Nothing that is used is free. */
#define SOUND (used[0] == NONE || state[used[0]] == LIVE || state[used[0]] == RETIRED) && \
              (used[1] == NONE || state[used[1]] == LIVE || state[used[1]] == RETIRED)

/* lrd__ledger_scan(): slot by slot, and once more where a hold has moved. Then lrd__arena_reclaim() of what
 * was retired and not seen. */
inline reclaim() {
#ifndef NO_BARRIER
    d_step { flush_all() };                              /* ledger_barrier() */
#endif
    do
    :: true ->
        before = handovers;
        seen0 = ledger[0];
        seen1 = ledger[1];
        if
        :: handovers == before -> break
        :: else
        fi
    od;
#ifdef NO_SCAN
    seen0 = NONE;
    seen1 = NONE;
#endif
    b = 1;
    do
    :: b > BLOCKS -> break
    :: else ->
        if
        :: state[b] == RETIRED && b != seen0 && b != seen1 -> state[b] = FREE
        :: else
        fi;
        b++
    od
}

#define DIE_HERE                                                                                   \
    if                                                                                             \
    :: MAY_DIE -> atomic { deaths++; lock_died = true; goto dead }                                 \
    :: true                                                                                        \
    fi

/* me: 1, 2. Each puts once; the last one to come takes the lock once more. */
proctype writer(byte me) {
    byte mine, old, b, seen0, seen1, before;
    atomic { lock_owner == 0 || lock_died -> lock_owner = me } /* lrd__shard_lock() */
    if
    :: lock_died ->
#ifndef NO_RECOVERY
        DIE_HERE;
        b = 1;                                           /* lrd__recover_shard() */
        do
        :: b > BLOCKS -> break
        :: else ->
            if
            :: word == b -> state[b] = LIVE
            :: else -> state[b] = RETIRED                /* until a scan says that it is free */
            fi;
            b++
        od;
        DIE_HERE;
#endif
        lock_died = false                                /* lrd__mutex_consistent() */
    :: else
    fi;
    reclaim();
    DIE_HERE;
    mine = 1;                                            /* lrd__room_make() */
    do
    :: mine > BLOCKS -> break
    :: mine <= BLOCKS && state[mine] == FREE -> break
    :: else -> mine++
    od;
    if
    :: mine > BLOCKS -> goto unlock
    :: else
    fi;
    state[mine] = BUILT;                                 /* arena_small() */
    DIE_HERE;
    old = word;
#ifdef FREE_FIRST
    if :: old != NONE -> state[old] = FREE :: else fi;
#endif
    atomic { state[mine] = LIVE; word = mine };          /* lrd__index_replace(): one store */
    DIE_HERE;
#ifndef FREE_FIRST
    if :: old != NONE -> state[old] = RETIRED :: else fi; /* lrd__arena_retire() */
#endif
    DIE_HERE;
    reclaim();
unlock:
    lock_owner = 0;                                      /* lrd__shard_unlock() */
dead:
    writers_over[me - 1] = true
}

/* Comes last: takes the lock, recovers if need be, and finds every block in its place. */
proctype survivor() {
    byte b, seen0, seen1, before;
    reader_over && writers_over[0] && writers_over[1];
    assert(lock_owner == 0 || lock_died);
    if
    :: lock_died ->
#ifndef NO_RECOVERY
        b = 1;
        do
        :: b > BLOCKS -> break
        :: else -> state[b] = (word == b -> LIVE : RETIRED); b++
        od;
#endif
        lock_died = false
    :: else
    fi;
    reclaim();
    b = 1;
    do
    :: b > BLOCKS -> break
    :: else ->
        assert(state[b] == (word == b -> LIVE : FREE));
        b++
    od
}

active proctype watch() {
    do
    :: atomic { !(SOUND) -> assert(false) }
    :: reader_over && writers_over[0] && writers_over[1] -> break
    od
}

init {
    atomic {
        state[1] = LIVE;
        started = true;
        run writer(1);
        run writer(2);
        run survivor()
    }
}

/* A get comes to an end. */
ltl get_ends { [] (asking -> <> !asking) }
