<?php

use Larder\VolatileCache;

echo 'visits: ', VolatileCache::increment('visits'), "\n";
