/* fsck_test.c - lrd_fsck() names each kind of damage that a child has done to a store in shared
 * memory. damage_test.c tests how an adopter mends damage. */
#include "support.h"

#include "internal.h"

#include <unistd.h>

#define MIB (1u << 20)

static lrd_store *store;

/* ---- stores ---- */

static void open_store(lrd_policy policy)
{
    lrd_options options = {
        .policy = policy, .size = 2 * MIB, .shards = 2, .slots = 16, .entries_hint = 400};
    CHECK_OK(lrd_open(&options, &store));
}

static const char *name_of(const char *prefix, int i)
{
    static char key[24];
    snprintf(key, sizeof key, "%s %d", prefix, i);
    return key;
}

static void build_entries(lrd_policy policy)
{
    static char packed[4096], text[1500];
    lrd_value held;
    open_store(policy);
    uint64_t ttl = store->expires ? 600000 : 0;
    for (int i = 0; i < 200; i++)
        CHECK_OK(put_value(store, name_of("key", i), 100, (uint64_t)i, LRD_SET, 0));
    for (int i = 0; i < 4; i++)
        CHECK_OK(put_value(store, name_of("late", i), 200, (uint64_t)i, LRD_SET, ttl));
    for (int i = 0; i < 6; i++)
        CHECK_OK(put_value(store, name_of("run", i), 60000, (uint64_t)i, LRD_SET, 0));
    CHECK_OK(put_value(store, "long run", 100000, 1, LRD_SET, 0));
    memset(text, 'a', sizeof text);
    size_t size = lrd_pack(packed, text, sizeof text, 0, sizeof text, LRD_COMPRESS_SMALL);
    CHECK_OK(lrd_put(store, "packed", 6, packed, size, &(lrd_write){.type = LRD_TYPE_PACKED}));
    CHECK_OK(put_value(store, "retired", 100, 1, LRD_SET, 0));
    CHECK_OK(lrd_get(store, "retired", 7, 0, &held));
    CHECK_OK(lrd_delete(store, "retired", 7));
    for (int i = 0; i < 8; i++)
        CHECK_OK(lrd_lock(store, name_of("lock", i), 6, 0, 0, NULL));
    CHECK_OK(lrd_unlock(store, "lock 7", 6, 0));
    CHECK_FSCK(store);
}

static lrd_queue work;

static void build_queue(void)
{
    lrd_queue other;
    lrd_message m;
    open_store(LRD_QUEUE);
    CHECK_OK(lrd_queue_open(store, "work", 4, 0, &work));
    CHECK_OK(lrd_queue_open(store, "other", 5, 0, &other));
    for (int i = 0; i < 12; i++)
        CHECK_OK(lrd_queue_push(store, work, "a body", 6, 1, &(lrd_push){.ttl_ms = 600000}, NULL));
    for (int i = 0; i < 3; i++)
        CHECK_OK(lrd_queue_push(store, work, "late", 4, 1, &(lrd_push){.delay_ms = 50000}, NULL));
    for (int i = 0; i < 4; i++) {
        CHECK_OK(lrd_queue_pop(store, work, LRD_GET_BORROW, 0, 0, &m));
        if (i > 1)
            CHECK_OK(lrd_queue_ack(store, work, m.id));
    }
    CHECK_FSCK(store);
}

/* ---- places to damage ---- */

typedef struct spot {
    uint32_t shard, slot;
    _Atomic uint64_t *word;
    lrd__block *block;
    uint64_t offset, page, number, bit; /* bit: the number of the block in its page */
} spot;

static spot spot_of(const char *key)
{
    spot s;
    lrd__place place = lrd__place_of(store, key, strlen(key));
    lrd__assert_alone(store);
    s.shard = place.shard_index;
    s.slot = lrd__index_find(store, &place, key, strlen(key));
    lrd__assert_alone(NULL);
    CHECK(s.slot != LRD__NO_SLOT);
    s.word = lrd__index_word(store, s.shard, s.slot);
    s.offset = lrd__word_offset(*s.word);
    s.block = lrd__block_window(store, s.offset);
    s.page = lrd__page_of(store, s.offset);
    s.number = lrd__slot_number(store, s.shard, s.slot);
    s.bit = (s.offset - lrd__page_start(store, s.page)) /
            lrd__class_size(lrd__owner_class(lrd__page_owner(store, s.page)));
    return s;
}

static lrd__shard *shard_of(const spot *s) { return store->shards + s->shard; }
static lrd__page *page_of(const spot *s) { return store->pages + s->page; }

/* Return an empty slot in the bucket of this entry. */
static uint32_t empty_beside(const spot *s)
{
    uint32_t first = s->slot / LRD__WAYS * LRD__WAYS, way = 0;
    while (way < LRD__WAYS && *lrd__index_word(store, s->shard, first + way) != 0)
        way++;
    CHECK(way < LRD__WAYS);
    return first + way;
}

static spot with_room(const char *prefix)
{
    for (int i = 0;; i++) {
        spot s = spot_of(name_of(prefix, i));
        for (uint32_t way = 0; way < LRD__WAYS; way++)
            if (*lrd__index_word(store, s.shard, s.slot / LRD__WAYS * LRD__WAYS + way) == 0)
                return s;
    }
}

/* Put entries until one lies in a whole page (64 KiB), and one of the page's first 64 blocks is
 * free. Returns the entry. */
static spot in_whole_page(void)
{
    for (int i = 0;; i++) {
        CHECK_OK(put_value(store, name_of("more", i), 100, 1, LRD_SET, 0));
        spot s = spot_of(name_of("more", i));
        if (!lrd__page_is_mini(store, s.page) &&
            store->bits[s.page].block[0].allocated != UINT64_MAX)
            return s;
    }
}

static uint32_t free_page(void)
{
    uint32_t page = 0;
    while (lrd__page_owner(store, page) != 0)
        page++;
    return page;
}

/* Return a reserved row of the shard to which `key` belongs. */
static lrd__keylock *row_of(const char *key)
{
    for (uint32_t link = 1; link <= store->geo.keylock_chunks * LRD__KEYLOCK_CHUNK; link++) {
        lrd__keylock *row = lrd__keyrow_at(store, link);
        uint32_t shard = lrd__keyrow_shard(store, link);
        if (shard < store->geo.shards && row->token != 0 &&
            lrd__place_of(store, key, strlen(key)).shard_index == shard)
            return row;
    }
    CHECK(false);
    return NULL;
}

static lrd__shard *shard_of_row(const lrd__keylock *row)
{
    return store->shards + lrd__keyrow_shard(store, lrd__keyrow_link_of(store, row));
}

static uint32_t *chain_of(const lrd__keylock *row)
{
    return lrd__keyrow_head(store, shard_of_row(row), row->hash_low);
}

/* ---- damage of the index ---- */

static void word_beyond_the_data(void)
{
    spot s = spot_of("key 1");
    *s.word = lrd__word_make(lrd__word_tag(*s.word), 0, LRD_SIZE_MAX - 4096);
}
static void word_of_a_free_page(void)
{
    spot s = spot_of("key 1");
    uint64_t offset = lrd__page_start(store, free_page());
    memcpy(store->window + offset, s.block, 200);
    *s.word = lrd__word_make(lrd__word_tag(*s.word), 0, offset);
}
static void word_within_a_block(void)
{
    spot s = spot_of("key 1");
    memmove((uint8_t *)s.block + 16, s.block, 80);
    *s.word = lrd__word_make(lrd__word_tag(*s.word), 0, s.offset + 16);
}
static void word_in_the_rest_of_a_page(void)
{
    spot s = in_whole_page();
    uint32_t size = lrd__class_size(lrd__owner_class(lrd__page_owner(store, s.page)));
    uint64_t offset = lrd__page_start(store, s.page) + LRD__PAGE / size * size;
    CHECK(LRD__PAGE % size != 0);
    page_of(&s)->committed = LRD__PAGE_PARTS;
    *s.word = lrd__word_make(lrd__word_tag(*s.word), 0, offset);
    memcpy(store->window + offset, s.block, 32);
}
static void word_of_the_other_shard(void)
{
    spot s = spot_of("key 1");
    for (int i = 2;; i++) {
        spot other = spot_of(name_of("key", i));
        if (other.shard != s.shard) {
            *s.word = *other.word;
            return;
        }
    }
}
static void two_words_of_a_block(void)
{
    spot s = with_room("key");
    *lrd__index_word(store, s.shard, empty_beside(&s)) = *s.word;
}
static void two_words_of_a_run(void)
{
    spot s = with_room("run");
    *lrd__index_word(store, s.shard, empty_beside(&s)) = *s.word;
}
static void block_without_a_key(void) { spot_of("key 1").block->key_len = 0; }
static void block_of_an_impossible_size(void)
{
    lrd__block *block = spot_of("key 1").block;
    block->key_len = 0;
    block->long_key_len = 5;
    memset((uint8_t *)block + LRD__BLOCK_LONG_SIZE, 0xff, 8);
}
static void block_past_the_data(void) { spot_of("key 1").block->size = 3 * MIB; }
static void block_past_its_place(void) { spot_of("key 1").block->size = 3000; }
static void block_past_its_run(void) { spot_of("long run").block->size = 300000; }
static void page_without_memory(void)
{
    spot s = spot_of("key 1");
    page_of(&s)->committed = 0;
}
static void run_without_memory(void)
{
    spot s = spot_of("run 1");
    page_of(&s)->committed = 1;
}
static void run_that_leaves_its_shard(void)
{
    spot s = spot_of("long run");
    store->owners[s.page + 1] = lrd__owner_make(!s.shard, LRD__CLASS_RUN);
}
static void tag_of_another_key(void)
{
    spot s = spot_of("key 1");
    *s.word ^= 1ull << 50;
}
static void word_far_from_its_home(void)
{
    spot s = spot_of("key 1");
    *lrd__index_word(store, s.shard, lrd__shard_slots(store) - 1) = *s.word;
    *s.word = 0;
}
static void key_twice(void)
{
    spot s = with_room("key");
    for (int i = 0;; i++) {
        spot other = spot_of(name_of("key", i));
        if (other.shard != s.shard || other.slot == s.slot)
            continue;
        memcpy(other.block, s.block, 130);
        *lrd__index_word(store, s.shard, empty_beside(&s)) =
            lrd__word_make(lrd__word_tag(*s.word), lrd__word_displacement(*s.word), other.offset);
        *other.word = 0;
        return;
    }
}
static void packed_byte(void)
{
    spot s = spot_of("packed");
    ((uint8_t *)s.block)[lrd__block_start(s.block) + lrd__block_size(s.block) - 1] ^= 1;
}
static void displaced_count(void)
{
    spot s = spot_of("key 1");
    lrd__bucket_of(store, s.shard, s.slot / LRD__WAYS)->displaced += 3;
}
static void live_entries(void) { store->shards[1].live_entries++; }
static void live_bytes(void) { store->shards[1].live_bytes++; }
static void dead_entries(void) { store->shards[1].dead_entries++; }
static void dead_bytes(void) { store->shards[1].dead_bytes++; }
static void packed_entries(void) { store->shards[1].packed_entries++; }
static void packed_bytes(void) { store->shards[1].packed_bytes++; }
static void packed_ready(void) { store->shards[1].packed_ready++; }
static void packs(void)
{
    spot s = spot_of("packed");
    shard_of(&s)->packs = 0;
}
static void too_few_homes(void) { store->shards[1].homes--; }
static void too_many_homes(void)
{
    store->shards[1].homes = lrd__shard_buckets(store) - LRD__OVERHANG + 1;
}
static void moving(void) { store->shards[1].moving = 3; }
static void flux(void) { store->shards[1].flux = 3; }
static void tick_of_an_empty_slot(void)
{
    spot s = spot_of("late 1");
    uint32_t slot = empty_beside(&s);
    store->timers[lrd__slot_number(store, s.shard, slot)].tick = 9;
}
static void tick_of_an_entry(void) { store->timers[spot_of("late 1").number].tick += 2; }
static void expiry_in_a_pinned_store(void) { spot_of("key 1").block->expiry = 5; }

/* ---- damage of pages ---- */

static void class_that_is_none(void)
{
    store->owners[free_page()] = lrd__owner_make(1, LRD__CLASS_RUN + 1);
}
static void owner_that_is_none(void) { store->owners[free_page()] = 77u << 8; }
static void owner_past_the_shards(void) { store->owners[free_page()] = lrd__owner_make(9, 3); }
static void more_memory_than_a_page(void)
{
    spot s = spot_of("key 1");
    page_of(&s)->committed = LRD__PAGE_PARTS + 1;
}
static uint32_t free_bit(uint64_t page)
{
    uint32_t bit = 0;
    while (store->bits[page].block[bit / 64].allocated >> bit % 64 & 1)
        bit++;
    return bit;
}
static void retired_but_free(void)
{
    spot s = spot_of("key 1");
    uint32_t bit = free_bit(s.page);
    store->bits[s.page].block[bit / 64].retired |= 1ull << bit % 64;
}
static void allocated_but_not_indexed(void)
{
    spot s = spot_of("key 1");
    uint32_t bit = free_bit(s.page);
    store->bits[s.page].block[bit / 64].allocated |= 1ull << bit % 64;
}
static void hint_past_free_blocks(void)
{
    spot s = in_whole_page();
    page_of(&s)->hint = 3;
}
static void used_of_a_page(void)
{
    spot s = spot_of("key 1");
    page_of(&s)->used++;
}
static void retired_of_a_page(void)
{
    spot s = spot_of("key 1");
    page_of(&s)->retired++;
}
static uint32_t waiting_page(void)
{
    for (uint32_t page = 0; page < store->geo.pages_all; page++)
        if (store->pages[page].retired != 0)
            return page;
    CHECK(false);
    return 0;
}
static void retired_and_forgotten(void) { store->pages[waiting_page()].waits = 0; }
static void waiting_list(void)
{
    uint32_t page = waiting_page();
    store->shards[lrd__owner_shard(lrd__page_owner(store, page))].waiting = 0;
}
static void held_bits(void)
{
    spot s = spot_of("key 1");
    page_of(&s)->marked = 0;
    store->bits[s.page].held[0] |= 1;
}
static void marked_page_of_an_unmarked_shard(void)
{
    spot s = spot_of("key 1");
    page_of(&s)->marked = 1;
    shard_of(&s)->marked = 0;
}
static void avail_of_a_page(void)
{
    spot s = spot_of("key 1");
    page_of(&s)->avail ^= 1;
}

/* Return the head of a non-empty list of the shard's pages with free blocks, and set *lane and
 * *size_class. */
static uint32_t *avail_head(uint32_t shard, uint32_t *lane, uint32_t *size_class)
{
    for (*lane = 0; *lane < LRD__LANES; ++*lane)
        for (*size_class = 0; *size_class < LRD__CLASSES; ++*size_class)
            if (store->shards[shard].avail[*lane][*size_class] != 0)
                return &store->shards[shard].avail[*lane][*size_class];
    CHECK(false);
    return NULL;
}
static void list_to_no_page(void)
{
    uint32_t lane, size_class;
    *avail_head(1, &lane, &size_class) = (uint32_t)store->geo.pages_all + 1;
}
static void list_to_another_class(void)
{
    uint32_t lane, size_class, head = *avail_head(1, &lane, &size_class);
    store->shards[1].avail[lane][size_class] = 0;
    CHECK_EQ(store->shards[1].avail[lane][LRD__CLASSES - 1], 0);
    store->shards[1].avail[lane][LRD__CLASSES - 1] = head;
}
static void list_to_another_shard(void)
{
    uint32_t lane, size_class, head = *avail_head(1, &lane, &size_class);
    store->shards[0].avail[lane][size_class] = head;
}
static void list_to_another_lane(void)
{
    uint32_t lane, size_class, head = *avail_head(1, &lane, &size_class);
    store->pages[head - 1].lane = (uint8_t)((lane + 1) % LRD__LANES);
}
static void page_linked_back_wrongly(void)
{
    uint32_t lane, size_class, head = *avail_head(1, &lane, &size_class);
    store->pages[head - 1].aprev = 5;
}
static void small_pages_with_a_run(void)
{
    spot s = spot_of("run 1");
    shard_of(&s)->small_pages = (uint32_t)s.page + 1;
}
static void list_that_is_a_ring(void)
{
    uint32_t head = store->shards[1].small_pages;
    store->pages[head - 1].next = store->pages[head - 1].prev = head;
}
static void runs_out_of_order(void)
{
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t a = store->shards[i].run_pages, b = a != 0 ? store->pages[a - 1].next : 0;
        if (b == 0)
            continue;
        store->pages[a - 1].next = store->pages[b - 1].next;
        store->pages[b - 1].next = a;
        store->shards[i].run_pages = b;
    }
}
static void gap_past_free_units(void)
{
    for (uint32_t i = 0; i < 2; i++)
        store->shards[i].gaps[0] = (lrd__gap){.units = 1, .from = LRD__NO_GAP};
}
static void page_count(void) { store->shards[1].page_count++; }
static void page_bytes(void) { store->shards[1].page_bytes++; }
static void class_bytes(void) { store->shards[1].class_bytes[2]++; }
static void retired_bytes(void) { store->shards[1].retired_bytes++; }
static void unlinked_at(void)
{
    for (uint32_t i = 0; i < 2; i++) {
        store->shards[i].unlinked = 0;
        store->shards[i].unlinked_at = UINT64_MAX;
    }
}
static void reclaim_step(void) { store->shards[1].reclaim_step = UINT64_MAX; }

/* ---- damage of eviction and expiry ---- */

static lrd__order *order_used(void)
{
    for (uint32_t i = 0; i < LRD__ORDERS; i++)
        if (store->shards[1].orders[i].small.head != 0)
            return store->shards[1].orders + i;
    CHECK(false);
    return NULL;
}
static uint32_t *link_at(uint32_t slot) { return store->links + lrd__slot_number(store, 1, slot); }
static void entry_in_no_queue(void) { store->links[spot_of("key 1").number] &= LRD__LINK; }
static void queue_to_no_slot(void) { order_used()->small.head = 0x3ffffff0; }
static void queue_that_is_a_ring(void)
{
    uint32_t head = order_used()->small.head;
    *link_at(head - 1) = (*link_at(head - 1) & ~LRD__LINK) | head;
}
static void queue_of_the_other_kind(void)
{
    *link_at(order_used()->small.head - 1) ^= LRD__IN_SMALL | LRD__IN_MAIN;
}
static void queue_without_its_tail(void) { order_used()->small.tail = 0; }
static void small_bytes(void) { order_used()->small_bytes++; }
static void main_bytes(void) { order_used()->main_bytes++; }
static void main_count(void) { order_used()->main_count++; }
static void order_count(void) { order_used()->count++; }
static void link_of_an_empty_slot(void)
{
    spot s = with_room("key");
    store->links[lrd__slot_number(store, s.shard, empty_beside(&s))] = LRD__IN_SMALL;
}
static uint32_t *wheel_list(const spot *s)
{
    for (uint32_t i = 0; i < LRD__WHEEL_LEVELS * LRD__WHEEL_SLOTS; i++)
        if (shard_of(s)->wheel[i / LRD__WHEEL_SLOTS][i % LRD__WHEEL_SLOTS] != 0)
            return &shard_of(s)->wheel[i / LRD__WHEEL_SLOTS][i % LRD__WHEEL_SLOTS];
    CHECK(false);
    return NULL;
}
static void wheel_to_no_slot(void)
{
    spot s = spot_of("late 1");
    *wheel_list(&s) = lrd__shard_slots(store) + 2;
}
static void wheel_with_a_slot_twice(void)
{
    spot s = spot_of("late 1");
    uint32_t *list = wheel_list(&s);
    shard_of(&s)->wheel[LRD__WHEEL_LEVELS - 1][LRD__WHEEL_SLOTS - 1] = *list;
}
static void wheel_that_is_a_ring(void)
{
    spot s = spot_of("late 1");
    store->timers[s.number].next = s.slot + 1;
}
static void wheel_count(void)
{
    spot s = spot_of("late 1");
    shard_of(&s)->wheel_count++;
}
static void timer_without_a_way_back(void) { store->timers[spot_of("late 1").number].prev = 0; }

/* ---- damage of key reservations ---- */

static void chain_to_the_other_shard(void)
{
    lrd__keylock *row = row_of("lock 1");
    *chain_of(row) = store->geo.keylock_chunks * LRD__KEYLOCK_CHUNK + 1;
}
static void row_in_two_lists(void)
{
    lrd__keylock *row = row_of("lock 1");
    shard_of_row(row)->keylock_free = lrd__keyrow_link_of(store, row);
}
static void row_linked_back_wrongly(void) { row_of("lock 1")->prev = 60; }
static void row_in_the_chain_of_another_hash(void)
{
    lrd__keylock *row = row_of("lock 1");
    uint32_t *chain = chain_of(row), link = *chain;
    *chain = 0;
    *lrd__keyrow_head(store, shard_of_row(row), row->hash_low + 1) = link;
}
static void row_in_a_chain_and_free(void) { row_of("lock 1")->token = 0; }
static void row_of_a_later_token(void)
{
    lrd__keylock *row = row_of("lock 1");
    row->token = shard_of_row(row)->token + 1;
}
static void row_of_no_slot(void) { row_of("lock 1")->slot = 60000; }
static void two_rows_of_a_key(void)
{
    lrd__keylock *row = row_of("lock 1");
    lrd__shard *shard = shard_of_row(row);
    lrd__keylock *copy = lrd__keyrow_at(store, shard->keylock_free);
    uint32_t link = lrd__keyrow_link_of(store, row);
    shard->keylock_free = copy->next;
    lrd__keyrow_at(store, copy->next)->prev = 0;
    *copy = *row;
    copy->prev = link;
    copy->next = row->next;
    row->next = lrd__keyrow_link_of(store, copy);
}
static void chunk_not_wiped(void)
{
    uint32_t link = lrd__keyrow_link_of(store, row_of("lock 1"));
    store->keylock_owners[(link - 1) / LRD__KEYLOCK_CHUNK] &= (uint16_t)~LRD__CHUNK_READY;
}
static void free_row_linked_back_wrongly(void)
{
    lrd__keyrow_at(store, shard_of_row(row_of("lock 1"))->keylock_free)->prev = 7;
}
static void free_row_in_use(void)
{
    lrd__keyrow_at(store, shard_of_row(row_of("lock 1"))->keylock_free)->token = 1;
}
static void free_row_that_is_waited_for(void)
{
    lrd__keyrow_at(store, shard_of_row(row_of("lock 1"))->keylock_free)->waiters = 1;
}
static void rows_in_no_list(void) { shard_of_row(row_of("lock 1"))->keylock_free = 0; }
static void chunks(void) { store->header->keylock_chunks = 100000; }
static void owner_of_a_chunk(void) { store->keylock_owners[store->geo.keylock_chunks - 1] = 99; }

/* ---- damage of the segment ---- */

static void pages_high(void) { store->header->pages_high = (uint32_t)store->geo.pages + 64; }
static void view_grown(void) { store->header->view.grown++; }
static void slots_high(void) { store->header->slots_high = store->geo.slots + 1; }
static lrd__slot *own_slot(void) { return lrd__threads[store->id]->slot; }
static void slot_without_memory(void) { own_slot()->room = 5; }
static void slot_with_too_much_memory(void) { own_slot()->room = LRD_HOLDS_MAX + 2; }
static void ledger_too_long(void) { own_slot()->n = own_slot()->room + 1; }
static void ledger_past_the_data(void) { own_slot()->ledger[1] = UINT64_MAX; }

/* ---- damage of queues ---- */

static lrd__queue *queue_row(void) { return store->queues + work; }
static lrd__queue_shard *queue_shard(void) { return store->queue_shards + queue_row()->shard; }
static lrd__message *message(uint32_t link)
{
    return lrd__message_at(store, queue_row()->shard, link);
}
static lrd__tree *ready(void) { return &queue_row()->tree[LRD__MESSAGE_READY - 1]; }
static lrd__message *root(void) { return message(ready()->root); }
static lrd__message *parent(void)
{
    CHECK(root()->left != 0 || root()->right != 0);
    return root();
}
static uint32_t child_link(void) { return parent()->left != 0 ? parent()->left : parent()->right; }
static lrd__block *body_of(lrd__message *m)
{
    return lrd__block_window(store, lrd__message_offset(m));
}

static void more_rows_than_memory(void) { queue_shard()->used = queue_shard()->high + 1; }
static void more_memory_than_rows(void) { queue_shard()->high = store->geo.messages_max + 1; }
static void more_queues_than_rows(void) { store->queue_shards->queues = LRD__QUEUES + 1; }
static void message_past_the_data(void) { root()->listing = UINT64_MAX; }
static void message_within_a_block(void)
{
    memmove((uint8_t *)body_of(root()) + 16, body_of(root()), 48);
    root()->listing++;
}
static void message_of_a_free_page(void)
{
    root()->listing = lrd__listing(lrd__page_start(store, free_page()));
}
static void body_of_another_key_length(void) { body_of(root())->key_len = 5; }
static void body_of_another_message(void)
{
    ((uint8_t *)body_of(root()))[LRD__BLOCK_KEY + 2] ^= 0x40;
}
static void body_that_is_no_counter(void) { body_of(root())->type = LRD_TYPE_COUNTER; }
static void body_too_large(void) { body_of(root())->size = 2 * MIB; }
static void body_past_its_place(void) { body_of(root())->size = 5000; }
static void two_messages_of_a_body(void) { message(child_link())->listing = root()->listing; }
static void earlier_expiry(void) { queue_shard()->expires = UINT64_MAX - 1; }
static void reserved_by_no_slot(void)
{
    message(queue_row()->tree[LRD__MESSAGE_RESERVED - 1].root)->slot = 60000;
}
static void child_past_the_rows(void)
{
    if (parent()->left != 0)
        parent()->left = queue_shard()->used + 1;
    else
        parent()->right = queue_shard()->used + 1;
}
static void child_of_another(void) { message(child_link())->up = 0; }
static void child_of_another_queue(void) { message(child_link())->queue = 1; }
static void child_of_another_state(void)
{
    lrd__message *m = message(child_link());
    lrd__message_become(m, LRD__MESSAGE_BURIED, 0, lrd__message_generation(m));
}
static void order_of_turns(void)
{
    uint64_t turn = root()->turn;
    root()->turn = message(child_link())->turn;
    message(child_link())->turn = turn;
}
static void weight_of_a_message(void)
{
    lrd_message m;
    while (ready()->count > 2) {
        CHECK_OK(lrd_queue_pop(store, work, LRD_GET_BORROW, 0, 0, &m));
        CHECK_OK(lrd_queue_ack(store, work, m.id));
    }
    uint32_t up = ready()->root, down = child_link();
    bool left = root()->left == down;
    *(left ? &message(up)->left : &message(up)->right) = 0;
    *(left ? &message(down)->right : &message(down)->left) = up;
    message(up)->up = down;
    message(down)->up = 0;
    ready()->root = down;
}
static void turn_of_the_queue(void) { queue_row()->turn = 1; }
static void root_past_the_rows(void) { ready()->root = queue_shard()->used + 1; }
static void root_below_another(void) { ready()->root = child_link(); }
static void root_of_another_state(void)
{
    ready()->root = queue_row()->tree[LRD__MESSAGE_DELAYED - 1].root;
}
static void root_of_another_queue(void)
{
    for (uint32_t link = 1; link <= queue_shard()->used; link++)
        message(link)->queue = 1;
}
static void first_of_a_tree(void) { ready()->first = ready()->last; }
static void last_of_a_tree(void) { ready()->last = ready()->first; }
static void count_of_a_tree(void) { ready()->count++; }
static void tree_that_was_lost(void) { memset(ready(), 0, sizeof *ready()); }
static void free_list_to_a_message(void) { queue_shard()->free = ready()->root; }
static void free_list_past_the_rows(void) { queue_shard()->free = queue_shard()->used + 1; }
static void free_list_that_is_a_ring(void)
{
    message(queue_shard()->free)->left = queue_shard()->free;
}
static void row_that_is_not_free(void) { queue_shard()->used++; }
static void queue_of_no_shard(void) { queue_row()->shard = 9; }
static void look_freed(void) { queue_row()->look_freed = 1ull << 40; }
static void looked_freed(void) { queue_row()->looked_freed = 1ull << 40; }
static void bytes_of_a_queue(void) { queue_row()->bytes++; }
static void bytes_of_a_shard(void) { queue_shard()->bytes++; }

/* ---- cases ---- */

typedef struct fsck_case {
    const char *name;
    void (*damage)(void);
    const char *text;
} fsck_case;
#define CASE(damage, text)                                                                         \
    {                                                                                              \
#damage, damage, text                                                                      \
    }

#define NO_PLACE "does not fit its page or its memory, or is another's"
static const fsck_case of_entries[] = {
    CASE(word_beyond_the_data, "points outside of the data"),
    CASE(word_of_a_free_page, NO_PLACE),
    CASE(word_within_a_block, NO_PLACE),
    CASE(word_in_the_rest_of_a_page, NO_PLACE),
    CASE(word_of_the_other_shard, NO_PLACE),
    CASE(two_words_of_a_block, NO_PLACE),
    CASE(two_words_of_a_run, NO_PLACE),
    CASE(block_without_a_key, NO_PLACE),
    CASE(block_of_an_impossible_size, NO_PLACE),
    CASE(block_past_the_data, NO_PLACE),
    CASE(block_past_its_place, NO_PLACE),
    CASE(block_past_its_run, NO_PLACE),
    CASE(page_without_memory, NO_PLACE),
    CASE(run_without_memory, NO_PLACE),
    CASE(run_that_leaves_its_shard, NO_PLACE),
    CASE(tag_of_another_key, "its key belongs elsewhere"),
    CASE(word_far_from_its_home, "its key belongs elsewhere"),
    CASE(key_twice, "its key is found in another slot, or not at all"),
    CASE(packed_byte, "has a packed value that is damaged"),
    CASE(displaced_count, "a displacement count is"),
    CASE(live_entries, "shard 1: live_entries is"),
    CASE(live_bytes, "shard 1: live_bytes is"),
    CASE(dead_entries, "dead_entries is 1, should be 0"),
    CASE(dead_bytes, "dead_bytes is 1, should be 0"),
    CASE(packed_entries, "packed_entries is"),
    CASE(packed_bytes, "packed_bytes is"),
    CASE(packed_ready, "packed_ready is"),
    CASE(packs, "packed values in a shard that counts none"),
    CASE(too_few_homes, "homes of"),
    CASE(too_many_homes, "homes of"),
    CASE(moving, "moving is 3, should be 0"),
    CASE(flux, "flux is 3, should be 0"),
    CASE(tick_of_an_empty_slot, "the tick of an empty slot is 9, should be 0"),
    CASE(tick_of_an_entry, "the tick of an entry is"),
    CASE(class_that_is_none, "has class 58"),
    CASE(class_that_is_none, "has owner"),
    CASE(owner_that_is_none, "has owner 4d00"),
    CASE(owner_past_the_shards, "has owner"),
    CASE(more_memory_than_a_page, "has 69632 bytes of memory"),
    CASE(retired_but_free, "retired blocks that are not allocated"),
    CASE(allocated_but_not_indexed, "the index names"),
    CASE(hint_past_free_blocks, "a free block below its hint"),
    CASE(used_of_a_page, "used of a page is"),
    CASE(retired_of_a_page, "retired of a page is"),
    CASE(retired_and_forgotten, "has retired blocks, and no batch will look there"),
    CASE(waiting_list, "pages in the waiting list is 0"),
    CASE(held_bits, "has held bits that no scan will clear"),
    CASE(marked_page_of_an_unmarked_shard, "has held bits that no scan will clear"),
    CASE(avail_of_a_page, "a page's being listed as having room is"),
    CASE(list_to_no_page, "a page list leads to page"),
    CASE(list_to_another_class, "is in a list of class 56, but is"),
    CASE(list_to_another_shard, "is in a list of class"),
    CASE(list_to_another_lane, "is in a list of lane"),
    CASE(page_linked_back_wrongly, "is not linked back"),
    CASE(small_pages_with_a_run, "is in a list of class 0, but is"),
    CASE(list_that_is_a_ring, "a page list is a ring"),
    CASE(runs_out_of_order, "is out of order"),
    CASE(gap_past_free_units, "units are free at page"),
    CASE(page_count, "page_count is"),
    CASE(page_bytes, "page_bytes is"),
    CASE(class_bytes, "class_bytes is"),
    CASE(retired_bytes, "retired_bytes is"),
    CASE(unlinked_at, "unlinked_at is 18446744073709551615"),
    CASE(reclaim_step, "reclaim_step is 18446744073709551615"),
    CASE(entry_in_no_queue, "has an entry and queue flags 0"),
    CASE(queue_to_no_slot, "a queue leads to slot"),
    CASE(queue_that_is_a_ring, "is in queue"),
    CASE(queue_of_the_other_kind, "is in queue"),
    CASE(queue_without_its_tail, "the tail of a queue is 0"),
    CASE(small_bytes, "small_bytes is"),
    CASE(main_bytes, "main_bytes is"),
    CASE(main_count, "main_count is"),
    CASE(order_count, "count is"),
    CASE(link_of_an_empty_slot, "but is in no queue"),
    CASE(wheel_to_no_slot, "the wheel leads to slot"),
    CASE(wheel_with_a_slot_twice, "is in the wheel twice"),
    CASE(wheel_that_is_a_ring, "is in the wheel twice"),
    CASE(wheel_count, "wheel_count is"),
    CASE(timer_without_a_way_back, "link back 0, in the wheel 1"),
    CASE(chain_to_the_other_shard, "is another shard's, or in two lists"),
    CASE(row_in_two_lists, "is another shard's, or in two lists"),
    CASE(row_linked_back_wrongly, "is in the wrong chain, or not linked back"),
    CASE(row_in_the_chain_of_another_hash, "is in the wrong chain, or not linked back"),
    CASE(row_in_a_chain_and_free, "is in a chain and free"),
    CASE(row_of_a_later_token, "has token"),
    CASE(row_of_no_slot, "and slot 60000"),
    CASE(two_rows_of_a_key, "has a key that another row has"),
    CASE(chunk_not_wiped, "was not wiped"),
    CASE(free_row_linked_back_wrongly, "is free, and not linked back"),
    CASE(free_row_in_use, "is in the free list and used"),
    CASE(free_row_that_is_waited_for, "is in the free list and used"),
    CASE(rows_in_no_list, "reservation rows in lists is"),
    CASE(chunks, "100000 chunks of reservation rows of"),
    CASE(owner_of_a_chunk, "of reservation rows has owner 63"),
    CASE(pages_high, "pages of 32 are described"),
    CASE(view_grown, "the index cannot have grown to"),
    CASE(slots_high, "slots of"),
    CASE(slot_without_memory, "has memory for 5 blocks"),
    CASE(slot_with_too_much_memory, "has memory for"),
    CASE(ledger_too_long, "lists"),
    CASE(ledger_past_the_data, "lists something outside of the data"),
};

static const fsck_case of_pinned_entries[] = {
    CASE(expiry_in_a_pinned_store, "the expiry of an entry is 5, should be 0"),
};

static const fsck_case of_queues[] = {
    CASE(more_rows_than_memory, "message rows is"),
    CASE(more_memory_than_rows, "message rows is"),
    CASE(more_queues_than_rows, "message rows is"),
    CASE(message_past_the_data, "the block of a message is"),
    CASE(message_within_a_block, "the block of a message is"),
    CASE(message_of_a_free_page, "the block of a message is"),
    CASE(body_of_another_key_length, "the block of a message is"),
    CASE(body_of_another_message, "the block of a message is"),
    CASE(body_that_is_no_counter, "the block of a message is"),
    CASE(body_too_large, "the block of a message is"),
    CASE(body_past_its_place, "the block of a message is"),
    CASE(two_messages_of_a_body, "the block of a message is"),
    CASE(earlier_expiry, "expiry of a message is"),
    CASE(reserved_by_no_slot, "slot of a reserved message is 60000"),
    CASE(child_past_the_rows, "child of message is"),
    CASE(child_of_another, "child of message is"),
    CASE(child_of_another_queue, "child of message is"),
    CASE(child_of_another_state, "child of message is"),
    CASE(order_of_turns, "order of a queue, at message is"),
    CASE(weight_of_a_message, "weight of message is"),
    CASE(turn_of_the_queue, "turn of a message is"),
    CASE(root_past_the_rows, "the root of a queue's tree is"),
    CASE(root_below_another, "the root of a queue's tree is"),
    CASE(root_of_another_state, "the root of a queue's tree is"),
    CASE(root_of_another_queue, "the root of a queue's tree is"),
    CASE(first_of_a_tree, "the first message of a tree is"),
    CASE(last_of_a_tree, "the last message of a tree is"),
    CASE(count_of_a_tree, "the messages of a tree is"),
    CASE(tree_that_was_lost, "messages in trees is"),
    CASE(free_list_to_a_message, "the list of free messages leads to is"),
    CASE(free_list_past_the_rows, "the list of free messages leads to is"),
    CASE(free_list_that_is_a_ring, "the list of free messages leads to is"),
    CASE(row_that_is_not_free, "free message rows is"),
    CASE(queue_of_no_shard, "shard of a queue is 9, should be 2"),
    CASE(look_freed, "slots freed before a look at a queue is"),
    CASE(looked_freed, "slots freed before a look at a queue is"),
    CASE(bytes_of_a_queue, "bytes of the shard's queues is"),
    CASE(bytes_of_a_shard, "bytes of a shard's messages is"),
};

typedef struct said {
    unsigned count;
    size_t length;
    char text[20000];
} said;

static void listen(void *arg, const char *text)
{
    said *all = arg;
    all->count++;
    all->length +=
        (size_t)snprintf(all->text + all->length, sizeof all->text - all->length, "%s\n", text);
}

static void check_case(const fsck_case *one)
{
    static said all;
    alarm(60);
    one->damage();
    int found = lrd_fsck(store, listen, &all);
    if (found <= 0 || strstr(all.text, one->text) == NULL)
        check_failed(__FILE__, __LINE__, "\"%s\" is not among the %d findings (%s):\n%.1000s",
                     one->text, found, found < 0 ? lrd_error_name(found) : "", all.text);
    CHECK(all.count <= (unsigned)found);
}

static void case_of_entries(void *one)
{
    build_entries(LRD_VOLATILE);
    check_case(one);
}
static void case_of_pinned_entries(void *one)
{
    build_entries(LRD_PINNED);
    check_case(one);
}
static void case_of_queues(void *one)
{
    build_queue();
    check_case(one);
}

static void check_cases(const fsck_case *cases, size_t count, child_fn run)
{
    unsigned failed = 0;
    for (size_t i = 0; i < count; i++) {
        fsck_case one = cases[i];
        check_context("%s", one.name);
        failed += run_in_child(run, &one) != 0; /* the child has printed why */
    }
    check_context("%s", "");
    CHECK_EQ(failed, 0);
}
#define CHECK_CASES(cases, run) check_cases(cases, sizeof cases / sizeof *cases, run)

static void damage_of_entries_pages_and_reservations_is_found(void **state)
{
    (void)state;
    CHECK_CASES(of_entries, case_of_entries);
    CHECK_CASES(of_pinned_entries, case_of_pinned_entries);
}

static void damage_of_queues_is_found(void **state)
{
    (void)state;
    CHECK_CASES(of_queues, case_of_queues);
}

/* ---- findings ---- */

static void all_findings_are_counted_though_few_are_reported(void **state)
{
    (void)state;
    static said all;
    build_entries(LRD_VOLATILE);
    memset(store->links, 0, lrd__shard_slots(store) * store->geo.shards * sizeof *store->links);
    int found = lrd_fsck(store, listen, &all);
    CHECK(found > 200);
    CHECK_EQ(all.count, 64); /* 32 of each shard */
    CHECK_EQ(lrd_fsck(store, NULL, NULL), found);
    lrd_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_of_entries_pages_and_reservations_is_found),
        cmocka_unit_test(damage_of_queues_is_found),
        cmocka_unit_test(all_findings_are_counted_though_few_are_reported),
    };
    return cmocka_run_group_tests_name("fsck", tests, NULL, NULL);
}
