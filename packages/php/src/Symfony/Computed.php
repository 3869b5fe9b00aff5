<?php

declare(strict_types=1);

namespace Larder\Symfony;

/**
 * Carries a value out of remember(), which must not store it again: the adapter has stored it with the callback's options.
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
