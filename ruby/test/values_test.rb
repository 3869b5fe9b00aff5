# frozen_string_literal: true

require_relative "helper"
require "date"
require "set"

class ValuesTest < Larder::TestCase
  Point = Struct.new(:x, :y)
  class Text < String; end
  class List < Array; end
  class Dictionary < Hash; end

  def setup
    @cache = new_cache
  end

  def assert_kept(value)
    assert_equal true, @cache.set("key", value)
    found = @cache.get("key", :missing)
    if value.nil?
      assert_nil found
    else
      assert_equal value, found
    end
    assert_same value.class, found.class
    found
  end

  def test_scalars
    [nil, true, false, 0, 1, -1, 127, 128, -128, 2**31, -2**31, 2**62 - 1, 2**62, -2**62, -2**62 - 1, 2**63 - 1, -2**63,
     2**63, -2**63 - 1, 2**64, -2**64, 2**200, 0.0, 1.5, -1e300, Float::INFINITY, Float::MIN, 3r, 2i].each { |value| assert_kept value }
    @cache.set("key", Float::NAN)
    assert_predicate @cache.get("key"), :nan?
    @cache.set("key", -0.0)
    assert_equal "-0.0", @cache.get("key").to_s
  end

  def test_strings_keep_bytes_and_encoding
    Encoding.list.reject(&:dummy?).each do |encoding|
      ["", "abc".dup.force_encoding(encoding), "\xff\x00\xe9".dup.force_encoding(encoding)].each do |string|
        found = assert_kept string
        assert_equal string.encoding, found.encoding
        assert_equal string.bytes, found.bytes
      end
    end
    assert_equal Encoding::UTF_7, assert_kept("abc".dup.force_encoding("UTF-7")).encoding
  end

  # Ruby's constructor of US-ASCII Strings does not check that all bytes are below 128.
  def test_bytes_that_are_no_ascii_are_not_taken_for_it
    broken = "ab\xE4".dup.force_encoding("US-ASCII")
    found = [assert_kept(broken), assert_kept([broken]).first, assert_kept({ broken => broken }).first].flatten
    found.each do |string|
      assert_equal [Encoding::US_ASCII, false, false], [string.encoding, string.valid_encoding?, string.ascii_only?]
      assert_raises(Encoding::CompatibilityError) { string + "ä" }
    end
  end

  # Marshal dumps a Symbol with an invalid encoding, but cannot load it.
  def test_a_symbol_that_marshal_cannot_read_is_unreadable_wherever_it_stands
    symbol = "ab\xE4".dup.force_encoding("US-ASCII").to_sym
    [symbol, [symbol], { symbol => 1 }, [[symbol]]].each do |value|
      @cache.set("key", value)
      assert_raises(ArgumentError) { @cache.get("key") }
      assert_match(/invalid byte sequence/, @cache.unreadable("key"))
      assert_equal 1, @cache.fetch("key") { 1 }
    end
  end

  def test_symbols
    [:a, :"with space", :ä, :"", "\xE4".dup.force_encoding("ISO-8859-1").to_sym, "\xff".b.to_sym, :[]=].each { |symbol| assert_kept symbol }
    symbol = "never_seen_before_#{rand(2**64)}".to_sym
    assert_same symbol, assert_kept(symbol)
  end

  def test_flat_lists
    values = [nil, true, false, 1, -2**61, 1.5, "text", "bytes\xff".b, "ascii".encode("US-ASCII"), :symbol, "", "ä" * 5000]
    found = assert_kept values
    assert_equal values.map { |value| value.is_a?(String) ? value.encoding : nil },
                 found.map { |value| value.is_a?(String) ? value.encoding : nil }
    assert_kept [2**62, -2**62 - 1, 2**63 - 1, -2**63]
    assert_kept({ 2**62 => -2**63 })
    assert_kept [2**63, -2**63 - 1] # Marshal encodes these
    assert_kept []
    assert_kept({})
    assert_kept({ number: 1, value: nil })
    assert_kept values.to_h { |value| [value, value] }
    assert_kept((1..100_000).to_a)
    assert_kept((1..10_000).to_h { |i| ["key#{i}", i.to_f] })
    order = assert_kept({ "b" => 1, :a => 2, nil => 3 })
    assert_equal ["b", :a, nil], order.keys
    assert_predicate order.keys.first, :frozen?
  end

  # Behaves like ActiveSupport::Duration, which claims to be an Integer.
  Pretender = Struct.new(:number) do
    def is_a?(klass) = klass == Integer || super
    def bit_length = 3
  end

  def test_what_pretends_to_be_an_integer_is_none
    assert_kept Pretender.new(5)
    assert_raises(TypeError) { @cache.increment("key") }
  end

  def test_everything_else_goes_through_marshal
    [[[1]], { a: { b: 1 } }, { [1] => 2 }, Point.new(1, [2]), Time.at(0, 5, :nsec), Date.new(2026, 1, 2), 1..3, Set[1, 2],
     [2**80], [3r], Text.new("text"), List[1, 2], Dictionary[1, 2], String, Kernel, Class].each { |value| assert_kept value }
    assert_equal 5, assert_kept(Hash.new(5))[:none]
    identity = {}.compare_by_identity
    identity["a".dup] = 1
    @cache.set("key", identity)
    assert_predicate @cache.get("key"), :compare_by_identity?
    text = "text".dup
    text.instance_variable_set(:@note, 1)
    assert_equal 1, assert_kept(text).instance_variable_get(:@note)
  end

  def test_identity_within_a_value_is_kept_by_marshal
    part = ["part"]
    first, second = assert_kept [part, part]
    assert_same first, second
    loop_ = []
    loop_ << loop_
    @cache.set("loop", loop_)
    found = @cache.get("loop")
    assert_same found, found.first
  end

  def test_each_read_gives_a_new_object
    @cache.set("list", %w[a b])
    @cache.set("text", "text")
    @cache.get("list") << "c"
    @cache.get("list").first << "changed"
    @cache.get("text") << "changed"
    assert_equal %w[a b], @cache.get("list")
    assert_equal "text", @cache.get("text")
    refute_predicate @cache.get("text"), :frozen?
  end

  def test_frozen_and_shared_strings
    whole = ("a".."z").to_a.join * 100
    part = whole[26, 2000]
    assert_kept whole.freeze
    assert_kept part
    assert_kept part.freeze
    assert_kept [part, whole.byteslice(0, 1000)]
    copy = assert_kept(whole)
    sub = copy[100, 50]
    @cache.set("key", "x" * copy.bytesize)
    assert_equal whole[100, 50], sub
  end

  def test_what_marshal_refuses_is_refused_and_nothing_changes
    @cache.set("key", "before")
    error = assert_raises(TypeError) { @cache.set("key", proc {}) }
    assert_match(/Proc/, error.message)
    assert_raises(TypeError) { @cache.set("key", Hash.new { 1 }) }
    assert_raises(TypeError) { @cache.set("key", [$stdout]) }
    singleton = "text".dup
    def singleton.shout = upcase
    assert_raises(TypeError) { @cache.set("key", singleton) }
    assert_equal "before", @cache.get("key")
  end

  def test_a_value_of_100_mb
    cache = new_cache(size: 256 * 2**20)
    text = Random.new(1).bytes(1000) * 100_000
    assert_equal 100_000_000, text.bytesize
    cache.set("large", text)
    assert_equal text, cache.get("large")
    assert_equal(text.byteslice(99_999_990, 10), cache.view("large") { |view| view.get_string(99_999_990, 10) })
    cache.set("large", [[text]]) # Marshal data, read in place
    assert_equal [[text]], cache.get("large")
    cache.delete("large")
    assert_nothing_held cache
  end

  def test_exceptions_while_a_value_is_dumped_or_loaded
    @cache.set("key", "before")
    assert_raises(ZeroDivisionError) { @cache.set("key", Raising.new(:dump)) }
    assert_equal "before", @cache.get("key")
    large = "x" * 100_000
    @cache.set("key", Raising.new(:load, large))
    100.times { assert_raises(ZeroDivisionError) { @cache.get("key") } }
    assert_equal :thrown, catch(:out) { Raising.throws = true; @cache.get("key") }
    Raising.throws = false
    assert_nothing_held @cache
  end

  # Raises while it is dumped or loaded.
  class Raising
    class << self
      attr_accessor :throws
    end

    def initialize(moment, text = "")
      @moment = moment
      @text = text
    end

    def marshal_dump
      1 / 0 if @moment == :dump
      [@moment, @text]
    end

    def marshal_load(_)
      throw :out, :thrown if self.class.throws
      1 / 0
    end
  end

  # Uses the cache while an object of this class is loaded from the cache.
  class Nested
    class << self
      attr_accessor :cache
    end

    attr_reader :text, :other

    def initialize(text) = @text = text
    def marshal_dump = @text

    def marshal_load(text)
      @text = text
      self.class.cache.delete("key")
      self.class.cache.sweep
      100.times { |i| self.class.cache.set("other#{i}", "y" * text.bytesize) }
      @other = self.class.cache.get("other99")
    end
  end

  def test_a_value_may_use_the_cache_while_it_is_loaded
    Nested.cache = @cache
    [100, 1_000_000].each do |size|
      @cache.set("key", [Nested.new("x" * size), "z" * size])
      nested, after = @cache.get("key")
      assert_equal ["x" * size, "y" * size, "z" * size], [nested.text, nested.other, after]
    end
    assert_nothing_held @cache
  end

  def test_hashes_keep_the_flag_for_keywords
    [{ a: 1 }, {}].each do |hash|
      @cache.set("flagged", Hash.ruby2_keywords_hash(hash))
      @cache.set("plain", hash)
      assert_equal [hash, hash], [@cache.get("flagged"), @cache.get("plain")]
      assert_equal([true, false], %w[flagged plain].map { |key| Hash.ruby2_keywords_hash?(@cache.get(key)) })
    end
  end

  class Slow
    def marshal_dump = 1
    def marshal_load(_) = sleep
  end

  class Late < StandardError; end

  def test_why_a_value_cannot_be_read_lets_other_exceptions_through
    @cache.set("slow", Slow.new)
    assert_raises(Late) { Timeout.timeout(0.05, Late) { @cache.unreadable("slow") } }
    assert_raises(Timeout::Error) { Timeout.timeout(0.05) { @cache.unreadable("slow") } }
  end

  def test_why_a_value_cannot_be_read
    self.class.const_set(:Gone, Struct.new(:id))
    @cache.set_multi({ "gone" => [Gone.new(1)], "large" => [Gone.new("x" * 10_000)], "good" => [[1]] })
    self.class.send(:remove_const, :Gone)
    assert_match(/cannot be loaded: (undefined class|uninitialized constant).*Gone/, @cache.unreadable("gone"))
    assert_match(/cannot be loaded: (undefined class|uninitialized constant).*Gone/, @cache.unreadable("large"))
    self.class.const_set(:Gone, Struct.new(:id, :name))
    reason = @cache.unreadable("gone")
    self.class.send(:remove_const, :Gone)
    assert_match(/cannot be loaded: struct/, reason)
    assert_equal [nil, nil], [@cache.unreadable("good"), @cache.unreadable("none")]
    assert_raises(TypeError) { @cache.unreadable(proc {}) }
    @cache.close
    assert_raises(Larder::ClosedError) { @cache.unreadable("gone") }
  end

  # Makes Marshal.load define a missing class, as Active Support's version does.
  module DefinesMissing
    def load(source, proc = nil)
      super(source, proc)
    rescue ArgumentError, NameError
      raise if ValuesTest.const_defined?(:Missing, false) # another class is missing, or the text is damaged

      ValuesTest.const_set(:Missing, Struct.new(:id))
      retry
    end
  end

  def test_a_replaced_marshal_load_loads_values
    self.class.const_set(:Missing, Struct.new(:id))
    [1, "x" * 1_000, "x" * 10_000].each { |id| @cache.set(id, Missing.new(id)) }
    self.class.send(:remove_const, :Missing)
    assert_raises(*UNKNOWN_CLASS) { @cache.get(1) }
    found = in_child do
      Marshal.singleton_class.prepend(DefinesMissing)
      [1, "x" * 1_000, "x" * 10_000].map do |id|
        self.class.send(:remove_const, :Missing) if self.class.const_defined?(:Missing, false)
        @cache.get(id).id.then { |kept| kept == id }
      end
    end
    assert_equal [true, true, true], found
  end
end
