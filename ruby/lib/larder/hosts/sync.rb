# frozen_string_literal: true

require "larder/hosts/line"
require "larder/hosts/local"

module Larder
  module Hosts
    # The work of larder-sync: makes sure that this host's copies of a server's entries are not out of date. Begin reading at lead.
    #
    # There are two connections. One subscribes to __redis__:invalidate. The other one asks the server to track all keys with the prefix,
    # and to send invalidations to the first one. Redis 6 and Valkey support this with RESP2.
    #
    # The bound is the longest time for which a stale copy may be read. This process sends PINGs through the subscribed connection. In one turn of
    # its event loop, the server may answer a PING first, and send the invalidations of this turn afterwards. It has sent all of them before its
    # next turn. So when the answer to PING n arrives, the invalidations of all writes before the answer to PING n - 1 have arrived. The remaining
    # copies may then be used until one bound after PING n - 1 was sent. This promise is an entry of the cache, called the record: copies are used
    # only while the record lives. So the promise ends by itself if this process, the server or the network hangs.
    #
    # One process of a host leads: the owner of a semaphore's only permit. The others wait for the permit, which ends with the leader. A
    # leader that is new, or has connected again, begins without copies, because it may have missed invalidations.
    class Sync
      CHANNEL = "__redis__:invalidate"
      BEATS = 5 # number of PINGs that this process sends during one bound
      STOPS = 20 # the record ends earlier than it must, by a margin of @bound / STOPS; see end_in_time
      FIRST_PAUSE = 0.05
      LAST_PAUSE = 5.0
      STANDBY = 0.05 # a process that waits for its turn to lead checks at this interval (s) whether {#stop} was called
      BOUNDS = (0.05..3600.0).freeze
      private_constant :CHANNEL, :BEATS, :STOPS, :FIRST_PAUSE, :LAST_PAUSE, :STANDBY

      # @return [Hash, nil] the last report of the leader; its state is "dead" instead of "leading" if no process leads any more
      def self.status(cache, prefix)
        report = cache.get(report_key(prefix))
        return nil unless report.is_a?(Hash)

        report["state"] = "dead" if report["state"] == "leading" && leaders(cache, prefix).count.zero?
        report
      end

      def self.report_key(prefix)
        "\0tier report:#{prefix}".b
      end

      def self.leaders(cache, prefix)
        prefix = prefix.b
        cache.semaphore("tier leader #{prefix.bytesize <= 256 ? prefix : Digest::SHA256.hexdigest(prefix)}", permits: 1)
      end

      # @param server [URI::Generic] the result of {Line.address}
      # @param prefix [String] the prefix of the keys, or "" for all keys of the server
      # @param bound [Float] the longest time in seconds for which a stale value may be read
      # @yieldparam text [String] a line for the log
      def initialize(cache, server, prefix, bound: 1.0, ca_file: nil, &log)
        raise ArgumentError, "bound must be in #{BOUNDS}, not #{bound}" unless BOUNDS.cover?(bound)

        @cache = cache
        @server = server
        @prefix = prefix.b
        @bound = bound
        @ca_file = ca_file
        @log = log
        @local = Local.new(cache, @prefix)
        @counts = { "invalidations" => 0, "flushes" => 0, "connections" => 0, "failures" => 0, "lag" => 0.0, "last_error" => "" }
        @vouching = false
        @until = 0.0
      end

      # Makes {#run} return soon. May be called in a signal handler.
      def stop
        @stopped = true
      end

      # Waits until this process may lead, and leads until {#stop}.
      # @raise [Larder::Error] if the file of the copies was removed; a restarted process opens the new file
      def run
        pause = FIRST_PAUSE
        until @stopped
          leader = Sync.leaders(@cache, @prefix).acquire(wait: STANDBY)
          next unless leader

          begin
            @led = false
            lead
          rescue ServerFailure => e
            @counts["failures"] += 1
            @counts["last_error"] = e.message
            @log&.call("failed: #{e.message}")
          ensure
            disconnect
            leader.release
          end
          pause = @led ? FIRST_PAUSE : [LAST_PAUSE, pause * 2].min
          rest(pause * (0.5 + rand)) unless @stopped
        end
        say("stopped")
      end

      private

      def lead
        connect
        swaps = count_swaps
        say("leading")
        @sent = @before = nil
        answered = true
        following = now
        until @stopped
          message = receive([following - now, 0].max)
          case message
          when :pong
            answered = true
            vouch
          when Array then invalidate(message)
          end
          time = now
          if !answered && message.nil? && time - @sent > 2 * @bound
            raise ServerFailure, format("no answer for %.1f s", time - @sent)
          end

          next if time < following

          if answered
            swaps = check_tracking(swaps)
            @before = @sent
            @sent = now
            answered = false
            @subscriber.send("PING")
          end
          following = time + @bound / BEATS
          say("leading")
        end
      end

      def connect
        @counts["connections"] += 1
        timeout = [0.5, 2 * @bound].max
        @subscriber = Line.new(@server, timeout, ca_file: @ca_file)
        @subscriber.send("CLIENT", "ID")
        id = @subscriber.read
        raise ServerFailure, "CLIENT ID gave no number, as Redis 6 and Valkey do: #{id}" unless id.is_a?(Integer)

        @subscriber.send("SUBSCRIBE", CHANNEL)
        answer = @subscriber.read
        raise ServerFailure, "SUBSCRIBE was refused: #{answer}" unless answer.is_a?(Array) && answer.first == "subscribe"

        @tracker = Line.new(@server, timeout, ca_file: @ca_file)
        @tracker.send("INFO", "cluster") # if this user is not allowed to use INFO, the server is assumed not to be in a cluster
        if @tracker.read.to_s.include?("cluster_enabled:1")
          raise ServerFailure, "this is a node of a Redis Cluster, which tells only of its own keys: a server of its own is needed"
        end

        @tracker.send("CLIENT", "TRACKING", "ON", "REDIRECT", id.to_s, "BCAST", *(@prefix.empty? ? [] : ["PREFIX", @prefix]))
        @tracker.expect("OK")
      end

      # Returns how many calls of SWAPDB and of INFO the server has counted.
      # @return [Array<Integer>, nil] nil if this user is not allowed to ask
      def count_swaps
        @tracker.send("INFO", "commandstats")
        text = @tracker.read.to_s
        text.start_with?("#") ? %w[swapdb info].map { |name| text[/^cmdstat_#{name}:calls=(\d+)/, 1].to_i } : nil
      end

      # Checks whether a client has called SWAPDB, because the server sends no invalidation for it. After a SWAPDB, starts again without
      # copies. There is no check of CLIENT TRACKING, because it stays on until the connection ends.
      def check_tracking(swaps)
        if swaps.nil?
          @tracker.send("PING")
          @tracker.expect("PONG")
          return nil
        end
        counted = count_swaps
        # Each check calls INFO, so the number of INFO calls must have grown. If it has not, a client has reset the statistics (CONFIG
        # RESETSTAT), and we may have missed a SWAPDB.
        if counted.nil? || counted[0] != swaps[0] || counted[1] <= swaps[1]
          @counts["flushes"] += 1
          begin_anew
        end
        counted
      end

      # @return [Symbol, Array, nil] :pong or a message; nil if nothing has arrived within +seconds+
      def receive(seconds)
        return nil unless @subscriber.waits?(seconds)

        message = @subscriber.read
        raise ServerFailure, "unexpected: #{message}" unless message.is_a?(Array)

        message.first == "pong" ? :pong : message
      end

      def invalidate(message)
        return unless message[0] == "message" && message[1] == CHANNEL

        keys = message[2]
        if keys.nil? # FLUSHALL, FLUSHDB
          @counts["flushes"] += 1
          begin_anew
          return
        end
        Array(keys).each do |key|
          @counts["invalidations"] += 1
          @local.forget(key)
        rescue BusyError
          begin_anew
        end
      end

      # Renews the promise, after the answer to a PING.
      def vouch
        @counts["lag"] = (now - @sent).round(6)
        # The first answer proves nothing. Each later answer proves that the invalidations from before the previous PING have arrived.
        return if @before.nil?

        @led = true
        @until = @before + @bound
        drop if now >= @until # this process was stopped for so long that the record may have ended
        return if @vouching && end_in_time { |left| @local.prolong(left) }

        begin_anew # the record has expired, or was evicted or cleared
      end

      # Makes a new record, which has no copies yet and ends before @until (see vouch).
      def begin_anew
        @vouching = end_in_time { |left| @local.begin(left) }
        drop unless @vouching
      end

      # Yields the number of seconds after which the record must end. The block stores this number as the record's time to live. If the
      # block was slow, this time to live ends too late. Then this method computes a new number, and yields again.
      # @return [Boolean] false if no time is left, or if the block returned false
      def end_in_time
        stop = @bound / STOPS
        loop do
          begun = now
          left = @until - stop - begun
          return false unless left.positive? && yield(left)
          return true if now - begun < stop
        end
      end

      def drop
        @vouching = false
        @local.forget_all
      end

      def disconnect
        drop if @vouching
        @subscriber&.close
        @tracker&.close
        say("not connected")
      end

      def say(state)
        report = { "state" => state, "prefix" => @prefix, "pid" => Process.pid, "bound" => @bound, **@counts, "at" => Time.now.to_i }
        @cache.set(Sync.report_key(@prefix), report, ttl: state == "leading" ? [1.0, 2 * @bound].max : 2 * LAST_PAUSE)
      end

      def rest(seconds)
        give_up = now + seconds
        sleep([give_up - now, STANDBY].min.clamp(0, STANDBY)) while now < give_up && !@stopped
      end

      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
