<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** The server did not answer: there is no connection, or it was lost, or it took too long. */
final class ServerUnreachable extends ServerFailure {}
