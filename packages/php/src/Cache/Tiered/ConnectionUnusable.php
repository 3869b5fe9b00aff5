<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/**
 * A connection has an option that changes keys or values, so the server would not get the keys and values that larder-sync expects. This
 * class is an Error, because the program must be changed. A cache must not treat it as a miss.
 */
final class ConnectionUnusable extends \Error implements ServerTrouble {}
