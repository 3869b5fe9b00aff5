<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** An error of the server or of its connection. Caches throw the error instead of reporting a miss. */
interface ServerTrouble extends \Throwable {}
