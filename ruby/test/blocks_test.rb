# frozen_string_literal: true

require_relative "helper"

# Tests every way to leave a block, in every method that has one.
class BlocksTest < Larder::TestCase
  METHODS = {
    each: ->(cache, &block) { cache.each { |key, _| block.call(key) } },
    each_key: ->(cache, &block) { cache.each_key(&block) },
    fetch: ->(cache, &block) { cache.fetch("none", &block) },
    fetch_stale: ->(cache, &block) { cache.fetch("none", ttl: 5, stale: 5, &block) },
    fetch_force: ->(cache, &block) { cache.fetch("text", force: true, &block) },
    batch: ->(cache, &block) { cache.batch { |batch| (batch.get("text"); block.call(batch)) } },
    batch_fetch: ->(cache, &block) { cache.batch { |batch| batch.fetch("none", &block) } },
    view: ->(cache, &block) { cache.view("text", &block) },
    map: ->(cache, &block) { cache.map { |key, _| block.call(key) } }
  }.freeze

  # All tests use one cache, because a process can have at most 32. A closed cache still counts for some seconds, until its threads give up
  # their slots.
  def setup
    @cache = self.class.cache
  end

  def self.cache = @cache ||= Larder::Cache.new

  def fill
    @cache.clear
    @cache.set("text", "x" * 100_000)
    @cache.set("marshal", [["y" * 100_000]])
    @cache.set("number", 1)
  end

  # Checks that the cache works in this thread and in another one, and that no value is held and no key is locked.
  def assert_sound
    @cache.delete("none")
    assert_equal "sound", @cache.fetch("none", wait: 0.01) { "sound" }
    @cache.delete("none")
    assert_equal("sound", Thread.new { @cache.fetch("none", wait: 600) { "sound" } }.value)
    assert_nothing_held @cache
  end

  METHODS.each do |name, method|
    define_method("test_raise_in_#{name}") do
      fill
      100.times { assert_raises(ZeroDivisionError) { method.call(@cache) { 1 / 0 } } }
      assert_sound
    end

    define_method("test_throw_in_#{name}") do
      fill
      100.times { assert_equal(:thrown, catch(:out) { method.call(@cache) { throw :out, :thrown } }) }
      assert_sound
    end

    define_method("test_next_in_#{name}") do
      fill
      100.times { method.call(@cache) { next 5 } }
      assert_sound
    end

    define_method("test_break_in_#{name}") do
      fill
      100.times { assert_equal :left, leave(method) }
      assert_sound
    end

    define_method("test_thread_raise_in_#{name}") do
      fill
      inside = Queue.new
      thread = Thread.new { method.call(@cache) { (inside << 1; sleep) } }
      thread.report_on_exception = false
      inside.pop
      thread.raise(ZeroDivisionError)
      assert_raises(ZeroDivisionError) { thread.value }
      assert_sound
    end

    define_method("test_thread_kill_in_#{name}") do
      fill
      inside = Queue.new
      thread = Thread.new { method.call(@cache) { (inside << 1; sleep) } }
      inside.pop
      thread.kill
      assert_nil thread.value
      assert_sound
    end

    define_method("test_timeout_in_#{name}") do
      fill
      3.times { assert_raises(Timeout::Error) { Timeout.timeout(0.01) { method.call(@cache) { sleep } } } }
      assert_sound
    end

    define_method("test_abandoned_fiber_in_#{name}") do
      next unless %i[each fetch batch_fetch view].include?(name) # the other methods call these methods, or hold fewer values

      fill
      Thread.new do
        10.times { Fiber.new { method.call(@cache) { Fiber.yield } }.resume }
      end.join
      @cache.delete("text")
      # The abandoned fibers cannot unlock their keys. But the keys were unlocked when the fibers' thread ended.
      assert_sound
    end

    define_method("test_close_in_#{name}") do
      fill
      cache = Larder::Cache.new
      cache.set("text", "x" * 100_000)
      begin
        method.call(cache) do |value|
          cache.close
          assert_equal "x", value.get_string(0, 1) if value.is_a?(Larder::View)
          value
        end
      rescue Larder::ClosedError
        nil # this error is right, because the block has closed the cache
      end
      assert_predicate cache, :closed?
      assert_raises(Larder::ClosedError) { cache.get("text") }
    end

    define_method("test_fork_in_#{name}") do
      shared_only
      fill
      method.call(@cache) do |value|
        inherited = value.is_a?(Larder::View) ? value.get_string(0, 10) : nil
        child = in_child do
          @cache.set("from child", 1)
          again = value.is_a?(Larder::View) ? value.get_string(0, 10) : nil
          [again, @cache.get("text"), @cache.fetch("of child") { 3 }]
        end
        assert_equal [inherited, "x" * 100_000, 3], child
        break
      end
      assert_equal 1, @cache.get("from child")
      assert_sound
    end
  end

  # Leaves the block of a cache's method by `break`. The lambdas of METHODS are not used, because `break` would end the call of the lambda.
  def leave(method)
    METHODS.key(method) => name
    case name
    when :each then @cache.each { break :left }
    when :each_key then @cache.each_key { break :left }
    when :fetch then @cache.fetch("none") { break :left }
    when :fetch_stale then @cache.fetch("none", ttl: 5, stale: 5) { break :left }
    when :fetch_force then @cache.fetch("text", force: true) { break :left }
    when :batch then @cache.batch { break :left }
    when :batch_fetch then @cache.batch { |batch| (batch.fetch("none") { 1 }; break :left) }
    when :view then @cache.view("text") { break :left }
    when :map then @cache.map { break :left }
    end
  end

  def test_the_check_for_holds_sees_one
    shared_only
    fill
    held = nil
    @cache.view("text") { held = retired(@cache) }
    assert_operator held, :>=, 100_000
    assert_nothing_held @cache
  end
end
