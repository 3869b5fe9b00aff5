PHP_ARG_ENABLE([larder_noop], [whether to enable larder_noop],
  [AS_HELP_STRING([--enable-larder_noop], [Enable the baseline of the benchmark])], [yes])

if test "$PHP_LARDER_NOOP" != "no"; then
  PHP_NEW_EXTENSION([larder_noop], [larder_noop.c], [$ext_shared],, [-Wall -Wextra -Wno-unused-parameter])
fi
