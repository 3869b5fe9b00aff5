<?php

declare(strict_types=1);

namespace Larder\Ops;

/** The lines about Larder in PHP's ini files, and the file in which a new line must be written. */
final class IniFiles
{
    /** @param list<array{file: string, line: int, name: string, value: string, active: bool}> $lines */
    private function __construct(public array $lines, private string $folder, private string $main, private bool $read = true) {}

    /** Returns the ini files that this process has read. */
    public static function own(): self
    {
        $main = (string) php_ini_loaded_file();
        $files = array_values(array_filter(array_map(trim(...), explode(',', (string) php_ini_scanned_files()))));
        $folders = array_filter(explode(':', (string) getenv('PHP_INI_SCAN_DIR')));
        $folder = $files !== [] ? dirname(end($files)) : (string) (end($folders) ?: PHP_CONFIG_FILE_SCAN_DIR);
        return new self(self::parse($main !== '' ? [$main, ...$files] : $files), $folder, $main !== '' ? $main : PHP_CONFIG_FILE_PATH . '/php.ini', $main !== '' || $files !== []);
    }

    /** Returns the ini files of another SAPI: $main, and the files in $folder. */
    public static function of(string $folder, string $main): self
    {
        return new self(self::parse([$main, ...(glob("$folder/*.ini") ?: [])]), $folder, $main);
    }

    /** @param array{lines: list<array{file: string, line: int, name: string, value: string, active: bool}>, folder: string, main: string, read: bool} $data */
    public static function from(array $data): self
    {
        return new self($data['lines'], $data['folder'], $data['main'], $data['read']);
    }

    /** @return array{lines: list<array{file: string, line: int, name: string, value: string, active: bool}>, folder: string, main: string, read: bool} */
    public function data(): array
    {
        return ['lines' => $this->lines, 'folder' => $this->folder, 'main' => $this->main, 'read' => $this->read];
    }

    /**
     * @param list<string> $files
     * @return list<array{file: string, line: int, name: string, value: string, active: bool}>
     */
    private static function parse(array $files): array
    {
        $lines = [];
        foreach ($files as $file) {
            $section = false;
            foreach (@file($file) ?: [] as $i => $text) {
                $section = preg_match('/^\s*\[(PATH|HOST)\s*=/i', $text) ? true : (preg_match('/^\s*\[/', $text) ? false : $section);
                if (!$section && preg_match('/^\s*(;\s*)?((?:larder|opcache|session)\.[\w.]+|extension|zend_extension)\s*=\s*(.*)$/i', rtrim($text), $match)) {
                    $value = preg_match('/^(["\'])(.*?)\1/', $match[3], $quoted) ? $quoted[2] : trim((string) strtok($match[3] . ' ', ';'));
                    $lines[] = ['file' => (string) (realpath($file) ?: $file), 'line' => $i + 1, 'name' => $match[2], 'value' => $value, 'active' => $match[1] === ''];
                }
            }
        }
        return $lines;
    }

    /**
     * Returns the lines that load an extension. If $active is false, returns the commented-out lines that would load it.
     * @return list<array{file: string, line: int, name: string, value: string, active: bool}>
     */
    public function loading(string $extension, bool $active = true): array
    {
        return array_values(array_filter($this->lines, static fn(array $line): bool => $line['active'] === $active
            && in_array(strtolower($line['name']), ['extension', 'zend_extension'], true)
            && preg_match('/^(php_)?' . preg_quote($extension) . '(\.so)?$/', basename($line['value']))));
    }

    /**
     * @return ?array{file: string, line: int, name: string, value: string, active: bool} the last active line of a setting; PHP uses the
     * value in this line
     */
    public function setting(string $name): ?array
    {
        $found = null;
        foreach ($this->lines as $line) {
            $found = $line['active'] && $line['name'] === $name ? $line : $found;
        }
        return $found;
    }

    public function file(): string
    {
        $loading = [...$this->loading('larder'), ...$this->loading('larder', false)];
        return $loading[0]['file'] ?? ($this->folder !== '' ? "{$this->folder}/20-larder.ini" : $this->main);
    }
}
