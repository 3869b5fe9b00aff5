# frozen_string_literal: true

require "larder/version"
require "larder/entry"
require "larder/view"
require "larder/configuration"

# One cache for all workers: values in shared memory, read without a lock and without waiting.
# See {Larder::Cache}.
module Larder
  # The text that stands for a key that is no String or Symbol. Equal keys have equal texts: Marshal would say whether
  # two Strings in an Array are one object.
  # @api private
  def self.dump_key(key)
    Marshal.dump(canonical_key(key))
  end

  # @api private
  def self.load_key(text)
    key = Marshal.load(text)
    return key unless key.is_a?(String)

    key.force_encoding(Encoding::UTF_8).valid_encoding? ? key : key.force_encoding(Encoding::BINARY)
  end

  # @return [String] a folder for the load path of programs that say +require "pogocache-ruby"+
  def self.pogocache_path
    File.expand_path("../pogocache", __dir__)
  end

  def self.canonical_key(key)
    case key
    when String then String.new(key).force_encoding(Encoding::BINARY)
    when Array then key.instance_of?(Array) ? key.map { |part| part.is_a?(String) ? part.dup : canonical_key(part) } : key
    else key
    end
  end
  private_class_method :canonical_key
end

begin
  raise LoadError, "LARDER_FALLBACK is set" if ENV.key?("LARDER_FALLBACK")

  require "larder/larder"
  require "larder/named"
rescue LoadError => e
  warn "larder: no shared memory here (#{e.message}): each process has a cache of its own"
  require "larder/fallback"
end
require "larder/cache"
require "larder/batch"
