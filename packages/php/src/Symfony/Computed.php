<?php

declare(strict_types=1);

namespace Larder\Symfony;

/**
 * Carries a computed value out of the store's remember(). Because of this exception, remember() does not store the value. The adapter has
 * already stored the value, with the options that the callback has set.
 *
 * @internal
 */
final class Computed extends \Exception
{
    public function __construct(public readonly mixed $value)
    {
        parent::__construct();
    }
}
