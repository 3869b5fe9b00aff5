<?php

declare(strict_types=1);

namespace Larder;

/** When a changed static is published. */
enum CacheStrategy: int
{
    /** An assignment, and a change of an array, at the next safe point of the program. */
    case Immediate = 0;
    /** At the end of the request, if it differs then; also where an object inside has changed. */
    case Tracking = 1;
}
