<?php

declare(strict_types=1);

namespace Larder;

/** Thrown for a mistake that only shows at run time, such as a nested remember() of the same key. */
class StaticCacheException extends \Exception {}
