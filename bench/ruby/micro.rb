# frozen_string_literal: true

# Measures the cost of one operation in Ruby, for Larder, ActiveSupport's stores, and the pogocache gem if it is installed.
#   ruby -I build/ruby/lib -I ruby/lib bench/ruby/micro.rb [--rounds N] [--keys N] [--no-memory]
# Times are CPU times of this process, with the loop, the key and the value. They are medians of interleaved rounds. Before the measurement,
# one pass checks each answer.

require "active_support"
require "active_support/cache"
require "benchmark/memory"
require "larder"
require "active_support/cache/larder_store"
require "optparse"
require "tmpdir"

class Micro
  BATCH = 1000

  def initialize(rounds:, keys:, memory:)
    @rounds = rounds
    @count = keys
    @memory = memory
    @times = Hash.new { |times, name| times[name] = [] }
  end

  def run
    stores
    @rounds.times { |round| measure(round) }
    table
    batches
    values
    processes
    memory if @memory
    resident
  end

  private

  # Each cache has a function for writing, and one for reading.
  def stores
    memory = ActiveSupport::Cache::MemoryStore.new(size: 256 * 2**20)
    @larder = larder = Larder::Cache.new
    rails = ActiveSupport::Cache.lookup_store(:larder_store, size: 64 * 2**20)
    @stores = {
      "MemoryStore" => [->(key, value) { memory.write(key, value) }, ->(key) { memory.read(key) }],
      "Larder" => [->(key, value) { larder.set(key, value) }, ->(key) { larder.get(key) }],
      "LarderStore" => [->(key, value) { rails.write(key, value) }, ->(key) { rails.read(key) }]
    }
    add_pogocache
  end

  def add_pogocache
    gem "pogocache-ruby"
    require "pogocache-ruby"
    pogocache = Pogocache::Cache.new(usecas: true, nosixpack: true)
    @stores["pogocache"] = [->(key, value) { pogocache.set(key, value) }, ->(key) { pogocache.get(key) }]
  rescue Gem::LoadError
    @missing = "pogocache gem: not installed; its README has 3.3x (write) and 2.2x (read) of MemoryStore"
  end

  def processor
    GC.start
    before = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    yield
    Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - before
  end

  # Measures a block of many operations, and adds the microseconds per operation to @times.
  def note(name, count = @count, &block)
    @times[name] << processor(&block) * 1e6 / count
  end

  def median(name)
    times = @times.fetch(name).sort
    times[times.size / 2]
  end

  def measure(round)
    note("loop") { @count.times { |i| ["key#{i}", { number: i, value: nil }] } }
    @stores.to_a.rotate(round).each do |name, (write, read)|
      note("#{name} write") { @count.times { |i| write.call("key#{i}", { number: i, value: nil }) } }
      note("#{name} read") { @count.times { |i| read.call("key#{i}") } }
      @count.times { |i| read.call("key#{i}") == { number: i, value: nil } or abort "#{name}: wrong value of key#{i}" } if round.zero?
    end
    measure_batch
  end

  def measure_batch
    larder = @larder
    each_part do |name, part, batch|
      results = part.map { |i| larder.set("key#{i}", { number: i, value: nil }) } unless batch
      results ||= larder.batch { |together| part.each { |i| together.set("key#{i}", { number: i, value: nil }) } }
      results.all?(true) or abort "#{name}: not written"
    end
    each_part do |name, part, batch|
      results = part.map { |i| larder.get("key#{i}") } unless batch
      results ||= larder.batch { |together| part.each { |i| together.get("key#{i}") } }
      results[-1] == { number: part.last, value: nil } or abort "#{name}: wrong value"
    end
  end

  def each_part(&block)
    kind = @kind = @kind == "write" ? "read" : "write"
    { "single" => false, "batch" => true }.each do |name, batch|
      note("#{name} #{kind}") { (0...@count).each_slice(BATCH) { |part| block.call(name, part, batch) } }
    end
  end

  def table
    puts "#{@count} keys, { number: i, value: nil }; Ruby #{RUBY_VERSION}, Active Support #{ActiveSupport::VERSION::STRING}; " \
         "the loop, key and value alone: #{format("%.2f", median("loop"))} µs"
    puts "                 write µs   vs MemoryStore    read µs   vs MemoryStore"
    @stores.each_key do |name|
      write, read = %w[write read].map { |kind| median("#{name} #{kind}") }
      puts format("%-16s %8.2f %15.1fx %10.2f %15.1fx", name, write, median("MemoryStore write") / write, read,
                  median("MemoryStore read") / read)
    end
    puts @missing if @missing
  end

  def batches
    puts "\nLarder, #{BATCH} operations at once, results collected"
    %w[write read].each do |kind|
      single, batch = median("single #{kind}"), median("batch #{kind}")
      puts format("%-16s %8.2f µs one by one, %.2f in a batch: %.2fx", kind, single, batch, single / batch)
    end
  end

  VALUES = { "Integer" => 5, "String of 100" => "x" * 100, "String of 100 kB" => "x" * 100_000,
             "Array of 100 Strings" => Array.new(100) { |i| "text #{i}" }, "Struct, nested" => [{ a: [1, 2], b: { c: "x" } }] * 20,
             "100 kB by Marshal" => [["x" * 100_000]] }.freeze

  # Measures other kinds of values. Each has only one key, which is in the processor's caches.
  def values
    puts "\nother values, one key     write µs    read µs   Marshal.dump µs   Marshal.load µs"
    count = 3000
    VALUES.each do |name, value|
      text = Marshal.dump(value)
      @rounds.times do
        note("#{name} write", count) { count.times { @larder.set("value", value) } }
        note("#{name} read", count) { count.times { @larder.get("value") } }
        note("#{name} dump", count) { count.times { Marshal.dump(value) } }
        note("#{name} load", count) { count.times { Marshal.load(text) } }
      end
      @larder.get("value") == value or abort "wrong #{name}"
      puts format("%-22s %11.2f %10.2f %17.2f %17.2f", name, *%w[write read dump load].map { |kind| median("#{name} #{kind}") })
    end
  end

  # Measures the CPU time of each of two processes that use one cache at the same time.
  def processes
    reader, writer = IO.pipe
    pids = Array.new(2) do |number|
      fork do
        times = Array.new(@rounds) do
          processor { @count.times { |i| @larder.get("key#{i}")[:number] == i or abort "wrong value" } }
        end
        writer.puts(format("%d %.2f", number, times.min * 1e6 / @count))
        exit!(0)
      end
    end
    pids.each { |pid| Process.wait2(pid).last.success? or abort "a process failed" }
    writer.close
    puts "\ntwo processes read one cache at once: #{reader.read.lines.sort.map { |line| "#{line.split.last} µs" }.join(", ")} a read"
  end

  def memory
    @stores.slice("MemoryStore", "Larder", "pogocache").each_value { |_, read| read.call("key0") }
    { "WRITE" => 0, "READ" => 1 }.each do |kind, index|
      puts "\nmemory, #{kind} of #{@count} keys"
      Benchmark.memory do |report|
        @stores.slice("MemoryStore", "Larder", "pogocache").each do |name, calls|
          report.report(name) do
            @count.times { |i| index.zero? ? calls[0].call("key#{i}", { number: i, value: nil }) : calls[1].call("key#{i}") }
          end
        end
      end
    end
  end

  def resident
    rss = -> { File.read("/proc/self/smaps_rollup")[/^Rss:\s+(\d+)/, 1].to_i }
    before = rss.call
    cache = Larder::Cache.new
    cache.get("key")
    puts format("\nan empty cache of 64 MB: %.2f MB of resident memory", (rss.call - before) / 1024.0)
    cache.close
  end
end

options = { rounds: 7, keys: 100_000, memory: true }
OptionParser.new do |parser|
  parser.on("--rounds N", Integer) { |value| options[:rounds] = value }
  parser.on("--keys N", Integer) { |value| options[:keys] = value }
  parser.on("--[no-]memory") { |value| options[:memory] = value }
end.parse!
Micro.new(**options).run
