<?php

declare(strict_types=1);

namespace Larder\Tests\Recipes;

use Larder\Cache\SimpleCache;
use Larder\VolatileCache;
use PHPUnit\Framework\TestCase;
use Twig\Environment;
use Twig\Loader\ArrayLoader;
use Twig\TwigFunction;

/** Tests docs/frameworks/twig.md: fragments of pages in Larder. */
final class TwigTest extends TestCase
{
    public function testAFragmentIsRenderedOnce(): void
    {
        VolatileCache::clear();
        $render = static function (array $items): string {
            $twig = new Environment(new ArrayLoader([
                'page' => '<h1>Page</h1>{{ fragment("list", "list.html", {items: items}, 60) }}',
                'list.html' => '{% for item in items %}<li>{{ item }}</li>{% endfor %}',
            ]));
            // Define the function as docs/frameworks/twig.md says.
            $twig->addFunction(new TwigFunction('fragment', static fn(Environment $twig, string $key, string $template, array $context, int $ttl): string
                => VolatileCache::pool('twig')->remember($key, static fn(): string => $twig->render($template, $context), $ttl), ['needs_environment' => true, 'is_safe' => ['html']]));
            return $twig->render('page', ['items' => $items]);
        };
        $this->assertSame('<h1>Page</h1><li>a</li><li>&lt;b&gt;</li>', $render(['a', '<b>']));
        $this->assertSame('<h1>Page</h1><li>a</li><li>&lt;b&gt;</li>', $render(['c']));
        (new SimpleCache('twig'))->delete('list');
        $this->assertSame('<h1>Page</h1><li>c</li>', $render(['c']));
    }
}
