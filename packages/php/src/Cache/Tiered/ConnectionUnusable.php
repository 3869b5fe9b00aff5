<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/**
 * A connection has an option that changes keys or values. The server's keys and values would then differ from those of the tier and of
 * larder-sync. This class is an Error, because the program must be changed, and a cache must not treat it as a miss.
 */
final class ConnectionUnusable extends \Error {}
