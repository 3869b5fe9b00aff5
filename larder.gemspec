# frozen_string_literal: true

require_relative "ruby/lib/larder/version"

Gem::Specification.new do |spec|
  spec.name = "larder"
  spec.version = Larder::VERSION
  spec.authors = ["The Larder authors"]
  spec.summary = "One shared-memory cache for all workers"
  spec.description = "A cache that the processes of a server share: reads take no lock and wait for nobody, counters are " \
                     "atomic, it evicts what is not used, and a worker may be killed at any time. With a store for Rails."
  spec.license = "MIT"
  spec.required_ruby_version = ">= 3.1"

  spec.files = Dir.chdir(__dir__) do
    Dir["core/core.c", "core/include/*.h", "core/src/**/*.[ch]", "core/vendor/**/*", "ruby/ext/**/*.{c,h,rb}",
        "ruby/lib/**/*.rb", "ruby/exe/*", "ruby/pogocache/*.rb", "ruby/sig/**/*.rbs", "docs/{ruby,ruby-api,rails}.md",
        "LICENSE", "CHANGELOG.md"].select { |path| File.file?(path) }
  end
  spec.bindir = "ruby/exe"
  spec.executables = %w[larder-cache larder-sync]
  spec.extensions = ["ruby/ext/larder/extconf.rb"]
  spec.require_paths = ["ruby/lib"]
  spec.extra_rdoc_files = ["docs/ruby.md", "docs/ruby-api.md", "docs/rails.md"]
  spec.metadata = { "rubygems_mfa_required" => "true" }
end
