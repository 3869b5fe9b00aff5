# frozen_string_literal: true

# Makes precompiled gems, which can be installed without a compiler. Such a gem contains one library for each series of Ruby (X.Y).
#   ruby tools/release/gem.rb compile FOLDER     compiles the extension for this Ruby: FOLDER/X.Y/larder.so. Run it with each Ruby, in
#                                                 a system with the oldest C library that the gem is for.
#   ruby tools/release/gem.rb pack FOLDER OUT    puts all libraries of FOLDER into OUT/larder-VERSION-PLATFORM.gem
#                                                 PLATFORM is this processor and the C library that the libraries need: x86_64-linux-gnu,
#                                                 x86_64-linux-musl, ... A Ruby for glibc may pack libraries for musl. It needs zlib.
# The same sources give the same bytes. Where the extension cannot be built, "compile" fails.

require "fileutils"
require "open3"
require "rbconfig"
require "rubygems/package"
require "tmpdir"

PROJECT = File.expand_path("../..", __dir__)
SERIES = RUBY_VERSION[/\A\d+\.\d+/]

def run(*command, **options)
  output, status = Open3.capture2e(*command, **options)
  abort "gem: #{command.join(" ")} failed:\n#{output.lines.last(20).join}" unless status.success?
end

def compile(folder)
  Dir.mktmpdir do |work|
    flags = { "LARDER_CFLAGS" => "-ffile-prefix-map=#{PROJECT}=. -ffile-prefix-map=#{work}=.", "LARDER_LDFLAGS" => "-Wl,--build-id=sha1" }
    run(flags, RbConfig.ruby, "#{PROJECT}/ruby/ext/larder/extconf.rb", chdir: work)
    run("make", chdir: work)
    abort "gem: there is no extension for #{RbConfig::CONFIG["host_os"]}" unless File.exist?("#{work}/larder.so")
    FileUtils.mkdir_p("#{folder}/#{SERIES}")
    run("strip", "--strip-unneeded", "-o", "#{folder}/#{SERIES}/larder.so", "#{work}/larder.so")
  end
end

# Return the platform on which the libraries run. A library for musl needs the C library "libc.so", a library for glibc "libc.so.6".
def platform(folder, series)
  musl = series.map { |name| File.binread("#{folder}/#{name}/larder.so").include?("\0libc.so\0") }.uniq
  abort "gem: #{folder} has libraries for glibc and for musl" if musl.size > 1
  Gem::Platform.new([RbConfig::CONFIG["host_cpu"], "linux", musl.first ? "musl" : "gnu"])
end

def specification(folder, series)
  spec = Gem::Specification.load("#{PROJECT}/larder.gemspec")
  spec.platform = platform(folder, series)
  spec.extensions = []
  spec.files = spec.files.grep_v(%r{\Aruby/ext/|\Acore/(?!vendor/.*LICENSE)}) + series.map { |name| "ruby/lib/larder/#{name}/larder.so" }
  last = series.last.split(".")
  spec.required_ruby_version = [">= #{series.first}", "< #{last[0]}.#{last[1].to_i + 1}.dev"]
  spec
end

def pack(folder, out)
  ENV["SOURCE_DATE_EPOCH"], = Open3.capture2("#{PROJECT}/tools/source-date.sh")
  series = Dir.children(folder).sort_by { |name| Gem::Version.new(name) }
  abort "gem: #{folder} has no library" if series.empty?
  spec = specification(folder, series)
  Dir.mktmpdir do |work|
    spec.files.each do |path|
      from = path.end_with?(".so") ? "#{folder}/#{path.split("/")[-2]}/larder.so" : "#{PROJECT}/#{path}"
      FileUtils.mkdir_p(File.dirname("#{work}/#{path}"))
      FileUtils.install(from, "#{work}/#{path}", mode: path.start_with?("ruby/exe/") ? 0o755 : 0o644)
    end
    FileUtils.mkdir_p(out)
    file = File.expand_path(spec.file_name, out)
    Dir.chdir(work) { Gem::DefaultUserInteraction.use_ui(Gem::SilentUI.new) { Gem::Package.build(spec, false, false, file) } }
    puts file
  end
end

case ARGV
in ["compile", folder] then compile(File.expand_path(folder))
in ["pack", folder, out] then pack(File.expand_path(folder), out)
else abort "usage: ruby tools/release/gem.rb compile FOLDER | pack FOLDER OUT"
end
