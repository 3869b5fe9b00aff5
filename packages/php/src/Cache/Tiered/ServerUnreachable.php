<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/**
 * The server has not answered: there is no connection, it was lost, or the answer took too long.
 */
final class ServerUnreachable extends ServerFailure {}
