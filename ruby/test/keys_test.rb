# frozen_string_literal: true

require_relative "helper"
require "date"

class KeysTest < Larder::TestCase
  def setup
    @cache = new_cache
  end

  def test_strings_and_symbols_are_their_bytes
    @cache.set("key", 1)
    assert_equal 1, @cache.get(:key)
    assert_equal 1, @cache.get("key".encode("US-ASCII"))
    assert_equal 1, @cache.get("key".b)
    assert_nil @cache.get("key".encode("UTF-16LE"))
    @cache.set("ä", 2)
    assert_equal 2, @cache.get("ä".b)
    assert_nil @cache.get("ä".encode("ISO-8859-1"))
  end

  OBJECTS = [nil, true, false, 0, 1, -1, 122, 123, 124, -123, -124, -125, 255, 256, 257, -255, -256, -257, 65_535, 65_536,
             -65_536, -65_537, 2**24, -2**24, 2**30 - 1, 2**30, -2**30, -2**30 - 1, 2**40, 2**64, -2**70, 1.5, 3r,
             [], [1, "a", :b, nil], [["a"], ["a"]], {}, { a: 1 }, Date.new(2026, 1, 2), 1..2, String, "", "\x04\bi\x06",
             "\x04\b", "\xff\xfe", "with\0zero", "k" * 60_000].freeze

  def test_any_object_is_a_key_of_its_own
    OBJECTS.each_with_index { |key, i| @cache.set(key, i) }
    OBJECTS.each_with_index { |key, i| assert_equal i, @cache.get(key), key.inspect }
    assert_equal OBJECTS.size, @cache.size
    assert_equal OBJECTS.map(&:inspect).sort,
                 @cache.keys.map { |key| OBJECTS.find { |object| same?(object, key) } }.map(&:inspect).sort
    OBJECTS.each { |key| assert_equal true, @cache.delete(key) }
    assert_equal 0, @cache.size
  end

  def same?(object, key)
    return object.b == key.b if object.is_a?(String) && key.is_a?(String)

    object == key && object.instance_of?(key.class)
  end

  # Claims to be a String, as a proxy does. The result of its dup is a String.
  Pretender = Struct.new(:name) do
    def is_a?(klass) = klass == String || super
    def dup = name.dup
  end

  def test_what_pretends_to_be_a_string_is_a_key_of_its_own
    key = Pretender.new("name")
    assert_equal 1, @cache.fetch(key) { 1 }
    assert_equal [1, nil], [@cache.get(key), @cache.get("name")]
    assert_equal 2, @cache.fetch([key]) { 2 }
    assert_equal 2, @cache.get([Pretender.new("name")])
    assert_equal [key, [key]], @cache.keys.sort_by { |found| found.class.name }.reverse
    batch = Larder::Batch.new(@cache)
    value = Pretender.new("value".dup)
    batch.set(key, value, ttl: 60).entry(key)
    value.name.replace("changed")
    assert_equal Pretender.new("value"), batch.run.last.value
    assert_equal Pretender.new("value"), @cache.get(key)
  end

  def test_small_integers_are_written_as_marshal_writes_them
    @cache.set("x", 1)
    [*-70_000..-69_900, *-300..300, *65_500..65_600, 2**29, 2**30 - 1, -2**30].each do |number|
      assert_equal number, Larder.load_key(Larder.dump_key(number))
      @cache.set(number, number)
      assert_includes @cache.keys, number
      @cache.delete(number)
    end
  end

  def test_equal_keys_are_one_key
    text = "a".dup
    @cache.set([text, text], 1)
    assert_equal 1, @cache.get(["a".dup, "a".dup])
    assert_equal 1, @cache.get(%w[a a])
    @cache.set([[text, [text]], 1], 2)
    assert_equal 2, @cache.get([["a", ["a"]], 1])
  end

  def test_equal_arrays_are_one_key
    @cache.set(["a", ["ä"]], 3)
    assert_equal 3, @cache.get(["a".b, ["ä"]])
    assert_equal 3, @cache.get(["a".encode("US-ASCII"), ["ä"]])
    assert_nil @cache.get(["a", ["ä".b]])
    [2**70, 1e300, Rational(1, 3), Complex(1, 2)].each do |number|
      other = Marshal.load(Marshal.dump(number))
      @cache.set([number, number], number)
      assert_equal number, @cache.get([number, other])
    end
    @cache.set([0.0], 4)
    assert_equal 4, @cache.get([-0.0])
    @cache.set([Complex(0.0, 1), Complex(2, -0.0)], 5)
    assert_equal 5, @cache.get([Complex(-0.0, 1), Complex(2, 0.0)])
    @cache.set(["".encode("UTF-16LE")], 6)
    assert_equal 6, @cache.get([""])
  end

  def test_a_key_whose_class_is_gone_stands_in_nobodys_way
    @cache = new_cache(namespace: "gone")
    self.class.const_set(:Gone, Struct.new(:id))
    @cache.set([Gone.new(1)], 1)
    ["a", "ab", "b", "\x04\ba"].each { |key| @cache.set(key, key) }
    self.class.send(:remove_const, :Gone)
    assert_equal 5, @cache.size
    assert_equal 2, @cache.delete_matched("a")
    assert_equal 1, @cache.delete_matched(/\A\x04/)
    assert_equal 2, @cache.count
    assert_equal 2, @cache.prune(0)
    self.class.const_set(:Gone, Struct.new(:id))
    @cache.set([Gone.new(1)], 1)
    self.class.send(:remove_const, :Gone)
    assert_predicate @cache.clear, :empty?
  end

  def test_iteration_leaves_out_what_cannot_be_loaded
    self.class.const_set(:Gone, Struct.new(:id))
    @cache.set([Gone.new(1)], 1)
    @cache.set("value", [Gone.new(1)])
    @cache.set("a", 1)
    @cache.set([[1]], [[2]])
    self.class.send(:remove_const, :Gone)
    assert_equal [["a", 1], [[[1]], [[2]]]].to_h, @cache.to_h
    assert_equal [[[1]], "a", "value"], @cache.keys.sort_by(&:to_s)
    assert_equal 4, @cache.count
    assert_raises(*UNKNOWN_CLASS) { @cache.get("value") }
    assert_raises(ArgumentError) { @cache.each { raise ArgumentError, "of the block" } }
  end

  def test_a_key_that_changes_afterwards
    key = "key".dup
    @cache.set(key, 1)
    key << "2"
    assert_nil @cache.get(key)
    assert_equal 1, @cache.get("key")
    list = [1]
    @cache.set(list, 2)
    list << 2
    assert_nil @cache.get(list)
  end

  # Replaces a String while it is dumped.
  class Changing
    def initialize(string) = @string = string

    def marshal_dump
      @string.replace("changed" * 1000)
      1
    end

    def marshal_load(_) = @string = +""
  end

  def test_a_key_that_changes_the_value_while_it_is_made
    [10, 3000].each do |length|
      value = "a" * length
      @cache.set(Changing.new(value), value)
      assert_equal ["a" * length], @cache.map(&:last)
      @cache.clear
      value = "b" * length
      @cache.batch { |batch| batch.set(Changing.new(value), value) }
      assert_equal ["b" * length], @cache.map(&:last)
      @cache.clear
    end
  end

  def test_keys_that_are_too_long_name_the_limit
    error = assert_raises(ArgumentError) { @cache.set("k" * 65_536, 1) }
    assert_match(/key must be 1 to 65535 bytes/, error.message)
    assert_raises(ArgumentError) { @cache.get("k" * 65_536) }
    assert_equal true, @cache.set("k" * 65_535, 1)
    assert_equal 1, @cache.get("k" * 65_535)
  end

  def test_keys_that_contain_themselves
    key = [1]
    key << key
    deep = []
    100_000.times { deep = [deep] }
    [key, deep].each do |bad|
      [-> { @cache.set(bad, 1) }, -> { @cache.get(bad) }, -> { @cache.fetch(bad) { 1 } }, -> { @cache.get_multi([bad]) }].each do |call|
        assert_match(/must not contain itself/, assert_raises(ArgumentError, &call).message)
      end
    end
    assert_raises(ArgumentError) { @cache.batch { |batch| batch.set(key, 1) } }
    assert_raises(ArgumentError) { @cache.batch { |batch| batch.set(key, 1, ttl: 5) } }
    assert_equal 0, @cache.size
  end

  def test_a_batch_tells_of_its_own_failure
    @cache.set("text", "x")
    assert_raises(ArgumentError) { @cache.set("large", "x" * @cache.stats[:size]) }
    message = assert_raises(ArgumentError) { @cache.batch { |batch| batch.get("k" * 70_000) } }.message
    assert_match(/65,?535 bytes long \(key "kkk/, message)
  end

  def test_a_batch_refuses_keys_that_are_nested_too_deep
    deep = []
    100_000.times { deep = [deep] }
    [{}, { ttl: 5 }].each do |options|
      assert_match(/must not contain itself/, assert_raises(ArgumentError) { @cache.batch { |batch| batch.set(deep, 1, **options) } }.message)
    end
  end

  def test_keys_that_cannot_be_dumped
    assert_raises(TypeError) { @cache.get(proc {}) }
    assert_raises(TypeError) { @cache.set($stdout, 1) }
    assert_equal 0, @cache.size
  end

  def test_namespaces
    shared_only
    path = new_path
    all = new_cache(path: path, size: 2**20)
    one = new_cache(path: path, namespace: "one")
    long = new_cache(path: path, namespace: "n" * 250)
    OBJECTS.each_with_index { |key, i| (one.set(key, i); long.set(key, -i)) }
    OBJECTS.each_with_index { |key, i| assert_equal [i, -i], [one.get(key), long.get(key)], key.inspect }
    assert_equal [OBJECTS.size, OBJECTS.size, OBJECTS.size * 2], [one.size, long.size, all.size]
    assert_equal 0, all.get("one:#{"k" * 60_000}") - OBJECTS.index("k" * 60_000)
    one.clear
    assert_equal [0, OBJECTS.size, OBJECTS.size], [one.size, long.size, all.size]
    long.set("x", 1)
    assert_equal 1, long.delete_matched("x")
  end

  # Records whether Marshal has loaded an object of this class.
  class Hostile
    class << self
      attr_accessor :loaded
    end

    def marshal_dump = []
    def marshal_load(_) = self.class.loaded = true
  end

  # Some namespaces are prefixes of others. The Strings look like keys of other namespaces, or like the Marshal data of such keys.
  def test_no_namespace_loads_a_string_that_another_one_stored
    shared_only
    path = new_path
    spaces = [nil, "a", "a:b", "a:b:c", "b", "o", ":", "a:"]
    handles = spaces.to_h { |space| [space, new_cache(path: path, size: 2**20, namespace: space)] }
    dumped = Marshal.dump(Hostile.new)
    strings = ["", *spaces.compact.map { |space| "#{space}:" }].map { |head| head.b + dumped }
    strings += strings.map { |string| Marshal.dump(string) } + strings.map { |string| "a:".b + Marshal.dump(string) }
    handles.each { |space, handle| strings.each { |string| handle.set(string, [space, string]) } }
    handles.each do |space, handle|
      assert_equal strings.sort, strings.sort & handle.keys.map(&:b)
      handle.each { |key, value| assert_equal [space, key.b], value if strings.include?(key.b) }
      strings.each { |string| assert_equal [space, string], handle.get(string) }
      handle.delete_matched(/nothing/)
    end
    refute Hostile.loaded
    handles["a"].set([Hostile.new], 1)
    handles.each_value(&:keys)
    assert Hostile.loaded, "the test sees it"
  ensure
    Hostile.loaded = nil
  end

  def test_keys_of_another_namespace_that_are_no_strings
    shared_only
    path = new_path
    all = new_cache(path: path, size: 2**20)
    one = new_cache(path: path, namespace: "one")
    one.set_multi({ 5 => 1, "text" => 2 })
    assert_equal [["one:text"], ["text", 5], 2, 2], [all.keys, one.keys.sort_by(&:to_s).reverse, all.count, one.count]
    assert_equal [0, 0], [all.delete_matched(/i/), all.delete_matched("one:\x04\bi")]
    assert_equal 2, all.delete_matched("one:")
  end

  def test_strings_with_marshals_head_are_keys
    { nil => @cache, "space" => new_cache(namespace: "space") }.each_value do |cache|
      keys = ["\x04\b", ":\x04\b", "a:\x04\bi\x06", "a\x04\bi\x06", "a:\x04:\x04", "\x04"]
      keys.each { |key| cache.set(key, key) }
      keys.each { |key| assert_equal key, cache.get(key) }
      assert_equal keys.sort, cache.keys.sort
      assert_equal 2, cache.delete_matched("a:")
    end
    ["\x04\b", "a\x04\bb"].each do |space|
      assert_match(/namespace must not contain/, assert_raises(ArgumentError) { new_cache(namespace: space) }.message)
    end
  end

  def test_delete_matched
    %w[views/1 views/2 users/1].each { |key| @cache.set(key, 1) }
    @cache.set(5, 1)
    @cache.set("\xff\xfeviews", 1)
    assert_equal 2, @cache.delete_matched("views/")
    assert_equal 1, @cache.delete_matched(/\Ausers/)
    assert_equal 0, @cache.delete_matched(/nothing/)
    assert_equal 2, @cache.size
    assert_raises(TypeError) { @cache.delete_matched(5) }
  end
end
