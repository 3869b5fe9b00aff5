<?php

/* visit.php - the work of a request with its session, behind the web server and on the command line. */

declare(strict_types=1);

function use_sessions(string $handler, string $path): void
{
    ini_set('session.save_handler', $handler);
    ini_set('session.save_path', $path);
}

/** Returns some 1,000 bytes, which depend only on the session's id and counter. */
function session_text(string $id, int $count): string
{
    return substr(str_repeat(md5("$id $count"), 32), 0, 950);
}

/** Returns the session's new counter. Throws if the session differs from what its last request wrote. */
function visit(string $id): int
{
    session_id($id);
    session_start() || throw new RuntimeException('no session is available');
    $count = $_SESSION['count'] ?? 0;
    if ($count !== 0 && ($_SESSION['id'] !== $id || $_SESSION['text'] !== session_text($id, $count))) {
        throw new RuntimeException("session $id is torn at $count");
    }
    $_SESSION = ['id' => $id, 'count' => ++$count, 'text' => session_text($id, $count)];
    session_write_close() || throw new RuntimeException('the session cannot be written');
    return $count;
}
