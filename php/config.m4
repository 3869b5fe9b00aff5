dnl The extension and the core it stands on, which src/core_unit.c includes from ../core.
PHP_ARG_ENABLE([larder],
  [whether to enable larder],
  [AS_HELP_STRING([--enable-larder], [Enable the shared-memory cache Larder])],
  [yes])

if test "$PHP_LARDER" != "no"; then
  AS_CASE([$host_os], [linux*], [], [AC_MSG_ERROR([larder runs on Linux only])])

  LARDER_CFLAGS="-std=gnu11 -D_GNU_SOURCE -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1 -fvisibility=hidden -fno-plt"
  LARDER_CFLAGS="$LARDER_CFLAGS -fno-semantic-interposition -Wall -Wextra -Wno-unused-parameter"
  LARDER_CFLAGS="$LARDER_CFLAGS -I@ext_srcdir@/src -I@ext_srcdir@/../core/include -I@ext_srcdir@/../core/src"
  dnl -MP: make goes on after a header was removed.
  LARDER_CFLAGS="$LARDER_CFLAGS -isystem @ext_srcdir@/../core/vendor/xxhash -MP"

  dnl One a line. First come files that workers of web applications run, so that workers map less of the rest: the kernel
  dnl maps 64 KiB of code at each fault. The core follows them: what workers run of it lies among the hot code, which the
  dnl linker puts before all this. Last come three with large tables of zeros, so that the variables of the others share
  dnl pages.
  LARDER_SOURCES=" \
    src/larder.c \
    src/stores/named.c \
    src/stores/partition.c \
    src/stores/settings.c \
    src/stores/stores.c \
    src/stores/table.c \
    src/request/guard.c \
    src/request/memory.c \
    src/put/alike.c \
    src/put/compact.c \
    src/put/few.c \
    src/put/plan.c \
    src/put/plan_memory.c \
    src/put/put.c \
    src/put/small.c \
    src/put/string.c \
    src/put/write.c \
    src/fetch/common.c \
    src/fetch/fetch.c \
    src/fetch/graph.c \
    src/fetch/graph_build.c \
    src/fetch/graph_resolve.c \
    src/fetch/resident.c \
    src/api/arguments.c \
    src/api/boundary.c \
    src/api/info.c \
    src/api/lock.c \
    src/api/methods.c \
    src/api/multiple.c \
    src/api/pool.c \
    src/api/pool_methods.c \
    src/files/file_cache.c \
    src/files/files.c \
    src/holds/collect.c \
    src/compat/compat.c \
    src/compat/apcu/apcu.c \
    src/compat/apcu/setup.c \
    src/core_unit.c \
    src/phpinfo.c \
    src/format/built.c \
    src/format/table.c \
    src/stores/log.c \
    src/pack/decode.c \
    src/pack/encode.c \
    src/pack/fold.c \
    src/pack/literals.c \
    src/pack/scratch.c \
    src/pack/unfold.c \
    src/put/content.c \
    src/put/fall.c \
    src/put/hooks.c \
    src/put/number.c \
    src/put/parts.c \
    src/put/unserializable.c \
    src/fetch/copies.c \
    src/fetch/graph_builtin.c \
    src/fetch/graph_spl.c \
    src/fetch/igbinary.c \
    src/fetch/resident_build.c \
    src/fetch/resident_table.c \
    src/request/gaps.c \
    src/api/broadcast.c \
    src/api/coordination.c \
    src/api/interrupt.c \
    src/api/pool_lease.c \
    src/api/remember.c \
    src/api/scope.c \
    src/api/semaphore.c \
    src/api/wait.c \
    src/session/handler.c \
    src/session/sessions.c \
    src/session/settings.c \
    src/files/identity.c \
    src/queue/message.c \
    src/queue/queue.c \
    src/holds/heap.c \
    src/holds/memory.c \
    src/statics/attach.c \
    src/statics/clock.c \
    src/statics/digest.c \
    src/statics/entries.c \
    src/statics/fill.c \
    src/statics/jit.c \
    src/statics/opcache.c \
    src/statics/publish.c \
    src/statics/signals.c \
    src/statics/statics.c \
    src/ops/entries.c \
    src/ops/inspector.c \
    src/ops/sound.c \
    src/compat/memsession.c \
    src/compat/opcache.c \
    src/compat/preload.c \
    src/compat/search.c \
    src/compat/user_cache.c \
    src/compat/apcu/info.c \
    src/compat/apcu/iterator.c \
    src/compat/immutable_cache/immutable_cache.c \
    src/compat/immutable_cache/iterator.c \
    src/compat/immutable_cache/preload.c \
    src/statics/seen.c \
    src/stores/fpm.c \
    src/stores/host.c \
    src/statics/barrier.c"

  dnl A kind of objects is a file there and a line in table.h beside it, and nothing here.
  for source in PHP_EXT_SRCDIR([larder])/src/kinds/*.c; do
    LARDER_SOURCES="src/kinds/$(basename "$source") $LARDER_SOURCES"
  done

  PHP_NEW_EXTENSION([larder], [$LARDER_SOURCES], [$ext_shared],, [$LARDER_CFLAGS])
  for source in $LARDER_SOURCES; do
    PHP_ADD_BUILD_DIR([$ext_builddir/$(dirname "$source")])
  done
  PHP_INSTALL_HEADERS([ext/larder], [larder_api.h])

  dnl Threads may still run our code, and engine tables may still point into a store, when PHP would unload us.
  dnl Functions of PHP and the C library are looked up when we are loaded, once for all workers. Looked up at its first
  dnl call, each would cost the first values that a process stores a microsecond or two. So stubs that could look them up are
  dnl left out, too (-fno-plt): each is a line in the processor's caches.
  dnl Segments begin at 64 KiB, as the parts of the file in the page cache do. Otherwise a fault may map two such parts.
  LDFLAGS="$LDFLAGS -Wl,-z,nodelete -Wl,-z,now -Wl,-z,max-page-size=65536 -Wl,-Bsymbolic-functions"
fi
