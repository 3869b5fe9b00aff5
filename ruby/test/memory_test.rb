# frozen_string_literal: true

require_relative "helper"
require "objspace"

class MemoryTest < Larder::TestCase
  VALUES = [nil, 1, 2**62, 1.25, "text", "x" * 5000, :symbol, [1, "a", :b, nil, 1.5], { number: 1, value: nil, "k" => "v" },
            [[1], { a: [2] }], "x".encode("UTF-16LE"), 2**80].freeze

  def setup
    @cache = new_cache(size: 2**21)
  end

  # With GC.stress, the collector runs at each allocation. So start a small process, in which the collector has less to do.
  def test_gc_stress
    script = <<~CODE
      require "larder"
      cache = Larder::Cache.new(size: 2**21)
      values = [nil, 1, 2**62, 1.25, "text", "x" * 9000, :symbol, [1, "a", :b, nil, 1.5], { number: 1, value: nil, "k" => "v" },
                [[1], { a: [2] }], [["y" * 9000]], "x".encode("UTF-16LE"), 2**80]
      check = ->(good) { good or abort("wrong: \#{caller(1, 1).first}") }
      GC.stress = true
      values.each_with_index do |value, i|
        cache.set([i, "key"], value, ttl: 1000, flags: i)
        check[cache.get([i, "key"]) == value]
        check[cache.entry([i, "key"]).flags == i]
        cache.set("key", value, keepttl: true)
      end
      check[cache.fetch("f", ttl: 5, stale: 5) { "x" } == "x"]
      check[cache.to_a.size == values.size + 2]
      check[cache.batch { |batch| batch.set("b", [1]).get("b") } == [true, [1]]]
      cache.set("text", "abc")
      cache.view("text") do |view|
        bytes = view.each_byte
        check[view.get_string == "abc" && view.slice(1).getbyte(0) == 98 && view.byteindex("c") == 2 && bytes.next == 97]
        cache.delete("text")
        cache.set("other", "defg" * 100)
        check[view.get_string(1) == "bc" && bytes.next == 98 && view.get_value(:U16, 0) == 0x6162]
      end
      check[cache.increment("n", 5) == 5 && cache.stats[:entries] > 5 && cache.fsck == []]
      GC.stress = false
      cache.clear
      2.times { cache.sweep }
      check[!cache.stats[:shared] || cache.stats[:retired_bytes].zero?]
      print "good"
    CODE
    libraries = $LOAD_PATH.grep(%r{/(build/)?ruby(-asan)?/lib}).flat_map { |path| ["-I", path] }
    assert_equal "good", IO.popen([Gem.ruby, "-W0", "--disable=gems", *libraries, "-e", script], &:read)
  end

  def test_gc_compact
    skip "this Ruby cannot compact" unless GC.respond_to?(:compact)
    VALUES.each_with_index { |value, i| @cache.set("key#{i}", value) }
    10.times do
      VALUES.each_with_index { |value, i| assert_equal [value], [@cache.get("key#{i}")] }
      GC.compact
      @cache.view("key4") { |view| (GC.compact; assert_equal "text", view.get_string) }
    end
    twice = RUBY_VERSION < "3.2" ? :double_heap : :expand_heap
    GC.verify_compaction_references(twice => true, toward: :empty) if GC.respond_to?(:verify_compaction_references)
    VALUES.each_with_index { |value, i| assert_equal [value], [@cache.get("key#{i}")] }
    GC.auto_compact = true
    1000.times { |i| assert_equal [VALUES[i % VALUES.size]], [@cache.get("key#{i % VALUES.size}")] }
  ensure
    GC.auto_compact = false if GC.respond_to?(:auto_compact=)
  end

  def test_object_space
    @cache.set("marshal", [["x" * 20_000]])
    @cache.get("marshal")
    @cache.set("text", "x" * 20_000)
    @cache.view("text") do |_|
      ObjectSpace.each_object { |object| ObjectSpace.memsize_of(object) }
      ObjectSpace.reachable_objects_from(@cache)
      assert_operator ObjectSpace.memsize_of(@cache), :<, 4096
      ObjectSpace.trace_object_allocations { @cache.get("marshal") }
    end
    ObjectSpace.each_object(Larder::Cache, &:inspect)
  end

  def test_nothing_is_retained
    work = lambda do
      200.times do |i|
        @cache.set("key#{i % 20}", VALUES[i % VALUES.size])
        @cache.get("key#{i % 20}")
        @cache.entry("key#{i % 20}")
        @cache.fetch([i % 20]) { [i] }
        @cache.view("text") { nil } if @cache.set("text", "x")
        @cache.batch { |batch| batch.get("key1") }
        @cache.keys
      end
    end
    work.call
    3.times { GC.start }
    before = ObjectSpace.count_objects.then { |counts| counts[:TOTAL] - counts[:FREE] }
    10.times { work.call }
    3.times { GC.start }
    after = ObjectSpace.count_objects.then { |counts| counts[:TOTAL] - counts[:FREE] }
    assert_operator after - before, :<, 300
  end

  def test_abandoned_fibers_in_a_living_thread_give_back_what_they_held
    skip "nothing is held" if FALLBACK
    @cache.set("text", "x" * 10_000)
    make_fibers
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 60
    until retired(@cache).zero?
      # Overwrite stack frames of the last fibers, in which the collector might find references.
      make_fibers_of_something_else
      GC.start
      break if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline
    end
    # The collector is conservative, so it may keep one object for ever. The value that this object holds then stays, too.
    assert_operator retired(@cache), :<=, 2 * 10_240
  end

  def make_fibers
    50.times do |i|
      @cache.set("text", "x" * 10_000)
      Fiber.new { @cache.view("text") { Fiber.yield } }.resume
      @cache.set("text#{i}", "x")
    end
  end

  def make_fibers_of_something_else
    50.times { Fiber.new { Fiber.yield }.resume }
  end

  def test_an_empty_cache_costs_less_than_two_megabytes
    skip "it is a Hash" if FALLBACK
    rss = -> { File.read("/proc/self/smaps_rollup")[/^Rss:\s+(\d+)/, 1].to_i }
    new_cache.get("warm")
    GC.start
    before = rss.call
    new_cache.get("a")
    assert_operator rss.call - before, :<, 2048
  end

  def test_no_warnings
    shared_only
    out, = capture_subprocess_io do
      library = $LOAD_PATH.flat_map { |path| ["-I", path] }
      system(Gem.ruby, "-w", *library, "-e", <<~CODE, err: :out)
        require "larder"
        cache = Larder::Cache.new
        cache.set("a", "b")
        cache.view("a", &:size)
        cache.fetch("c") { 1 }
        cache.batch { |batch| batch.get("a") }
        cache.keys
        Ractor.make_shareable(cache)
      CODE
    end
    assert_empty out
  end
end
