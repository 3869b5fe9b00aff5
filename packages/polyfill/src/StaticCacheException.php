<?php

declare(strict_types=1);

namespace Larder;

/** Thrown for a mistake that only shows at run time, for example if the callback of remember() calls remember() for the same key. */
class StaticCacheException extends \Exception {}
