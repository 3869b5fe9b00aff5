<?php

declare(strict_types=1);

namespace Larder;

/** Misuse that only shows at run time, such as a remember() that needs its own result. */
class StaticCacheException extends \Exception {}
