<?php

declare(strict_types=1);

/* For PHPStan: the class of MediaWiki that LarderBagOStuff extends, with the members that it uses. */

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
