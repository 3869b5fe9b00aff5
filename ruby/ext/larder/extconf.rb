# frozen_string_literal: true

require "mkmf"

# The core needs Linux. Elsewhere, or with --enable-fallback or LARDER_FALLBACK, larder.rb uses the store in plain Ruby.
host = RbConfig::CONFIG["host_os"]
native = host.include?("linux") && [0].pack("J").bytesize == 8
native = false if enable_config("fallback", ENV.key?("LARDER_FALLBACK"))

if native
  core = File.expand_path("../../../core", __dir__)
  abort "larder: #{core}/core.c is missing" unless File.exist?(File.join(core, "core.c"))

  $warnflags = "-Wall -Wextra -Wno-unused-parameter"
  $CFLAGS = "#{$CFLAGS} -std=gnu11 -fno-semantic-interposition -pthread"
  $CFLAGS << " #{ENV["LARDER_CFLAGS"]}" if ENV["LARDER_CFLAGS"]
  $CPPFLAGS = "-D_GNU_SOURCE -I#{core}/include -I#{core}/src -I#{core}/vendor/xxhash #{$CPPFLAGS}"
  # Never unload the library, because other threads may run its code.
  $DLDFLAGS = "#{$DLDFLAGS} -Wl,-z,nodelete -pthread #{ENV["LARDER_LDFLAGS"]}"
  have_func("rb_hash_compare_by_id_p")
  have_func("rb_hash_new_capa", "ruby.h")
  $srcs = Dir[File.join(__dir__, "*.c")].map { |path| File.basename(path) }
  create_makefile("larder/larder")
  File.write("Makefile", <<~RULES, mode: "a")
    $(OBJS): $(srcdir)/larder_ruby.h #{Dir[File.join(core, "include/*.h")].join(" ")}
    core_unit.o: #{Dir[File.join(core, "{core.c,src/**/*.[ch]}")].join(" ")}
  RULES
else
  puts "larder: no shared memory on #{host}; the store in plain Ruby will be used"
  File.write("Makefile", dummy_makefile(__dir__).join)
end
