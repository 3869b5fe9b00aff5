/* boundary.h - what boundary.c offers. */
#ifndef LARDER_API_BOUNDARY_H
#define LARDER_API_BOUNDARY_H

#include "php_larder.h"

void larder_boundary_startup(void) ZEND_COLD;
void larder_boundary_shutdown(void) ZEND_COLD;

#endif
