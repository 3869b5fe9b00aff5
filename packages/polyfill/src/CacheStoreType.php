<?php

declare(strict_types=1);

namespace Larder;

/** How a value is stored. */
enum CacheStoreType
{
    /** The key has no entry. */
    case NotFound;
    /** null, bool, int, float or string. */
    case Scalar;
    /** An array, or a value with objects. An array without objects is read in place; each fetch builds objects. */
    case SharedGraph;
    /** Immutable objects, which a worker builds once. */
    case Resident;
    /** Kept for compatibility with RFC "OPcache Static Cache"; never used. */
    case OPcacheSerialized;
    /** The text of PHP's serializer. */
    case PHPSerialized;
}
