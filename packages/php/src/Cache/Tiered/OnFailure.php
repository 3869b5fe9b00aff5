<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** The behaviour of a tiered store when the server does not answer. */
enum OnFailure
{
    /** Reads are misses, and writes return false; lastError() returns the reason. */
    case Miss;
    /** A ServerFailure is thrown, also by caches that use the store. */
    case Throw;
}
