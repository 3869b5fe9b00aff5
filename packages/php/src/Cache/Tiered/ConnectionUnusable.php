<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/**
 * A connection has an option that changes keys or values, which larder-sync expects unchanged. This class is an Error, because the program
 * itself must be changed.
 */
final class ConnectionUnusable extends \Error implements ServerTrouble {}
