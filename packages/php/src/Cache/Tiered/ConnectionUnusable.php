<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/**
 * A connection has an option that changes keys or values, so the server would not have what the tier reads and larder-sync
 * hears of. An Error, because the program has to be changed: no cache takes it for a miss.
 */
final class ConnectionUnusable extends \Error {}
