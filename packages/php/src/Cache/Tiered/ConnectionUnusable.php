<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** A connection has an option that changes keys or values. This is an Error, because the program must be changed. */
final class ConnectionUnusable extends \Error implements ServerTrouble {}
