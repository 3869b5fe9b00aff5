<?php

/*
 * Prints, as JSON, the signatures of the given classes and of Larder's functions. They come from the extension if it is loaded, otherwise
 * from the polyfill. tests/cases/signatures.phpt compares the two outputs.
 *   php signatures.php CLASS...
 */

declare(strict_types=1);

$type = static fn(?ReflectionType $type): string => (string) $type;
$parameter = static fn(ReflectionParameter $p): string => trim($type($p->getType()) . ' ') . ($p->isPassedByReference() ? '&' : '') . ($p->isVariadic() ? '...' : '')
    . " \${$p->getName()}" . ($p->isDefaultValueAvailable() ? ' = ' . var_export($p->getDefaultValue(), true) : '');
$function = static fn(ReflectionFunctionAbstract $f): string => '(' . implode(', ', array_map($parameter, $f->getParameters())) . '): ' . $type($f->getReturnType() ?? ($f->hasTentativeReturnType() ? $f->getTentativeReturnType() : null));
$all = [];
foreach (array_slice($argv, 1) as $name) {
    if (!class_exists($name)) {
        $all[$name] = 'missing';
        continue;
    }
    $class = new ReflectionClass($name);
    $all[$name] = ($class->isEnum() ? 'enum' : ($class->isFinal() ? 'final ' : '') . 'class') . ' of ' . ($class->getParentClass() ? $class->getParentClass()->name : 'none');
    foreach ($class->getReflectionConstants(ReflectionClassConstant::IS_PUBLIC) as $constant) {
        $value = $constant->getValue();
        $all["$name::{$constant->name}"] = $value instanceof UnitEnum ? 'case' : var_export($value, true);
    }
    foreach ($class->getProperties(ReflectionProperty::IS_PUBLIC) as $property) {
        $all["$name::\${$property->name}"] = ($property->isReadOnly() ? 'readonly ' : '') . ($property->isStatic() ? 'static ' : '') . $type($property->getType());
    }
    foreach ($class->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
        if ($method->getDeclaringClass()->name === $name && !$class->isEnum() && (!str_starts_with($method->name, '__') || $method->isConstructor())) { // skip magic methods except the constructor: the polyfill has some that only throw
            $all["$name::{$method->name}"] = ($method->isStatic() ? 'static ' : '') . $function($method);
        }
    }
}
$all['Larder\scope'] = function_exists('Larder\scope') ? $function(new ReflectionFunction('Larder\scope')) : 'missing';
$all['Larder\endRequest'] = function_exists('Larder\endRequest') ? $function(new ReflectionFunction('Larder\endRequest')) : 'missing';
$all['Larder\beginRequest'] = function_exists('Larder\beginRequest') ? $function(new ReflectionFunction('Larder\beginRequest')) : 'missing';
$all['Larder\waitWith'] = function_exists('Larder\waitWith') ? $function(new ReflectionFunction('Larder\waitWith')) : 'missing';
ksort($all);
echo json_encode($all, JSON_THROW_ON_ERROR), "\n";
