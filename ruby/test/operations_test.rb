# frozen_string_literal: true

require_relative "helper"

class OperationsTest < Larder::TestCase
  def setup
    @cache = new_cache
  end

  def test_take
    [1, 2**62, "text", "x" * 20_000, nil, false, [1], { a: 1 }, [[1]], [["x" * 20_000]], "x".encode("UTF-16LE")].each do |value|
      @cache.set("key", value)
      assert_equal [[value], :none], [[@cache.take("key")], @cache.take("key", :none)]
      @cache.set("key", value, flags: 5, ttl: 100)
      assert_equal [[value], :none, false], [[@cache.take("key")], @cache.take("key", :none), @cache.key?("key")]
    end
    assert_nil @cache.take("key")
    assert_raises(ArgumentError) { @cache.take }
    @cache.set([1, "key"], 5)
    assert_equal [5, nil], [@cache.take([1, "key"]), @cache.take([1, "key"])]
  end

  # A Marshal hook of this class runs the code in `change`, which may change the key, or its entry.
  class Changes
    class << self
      attr_accessor :change
    end

    def marshal_dump = "x"

    def marshal_load(_)
      self.class.change&.call
    end
  end

  def test_take_of_what_changes_meanwhile
    key = +"key"
    @cache.set(key, [Changes.new])
    Changes.change = -> { (@cache.set("key", "newer"); key.replace("x" * 1000)) }
    assert_equal ["newer", false], [@cache.take(key), @cache.key?("key")]
    @cache.set("key", [Changes.new])
    Changes.change = -> { raise IndexError }
    assert_raises(IndexError) { @cache.take("key") }
    assert @cache.key?("key")
    Changes.change = -> { @cache.delete("key") }
    assert_equal :none, @cache.take("key", :none)
  ensure
    Changes.change = nil
  end

  def test_exactly_one_takes
    threads = Array.new(4) do
      Thread.new { Array.new(500) { |i| @cache.take("key#{i}") } }
    end
    500.times { |i| @cache.set("key#{i}", i.even? ? i + 1 : "value #{i}") }
    taken = threads.flat_map(&:value).compact
    500.times { |i| taken << (@cache.take("key#{i}") || next) }
    assert_equal (Array.new(500) { |i| i.even? ? i + 1 : "value #{i}" }).sort_by(&:to_s), taken.sort_by(&:to_s)
  end

  def test_get_tells_nil_and_false_from_a_miss
    @cache.set("nil", nil)
    @cache.set("false", false)
    assert_nil @cache.get("nil", 1)
    assert_equal false, @cache.get("false", 1)
    assert_equal 1, @cache.get("none", 1)
    assert_equal [true, true, false], [@cache.key?("nil"), @cache.key?("false"), @cache.key?("none")]
    assert_equal false, @cache.fetch("false") { flunk }
    assert_nil @cache.fetch("nil") { flunk }
  end

  def test_brackets
    assert_equal 5, (@cache["a"] = 5)
    assert_equal 5, @cache["a"]
  end

  def test_delete
    @cache.set("a", 1)
    assert_equal true, @cache.delete("a")
    assert_equal false, @cache.delete("a")
  end

  def test_nx_and_xx
    assert_equal false, @cache.set("a", 1, xx: true)
    assert_equal true, @cache.set("a", "x", nx: true)
    assert_equal false, @cache.set("a", "y", nx: true)
    assert_equal "x", @cache.get("a")
    assert_equal true, @cache.set("a", "z", xx: true)
    assert_equal true, @cache.set("a", 5, xx: true)
    assert_equal true, @cache.set("a", 6, xx: true)
    assert_equal true, @cache.set("a", "back", xx: true)
    assert_equal "back", @cache.get("a")
    assert_raises(ArgumentError) { @cache.set("a", 1, nx: true, xx: true) }
  end

  def test_cas
    @cache.set("a", "x")
    version = @cache.entry("a").version
    assert_equal true, @cache.set("a", "y", cas: version)
    assert_equal false, @cache.set("a", "z", cas: version)
    assert_equal "y", @cache.get("a")
    assert_equal false, @cache.set("none", "z", cas: version)
    @cache.set("a", 1)
    assert_equal 0, @cache.entry("a").version
    assert_match(/cas/, assert_raises(TypeError) { @cache.set("a", 2, cas: 0) }.message)
    assert_match(/cas/, assert_raises(TypeError) { @cache.set("a", 2, cas: "1") }.message)
    assert_equal [false, true, 7], [@cache.compare_and_set("a", 5, 6), @cache.compare_and_set("a", 1, 7), @cache.get("a")]
  end

  def test_times_to_live
    @cache.set("a", "x", ttl: 0.02)
    @cache.set("b", "x", ttl: 1000)
    @cache.set("c", 5, ttl: 0.02)
    @cache.set("d", 5, expires: Time.now + 1000)
    assert_in_delta 1000, @cache.entry("b").ttl, 500
    assert_in_delta 1000, @cache.entry("d").ttl, 500
    sleep 0.06
    assert_equal [nil, "x", nil, 5], %w[a b c d].map { |key| @cache.get(key) }
    @cache.set("b", "y", keepttl: true)
    @cache.set("d", 6, keepttl: true)
    assert_in_delta 1000, @cache.entry("b").ttl, 500
    assert_in_delta 1000, @cache.entry("d").ttl, 500
    assert_equal ["y", 6], [@cache.get("b"), @cache.get("d")]
    @cache.set("b", "z")
    assert_nil @cache.entry("b").ttl
    assert_equal true, @cache.touch("b", ttl: 1000)
    assert_in_delta 1000, @cache.entry("b").ttl, 500
    assert_equal true, @cache.touch("b", ttl: nil)
    assert_nil @cache.entry("b").ttl
    assert_equal false, @cache.touch("none", ttl: 5)
    assert_equal true, @cache.set("b", 1, expires: Time.now - 1)
    refute @cache.key?("b")
    @cache.set("v", "old", ttl: 1000)
    old = @cache.entry("v")
    assert_equal true, @cache.set("v", "new", cas: old.version, keepttl: true)
    assert_in_delta 1000, @cache.entry("v").ttl, 500
    assert_equal false, @cache.set("v", "newer", cas: old.version, keepttl: true)
    assert_equal false, @cache.set("none", "new", cas: old.version, keepttl: true)
    assert_equal true, @cache.set("e", "new", keepttl: true, ttl: 1000)
    assert_in_delta 1000, @cache.entry("e").ttl, 500
  end

  def test_bad_times_to_live_name_the_argument
    [0, -1, 0.0, Float::NAN, -Float::INFINITY].each do |ttl|
      assert_match(/ttl must be greater than 0/, assert_raises(ArgumentError) { @cache.set("a", 1, ttl: ttl) }.message)
    end
    ["5", :x, [], {}, true, Time.now + 60, 5i, Complex(5, 0), Object.new.tap { |object| def object.to_f = 5.0 }].each do |ttl|
      [-> { @cache.set("a", 1, ttl: ttl) }, -> { @cache.increment("a", ttl: ttl) }, -> { @cache.touch("a", ttl: ttl) },
       -> { @cache.fetch("a", ttl: ttl) { 1 } }, -> { @cache.batch { |batch| batch.set("a", 1, ttl: ttl) } },
       -> { new_cache(ttl: ttl) }].each do |call|
        assert_match(/ttl must be a number/, assert_raises(TypeError, &call).message)
      end
      %i[stale wait].each do |name|
        assert_match(/#{name} must be a number/, assert_raises(TypeError) { @cache.fetch("a", name => ttl) { 1 } }.message)
      end
    end
    assert_match(/expires must be a Time/, assert_raises(TypeError) { @cache.set("a", 1, expires: 5) }.message)
    assert_raises(ArgumentError) { @cache.set("a", 1, ttl: 5, expires: Time.now + 5) }
    assert_raises(ArgumentError) { @cache.set("a", 1, tll: 5) }
    refute @cache.key?("a")
    @cache.set("a", 1, ttl: Float::INFINITY)
    @cache.set("a", 1, ttl: 10**12)
    @cache.set("a", 1, ttl: 5r)
    assert_equal 1, @cache.get("a")
  end

  def test_default_times_to_live_without_an_end
    [Float::INFINITY, 1e300, 10**12].each do |ttl|
      cache = new_cache(size: 2**20, ttl: ttl)
      cache.set("a", 1)
      assert_operator cache.entry("a").ttl, :>, 10**8
      cache.close
    end
  end

  def test_options_are_no_value
    assert_raises(ArgumentError) { @cache.set("a", ttl: 5) }
    assert_raises(ArgumentError) { @cache.batch { |batch| batch.set("a", ttl: 5) } }
    refute @cache.key?("a")
    @cache.set("a", { ttl: 5 })
    @cache["b"] = { ttl: 5 }
    assert_equal [{ ttl: 5 }] * 2, [@cache.get("a"), @cache.get("b")]
  end

  def test_flags
    @cache.set("a", "x", flags: 7)
    @cache.set("b", 5, flags: 2**32 - 1)
    @cache.set("c", [[1]], flags: 1)
    assert_equal [7, "x"], @cache.entry("a").to_h.values_at(:flags, :value)
    assert_equal [2**32 - 1, 5], @cache.entry("b").to_h.values_at(:flags, :value)
    assert_equal [1, [[1]]], @cache.entry("c").to_h.values_at(:flags, :value)
    assert_equal [[1]], @cache.get("c")
    assert_nil @cache.entry("none")
    assert_equal 0, @cache.entry("c").tap { @cache.set("c", 1) }.then { @cache.entry("c").flags }
  end

  def test_default_flags
    cache = new_cache(size: 2**20, flags: 3)
    cache.increment("counter")
    cache.set("value", 5, flags: nil)
    cache.set("zero", 5, flags: 0)
    assert_equal [0, 3, 0], %w[counter value zero].map { |key| cache.entry(key).flags }
    assert_equal [2, 6], [cache.increment("counter"), cache.increment("zero")]
    assert_raises(TypeError) { cache.increment("value") }
    cache.touch("value", ttl: Float::INFINITY)
    assert_in_delta 2**38 / 1000, cache.entry("value").ttl, 5
  end

  def test_bad_flags_and_versions_name_the_argument
    @cache.set("a", "before")
    { flags: "x", cas: "x" }.each do |name, value|
      assert_match(/#{name} must be/, assert_raises(TypeError) { @cache.set("a", 1, **{ name => value }) }.message)
    end
    [[:flags, -1], [:flags, 2**32], [:flags, 2**70], [:cas, -1], [:cas, 2**70]].each do |name, value|
      assert_match(/#{name} must be/, assert_raises(ArgumentError) { @cache.set("a", 1, **{ name => value }) }.message)
    end
    assert_raises(TypeError) { @cache.set("a", 1, flags: 1.5) }
    assert_equal "before", @cache.get("a")
  end

  def test_counters
    assert_equal 1, @cache.increment("n")
    assert_equal 11, @cache.increment("n", 10)
    assert_equal 10, @cache.decrement("n")
    assert_equal 105, @cache.increment("m", 5, initial: 100)
    @cache.set("m", 7)
    assert_equal 8, @cache.increment("m")
    assert_equal 8, @cache.get("m")
    @cache.set("l", 1, ttl: 1000)
    @cache.increment("l", ttl: 1)
    assert_in_delta 1000, @cache.entry("l").ttl, 500
    assert_equal 1, @cache.increment("short", ttl: 1000)
    assert_in_delta 1000, @cache.entry("short").ttl, 500
  end

  def test_counters_refuse_and_stay_as_they_are
    @cache.set("text", "x")
    assert_raises(TypeError) { @cache.increment("text") }
    @cache.set("max", 2**63 - 1)
    assert_raises(RangeError) { @cache.increment("max") }
    assert_equal 2**63 - 1, @cache.get("max")
    assert_match(/by must be an Integer/, assert_raises(TypeError) { @cache.increment("max", 1.5) }.message)
    assert_match(/initial must be/, assert_raises(TypeError) { @cache.increment("max", 1, initial: "x") }.message)
    assert_match(/by is too big/, assert_raises(RangeError) { @cache.increment("max", 2**64) }.message)
    assert_raises(RangeError) { @cache.decrement("max", -2**63) }
  end

  def test_multi
    assert_empty @cache.set_multi({ "a" => 1, :b => nil, 5 => [1] }, ttl: 1000)
    assert_equal({ "a" => 1, :b => nil, 5 => [1] }, @cache.get_multi("a", :b, "none", 5))
    assert_equal({ "a" => 1 }, @cache.get_multi(["a"]))
    assert_equal %w[a], @cache.set_multi({ "a" => 2, "c" => 3 }, nx: true)
    assert_equal 2, @cache.delete_multi("a", "b", "none")
    assert_raises(TypeError) { @cache.set_multi([1]) }
  end

  def test_batch_collects_results
    @cache.set("a", 1)
    results = @cache.batch do |batch|
      batch.get("a")
      batch.set("b", "x", ttl: 1000)
      batch.get("b")
      batch.increment("a", 5)
      batch["c"] = 3
      batch["c"]
      batch.delete("b")
      batch.key?("b")
      batch.get("none", :default)
      batch.get(["any", 1])
    end
    assert_equal [1, true, "x", 6, true, 3, true, false, :default, nil], results
    assert_equal [], @cache.batch { |_| nil }
    assert_raises(ZeroDivisionError) { @cache.batch { |batch| (batch.set("d", 1); 1 / 0) } }
    refute @cache.key?("d")
    assert_raises(TypeError) { @cache.batch { |batch| batch.set("e", 1).set("f", proc {}) } }
  end

  def test_a_batch_has_one_cache
    error = in_child do
      batch = Larder::Batch.new(@cache)
      batch.entry("a").get("b")
      error = assert_raises(Larder::Error) { batch.send(:initialize, @cache) }
      [error.message, batch.run]
    end
    assert_equal ["the batch has a cache", [nil, nil]], error
  end

  def test_a_batch_takes_keys_and_values_as_they_are_then
    key = +""
    list = []
    text = +""
    @cache.set_multi({ "get0" => 0, "get1" => 1, "entry0" => 2, "entry1" => 3, "touch0" => 4, "touch1" => 5 })
    results = @cache.batch do |batch|
      2.times do |i|
        batch.set(key.replace("plain#{i}"), list.replace([i, text.replace("v#{i}")]))
        batch.set(key.replace("ttl#{i}"), list, ttl: 60)
        batch.set(key.replace("large#{i}"), text.replace(i.to_s * 5000))
        batch.set(key.replace("flags#{i}"), text, flags: 1)
        batch.set(["array", key], i, nx: true)
        batch.increment(key.replace("number#{i}"), i)
        batch.fetch(key.replace("fetch#{i}")) { |name| name.dup }
        batch.get(key.replace("get#{i}"), :default)
        batch.entry(key.replace("entry#{i}"))
        batch.touch(key.replace("touch#{i}"), ttl: 60)
      end
      key.replace("none")
      list.clear
      text.clear
    end
    assert_equal([0, 1].flat_map { |i| [true] * 5 + [i, "fetch#{i}", i, @cache.entry("entry#{i}"), true] }, results)
    2.times do |i|
      assert_equal [[i, "v#{i}"]] * 2, [@cache.get("plain#{i}"), @cache.get("ttl#{i}")]
      assert_equal [i.to_s * 5000] * 2, [@cache.get("large#{i}"), @cache.get("flags#{i}")]
      assert_equal [i, i], [@cache.get(["array", "flags#{i}"]), @cache.get("number#{i}")]
    end
    refute @cache.key?("none")
    default = [+"mine"]
    assert_same default, @cache.batch { |batch| batch.get("none", default) }.first
  end

  def test_iteration
    1000.times { |i| @cache.set("key#{i}", i.even? ? i : [[i]]) }
    assert_equal 1000, @cache.count
    assert_equal 500, @cache.count { |_, value| value.is_a?(Integer) }
    assert_equal((0...1000).map { |i| "key#{i}" }.sort, @cache.keys.sort)
    assert_equal((0...1000).to_h { |i| ["key#{i}", i.even? ? i : [[i]]] }, @cache.to_h)
    assert_equal 1000, @cache.each.size
    assert_equal 3, @cache.first(3).size
    assert_equal ["key4", 4], @cache.find { |_, value| value == 4 }
    assert_equal 2, @cache.each_slice(500).count
    enumerator = @cache.each
    assert_kind_of Array, enumerator.next
    assert_equal 1000, @cache.each_key.count
    @cache.each { |key, _| @cache.delete(key) }
    assert_predicate @cache, :empty?
  end

  def test_methods_of_enumerable_are_public
    assert_empty Enumerable.public_instance_methods - @cache.public_methods
  end

  def test_clear_sweep_prune_bytesize
    100.times { |i| @cache.set("key#{i}", "x" * 1000) }
    assert_operator @cache.bytesize, :>=, 100_000
    @cache.prune(50_000)
    assert_operator @cache.bytesize, :<=, 50_000
    assert_operator @cache.size, :>, 10
    assert_same @cache, @cache.clear
    assert_equal 0, @cache.size
    assert_kind_of Integer, @cache.sweep
    assert_raises(TypeError) { @cache.prune("1") }
  end

  def test_a_volatile_cache_evicts_and_a_pinned_one_refuses
    volatile = new_cache(size: 2**20, form: :ready)
    5000.times { |i| volatile.set("key#{i}", "x" * 1000) }
    assert_operator volatile.stats[:evicted], :>, 3000
    assert_operator volatile.size, :<, 2000
    pinned = new_cache(size: 2**20, pinned: true, form: :ready)
    assert_predicate pinned, :pinned?
    stored = 0
    assert_raises(Larder::FullError) { 5000.times { |i| (pinned.set("key#{i}", "x" * 1000); stored += 1) } }
    assert_operator stored, :>, 300
    stored.times { |i| assert_equal "x" * 1000, pinned.get("key#{i}") }
    assert_match(/ttl/, assert_raises(ArgumentError) { pinned.set("a", 1, ttl: 5) }.message)
    assert_match(/ttl/, assert_raises(ArgumentError) { Larder::Cache.new(pinned: true, ttl: 5) }.message)
  end

  def test_an_integer_of_a_pinned_cache_is_replaced_or_stays
    pinned = new_cache(pinned: true)
    pinned.set("n", 1)
    assert_equal true, pinned.set("n", 2, xx: true)
    assert_equal 2, pinned.get("n")
    %i[xx keepttl].each do |how|
      assert_match(/ttl/, assert_raises(ArgumentError) { pinned.set("n", 3, how => true, ttl: 5) }.message)
      assert_equal 2, pinned.get("n")
    end
    assert_equal [true, false], [pinned.touch("n"), pinned.touch("none")]
    assert_match(/ttl/, assert_raises(ArgumentError) { pinned.touch("n", ttl: 5) }.message)
  end

  def test_a_value_that_is_too_large_changes_nothing
    cache = new_cache(size: 2**20)
    cache.set("a", "before")
    assert_kind_of ArgumentError, assert_raises(Larder::TooLargeError) { cache.set("a", "x" * 2**20) }
    assert_equal "before", cache.get("a")
    assert_equal ["b"], cache.set_multi({ "a" => 1, "b" => "x" * 2**20, "c" => 2 })
    assert_equal [1, 2], [cache.get("a"), cache.get("c")]
    assert_equal 2**20, cache.fetch("big") { "x" * 2**20 }.size
  end

  def test_errors_can_be_put_beside_other_texts
    shared_only
    assert_includes "ü #{assert_raises(Larder::Error) { new_cache(path: "/none/ä") }.message}", "/none/ä"
    assert_includes "ü #{assert_raises(ArgumentError) { @cache.set("ä" * 40_000, 1) }.message}", "key #{"ää".inspect.chop}"
  end

  def test_options_are_checked
    { size: "1", namespace: 5, flags: "x", ttl: "1", name: 5, path: 5 }.each do |option, value|
      assert_match(/#{option} must be/, assert_raises(TypeError) { Larder::Cache.new(option => value) }.message)
    end
    { size: 100, flags: -1, ttl: 0, name: "a/b", namespace: "" }.each do |option, value|
      assert_match(/#{option} must be/, assert_raises(ArgumentError) { new_cache(option => value) }.message)
    end
    assert_match(/unknown option: nosixpack/, assert_raises(ArgumentError) { Larder::Cache.new(nosixpack: true) }.message)
    [".a", "a" * 65, "", "a b"].each { |name| assert_raises(ArgumentError) { Larder::Cache.new(name: name) } }
    assert_raises(ArgumentError) { Larder::Cache.new(name: "a", path: "/dev/shm/b") }
    wide = "ab".encode("UTF-16LE")
    [{ name: wide }, { name: "\xff" }, { path: wide }].each do |option|
      assert_match(/#{option.keys.first} must/, assert_raises(ArgumentError) { Larder::Cache.new(**option) }.message)
      assert_match(/#{option.keys.first} must/, assert_raises(ArgumentError) { Larder::Cache.look(**option) }.message)
    end
    assert_match(/path must be/, assert_raises(TypeError) { Larder::Cache.look(path: 5) }.message)
  end

  def test_a_path_may_be_an_object_with_a_path
    shared_only
    path = new_path
    new_cache(path: path, size: 2**20)
    File.open(path) do |file|
      assert_equal path, new_cache(path: file).path
      assert_equal path, Larder::Cache.look(path: file).tap(&:close).path
    end
  end

  def test_namespaces_have_up_to_255_bytes
    [1, 254, 255].each do |size|
      cache = new_cache(size: 2**20, namespace: "n" * size)
      keys = [5, nil, "k", "k" * 300, [1]]
      keys.each { |key| cache.set(key, key) }
      assert_equal keys, cache.get_multi(keys).values
      assert_equal keys.map(&:inspect).sort, cache.keys.map(&:inspect).sort
    end
    [0, 256, 300].each do |size|
      error = assert_raises(ArgumentError) { new_cache(namespace: "n" * size) }
      assert_match(/namespace must be 1 to 255 bytes long, not #{size}/, error.message)
    end
  end

  def test_configure_sets_defaults
    Larder.configure { |config| (config.ttl = 1000; config.flags = 3; config.size = 2**21; config.namespace = "space") }
    cache = new_cache
    assert_equal [1000.0, 3, "space"], [cache.ttl, cache.flags, cache.namespace]
    cache.set("a", "x")
    assert_in_delta 1000, cache.entry("a").ttl, 500
    assert_equal 3, cache.entry("a").flags
    assert_in_delta 1000, cache.tap { cache.increment("n") }.entry("n").ttl, 500
    assert_equal 2**21, cache.stats[:size]
    cache.set("a", "x", ttl: nil, flags: 0)
    assert_nil cache.entry("a").ttl
    assert_equal 1, new_cache(flags: 1).flags
  ensure
    Larder.configure { |config| config.each_pair { |name, _| config[name] = nil } }
    assert_empty Larder.defaults
  end

  def test_texts_of_options_stay_the_callers
    path = new_path
    namespace = +"space"
    cache = new_cache(path: path, namespace: namespace, size: 2**20)
    Larder.configure { |config| config.namespace = namespace }
    refute_predicate path, :frozen?
    refute_predicate namespace, :frozen?
    namespace << "2"
    assert_equal [path, "space", "space"], [cache.path, cache.namespace, Larder.defaults[:namespace]]
    path << "2"
    refute_equal path, cache.path
  ensure
    Larder.configure { |config| config.namespace = nil }
  end

  def test_a_closed_cache_says_so
    cache = Larder::Cache.new
    cache.set("a", 1)
    refute_predicate cache, :closed?
    cache.close
    cache.close
    assert_predicate cache, :closed?
    [-> { cache.get("a") }, -> { cache.set("a", 1) }, -> { cache.increment("a") }, -> { cache.keys }, -> { cache.stats },
     -> { cache.fetch("a") { 1 } }, -> { cache.view("a") { 1 } }, -> { cache.clear }].each do |call|
      assert_raises(Larder::ClosedError, &call)
    end
    assert_match(/closed/, cache.inspect)
  end

  def test_handles_are_not_copied
    assert_raises(NoMethodError, TypeError) { @cache.dup }
    assert_raises(TypeError) { Marshal.dump(@cache) }
    assert_raises(Larder::ClosedError) { Larder::Cache.allocate.get("a") } unless FALLBACK
  end

  def test_many_caches_come_and_go
    300.times { |i| Larder::Cache.new(size: 2**20).set("a", i) }
    caches = Array.new(10) { |i| new_cache(size: 2**20).tap { |cache| cache.set("a", i) } }
    assert_equal (0...10).to_a, caches.map { |cache| cache.get("a") }
  end
end
