<?php

declare(strict_types=1);

namespace Larder\Symfony;

/**
 * Carries a value out of remember(), which must not store it: the adapter has done so, with the callback's expiry and tags.
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
