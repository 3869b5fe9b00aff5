<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/** The server has not answered. There is no connection, the connection was lost, or the answer took too long. */
final class ServerUnreachable extends ServerFailure {}
