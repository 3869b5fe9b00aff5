<?php

declare(strict_types=1);

namespace Larder\Cache\Exception;

/** A lock was neither taken nor refused: its store has no room, or cannot be used. */
final class LocksUnusable extends \RuntimeException {}
