# frozen_string_literal: true

require_relative "helper"

class ViewTest < Larder::TestCase
  def setup
    @cache = new_cache
    @verbose = Warning[:experimental]
    Warning[:experimental] = false # IO::Buffer itself, of Ruby 3.1
    @cache.set("text", "hello world")
  end

  def teardown
    Warning[:experimental] = @verbose
    super
  end

  def test_lends_bytes
    assert_equal("hello", @cache.view("text") { |buffer| buffer.get_string(0, 5) })
    assert_equal(11, @cache.view("text", &:size))
    assert_nil(@cache.view("none") { flunk })
    @cache.set("empty", "")
    assert_equal(0, @cache.view("empty", &:size))
    @cache.set("bytes", "\xff\x01".b, flags: 3)
    assert_equal("\xff\x01".b, @cache.view("bytes", &:get_string))
  end

  def test_other_values_are_refused
    [1, nil, :symbol, [1], [[1]], "x".encode("UTF-16LE")].each do |value|
      @cache.set("other", value)
      assert_raises(TypeError) { @cache.view("other") { flunk } }
    end
    assert_raises(LocalJumpError) { @cache.view("text") }
    assert_nothing_held @cache
  end

  def test_is_read_only
    shared_only
    @cache.view("text") { |buffer| assert_raises(IO::Buffer::AccessError) { buffer.set_string("x") } }
    assert_equal "hello world", @cache.get("text")
  end

  def test_stays_as_it_is_whatever_happens_to_the_entry
    @cache.set("text", "x" * 100_000)
    @cache.view("text") do |buffer|
      @cache.delete("text")
      @cache.clear
      3.times { @cache.sweep }
      2000.times { |i| @cache.set("other#{i}", "y" * 100_000) }
      assert_equal "x" * 100_000, buffer.get_string
    end
    assert_nothing_held @cache
  end

  def test_nothing_escapes_the_block
    escaped = slice = nil
    @cache.view("text") do |buffer|
      escaped = buffer
      slice = buffer.slice(0, 5)
    end
    GC.start
    assert_predicate escaped, :null?
    assert_equal "", (escaped.get_string rescue "") # Ruby 3.1 raises
    assert_raises(IO::Buffer::InvalidatedError) { slice.get_string }
    locked = nil
    catch(:out) { @cache.view("text") { |buffer| (locked = buffer).locked { throw :out } } }
    assert_predicate locked, :null? unless FALLBACK
    assert_nothing_held @cache
  end

  def test_the_memory_cannot_become_another_buffers
    @cache.view("text") do |buffer|
      assert_raises(NoMethodError) { buffer.transfer }
      assert_raises(NoMethodError) { buffer.slice(0, 5).transfer }
      assert_kind_of IO::Buffer, buffer
    end
    GC.start # of the slice, too
    assert_nothing_held @cache
  end

  def test_nested_views
    @cache.set("other", "other")
    assert_equal("hello otherhello", @cache.view("text") do |text|
      @cache.view("other") { |other| "hello #{other.get_string}" } + text.get_string(0, 5)
    end)
    assert_equal("hello", @cache.view("text") { |_| @cache.view("text") { |again| again.get_string(0, 5) } })
  end

  def test_no_view_object_is_found_in_object_space
    shared_only
    @cache.set("marshal", [[WalkingWhileLoaded.new, "secret" * 10_000]])
    before = WalkingWhileLoaded.count # garbage of dumping it
    @cache.get("marshal")
    assert_operator WalkingWhileLoaded.found, :<=, before
  end

  # Looks for Strings with Marshal's text while one is loaded.
  class WalkingWhileLoaded
    class << self
      attr_accessor :found
    end

    def marshal_dump = "x"

    def marshal_load(_)
      self.class.found = self.class.count
    end

    def self.count
      ObjectSpace.each_object(String).count { |string| string.bytesize > 50_000 && string.getbyte(0) == 4 && string.getbyte(1) == 8 }
    end
  end
end
