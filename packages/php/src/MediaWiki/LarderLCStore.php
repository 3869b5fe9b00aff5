<?php

declare(strict_types=1);

namespace Larder\MediaWiki;

use Larder\Cache\Exception\ExtensionMissing;
use Larder\Pool;
use Larder\VolatileCache;
use LCStore;
use LCStoreCDB;
use LCStoreDB;

/**
 * Keeps MediaWiki's localisation (messages and other texts of a language) in the pool "mediawiki-localisation" of the volatile store. A
 * text that is not there is read from the store that MediaWiki would use without this class: files in the cache directory if there is
 * one, else the database. See docs/frameworks/mediawiki.md.
 *
 * The entries of a language have a random stamp in their keys. When the language is rebuilt, it gets a new stamp, so no entry of the
 * former texts is found any more. A process that still reads the former texts stores them under the former stamp.
 */
final class LarderLCStore implements LCStore
{
    private readonly Pool $pool;
    private readonly LCStore $origin;
    private readonly string $wiki;

    /** @var array<string, string> by language: the beginning of the keys of its entries */
    private array $prefixes = [];

    /** The language that is being written. */
    private string $written = '';

    /** The beginning of the keys of the new entries of the language $written. */
    private string $prefix = '';

    /** The files and settings that the language depends on. A change of one makes MediaWiki build the language again. */
    private mixed $dependencies = null;

    /** @param array<string, mixed> $params */
    public function __construct(array $params)
    {
        \class_exists(VolatileCache::class) || throw new ExtensionMissing();
        $this->pool = VolatileCache::pool('mediawiki-localisation');
        $this->origin = empty($params['directory']) ? new LCStoreDB($params) : new LCStoreCDB($params);
        $this->wiki = \implode('-', \array_filter([$GLOBALS['wgDBname'] ?? '', $GLOBALS['wgDBprefix'] ?? ''], \is_string(...)));
    }

    /**
     * @param string $code of a language
     * @param string $key
     * @return mixed null: there is none
     */
    public function get($code, $key)
    {
        $name = ($this->prefixes[$code] ??= $this->prefix($code)) . $key;
        try {
            $value = $this->pool->get($name, $this);
        } catch (\Throwable) { // a hook of a stored class has thrown
            $value = $this;
        }
        if ($value === $this) {
            $value = $this->origin->get($code, $key);
            $this->store($name, $value);
        }
        return $value;
    }

    /** @param string $code of a language */
    public function startWrite($code)
    {
        $this->origin->startWrite($code);
        $this->written = $code;
        $this->prefix = $this->newPrefix($code);
        $this->dependencies = null;
    }

    public function finishWrite()
    {
        $this->origin->finishWrite();
        // Use the new entries only if the texts have been written. LCStoreDB writes nothing to a database that is read-only, and reports
        // no error. MediaWiki then builds the language again in each request, with or without Larder.
        if ($this->origin->get($this->written, 'deps') == $this->dependencies) {
            $name = "$this->wiki:$this->written";
            $this->pool->set($name, $this->prefix) || $this->pool->delete($name);
            $this->prefixes[$this->written] = $this->prefix;
        }
    }

    /**
     * @param string $key
     * @param mixed $value
     */
    public function set($key, $value)
    {
        $this->origin->set($key, $value);
        if ($key === 'deps') {
            $this->dependencies = $value;
        }
        // Store the text at once. A request may commit the text to the database only when the request ends. Until then, other processes
        // would read the former text from the database. A script, which may write hundreds of languages, commits at once.
        if (PHP_SAPI !== 'cli') {
            $this->store($this->prefix . $key, $value);
        }
    }

    private function prefix(string $code): string
    {
        $prefix = $this->pool->get("$this->wiki:$code");
        if (!\is_string($prefix)) {
            $this->pool->add("$this->wiki:$code", $this->newPrefix($code));
            $prefix = $this->pool->get("$this->wiki:$code");
        }
        return \is_string($prefix) ? $prefix : $this->newPrefix($code);
    }

    private function newPrefix(string $code): string
    {
        return "$this->wiki:$code:" . \bin2hex(\random_bytes(8)) . ':';
    }

    private function store(string $name, mixed $value): void
    {
        try {
            $this->pool->set($name, $value);
        } catch (\Throwable) { // a value that cannot be stored is read from MediaWiki's own store each time
        }
    }
}
