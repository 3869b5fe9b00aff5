<?php

declare(strict_types=1);

namespace Larder;

/** When a changed static is published. */
enum CacheStrategy: int
{
    /** Publish an assignment, or a change of an array, at the next safe point of the program. */
    case Immediate = 0;
    /** Publish at the end of the request, if the value differs then, even inside an object. */
    case Tracking = 1;
}
