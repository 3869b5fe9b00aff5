# frozen_string_literal: true

require_relative "helper"
require "fcntl"
require "tmpdir"

class ThreadsTest < Larder::TestCase
  def setup
    @cache = new_cache
  end

  def test_threads
    threads = Array.new(8) do |worker|
      Thread.new do
        200.times do |i|
          @cache.set("#{worker}-#{i}", [worker, i])
          raise "wrong" unless @cache.get("#{worker}-#{i}") == [worker, i]

          @cache.increment("n")
        end
        :good
      end
    end
    assert_equal [:good], threads.map(&:value).uniq
    assert_equal 1600, @cache.get("n")
    assert_nothing_held @cache
  end

  def test_many_short_threads
    300.times { |i| Thread.new { @cache.set("k#{i}", i) }.join }
    assert_equal 299, @cache.get("k299")
  end

  def test_a_thread_leaves_closed_caches_at_its_next_use
    shared_only
    other = new_cache
    steps = Queue.new
    answers = Queue.new
    thread = Thread.new do
      while (use = steps.pop)
        answers << use.call
      end
    end
    in_thread = lambda do |&use|
      steps << use
      answers.pop
    end
    # A process has at most 32 caches. A closed cache counts while a thread has a slot in it. Here the thread gives up this slot in its next call.
    40.times do |i|
      cache = new_cache(size: 2**20)
      in_thread.call { cache.set("k", i) }
      cache.close
      assert_nil(in_thread.call { other.get("k") })
    end
  ensure
    steps&.push(nil)
    thread&.join
  end

  def test_more_threads_than_can_use_a_cache_at_once
    shared_only
    @cache.set("old", "old", ttl: 1000)
    results = in_child do
      started = Queue.new
      4100.times { Thread.new { (@cache.get("old"); started << 1; sleep) } }
      4100.times { started.pop }
      Thread.new { results_without_a_place }.value
    rescue ThreadError
      nil
    end
    skip "the system allows fewer threads" if results.nil?
    assert_equal ["old", Larder::BusyError, "computed", true, "new", Larder::BusyError, Larder::BusyError], results
  end

  def results_without_a_place
    [@cache.get("old"), raised { @cache.entry("old") }, @cache.fetch("old", ttl: 1, stale: 3600) { "computed" },
     @cache.set("other", "new"), @cache.get("other"), raised { @cache.set("old", 1, keepttl: true) }, raised { @cache.increment("n") }]
  end

  def raised
    yield
  rescue StandardError => e
    e.class
  end

  def test_ractors
    shared_only
    Ractor.make_shareable(@cache)
    assert Ractor.shareable?(@cache)
    @cache.set("list", [1, [2]])
    ractors = without_warning do
      Array.new(3) do |worker|
        Ractor.new(@cache, worker) do |cache, number|
          500.times do |i|
            cache.set("#{number}-#{i}", { number: i, value: nil })
            raise "wrong" unless cache.get("#{number}-#{i}") == { number: i, value: nil }

            cache.increment("n")
          end
          cache.fetch([number, "any"]) { [number] }
          [cache.get("list"), cache.count.positive?, cache.get([number, "any"]), cache.keys.size.positive?]
        end
      end
    end
    results = ractors.map { |ractor| result_of(ractor) }
    assert_equal [[1, [2]], true, [0], true], results.first
    assert_equal 1500, @cache.get("n")
    @cache.close
    assert_predicate @cache, :closed?
  end

  # Since Ruby 3.3, a Ractor's thread may move to another native thread, and Ractors may share one.
  def test_fetch_in_ractors
    shared_only
    Ractor.make_shareable(@cache)
    ractors = without_warning do
      Array.new(4) do |worker|
        Ractor.new(@cache, worker) do |cache, number|
          computed = Array.new(10) do |i|
            once = 0
            cache.fetch(i) { (sleep 0.005; once = 1; i) }
            cache.fetch("#{number}-#{i}") { (sleep 0.001; raise IOError) } rescue IOError
            once
          end
          computed.sum
        end
      end
    end
    assert_equal 10, ractors.sum { |ractor| result_of(ractor) }
    states = Array.new(4) { |worker| Array.new(10) { |i| @cache.send(:reserve, "#{worker}-#{i}", 0, 1000) { :free } } }
    assert_equal [:done], states.flatten.uniq
  end

  def test_a_cache_of_a_ractor
    shared_only
    result = without_warning do
      result_of(Ractor.new { Larder::Cache.new(size: 2**20, ttl: 5).then { |cache| (cache.set("a", 1); cache.get("a")) } })
    end
    assert_equal 1, result
  end

  # A forked child has only the thread that called fork. So it must not wait until another Ractor's thread has opened its cache.
  def test_a_fork_while_another_ractor_opens_a_cache
    shared_only
    Dir.mktmpdir("larder", "/dev/shm") do |folder|
      path = File.join(folder, "cache")
      in_child { Larder::Cache.new(path: path, size: 2**20).set("a", 1) }
      lock = locked_for_a_second("#{path}.lock")
      opening = without_warning { Ractor.new(path) { |file| Larder::Cache.new(path: file).get("a") } }
      sleep 0.3
      pid = fork { (Larder::Cache.new(path: File.join(folder, "other"), size: 2**20).set("b", 2); exit!(0)) }
      status = ended_within(20, pid)
      assert_predicate status, :success?, "the child hangs"
      assert_equal 1, result_of(opening)
      Process.wait(lock)
    end
  end

  # Waits for a process, and kills it if it has not ended after some seconds.
  def ended_within(seconds, pid)
    Timeout.timeout(seconds) { Process.wait2(pid).last }
  rescue Timeout::Error
    Process.kill(:KILL, pid)
    Process.wait2(pid).last
  end

  # Starts a process that locks a file for a second, and returns its id.
  def locked_for_a_second(file)
    reader, writer = IO.pipe
    pid = fork do
      lock = File.open(file, "r+")
      lock.fcntl(Fcntl::F_SETLK, [Fcntl::F_WRLCK, IO::SEEK_SET, 0, 0, 0].pack("s!s!x4q!q!i!"))
      writer.write("x")
      sleep 1
      exit!(0)
    end
    writer.close
    assert_equal "x", reader.read(1)
    pid
  end

  # Ruby 4.0 has Ractor#value in place of Ractor#take.
  def result_of(ractor) = ractor.respond_to?(:value) ? ractor.value : ractor.take

  def without_warning
    before = Warning[:experimental]
    Warning[:experimental] = false
    yield
  ensure
    Warning[:experimental] = before
  end

  def test_a_key_that_another_thread_changes_while_it_is_waited_for
    key = "key".dup
    started = Queue.new
    finish = Queue.new
    slow = Thread.new { @cache.fetch("key") { (started << 1; finish.pop; "slow") } }
    started.pop
    waiting = Thread.new { @cache.fetch(key, wait: 0.2) { "own" } }
    Thread.pass until waiting.stop?
    key.replace("x" * 100_000)
    GC.start
    waiting.join
    finish << 1
    assert_equal "slow", slow.value
  end
end
