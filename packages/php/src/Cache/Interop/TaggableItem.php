<?php

declare(strict_types=1);

namespace Larder\Cache\Interop;

use Cache\TagInterop\TaggableCacheItemInterface;
use Larder\Cache\Item;

/** An entry of a TaggablePool. */
final class TaggableItem extends Item implements TaggableCacheItemInterface {}
