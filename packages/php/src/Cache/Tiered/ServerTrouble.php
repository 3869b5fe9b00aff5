<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** The server or its connection is at fault. A cache throws this, and does not report a miss. */
interface ServerTrouble extends \Throwable {}
