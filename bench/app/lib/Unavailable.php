<?php

declare(strict_types=1);

namespace Bench;

/** A driver lacks an extension or a server; the message says what to install or start. */
final class Unavailable extends \RuntimeException
{
}
