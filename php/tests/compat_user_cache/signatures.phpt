--TEST--
larder: compat user_cache: the classes and methods are those of the RFC
--EXTENSIONS--
larder
--INI--
larder.compat=user_cache
--SKIPIF--
<?php
if (class_exists('UserCache\Cache') && (new ReflectionClass('UserCache\Cache'))->getExtensionName() !== 'larder') die('skip PHP has the classes itself');
?>
--FILE--
<?php
foreach (['Cache', 'CacheStatus', 'CachePoolStatus'] as $name) {
    $class = new ReflectionClass("UserCache\\$name");
    echo $class->isFinal() ? 'final ' : '', $class->name, "\n";
    foreach ($class->getMethods(ReflectionMethod::IS_PUBLIC) as $m)
        echo $m->isStatic() ? '  static ' : '  ', $m->name, '(', implode(', ', array_map(fn($p) => "{$p->getType()} \$$p->name" . ($p->isOptional() ? ' = ' . json_encode($p->getDefaultValue()) : ''), $m->getParameters())), '): ', $m->getReturnType(), "\n";
    try { new ("UserCache\\$name"); } catch (Error $e) { echo '  ', $e->getMessage(), "\n"; }
}
echo implode(', ', array_column(UserCache\CacheAvailability::cases(), 'name')), "\n";
var_dump(extension_loaded('user_cache'), (new ReflectionExtension('user_cache'))->getVersion() === phpversion('larder'));
--EXPECT--
final UserCache\Cache
  static hasPool(string $pool): bool
  static getPool(string $pool): UserCache\Cache
  static deletePool(string $pool): bool
  static getPools(): array
  static getStatus(): UserCache\CacheStatus
  store(string $key, mixed $value, int|float $ttl = 0): bool
  add(string $key, mixed $value, int|float $ttl = 0): bool
  storeMultiple(array $values, int|float $ttl = 0): bool
  increment(string $key, int $step = 1, int|float $ttl = 0): ?int
  decrement(string $key, int $step = 1, int|float $ttl = 0): ?int
  fetch(string $key, mixed $default = null): mixed
  fetchMultiple(array $keys, mixed $default = null): array
  delete(string $key): bool
  deleteMultiple(array $keys): bool
  clear(): bool
  has(string $key): bool
  lock(string $key, int|float $lease = 0): bool
  unlock(string $key): bool
  remember(string $key, callable $callback, int|float $ttl = 0): mixed
  getPoolStatus(): UserCache\CachePoolStatus
  Call to private UserCache\Cache::__construct() from global scope
final UserCache\CacheStatus
  getAvailability(): UserCache\CacheAvailability
  getConfiguredMemory(): int
  getSharedMemorySize(): int
  getUsedMemory(): int
  getFreeMemory(): int
  getWastedMemory(): int
  getEntryCount(): int
  getEntryCapacity(): int
  getTombstoneCount(): int
  getExpungeCount(): int
  getEvictionCount(): int
  getStoreFailureCount(): int
  getGraphPinSlotsInUse(): int
  getGraphPinnedReferences(): int
  getDeadPinOwnersReclaimed(): int
  getDeadPinsStripped(): int
  getHitCount(): int
  getMissCount(): int
  getInternedKeyCount(): int
  Call to private UserCache\CacheStatus::__construct() from global scope
final UserCache\CachePoolStatus
  getPoolName(): string
  getEntryCount(): int
  getEntryKeys(): array
  getUsedMemory(): int
  getHitCount(): int
  getMissCount(): int
  Call to private UserCache\CachePoolStatus::__construct() from global scope
Available, DisabledByIni, DisabledBySapi, UnavailableBySharedMemoryInitializationFailed, UnavailableByBackendNotInitializedBeforeWorkerStartup, UnavailableByBackendInitializedAfterWorkerStartup, UnavailableByCgiFastCgiBoundary, UnavailableByApacheBoundary, UnavailableByLsapiBoundary, UnavailableByUnknownReason
bool(true)
bool(true)
