--TEST--
larder: session: a session that a handler around ours destroys itself, or that expires meanwhile, is written again, as with files
--EXTENSIONS--
larder
session
--INI--
session.use_cookies=0
session.cache_limiter=
session.use_strict_mode=1
--FILE--
<?php
ob_start();
/* If a session is too old, begins a new session with the same id. */
class Fresh extends SessionHandler implements SessionUpdateTimestampHandlerInterface
{
    public function validateId(string $id): bool
    {
        if (str_contains(parent::read($id), 'old')) parent::destroy($id);
        return true;
    }
    public function updateTimestamp(string $id, string $data): bool { return parent::write($id, $data); }
}
mkdir($folder = sys_get_temp_dir() . '/larder-fresh-' . getmypid());
session_save_path($folder);
foreach (['files', 'larder'] as $handler) {
    ini_set('session.save_handler', $handler);
    session_start();
    $id = session_id();
    $_SESSION['old'] = 1;
    session_write_close();
    session_set_save_handler(new Fresh, false);
    session_id($id);
    session_start();
    $_SESSION = ['login' => 'me'];
    var_dump(session_write_close());
    session_id($id);
    session_start();
    echo $handler, ' ', json_encode($_SESSION), "\n";
    session_destroy();
    session_id('');
}
array_map('unlink', glob("$folder/*"));
rmdir($folder);
--EXPECT--
bool(true)
files {"login":"me"}
bool(true)
larder {"login":"me"}
