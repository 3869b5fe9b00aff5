<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** It is unknown if a lock is free, because the store of the locks has no room or cannot be used. */
final class LocksUnusable extends \RuntimeException {}
