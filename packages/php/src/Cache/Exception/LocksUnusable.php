<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** The store of the locks has no room or cannot be used. So it is unknown whether a lock is free. */
final class LocksUnusable extends \RuntimeException {}
