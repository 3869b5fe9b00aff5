<?php

declare(strict_types=1);

namespace Bench;

/** The driver, payload or path does not exist. The message lists the existing ones. */
final class Unknown extends \RuntimeException
{
}
