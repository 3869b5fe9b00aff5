# frozen_string_literal: true

require "larder"
require "active_support"
require "active_support/core_ext/object/blank" # Active Support 7.2 uses this file, but does not load it itself
require "active_support/cache"
require "active_support/digest"
require "active_support/notifications"
require "active_support/version"

module ActiveSupport
  module Cache
    # A cache in shared memory that all workers of a server share.
    #
    #   config.cache_store = :larder_store, { size: 256.megabytes }        # Puma with preload_app!
    #   config.cache_store = :larder_store, { name: "app", size: 256.megabytes }  # every process of the user
    #
    # Options are those of ActiveSupport::Cache::Store (namespace, compress, expires_in, race_condition_ttl, coder, ...) and of
    # Larder::Cache: +name+, +path+, +size+, +pinned+, +form+. Or give +cache+, a Larder::Cache that is open already.
    #
    # Integers are stored as counters, with or without the option +raw+, so {#increment} is atomic and keeps the time to live. A missing
    # counter begins with the amount. An entry that cannot be read, because its class is gone or another release has written it, counts as
    # missing. If the cache is full, +write+ logs an error, reports it to Rails.error and returns false.
    #
    # +compress+ chooses the form of values: true is +form: :packed+ (compressed by LZ4), false is +form: :ready+. Without +compress+,
    # values have the form of the cache. A String shorter than +compress_threshold+ (1 KB) has the form +:ready+. If you give a +coder+,
    # +serializer+ or +compressor+, then +compress+ switches on Active Support's own compression, which is off by default.
    #
    # For Active Support 6.1 to 8.1.
    class LarderStore < Store
      KEY_MAX = 32_768 # the longest key in bytes; the end of a longer key is replaced by a digest
      RACE_SECONDS = 300 # time (s) for which an expired entry is kept for race_condition_ttl
      LARDER_OPTIONS = %i[name path size pinned].freeze
      CODER_OPTIONS = %i[coder serializer compressor].freeze
      PACK_FROM = 1024 # the default of compress_threshold, in bytes
      SERIALIZES_WITH_OPTIONS = instance_method(:serialize_entry).arity != 1 # true from Active Support 7.0 on
      # True before Active Support 7.0. The coder of these versions does not make entries compact.
      COMPACT = ActiveSupport::VERSION::MAJOR < 7
      NOT_MARSHALLED = [String, Integer, Float, TrueClass, FalseClass, NilClass].freeze
      REPORTS = ActiveSupport.respond_to?(:error_reporter) # true from Active Support 7.0 on
      # True from Active Support 7.2 on. Events of these versions contain the key with its namespace, not the caller's name.
      NAMES_KEYS = ActiveSupport.gem_version >= Gem::Version.new("7.2")
      # From Active Support 7.1 on, report() accepts the argument source.
      REPORT_SOURCE = ActiveSupport.gem_version < Gem::Version.new("7.1") ? {} : { source: "larder_store.active_support" }
      private_constant :NOT_MARSHALLED
      private_constant :KEY_MAX, :RACE_SECONDS, :LARDER_OPTIONS, :CODER_OPTIONS, :PACK_FROM, :SERIALIZES_WITH_OPTIONS, :COMPACT, :REPORTS,
                       :NAMES_KEYS, :REPORT_SOURCE

      prepend Strategy::LocalCache

      # With a local cache, Active Support 6.1 looks up several names instead of their keys, and returns expired values. So this method
      # reads past the local cache.
      prepend(Module.new do
        private

        def read_multi_entries(names, **options)
          Store.instance_method(:read_multi_entries).bind_call(self, names, **options)
        end

        # Handles the option +delete+ of #read: takes the entry from the store, and also deletes it from the local cache.
        def read_entry(key, delete: false, **options)
          if delete
            local_cache&.delete_entry(key)
            return take_entry(key, **options)
          end
          return super(key, **options) unless COMPACT && local_cache

          # Active Support 6.1 copies values of the local cache by Marshal, except those of the classes in NOT_MARSHALLED. A copy takes
          # longer than reading the store. So the local cache keeps only misses, and values that are not copied.
          hit = true
          entry = local_cache.fetch_entry(key) do
            hit = false
            found = bypass_local_cache { super(key, **options) }
            return found if marshalled?(found)

            found
          end
          options[:event][:store] = local_cache.class.name if hit && options[:event]
          entry
        end

        def marshalled?(entry)
          !entry.nil? && !entry.send(:compressed?) && !NOT_MARSHALLED.include?(entry.value.class)
        end
      end)

      # @return [Larder::Cache]
      attr_reader :cache

      def self.supports_cache_versioning?
        true
      end

      def initialize(options = nil)
        options = options ? options.dup : {}
        own = options.slice(*LARDER_OPTIONS)
        @own = own unless options.key?(:cache)
        @cache = options.delete(:cache) || open_cache(own)
        @opening = Mutex.new
        @opened = now_seconds
        raise TypeError, "cache must be a Larder::Cache, not #{@cache.class}" unless @cache.is_a?(Larder::Cache)

        raise ArgumentError, "expires_in: entries of a pinned cache have no time to live" if @cache.pinned? && options[:expires_in]

        @counters = !options.key?(:coder) && !options.key?(:serializer)
        @forms = CODER_OPTIONS.none? { |option| options.key?(option) }
        options = { form: @cache.form }.merge(@forms ? with_form(options) : options)
        unless %i[auto ready packed].include?(options[:form])
          raise ArgumentError, "form must be :auto, :ready or :packed, not #{options[:form].inspect}"
        end

        options[:compress] = false unless options.key?(:compress)
        super(options.except(*LARDER_OPTIONS))
      end

      # Removes all entries, or only those of the store's namespace.
      def clear(options = nil)
        namespace = merged_options(options)[:namespace]
        namespace = namespace.call if namespace.respond_to?(:call)
        in_the_present_file { namespace ? @cache.delete_matched("#{namespace}:") : @cache.clear }
        true
      end

      # Remove expired entries.
      def cleanup(_options = nil)
        instrument(:cleanup, nil, size: @cache.size) { in_the_present_file { @cache.sweep } }
      end

      # Deletes entries until the rest takes at most target_size bytes. The cache also evicts by itself.
      # @param target_size [Numeric] may be a Float, as in <tt>store.prune(0.75 * 64.megabytes)</tt>
      def prune(target_size, _max_time = nil)
        bytes = Integer(target_size).clamp(0, 2**62)
        instrument(:prune, target_size, from: @cache.bytesize) do
          in_the_present_file { @cache.prune(bytes) }
        end
      end

      # @!method read(name, options = nil)
      #   Reads an entry as ActiveSupport::Cache::Store#read does. With the option +delete+, it also deletes the entry, in the same step.
      #   This works with every release of Active Support.

      # Deletes the entries whose names match. A String is a glob for the whole name, as in RedisCacheStore, with +*+, +?+, +[a-z]+, +[^a]+
      # and a backslash.
      # @param matcher [Regexp, String]
      # @return [Integer] how many were deleted
      def delete_matched(matcher, options = nil)
        options = merged_options(options)
        matcher_of_keys, named =
          case matcher
          when Regexp then [key_matcher(matcher, options)] * 2
          when String then [glob_matcher(matcher, options), namespace_key(matcher, options)]
          else raise ArgumentError, "matcher must be a Regexp or a String, not #{matcher.class}"
          end
        named = matcher unless NAMES_KEYS
        instrument(:delete_matched, named.is_a?(Regexp) ? named.inspect : named) do
          in_the_present_file { @cache.delete_matched(matcher_of_keys) }
        end
      end

      # Adds the amount atomically. A missing entry is created with the amount and expires_in.
      # @return [Integer] the new value
      def increment(name, amount = 1, options = nil)
        change_counter(:increment, name, Integer(amount), options)
      end

      # @see #increment
      def decrement(name, amount = 1, options = nil)
        change_counter(:decrement, name, -Integer(amount), options)
      end

      # @return [Hash] see Larder::Cache#stats
      def stats
        @cache.stats
      end

      def inspect
        "#<#{self.class.name} options=#{options.inspect} cache=#{@cache.inspect}>"
      end

      private

      def change_counter(operation, name, amount, options)
        options = merged_options(options)
        key = normalize_key(name, options)
        instrument(operation, NAMES_KEYS ? key : name, amount: operation == :increment ? amount : -amount) do
          next amount if expires_at_once?(options) && !@cache.key?(key)

          begin
            @cache.increment(key, amount, ttl: counter_ttl(options))
          rescue TypeError
            add_to_other(key, amount, options, normalize_version(name, options))
          end
        end
      rescue Larder::Error => e
        log_failure(e)
        nil
      end

      # Adds to an entry that is not a counter, for example the String "5" or an Integer with a version. The entry keeps its version. If the
      # program asks for another +version+, the entry counts as missing.
      def add_to_other(key, amount, options, version)
        loop do
          found = @cache.entry(key)
          return @cache.increment(key, amount, ttl: counter_ttl(options)) if found.nil? || found.version.zero?

          entry = loaded(found, options)
          # An unreadable entry counts as missing. An expired entry, which is kept only for race_condition_ttl, also counts as missing.
          live = entry && !entry.expired? && !entry.mismatched?(version)
          return write_expired(key, false) && amount if !live && expires_at_once?(options)

          number = ((live && entry.value) || 0).to_i + amount
          payload, life = changed(number, live ? entry : nil, found, options)
          return number if @cache.set(key, payload, ttl: life, cas: found.version)
        rescue ArgumentError, NameError, TypeError => e
          if @cache.unreadable(key) # an unreadable entry counts as missing
            log_failure(e)
            @cache.delete(key)
          elsif !e.is_a?(TypeError) # a TypeError means that another process has made the entry a counter, so try again
            raise
          end
        end
      end

      # Returns the object to store for the new number, and its time to live.
      def changed(number, entry, found, options)
        return [number, counter_ttl(options)] unless entry
        return [number, life_left(entry, found)] unless entry.version

        [serialize_entry(compact(number, entry.expires_at, entry.version), **options, raw: false), found.ttl]
      end

      # Returns an entry with its value loaded, or nil if loading fails. From Active Support 7.1 on, some coders load a value only at
      # entry.value.
      def loaded(found, options)
        entry = deserialize_entry(found.value, **options)
        entry&.value
        entry
      rescue StandardError => e
        log_failure(e)
        nil
      end

      # Returns the seconds until Active Support treats the value as expired. Larder may keep the entry longer (race_condition_ttl).
      def life_left(entry, found)
        entry.expires_at ? [entry.expires_at - Time.now.to_f, 0.001].max : found.ttl
      end

      GLOB = /\\(?<escaped>.)|\[(?<not>\^?)(?<set>(?:\\.|[^\]\\])*)\]|./m
      private_constant :GLOB

      def glob_matcher(glob, options)
        namespace = options[:namespace]
        namespace = namespace.call if namespace.respond_to?(:call)
        source = glob.gsub(GLOB) do |part|
          found = Regexp.last_match
          case part
          when "*" then ".*"
          when "?" then "."
          else found[:set] ? glob_set(found) : Regexp.escape(found[:escaped] || part)
          end
        end
        Regexp.new("\\A#{Regexp.escape("#{namespace}:") if namespace}#{source}\\z", Regexp::MULTILINE)
      rescue RegexpError
        raise ArgumentError, "matcher must be a glob, not #{glob.inspect}"
      end

      def glob_set(found)
        return found[:not].empty? ? "(?!)" : "." if found[:set].empty?

        "[#{found[:not]}#{found[:set].gsub(/\\(.)|[\[&^]/m) { |part| Regexp.escape(Regexp.last_match(1) || part) }}]"
      end

      # @return [Hash] the options, in which +form+ replaces +compress+
      def with_form(options)
        return options unless options.key?(:compress)

        { form: options[:compress] ? :packed : :ready }.merge(options.except(:compress))
      end

      # Replaces the option +compress+ of a call by +form+. Active Support may pass options that this method has returned before. These options have
      # a +form+, and super has added the default of +compress+ to them. So if there is a +form+, +compress+ is ignored.
      def merged_options(call_options)
        super(@forms && call_options ? with_form(call_options) : call_options)
      end

      # Returns the form in which a value is stored. A String shorter than the threshold is not packed.
      def form_of(payload, form, threshold)
        return form unless form == :packed

        text = Array === payload ? payload.first : payload
        String === text && text.bytesize < (threshold || PACK_FROM) ? :ready : form
      end

      # Returns true if a new counter would already be expired. {#increment} and {#decrement} then only return the number.
      def expires_at_once?(options)
        options[:expires_in] && options[:expires_in].to_f <= 0
      end

      # Returns the time to live of a new counter, at least a millisecond.
      def counter_ttl(options)
        options[:expires_in] && [options[:expires_in].to_f, 0.001].max
      end

      # ---- methods that Store calls

      def read_entry(key, **options)
        return deserialize_entry(@cache.get(key), raw: options[:raw]) if COMPACT

        deserialize_entry(read_serialized_entry(key, **options), **options)
      rescue StandardError => e # loading may fail, for example because the class of the value is gone
        log_failure(e)
        nil
      end

      def take_entry(key, raw: false, **)
        deserialize_entry(@cache.take(key), raw: raw)
      rescue StandardError => e
        log_failure(e)
        nil
      end

      def read_serialized_entry(key, **)
        @cache.get(key)
      end

      def write_entry(key, entry, **options)
        life = entry.expires_at && entry.expires_at - Time.now.to_f
        options[:race_condition_ttl] ||= true if written_back?(life, options)
        write_serialized_entry(key, serialize_entry(entry, **options), **options, larder_life: life)
      end

      # Returns true if fetch writes an expired entry back before it computes a new value (race_condition_ttl). The store must keep this
      # entry after its end, because the computing process may die, and the next fetch then needs the entry. Active Support 6.1 does not
      # mark such a write. But in such a write, expires_in is at least a second longer than the time until the entry expires.
      def written_back?(life, options)
        life && options[:expires_in] && options[:expires_in].to_f > life + 0.5
      end

      def write_serialized_entry(key, payload, unless_exist: false, race_condition_ttl: nil, larder_life: nil, raw: false, form: nil,
                                 compress_threshold: nil, **)
        life = larder_life
        life += RACE_SECONDS if life && race_condition_ttl && !raw && !(Integer === payload)
        return write_expired(key, unless_exist, raw: raw) if life && life <= 0

        form = form_of(payload, form, compress_threshold)
        @cache.set(key, payload, ttl: life, nx: unless_exist, form: form) || replace_expired(key, payload, life, form)
      rescue Larder::Error, Larder::TooLargeError => e
        log_failure(e)
        false
      end

      # Handles a write with unless_exist if the key has an entry. Replaces an unreadable or expired entry, because #read takes such an
      # entry for missing.
      def replace_expired(key, payload, life, form)
        found = @cache.entry(key)
        return false if found.nil? || found.version.zero?

        entry = loaded(found, {})
        return false if entry && !entry.expired?

        @cache.set(key, payload, ttl: life, cas: found.version, form: form)
      rescue Larder::Error
        raise
      # An unreadable entry has no version to compare, so delete the entry that the key has now.
      rescue StandardError => e
        log_failure(e)
        @cache.delete(key)
        @cache.set(key, payload, ttl: life, nx: true, form: form)
      end

      # Called instead of a write if the value is already expired. Deletes the old entry, so that no later read finds it.
      def write_expired(key, unless_exist, raw: false)
        return read_entry(key, raw: raw).nil? if unless_exist

        @cache.delete(key)
        true
      end

      def delete_entry(key, **)
        @cache.delete(key)
      rescue Larder::Error => e
        log_failure(e)
        false
      end

      # Returns the object to store for an entry: an Integer for a counter, an Array with a String for a raw value, and the coder's output
      # for any other value.
      # Active Support before version 7 would use a default coder for the other values. So with these versions, this method itself does the
      # coder's work. It returns [value, expiry, version], or only the value if it is a Hash without expiry and version.
      # Integer === is used here, because is_a?(Integer) is also true for a Duration.
      def serialize_entry(entry, raw: false, **options)
        value = entry.value
        if Integer === value && value.bit_length < 64 && entry.version.nil? && (raw || (@counters && !kept_for_race?(entry, options)))
          value
        elsif raw
          [value.to_s]
        elsif COMPACT && @counters && !entry.send(:compressed?)
          expires_at, version = entry.expires_at, entry.version
          value.instance_of?(Hash) && expires_at.nil? && version.nil? ? value : [value, expires_at, version]
        else
          SERIALIZES_WITH_OPTIONS ? super(entry, raw: raw, **options) : super(entry)
        end
      end

      # Returns true if the entry must stay in the store after its value expires. Such an entry cannot be a counter, because a counter does
      # not record when it ends.
      def kept_for_race?(entry, options)
        options[:race_condition_ttl] && entry.expires_at
      end

      def deserialize_entry(payload, raw: false, **)
        case payload
        when nil then nil
        when Hash then Entry.new(payload, compress: false)
        when Integer then Entry.new(raw ? payload.to_s : payload, compress: false)
        when Array then payload.size == 1 ? Entry.new(payload.first.dup, compress: false) : compact(*payload)
        else checked(super(payload))
        end
      rescue StandardError => e
        log_failure(e)
        nil
      end

      def compact(value, expires_at, version)
        Entry.new(value, compress: false, version: version, expires_in: expires_at && expires_at - Time.now.to_f)
      end

      # Loads the entry's value now, so that errors occur here. Active Support 6.1 would load a compressed value only when it is read.
      def checked(entry)
        return nil unless entry.is_a?(Entry)

        entry.value if ActiveSupport::VERSION::MAJOR < 7
        entry
      end

      def normalize_key(key, options = nil)
        name = super
        return name if name.nil? || name.bytesize <= KEY_MAX

        "#{name.byteslice(0, KEY_MAX)}:hash:#{ActiveSupport::Digest.hexdigest(name)}"
      end

      def log_failure(error)
        tell(error)
        open_again if @own && (error.is_a?(Larder::MovedError) || (@moved && error.is_a?(Larder::ClosedError)))
      end

      # Logs an error, and reports it to Rails.error, because this store has no logger in Rails.
      def tell(error)
        logger&.error(Larder.printable("LarderStore: #{error.class}: #{error.message}"))
        ActiveSupport.error_reporter&.report(error, handled: true, severity: :warning, **REPORT_SOURCE) if REPORTS
      end

      # Opens the cache. During a deployment, processes of the old release may have the file open with another size. In this case, opens the
      # file with that size.
      def open_cache(own)
        Larder::Cache.new(**own)
      rescue Larder::MismatchError => e
        raise unless own[:size]

        Larder::Cache.new(**own, size: nil).tap { warn Larder.printable("LarderStore: #{e.message}") }
      end

      # Opens the cache again after its file was removed. Only the first of several threads opens it. After a failure, the next call tries
      # again.
      def open_again
        @opening.synchronize do
          return if now_seconds - @opened < 0.5

          @moved = true
          @cache.close
          @opened = now_seconds
          @cache = open_cache(@own)
          @moved = false
        end
      rescue Larder::Error, SystemCallError => e
        tell(e)
      end

      # Runs the block. If the file of the cache was removed, opens the new file and runs the block once more.
      def in_the_present_file
        yield
      rescue Larder::MovedError, Larder::ClosedError => e
        log_failure(e)
        yield
      end

      def now_seconds
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
