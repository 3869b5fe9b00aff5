#!/bin/bash
# Runs in a bare root with Debian's packages of Fedora's tools. rpmspec parses all sections of the spec, and rpmlint looks for mistakes.
set -euo pipefail
# shellcheck source=packaging/tests/in-root.sh
. /srv/host/in-root.sh
installed rpm rpmlint
macros=(-D 'php_zend_api 1' -D 'php_core_api 1') # php-devel defines these on Fedora
rpmspec "${macros[@]}" -P php-pecl-larder.spec >parsed.spec 2>spec.log || { cat spec.log; fail "rpmspec -P"; }
[[ ! -s spec.log ]] || { cat spec.log; fail "rpmspec -P"; }
names=$(rpmspec "${macros[@]}" -q --qf '%{name}-%{version} ' php-pecl-larder.spec)
rpmlint php-pecl-larder.spec >lint.log 2>&1 || { cat lint.log; fail rpmlint; }
echo "rpmspec: ${names% }; $(grep -e 'errors' lint.log | tail -n 1)"
