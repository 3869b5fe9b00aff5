#!/bin/bash
# Runs the steps of packaging/docker/Dockerfile.debian in a bare root, with Debian's PHP instead of the official image's. Dockerfile.alpine
# (docker-alpine.sh) must have the same steps, after the installation of packages that Alpine's image lacks.
set -euo pipefail
# shellcheck source=packaging/tests/in-root.sh
. /srv/host/in-root.sh
installed "php$php-cli" "php$php-dev" "php$php-fpm" gcc make libc6-dev libfcgi-bin
context
script() { php larder/packaging/tests/dockerfile.php "larder/packaging/docker/Dockerfile.$1" /srv/host/context; }
script debian >debian.sh || { cat debian.sh; fail "Dockerfile.debian"; }
script alpine >alpine.sh || { cat alpine.sh; fail "Dockerfile.alpine"; }
bash -n alpine.sh
# shellcheck disable=SC2016
diff debian.sh <(sed 's/apk add --no-cache $PHPIZE_DEPS linux-headers && //' alpine.sh) || fail "the two Dockerfiles differ"
# This root has only the tools of the image, so a step that needs another one fails.
bash debian.sh >build.log 2>&1 || { tail -n 30 build.log; fail "a step of Dockerfile.debian"; }
cp "$(php-config --ini-dir)/20-larder.ini" "/etc/php/$php/fpm/conf.d/" # in the image, the command line and FPM share this folder
works
echo "$(grep -c '^sh -c' debian.sh) RUN steps of Dockerfile.debian; larder doctor: all is well"
