<?php

declare(strict_types=1);

namespace Larder\Ops;

use Larder\Inspector;
use Larder\StaticCacheException;

/** The stores that the options select, and the way to reach them. */
final class Target
{
    private ?Operations $here = null;
    private ?FastCgi $server = null;
    private string $file = '';
    /** The kind of the store in the file that --path names. Null without --path. */
    private ?string $kind = null;
    /** @var ?\Closure(bool): ?string */
    private ?\Closure $neighbours = null;

    public function __construct(private Options $options, private string $program)
    {
        $store = $options->text('store');
        $store === null || in_array($store, Operations::STORES, true) || throw Failure::usage("--store $store: one of " . implode(', ', Operations::STORES) . ' is expected');
        if ($options->has('user')) {
            self::become((string) $options->text('user'));
        }
        match (true) {
            $options->has('fpm') => $this->fpm(),
            $options->has('path') => $this->path((string) $options->text('path')),
            default => $this->scope(),
        };
    }

    /** Returns the name of the store, for commands that use exactly one. */
    public function store(): string
    {
        return $this->options->text('store') ?? $this->kind ?? 'volatile';
    }

    /**
     * @param array<string, mixed> $arguments
     * @return array<string, mixed>
     */
    public function ask(string $operation, array $arguments = []): array
    {
        if ($this->options->has('store') || $this->kind !== null) {
            $arguments['store'] = $this->store();
        }
        return $this->server !== null
            ? Agent::ask($this->server, $this->file, $operation, $arguments)
            : ($this->here ?? throw new \LogicException())->run($operation, $arguments);
    }

    /** Changes the user of this process from root to another user, for good. Call this before files of that user are opened. */
    public static function become(string $name): void
    {
        if (!function_exists('posix_getpwnam')) {
            throw Failure::failed("--user needs PHP's extension posix");
        }
        $user = preg_match('/^\d+$/D', $name) ? posix_getpwuid((int) $name) : posix_getpwnam($name);
        if ($user === false) {
            throw Failure::usage("there is no user \"$name\"");
        }
        if ($user['uid'] === posix_geteuid()) {
            return;
        }
        if (posix_geteuid() !== 0) {
            throw Failure::failed("only root may look at the stores of another user; run: sudo larder --user $name ...");
        }
        if (!posix_initgroups($user['name'], $user['gid']) || !posix_setgid($user['gid']) || !posix_setuid($user['uid'])) {
            throw Failure::failed("cannot become user $name: " . posix_strerror(posix_get_last_error()));
        }
    }

    private function fpm(): void
    {
        $this->server = new FastCgi((string) $this->options->text('fpm'));
        $file = $this->options->text('fpm-file') ?? $this->program;
        $this->file = (string) (str_starts_with($file, '/') ? $file : realpath($file));
    }

    private function path(string $path): void
    {
        $path !== '' || throw Failure::usage('--path is empty: the file of a store is expected');
        if (!file_exists($path)) {
            $hidden = is_dir(dirname($path)) && !is_executable(dirname($path));
            throw Failure::failed("$path: " . ($hidden ? "user {$this->user(OtherUsers::me())} may not look into that folder" : 'there is no such file'));
        }
        if (OtherUsers::me() === 0 && fileowner($path) !== 0 && is_file($path)) {
            throw Failure::failed("$path belongs to user {$this->user((int) fileowner($path))}: use --user");
        }
        self::loaded();
        $name = preg_match('/-(' . implode('|', Operations::STORES) . ')$/D', $path, $match) ? $match[1] : 'volatile';
        try {
            $policy = Inspector::open($path)->stats()['policy'];
            $this->kind = $policy === 'volatile' && $name === 'apcu' ? $name : $policy;
        } catch (StaticCacheException) { // the operation reports the reason
            $this->kind = $this->options->text('store') ?? $name;
        }
        if ($this->store() !== $this->kind) {
            throw Failure::usage("--store {$this->store()}: the store in $path is \"{$this->kind}\"");
        }
        $this->here = new Operations([$this->kind => $path]);
    }

    private static function loaded(): void
    {
        if (!class_exists(Inspector::class, false)) {
            throw Failure::failed('the extension larder is not loaded in ' . PHP_BINARY . '; see php --ini');
        }
    }

    private function scope(): void
    {
        $scope = $this->options->text('scope') ?? (string) ini_get('larder.scope');
        $folder = $this->options->text('folder') ?? ((string) ini_get('larder.path') ?: '/dev/shm');
        if ($scope === '' && !$this->options->has('folder') && (string) ini_get('larder.path') === '') {
            throw Failure::usage('which store? name one with --scope NAME, --path FILE or --fpm SOCKET; see larder --help');
        }
        $scope = $scope !== '' ? $scope : 'default';
        self::loaded();
        $paths = [];
        $own = '';
        foreach (Operations::STORES as $name) {
            try {
                $path = Inspector::path($name, $scope, $folder);
            } catch (StaticCacheException $e) {
                $given = array_filter(['larder.scope' => '--scope', 'larder.path' => '--folder'], fn(string $option): bool => $this->options->has(substr($option, 2)));
                throw Failure::usage(strtr($e->getMessage(), $given));
            }
            $own = dirname($path);
            if (file_exists($path)) {
                $paths[$name] = $path;
            }
        }
        if ($paths === []) {
            $other = $this->others($folder, $own, $scope, true);
            throw Failure::failed("no store of scope \"$scope\" in $folder for user " . $this->user(OtherUsers::me()) . ($other !== null ? "; $other" : ': no program of this user has used one'));
        }
        $this->here = new Operations($paths);
        $this->neighbours = fn(bool $empty): ?string => $this->others($folder, $own, $scope, $empty);
    }

    /**
     * Returns a text that names other users who have stores of the same scope, and says how to reach these stores. Returns null if there are
     * no such users.
     * @param bool $empty true if this user's stores are empty; the text then also names users whose stores this process cannot see
     */
    public function neighbours(bool $empty): ?string
    {
        return $this->neighbours !== null ? ($this->neighbours)($empty) : null;
    }

    private function others(string $folder, string $own, string $scope, bool $empty): ?string
    {
        if ($this->options->has('user')) { // the options name a user already
            return null;
        }
        ['seen' => $seen, 'unseen' => $unseen] = OtherUsers::of($folder, $own, $scope);
        [$text, $user] = match (true) {
            $seen !== [] => [OtherUsers::list($seen) . (count($seen) === 1 ? ' has' : ' have') . ' stores of that scope', $seen[0]],
            $empty && $unseen !== [] => [OtherUsers::list($unseen) . (count($unseen) === 1 ? ' has' : ' have') . " stores in $folder, whose scopes only their user and root can see", $unseen[0]],
            default => ['', ''],
        };
        return $text !== '' ? "$text; to reach them, run: " . (OtherUsers::me() !== 0 ? 'sudo ' : '') . "larder --user $user {$this->options->line()}" : null;
    }

    private function user(int $id): string
    {
        return OtherUsers::name($id);
    }
}
