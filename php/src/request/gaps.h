/* gaps.h - fills the small gaps in malloc()'s heap before PHP forks workers. Otherwise a worker's
 * first small blocks would lie in these gaps, and the worker would copy the shared pages around
 * them. */
#ifndef LARDER_REQUEST_GAPS_H
#define LARDER_REQUEST_GAPS_H

/* Allocate all small gaps in malloc()'s heap. Call this at the end of MINIT. */
void larder_gaps_take(void);
/* Free the gaps that larder_gaps_take() has allocated. Call this in MSHUTDOWN. */
void larder_gaps_free(void);

#endif
