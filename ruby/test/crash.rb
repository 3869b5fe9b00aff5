# frozen_string_literal: true

# Kills random workers while they use one cache. Checks that values are whole, that no increment is lost, that all workers go on, and that
# no worker waits long for a killed worker.
# - A call waited if it slept (ru_nvcsw of getrusage(2); without fiddle, voluntary_ctxt_switches of proc(5)).
# - Calls also wait for a processor, so a wait is the call's time minus its CPU time, minus its time in a run queue (schedstat of proc(5)).
# - With chrt(1), the test also subtracts the time for which the host took processors away, and reports it separately.
#
#   ruby test/crash.rb [--seconds N] [--workers N] [--break]
# --break: workers note each increment twice, so that the check of the counters must fail.

require "larder"
require "etc"
require "optparse"
begin
  require "fiddle"
rescue LoadError
  nil # a Ruby for musl has no fiddle without libffi
end

class Crash
  KEYS = 200
  COUNTERS = 8

  def initialize(seconds:, workers:, broken:)
    @seconds = seconds
    @workers = workers
    @broken = broken
    @cache = Larder::Cache.new(size: 8 * 2**20)
    @ledger = Larder::Cache.new(size: 2**20) # number of a worker => number of its increments, which only this worker writes
    @children = {}
    @kills = 0
  end

  def run
    started = now
    stalls = Stalls.new
    reader, @results = IO.pipe
    slow = Thread.new { reader.read }
    @workers.times { |number| start(number) }
    while now - started < @seconds
      sleep rand * 0.02
      kill
    end
    stop
    @results.close
    report(slow.value, stalls.stop)
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
    # Count only workers that have exited with an error. A worker that SIGTERM has killed is no failure: a worker that was just started
    # does not handle this signal yet.
    @failed = @children.each_key.count { |pid| Process.wait2(pid).last.then { |status| status.exited? && !status.success? } }
  end

  def report(text, stalls)
    counted = COUNTERS.times.sum { |i| @cache.get("counter#{i}", 0) }
    noted = @ledger.to_h.sum { |_, count| count }
    # A worker may have been killed after its increment and before its note in @ledger.
    lost = noted - counted
    slow = text.lines.map { |line| line.split.map(&:to_f) }
    puts "#{@kills} workers killed in #{@seconds} s"
    puts "counters: #{counted}, noted: #{noted}, which may be up to #{@kills} less"
    {
      "what the host took from processors" => stalls.map { |from, to| to - from },
      "calls" => slow.map { |from, to, _| to - from },
      "of those, waits for other workers" => slow.map { |from, to, wait| [wait - overlap(stalls, from, to), 0].max },
    }.each { |name, ms| puts format("  %-36s longest %4.1f ms, above 5 ms: %d", name, ms.max.to_f, ms.count { |one| one > 5 }) }
    problems = []
    problems << "#{@failed} workers found something wrong" unless @failed.zero?
    problems << "#{lost} increments are lost" if lost.positive?
    problems << "#{-lost} increments too many" if -lost > @kills
    problems.concat(@cache.fsck.first(5))
    problems << "nothing was killed" if @kills.zero?
    puts problems.empty? ? "all right" : problems
    exit(problems.empty?)
  end

  def overlap(stalls, from, to)
    stalls.sum { |start, stop| [[stop, to].min - [start, from].max, 0].max }
  end

  # Watches each processor with a process of real-time priority, which only the host can stop.
  class Stalls
    STEP = 0.5 # milliseconds between two looks at the clock
    LATE = 1.0 # milliseconds; a look that is late by more than this counts as a stall

    def initialize
      reader, writer = IO.pipe
      @watchers = Etc.nprocessors.times.map { |processor| fork { watch(processor, writer) } }
      writer.close
      @found = Thread.new { reader.read }
    end

    # Returns the begin and the end of each stall in milliseconds.
    def stop
      @watchers.each { |pid| Process.kill(:KILL, pid) && Process.wait(pid) }
      @found.value.lines.map { |line| line.split.map(&:to_f) }
    end

    private

    def watch(processor, writer)
      commands = [%W[taskset --pid --cpu-list #{processor} #{$$}], %W[chrt --fifo --pid 1 #{$$}]]
      exit!(0) unless commands.all? { |command| system(*command, %i[out err] => File::NULL) }
      parent = Process.ppid
      before = now
      while Process.ppid == parent
        sleep STEP / 1000
        after = now
        writer.syswrite(format("%.3f %.3f\n", before, after)) if after - before > STEP + LATE
        before = after
      end
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC, :float_millisecond)
    end
  end

  # The work of one process.
  class Worker
    def initialize(cache, ledger, number, results, broken)
      @cache = cache
      @ledger = ledger
      @number = number
      @results = results
      @step = broken ? 2 : 1
      @random = Random.new
      @schedstat = File.open("/proc/self/schedstat")
      @status = File.open("/proc/self/status") unless defined?(Fiddle)
      @getrusage, @rusage = getrusage if defined?(Fiddle)
    end

    def getrusage
      call = Fiddle::Function.new(Fiddle::Handle::DEFAULT["getrusage"], [Fiddle::TYPE_INT, Fiddle::TYPE_VOIDP], Fiddle::TYPE_INT)
      [call, Fiddle::Pointer.malloc(144, Fiddle::RUBY_FREE)]
    end

    def run
      done = false
      trap(:TERM) { done = true }
      @count = @ledger.get(@number, 0)
      measure until done
      exit!(0)
    rescue Larder::BusyError
      retry
    rescue Exception => e # rubocop:disable Lint/RescueException
      warn "worker #{@number}: #{e.class}: #{e.message} #{e.backtrace.first(3)}"
      exit!(1)
    end

    # Measures one call. If it took 1 ms or longer, writes its times to @results at once, because this process may be killed.
    def measure
      before = times
      operate
      after = times
      took, computed, queued, slept = after.zip(before).map { |one, other| one - other }
      return if took < 1

      @results.write(format("%.3f %.3f %.3f\n", before[0], after[0], slept.zero? ? 0 : took - computed - queued))
    end

    # Returns the clock, this thread's CPU time and its time in a run queue (ms), and the number of its sleeps.
    def times
      queued = @schedstat.pread(64, 0).split[1].to_i / 1e6
      [clock(Process::CLOCK_MONOTONIC), clock(Process::CLOCK_THREAD_CPUTIME_ID), queued, sleeps]
    end

    def sleeps
      return @status.pread(4096, 0)[/^voluntary_ctxt_switches:\s+(\d+)/, 1].to_i if @status

      @getrusage.call(0, @rusage)
      @rusage[128, 8].unpack1("q")
    end

    def clock(id)
      Process.clock_gettime(id, :float_millisecond)
    end

    def operate
      key = @random.rand(KEYS)
      case @random.rand(10)
      when 0..3 then check(key, @cache.get("key#{key}"))
      when 4..5 then @cache.set("key#{key}", value(key, @random.rand(1..3000)))
      when 6 then count
      when 7 then @cache.view("text#{key}") { |view| check_text(key, view.get_string) }
      when 8 then @cache.set("text#{key}", "#{key % 10}" * @random.rand(1..20_000))
      else @random.rand(20).zero? ? @cache.delete("key#{key}") : check(key, @cache.fetch("key#{key}") { value(key, 10) })
      end
    end

    # The increment comes first, so a killed worker leaves @ledger too low, never too high.
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
