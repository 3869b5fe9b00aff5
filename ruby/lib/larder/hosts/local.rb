# frozen_string_literal: true

require "digest"
require "larder"
require "securerandom"

module Larder
  module Hosts
    # The copies of a server's entries that one host keeps in a Larder::Cache, for its {Tier} objects. When a client writes a key, the
    # host's {Sync} removes the copy of the key. {Sync} promises that all other copies are up to date. The promise is valid for a short
    # time, and {Sync} renews it again and again.
    #
    # Invariants
    # - The promise is an entry, called the record. It contains a random text, the generation, with which the key of each copy begins. Only
    #   the leading larder-sync extends the record's time to live. After its end, no copy can be read. The next record has another
    #   generation, so no old copy comes back.
    # - Before the server is asked for an entry, a lease is stored under the key of the copy. An invalidation removes the lease. The copy is
    #   stored only if the lease is still there, with its version. So a value read before an invalidation is never stored after it.
    # - A copy ends when the server's entry ends, by this host's clock. Its time to live begins with the lease, so a pause of this process
    #   does not prolong it.
    #
    # @api private
    class Local
      LEASE = "lease" # the stored value of a lease; no copy is equal to it, because each copy is stored as an Array
      LEASE_SECONDS = 10 # if a process dies, its lease ends after this time
      # Maximum time for storing a copy. The copy's time to live is computed before, so a copy that is stored too slowly would end too late.
      # The caller then deletes the copy.
      LATE_SECONDS = 0.1
      # The clock for leases. It also counts the time in which the machine is suspended.
      CLOCK = Process.const_defined?(:CLOCK_BOOTTIME) ? Process::CLOCK_BOOTTIME : Process::CLOCK_MONOTONIC
      WAIT_SECONDS = 1 # the longest wait for another process that reads the same entry from the server

      # A lease of a copy. +taken+ is the time of CLOCK before the lease was taken.
      Lease = Struct.new(:key, :version, :taken)

      attr_reader :cache

      # @param prefix [String] the prefix of the keys on the server; larder-sync hears only of writes to such keys
      def initialize(cache, prefix)
        raise ArgumentError, "cache must not be pinned: copies give way to others" if cache.pinned?

        @cache = cache
        @record = "\0tier:#{prefix}".b.freeze
      end

      # @return [String, nil] the generation, or nil if no larder-sync vouches for this host's copies
      def generation
        @cache.get(@record)
      end

      # @return [Array, nil] the copy
      def get(generation, key)
        copy = @cache.get(place(generation, key))
        copy if copy.is_a?(Array)
      end

      # Waits until no other thread, in any process, runs a block for this key, then yields. After a wait of WAIT_SECONDS, yields anyway,
      # with +alone+ set to false.
      # @yieldparam alone [Boolean]
      def in_turn(key)
        permit = @cache.semaphore("tier read #{digest(key)}", permits: 1).acquire(lease: LEASE_SECONDS, wait: WAIT_SECONDS)
        yield !permit.nil?
      ensure
        permit&.release
      end

      # Takes a lease. Call this before you ask the server.
      # @return [Lease, nil] nil if another process has a lease
      def lease(generation, key)
        place = place(generation, key)
        taken = now
        return nil unless @cache.set(place, LEASE, nx: true, ttl: LEASE_SECONDS)

        found = @cache.entry(place)
        Lease.new(place, found.version, taken) if found && found.value == LEASE
      end

      # Stores a copy if its lease has not ended.
      # @param seconds [Float, nil] seconds, counted from the time of the lease, until the entry ends on the server, or nil if it has no end
      # @return [Boolean] false: the copy must not be used, so the caller must call {#give_up}
      def fill(lease, copy, seconds)
        return @cache.set(lease.key, copy, cas: lease.version) if seconds.nil?

        begun = now
        left = seconds - (begun - lease.taken)
        left.positive? && @cache.set(lease.key, copy, cas: lease.version, ttl: left) && now - begun <= LATE_SECONDS
      end

      # Ends a lease without storing a copy.
      def give_up(lease)
        @cache.delete(lease.key)
      end

      # Removes the copy of a key, or the lease in its place, so that no older value is stored.
      def forget(key)
        generation = self.generation
        @cache.delete(place(generation, key)) if generation
      end

      # Makes all copies unreadable. The host's leading larder-sync then makes a new record without copies.
      def forget_all
        @cache.delete(@record)
      end

      # Makes a new record, which has no copies yet.
      # @return [String] the generation
      def begin(seconds)
        generation = SecureRandom.bytes(12)
        @cache.set(@record, generation, ttl: seconds)
        generation
      end

      # @return [Boolean] false if the record has ended already
      def prolong(seconds)
        @cache.touch(@record, ttl: seconds)
      end

      private

      def now
        Process.clock_gettime(CLOCK)
      end

      def place(generation, key)
        "#{generation}#{key.b}"
      end

      def digest(key)
        key.bytesize <= 256 ? key.b : Digest::SHA256.digest(key)
      end
    end
  end
end
