#!/bin/sh
# Runs Larder's command with $LARDER_PHP, or with the default PHP if it has the extension, or else with the newest PHP that has it.
has_larder() { [ -e "/etc/php/${1#/usr/bin/php}/cli/conf.d/20-larder.ini" ]; }
php=${LARDER_PHP:-$(readlink -f /usr/bin/php)}
if [ -z "$LARDER_PHP" ] && ! has_larder "$php"; then
    for other in $(ls -d /usr/bin/php[0-9]*.[0-9]* 2>/dev/null | sort -rV); do
        if has_larder "$other"; then
            php=$other
            break
        fi
    done
fi
exec "$php" /usr/share/larder/larder.php "$@"
