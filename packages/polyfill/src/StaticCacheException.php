<?php

declare(strict_types=1);

namespace Larder;

/** Thrown for a mistake that only shows at run time, such as a remember() whose callback needs its own result. */
class StaticCacheException extends \Exception {}
