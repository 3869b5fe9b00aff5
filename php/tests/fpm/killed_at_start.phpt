--TEST--
larder: fpm: workers killed while they claim and make their pool's stores leave them to the next ones
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
require __DIR__ . '/../include/fastcgi.php';

/* Each pool has new stores. Its first workers are killed at a random moment of their first request. */
const POOLS = 30, ROUNDS = 3;
$pools = [];
for ($p = 0; $p < POOLS; $p++) {
    $pools["p$p"] = ['pm.max_children' => 2];
}
$fpm = fpm($pools);
$script = $fpm->script('V::set("k", 1); P::set("k", [1]); echo getmypid();');
$kills = 0;
for ($p = 0; $p < POOLS; $p++) {
    for ($round = 0; $round < ROUNDS; $round++) {
        $clients = [];
        for ($c = 0; $c < 2; $c++) {
            if (($clients[] = pcntl_fork()) === 0) {
                fastcgi($fpm->socket("p$p"), $script);
                posix_kill(getmypid(), SIGKILL);
            }
        }
        $workers = $fpm->workers("p$p");
        usleep(mt_rand(0, 4000));
        foreach ($workers as $pid) {
            $kills += (int) $fpm->kill($pid);
        }
        foreach ($clients as $pid) {
            pcntl_waitpid($pid, $status);
        }
    }
}
var_dump($kills > POOLS * ROUNDS);

$wrong = [];
for ($p = 0; $p < POOLS; $p++) {
    $answers = [];
    fpm_wait(fn () => count($fpm->workers("p$p")) === 2);
    $fpm->run("p$p", "V::clear(); P::clear(); V::set('name', 'p$p'); P::set('name', 'p$p');");
    fpm_wait(function () use ($fpm, $p, &$answers) {
        $answer = explode(' ', $fpm->run("p$p", 'usleep(2000); echo getmypid(), " ", V::get("name"), P::get("name"), count(V::keys()), count(P::keys());'));
        $answers[$answer[0]] = $answer[1] ?? '';
        return count($answers) === 2;
    }, 60);
    if (array_unique(array_values($answers)) !== ["p{$p}p{$p}11"] || count($answers) !== 2) {
        $wrong["p$p"] = $answers;
    }
    if ($fpm->said("p$p") !== '') {
        $wrong["p$p said"] = $fpm->said("p$p");
    }
}
var_dump($wrong);
--EXPECT--
bool(true)
array(0) {
}
