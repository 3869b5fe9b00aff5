<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** The behaviour of a tiered store when the server does not answer. */
enum OnFailure
{
    /** Reads are misses and writes give false; lastError() has the reason. */
    case Miss;
    /** A ServerFailure is thrown, by the caches that use the store, too. */
    case Throw;
}
