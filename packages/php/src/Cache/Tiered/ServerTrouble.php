<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** The server or its connection is at fault, not a stored value. So a cache does not treat this as a miss, but throws it. */
interface ServerTrouble extends \Throwable {}
