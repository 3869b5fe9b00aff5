<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/**
 * A connection has an option that changes keys or values, which larder-sync expects unchanged. The program must be changed, so this is an
 * Error.
 */
final class ConnectionUnusable extends \Error implements ServerTrouble {}
