<?php

/*
 * Calls each public method and function of Larder with one argument too many, and prints the results as JSON. Uses the extension if it is
 * loaded, else the polyfill. tests/cases/too_many_arguments.phpt compares the two outputs.
 */

declare(strict_types=1);

use Larder\{Broadcast, FileCache, Inspector, PinnedCache, Queue, Semaphore, Sessions, VolatileCache};

$queue = Queue::open('q');
$queue->push('body');
$objects = [
    VolatileCache::class, PinnedCache::class, Semaphore::class, Queue::class, Broadcast::class, Sessions::class, FileCache::class, Inspector::class,
    VolatileCache::pool('p'), $queue, $queue->pop(), Broadcast::open('b'), Semaphore::acquire('s', 1), Inspector::own('volatile'),
];
$value = static fn(ReflectionParameter $p): mixed => match (true) {
    str_contains((string) $p->getType(), 'callable') => 'time',
    str_contains((string) $p->getType(), 'array') => [],
    str_contains((string) $p->getType(), 'string') => 'x',
    str_contains((string) $p->getType(), 'bool') => true,
    default => 1,
};
$calls = [];
foreach ($objects as $object) {
    $class = new ReflectionClass($object);
    foreach ($class->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
        if (!str_starts_with($method->name, '__') && $method->isStatic() === is_string($object)) {
            $calls["$class->name::$method->name"] = [$method, [$object, $method->name]];
        }
    }
}
foreach (['scope', 'endRequest', 'beginRequest', 'waitWith'] as $name) {
    $calls["Larder\\$name"] = [new ReflectionFunction("Larder\\$name"), "Larder\\$name"];
}
$all = [];
foreach ($calls as $name => [$function, $call]) {
    $arguments = [...array_map($value, $function->getParameters()), 'one too many'];
    try {
        $call(...$arguments);
        $all[$name] = 'accepted';
    } catch (Throwable $error) {
        $all[$name] = $error::class . ': ' . $error->getMessage();
    }
}
ksort($all);
echo json_encode($all, JSON_THROW_ON_ERROR), "\n";
