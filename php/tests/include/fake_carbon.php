<?php
/* Classes that look like Carbon's classes. Their hooks do the same as Carbon's hooks, and count their calls. */
namespace Carbon;

class Calls
{
    public static int $told = 0, $restored = 0;

    /** Returns "told N restored N": how often __serialize() and __unserialize() ran since this function's last call. */
    public static function text(): string
    {
        $text = 'told ' . self::$told . ' restored ' . self::$restored;
        self::$told = self::$restored = 0;
        return $text;
    }
}

interface CarbonInterface extends \DateTimeInterface {}

trait Hooks
{
    protected $constructedObjectId;
    protected $localTranslator = null;
    protected array $dumpProperties = ['date', 'timezone_type', 'timezone'];

    public function __construct($time = null, $zone = null)
    {
        parent::__construct($time ?? 'now', is_string($zone) ? new \DateTimeZone($zone) : $zone);
        $this->constructedObjectId = $this->id();
    }

    protected function id()
    {
        return @spl_object_hash($this);
    }

    public function translate($locale): static
    {
        $this->localTranslator = $locale;
        return $this;
    }

    public function __serialize(): array
    {
        Calls::$told++;
        $state = ['date' => $this->format('Y-m-d H:i:s.u'), 'timezone_type' => ((array) $this)['timezone_type'], 'timezone' => $this->getTimezone()->getName()];
        return $this->localTranslator === null ? $state : $state + ['dumpLocale' => $this->localTranslator];
    }

    public function __unserialize(array $data): void
    {
        Calls::$restored++;
        $this->__construct($data['date'], $data['timezone']);
        if (isset($data['dumpLocale'])) {
            $this->translate($data['dumpLocale']);
        }
    }

    public function __clone()
    {
        $this->constructedObjectId = $this->id();
    }

    public function ownsId(): bool
    {
        return $this->constructedObjectId === $this->id();
    }

    public static function setTestNow($now = null) {}

    public function jsonSerialize(): mixed
    {
        return $this->format('c');
    }
}

class Carbon extends \DateTime implements CarbonInterface, \JsonSerializable { use Hooks; }
class CarbonImmutable extends \DateTimeImmutable implements CarbonInterface, \JsonSerializable { use Hooks; }
