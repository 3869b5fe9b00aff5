# frozen_string_literal: true

require_relative "helper"

class ThrottleTest < Larder::TestCase
  def setup
    @cache = new_cache
  end

  def test_a_limit_admits_its_units_and_then_no_more
    answers = Array.new(5) { @cache.throttle("login", limit: 3, per: 86_400) }
    assert_equal [true, true, true, false, false], answers.map(&:allowed)
    assert_equal [2, 1, 0, 0, 0], answers.map(&:remaining)
    assert_equal [0.0, 0.0, 0.0], answers.first(3).map(&:retry_after)
    assert_in_delta 86_400 / 3, answers[3].retry_after, 600
    assert_in_delta 86_400, answers[3].reset_after, 600
    assert answers[0].allowed?
    @cache.delete("login")
    assert_equal 2, @cache.throttle(:login, limit: 3, per: 86_400).remaining
  end

  # Behaves like ActiveSupport::Duration, which claims to be a Numeric.
  Lasting = Struct.new(:seconds) do
    def is_a?(klass) = klass == Numeric || super
    def real? = true
    def to_f = seconds.to_f
  end

  def test_seconds_may_be_what_says_that_it_is_a_number
    answer = @cache.throttle("a", limit: 2, per: Lasting.new(86_400), wait: Lasting.new(0))
    assert_equal [true, 1], [answer.allowed, answer.remaining]
    assert_in_delta 43_200, answer.reset_after, 600
  end

  def test_units_come_back
    assert @cache.throttle("fast", limit: 1, per: 1).allowed
    until (answer = @cache.throttle("fast", limit: 1, per: 1)).allowed
      assert_operator answer.retry_after, :<=, 1
      sleep answer.retry_after
    end
  end

  def test_cost_and_wait
    assert_equal 7, @cache.throttle("c", limit: 10, per: 86_400, cost: 3).remaining
    assert_equal 7, @cache.throttle("c", limit: 10, per: 86_400, cost: 0).remaining
    refute @cache.throttle("c", limit: 10, per: 86_400, cost: 8).allowed
    assert_equal 0, @cache.throttle("c", limit: 10, per: 86_400, cost: 7).remaining
    refute @cache.throttle("c", limit: 10, per: 86_400, wait: 60).allowed
    later = @cache.throttle("c", limit: 10, per: 86_400, wait: 86_400 / 10)
    assert later.allowed
    assert_in_delta 8640, later.retry_after, 600
  end

  def test_a_sliding_window
    answers = [1, 1, 3, 1, 0].map { |cost| @cache.throttle("login", limit: 5, per: 86_400, cost: cost, sliding: true) }
    assert_equal [true, true, true, false, true], answers.map(&:allowed)
    assert_equal [4, 3, 0, 0, 0], answers.map(&:remaining)
    assert_in_delta 86_400, answers[3].retry_after, 4_000
    assert_in_delta 86_400, answers[3].reset_after, 4_000
    assert_raises(TypeError) { @cache.throttle("login", limit: 5, per: 86_400) }
    assert_raises(TypeError) { @cache.throttle("login", limit: 5, per: 3_600, sliding: true) }
    assert @cache.delete("login")
    assert_equal 5, @cache.throttle("login", limit: 5, per: 86_400, cost: 0, sliding: true).remaining
    refute @cache.key?("login")
    assert @cache.throttle("login", limit: 5, per: 86_400).allowed
    assert_raises(TypeError) { @cache.throttle("login", limit: 5, per: 86_400, sliding: true) }
    { { limit: 1, per: 0.5 } => /per must be at least 1/, { limit: 16_384, per: 1 } => /limit must be in 1\.\.16383 with sliding/,
      { limit: 1, per: 1, wait: 1 } => /wait must be 0/ }.each do |options, message|
      assert_match message, assert_raises(ArgumentError) { @cache.throttle("a", sliding: true, **options) }.message
    end
  end

  def test_a_sliding_window_is_no_value
    @cache.throttle("login", limit: 5, per: 60, sliding: true)
    assert_equal [true, ["login"], []], [@cache.key?("login"), @cache.keys, @cache.to_a]
    assert_equal [:none, nil, {}, :none], [@cache.get("login", :none), @cache.entry("login"), @cache.get_multi("login"), @cache.take("login", :none)]
    assert_equal "it is a rate limit with a sliding window", @cache.unreadable("login")
    assert_raises(TypeError) { @cache.view("login") { flunk } }
    assert_equal 4, @cache.throttle("login", limit: 5, per: 60, cost: 0, sliding: true).remaining
    assert_equal 1, @cache.fetch("login") { 1 }
    assert_nil @cache.unreadable("login")
  end

  def test_no_unit_of_a_sliding_window_comes_back_too_early
    times = []
    until times.size == 6
      before = now
      @cache.throttle("short", limit: 2, per: 1, sliding: true).allowed ? times << [before, now] : sleep(0.01)
    end
    times.each_cons(3) { |first, _, third| assert_operator third[1] - first[0], :>=, 0.98 }
  end

  def now
    Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  def test_arguments
    assert_raises(ArgumentError) { @cache.throttle("a", limit: 1) }
    { { limit: 0, per: 1 } => /limit must be in 1\.\.1000000000, not 0/, { limit: 1, per: 0 } => /per must be greater than 0/,
      { limit: 1, per: 2e9 } => /per must be/, { limit: 2, per: 1, cost: 3 } => /cost must be in 0\.\.2, not 3/,
      { limit: 2, per: 1, cost: -1 } => /cost/, { limit: 1, per: 1, wait: -1 } => /wait must be at least 0/,
      { limit: 1, per: Float::NAN } => /per/ }.each do |options, message|
      assert_match message, assert_raises(ArgumentError) { @cache.throttle("a", **options) }.message
    end
    [{ limit: 1.5, per: 1 }, { limit: 1, per: "1" }, { limit: 1, per: Time.now }, { limit: 1, per: 1, cost: nil }].each do |options|
      assert_raises(TypeError) { @cache.throttle("a", **options) }
    end
    nobody = assert_raises(TypeError) { @cache.throttle(nil, limit: 1, per: 1) }
    assert_equal "key must be an object that names what is limited, not nil", nobody.message
    @cache.set("text", "x")
    @cache.throttle("slides", limit: 1, per: 10, sliding: true)
    [["text", 1, false], ["slides", 20, true], ["slides", 10, false]].each do |key, per, sliding|
      other = assert_raises(TypeError) { @cache.throttle(key, limit: 1, per:, sliding:) }
      assert_equal "the value of key \"#{key}\" is no rate limit with this per and sliding: use another key, or delete it", other.message
    end
  end

  def test_a_limit_of_all_processes_is_exact
    shared_only
    pipes = Array.new(4) do
      reader, writer = IO.pipe
      fork do
        reader.close
        writer.write([Array.new(100) { @cache.throttle("all", limit: 150, per: 86_400 * 365) }.count(&:allowed)].pack("Q"))
        writer.close
        exit!(0)
      end
      writer.close
      reader
    end
    assert_equal 150, pipes.sum { |pipe| pipe.read.unpack1("Q") }
    Process.waitall
  end
end

class SemaphoreTest < Larder::TestCase
  def setup
    @cache = new_cache
  end

  def elsewhere(&block)
    Thread.new(&block).value
  end

  # A stopped process has the shard's lock, so the permit cannot be released at once. If the thread that has acquired the permit calls
  # release, the core tries again later by itself. Here another thread calls release, so the core does not try again.
  def test_a_permit_that_another_thread_could_not_release_is_released_later
    shared_only
    pdf = @cache.semaphore("pdf", permits: 1)
    busy = 500.times.any? do # until the child is stopped while it has the lock
      permit = pdf.acquire
      child = fork { loop { pdf.count } }
      sleep rand * 0.01
      Process.kill(:STOP, child)
      Process.wait(child, Process::WUNTRACED)
      released = elsewhere { permit.release }
      Process.kill(:KILL, child)
      Process.wait(child)
      !released
    end
    assert busy
    assert_equal 1, pdf.count
    elsewhere { refute_nil pdf.acquire }
    assert_equal 0, pdf.count
  end

  def test_no_more_owners_than_permits
    pdf = @cache.semaphore("pdf", permits: 2)
    first = pdf.acquire
    second = pdf.acquire
    assert_equal 2, pdf.count
    assert_nil(elsewhere { pdf.acquire })
    assert_nil pdf.acquire(wait: 60), "this thread has them all: nobody else could end one"
    assert first.release
    refute first.release
    assert(elsewhere { pdf.acquire&.release })
    assert second.release
    assert_equal 0, pdf.count
  end

  def test_a_block_ends_with_its_permit
    pdf = @cache.semaphore(:pdf, permits: 1)
    assert_equal([:value, 1], [:value, pdf.acquire { pdf.count }])
    assert_raises(RuntimeError) { pdf.acquire { raise "no" } }
    catch(:out) { pdf.acquire { throw :out } }
    assert_equal 0, pdf.count
    permit = pdf.acquire
    assert_nil(elsewhere { pdf.acquire { flunk } })
    permit.release
  end

  def test_waiters_get_it_when_it_is_released
    pdf = @cache.semaphore("pdf", permits: 1)
    permit = pdf.acquire
    waiters = Array.new(3) { Thread.new { pdf.acquire(wait: 600) { :got } } }
    Thread.pass until waiters.all? { |waiter| waiter.status == "sleep" } || FALLBACK
    permit.release
    assert_equal %i[got got got], waiters.map(&:value)
  end

  def test_a_waiter_can_be_interrupted
    pdf = @cache.semaphore("pdf", permits: 1)
    permit = pdf.acquire
    elsewhere { assert_raises(Timeout::Error) { Timeout.timeout(0.05) { pdf.acquire(wait: 600) } } }
    waiter = Thread.new { pdf.acquire(wait: 600) }
    Thread.pass until waiter.status == "sleep" || FALLBACK
    waiter.kill.join
    permit.release
    assert_equal 0, pdf.count
  end

  # A thread acquires the permit while it does not have the GVL. Until it has the GVL again, another thread may raise an exception in it.
  def test_an_exception_that_arrives_with_the_permit_releases_it
    pdf = @cache.semaphore("pdf", permits: 1)
    ways = [-> { pdf.acquire(wait: 600) { sleep } }]
    ways << lambda do
      permit = pdf.acquire(wait: 600)
      sleep
    ensure
      permit&.release
    end
    GC.disable # a garbage collection would release the lost permits
    ways.each { |way| assert_equal [0] * 10, Array.new(10) { permits_after_an_exception(pdf, way) } }
  ensure
    GC.enable
  end

  # Raises an exception in a thread that runs `way` and has just got the permit. Returns how many permits then have owners.
  def permits_after_an_exception(semaphore, way)
    permit = semaphore.acquire
    ended = Queue.new
    waiter = Thread.new do
      way.call
    rescue RuntimeError
      ended << true
      Thread.stop
    end
    Thread.pass until waiter.status == "sleep"
    permit.release
    busy = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.01
    nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) < busy # keeps the GVL
    waiter.raise("no")
    ended.pop
    semaphore.count
  ensure
    waiter.kill.join
    Thread.new {}.join # releases the permit of the killed thread
  end

  def test_a_block_of_acquire_may_raise_stop_iteration
    pdf = @cache.semaphore("pdf", permits: 1)
    assert_raises(StopIteration) { pdf.acquire { raise StopIteration } }
    assert_equal(6, pdf.acquire { next 6 })
    assert_nil(pdf.acquire { break })
    assert_equal 0, pdf.count
  end

  def test_other_fibers_of_a_scheduler_run_while_one_waits
    pdf = @cache.semaphore("pdf", permits: 1)
    got = []
    Thread.new do
      Fiber.set_scheduler(Scheduler.new)
      Fiber.schedule { pdf.acquire { (sleep 0.001 until got.include?(nil); got << 1) } }
      Fiber.schedule { pdf.acquire(wait: 600) { got << 2 } }
      Fiber.schedule { got << pdf.acquire(wait: 0.01) }
    end.join
    assert_equal [nil, 1, 2], got
  end

  def test_a_lease_ends
    pdf = @cache.semaphore("pdf", permits: 1)
    permit = pdf.acquire(lease: 0.05)
    assert(elsewhere { pdf.acquire(wait: 600)&.release })
    refute permit.release
  end

  def test_a_lease_is_renewed
    pdf = @cache.semaphore("pdf", permits: 1)
    permit = pdf.acquire(lease: 600)
    assert permit.renew(0.02)
    sleep 0.1
    assert_equal [false, 0, false], [permit.renew(600), pdf.count, permit.release]
    permit = pdf.acquire(lease: 600)
    assert_equal [true, true, true, false], [permit.renew(nil), permit.renew(600), permit.release, permit.renew(600)]
    assert_raises(ArgumentError) { permit.renew(0) }
  end

  def test_a_thread_that_ends_leaves_no_permit
    pdf = @cache.semaphore("pdf", permits: 2)
    kept = pdf.acquire
    permits = []
    elsewhere { permits << pdf.acquire }
    assert_equal 1, pdf.count
    refute permits[0].release
    assert kept.release, "this thread has not ended"
  end

  # Ruby reports no event when Thread.exit or an exception ends a thread. Ruby may then run another thread on the same native thread.
  def test_a_thread_that_is_killed_leaves_no_permit_to_the_next_one
    [-> { Thread.exit }, -> { raise "no" }].each do |ends|
      pdf = @cache.semaphore("pdf", permits: 1)
      permits = []
      thread = Thread.new { permits << pdf.acquire and ends.call }
      thread.report_on_exception = false
      begin
        thread.join
      rescue RuntimeError
        nil
      end
      200.times { elsewhere { sleep 0.01 } if pdf.count == 1 } # Ruby runs one of these threads on the idle native thread that has the permit
      assert_equal 0, pdf.count
      refute permits.fetch(0).release
    end
  end

  # A garbage collection with a lazy sweep may free the object of an ended thread some time before the thread's permit. A thread that begins at such
  # a time examines this permit.
  def test_a_thread_begins_while_ended_ones_are_collected
    result = in_child do
      pdf = new_cache(size: 2**20).semaphore("pdf", permits: 1024)
      60.times do
        leave_permits(pdf, Queue.new)
        GC.start(immediate_sweep: false)
        20.times do
          500.times { Object.new }
          elsewhere { nil }
        end
      end
      :done
    end
    assert_equal :done, result
  end

  # Ends threads that have permits. Other objects lie between threads and permits, so that a lazy sweep frees them at different times.
  def leave_permits(semaphore, begins)
    threads = Array.new(20) do
      Thread.new do
        begins.pop
        semaphore.acquire
        Thread.stop
      end
    end
    between = Array.new(50_000) { Object.new }
    threads.each do |thread|
      thread.report_on_exception = false
      begins << true
    end
    threads.each do |thread|
      sleep 0.001 until begins.empty? && thread.stop?
      thread.raise("end")
      assert_raises(RuntimeError) { thread.join }
    end
    between.clear
  end

  def test_a_permit_that_is_collected_is_released
    skip "the store in plain Ruby has no finalizers" if FALLBACK
    pdf = @cache.semaphore("pdf", permits: 64)
    64.times { pdf.acquire }
    100.times { GC.start if pdf.count > 32 }
    assert_operator pdf.count, :<=, 32
  end

  def test_arguments
    assert_raises(TypeError) { @cache.semaphore(1, permits: 1) }
    assert_match(/name must be 1 to 1024 bytes/, assert_raises(ArgumentError) { @cache.semaphore("", permits: 1) }.message)
    assert_match(/permits must be in 1\.\.1024, not 0/, assert_raises(ArgumentError) { @cache.semaphore("a", permits: 0) }.message)
    assert_raises(TypeError) { @cache.semaphore("a", permits: "1") }
    pdf = @cache.semaphore("a", permits: 1)
    assert_match(/lease must be greater than 0/, assert_raises(ArgumentError) { pdf.acquire(lease: 0) }.message)
    assert_match(/wait must be at least 0/, assert_raises(ArgumentError) { pdf.acquire(wait: -1) }.message)
    assert_raises(TypeError) { pdf.acquire(wait: "1") }
    long = new_cache(namespace: "n" * 100).semaphore("a" * 1000, permits: 1)
    assert_match(/name must be 1 to 923 bytes long, not 1000/, assert_raises(ArgumentError) { long.acquire }.message)
  end

  def test_names_are_those_of_the_namespace
    path = new_path
    one, other, third = %w[a b a].map { |namespace| new_cache(path: path, namespace: namespace).semaphore("x", permits: 1) }
    permit = one.acquire
    refute_nil other.acquire
    assert_nil(elsewhere { third.acquire }) unless FALLBACK
    permit.release
  end

  def test_owners_that_are_killed_leave_no_permit
    shared_only
    pdf = @cache.semaphore("pdf", permits: 2)
    reader, writer = IO.pipe
    children = Array.new(2) do
      fork do
        pdf.acquire && writer.write("x")
        sleep
      end
    end
    assert_equal "xx", reader.read(2)
    assert_nil pdf.acquire
    Process.kill(:KILL, children[0])
    Process.wait(children[0])
    assert pdf.acquire(wait: 600)
    assert_equal 2, pdf.count
    Process.kill(:KILL, children[1])
    Process.wait(children[1])
    assert_equal 1, pdf.count
  end

  def test_a_child_does_not_end_what_its_parent_has
    shared_only
    pdf = @cache.semaphore("pdf", permits: 1)
    permit = pdf.acquire
    refute(in_child { permit.release })
    assert_equal 1, pdf.count
    assert permit.release
  end

  def test_a_closed_cache
    pdf = @cache.semaphore("pdf", permits: 1)
    permit = pdf.acquire
    @cache.close
    refute permit.release if FALLBACK
    permit.release
    assert_raises(Larder::ClosedError) { pdf.acquire }
    assert_raises(Larder::ClosedError) { pdf.count }
  end
end

class BroadcastTest < Larder::TestCase
  def setup
    @cache = new_cache(pinned: true)
    @flags = @cache.broadcast("flags")
  end

  def test_what_is_published_is_read
    assert_equal [nil, 0], [@flags.value, @flags.version]
    assert_equal 1, @flags.publish({ "a" => [1, "x"], b: 2.5 })
    other = @cache.broadcast(:flags)
    assert_equal [{ "a" => [1, "x"], b: 2.5 }, 1], [other.value, other.version]
    assert_equal [2, 3], [@flags.publish(7), @flags.publish("text")]
    assert_equal ["text", "text", 3], [@flags.value, other.value, other.version]
    @flags.publish(nil)
    assert_equal [nil, 4], [other.value, other.version]
  end

  def test_no_version_comes_back_after_a_clear
    versions = Array.new(3) do
      seen = Array.new(2) { |n| @flags.publish(n) && @flags.version }
      @cache.clear
      assert_nil @flags.value
      assert @flags.wait(seen.last, 0)
      seen
    end.flatten
    assert_equal versions.uniq.sort, versions
  end

  def test_one_frozen_object_for_all_reads
    value = { "list" => ["x"] }
    @flags.publish(value)
    value["list"] << "y"
    assert_equal({ "list" => ["x"] }, @flags.value)
    assert_same @flags.value, @flags.value
    assert Ractor.shareable?(@flags.value)
  end

  Price = Struct.new(:amount)

  def test_any_object_that_marshal_takes
    @flags.publish([Price.new(5)])
    assert_equal [Price.new(5)], @cache.broadcast("flags").value
    assert_raises(TypeError) { @flags.publish(proc {}) }
    assert_equal 1, @flags.version
  end

  def test_a_value_whose_class_is_gone_raises_until_there_is_another_one
    self.class.const_set(:Gone, Struct.new(:id))
    @flags.publish([Gone.new(1)])
    self.class.send(:remove_const, :Gone)
    2.times { assert_match(/Gone/, assert_raises(*UNKNOWN_CLASS) { @flags.value }.message) }
    @flags.publish(1)
    assert_equal 1, @flags.value
  end

  def test_it_is_no_entry
    @flags.publish(1)
    assert_equal [[], []], [@cache.keys, @cache.to_a]
    @cache.set("flags", 2)
    assert_equal 1, @flags.value
    @cache.set("\0lrd:broadcast:=flags", 3)
    assert_equal [1, 3], [@cache.broadcast("flags").value, @cache.get("\0lrd:broadcast:=flags")]
    assert_equal ["\0lrd:broadcast:=flags", "flags"], @cache.keys.sort
  end

  def test_clear_ends_the_value
    @flags.publish(1)
    assert_equal 1, @flags.value
    @cache.clear
    assert_nil @flags.value
    @flags.publish(2)
    assert_equal 2, @flags.value
  end

  def test_waiters_are_woken
    waiters = Array.new(4) { Thread.new { @flags.wait(0, 600) && @flags.value } }
    Thread.pass until waiters.all? { |waiter| waiter.status == "sleep" } || FALLBACK
    @flags.publish("new")
    assert_equal ["new"] * 4, waiters.map(&:value)
    assert @flags.wait(0)
    refute @flags.wait(1, 0)
    refute @flags.wait(1, 0.01)
    assert @flags.wait(2**64) # no broadcast can have this version
    assert_raises(Timeout::Error) { Timeout.timeout(0.05) { @flags.wait(1) } }
  end

  def test_other_fibers_of_a_scheduler_run_while_one_waits
    got = []
    Thread.new do
      Fiber.set_scheduler(Scheduler.new)
      Fiber.schedule { got.push(@flags.wait(0, 600), @flags.value) }
      Fiber.schedule { got << @flags.wait(0, 0.01) }
      Fiber.schedule { (sleep 0.001 until got.include?(false); @flags.publish("new")) }
    end.join
    assert_equal [false, true, "new"], got
  end

  def test_arguments
    assert_match(/pinned/, assert_raises(ArgumentError) { new_cache.broadcast("a") }.message)
    assert_raises(TypeError) { @cache.broadcast(1) }
    assert_raises(ArgumentError) { @cache.broadcast("") }
    assert_raises(ArgumentError) { @cache.broadcast("a" * 1025) }
    assert_raises(TypeError) { @flags.wait("1") }
    assert_raises(ArgumentError) { @flags.wait(1, -1) }
    assert_raises(TypeError) { @flags.wait(1, "1") }
  end

  def test_a_value_that_does_not_fit_leaves_the_old_one
    small = new_cache(pinned: true, size: 2**20)
    flags = small.broadcast("a")
    flags.publish(1)
    assert_raises(Larder::FullError, Larder::TooLargeError) { flags.publish("x" * 2**20) }
    assert_equal 1, flags.value
    flags.publish(2)
    assert_equal 2, flags.value
  end

  def test_a_closed_cache
    @flags.publish(1)
    @cache.close
    assert_raises(Larder::ClosedError) { @flags.value }
    assert_raises(Larder::ClosedError) { @flags.publish(2) }
    assert_raises(Larder::ClosedError) { @flags.wait(1) }
  end

  def test_all_processes_read_it
    shared_only
    assert_equal(1, in_child { @flags.publish([1, 2]) })
    assert_equal [1, 2], @flags.value
    reader, writer = IO.pipe
    child = fork do
      writer.write("x")
      exit!(@flags.wait(1, 600) && @flags.value == "second" ? 0 : 1)
    end
    reader.read(1)
    @flags.publish("second")
    assert Process.wait2(child).last.success?
  end

  def test_readers_never_see_half_a_publication
    shared_only
    writer = fork do
      2000.times { |i| @flags.publish([i, i.to_s]) }
      exit!(0)
    end
    last = -1
    until last == 1999
      number, text = @flags.value
      next if number.nil?

      assert_equal number.to_s, text
      assert_operator number, :>=, last
      last = number
    end
    assert Process.wait2(writer).last.success?
  end

  # A publisher waits up to 5 seconds for a stopped publisher. Another thread's exception ends the wait earlier.
  def test_an_interrupt_ends_the_wait_of_a_publisher
    shared_only
    ended = 500.times.any? do # until the publisher is stopped while it has the lock
      child = fork { loop { @flags.publish("x" * 300_000) } }
      sleep rand * 0.01
      Process.kill(:STOP, child)
      Process.wait(child, Process::WUNTRACED)
      begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      timed_out = begin
        Timeout.timeout(0.05) { @flags.publish(1) } && false
      rescue Timeout::Error
        true
      end
      Process.kill(:KILL, child)
      Process.wait(child)
      timed_out && Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun < 4.5
    end
    assert ended
  end

  def test_a_publisher_that_is_killed_leaves_a_value
    shared_only
    20.times do |round|
      child = fork { (0..).each { |i| @flags.publish([i, i.to_s]) } }
      sleep 0.01 if round.even?
      Process.kill(:KILL, child)
      Process.wait(child)
      number, text = @flags.value
      assert_equal number&.to_s, text
      @flags.publish([round, round.to_s])
      assert_equal [round, round.to_s], @flags.value
    end
  end
end
