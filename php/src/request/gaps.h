/* gaps.h - keeps workers from copying pages that PHP has filled at start-up. */
#ifndef LARDER_REQUEST_GAPS_H
#define LARDER_REQUEST_GAPS_H

/* Take the small gaps of the process's heap. Call this at the end of MINIT. */
void larder_gaps_take(void);
/* Free these gaps. Call this in MSHUTDOWN. */
void larder_gaps_free(void);

#endif
