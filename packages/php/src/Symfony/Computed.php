<?php

declare(strict_types=1);

namespace Larder\Symfony;

/**
 * Thrown inside remember() to get a value out of it. remember() must not store the value, because the adapter has already stored it, with
 * the expiry and tags that the callback set.
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
