# frozen_string_literal: true

module Larder
  # A cache in shared memory.
  #
  # A cache without a name is shared with processes that are forked after it was opened, such as Puma's workers with +preload_app!+. A cache
  # with a name is shared with every process of the user. Any process may be killed at any time; the entries that it has written stay.
  #
  # A key is a String or a Symbol, or any object that Marshal can dump. +:a+ and +"a"+ are the same key, and encodings do not matter. A
  # value is any object that Marshal can dump. Each read returns a new object. Integers of 64 bits are counters.
  #
  # Every method may be called from any thread. For other Ractors, call +Ractor.make_shareable(cache)+.
  #
  # @example
  #   cache = Larder::Cache.new(size: 64 * 2**20)
  #   cache.fetch("routes", ttl: 3600) { build_routes }   # computed by one process
  #   cache.increment("visits")                           # atomic
  class Cache
    include Enumerable

    MISSING = Object.new.freeze
    private_constant :MISSING

    OPTIONS = %i[name path size namespace pinned ttl flags form abi].freeze
    private_constant :OPTIONS

    # @return [String, nil] the file of the cache, or nil if it has none
    attr_reader :path
    # @return [String, nil]
    attr_reader :namespace
    # @return [Float, nil] the default time to live in seconds
    attr_reader :ttl
    # @return [Integer] the default flags of entries
    attr_reader :flags
    # @return [Symbol] the default form of values
    attr_reader :form

    # Opens a cache. {Larder.configure} sets defaults for all options.
    #
    # A cache with a name can be opened by all processes of this user. Its file is +/dev/shm/larder-UID/NAME-volatile+, or
    # +/dev/shm/larder-UID/NAME-pinned+. PHP uses the same file if +larder.scope+ is NAME.
    #
    # With a namespace, {#each}, {#keys}, {#count} and {#clear} see only entries of this namespace. A key that is not a String is seen only
    # by caches with the same namespace.
    #
    # The option +form+ applies to values of at least 128 bytes. With +:ready+, they are stored as they are. With +:packed+, they are
    # compressed by LZ4, and each read unpacks them. With +:auto+, they are packed while entries are evicted, or while the cache is more
    # than seven eighths full (a pinned cache: half full).
    #
    # @param name [String, Symbol, nil] letters, digits, +.+, +_+ and +-+
    # @param path [String, nil] the file itself, instead of a name
    # @param size [Integer, nil] bytes for values, at least 1 MiB; nil means 64 MiB, or the size of the existing named cache
    # @param namespace [String, nil] put before each key, with a colon; 1 to 255 bytes without "\x04\b"
    # @param pinned [Boolean] nothing is evicted, nothing expires; {#set} raises {FullError} when there is no room
    # @param ttl [Numeric, nil] the default time to live in seconds, or nil to keep entries until they are evicted
    # @param flags [Integer] 0..2**32-1
    # @param form [Symbol] +:auto+, +:ready+ or +:packed+
    # @param abi [String, nil] names the programs that can read a new file; nil means Ruby. For PHP, see {file:docs/ruby.md}.
    # @raise [ArgumentError, TypeError] an invalid option
    # @raise [MismatchError] other processes have the file open, with another size or kind, or another build of Larder
    # @raise [Error] the cache cannot be opened: the message says why
    def initialize(**options)
      unknown = options.keys - OPTIONS
      raise ArgumentError, "unknown option#{"s" if unknown.size > 1}: #{unknown.join(", ")}" unless unknown.empty?

      options = Larder.defaults.merge(options)
      @path = path_of(options[:name], options[:path], options[:pinned])&.dup&.freeze
      @namespace = namespace_option(options[:namespace])
      @ttl = ttl_option(options[:ttl])
      @flags = integer_option(:flags, options[:flags] || 0, 0..2**32 - 1)
      @form = form_option(options[:form] || :auto)
      size = options[:size] && integer_option(:size, options[:size], 2**20..2**40)
      if @ttl && options[:pinned]
        raise ArgumentError, "ttl: entries of a pinned cache have no time to live"
      end
      open_store(@path, size, options[:pinned] ? true : false, @namespace,
                 @ttl ? ([@ttl, SECONDS_MAX].min * 1000).ceil : 0, @flags, @form, string_option(:abi, options[:abi]), false)
    end

    # Opens an existing cache, for a tool. Unlike {#initialize}, this never creates or replaces one.
    # @api private
    # @return [Cache, nil] nil if there is no such file
    # @raise [ArgumentError, Error] if the name is invalid, or if this version cannot read the cache
    def self.look(name: nil, path: nil, pinned: false)
      check_name(name) if name
      cache = allocate
      file = name ? Named.find(name, pinned) : cache.send(:path_option, path)
      cache.tap { cache.send(:look_at, file, pinned) } if file && File.exist?(file)
    end

    def self.check_name(name)
      raise TypeError, "name must be a String or a Symbol, not #{name.class}" unless name.is_a?(String) || name.is_a?(Symbol)
      return if name.to_s.b.match?(/\A[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}\z/)

      raise ArgumentError, "name must be 1 to 64 letters, digits, '.', '_' and '-', without a '.' in front, not #{name.inspect}"
    end
    private_class_method :check_name

    # @!method get(key, default = nil)
    #   @return [Object] the value, or +default+ if there is none. nil and false are values.
    # @!method [](key)
    # @!method []=(key, value)
    # @!method take(key, default = nil)
    #   Read the value and delete the entry in one step. If the value cannot be read, the entry stays. If another process increments an
    #   Integer at the same moment, the increment may be lost.
    #   @return [Object] the value, or +default+ if there is none
    #   @raise [BusyError] if more than 4,096 threads use the cache
    # @!method key?(key)
    #   @return [Boolean] true if there is such an entry. The call counts neither as a hit nor as a miss.
    # @!method entry(key)
    #   @return [Entry, nil]
    #   @raise [BusyError] if more than 4,096 threads use the cache
    # @!method set(key, value, ttl: self.ttl, expires: nil, nx: false, xx: false, cas: nil, keepttl: false, flags: self.flags, form: self.form)
    #   @param ttl [Numeric, nil] seconds, greater than 0, or nil to keep the entry until it is evicted
    #   @param expires [Time] the end of the entry, instead of ttl
    #   @param nx store only if there is no such entry
    #   @param xx store only if there is such an entry
    #   @param cas [Integer] store only if the entry has this version (see {#entry})
    #   @param keepttl an existing entry keeps its time to live; a new one gets +ttl+
    #   @param form [Symbol] as for {#initialize}; a value that is stored with +:packed+ never becomes ready by itself
    #   @return [Boolean] true if the value was stored; false only with nx, xx or cas
    #   @raise [FullError] if a pinned cache is full
    #   @raise [TooLargeError] if the value is larger than half of the cache
    #   @raise [BusyError] if another process was stopped while it was changing this part of the cache; the value was not stored
    #   @raise [MovedError] if the file of the cache was removed (a write checks this once a second); reads go on
    # @!method delete(key)
    #   @return [Boolean] true if there was an entry
    # @!method increment(key, by = 1, initial: 0, ttl: self.ttl)
    #   Atomic. An existing entry keeps its time to live; a new one has the value +initial+ plus +by+.
    #   @return [Integer] the new value
    #   @raise [TypeError] if the value is not an Integer of 64 bits
    #   @raise [RangeError] if the new value would not fit in 64 bits
    # @!method decrement(key, by = 1, initial: 0, ttl: self.ttl)
    # @!method compare_and_set(key, expected, wanted)
    #   Replace the Integer +expected+ by the Integer +wanted+, in one atomic step. Keeps the time to live.
    #   @return [Boolean]
    # @!method throttle(key, limit:, per:, cost: 1, wait: 0, sliding: false)
    #   Take +cost+ units of a rate limit, or none, in one atomic step. One unit comes back every +per / limit+ seconds (GCRA).
    #   {#delete} resets the limit.
    #   @param limit [Integer] units; all callers that use a key must give the same limit and the same +per+
    #   @param per [Numeric] seconds
    #   @param cost [Integer] units, 0 to +limit+; 0 only reads the limit
    #   @param wait [Numeric] seconds; units that come back within this time may be taken, too. Sleep for retry_after before you use them
    #   @param sliding [Boolean] use a sliding window, which admits at most +limit+ units in any +per+ seconds. A
    #     unit comes back +per+ seconds after it was taken, or up to 4 % later. With it,
    #     +limit+ is at most 16,383, +per+ is at least 1, and +wait+ is 0.
    #   @return [Throttle]
    #   @raise [TypeError] if the key is nil, or has a value that is not a rate limit
    # @!method touch(key, ttl: self.ttl)
    #   @return [Boolean] true if there is such an entry; it lives for +ttl+ seconds from now
    # @!method view(key)
    #   Lends the bytes of a String in place. They do not change until the block ends, whatever happens to the entry or the cache.
    #   After the block, the view raises {ClosedError}.
    #   @yieldparam view [View]
    #   @return [Object, nil] the block's result, or nil, without a call of the block, if there is no entry
    #   @raise [TypeError] if the value is not a String in UTF-8, US-ASCII or BINARY
    # @!method sweep
    #   Remove expired entries.
    #   @return [Integer] the number of bytes that became free
    # @!method stats
    #   @return [Hash{Symbol => Integer, Boolean}] statistics of the whole cache, with the entries of all namespaces. :shared is false
    #     for the store in plain Ruby
    # @!method pinned?
    #   @return [Boolean] true if entries are never evicted
    # @!method fsck
    #   Check every invariant of the store.
    #   @return [Array<String>] the violations
    # @!method close
    #   Release the memory, as soon as all other threads that have used the cache have ended. The entries stay for other processes. Calls
    #   raise {ClosedError} from now on.
    # @!method closed?

    # Returns the value. If there is none, one process calls the block, and stores and returns the block's result. Other processes wait for this
    # value. If there is no room, the result is returned, but not stored. A value whose class is gone or has changed counts as missing. With
    # +stale+, an expired value is kept for +stale+ more seconds, and the other processes get it while one process computes a new one. Give each
    # fetch of a key the same +stale+, because a value counts as expired when at most +stale+ seconds of its life are left.
    #
    # @param ttl [Numeric, nil] seconds, as for {#set}
    # @param stale [Numeric, nil] seconds
    # @param wait [Numeric] seconds for which others wait for the computing process, before they compute the value themselves
    # @param force compute even if there is a value
    # @param skip_nil do not store a nil
    # @param form [Symbol] as for {#set}
    # @yieldparam key
    # @return [Object]
    # @raise [KeyError] if there is no entry and no block
    # @raise [Error] if the block fetches the key that it computes
    def fetch(key, ttl: @ttl, stale: nil, wait: 10, force: false, skip_nil: false, form: @form, &block)
      old = MISSING
      if force
        raise ArgumentError, "force needs a block" unless block_given?
      elsif stale.nil?
        begin
          value = get(key, MISSING)
        rescue *UNLOADABLE
          value = get_loaded(key)
        end
        return value unless MISSING.equal?(value)
      else
        stale = seconds_option(:stale, stale)
        value, old = get_fresh(key, stale)
        return value unless MISSING.equal?(value)
      end
      unless block_given?
        return old unless MISSING.equal?(old)

        raise KeyError.new("key not found: #{key.inspect}", receiver: self, key: key)
      end
      options = { ttl: ttl, stale: stale, skip_nil: skip_nil, form: form_option(form || @form) }
      return compute(key, **options, &block) if force

      compute_once(key, old, seconds_option(:wait, wait), **options, &block)
    end

    # Tells why an existing value cannot be returned. May load the value by Marshal, which runs hooks of its objects. Only an ArgumentError,
    # TypeError or NameError says that a class is gone or has changed; other exceptions are passed on.
    # @return [String, nil] the reason, for example that PHP has stored an object, or that a class is gone; nil if get returns the value
    def unreadable(key)
      reason_for(key)
    rescue *UNLOADABLE => e
      key?(key) # if the key has caused the error, this call raises it again
      "it cannot be loaded: #{e.message}"
    end

    # @param keys [Array] several keys
    # @return [Hash] the values by key, without missing keys and without values that cannot be loaded
    def get_multi(*keys)
      keys = keys.first if keys.size == 1 && keys.first.is_a?(Array)
      found = {}
      keys.each do |key|
        value = get_loaded(key)
        found[key] = value unless MISSING.equal?(value)
      end
      found
    end

    # @param entries [Hash] keys and values
    # @param options those of {#set}
    # @return [Array] the keys that were not stored: because of nx or xx, or of a FullError, BusyError, MovedError or TooLargeError. These
    #   errors are not raised.
    def set_multi(entries, **options)
      raise TypeError, "entries must be a Hash, not #{entries.class}" unless entries.respond_to?(:each_pair)

      refused = []
      entries.each_pair do |key, value|
        refused << key unless set(key, value, **options)
      rescue FullError, BusyError, MovedError, TooLargeError
        refused << key
      end
      refused
    end

    # @return [Integer] number of entries that were deleted
    def delete_multi(*keys)
      keys = keys.first if keys.size == 1 && keys.first.is_a?(Array)
      keys.count { |key| delete(key) }
    end

    # @param name [String, Symbol] 1 to 1024 bytes with the namespace; it is not a key of an entry, so {#clear} ends no permit
    # @param permits [Integer] 1 to 1024; all callers that use a name must give the same number
    # @return [Semaphore]
    def semaphore(name, permits:)
      Semaphore.new(self, name, permits)
    end

    # Opens a broadcast.
    # @param name [String, Symbol] 1 to 1024 bytes, including the namespace. {#keys} does not return it, but {#clear} removes the broadcast
    # @return [Broadcast] an object that only this Ractor can use
    # @raise [ArgumentError] the cache is not pinned
    def broadcast(name)
      raise ArgumentError, "broadcast needs a cache with pinned: true, which evicts nothing" unless pinned?

      open_broadcast(name)
    end

    # Runs the operations of the block together, when the block ends. If the block raises, no operation runs. If an operation raises, the
    # operations before it stay done, and the operations after it do not run.
    #
    # @yieldparam batch [Batch]
    # @return [Array] the results, in order
    def batch
      batch = Batch.new(self)
      yield batch
      batch.run
    end

    # Deletes the entries whose key begins with +pattern+ (a String) or matches it (a Regexp). Entries with keys of other classes stay. Entries of a
    # cache with another namespace are stored under keys that begin with that namespace and a colon. If +pattern+ is a String with which such a
    # stored key begins, the entry is deleted, whatever the class of its key.
    # @return [Integer] the number of deleted entries
    def delete_matched(pattern)
      test =
        case pattern
        when Regexp then ->(key) { matches?(key, pattern) }
        when String then ->(key) { key.b.start_with?(pattern.b) }
        else raise TypeError, "pattern must be a String (a prefix) or a Regexp, not #{pattern.class}"
        end
      names_namespace = pattern.is_a?(String) && !pattern.b.include?(Larder::MARSHAL_HEAD)
      deleted = 0
      scan_stored(false) do |stored, dumped|
        next if dumped && !Larder.string_key?(stored)
        # dumped is nil if the key is Marshal data that a cache with another namespace has stored
        next if dumped.nil? && !names_namespace

        deleted += 1 if test.call(dumped ? Larder.load_key(stored) : stored) && delete_stored(stored)
      end
      deleted
    end

    # Returns all keys, except keys that Marshal cannot load, for example because their class is gone.
    # @return [Array] Strings, and keys of other classes
    def keys
      each_key.to_a
    end

    # @yieldparam key
    def each_key
      return enum_for(:each_key) { count } unless block_given?

      scan_all(false) { |key, _| yield key }
      self
    end

    # Yields entries, and locks nothing. An entry that is there during the whole call is yielded exactly once. Leaves out an entry whose key
    # or value cannot be loaded.
    # @yieldparam key
    # @yieldparam value
    def each
      return enum_for(:each) { size } unless block_given?

      scan_all(true) { |key, value| yield [key, value] }
      self
    end
    alias each_pair each

    # @return [Integer] the number of entries; some of them may have expired. With a namespace, the entries are counted one by one.
    #   Without a namespace, the number includes entries that {#keys} does not return: those of broadcasts and of PHP's pools.
    def size
      return stats[:entries] unless @namespace

      count = 0
      scan_stored(false) { count += 1 }
      count
    end
    alias length size

    # Returns the number of entries if there are no arguments and no block. Otherwise works as Enumerable#count.
    def count(*arguments, &block)
      arguments.empty? && block.nil? ? size : super
    end

    def empty?
      size.zero?
    end

    # @return [Integer] the number of bytes that the entries of all namespaces take
    def bytesize
      stats[:live_bytes]
    end

    # Removes all entries. If the cache has a namespace, removes only the entries of the namespace, one by one.
    # @return [self]
    def clear
      @namespace ? scan_stored(false) { |stored, _| delete_stored(stored) } : clear_all
      self
    end

    # Removes expired entries. Then deletes entries, in no particular order, until the rest takes at most +bytes+ bytes.
    # @param bytes [Integer] the limit for the entries of all namespaces together
    # @return [Integer] the number of deleted entries
    def prune(bytes)
      integer_option(:bytes, bytes, 0..2**62)
      sweep
      deleted = 0
      scan_stored(false) do |stored, _|
        return deleted if bytesize <= bytes

        deleted += 1 if delete_stored(stored)
      end
      deleted
    end

    def inspect
      state = closed? ? "closed" : "#{Larder.counted(stats[:entries], "entry", "entries")}, #{stats[:live_bytes]} of #{stats[:size]} bytes"
      "#<#{self.class}#{" #{@path}" if @path}#{" namespace=#{@namespace}" if @namespace} #{state}>"
    end

    private

    def look_at(path, pinned)
      @path = path.dup.freeze
      @flags = 0
      @form = :auto
      open_store(@path, nil, pinned, nil, 0, @flags, @form, nil, true)
    end

    # The successive waits (ms). After each wait, fetch checks for interrupts, and whether the computing process lives.
    WAIT_STEPS_MS = [1, 1, 2, 4, 8, 16].freeze
    private_constant :WAIT_STEPS_MS

    # Exceptions that Marshal raises if a class is gone or has changed.
    UNLOADABLE = [ArgumentError, TypeError, NameError].freeze
    private_constant :UNLOADABLE

    # Returns the value, or MISSING if there is none or if it cannot be loaded.
    def get_loaded(key)
      get(key, MISSING)
    rescue *UNLOADABLE
      key?(key) # if the key has caused the error, this call raises it again
      MISSING
    end

    # Returns [value, MISSING] for a fresh entry, [MISSING, value] for a stale one, else [MISSING, MISSING].
    def get_fresh(key, stale)
      begin
        found = entry(key)
      rescue BusyError # too many threads use the cache, so entry() cannot read the time to live: treat the value as missing
        nil
      rescue *UNLOADABLE
        key?(key)
      end
      return [MISSING, MISSING] unless found
      return [found.value, MISSING] if found.ttl.nil? || found.ttl > stale

      [MISSING, found.value]
    end

    # Computes a value. If another process computes it, returns the stale value +old+, or waits if +old+ is MISSING.
    def compute_once(key, old, wait, **options, &block)
      if computing?(key)
        return old unless MISSING.equal?(old)

        raise Error, "fetch of key #{key.inspect} was called by its own block"
      end
      # Use a copy, because another thread may change the key. An object that is no String may define is_a? and dup in any way.
      key = key.dup.freeze if String === key && !key.frozen?
      patience = MISSING.equal?(old) ? wait : 0
      lease_ms = (wait * 1000).ceil
      give_up = now + patience
      (0..).each do |step|
        wait_ms = patience.zero? ? 0 : WAIT_STEPS_MS[step] || WAIT_STEPS_MS.last
        scheduled = Fiber.current_scheduler # if there is a scheduler, do not wait in the core, because other fibers of this thread must run
        outcome = reserve(key, scheduled ? 0 : wait_ms, lease_ms) do
          # Another process may have stored the value before it unlocked the key.
          value = options[:stale] ? get_fresh(key, options[:stale]).first : get_loaded(key)
          return value unless MISSING.equal?(value)

          return with_reservation(key, wait) { compute(key, **options, &block) }
        end
        # `other` is true if another Ruby thread on the same native thread has locked the key
        other = outcome == :mine && !reserved_by_thread?(key)
        break unless outcome == :held || other
        return old unless MISSING.equal?(old)
        break if wanted_by_others?

        if other
          sleep WAIT_STEPS_MS.last / 1000.0
        elsif scheduled
          sleep wait_ms / 1000.0
        end
        value = get_loaded(key)
        return value unless MISSING.equal?(value)
        break if now >= give_up
      end
      compute(key, **options, &block)
    end

    # Returns true if another thread may be waiting for a value that this thread computes. This thread must then not wait, because the two
    # threads might wait for each other.
    def wanted_by_others?
      Thread.current.thread_variable_get(:larder_reservations)&.any? { |cache, _, _| cache.reservation_wanted? }
    end

    # Returns true if a fiber of this thread has locked the key. A wait for the key would never end, because the waiting thread cannot run
    # this fiber.
    def reserved_by_thread?(key)
      text = key_text(key)
      Thread.current.thread_variable_get(:larder_reservations)&.any? do |cache, other, _|
        cache.equal?(self) && key_text(other) == text
      end
    end

    # Makes a note that this thread has locked the key, and yields. The note contains the cache, the key and the end of the lock. All fibers
    # of the thread share the list of notes.
    def with_reservation(key, wait, &block)
      thread = Thread.current
      list = thread.thread_variable_get(:larder_reservations) || thread.thread_variable_set(:larder_reservations, [])
      list.reject! { |_, _, give_up| give_up < now } unless list.empty? # remove notes of abandoned fibers
      noted(list, [self, key, now + wait], &block)
    end

    def compute(key, ttl:, stale:, skip_nil:, form:)
      life = ttl_option(ttl)
      life += stale if life && stale
      running = (Thread.current[:larder_computing] ||= []) # Thread#[] is local to the fiber
      value = noted(running, [self, key]) { yield key }
      store_computed(key, value, life, form) unless value.nil? && skip_nil
      value
    end

    def store_computed(key, value, ttl, form)
      set(key, value, ttl: ttl, form: form)
    rescue FullError, BusyError, MovedError, TooLargeError
      false
    end

    def computing?(key)
      running = Thread.current[:larder_computing]
      return false if running.nil? || running.empty?

      text = key_text(key)
      running.any? { |cache, other| cache.equal?(self) && key_text(other) == text }
    end

    # Returns the text of a key. Equal keys have equal texts: :a and "a" are equal, 1 and 1.0 are not.
    def key_text(key)
      case key
      when Symbol then key.name.b
      when String then key.b
      else Larder.dump_key(key)
      end
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    # Yields each entry as key and value. Leaves out entries that cannot be loaded, and entries of another namespace (load_key is nil).
    def scan_all(values)
      scan_stored(values) do |key, load_key, value, load_value|
        next if load_key.nil?

        begin
          key = Larder.load_key(key) if load_key
          value = Marshal.load(value) if load_value
        rescue *UNLOADABLE
          next
        end
        yield key, value
      end
    end

    # Yields entries with their stored keys. If the class of a key is gone, delete_stored can still delete the entry by its stored key.
    def scan_stored(values, &block)
      place = nil
      loop do
        found = scan(place, values)
        place = found.shift
        found.each_slice(4, &block)
        break unless place
      end
    end

    def matches?(key, pattern)
      pattern.match?(key)
    rescue Encoding::CompatibilityError, ArgumentError
      pattern.match?(key.b) rescue false
    end

    def path_of(name, path, pinned)
      raise ArgumentError, "name and path exclude each other" if name && path
      return path_option(path) unless name
      Cache.send(:check_name, name)
      Named.path(name, pinned)
    end

    def path_option(path)
      path = string_option(:path, path)
      return path if path.nil? || path.encoding.ascii_compatible?

      raise ArgumentError, "path must have an ASCII-compatible encoding, not #{path.encoding}"
    end

    def string_option(option, value)
      value = value.to_path if value.respond_to?(:to_path)
      return value if value.nil? || value.is_a?(String)
      return value.to_s if value.is_a?(Symbol)

      raise TypeError, "#{option} must be a String, not #{value.class}"
    end

    # Checks a namespace. If it contained the first bytes of Marshal data, a String key could be taken for Marshal data: see keys.c.
    def namespace_option(namespace)
      namespace = string_option(:namespace, namespace)&.dup&.freeze
      return namespace if namespace.nil?
      unless namespace.bytesize.between?(1, 255)
        raise ArgumentError, "namespace must be 1 to 255 bytes long, not #{namespace.bytesize}"
      end
      raise ArgumentError, "namespace must not contain \"\\x04\\b\"" if namespace.b.include?(Larder::MARSHAL_HEAD)
      raise ArgumentError, "namespace must not begin with \"\\0lrd\"" if namespace.b.start_with?("\0lrd".b)

      namespace
    end

    def integer_option(option, value, range)
      raise TypeError, "#{option} must be an Integer, not #{value.class}" unless value.is_a?(Integer)
      raise ArgumentError, "#{option} must be in #{range}, not #{value}" unless range.cover?(value)

      value
    end

    FORMS = %i[auto ready packed].freeze
    private_constant :FORMS

    def form_option(form)
      return form if FORMS.include?(form)

      raise ArgumentError, "form must be :auto, :ready or :packed, not #{form.inspect[0, 80]}"
    end

    SECONDS_MAX = 2**28 # 8 years
    private_constant :SECONDS_MAX

    def seconds_option(option, seconds)
      raise TypeError, "#{option} must be a number of seconds, not #{seconds.class}" unless seconds?(seconds)
      raise ArgumentError, "#{option} must be at least 0, not #{seconds.inspect}" unless seconds.to_f >= 0

      [seconds.to_f, SECONDS_MAX].min
    end

    def ttl_option(ttl)
      return nil if ttl.nil?
      raise TypeError, "ttl must be a number of seconds or nil, not #{ttl.class}" unless seconds?(ttl)
      raise ArgumentError, "ttl must be greater than 0, not #{ttl.inspect}" unless ttl.to_f.positive?

      ttl.to_f
    end

    # Returns true for a real number, such as an ActiveSupport::Duration, but not for a Complex or a Time.
    def seconds?(object)
      object.is_a?(Numeric) && object.real?
    end
  end
end
