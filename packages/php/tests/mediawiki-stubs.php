<?php

declare(strict_types=1);

/* For PHPStan: the classes and members of MediaWiki that LarderBagOStuff and LarderLCStore use. */

abstract class MediumSpecificBagOStuff
{
    protected const PASS_BY_REF = -1;
    protected const ATTR_DURABILITY = 2;
    protected const QOS_DURABILITY_SCRIPT = 2;
    protected const QOS_DURABILITY_SERVICE = 3;

    /** @var array<int, int> */
    protected $attrMap = [];

    /** @param array<string, mixed> $params */
    public function __construct(array $params = []) {}

    /**
     * @param array<array-key, mixed> $valueByKey
     * @return array<array-key, mixed>
     */
    protected function guessSerialSizeOfValues(array $valueByKey) {}

    /**
     * @param mixed ...$components
     * @return string
     */
    protected function genericKeyFromComponents(...$components) {}

    /**
     * @param string $keyspace
     * @param array<mixed> $components
     * @return string
     */
    protected function makeKeyInternal($keyspace, $components) {}

    /**
     * @param mixed $exptime
     * @return int
     */
    protected function getExpirationAsTTL($exptime) {}
}

interface LCStore
{
    /**
     * @param string $code
     * @param string $key
     * @return mixed
     */
    public function get($code, $key);

    /**
     * @param string $code
     * @return void
     */
    public function startWrite($code);

    /** @return void */
    public function finishWrite();

    /**
     * @param string $key
     * @param mixed $value
     * @return void
     */
    public function set($key, $value);
}

final class LCStoreDB implements LCStore
{
    /** @param array<string, mixed> $params */
    public function __construct(array $params) {}
    public function get($code, $key) {}
    public function startWrite($code) {}
    public function finishWrite() {}
    public function set($key, $value) {}
}

final class LCStoreCDB implements LCStore
{
    /** @param array<string, mixed> $params */
    public function __construct(array $params) {}
    public function get($code, $key) {}
    public function startWrite($code) {}
    public function finishWrite() {}
    public function set($key, $value) {}
}
