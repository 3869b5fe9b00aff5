dnl The extension and the core it stands on, which core_unit.c includes from ../core.
PHP_ARG_ENABLE([larder],
  [whether to enable larder],
  [AS_HELP_STRING([--enable-larder], [Enable the shared-memory cache Larder])],
  [yes])

if test "$PHP_LARDER" != "no"; then
  AS_CASE([$host_os], [linux*], [], [AC_MSG_ERROR([larder runs on Linux only])])

  LARDER_CFLAGS="-std=gnu11 -D_GNU_SOURCE -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1 -fvisibility=hidden"
  LARDER_CFLAGS="$LARDER_CFLAGS -fno-semantic-interposition -Wall -Wextra -Wno-unused-parameter"
  LARDER_CFLAGS="$LARDER_CFLAGS -I@ext_srcdir@/../core/include -I@ext_srcdir@/../core/src"
  LARDER_CFLAGS="$LARDER_CFLAGS -isystem @ext_srcdir@/../core/vendor/xxhash"

  PHP_NEW_EXTENSION([larder],
    [larder.c settings.c stores.c pools.c guard.c classes.c builtin.c carbon.c dates.c periods.c spl.c spl_layout.c states.c plan.c plan_memory.c order.c build.c put.c fetch.c common.c graph.c graph_resolve.c graph_build.c graph_builtin.c graph_spl.c resident.c resident_table.c resident_build.c refuse.c keys.c cache.c multiple.c remember.c pool.c pool_lease.c pool_methods.c info.c compat/compat.c compat/search.c compat/apcu.c compat/apcu_info.c compat/apcu_setup.c compat/apcu_iterator.c compat/immutable_cache.c compat/immutable_cache_iterator.c compat/immutable_cache_preload.c compat/opcache.c compat/user_cache.c compat/memsession.c session/handler.c session/settings.c session/sessions.c files/files.c files/identity.c files/file_cache.c queue/queue.c queue/message.c partition.c heaps.c content.c compact.c compat/preload.c holds/collect.c holds/memory.c holds/scope.c statics/statics.c statics/barrier.c statics/clock.c statics/attach.c statics/fill.c statics/publish.c statics/digest.c statics/entries.c statics/opcache.c ops/named.c ops/inspector.c ops/entries.c core_unit.c],
    [$ext_shared],, [$LARDER_CFLAGS])
  PHP_ADD_BUILD_DIR([$ext_builddir/compat])
  PHP_INSTALL_HEADERS([ext/larder], [larder_api.h])
  PHP_ADD_BUILD_DIR([$ext_builddir/session])
  PHP_ADD_BUILD_DIR([$ext_builddir/files])
  PHP_ADD_BUILD_DIR([$ext_builddir/holds])
  PHP_ADD_BUILD_DIR([$ext_builddir/statics])
  PHP_ADD_BUILD_DIR([$ext_builddir/ops])

  dnl Threads may still run our code, and engine tables may still point into a store, when PHP would unload us.
  LDFLAGS="$LDFLAGS -Wl,-z,nodelete -Wl,-Bsymbolic-functions"
fi
