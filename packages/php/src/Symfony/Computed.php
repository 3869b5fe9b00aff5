<?php

declare(strict_types=1);

namespace Larder\Symfony;

/**
 * Carries a value out of remember(), which then stores nothing, because the value is already stored, with the expiry and the tags that
 * the callback has set.
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
