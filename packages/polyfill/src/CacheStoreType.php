<?php

declare(strict_types=1);

namespace Larder;

/** How a value is stored. */
enum CacheStoreType
{
    /** There is no such entry. */
    case NotFound;
    /** null, bool, int, float or string. */
    case Scalar;
    /** An array that is shared as it is, or objects that are rebuilt from what is shared. */
    case SharedGraph;
    /** Objects that nobody can change: built once per worker, every fetch gives the same ones. */
    case Resident;
    /** Kept for compatibility with RFC "OPcache Static Cache"; never used. */
    case OPcacheSerialized;
    /** The text of PHP's serializer. */
    case PHPSerialized;
}
