<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** The store of the locks has no room or cannot be used, so a lock's state is unknown. */
final class LocksUnusable extends \RuntimeException {}
