# frozen_string_literal: true

require "monitor"

module Larder
  # The base class of errors that can occur even if the arguments are valid.
  class Error < StandardError; end

  # The cache was closed.
  class ClosedError < Error; end

  # There is no room: a pinned cache or the file system is full.
  class FullError < Error; end

  # A stopped process blocks the call, or there are too many threads. Try again.
  class BusyError < Error; end

  # The file of a named cache was removed, replaced or truncated. Close the cache, and open it again.
  class MovedError < Error; end

  # Other processes have the file open as a cache of another size or kind, or with another build of Larder.
  class MismatchError < Error; end

  # The value would take more than half of the cache.
  class TooLargeError < ArgumentError; end

  # Returns the path that the extension would use. In plain Ruby, named caches have no files.
  # @api private
  module Named
    def self.find(_name, _pinned) = nil
    def self.path(name, pinned) = "/dev/shm/larder-#{Process.euid}/#{name}-#{pinned ? "pinned" : "volatile"}"
  end

  # View in plain Ruby, which shows a copy of the bytes.
  class View
    # @api private
    def self.lend(bytes)
      view = new(bytes)
      yield view
    ensure
      Thread.handle_interrupt(Object => :never) { view&.close }
    end

    # @api private
    def initialize(bytes, whole = nil, offset = 0, size = bytes.bytesize)
      @bytes = bytes
      @whole = whole
      @offset = offset
      @size = size
    end
    private_class_method :new
    undef_method :dup, :clone

    def size
      bytes && @size
    end

    def null?
      (@whole ? @whole.null? : @bytes.nil?)
    end

    def get_string(offset = 0, length = nil, encoding = nil)
      encoding = encoding.nil? ? Encoding::BINARY : Encoding.find(encoding)
      offset, length = range(offset, length)
      bytes.byteslice(@offset + offset, length).force_encoding(encoding)
    end

    def slice(offset = 0, length = nil)
      offset, length = range(offset, length)
      View.send(:new, nil, @whole || self, @offset + offset, length)
    end

    def getbyte(index)
      raise TypeError, "no implicit conversion of #{index.class} into Integer" unless index.respond_to?(:to_int)

      index = index.to_int
      index += @size if index.negative?
      found = bytes
      found.getbyte(@offset + index) if index.between?(0, @size - 1)
    end

    def byteindex(string, offset = 0)
      wanted = String.try_convert(string) or raise TypeError, "no implicit conversion of #{string.class} into String"
      size # first raises ClosedError if the block has ended; only then is the offset checked
      number("offset", offset, @size)
      bytes.byteslice(@offset, @size).index(wanted.b, offset)
    end

    def <=>(other)
      own = get_string
      case other
      when View then own <=> other.get_string
      when String then own <=> other.b
      end
    end

    # @api private
    def close
      @bytes = nil
    end

    protected

    def bytes
      return @whole.bytes if @whole

      @bytes or raise ClosedError, "the view has ended with the block of Cache#view"
    end

    private

    def range(offset, length)
      size
      number("offset", offset, @size)
      length = @size - offset if length.nil?
      number("length", length, @size - offset)
      [offset, length]
    end

    def number(name, value, max)
      raise TypeError, "#{name} must be an Integer, not #{value.class}" unless value.is_a?(Integer)
      raise ArgumentError, "#{name} must be in 0..#{max}, not #{value}" unless value.between?(0, max)
    end
  end

  # Permit in plain Ruby, for permits within this process.
  class Permit
    # @api private
    def initialize(cache, number, token)
      @cache = cache
      @number = number
      @token = token
    end
    private_class_method :new
    undef_method :dup, :clone

    # @api private
    def self.make(*arguments) = new(*arguments)

    def release
      @cache.send(:release_permit, @number, @token)
    end

    private

    def renew_lease(milliseconds)
      @cache.send(:renew_permit, @number, @token, milliseconds)
    end

    def lend
      yield self
    ensure
      Thread.handle_interrupt(Object => :never) { release }
    end
  end

  # Broadcast in plain Ruby, for values within this process.
  class Broadcast
    # @api private
    def initialize(cache, name)
      @cache = cache
      @name = name
    end
    private_class_method :new

    # @api private
    def self.make(*arguments) = new(*arguments)

    def value
      text, version = @cache.send(:published, @name)
      return @value if version == @seen

      @value = text && Ractor.make_shareable(Marshal.load(text))
      @seen = version
      @value
    end

    def version = @cache.send(:published, @name).last

    def publish(value)
      @cache.send(:publish, @name, Marshal.dump(value).freeze)
    end

    private

    def wait_version(version, milliseconds)
      @cache.send(:wait_published, @name, version, milliseconds / 1000.0)
    end
  end

  # The store in plain Ruby, for systems without Larder's shared memory (macOS). It has the extension's methods and results, but only one
  # process can use a cache. A forked child has a copy of its own. A mutex protects all data.
  class Cache
    Slot = Struct.new(:text, :number, :flags, :version, :expires, :bytes, :window, :length)
    Reservation = Struct.new(:thread, :give_up, :wanted)
    private_constant :Slot, :Reservation

    OVERHEAD = 64 # bytes that each entry takes besides its key and value
    KEY_MAX = 65_535
    TTL_MAX = (2**38 - 1) / 1000.0
    HIDDEN = ":".b.concat(Larder::MARSHAL_HEAD).freeze
    NEVER = { Object => :never }.freeze
    WINDOW_PARTS = 32
    WINDOW_LIMIT = 16_383
    private_constant :OVERHEAD, :KEY_MAX, :TTL_MAX, :HIDDEN, :NEVER, :WINDOW_PARTS, :WINDOW_LIMIT

    undef_method :dup, :clone

    def get(key, default = nil)
      slot = locked { value_slot(stored_key(key), true) }
      slot ? load_slot(slot) : default
    end

    def [](key)
      get(key)
    end

    def []=(key, value)
      set(key, value)
    end

    def key?(key)
      locked { !live_slot(stored_key(key)).nil? }
    end

    def entry(key)
      slot = locked { value_slot(stored_key(key), true)&.dup }
      slot && Entry.new(key, load_slot(slot), slot.expires && [slot.expires - clock, 0.001].max.to_f,
                        slot.number ? 0 : slot.version, slot.flags, :ready)
    end

    def take(key, default = nil)
      name = stored_key(key)
      count = true
      loop do
        slot = locked { value_slot(name, count)&.dup }
        return default unless slot

        count = false
        value = load_slot(slot) # if load_slot raises, the entry stays
        return value if locked { taken?(name, slot) }
      end
    end

    # Yields a View of a copy of the bytes.
    def view(key)
      raise LocalJumpError, "no block given (yield)" unless block_given?

      value = get(key, MISSING)
      return nil if MISSING.equal?(value) && reason_for(key).nil?
      unless value.instance_of?(String) && [Encoding::UTF_8, Encoding::US_ASCII, Encoding::BINARY].include?(value.encoding)
        raise TypeError, "view lends the bytes of Strings in UTF-8, US-ASCII or BINARY; " \
                         "key #{key.inspect[0, 80]} has something else"
      end
      View.lend(value.b) { |view| yield view }
    end

    def set(key, value, ttl: @ttl, expires: nil, nx: false, xx: false, cas: nil, keepttl: false, flags: @flags, form: nil)
      form_option(form) unless form.nil?
      raise ArgumentError, "nx, xx and cas exclude each other" if [nx, xx, cas].count { |given| given } > 1
      integer_option(:cas, cas, 0..2**64 - 1) unless cas.nil?
      integer_option(:flags, flags, 0..2**32 - 1) unless flags.nil?

      life = life_of(ttl, expires)
      flags ||= @flags
      number = value if flags.zero? && counter?(value)
      text = Marshal.dump(value).freeze unless number
      name = stored_key(key)
      locked do
        old = live_slot(name)
        return false if (nx && old) || (xx && old.nil?) || (cas && !current?(old, cas))
        return past(name, nx || cas, xx, old) if life == :past

        store(name, Slot.new(text, number, flags, 0, keepttl && old ? old.expires : life && clock + life))
      end
      true
    end

    def delete(key)
      name = stored_key(key)
      locked { live_slot(name) ? remove(name) && true : false }
    end

    def increment(key, by = 1, initial: 0, ttl: @ttl)
      by = 1 if by.nil?
      integer(by, "by")
      integer(initial, "initial")
      life = life_of(ttl, nil)
      name = stored_key(key)
      locked do
        slot = live_slot(name)
        unless slot
          store(name, Slot.new(nil, in_range(initial + by), 0, 0, life && clock + life))
          return initial + by
        end
        raise TypeError, "the value of key #{key.inspect[0, 80]} is no Integer of 64 bits" unless slot.number

        slot.number = in_range(slot.number + by)
      end
    end

    def decrement(key, by = 1, **options)
      integer(by, "by") unless by.nil?
      increment(key, -(by || 1), **options)
    end

    def compare_and_set(key, expected, wanted)
      integer(expected, "expected")
      integer(wanted, "wanted")
      locked do
        slot = live_slot(stored_key(key))
        return false unless slot && slot.number == expected

        slot.number = in_range(wanted)
      end
      true
    end

    def throttle(key, limit:, per:, cost: 1, wait: 0, sliding: false)
      raise TypeError, "key must be an object that names what is limited, not nil" if key.nil?

      per_ns = nanoseconds(per, "per", false)
      limit = integer_option(:limit, limit, 1..per_ns)
      cost = integer_option(:cost, cost, 0..limit)
      wait_ns = nanoseconds(wait, "wait", true)
      check_window(limit, per_ns, wait_ns) if sliding
      name = stored_key(key)
      locked do
        slot = live_slot(name)
        if slot && (sliding ? !window?(slot, per_ns) : slot.number.nil?)
          raise TypeError, "the value of key #{key.inspect[0, 80]} is no rate limit with this per and sliding: use another key, or delete it"
        end
        next admit_window(name, slot, per_ns, limit, cost) if sliding

        admit(name, slot, (per_ns - 1) / limit + 1, limit, cost, wait_ns)
      end
    end

    def touch(key, ttl: @ttl)
      life = life_of(ttl, nil)
      locked do
        slot = live_slot(stored_key(key))
        slot&.expires = life && clock + life
        !slot.nil?
      end
    end

    def sweep
      locked do
        before = @state[:bytes]
        @slots.keys.each { |name| live_slot(name) }
        before - @state[:bytes]
      end
    end

    def stats
      locked do
        @state.slice(:hits, :misses, :inserts, :evicted, :expired)
              .merge(entries: @slots.size, live_bytes: @state[:bytes], size: @state[:size],
                     entries_max: @state[:size] / OVERHEAD, value_max: @state[:size] / 2, shared: false)
      end
    end

    def pinned?
      @state[:pinned]
    end

    def close
      @state[:closed] = true
      @slots.clear
      nil
    end

    def closed?
      @state.nil? || @state[:closed]
    end

    def fsck
      locked { @slots.sum { |_, slot| slot.bytes } == @state[:bytes] ? [] : ["bytes do not add up"] }
    end

    private

    def open_store(_path, size, pinned, _namespace, _ttl_ms, _flags, _form, _abi, look)
      raise Error, "there is no shared memory here: the extension of the gem is not built" if look

      @slots = {} # the entries by their stored key; the entry that was used last is at the end
      @state = { size: size || 64 * 2**20, bytes: 0, pinned: pinned, version: 0, closed: false,
                 hits: 0, misses: 0, inserts: 0, evicted: 0, expired: 0 }
      @monitor = Monitor.new
      @reserved = {}
      @permits = {} # the Reservations of permits, by name and number
      @broadcasts = {} # broadcasts by name: [text, version]
      @released = @monitor.new_cond
    end

    def locked(&block)
      raise ClosedError, "the cache is closed" if closed?

      @monitor.synchronize(&block)
    end

    def clock
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    def stored_key(key)
      name = Symbol === key ? key.to_s : key
      name = Larder.dump_key(name) if !(String === name) || name.empty? || load_key(name.b) != false
      name = namespaced(name.b)
      return name.freeze if name.bytesize <= KEY_MAX

      raise ArgumentError, "a key must be 1 to 65535 bytes long (key #{key.inspect[0, 80]})"
    end

    # Looks at the stored form of a key. Returns true if it is Marshal data, false if it is a String, and nil if the key belongs to another
    # namespace.
    def load_key(name)
      return true if name.start_with?(Larder::MARSHAL_HEAD)

      name.include?(HIDDEN) ? nil : false
    end

    def namespaced(name)
      @namespace ? "#{@namespace.b}:".b << name : name
    end

    # Returns the slot of a key, and marks this slot as the most recently used one. Returns nil if there is no slot, or if it has expired.
    def live_slot(name)
      slot = @slots.delete(name)
      if slot&.expires && slot.expires <= clock
        @state[:bytes] -= slot.bytes
        @state[:expired] += 1
        slot = nil
      end
      @slots[name] = slot if slot
      slot
    end

    # Returns the key's slot if the slot contains a value. Returns nil if there is no slot, if it has expired, or if it contains a sliding window.
    def value_slot(name, count)
      slot = live_slot(name)
      slot = nil if slot&.window
      @state[slot ? :hits : :misses] += 1 if count
      slot
    end

    def reason_for(key)
      slot = locked { live_slot(stored_key(key)) }
      return "it is a rate limit with a sliding window" if slot&.window

      load_slot(slot) if slot
      nil
    end

    def load_slot(slot)
      slot.number || Marshal.load(slot.text)
    end

    def store(name, slot)
      slot.bytes = OVERHEAD + name.bytesize + (slot.text ? slot.text.bytesize : 8)
      if slot.bytes > @state[:size] / 2
        raise TooLargeError, "the value is larger than half of the store (#{slot.bytes} bytes)"
      end

      old = @slots[name]
      make_room(slot.bytes - (old ? old.bytes : 0), name)
      remove(name)
      slot.version = @state[:version] += 1
      @slots[name] = slot
      @state[:bytes] += slot.bytes
      @state[:inserts] += 1
    end

    def make_room(bytes, keep)
      while @state[:bytes] + bytes > @state[:size]
        raise FullError, "no room: the store is full and may not evict; raise its size" if @state[:pinned]

        name = @slots.each_key.find { |other| other != keep } or break
        remove(name)
        @state[:evicted] += 1
      end
    end

    # Removes the slot if it has not changed since the caller read it. Returns true if it was removed.
    def taken?(name, slot)
      now = live_slot(name)
      return false unless now && now.version == slot.version && now.number == slot.number

      !remove(name).nil?
    end

    def remove(name)
      slot = @slots.delete(name)
      @state[:bytes] -= slot.bytes if slot
      slot
    end

    def current?(slot, version)
      return false unless slot
      raise TypeError, "cas: the entry is an Integer, which has no version; see compare_and_set" if slot.number

      slot.version == version
    end

    def past(name, only_new, only_there, old)
      return false if only_new || (only_there && old.nil?)

      remove(name)
      true
    end

    def counter?(value)
      Integer === value && value.bit_length < 64 # is_a?(Integer) is not safe, because an object may define is_a? in any way
    end

    def integer(value, name)
      raise TypeError, "#{name} must be an Integer, not #{value.class}" unless value.is_a?(Integer)
      raise RangeError, "#{name} is too big for 64 bits" if value.bit_length > 63
    end

    def in_range(number)
      return number if number.bit_length < 64

      raise RangeError, "the counter would overflow"
    end

    def life_of(ttl, expires)
      raise ArgumentError, "ttl and expires exclude each other" if expires && ttl && !ttl.equal?(@ttl)

      if expires
        expires = expires.to_time if !expires.is_a?(Time) && expires.respond_to?(:to_time)
        raise TypeError, "expires must be a Time, not #{expires.class}" unless expires.is_a?(Time)

        left = expires - Time.now
        return :past unless left.positive?

        ttl = left
      end
      seconds = ttl_option(ttl) or return nil
      raise ArgumentError, "ttl: entries of a pinned cache have no time to live" if @state[:pinned]

      [seconds, TTL_MAX].min
    end

    # Decides whether a rate limit admits a call, as throttle.c of the core does. The stored number is the time (ns) at which all units will
    # be available again.
    def admit(name, slot, interval, limit, cost, wait_ns)
      now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      tat = slot ? [slot.number, now].max : now
      window = interval * limit
      excess = tat + interval * cost - now - window
      allowed = excess <= wait_ns
      if allowed && cost.positive?
        tat += interval * cost
        life = @state[:pinned] ? nil : 2 * (window + wait_ns) / 1e9 + 10
        store(name, Slot.new(nil, tat, 0, 0, life && clock + life))
      end
      left = [window - (tat - now), 0].max
      Throttle.new(allowed, left / interval, [excess, 0].max / 1e9, (tat - now) / 1e9)
    end

    def check_window(limit, per_ns, wait_ns)
      raise ArgumentError, "per must be at least 1 with sliding" if per_ns < 1_000_000_000
      raise ArgumentError, "limit must be in 1..#{WINDOW_LIMIT} with sliding, not #{limit}" if limit > WINDOW_LIMIT
      raise ArgumentError, "wait must be 0 with sliding" unless wait_ns.zero?
    end

    # @return [Boolean] whether the slot has a window of this length
    def window?(slot, per_ns) = slot.window && slot.length == (per_ns - 1) / WINDOW_PARTS + 1

    # Decides whether a sliding window admits a call (window.c). `units` maps each part of the window to the units taken in it.
    def admit_window(name, slot, per_ns, limit, cost)
      now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
      length = (per_ns - 1) / WINDOW_PARTS + 1
      units = slot ? slot.window.select { |part, _| part >= now / length - WINDOW_PARTS } : {}
      allowed = units.values.sum + cost <= limit
      if allowed && cost.positive?
        units[now / length] = units.fetch(now / length, 0) + cost
        life = @state[:pinned] ? nil : 2 * per_ns / 1e9 + 10
        store(name, Slot.new(nil, nil, 0, 0, life && clock + life, nil, units, length))
      end
      used = units.values.sum
      Throttle.new(allowed, [limit - used, 0].max, allowed ? 0.0 : until_left(units, used + cost - limit, length, now),
                   until_left(units, used, length, now))
    end

    # Returns the seconds until `count` units leave the window.
    def until_left(units, count, length, now)
      part, = units.find { |_, taken| (count -= taken) <= 0 }
      part ? ((part + WINDOW_PARTS + 1) * length - now) / 1e9 : 0.0
    end

    def nanoseconds(seconds, name, may_be_zero)
      raise TypeError, "#{name} must be a number of seconds, not #{seconds.class}" unless seconds?(seconds)

      number = seconds.to_f
      unless number <= 1e9 && (number.positive? || (may_be_zero && number.zero?))
        raise ArgumentError, "#{name} must be #{may_be_zero ? "at least" : "greater than"} 0 and at most 1000000000, " \
                             "not #{seconds.inspect}"
      end
      number.positive? ? [(number * 1e9).round, 1].max : 0
    end

    def coordination_name(name)
      max = 1024 - (@namespace ? @namespace.bytesize + 1 : 0)
      raise TypeError, "name must be a String or a Symbol, not #{name.class}" unless name.is_a?(String) || name.is_a?(Symbol)

      size = name.to_s.bytesize
      raise ArgumentError, "name must be 1 to #{max} bytes long, not #{size}" unless size.between?(1, max)

      namespaced(name.to_s.b).freeze
    end

    # Acquires a permit and returns it. With a block, lends the permit to the block, and returns the block's result.
    def acquire_permit(name, permits, lease_ms, wait_ms, &block)
      permit = find_permit(name, permits, lease_ms, wait_ms)
      permit && block ? permit.send(:lend, &block) : permit
    end

    # Finds a free permit and makes its Reservation. If lease_ms is 0, the Reservation has no time limit.
    def find_permit(name, permits, lease_ms, wait_ms)
      name = coordination_name(name)
      give_up = clock + wait_ms / 1000.0
      locked do
        loop do
          number = (0...permits).find { |one| !owned?([name, one]) }
          if number
            mine = Reservation.new(Thread.current, lease_ms.zero? ? nil : clock + lease_ms / 1000.0)
            @permits[[name, number]] = mine
            return Permit.make(self, [name, number], mine)
          end
          return nil if (0...permits).all? { |one| @permits[[name, one]].thread == Thread.current }

          left = give_up - clock
          return false unless left.positive?

          @released.wait([left, 0.01].min) # sleep only for a short time, because the end of a lease wakes no waiter
        end
      end
    end

    def owned?(number)
      owner = @permits[number]
      !owner.nil? && owner.thread.alive? && (owner.give_up.nil? || clock < owner.give_up)
    end

    def release_permit(number, owner)
      return false if closed?

      @monitor.synchronize do
        next false unless @permits[number].equal?(owner)

        ended = !owned?(number)
        @permits.delete(number)
        @released.broadcast
        !ended
      end
    end

    def renew_permit(number, owner, lease_ms)
      locked do
        next false unless @permits[number].equal?(owner) && owned?(number)

        owner.give_up = lease_ms.zero? ? nil : clock + lease_ms / 1000.0
        true
      end
    end

    def permits_held(name, permits)
      name = coordination_name(name)
      locked { (0...permits).count { |number| owned?([name, number]) } }
    end

    def open_broadcast(name)
      closed? and raise ClosedError, "the cache is closed"
      Broadcast.make(self, coordination_name(name))
    end

    def published(name)
      locked { @broadcasts[name] || [nil, 0] }
    end

    def publish(name, text)
      locked do
        raise TooLargeError, "the value is larger than half of the store (#{text.bytesize} bytes)" if text.bytesize > @state[:size] / 2

        version = published(name).last + 1
        @broadcasts[name] = [text, version].freeze
        @released.broadcast
        version
      end
    end

    def wait_published(name, version, seconds)
      give_up = clock + seconds
      locked do
        until published(name).last != version
          left = give_up - clock
          return false unless left.positive?

          @released.wait(left)
        end
        true
      end
    end

    def clear_all
      locked do
        @broadcasts.transform_values! { |_, version| [nil, version + 1].freeze }
        @slots.clear
        @state[:bytes] = 0
      end
      nil
    end

    def scan(_place, values)
      result = [nil]
      prefix = @namespace ? "#{@namespace.b}:".b : ""
      slots = locked { @slots.select { |name, _| name.start_with?(prefix) } }
      slots.each do |name, slot|
        next if (slot.expires && slot.expires <= clock) || (values && slot.window)

        name = name.delete_prefix(prefix)
        load_key = load_key(name)
        name = name.dup.force_encoding(Encoding::UTF_8)
        name = name.b unless !load_key && name.valid_encoding?
        result.push(name, load_key, values ? slot.number || slot.text : nil, values && slot.number.nil?)
      end
      result
    end

    def delete_stored(text)
      name = namespaced(text.b)
      locked { live_slot(name) ? remove(name) && true : false }
    end

    def reserve(key, wait_ms, lease_ms)
      name = stored_key(key)
      mine = Reservation.new(Thread.current, clock + lease_ms / 1000.0)
      begin
        locked do
          return :mine if reserved(name)&.thread == Thread.current

          if (owner = reserved(name))
            owner.wanted ||= wait_ms.positive? || own_reservations.any?
            @released.wait(wait_ms / 1000.0) if wait_ms.positive?
          end
          return :held if reserved(name)

          @reserved[name] = mine
        end
        yield
      ensure
        Thread.handle_interrupt(NEVER) { give_back(name, mine) } # see #noted for handle_interrupt
      end
      :done
    end

    def own_reservations = @reserved.each_value.select { |reservation| reservation.thread == Thread.current }

    def reservation_wanted? = @monitor.synchronize { own_reservations.any?(&:wanted) }
    protected :reservation_wanted?

    def give_back(name, reservation)
      @monitor.synchronize do
        next unless @reserved[name].equal?(reservation)

        @reserved.delete(name)
        @released.broadcast
      end
    end

    # Adds `note` to `list`, yields, and removes the note, even if another thread sends an exception.
    def noted(list, note)
      list.push(note)
      yield
    ensure
      Thread.handle_interrupt(NEVER) { list.delete_if { |other| other.equal?(note) } }
    end

    # Returns the Reservation of a key, unless its thread has ended or its time is over. Each Reservation needs a time limit, because an abandoned
    # fiber never ends its Reservation.
    def reserved(name)
      reservation = @reserved[name]
      reservation if reservation && reservation.thread.alive? && clock < reservation.give_up
    end
  end
end
