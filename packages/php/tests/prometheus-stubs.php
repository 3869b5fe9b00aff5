<?php

/* Classes of promphp/prometheus_client_php, for PHPStan. run.sh cannot install that package everywhere. */

declare(strict_types=1);

namespace Prometheus {
    class MetricFamilySamples {}
}

namespace Prometheus\Exception {
    class StorageException extends \Exception {}
}

namespace Prometheus\Storage {
    interface Adapter
    {
        public const COMMAND_INCREMENT_INTEGER = 1;
        public const COMMAND_INCREMENT_FLOAT = 2;
        public const COMMAND_SET = 3;
    }

    class InMemory implements Adapter
    {
        /** @var array<mixed> */
        protected $counters = [];
        /** @var array<mixed> */
        protected $gauges = [];
        /** @var array<mixed> */
        protected $histograms = [];
        /** @var array<mixed> */
        protected $summaries = [];

        /** @return array<\Prometheus\MetricFamilySamples> */
        public function collect(bool $sortMetrics = true): array {}

        public function wipeStorage(): void {}

        /** @param array<string, mixed> $data */
        public function updateHistogram(array $data): void {}

        /** @param array<string, mixed> $data */
        public function updateSummary(array $data): void {}

        /** @param array<string, mixed> $data */
        public function updateGauge(array $data): void {}

        /** @param array<string, mixed> $data */
        public function updateCounter(array $data): void {}

        /**
         * @param array<string, mixed> $data
         * @param string|int $bucket
         */
        protected function histogramBucketValueKey(array $data, $bucket): string {}

        /** @param array<string, mixed> $data */
        protected function metaKey(array $data): string {}

        /** @param array<string, mixed> $data */
        protected function valueKey(array $data): string {}

        /**
         * @param array<string, mixed> $data
         * @return array<mixed>
         */
        protected function metaData(array $data): array {}
    }
}
