# frozen_string_literal: true

require "larder"

# Offers the API of the gem pogocache (up to 0.2.1), but stores the entries in Larder's shared memory.
#
# Differences from the gem:
# - Entries are evicted when the cache is full.
# - In +fetch+, false counts as a value.
# - Times to live are in nanoseconds, but are rounded to a millisecond.
# - A block of +each+ may raise.
# - +set+ and +delete+ return true or false where the gem returns a number.
# - +synchronize+ calls its block.
module Pogocache
  # @return [String] the version of Larder, not of the gem pogocache
  VERSION = Larder::VERSION

  NANOSECOND = 1
  MICROSECOND = 1_000
  MILLISECOND = 1_000_000
  SECOND = 1_000_000_000
  MINUTE = 60 * SECOND
  HOUR = 60 * MINUTE

  # @!attribute default_opts [Hash] the options of caches that are opened from now on
  Configuration = Struct.new(:default_opts)

  class << self
    # @yieldparam configuration [Configuration]
    def configure
      yield configuration
    end

    # @return [Integer] nanoseconds since 1970
    def now
      Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
    end

    # @return [Configuration]
    def configuration
      @configuration ||= Configuration.new({})
    end
  end

  # See {Larder::Cache} for the methods below.
  class Cache
    MISSING = Object.new.freeze
    SET_OPTIONS = %i[ttl expires flags cas nx xx keepttl].freeze
    private_constant :MISSING, :SET_OPTIONS

    # @return [Integer] seconds since 1970
    def self.now
      Pogocache.now / SECOND
    end

    # @return [Larder::Cache]
    attr_reader :cache
    # @return [Integer] the number of shards that was given to the constructor; it has no effect
    attr_reader :nshards

    # @param options [Hash] the options name, path, size, namespace, pinned and flags of Larder::Cache, and the options max_size and
    #   nshards of the gem pogocache. Like the gem, this method ignores other options.
    def initialize(options = {})
      options = Pogocache.configuration.default_opts.merge(options)
      @nshards = options.fetch(:nshards, 0)
      own = %i[name path size namespace pinned flags]
      size = options[:max_size]&.positive? ? { size: options[:max_size] } : {}
      @cache = Larder::Cache.new(**size, **options.slice(*own))
    end

    # @param options [Hash] ttl (nanoseconds), expires (nanoseconds since 1970), flags, cas, nx, xx, keepttl; others are ignored
    # @return [Boolean]
    def set(key, value, options = nil)
      return @cache.set(marked(key), value) if options.nil? || options.empty?

      options = options.slice(*SET_OPTIONS).compact
      %i[ttl expires].each do |name|
        time = options[name]
        next if time.nil? || (time.is_a?(Numeric) && time.real? && !time.to_f.nan?)

        raise TypeError, "#{name} must be a number of nanoseconds, not #{time.is_a?(Numeric) ? time : time.class}"
      end
      options[:ttl] = [options[:ttl].fdiv(SECOND), 0.001].max if options[:ttl]
      options[:expires] = Time.at(0, options[:expires].clamp(0, 2**62), :nsec) if options[:expires]
      @cache.set(marked(key), value, **options)
    end

    # @return [Object, nil]
    def get(key)
      @cache.get(marked(key))
    end

    # @return [Hash, nil] key, value, expires (nanoseconds since 1970, or 0 for never), flags, cas, shard, time
    def entry(key)
      found = @cache.entry(marked(key)) or return nil
      now = Pogocache.now
      { shard: 0, time: now, key: key, value: found.value, expires: found.ttl ? now + (found.ttl * SECOND).to_i : 0,
        flags: found.flags, cas: found.version }
    end

    # @return [Boolean]
    def delete(key)
      @cache.delete(marked(key))
    end

    # @see #get
    def [](key)
      get(key)
    end

    # @see #set
    def []=(key, value)
      set(key, value)
    end

    # Returns the value, or the block's result, which is not stored.
    def fetch(key)
      found = @cache.get(marked(key), MISSING)
      return found unless MISSING.equal?(found)

      yield if block_given?
    end

    # Adds to an Integer in one step, and keeps the time to live. Converts another value by to_i first. A nil counts as missing.
    # @return [Integer] the new value; +by+ if there was no entry
    def increment(key, by = 1)
      add(key, by, 0)
    end

    # @return [Integer] the new value; 1 if there was no entry, as in the gem
    def decrement(key, by = 1)
      raise TypeError, "by must be an Integer, not #{by.class}" unless by.is_a?(Integer)

      add(key, -by, by + 1)
    end

    # @return [Array] of all keys
    def keys
      @cache.each_key.map { |key| unmarked(key) }
    end

    # @return [Array] the block's results; without a block the pairs of keys and values
    def each(_options = {})
      @cache.map do |key, value|
        key = unmarked(key)
        block_given? ? yield(key, value) : [key, value]
      end
    end
    include Enumerable

    # Runs operations together, and returns their results in order.
    def batch
      @cache.batch { |batch| yield Batch.new(batch, method(:marked)) }
    end

    # @return [Integer] the number of entries, or the result of Enumerable#count
    def count(*arguments, &block)
      arguments.empty? && block.nil? ? @cache.size : super
    end

    # @return [Integer] entries
    def size
      @cache.size
    end

    # @return [Integer] bytes
    def bytesize
      @cache.bytesize
    end

    # Remove all entries.
    def clear
      @cache.clear
    end

    # @return [Hash] the numbers of entries that were swept and kept
    def sweep
      before = @cache.size
      @cache.sweep
      kept = @cache.size
      { swept: [before - kept, 0].max, kept: kept }
    end

    # @see #sweep
    def cleanup(_options = {})
      sweep
    end

    # Does nothing, as in the gem, because the cache evicts by itself.
    # @return [nil]
    def prune(*) = nil

    # @return [false]
    def pruning? = false

    # Deletes each entry whose key matches. Keys are converted by to_s first.
    # @param matcher [Regexp, String] as for String#match
    # @return [Integer] the number of deleted entries
    def delete_matched(matcher, _options = {})
      pattern = matcher.is_a?(Regexp) ? matcher : Regexp.new(matcher)
      @cache.each_key.count { |key| @cache.send(:matches?, unmarked(key).to_s, pattern) && @cache.delete(key) }
    end

    # Calls the block. No lock is needed, because each method is atomic.
    # @return [Object, nil] the block's result
    def synchronize
      yield if block_given?
    end

    # @return [Integer] entries that were ever added, also by other processes
    def total
      @cache.stats[:inserts]
    end

    # See Larder::Cache#close.
    def close
      @cache.close
    end

    private

    def add(key, by, initial)
      key = marked(key)
      begin
        @cache.increment(key, by, initial: initial)
      rescue TypeError
        raise unless by.is_a?(Integer) && (found = @cache.entry(key))
        retry if found.version.zero? # the entry has become an Integer, so try again

        number = found.value.nil? ? initial + by : found.value.to_i + by
        @cache.set(key, number, cas: found.version, keepttl: true) ? number : retry
      end
    end

    # Returns the key for Larder in place of +key+. The gem distinguishes :a from "a", Larder does not: :a becomes [:a], and the Array [:a]
    # becomes [[:a]].
    def marked(key)
      key.is_a?(Symbol) || key.instance_of?(Array) ? [key] : key
    end

    def unmarked(key)
      key.instance_of?(Array) && key.size == 1 && (key.first.is_a?(Symbol) || key.first.instance_of?(Array)) ? key.first : key
    end
  end

  # Operations that {Cache#batch} runs together.
  class Batch
    # @api private
    def initialize(batch, marked)
      @batch = batch
      @marked = marked
    end

    def get(key)
      @batch.get(@marked.call(key))
    end
    alias [] get

    def set(key, value)
      @batch.set(@marked.call(key), value)
    end
    alias []= set

    def delete(key)
      @batch.delete(@marked.call(key))
    end
  end
end
