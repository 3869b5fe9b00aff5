# frozen_string_literal: true

# Runs Puma with several workers under load: with MemoryStore, with FileStore, and with Larder. Then kills workers.
#   ruby -I build/ruby/lib -I ruby/lib demo/ruby/run.rb [--workers N] [--seconds N] [--kill-seconds N]

require "net/http"
require "optparse"
require "socket"
require "tmpdir"

# A Puma server with its workers.
class Server
  HERE = __dir__

  attr_reader :port

  def initialize(store, workers, folder)
    @port = TCPServer.open("127.0.0.1", 0) { |server| server.addr[1] }
    environment = { "DEMO_STORE" => store, "DEMO_FOLDER" => File.join(folder, "file"), "RUBYLIB" => $LOAD_PATH.first(2).join(":") }
    @log = File.join(folder, "#{store}.log")
    @pid = spawn(environment, "puma", "--quiet", "--workers", workers.to_s, "--threads", "2:2", "--preload",
                 "--bind", "tcp://127.0.0.1:#{@port}", File.join(HERE, "app.ru"), %i[out err] => @log, :pgroup => true)
    wait(workers)
  end

  def get(path)
    Net::HTTP.get("127.0.0.1", path, @port)
  end

  def workers
    File.read("/proc/#{@pid}/task/#{@pid}/children").split.map(&:to_i)
  end

  # Returns the CPU time of all workers, in seconds.
  def processor
    ticks = workers.sum { |pid| File.read("/proc/#{pid}/stat").split(") ").last.split.values_at(11, 12).sum(&:to_i) }
    ticks.fdiv(100)
  end

  # Returns the memory of all workers in megabytes. A page that several workers share counts once.
  def memory
    workers.sum { |pid| File.read("/proc/#{pid}/smaps_rollup")[/^Pss:\s+(\d+)/, 1].to_i }.fdiv(1024)
  end

  def stop
    Process.kill(:TERM, @pid)
    Process.wait(@pid)
  rescue Errno::ESRCH, Errno::ECHILD
    nil
  end

  private

  def wait(count)
    600.times do
      ready = begin
        get("/") == "ready" && workers.size == count
      rescue SystemCallError
        false
      end
      return if ready
      raise "Puma has ended:\n#{File.read(@log)}" if Process.wait(@pid, Process::WNOHANG)

      sleep 0.1
    end
    raise "Puma does not answer:\n#{File.read(@log)}"
  end
end

# Parse the output of wrk.
Load = Struct.new(:right, :wrong, :hits, :lost, :seconds, :median, :slow) do
  def self.run(port, seconds)
    output = IO.popen(["wrk", "-t2", "-c16", "-d#{seconds}s", "-s", File.join(__dir__, "load.lua"), "http://127.0.0.1:#{port}/"], &:read)
    puts output.lines.grep(/^WRONG/)
    new(*output[/^RESULT (.*)$/, 1].split.map(&:to_f))
  end

  def rate = right / seconds
  def hit_rate = 100 * hits / right
end

class Demo
  COUNTS = 2000
  STORES = { "memory" => "MemoryStore", "file" => "FileStore", "larder" => "Larder" }.freeze

  def initialize(workers:, seconds:, kill_seconds:)
    @workers = workers
    @seconds = seconds
    @kill_seconds = kill_seconds
    @wrong = 0
  end

  def run
    Dir.mktmpdir("larder-demo") do |folder|
      puts "Puma, #{@workers} workers, 2 threads each; 1,000 items that take a millisecond or more to compute;"
      puts "a counter is asked #{COUNTS} times afterwards\n\n"
      puts "                requests/s   median ms    p99 ms   CPU µs/request   hit rate   computed   memory MB   counter"
      STORES.each { |store, name| measure(store, name, folder) }
      measure("larder", "with 1 worker", folder, 1)
      kill(folder)
    end
    puts "\n#{@wrong.zero? ? "all answers were right" : "#{@wrong.to_i} answers were wrong"}"
    exit(@wrong.zero?)
  end

  private

  def with_server(store, folder, workers = @workers)
    server = Server.new(store, workers, folder)
    yield server
  ensure
    server&.stop
  end

  def measure(store, name, folder, workers = @workers)
    with_server(store, folder, workers) do |server|
      before = server.processor
      load = Load.run(server.port, @seconds)
      used = server.processor - before
      memory = server.memory
      counter = count(server)
      @wrong += load.wrong
      @wrong += 1 if store == "larder" && counter != COUNTS
      puts format("%-14s %11.0f %11.1f %9.1f %16.0f %9.1f%% %10d %11.0f %9d", name, load.rate, load.median, load.slow,
                  1e6 * used / load.right, load.hit_rate, load.right - load.hits, memory, counter)
    end
  end

  # Increments the counter through many requests from several threads. Returns the largest answer.
  def count(server)
    Array.new(4) do
      Thread.new do
        Net::HTTP.start("127.0.0.1", server.port) do |http|
          Array.new(COUNTS / 4) { http.get("/count").body.to_i }.max
        end
      end
    end.map(&:value).max
  end

  def kill(folder)
    with_server("larder", folder) do |server|
      before = Load.run(server.port, 2)
      load = Thread.new { Load.run(server.port, @kill_seconds) }
      killed = kill_workers(server, @kill_seconds)
      meanwhile = load.value
      after = Load.run(server.port, 2)
      answers = [before, meanwhile, after]
      @wrong += answers.sum(&:wrong)
      counter = count(server)
      @wrong += 1 if counter != COUNTS
      puts "\n#{killed} workers killed in #{@kill_seconds} s, with Larder:"
      puts format("  requests/s   %.0f before, %.0f meanwhile, %.0f after", *answers.map(&:rate))
      puts format("  answers      %d right, %d wrong, %d lost with their worker", answers.sum(&:right), answers.sum(&:wrong), meanwhile.lost)
      puts format("  hit rate     %.1f%% before, %.1f%% meanwhile, %.1f%% after", *answers.map(&:hit_rate))
      puts format("  a counter    asked %d times afterwards: %d", COUNTS, counter)
    end
  end

  def kill_workers(server, seconds)
    killed = 0
    finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
    while Process.clock_gettime(Process::CLOCK_MONOTONIC) < finish
      sleep 0.1 + rand * 0.2
      pid = server.workers.sample or next
      begin
        Process.kill(:KILL, pid)
        killed += 1
      rescue Errno::ESRCH
        next
      end
    end
    killed
  end
end

options = { workers: 4, seconds: 6, kill_seconds: 5 }
OptionParser.new do |parser|
  parser.on("--workers N", Integer) { |value| options[:workers] = value }
  parser.on("--seconds N", Integer) { |value| options[:seconds] = value }
  parser.on("--kill-seconds N", Integer) { |value| options[:kill_seconds] = value }
end.parse!
Demo.new(**options).run
