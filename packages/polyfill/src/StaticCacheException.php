<?php

declare(strict_types=1);

namespace Larder;

/** A wrong use that shows only at run time, such as a remember() whose callback needs its own result. */
class StaticCacheException extends \Exception {}
