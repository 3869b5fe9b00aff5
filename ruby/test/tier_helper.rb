# frozen_string_literal: true

require "helper"
require "tmpdir"

module Larder
  # Shared by the tests of Larder::Tier: starts processes that end with the test, and waits for conditions.
  module TierHelper
    PATIENCE = 60

    def setup
      skip "Active Support or the gem redis is missing" unless defined?(Tier)
      skip "redis-server is missing" unless system("redis-server --version", %i[out err] => File::NULL)
      skip "the store in plain Ruby is not shared" if TestCase::FALLBACK

      @folder = Dir.mktmpdir("larder-tier")
      @processes = []
      @socket = "#{@folder}/redis.sock"
    end

    def teardown
      @processes&.dup&.each { |pid| stop(pid) }
      super
      FileUtils.rm_rf(@folder) if @folder
      Dir.glob("/dev/shm/larder-tier-#{Process.pid}-*").each { |file| File.delete(file) }
    end

    def start(*command, **options)
      pid = spawn(*command, **options)
      @processes << pid
      pid
    end

    # @param within [Array<String>] a command that runs the server somewhere else, for example in a network namespace
    def start_server(*options, within: [])
      pid = start(*within, "redis-server", "--unixsocket", @socket, "--save", "", "--dir", @folder, *options, out: File::NULL)
      eventually { File.socket?(@socket) && client.ping == "PONG" }
      pid
    end

    def client
      ::Redis.new(path: @socket, reconnect_attempts: 0)
    rescue ::Redis::CannotConnectError
      nil
    end

    def start_sync(host, *options, within: [])
      start(*within, RbConfig.ruby, *$LOAD_PATH.map { |folder| "-I#{folder}" }, File.expand_path("../exe/larder-sync", __dir__),
            "--path=#{path_of(host)}", "--prefix=app:", *options, err: File::NULL)
    end

    def stop(pid, signal = :KILL)
      Process.kill(signal, pid)
      Process.wait(pid)
      @processes.delete(pid)
    rescue Errno::ESRCH, Errno::ECHILD
      nil
    end

    def eventually
      give_up = now + PATIENCE
      until (value = (yield rescue false))
        flunk "nothing within #{PATIENCE} s" if now > give_up
        sleep 0.01
      end
      value
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def path_of(host) = "/dev/shm/larder-tier-#{Process.pid}-#{host}"

    # Counts the requests to the server.
    def reads
      client.info("commandstats").dig("get", "calls").to_i
    end
  end
end
