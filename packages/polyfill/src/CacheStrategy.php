<?php

declare(strict_types=1);

namespace Larder;

/** The time at which a changed static is published. */
enum CacheStrategy: int
{
    /** Publish an assignment, or a change of an array, at the next safe point of the program. */
    case Immediate = 0;
    /** Publish at the end of the request, if the value has changed. Changes inside objects count, too. */
    case Tracking = 1;
}
