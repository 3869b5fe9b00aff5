# frozen_string_literal: true

# Kills workers at random while they use one cache, and checks what is left: every value that is read is one that was
# written whole; no counted increment is lost; everybody goes on.
#   ruby test/crash.rb [--seconds N] [--workers N] [--break]
# --break: workers count twice what they do once, so that the check of the counters has to fail.

require "larder"
require "optparse"

class Crash
  KEYS = 200
  COUNTERS = 8

  def initialize(seconds:, workers:, broken:)
    @seconds = seconds
    @workers = workers
    @broken = broken
    @cache = Larder::Cache.new(size: 8 * 2**20)
    @ledger = Larder::Cache.new(size: 2**20) # what each worker has counted, its own to write
    @children = {}
    @kills = 0
    @latencies = Hash.new(0)
  end

  def run
    started = now
    reader, @results = IO.pipe
    @workers.times { |number| start(number) }
    while now - started < @seconds
      sleep rand * 0.02
      kill
    end
    stop
    @results.close
    report(reader.read)
  end

  private

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  def start(number)
    @children[fork { Worker.new(@cache, @ledger, number, @results, @broken).run }] = number
  end

  def kill
    pid, number = @children.to_a.sample
    Process.kill(:KILL, pid)
    Process.wait(pid)
    raise "a worker found something wrong" if $?.exited?

    @children.delete(pid)
    @kills += 1
    start(number)
  end

  def stop
    @children.each_key { |pid| Process.kill(:TERM, pid) }
    # One that has just been started may not yet know the signal.
    @failed = @children.each_key.count { |pid| Process.wait2(pid).last.then { |status| status.exited? && !status.success? } }
  end

  def report(text)
    counted = COUNTERS.times.sum { |i| @cache.get("counter#{i}", 0) }
    noted = @ledger.to_h.sum { |_, count| count }
    # One that was killed between its increment and its note.
    lost = noted - counted
    workers = text.lines.map { |line| line.split.map(&:to_f) }
    puts "#{@kills} workers killed in #{@seconds} s"
    puts "counters: #{counted}, noted: #{noted}, which may be up to #{@kills} less"
    puts "of the workers that were left at the end:"
    ["gets, which wait for nothing", "others"].each_with_index do |name, i|
      slowest = workers.map { |worker| worker[i] }.max.to_f
      late, all = [2, 4].map { |at| workers.sum { |worker| worker[at + i] } }
      puts format("  %-29s %7d, of them above 5 ms %.3f%%, the slowest %.1f ms", name, all, 100 * late / [all, 1].max, slowest)
    end
    puts "  busy                          #{workers.sum(&:last).to_i}"
    problems = []
    problems << "#{@failed} workers found something wrong" unless @failed.zero?
    problems << "#{lost} increments are lost" if lost.positive?
    problems << "#{-lost} increments too many" if -lost > @kills
    problems.concat(@cache.fsck.first(5))
    problems << "nothing was killed" if @kills.zero?
    puts problems.empty? ? "all right" : problems
    exit(problems.empty?)
  end

  # One process.
  class Worker
    def initialize(cache, ledger, number, results, broken)
      @cache = cache
      @ledger = ledger
      @number = number
      @results = results
      @step = broken ? 2 : 1
      @random = Random.new
      # Of gets, and of all else.
      @slowest = [0.0, 0.0]
      @late = [0, 0]
      @operations = [0, 0]
      @busy = 0
    end

    def run
      done = false
      trap(:TERM) { done = true }
      @count = @ledger.get(@number, 0)
      measure until done
      @results.write("#{[*@slowest, *@late, *@operations, @busy].join(" ")}\n")
      exit!(0)
    rescue Larder::BusyError
      @busy += 1
      retry
    rescue Exception => e # rubocop:disable Lint/RescueException
      warn "worker #{@number}: #{e.class}: #{e.message} #{e.backtrace.first(3)}"
      exit!(1)
    end

    def measure
      before = clock
      waits = operate
      took = clock - before
      @slowest[waits ? 1 : 0] = [@slowest[waits ? 1 : 0], took].max
      @late[waits ? 1 : 0] += 1 if took > 5
      @operations[waits ? 1 : 0] += 1
    end

    def clock
      Process.clock_gettime(Process::CLOCK_MONOTONIC, :float_millisecond)
    end

    # True: it was one that may wait.
    def operate
      key = @random.rand(KEYS)
      kind = @random.rand(10)
      case kind
      when 0..3 then check(key, @cache.get("key#{key}"))
      when 4..5 then @cache.set("key#{key}", value(key, @random.rand(1..3000)))
      when 6 then count
      when 7 then @cache.view("text#{key}") { |buffer| check_text(key, buffer.get_string) }
      when 8 then @cache.set("text#{key}", "#{key % 10}" * @random.rand(1..20_000))
      else @random.rand(20).zero? ? @cache.delete("key#{key}") : check(key, @cache.fetch("key#{key}") { value(key, 10) })
      end
      kind > 3
    end

    # The note comes after: it may be missing, never too much.
    def count
      @cache.increment("counter#{@random.rand(COUNTERS)}")
      @count += @step
      @ledger.set(@number, @count)
    end

    def value(key, size)
      kind = size % 3
      text = key.to_s * size
      case kind
      when 0 then { number: key, size: size, text: text }
      when 1 then [key, size, text]
      else [{ nested: [key, size, text] }]
      end
    end

    def check(key, value)
      return if value.nil?

      size = value.is_a?(Hash) ? value[:size] : value.flatten.then { |list| list[0].is_a?(Hash) ? list[0][:nested][1] : list[1] }
      raise "wrong value of key #{key}" unless value == value(key, size)
    end

    def check_text(key, text)
      raise "wrong text of key #{key}" unless text.delete((key % 10).to_s).empty? && !text.empty?
    end
  end
end

options = { seconds: 60, workers: 4, broken: false }
OptionParser.new do |parser|
  parser.on("--seconds N", Integer) { |value| options[:seconds] = value }
  parser.on("--workers N", Integer) { |value| options[:workers] = value }
  parser.on("--break") { options[:broken] = true }
end.parse!
Warning[:experimental] = false
Crash.new(**options).run
