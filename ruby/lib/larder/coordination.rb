# frozen_string_literal: true

module Larder
  # The answer of {Cache#throttle}.
  #
  # @!attribute allowed     [Boolean] true if the units were taken
  # @!attribute remaining   [Integer] units that another call could take now
  # @!attribute retry_after [Float] seconds to wait before using the units, or before the next try
  # @!attribute reset_after [Float] seconds until all units are available again
  Throttle = Struct.new(:allowed, :remaining, :retry_after, :reset_after) do
    alias_method :allowed?, :allowed
  end

  # Lets only a limited number of callers, in all processes that share the cache, have a permit at the same time. See {Cache#semaphore}.
  #
  # @example
  #   pdf = cache.semaphore("pdf", permits: 4)
  #   pdf.acquire(wait: 10) { render(order) } or raise "busy"
  class Semaphore
    PERMITS = 1..1024
    STEP_MS = 100 # time (ms) between two checks for interrupts during a wait
    POLL_SECONDS = 0.005 # time (s) between two checks under a fiber scheduler
    NAME_MAX = 1024
    private_constant :PERMITS, :STEP_MS, :POLL_SECONDS, :NAME_MAX

    # @return [String, Symbol]
    attr_reader :name
    # @return [Integer]
    attr_reader :permits

    # @api private
    def initialize(cache, name, permits)
      raise TypeError, "name must be a String or a Symbol, not #{name.class}" unless name.is_a?(String) || name.is_a?(Symbol)
      unless name.to_s.bytesize.between?(1, NAME_MAX)
        raise ArgumentError, "name must be 1 to #{NAME_MAX} bytes long, not #{name.to_s.bytesize}"
      end
      raise TypeError, "permits must be an Integer, not #{permits.class}" unless permits.is_a?(Integer)
      raise ArgumentError, "permits must be in #{PERMITS}, not #{permits}" unless PERMITS.cover?(permits)

      @cache = cache
      @name = name.dup.freeze
      @permits = permits
    end

    # @api private
    # @return [Integer] milliseconds, or 0 for no lease
    def self.lease_ms(lease)
      return 0 if lease.nil?
      raise TypeError, "lease must be a number of seconds, not #{lease.class}" unless lease.is_a?(Numeric) && lease.real?
      raise ArgumentError, "lease must be greater than 0, not #{lease.inspect}" unless lease.to_f.positive?

      ([lease.to_f, 2**28].min * 1000).ceil
    end

    # Acquires a permit. If all have owners, waits for one; waiting callers get permits in turn. A permit ends when {Permit#release} is called, the
    # block returns, the Permit is collected, +lease+ seconds have passed, or the thread or process ends.
    #
    # @param lease [Numeric, nil] seconds, or nil for no lease
    # @param wait [Numeric] seconds
    # @yieldparam permit [Permit]
    # @return [Permit, Object, nil] nil if other owners, or this thread itself, have all permits. With a block, its result.
    # @raise [ArgumentError, TypeError] the message names the argument
    # @raise [BusyError] if there are more threads or reservations than the cache has room for
    def acquire(lease: nil, wait: 0)
      lease_ms = Semaphore.lease_ms(lease)
      wait = @cache.send(:seconds_option, :wait, wait)
      return acquire_in_turn(lease_ms, wait) unless block_given?

      acquire_in_turn(lease_ms, wait) { |permit| return yield(permit) }
    end

    # @return [Integer] the number of permits that have owners
    def count
      @cache.send(:permits_held, @name, @permits)
    end

    def inspect
      "#<#{self.class} #{@name} permits=#{@permits}>"
    end

    private

    # Returns a permit, or nil if none was free in time. If a block is given, yields the permit to the block. The block must then leave this
    # method by a jump, such as return: if the block ended with nil or false, this would look like a missing permit.
    def acquire_in_turn(lease_ms, wait, &block)
      give_up = now + wait
      (0..).each do # not loop, which would rescue a StopIteration of the block
        scheduled = Fiber.current_scheduler # if there is a scheduler, do not wait in the core, because other fibers of this thread must run
        left_ms = wait.zero? ? 0 : [((give_up - now) * 1000).ceil, 0].max
        permit = @cache.send(:acquire_permit, @name, @permits, lease_ms, scheduled ? 0 : [left_ms, STEP_MS].min, &block)
        return permit if permit

        return nil if left_ms.zero? || (permit.nil? && !scheduled)

        sleep POLL_SECONDS if scheduled
      end
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end

  # A permit of a {Semaphore}.
  class Permit
    # @!method release
    #   @return [Boolean] false if the permit had ended already, because its lease or its thread had ended. Also false if a stopped process
    #     has a lock of the cache. Then the next call in this process that acquires or releases some permit also releases this one.

    # Sets a new lease: the permit ends +lease+ seconds from now.
    # @param lease [Numeric, nil] seconds, or nil for no lease
    # @return [Boolean] false if the permit has ended
    def renew(lease)
      renew_lease(Semaphore.lease_ms(lease))
    end
  end

  # A value that one process publishes and all others read, without a call of the store. See {Cache#broadcast}.
  #
  # @example
  #   flags = cache.broadcast("flags")       # keep the object
  #   flags.publish({ "new-checkout" => true })
  #   flags.value["new-checkout"]            # in any process
  class Broadcast
    STEP_SECONDS = 1.0 # the longest time (s) between two checks for interrupts during a wait
    POLL_SECONDS = 0.005 # time (s) between two checks under a fiber scheduler
    private_constant :STEP_SECONDS, :POLL_SECONDS

    # @!method value
    #   The last published value, deeply frozen. Calls return the same object until another value is published.
    #   @return [Object, nil] nil if no value was published, or if PHP has published an object or a nested array
    #   @raise [ArgumentError, TypeError, NameError] Marshal's error if a class of the value is not known in this process, or has changed
    # @!method version
    #   @return [Integer] a number that each publication raises, or 0 if nothing was published since the last clear
    # @!method publish(value)
    #   Store a value and wake all waiters.
    #   @return [Integer] the version
    # @raise [FullError] if the cache is full; the old value stays
    #   @raise [BusyError] if other processes have been publishing for seconds

    # Sleeps until the version of the broadcast differs from +version+.
    # @param version [Integer]
    # @param timeout [Numeric, nil] seconds, or nil to wait for ever
    # @return [Boolean] false if the broadcast has this version after the timeout
    def wait(version, timeout = nil)
      raise TypeError, "version must be an Integer, not #{version.class}" unless version.is_a?(Integer)
      return true if version.bit_length > 63 # a version fits into 64 bits

      give_up = timeout && now + timeout_of(timeout)
      loop do
        left = give_up ? [give_up - now, 0.0].max : STEP_SECONDS
        scheduled = Fiber.current_scheduler # if there is a scheduler, do not wait in the core, because other fibers of this thread must run
        step = scheduled ? 0 : [left, STEP_SECONDS].min
        return true if wait_version(version, (step * 1000).ceil)
        return false if left.zero?

        sleep [left, POLL_SECONDS].min if scheduled
      end
    end

    private

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    def timeout_of(timeout)
      unless timeout.is_a?(Numeric) && timeout.real?
        raise TypeError, "timeout must be a number of seconds or nil, not #{timeout.class}"
      end
      raise ArgumentError, "timeout must be at least 0, not #{timeout.inspect}" unless timeout.to_f >= 0

      timeout.to_f
    end
  end
end
