# frozen_string_literal: true

require "larder/hosts/local"
require "active_support"
require "active_support/core_ext/object/blank"
require "active_support/cache"

module Larder
  # Combines a store of Active Support, which several hosts share, with the shared memory of this host. When one process of the host has
  # read a value from the server, all its processes can read it from memory.
  #
  #   redis = ActiveSupport::Cache::RedisCacheStore.new(url: ENV["REDIS_URL"], namespace: "app")
  #   config.cache_store = Larder::Tier.new(redis, name: "app", size: 256.megabytes)
  #
  # +larder-sync+ must run on each host: <tt>larder-sync --name=app --server=redis://10.0.0.1:6379 --prefix=app:</tt>. When any client
  # writes a key, larder-sync removes the copy of the key. It vouches for all other copies for one bound at a time (a second by default). If
  # larder-sync or its connection is gone, reads use no copies and go to the server.
  #
  # Names, options, versions, times to live and the coder are those of the shared store. A write goes to the server and removes the copy on
  # this host, so a process reads its own writes. If the server fails, each method returns the result of the shared store's own method.
  class Tier < ActiveSupport::Cache::Store
    CACHE_OPTIONS = %i[name path size].freeze
    PERMANENT = -1 # the answer to PTTL for a key without a time to live
    LOOK_SECONDS = 1.0 # seconds between two checks for a new file of larder-sync
    LOOKED = "\0tier looked"
    private_constant :CACHE_OPTIONS, :PERMANENT, :LOOK_SECONDS, :LOOKED

    # @return [ActiveSupport::Cache::Store] the store that all hosts share
    attr_reader :server
    # @return [Larder::Cache] the cache that contains the copies of this host
    attr_reader :cache
    # @return [String] the prefix of the keys that have copies: larder-sync's --prefix
    attr_reader :prefix

    def self.supports_cache_versioning?
      true
    end

    # Only keys that begin with the prefix have copies. If the server is no RedisCacheStore, no key has a copy, because larder-sync could
    # not learn of changes on the server.
    #
    # @param server [ActiveSupport::Cache::Store] RedisCacheStore with one server
    # @param prefix [String, nil] larder-sync's --prefix, or nil for the namespace of the store with its colon
    # @param cache [Larder::Cache, nil] the cache for the copies; or give the options +name+, +path+ and +size+ of a cache
    # @raise [ArgumentError, TypeError] the message names the argument
    def initialize(server, prefix: nil, cache: nil, **options)
      unless server.is_a?(ActiveSupport::Cache::Store)
        raise TypeError, "server must be an ActiveSupport::Cache::Store, not #{server.class}"
      end

      unknown = options.keys - CACHE_OPTIONS
      raise ArgumentError, "unknown option: #{unknown.join(", ")}" unless unknown.empty?
      raise TypeError, "cache must be a Larder::Cache, not #{cache.class}" unless cache.nil? || cache.is_a?(Cache)
      raise ArgumentError, "cache or #{options.keys.join(", ")}, not both" if cache && !options.empty?
      raise ArgumentError, "name, path or cache is missing: larder-sync must find the copies" unless cache || options[:name] || options[:path]

      @keeps = server.respond_to?(:redis)
      if @keeps && server.redis.with { |client| client.respond_to?(:nodes) }
        raise ArgumentError, "server must have one address, not several: a larder-sync hears only of the writes of one"
      end

      super(server.options.dup)
      @server = server
      @prefix = prefix_of(prefix).b.freeze
      @own = options unless cache
      @opening = Mutex.new
      @look_at = 0.0
      use(cache || Cache.new(**options))
    end

    # @return [Boolean] true if larder-sync promises that the copies are not out of date, so that reads may use them
    def local?
      !generation.nil?
    end

    def increment(name, amount = 1, given = nil, **options)
      options = given.merge(options) if given
      changing(name, options) { @server.increment(name, amount, **options) }
    end

    def decrement(name, amount = 1, given = nil, **options)
      options = given.merge(options) if given
      changing(name, options) { @server.decrement(name, amount, **options) }
    end

    def delete_matched(matcher, options = nil)
      changing_all { @server.delete_matched(matcher, **(options || {})) }
    end

    def clear(options = nil)
      changing_all { @server.clear(**(options || {})) }
    end

    def cleanup(options = nil)
      @server.cleanup(**(options || {}))
    end

    def inspect
      "#<#{self.class.name} #{@server.inspect} cache=#{@cache.inspect}>"
    end

    private

    def prefix_of(prefix)
      return prefix if prefix.is_a?(String)
      raise TypeError, "prefix must be a String, not #{prefix.class}" unless prefix.nil?

      namespace = @server.options[:namespace]
      raise ArgumentError, "prefix is missing: the namespace is computed" if namespace.respond_to?(:call)

      namespace ? "#{namespace}:" : ""
    end

    # ---- methods that Store calls

    def normalize_key(key, options = nil)
      @server.send(:normalize_key, key, options)
    end

    def read_entry(key, raw: false, **options)
      generation = kept?(key) ? generation() : nil
      return @server.send(:read_entry, key, raw: raw, **options) unless generation

      entry_of(copy(generation, key), raw) || read_through(generation, key, raw, options)
    end

    def read_multi_entries(names, **options)
      keys = names.to_h { |name| [name, normalize_key(name, options)] }
      generation = keys.each_value.any? { |key| kept?(key) } ? generation() : nil
      return @server.send(:read_multi_entries, names, **options) unless generation

      entries = keys.transform_values { |key| kept?(key) ? entry_of(copy(generation, key), options[:raw]) : nil }
      missing, others = keys.reject { |name, _| entries[name] }.partition { |_, key| kept?(key) }
      read = read_all_through(generation, missing.to_h, options)
      read ? entries.update(read) : others.concat(missing)
      found = others.empty? ? {} : @server.send(:read_multi_entries, others.map(&:first), **options)
      entries.each do |name, entry|
        next if entry.nil? || entry.expired? || entry.mismatched?(normalize_version(name, options))

        found[name] = entry.value
      end
      found.slice(*names)
    end

    def write_entry(key, entry, **options)
      @server.send(:write_entry, key, entry, **options)
    ensure # remove the copy even after a failure, because the server may have made the change
      forget([key])
    end

    def write_multi_entries(entries, **options)
      @server.send(:write_multi_entries, entries, **options)
    ensure
      forget(entries.keys)
    end

    def delete_entry(key, **options)
      @server.send(:delete_entry, key, **options)
    ensure
      forget([key])
    end

    def delete_multi_entries(keys, **options)
      @server.send(:delete_multi_entries, keys, **options)
    ensure
      forget(keys)
    end

    # ---- copies: Arrays [raw, value, expiry, version] ----

    def kept?(key)
      @keeps && key.b.start_with?(@prefix)
    end

    def use(cache)
      @local = Hosts::Local.new(cache, @prefix)
      @cache = cache
    end

    def generation
      @local.generation || (@own && look_again)
    rescue Larder::Error, SystemCallError => e
      tell(e)
      nil
    end

    # Opens the new file of the copies if the old file was removed. A process notices the removal only when it writes, so this method writes
    # an entry, at most once in LOOK_SECONDS.
    def look_again
      now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      return nil if now < @look_at

      @opening.synchronize do
        return nil if now < @look_at

        @look_at = now + LOOK_SECONDS
        @cache.set(LOOKED, true, ttl: LOOK_SECONDS)
        nil
      rescue MovedError
        use(opened_again)
        @local.generation
      end
    end

    def opened_again
      Cache.new(**@own)
    rescue MismatchError # larder-sync has created the file with another size, so accept any size
      raise unless @own[:size]

      Cache.new(**@own, size: nil)
    end

    def copy(generation, key)
      @local.get(generation, key)
    rescue Larder::Error, ArgumentError, NameError, TypeError => e # loading may fail, for example because the class of the value is gone
      tell(e)
      nil
    end

    # Makes the Entry that a copy describes. Returns nil if the copy has expired, or was stored with another value of the option +raw+.
    def entry_of(copy, raw)
      return nil unless copy && copy[0] == !!raw

      expires_at = copy[2]
      entry = ActiveSupport::Cache::Entry.new(copy[1], compress: false, version: copy[3],
                                              expires_in: expires_at && expires_at - Time.now.to_f)
      entry unless entry.expired?
    end

    # Reads an entry from the server, and may keep a copy. The processes of this host read a key one after another, so that later ones can use the
    # copy. A process that has waited for long reads the key anyway.
    def read_through(generation, key, raw, options)
      @local.in_turn(key) do |alone|
        found = alone && entry_of(copy(generation, key), raw) # look again, because another process may have stored the copy while we waited
        next found if found

        lease = alone ? @local.lease(generation, key) : nil
        entry = @server.send(:read_entry, key, raw: raw, **options)
        keep(lease, entry, raw, lives([key], [entry])[key]) if lease
        entry
      end
    rescue Larder::Error => e
      tell(e)
      @server.send(:read_entry, key, raw: raw, **options)
    end

    # Reads several keys from the server in one request. Keeps a copy of each entry for which it has got a lease.
    # @param keys [Hash] the keys by name
    # @return [Hash, nil] name => entry, or name => nil for a missing entry. Returns nil if the request failed, so that the caller must read
    #   the entries in another way
    def read_all_through(generation, keys, options)
      return {} if keys.empty?

      leases = {}
      keys.each_value { |key| leases[key] ||= @local.lease(generation, key) }
      texts = @server.redis.with { |client| client.mget(*keys.values) }
      entries = texts.map { |text| text && @server.send(:deserialize_entry, text, raw: options[:raw]) }
      lives = lives(keys.values, entries)
      keys.values.zip(entries) do |key, entry|
        lease = leases.delete(key)
        keep(lease, entry, options[:raw], lives[key]) if lease
      end
      keys.keys.zip(entries).to_h
    rescue StandardError => e # the Redis client has failed, so the caller uses the store's own method
      tell(e)
      give_up(leases)
      nil
    end

    def give_up(leases)
      leases.each_value { |lease| @local.give_up(lease) if lease }
    rescue Larder::Error => e # the lease ends by itself after LEASE_SECONDS
      tell(e)
    end

    # @param left [Float, nil] seconds until the entry ends, or nil if it has no end
    def keep(lease, entry, raw, left)
      kept = left != 0 && @local.fill(lease, [raw ? true : false, entry.value, entry.expires_at, entry.version], left)
      @local.give_up(lease) unless kept
    rescue StandardError => e # the value is too large, or Marshal cannot dump it
      tell(e)
      @local.give_up(lease)
    end

    # Returns a Hash with the seconds until the entry of each key ends. The number is nil if the entry has no end. It is 0 if the entry is
    # gone or its end is unknown, because then no copy may be kept.
    def lives(keys, entries)
      lives = keys.zip(entries).to_h { |key, entry| [key, entry && !entry.expired? ? life_of(entry) : 0] }
      unknown = lives.select { |_, life| life.nil? }.keys
      return lives if unknown.empty?

      answers = @server.redis.with { |client| client.pipelined { |all| unknown.each { |key| all.pttl(key) } } }
      lives.update(unknown.zip(answers).to_h { |key, left| [key, left == PERMANENT ? nil : [left, 0].max / 1000.0] })
    rescue StandardError => e # the Redis client has failed, so keep no copies
      tell(e)
      keys.to_h { |key| [key, 0] }
    end

    # Returns the seconds until the entry ends, or nil if only the server knows it.
    def life_of(entry)
      entry.expires_at && [entry.expires_at - Time.now.to_f, 0].max
    end

    def changing(name, options)
      yield
    ensure
      forget([normalize_key(name, merged_options(options))])
    end

    def changing_all
      yield
    ensure
      begin
        @local.forget_all
      rescue Larder::Error => e
        tell(e)
      end
    end

    def forget(keys)
      keys.each { |key| @local.forget(key) }
    rescue Larder::Error => e # larder-sync removes the copies when it hears of the write
      tell(e)
    end

    def tell(error)
      logger&.error(Larder.printable("Larder::Tier: #{error.class}: #{error.message}"))
    end
  end
end
