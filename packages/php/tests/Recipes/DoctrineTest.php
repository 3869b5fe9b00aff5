<?php

declare(strict_types=1);

namespace Larder\Tests\Recipes;

use Doctrine\DBAL\DriverManager;
use Doctrine\ORM\Configuration;
use Doctrine\ORM\EntityManager;
use Doctrine\ORM\Mapping as ORM;
use Doctrine\ORM\Mapping\Driver\AttributeDriver;
use Doctrine\ORM\Tools\SchemaTool;
use Larder\Cache\ItemPool;
use Larder\VolatileCache;
use PHPUnit\Framework\TestCase;

#[ORM\Entity]
#[ORM\Cache(usage: 'NONSTRICT_READ_WRITE')]
class Article
{
    #[ORM\Id]
    #[ORM\Column]
    #[ORM\GeneratedValue]
    public ?int $id = null;

    public function __construct(#[ORM\Column] public string $title) {}
}

/** Tests docs/frameworks/doctrine.md: pools as Doctrine's caches of metadata, queries and results, and as its second-level cache. */
final class DoctrineTest extends TestCase
{
    private function manager(string $database): EntityManager
    {
        $configuration = new Configuration();
        $configuration->setMetadataDriverImpl(new AttributeDriver([__DIR__]));
        $configuration->setProxyDir(sys_get_temp_dir() . '/larder-doctrine-' . getmypid());
        $configuration->setProxyNamespace('LarderProxies');
        $configuration->setAutoGenerateProxyClasses(true);
        // Configure the caches as docs/frameworks/doctrine.md says.
        $configuration->setMetadataCache(new ItemPool('doctrine.metadata'));
        $configuration->setQueryCache(new ItemPool('doctrine.queries'));
        $configuration->setResultCache(new ItemPool('doctrine.results'));
        return new EntityManager(DriverManager::getConnection(['driver' => 'pdo_sqlite', 'path' => $database]), $configuration);
    }

    public function testMetadataQueriesAndResults(): void
    {
        if (!\extension_loaded('pdo_sqlite')) {
            $this->markTestSkipped('needs pdo_sqlite');
        }
        VolatileCache::clear();
        $database = tempnam(sys_get_temp_dir(), 'larder');
        try {
            $manager = $this->manager($database);
            (new SchemaTool($manager))->createSchema([$manager->getClassMetadata(Article::class)]);
            $manager->persist(new Article('First'));
            $manager->flush();
            $ask = static fn(EntityManager $manager): array => $manager->createQuery('SELECT a FROM ' . Article::class . ' a ORDER BY a.id')->enableResultCache(60, 'articles')->getResult();
            $this->assertSame(['First'], array_column($ask($manager), 'title'));

            $other = $this->manager($database);
            $other->persist(new Article('Second'));
            $other->flush();
            $other->clear();
            $this->assertSame(['First'], array_column($ask($this->manager($database)), 'title')); // from the cache
            (new ItemPool('doctrine.results'))->deleteItem('articles');
            $this->assertSame(['First', 'Second'], array_column($ask($this->manager($database)), 'title'));
            gc_collect_cycles(); // a pool adds its hits and misses to the shared counts when it is freed
            foreach (['doctrine.metadata', 'doctrine.queries', 'doctrine.results'] as $pool) {
                $this->assertGreaterThan(0, VolatileCache::pool($pool)->info()->hits, $pool);
            }
        } finally {
            unlink($database);
        }
    }
}
