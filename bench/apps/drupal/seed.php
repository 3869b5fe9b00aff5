<?php

declare(strict_types=1);

/* Adds 20 articles with tags and long texts to the Drupal in the first argument's folder. Uninstalls the module that caches whole pages,
 * because it would answer all visitors without a login. */

use Drupal\Core\DrupalKernel;
use Drupal\node\Entity\Node;
use Drupal\taxonomy\Entity\Term;
use Symfony\Component\HttpFoundation\Request;

$root = $argv[1];
chdir($root);
$loader = require "$root/autoload.php";
$request = Request::create('http://drupal.test/');
$kernel = DrupalKernel::createFromRequest($request, $loader, 'prod', true, $root);
$kernel->boot();
$kernel->preHandle($request);
Drupal::service('module_installer')->uninstall(['page_cache', 'big_pipe']);
$terms = [];
for ($i = 1; $i <= 5; $i++) {
    $terms[$i] = Term::create(['vid' => 'tags', 'name' => "Tag $i"]);
    $terms[$i]->save();
}
for ($i = 1; $i <= 20; $i++) {
    Node::create([
        'type' => 'article', 'title' => "Article $i", 'uid' => 1, 'status' => 1, 'promote' => 1, 'created' => 1735689600 + $i * 3600, 'changed' => 1735689600 + $i * 3600,
        'body' => ['value' => str_repeat("<p>Text $i of an article with <strong>words</strong> and <a href=\"/node/1\">a link</a>.</p>\n", 30), 'format' => 'basic_html'],
        'field_tags' => [$terms[$i % 5 + 1]->id(), $terms[($i + 2) % 5 + 1]->id()],
    ])->save();
}
echo "seeded\n";
