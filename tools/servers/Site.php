<?php

declare(strict_types=1);

namespace Servers;

/** A web server that answers over HTTP, and a process with workers as its children. */
abstract class Site
{
    protected function __construct(public readonly string $url)
    {
    }

    abstract public function stop(): void;

    /** The process whose children are the workers. */
    abstract protected function master(): ?int;

    /** Returns the body of an answer; null if there is no answer, or it is an error. */
    public function get(string $path): ?string
    {
        [$status, $text] = $this->ask($path);
        return $status >= 200 && $status < 400 ? $text : null;
    }

    /** @return array{int, string} [the status, or 0 if there is no answer; the body] */
    public function ask(string $path): array
    {
        $options = ['http' => ['timeout' => 20, 'ignore_errors' => true]];
        $answer = @fopen($this->url . $path, 'r', false, stream_context_create($options));
        if ($answer === false) {
            return [0, ''];
        }
        $headers = stream_get_meta_data($answer)['wrapper_data'];
        return [(int) substr($headers[0] ?? '', 9, 3), (string) stream_get_contents($answer)];
    }

    /** @return list<int> the ids of the worker processes */
    public function workers(): array
    {
        $master = $this->master();
        $text = @file_get_contents("/proc/$master/task/$master/children");
        return array_map(intval(...), preg_split('/\s+/', (string) $text, -1, PREG_SPLIT_NO_EMPTY) ?: []);
    }

    /** Returns the CPU time of the workers in seconds, after waiting up to 5 s until they are idle. */
    public function settledCpu(): float
    {
        $now = $this->cpu();
        for ($i = 0; $i < 50; $i++) {
            usleep(100000);
            $before = $now;
            $now = $this->cpu();
            if ($now - $before < 0.001) {
                break;
            }
        }
        return $now;
    }

    /** Returns an nginx configuration whose files lie in the folder. $location has the directives for all requests. */
    protected static function nginxConf(string $folder, int $port, string $location, string $first = ''): string
    {
        return <<<END
            $first
            daemon off;
            worker_processes 1;
            pid $folder/nginx.pid;
            events {
                worker_connections 1024;
            }
            http {
                access_log off;
                keepalive_requests 1000000;
                client_body_temp_path $folder/nginx-body;
                fastcgi_temp_path $folder/nginx-fastcgi;
                proxy_temp_path $folder/nginx-proxy;
                scgi_temp_path $folder/nginx-scgi;
                uwsgi_temp_path $folder/nginx-uwsgi;
                server {
                    listen 127.0.0.1:$port;
                    location / {
                        $location
                    }
                }
            }

            END;
    }

    private function cpu(): float
    {
        return array_sum(array_map(Child::cpuOf(...), $this->workers()));
    }
}
