<?php

declare(strict_types=1);

namespace Larder;

/** Thrown for a mistake that only shows at run time, such as a remember() whose callback calls remember() for the same key. */
class StaticCacheException extends \Exception {}
