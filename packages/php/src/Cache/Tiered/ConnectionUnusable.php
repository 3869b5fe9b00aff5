<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/**
 * A connection has an option that changes keys or values, so the server's keys and values would differ from those of the tier and larder-sync. It is
 * an Error, because the program must be changed, and no cache takes it for a miss.
 */
final class ConnectionUnusable extends \Error {}
