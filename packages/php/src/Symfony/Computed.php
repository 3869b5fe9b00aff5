<?php

declare(strict_types=1);

namespace Larder\Symfony;

/**
 * Carries a value out of remember() without storing it: the adapter has already stored it, with the expiry and tags of the callback.
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
