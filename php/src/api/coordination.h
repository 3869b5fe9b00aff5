/* coordination.h - what coordination.c offers. */
#ifndef LARDER_API_COORDINATION_H
#define LARDER_API_COORDINATION_H

/* Release the answers of throttle() that are kept to be used again. */
void larder_throttle_forget(void);

#endif
