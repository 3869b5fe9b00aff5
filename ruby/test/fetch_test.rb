# frozen_string_literal: true

require_relative "helper"

class FetchTest < Larder::TestCase
  def setup
    @cache = new_cache
  end

  def test_computes_once_and_keeps_the_value
    calls = 0
    3.times { assert_equal "a!", @cache.fetch("a") { |key| (calls += 1; "#{key}!") } }
    assert_equal 1, calls
    @cache.fetch("b", ttl: 1000) { 1 }
    assert_in_delta 1000, @cache.entry("b").ttl, 500
    assert_equal 2, @cache.fetch("b", force: true) { 2 }
    assert_equal 2, @cache.get("b")
  end

  def test_nil_and_false_are_values
    2.times { assert_nil @cache.fetch("nil") { nil } }
    assert @cache.key?("nil")
    assert_equal false, @cache.fetch("false") { false }
    assert_equal false, @cache.fetch("false") { flunk }
    assert_nil @cache.fetch("skipped", skip_nil: true) { nil }
    refute @cache.key?("skipped")
  end

  def test_what_cannot_be_loaded_is_computed_anew
    [{}, { ttl: 60, stale: 5 }].each do |options|
      self.class.const_set(:Gone, Struct.new(:id))
      @cache.set_multi({ "a" => [Gone.new(1)], "b" => [Gone.new(1)] })
      @cache.set("c", 1)
      self.class.send(:remove_const, :Gone)
      assert_raises(*UNKNOWN_CLASS) { @cache.get("a") }
      assert_equal({ "c" => 1 }, @cache.get_multi("a", "b", "c"))
      assert_raises(KeyError) { @cache.fetch("a", **options) }
      assert_equal 2, @cache.fetch("a", **options) { 2 }
      assert_equal [2, 2], [@cache.get("a"), @cache.fetch("a", **options) { flunk }]
      self.class.const_set(:Gone, Struct.new(:id, :name)) # the class of the stored value has changed
      assert_raises(TypeError) { @cache.get("b") }
      assert_equal 3, @cache.fetch("b", **options) { 3 }
      self.class.send(:remove_const, :Gone)
      [proc {}, "k" * 70_000].each do |bad|
        assert_raises(TypeError, ArgumentError) { @cache.fetch(bad, **options) { flunk } }
        assert_raises(TypeError, ArgumentError) { @cache.get_multi(bad) }
      end
    end
    assert_nothing_held @cache
  end

  def test_without_a_block
    error = assert_raises(KeyError) { @cache.fetch("none") }
    assert_equal ["none", @cache], [error.key, error.receiver]
    assert_raises(ArgumentError) { @cache.fetch("none", force: true) }
    @cache.set("a", 1)
    assert_equal 1, @cache.fetch("a")
  end

  def test_an_exception_from_another_thread_leaves_nothing_behind
    stop = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 3
    left = nil
    Thread.new { left = left_after_a_timeout("a") until left || Process.clock_gettime(Process::CLOCK_MONOTONIC) > stop }.join
    assert_nil left
    assert_nothing_held @cache
  end

  def left_after_a_timeout(key)
    begin
      Timeout.timeout(0.0005) { loop { (@cache.delete(key); @cache.fetch(key, wait: 5) { 1 }) } }
    rescue Timeout::Error
      nil
    rescue StandardError => e
      return "#{e.class}: #{e.message}"
    end
    notes = [Thread.current[:larder_computing], Thread.current.thread_variable_get(:larder_reservations)]
    return "notes are left" unless notes.compact.all?(&:empty?)

    @cache.delete(key)
    "it is still reserved" unless @cache.send(:reserve, key, 0, 5000) { nil } == :done
  end

  def test_an_exception_stores_nothing_and_lets_the_next_one_compute
    assert_raises(ZeroDivisionError) { @cache.fetch("a") { 1 / 0 } }
    refute @cache.key?("a")
    assert_equal 1, @cache.fetch("a") { 1 }
  end

  def test_a_block_that_asks_for_its_own_key
    error = assert_raises(Larder::Error) { @cache.fetch("a") { @cache.fetch("a") { 1 } } }
    assert_match(/its own block/, error.message)
    assert_equal 3, @cache.fetch("a") { @cache.fetch("b") { 1 } + 2 }
  end

  # An object that says it is equal to everything.
  class Equal
    def ==(_other) = true
    def marshal_dump = 1
    def marshal_load(_); end
  end

  def test_a_block_that_asks_for_another_key_that_is_equal
    assert_equal 1, @cache.fetch(1) { @cache.fetch(1.0) { 1 } }
    assert_equal 2, @cache.fetch([1]) { @cache.fetch([1.0]) { 2 } }
    assert_equal 3, @cache.fetch(Equal.new) { @cache.fetch("other") { 3 } }
    [[:a, "a"], ["\u00e9", "\u00e9".b], [["x"], ["x".b.force_encoding("UTF-8")]]].each do |one, same|
      assert_raises(Larder::Error) { @cache.fetch(one) { @cache.fetch(same) { 1 } } }
    end
  end

  def test_bad_arguments_are_named_before_anything_is_computed
    { wait: "x", stale: "x", ttl: "5" }.each do |name, value|
      error = assert_raises(TypeError) { @cache.fetch("a", **{ name => value }) { flunk } }
      assert_match(/\A#{name} must be a number of seconds/, error.message)
    end
    { wait: -1, stale: -1, ttl: -1 }.each do |name, value|
      error = assert_raises(ArgumentError) { @cache.fetch("a", **{ name => value }) { flunk } }
      assert_match(/\A#{name} must be/, error.message)
    end
    assert_raises(TypeError) { @cache.fetch("a", wait: nil) { flunk } }
    assert_raises(TypeError) { @cache.fetch("a", ttl: "5", stale: 1) { flunk } }
    assert_equal 1, @cache.fetch("a", wait: Float::INFINITY) { 1 }
    assert_equal 2, @cache.fetch("b", wait: 0, ttl: 1r, stale: 0) { 2 }
  end

  def test_threads_compute_once
    calls = Queue.new
    values = Array.new(8) do
      Thread.new { @cache.fetch("slow") { (calls << 1; sleep 0.1; "value") } }
    end.map(&:value)
    assert_equal ["value"] * 8, values
    assert_equal 1, calls.size
  end

  def test_processes_compute_once
    shared_only
    @cache.set("calls", 0)
    pids = Array.new(4) do
      fork do
        value = @cache.fetch("slow") { (@cache.increment("calls"); sleep 0.2; "value") }
        exit!(value == "value" ? 0 : 1)
      end
    end
    assert(pids.all? { |pid| Process.wait2(pid).last.success? })
    assert_equal 1, @cache.get("calls")
  end

  def test_who_computes_is_killed
    shared_only
    reader, writer = IO.pipe
    pid = fork { @cache.fetch("slow") { (writer.write("x"); sleep 60) } }
    reader.read(1)
    waiting = Thread.new { @cache.fetch("slow") { "mine" } }
    sleep 0.05
    Process.kill(:KILL, pid)
    Process.wait(pid)
    assert_equal "mine", waiting.value
  end

  def test_stale_values_go_to_all_but_one
    @cache.fetch("a", ttl: 0.02, stale: 1000) { "old" }
    sleep 0.05
    started = Queue.new
    finish = Queue.new
    computing = Thread.new { @cache.fetch("a", ttl: 1000, stale: 1000) { (started << 1; finish.pop; "new") } }
    started.pop
    assert_equal "old", @cache.fetch("a", ttl: 1000, stale: 1000) { flunk }
    finish << 1
    assert_equal "new", computing.value
    assert_equal "new", @cache.fetch("a", ttl: 1000, stale: 1000) { flunk }
  end

  def test_who_waits_too_long_computes_for_himself
    started = Queue.new
    finish = Queue.new
    slow = Thread.new { @cache.fetch("a") { (started << 1; finish.pop; "slow") } }
    started.pop
    assert_equal "impatient", @cache.fetch("a", wait: 0.05) { "impatient" }
    finish << 1
    assert_equal "slow", slow.value
  end

  def test_fibers_of_a_thread_do_not_wait_for_each_other
    fiber = Fiber.new { @cache.fetch("a") { Fiber.yield("computing") || "first" } }
    assert_equal "computing", fiber.resume
    assert_equal "second", @cache.fetch("a") { "second" }
    assert_equal "first", fiber.resume
  end

  def test_a_fiber_that_is_abandoned_lets_go_after_the_wait
    Fiber.new { @cache.fetch("a", wait: 0.05) { Fiber.yield } }.resume
    sleep 0.06
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    assert_equal "b", Thread.new { @cache.fetch("a", wait: 60) { "b" } }.value
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - started, :<, 30
  end

  def test_who_computes_longer_than_the_wait_leaves_the_next_reservation_alone
    started = Queue.new
    finish = Queue.new
    slow = Thread.new { @cache.fetch("a", wait: 0.05) { (started << 1; finish.pop; "slow") } }
    started.pop
    sleep 0.06
    next_one = Thread.new { @cache.fetch("a", wait: 60) { (started << 1; finish.pop; "next") } }
    started.pop
    finish << 1
    assert_equal "slow", slow.value
    @cache.delete("a")
    third = Thread.new { @cache.fetch("a", wait: 60) { flunk } }
    sleep 0.05
    finish << 1
    assert_equal %w[next next], [next_one.value, third.value]
  end

  def test_waiting_ends_by_thread_raise_kill_and_timeout
    started = Queue.new
    finish = Queue.new
    slow = Thread.new { @cache.fetch("a") { (started << 1; finish.pop; "slow") } }
    started.pop
    assert_raises(Timeout::Error) { Timeout.timeout(0.1) { @cache.fetch("a", wait: 600) { flunk } } }
    waiting = Thread.new { @cache.fetch("a", wait: 600) { flunk } }
    waiting.report_on_exception = false
    sleep 0.05
    waiting.raise(ZeroDivisionError)
    assert_raises(ZeroDivisionError) { waiting.value }
    waiting = Thread.new { @cache.fetch("a", wait: 600) { flunk } }
    sleep 0.05
    waiting.kill
    assert_nil waiting.value
    finish << 1
    assert_equal "slow", slow.value
  end

  def test_other_fibers_of_a_scheduler_run_while_one_waits
    started = Queue.new
    finish = Queue.new
    slow = Thread.new { @cache.fetch("a") { (started << 1; finish.pop; "slow") } }
    started.pop
    ticks = 0
    values = []
    Thread.new do
      Fiber.set_scheduler(Scheduler.new)
      Fiber.schedule { values << @cache.fetch("a", wait: 30) { flunk } }
      Fiber.schedule { (sleep 0.01; ticks += 1) while values.empty? }
      Fiber.schedule { (values << @cache.fetch("b") { (sleep 0.01 until ticks.positive?; "b") }; finish << 1) }
    end.join
    assert_equal ["b", "slow", "slow"], [*values, slow.value]
    assert_operator ticks, :>, 0
  end

  def test_a_wait_ends_under_a_scheduler
    started = Queue.new
    finish = Queue.new
    slow = Thread.new { @cache.fetch("a") { (started << 1; finish.pop; "slow") } }
    started.pop
    values = []
    Thread.new do
      Fiber.set_scheduler(Scheduler.new)
      Fiber.schedule { values << @cache.fetch("a", wait: 0.05) { "impatient" } << @cache.fetch("a", wait: 0) { flunk } }
    end.join
    assert_equal %w[impatient impatient], values
    finish << 1
    slow.join
  end

  # Two computations need each other's value. Both have begun before one asks for the other.
  def crosswise(keys, begun)
    @cache.fetch(keys[0]) do |own|
      begun.call
      own + @cache.fetch(keys[1]) { |other| other }
    end
  end

  def test_nested_values_crosswise_in_threads
    started = Queue.new
    go = Queue.new
    from = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    threads = [%w[a b], %w[b a]].map { |keys| Thread.new { crosswise(keys, -> { (started << 1; go.pop) }) } }
    2.times { started.pop }
    2.times { go << 1 }
    assert_equal(%w[a b], threads.map { |thread| thread.value[0] })
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - from, :<, 9 # a wait in vain would take 10 seconds
  end

  def test_nested_values_crosswise_in_processes
    shared_only
    from = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    meet = lambda do
      @cache.increment("begun")
      sleep 0.001 until @cache.get("begun") == 2
    end
    pids = [%w[a b], %w[b a]].map { |keys| fork { exit!(crosswise(keys, meet)[0] == keys[0]) } }
    assert(pids.map { |pid| Process.wait2(pid).last.success? }.all?)
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - from, :<, 9
  end
end
