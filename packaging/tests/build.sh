#!/bin/bash
# Runs in a bare root. Builds the packages from an archive of the sources without .git, by the commands of docs/install.md.
set -euo pipefail
# shellcheck source=packaging/tests/in-root.sh
. /srv/host/in-root.sh
installed make
tar -xzf larder.tar.gz
cd larder
[[ ! -e .git ]]
command -v git >/dev/null && fail "this root has git"
unset SOURCE_DATE_EPOCH
make deb >../build.log 2>&1 || { tail -n 30 ../build.log; fail "make deb"; }
(cd build/deb && sha256sum --quiet --check SHA256SUMS)
cp build/deb/{larder,php"$php"-larder}_*.deb /srv/host/out/
echo "make deb from an archive: $(cd build/deb && echo larder_*.deb php*-larder_*.deb)"
