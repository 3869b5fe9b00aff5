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
 * Keeps MediaWiki's localisation (messages and other texts of a language) in the pool "mediawiki-localisation" of the volatile store. Reads
 * a missing text from MediaWiki's default store: files or the database.
 *
 * - The keys of a language's entries contain a random stamp, which changes when the language is rebuilt.
 * - After the stamp has changed, a process may still read an old text from its database. So texts are kept only for an hour.
 */
final class LarderLCStore implements LCStore
{
    private const TTL = 3600;

    private readonly Pool $pool;
    private readonly LCStore $origin;
    private readonly string $wiki;

    /** @var array<string, string> by language: the prefix of the keys of its entries */
    private array $prefixes = [];

    /** The language that is being written. */
    private string $written = '';

    /**
     * The new texts of the language $written. On the command line, this array contains only "deps" (the files and settings on which the
     * language depends), because a script may write hundreds of languages.
     *
     * @var array<string, mixed>
     */
    private array $texts = [];

    /** @param array<string, mixed> $params */
    public function __construct(array $params)
    {
        \class_exists(VolatileCache::class) || throw new ExtensionMissing();
        $this->pool = VolatileCache::pool('mediawiki-localisation');
        $this->origin = empty($params['directory']) ? new LCStoreDB($params) : new LCStoreCDB($params);
        // $this->wiki keeps the texts of different wikis apart. It also contains the directory, because a script may build the texts of the
        // next version in another directory.
        $prefix = $GLOBALS['wgCachePrefix'] ?? false;
        $names = [$prefix === false ? $GLOBALS['wgDBname'] ?? '' : $prefix, $prefix === false ? $GLOBALS['wgDBprefix'] ?? '' : '', $params['directory'] ?? ''];
        $this->wiki = \implode(':', \array_map(fn(mixed $name): string => \is_string($name) ? $name : '', $names));
    }

    /**
     * @param string $code the code of a language
     * @param string $key
     * @return mixed null: there is no such text
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

    /** @param string $code the code of a language */
    public function startWrite($code)
    {
        $this->origin->startWrite($code);
        $this->written = $code;
        $this->texts = [];
    }

    public function finishWrite()
    {
        $this->origin->finishWrite();
        $texts = $this->texts;
        $this->texts = [];
        // If the database is read-only, LCStoreDB writes nothing, and reports no error. So check that the text was written.
        if ($this->origin->get($this->written, 'deps') != ($texts['deps'] ?? null)) {
            return;
        }
        $prefix = $this->newPrefix($this->written);
        // A web request may commit its transaction later. Until then, other processes read old texts from the database. So put the new
        // texts into the pool now. A script commits at once.
        if (PHP_SAPI !== 'cli') {
            foreach ($texts as $key => $value) {
                $this->store($prefix . $key, $value);
            }
        }
        $name = "$this->wiki:$this->written";
        $this->pool->set($name, $prefix) || $this->pool->delete($name);
        $this->prefixes[$this->written] = $prefix;
    }

    /**
     * @param string $key
     * @param mixed $value
     */
    public function set($key, $value)
    {
        $this->origin->set($key, $value);
        if ($key === 'deps' || PHP_SAPI !== 'cli') {
            $this->texts[$key] = $value;
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
            $this->pool->set($name, $value, self::TTL);
        } catch (\Throwable) { // get() will read the value from MediaWiki's own store
        }
    }
}
