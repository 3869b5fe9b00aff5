# frozen_string_literal: true

$VERBOSE = true
require "minitest/autorun"
require "larder"
require "timeout"

module Larder
  # Shared by the tests.
  class TestCase < Minitest::Test
    FALLBACK = ENV.key?("LARDER_FALLBACK")
    # The errors of Marshal.load if a class is not known. Active Support's version raises a NameError.
    UNKNOWN_CLASS = [ArgumentError, NameError].freeze

    # A minimal Fiber::Scheduler, only for sleeping.
    class Scheduler
      def initialize = @sleeping = {}
      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      def fiber(&block) = Fiber.new(blocking: false, &block).tap(&:resume)
      def block(_blocker, timeout = nil) = kernel_sleep(timeout || 0)
      def unblock(*) = nil
      def io_wait(_io, events, _timeout) = events

      def kernel_sleep(seconds = 0)
        @sleeping[Fiber.current] = now + seconds
        Fiber.yield
      end

      def close
        until @sleeping.empty?
          fiber, time = @sleeping.min_by(&:last)
          IO.select(nil, nil, nil, [time - now, 0].max)
          @sleeping.delete(fiber)
          fiber.resume
        end
      end
    end

    def teardown
      @caches&.each(&:close)
      [@path, "#{@path}.lock"].each { |file| File.delete(file) if File.exist?(file) } if @path
    end

    # Returns a cache that is closed when the test ends.
    def new_cache(**options)
      cache = Cache.new(**options)
      (@caches ||= []) << cache
      cache
    end

    # Returns a path for the file of a store, which is removed when the test ends. Only a store with a file can have two handles.
    def new_path
      @path = "/dev/shm/larder-test-#{Process.pid}-#{object_id}"
      @path.dup
    end

    def shared_only
      skip "the store in plain Ruby is not shared" if FALLBACK
    end

    # Runs the block in a child; returns its result, or a String with its exception.
    def in_child
      reader, writer = IO.pipe(binmode: true)
      pid = fork do
        reader.close
        result =
          begin
            yield
          rescue Exception => e # rubocop:disable Lint/RescueException
            "#{e.class}: #{e.message} #{e.backtrace.first}"
          end
        writer.write(Marshal.dump(result))
        writer.close
        exit!(0)
      end
      writer.close
      text = reader.read
      _, status = Process.wait2(pid)
      assert status.success?, "the child ended with #{status.inspect}"
      Marshal.load(text)
    end

    # Fails if a block stays held. An ended Ruby thread holds blocks until its native thread ends. An abandoned fiber holds blocks until it
    # is collected.
    def assert_nothing_held(cache, patience: 60)
      return if FALLBACK

      give_up = Process.clock_gettime(Process::CLOCK_MONOTONIC) + patience
      until retired(cache).zero? || Process.clock_gettime(Process::CLOCK_MONOTONIC) > give_up
        GC.start
        sleep 0.1
      end
      assert_equal 0, retired(cache), "bytes are still held"
      assert_empty cache.fsck
    end

    # Deletes everything. Returns the bytes of deleted blocks that are still held.
    def retired(cache)
      cache.clear
      2.times { cache.sweep }
      cache.stats[:retired_bytes]
    end
  end
end
