<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** The reaction of a tiered store to a server that does not answer. */
enum OnFailure
{
    /** Reads return a miss, and writes return false. lastError() returns the reason. */
    case Miss;
    /** A ServerFailure is thrown. Caches that use the store throw it, too. */
    case Throw;
}
