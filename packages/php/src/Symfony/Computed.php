<?php

declare(strict_types=1);

namespace Larder\Symfony;

/**
 * Passes a value out of remember(), as an exception, so that remember() stores nothing: the value is stored already, with the expiry
 * and the tags that the callback has set.
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
