<?php

declare(strict_types=1);

namespace Larder\Tests;

/** Child processes of the test. They share the test's stores, and end without running the test's destructors. */
final class Processes
{
    /**
     * Runs a closure in several processes, and returns their results: "CLASS: MESSAGE" after an exception, "died" after a death.
     *
     * @param \Closure(int): mixed $run its result must be serializable
     * @return list<mixed>
     */
    public static function run(int $count, \Closure $run): array
    {
        $files = $pids = $answers = [];
        [$mine, $gate] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        for ($i = 0; $i < $count; $i++) {
            $files[$i] = tempnam(sys_get_temp_dir(), 'larder');
            $pids[$i] = pcntl_fork();
            if ($pids[$i] === 0) {
                fclose($mine);
                fread($gate, 1); // all children start when the parent closes its end of this pipe
                try {
                    $answer = $run($i);
                } catch (\Throwable $answer) {
                    $answer = $answer::class . ': ' . $answer->getMessage();
                }
                file_put_contents($files[$i], serialize($answer));
                posix_kill((int) getmypid(), SIGKILL);
            }
        }
        fclose($gate);
        fclose($mine);
        foreach ($pids as $i => $pid) {
            pcntl_waitpid($pid, $status);
            $text = file_get_contents($files[$i]);
            $answers[] = $text === '' ? 'died' : unserialize($text);
            unlink($files[$i]);
        }
        return $answers;
    }
}
