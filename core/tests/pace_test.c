/* pace_test.c - when a consumer of a busy queue rests (pace.c), without a store. Time is a
 * parameter. */
#include "support.h"

#include "queues/pace.h"

enum { START = 100, SLEEPS = 16 };

/* Begin a rhythm in which the consumer has slept often enough and has taken this many messages. The
 * next question decides if it rests. */
static lrd__pace nearly(const lrd__queue *queue, uint32_t taken)
{
    lrd__pace pace = {0};
    CHECK(!lrd__pace_rests(&pace, queue, START)); /* nothing was known */
    CHECK(pace.queue == queue);
    CHECK_EQ(pace.since, START);
    for (unsigned i = 1; i < SLEEPS; i++)
        CHECK(!lrd__pace_rests(&pace, queue, START + i));
    for (uint32_t i = 0; i < taken; i++)
        lrd__pace_take(&pace, queue, 100);
    return pace;
}

static void a_consumer_that_is_often_woken_rests(void **state)
{
    (void)state;
    lrd__queue queue = {0};
    lrd__pace pace = nearly(&queue, 160);
    CHECK(lrd__pace_rests(&pace, &queue, START + 19)); /* 160 in 20 ms: 16 during a rest */
    CHECK_EQ(pace.expected, 16 * 16);
    CHECK_EQ(pace.mean, 16 * 16);
    CHECK_EQ(pace.since, START + 19);
    CHECK_EQ(pace.pauses, 0);
    CHECK_EQ(pace.taken, 0);
}

static void fewer_than_four_expected_messages_are_too_few(void **state)
{
    (void)state;
    lrd__queue queue = {0};
    lrd__pace pace = nearly(&queue, 39);
    CHECK(!lrd__pace_rests(&pace, &queue, START + 19));
    CHECK_EQ(pace.expected, 0);
    CHECK_EQ(pace.taken, 0); /* it counts anew */
    pace = nearly(&queue, 40);
    CHECK(lrd__pace_rests(&pace, &queue, START + 19));
}

static void the_messages_of_a_rest_take_a_quarter_of_the_queue_at_most(void **state)
{
    (void)state;
    lrd__queue queue = {.capacity = 64};
    lrd__pace pace = nearly(&queue, 160);
    CHECK(lrd__pace_rests(&pace, &queue, START + 19));
    queue.capacity = 63;
    pace = nearly(&queue, 160);
    CHECK(!lrd__pace_rests(&pace, &queue, START + 19));
    CHECK_EQ(pace.expected, 0);
}

static void more_messages_are_expected_than_the_count_can_hold(void **state)
{
    (void)state;
    lrd__queue queue = {0};
    lrd__pace pace = nearly(&queue, 0);
    pace.taken = 10000000;
    CHECK(lrd__pace_rests(&pace, &queue, START + 19));
    CHECK_EQ(pace.expected, UINT16_MAX * 16);
    CHECK_EQ(pace.mean, UINT16_MAX * 16);
}

static void another_queue_and_large_bodies_begin_anew(void **state)
{
    (void)state;
    lrd__queue queue = {0}, other = {0};
    lrd__pace pace = nearly(&queue, 100);
    lrd__pace_take(&pace, &other, 100);
    CHECK_EQ(pace.taken, 100);
    lrd__pace_take(&pace, &queue, 4096);
    CHECK_EQ(pace.taken, 101);
    CHECK(pace.queue == &queue);
    lrd__pace_take(&pace, &queue, 4097);
    CHECK(pace.queue == NULL);
    pace = nearly(&queue, 160);
    CHECK(!lrd__pace_rests(&pace, &other, START + 19));
    CHECK(pace.queue == &other);
    CHECK_EQ(pace.taken, 0);
    CHECK_EQ(pace.patience, SLEEPS);
}

/* Begin a series of rests in which 16 messages are expected. */
static lrd__pace resting(const lrd__queue *queue, uint32_t patience)
{
    lrd__pace pace = nearly(queue, 160);
    CHECK(lrd__pace_rests(&pace, queue, START + 19));
    pace.patience = patience;
    return pace;
}

static void rests_go_on_while_the_messages_come(void **state)
{
    (void)state;
    lrd__queue queue = {0};
    lrd__pace pace = resting(&queue, 64);
    for (unsigned rest = 1; rest <= 4; rest++) {
        pace.taken = 16;
        CHECK(lrd__pace_rests(&pace, &queue, START + 20 + rest));
        CHECK_EQ(pace.mean, 16 * 16);
        CHECK_EQ(pace.taken, 0);
        CHECK_EQ(pace.patience, rest < 4 ? 64 : SLEEPS); /* four good rests: it is sure again */
    }
    pace.taken = 1000; /* one full rest does not hide later ones without messages */
    CHECK(lrd__pace_rests(&pace, &queue, START + 30));
    CHECK_EQ(pace.mean, 2 * 16 * 16);
    CHECK_EQ(pace.since, START + 19);
}

static void rests_end_when_too_few_messages_come(void **state)
{
    (void)state;
    lrd__queue queue = {0};
    lrd__pace pace = resting(&queue, 64);
    pace.taken = 4; /* the average is now 13/16 of the expected number */
    CHECK(lrd__pace_rests(&pace, &queue, START + 20));
    CHECK_EQ(pace.mean, 13 * 16);
    pace = resting(&queue, 64);
    pace.taken = 3;
    CHECK(!lrd__pace_rests(&pace, &queue, START + 20));
    CHECK_EQ(pace.patience, 2 * 64); /* the producers may wait for results: rest later */
    CHECK_EQ(pace.expected, 0);
    CHECK_EQ(pace.pauses, 0);
    CHECK_EQ(pace.taken, 0);
    CHECK_EQ(pace.since, START + 20);
    pace = resting(&queue, 1024);
    pace.taken = 3;
    CHECK(!lrd__pace_rests(&pace, &queue, START + 20));
    CHECK_EQ(pace.patience, 1024);
    pace = resting(&queue, 64);
    CHECK(!lrd__pace_rests(&pace, &queue, START + 20));
    CHECK_EQ(pace.patience, 64); /* no message came at all: no producer waits */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_consumer_that_is_often_woken_rests),
        cmocka_unit_test(fewer_than_four_expected_messages_are_too_few),
        cmocka_unit_test(the_messages_of_a_rest_take_a_quarter_of_the_queue_at_most),
        cmocka_unit_test(more_messages_are_expected_than_the_count_can_hold),
        cmocka_unit_test(another_queue_and_large_bodies_begin_anew),
        cmocka_unit_test(rests_go_on_while_the_messages_come),
        cmocka_unit_test(rests_end_when_too_few_messages_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
