<?php

declare(strict_types=1);

namespace Larder\Laravel;

/** Makes pull() of repositories atomic: only one of several callers gets the value. */
trait PullsOnce
{
    /**
     * @param array<mixed>|string|int|\UnitEnum $key
     * @param mixed $default
     * @return mixed
     */
    public function pull($key, $default = null)
    {
        $store = $this->getStore();
        $key = \is_int($key) ? (string) $key : $key;
        if (!$store instanceof LarderStore || \is_array($key)) {
            return parent::pull($key, $default);
        }
        $key = $key instanceof \BackedEnum ? (string) $key->value : ($key instanceof \UnitEnum ? $key->name : $key);
        $none = new \stdClass();
        $found = $store->exclusively($this->itemKey($key), fn(): mixed => parent::pull($key, $none), $none);
        return $found === $none ? value($default) : $found;
    }
}
