# frozen_string_literal: true

require "larder"

# The pogocache gem's names on Larder, so that its users can move: Pogocache::Cache, with the methods and results of its
# README and tests, in memory that processes share.
#
# Differences: entries are evicted when the cache is full; +fetch+ takes false for a value; times to live are nanoseconds,
# as there, but of a millisecond's accuracy; a block of +each+ may raise.
module Pogocache
  # @return [String] Larder's
  VERSION = Larder::VERSION

  # @!attribute default_opts [Hash] options of caches that are opened from now on
  Configuration = Struct.new(:default_opts)

  class << self
    # @yieldparam configuration [Configuration]
    def configure
      yield configuration
    end

    # @return [Configuration]
    def configuration
      @configuration ||= Configuration.new({})
    end
  end

  # See {Larder::Cache} for what is below.
  class Cache
    # What has no meaning here: usecas, as every entry has a version; nosixpack, nshards, loadfactor, ....
    IGNORED = %i[usecas nosixpack noevict allowshrink usethreadbatch loadfactor seed].freeze
    NANOSECONDS = 1_000_000_000
    private_constant :IGNORED, :NANOSECONDS

    # @return [Larder::Cache]
    attr_reader :cache
    # @return [Integer] as it was asked for
    attr_reader :nshards

    # @param options [Hash] those of Larder::Cache: name, path, size, ...; those of the gem are accepted
    def initialize(options = {})
      options = Pogocache.configuration.default_opts.merge(options)
      @nshards = options.fetch(:nshards, 0)
      own = %i[name path size namespace pinned flags]
      unknown = options.keys - own - IGNORED - %i[nshards max_size]
      raise ArgumentError, "unknown options: #{unknown.join(", ")}" unless unknown.empty?

      size = options[:max_size]&.positive? ? { size: options[:max_size] } : {}
      @cache = Larder::Cache.new(**size, **options.slice(*own))
    end

    # @param options [Hash] ttl (nanoseconds), expires (nanoseconds since 1970), flags, cas, nx, xx, keepttl
    # @return [Boolean]
    def set(key, value, options = nil)
      return @cache.set(marked(key), value) if options.nil? || options.empty?

      options = options.compact
      %i[ttl expires].each do |name|
        time = options[name]
        next if time.nil? || (time.is_a?(Numeric) && time.real? && !time.to_f.nan?)

        raise TypeError, "#{name} must be a number of nanoseconds, not #{time.is_a?(Numeric) ? time : time.class}"
      end
      options[:ttl] = [options[:ttl].fdiv(NANOSECONDS), 0.001].max if options[:ttl]
      options[:expires] = Time.at(0, options[:expires].clamp(0, 2**62), :nsec) if options[:expires]
      @cache.set(marked(key), value, **options)
    end

    # @return [Object, nil]
    def get(key)
      @cache.get(marked(key))
    end

    # @return [Hash, nil] key, value, expires (nanoseconds since 1970; 0: never), flags, cas, shard, time
    def entry(key)
      found = @cache.entry(marked(key)) or return nil
      now = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
      { shard: 0, time: now, key: key, value: found.value, expires: found.ttl ? now + (found.ttl * NANOSECONDS).to_i : 0,
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

    # The value; else what the block returns, which is not stored.
    def fetch(key)
      found = @cache.get(marked(key), IGNORED)
      return found unless IGNORED.equal?(found)

      yield if block_given?
    end

    # @return [Integer] the new value; atomic, keeps the time to live
    def increment(key, by = 1)
      @cache.increment(marked(key), by)
    end

    # @return [Integer]
    def decrement(key, by = 1)
      @cache.decrement(marked(key), by)
    end

    # @return [Array] the block's results; without a block the pairs of keys and values
    def each(_options = {})
      @cache.map do |key, value|
        key = unmarked(key)
        block_given? ? yield(key, value) : [key, value]
      end
    end
    include Enumerable

    # Run operations together. The block's results, in order.
    def batch
      @cache.batch { |batch| yield Batch.new(batch, method(:marked)) }
    end

    # @return [Integer] entries, or what Enumerable#count says
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

    # @return [Hash] swept and kept: entries
    def sweep
      before = @cache.size
      @cache.sweep
      kept = @cache.size
      { swept: [before - kept, 0].max, kept: kept }
    end

    # See Larder::Cache#close.
    def close
      @cache.close
    end

    private

    # There a Symbol is another key than the String of its name. An Array is marked, too, so as not to be taken for a Symbol.
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
