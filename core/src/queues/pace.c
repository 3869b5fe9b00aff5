/* pace.c - lets a consumer of a busy queue rest: it sleeps for 2 ms without being woken by a push,
 * because a wake-up costs more than handling a short message. A consumer that pops at least 2,000
 * short messages a second rests when the queue is empty. If the rests bring fewer messages than
 * expected, the consumer stops resting, and doubles `patience`, the number of sleeps before its
 * next rest. Begin reading at lrd__pace_rests(). */
#include "queues/pace.h"

#define PACE_PATIENCE 16u        /* initial value of lrd__pace.patience */
#define PACE_PATIENCE_MOST 1024u /* maximum value of lrd__pace.patience */
/* a consumer rests only if it expects at least this number of messages during the rest */
#define PACE_LEAST 4u
/* a consumer rests only if it expects at most capacity / PACE_ROOM messages during the rest */
#define PACE_ROOM 4u
/* maximum size in bytes of a short body; larger bodies could fill the store during a rest */
#define PACE_SHORT 4096u
/* After this number of rests in a row that brought enough messages, `patience` becomes
 * PACE_PATIENCE again. */
#define PACE_SURE 4u

static void pace_begin(lrd__pace *pace, uint64_t now)
{
    pace->since = now;
    pace->pauses = pace->taken = pace->expected = 0;
}

void lrd__pace_take(lrd__pace *pace, const lrd__queue *queue, size_t size)
{
    if (pace->queue == queue)
        pace->taken++;
    if (size > PACE_SHORT)
        pace->queue = NULL;
}

/* True if the consumer should rest again: in a moving average, its rests have brought at least
 * 13/16 of the expected messages. */
static bool pace_goes_on(lrd__pace *pace, uint64_t now)
{
    uint32_t mean = (3 * pace->mean + 16 * pace->taken) / 4;
    pace->mean = mean < 2 * pace->expected ? mean : 2 * pace->expected;
    if (pace->mean >= pace->expected / 16 * 13) {
        pace->taken = 0;
        if (pace->pauses >= PACE_SURE)
            pace->patience = PACE_PATIENCE;
        return true;
    }
    if (pace->taken != 0 && pace->patience < PACE_PATIENCE_MOST)
        /* perhaps the producers waited for a result of this consumer, so rest less often */
        pace->patience *= 2;
    pace_begin(pace, now);
    return false;
}

bool lrd__pace_rests(lrd__pace *pace, const lrd__queue *queue, uint64_t now)
{
    if (pace->queue != queue) {
        *pace = (lrd__pace){.queue = queue, .since = now, .patience = PACE_PATIENCE};
        return false;
    }
    pace->pauses++;
    if (pace->expected != 0)
        return pace_goes_on(pace, now);
    if (pace->pauses < pace->patience)
        return false;
    uint64_t ms = now - pace->since + 1, brings = (uint64_t)pace->taken * LRD__QUEUE_REST_MS / ms;
    pace_begin(pace, now);
    if (brings < PACE_LEAST || (queue->capacity != 0 && brings > queue->capacity / PACE_ROOM))
        return false;
    brings = brings < UINT16_MAX ? brings : UINT16_MAX;
    pace->expected = pace->mean = (uint32_t)brings * 16;
    return true;
}
