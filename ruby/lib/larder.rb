# frozen_string_literal: true

require "larder/version"
require "larder/entry"
require "larder/view"
require "larder/coordination"
require "larder/configuration"

# A cache for all workers: values in shared memory, which are read without a lock and without waiting. See {Larder::Cache}.
module Larder
  # Returns the text for a key that is not a String or Symbol. Equal keys get equal texts. Marshal alone does not ensure this, because its
  # text depends on the identity of objects and on the encoding of ASCII Strings.
  # @api private
  def self.dump_key(key)
    Marshal.dump(canonical_key(key))
  rescue SystemStackError
    raise ArgumentError, "a key must not contain itself, nor be nested thousands deep"
  end

  # The first bytes of all Marshal data.
  # @api private
  MARSHAL_HEAD = "\x04\b".b.freeze

  # @api private
  def self.load_key(text)
    key = Marshal.load(text)
    return key unless String === key

    key.force_encoding(Encoding::UTF_8).valid_encoding? ? key : key.force_encoding(Encoding::BINARY)
  end

  # Returns true if +text+ is the Marshal data of a String.
  # @api private
  def self.string_key?(text)
    text.getbyte(2) == '"'.ord
  end

  # @return [String] a folder for the load path of programs that say +require "pogocache-ruby"+
  def self.pogocache_path
    File.expand_path("../pogocache", __dir__)
  end

  def self.canonical_key(key)
    case key
    when String then String.new(key).force_encoding(Encoding::BINARY)
    when Array then key.instance_of?(Array) ? key.map { |part| String === part ? own_string(part) : canonical_key(part) } : key
    # Make a new object for each number. For a number that occurs twice, Marshal would write a link, and equal keys would get different
    # bytes. Adding 0.0 turns -0.0 into 0.0.
    when Float then key + 0.0
    when Integer, Rational then -(-key)
    when Complex then Complex.rect(canonical_key(key.real), canonical_key(key.imaginary))
    else key
    end
  end

  def self.own_string(string)
    own = String.new(string)
    own.empty? || own.ascii_only? ? own.force_encoding(Encoding::UTF_8) : own
  end

  # Returns a text as one line of a log. Escapes control characters, which a terminal could execute.
  def self.printable(text) # :nodoc:
    text = text.dup.force_encoding(Encoding::UTF_8)
    text = text.b unless text.valid_encoding?
    unseen = text.encoding == Encoding::UTF_8 ? /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/ : /[\x00-\x1f\x7f-\xff]/n
    text.gsub(unseen) { |part| part.bytes.map { |byte| format("\\x%02x", byte) }.join }
  end

  # Returns a count with its noun: "1 entry", "2 entries".
  def self.counted(number, one, many = "#{one}s") # :nodoc:
    "#{number} #{number == 1 ? one : many}"
  end
  private_class_method :canonical_key, :own_string
end

begin
  raise LoadError, "LARDER_FALLBACK is set" if ENV.key?("LARDER_FALLBACK")

  precompiled = "larder/#{RUBY_VERSION[/\A\d+\.\d+/]}/larder" # the path exists if the gem was compiled before its installation
  require File.exist?("#{__dir__}/#{precompiled}.so") ? precompiled : "larder/larder"
  require "larder/named"
rescue LoadError => e
  warn Larder.printable("larder: no shared memory here (#{e.message}): each process has a cache of its own")
  require "larder/fallback"
end
require "larder/cache"
require "larder/batch"
