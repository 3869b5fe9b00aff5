<?php

declare(strict_types=1);

namespace Bench;

/** There is no such driver, payload or path; the message lists those that there are. */
final class Unknown extends \RuntimeException
{
}
