<?php

declare(strict_types=1);

namespace Larder\Symfony;

/**
 * An exception that carries a value out of remember(), so that remember() does not store it. The adapter itself has already stored the
 * value, with the expiry and the tags that the callback has set.
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
