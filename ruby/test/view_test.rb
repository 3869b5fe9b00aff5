# frozen_string_literal: true

require_relative "helper"

class ViewTest < Larder::TestCase
  def setup
    @cache = new_cache
    @cache.set("text", "hello world")
  end

  def test_lends_bytes
    assert_equal("hello", @cache.view("text") { |view| view.get_string(0, 5) })
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

  def test_no_method_changes_the_value
    assert_empty Larder::View.public_instance_methods(false) & %i[set_value set_values set_string copy clear transfer locked free]
    refute_includes Larder::View.ancestors.map(&:name), "IO::Buffer"
    @cache.view("text") { |view| view.get_string << "!" }
    assert_equal "hello world", @cache.get("text")
  end

  def test_parts
    @cache.view("text") do |view|
      assert_equal ["hello world", "world", "wor", ""],
                   [view.get_string, view.get_string(6), view.get_string(6, 3), view.get_string(11)]
      assert_equal [Encoding::BINARY, Encoding::UTF_8], [view.get_string.encoding, view.get_string(0, nil, "UTF-8").encoding]
      assert_equal [104, 100, 100, nil, nil], [0, 10, -1, 11, -12].map { |index| view.getbyte(index) }
      assert_equal [4, 7, nil, 3], [view.byteindex("o"), view.byteindex("o", 5), view.byteindex("none"), view.byteindex("", 3)]
      part = view.slice(6).slice(1, 3)
      assert_equal ["orl", 3, 111, 2, nil], [part.get_string, part.size, part.getbyte(0), part.byteindex("l"), part.byteindex("d")]
      assert_equal "hello world".bytes, view.each_byte.to_a
      assert_equal [true, false, true], [view.start_with?("hell"), view.start_with?("x"), part.start_with?("orl")]
      refute view.start_with?("hello world and more")
      assert_equal [0, -1, 1, 1, -1, nil], ["hello world", "x", "", "hello", "hello world!", 1].map { |other| view <=> other }
      assert_equal [true, false], [view == "hello world".encode("US-ASCII"), view == nil]
      assert_equal 1, part <=> view
      assert_equal "#<Larder::View of 11 bytes>", view.inspect
      assert_raises(TypeError) { Marshal.dump(view) } unless FALLBACK
      assert_raises(TypeError, NoMethodError) { view.dup }
    end
    assert_raises(NoMethodError) { Larder::View.new }
  end

  def test_arguments_are_named
    @cache.view("text") do |view|
      { [:get_string, 12] => [ArgumentError, "offset must be in 0..11, not 12"],
        [:get_string, -1] => [ArgumentError, "offset must be in 0..11, not -1"],
        [:get_string, 2**80] => [ArgumentError, "offset must be in 0..11, not #{2**80}"],
        [:get_string, "1"] => [TypeError, "offset must be an Integer, not String"],
        [:get_string, 6, 6] => [ArgumentError, "length must be in 0..5, not 6"],
        [:slice, 6, 6] => [ArgumentError, "length must be in 0..5, not 6"],
        [:byteindex, "x", 12] => [ArgumentError, "offset must be in 0..11, not 12"],
        [:getbyte, "0"] => [TypeError, "no implicit conversion of String into Integer"],
        [:get_value, :u32, 8] => [ArgumentError, "length must be in 0..3, not 4"],
        [:get_values, :U8, 0] => [TypeError, "types must be an Array, not Symbol"],
        [:start_with?, :hello] => [TypeError, "prefix must be a String, not Symbol"],
        [:write_to, "text"] => [TypeError, "io must have a method write, not be String"],
        [:get_value, :x, 8] => [ArgumentError, /\Atype must be one of U8, S8, .*, not :x\z/] }.each do |call, (error, message)|
        assert_match(message, assert_raises(error, call.inspect) { view.public_send(*call) }.message)
      end
    end
  end

  def test_numbers
    @cache.set("numbers", [0xff, 1, 1, -2, -2, 7, 7, -7, -7, 8, 8, -8, -8, 1.5, 1.5, 2.5, 2.5]
      .pack("CS<S>s<s>L<L>l<l>Q<Q>q<q>egEG"))
    types = %i[S8 u16 U16 s16 S16 u32 U32 s32 S32 u64 U64 s64 S64 f32 F32 f64 F64]
    @cache.view("numbers") do |view|
      assert_equal [-1, 1, 1, -2, -2, 7, 7, -7, -7, 8, 8, -8, -8, 1.5, 1.5, 2.5, 2.5], view.get_values(types, 0)
      assert_equal [255, 256], [view.get_value(:U8, 0), view.get_value(:U16, 1)]
    end
  end

  def test_writes_in_pieces
    @cache.set("text", text = "0123456789" * 20_000)
    pieces = []
    writer = Object.new
    writer.define_singleton_method(:write) { |piece| (pieces << piece).last.bytesize }
    assert_equal(200_000, @cache.view("text") { |view| view.write_to(writer) })
    assert_equal [text, 4], [pieces.join, pieces.size]
    @cache.set("empty", "")
    assert_equal(0, @cache.view("empty") { |view| view.write_to(writer) })
  end

  # Overwrites the memory of the view with bytes of other entries.
  def overwrite
    @cache.delete("public")
    400.times { |i| @cache.set("s#{i}", "SECRET-OF-ANOTHER-ENTRY " * 160) }
  end

  def test_what_goes_on_after_the_block_reads_nothing
    @cache = new_cache(size: 4 << 20)
    @cache.set("public", "p" * 4000)
    bytes = view = part = nil
    @cache.view("public") do |lent|
      view = lent
      part = lent.slice(5, 100)
      bytes = lent.each_byte
      assert_equal "p".ord, bytes.next
    end
    overwrite
    seen = []
    assert_raises(Larder::ClosedError) { loop { seen << bytes.next } }
    assert_empty seen - ["p".ord]
    [view, part].each { |ended| assert_ended ended }
    @cache.close
    [view, part].each { |ended| assert_ended ended }
  end

  def test_a_write_that_goes_on_after_the_block_writes_nothing
    @cache.set("text", "x" * 200_000)
    writer = Object.new
    writer.define_singleton_method(:write) { |piece| Fiber.yield(piece.bytesize) }
    fiber = nil
    @cache.view("text") do |view|
      fiber = Fiber.new { view.write_to(writer) }
      assert_equal 65_536, fiber.resume
    end
    @cache.delete("text")
    assert_raises(Larder::ClosedError) { fiber.resume(65_536) }
  end

  def assert_ended(view)
    calls = [[:size], [:empty?], [:get_string], [:get_string, 1, 2], [:slice], [:getbyte, 0], [:byteindex, "p"], [:<=>, "p"],
             [:get_value, :U8, 0], [:get_values, %i[U8], 0], [:start_with?, "p"], [:write_to, $stdout], [:each_byte]]
    calls.each { |call| assert_raises(Larder::ClosedError, call.inspect) { view.public_send(*call) { nil } } }
    assert_predicate view, :null?
    assert_equal "#<Larder::View ended>", view.inspect
  end

  def test_a_close_within_the_block_leaves_the_view_until_it_ends
    view = nil
    @cache.view("text") do |lent|
      view = lent
      @cache.close
      assert_equal "hello world", lent.get_string
      lent.each_byte { |byte| assert_equal "h".ord, byte and break }
    end
    assert_ended view
  end

  def test_arguments_that_end_the_view
    ends = Object.new
    cache = fiber = nil
    ends.define_singleton_method(:to_str) { (fiber.resume; cache.close; "UTF-8") }
    %i[get_string byteindex].each do |name|
      cache = @cache = new_cache
      @cache.set("text", "x" * 100_000)
      view = nil
      fiber = Fiber.new { @cache.view("text") { |lent| (view = lent; Fiber.yield) } }
      fiber.resume
      arguments = name == :get_string ? [0, nil, ends] : [ends]
      assert_raises(Larder::ClosedError) { view.public_send(name, *arguments) }
    end
  end

  def test_other_threads_see_the_end
    @cache.set("text", "x" * 10_000)
    200.times do
      thread = nil
      @cache.view("text") do |view|
        thread = Thread.new do
          loop { raise "wrong" unless view.get_string == "x" * 10_000 && view.slice(5).getbyte(3) == 120 }
        rescue Larder::ClosedError
          :ended
        end
        Thread.pass
      end
      assert_equal :ended, thread.value
    end
    assert_nothing_held @cache
  end

  def test_no_other_ractor_gets_a_view
    shared_only
    @cache.view("text") do |view|
      assert_raises(Ractor::Error) { Ractor.make_shareable(view) }
    end
  end

  def test_stays_as_it_is_whatever_happens_to_the_entry
    @cache.set("text", "x" * 100_000)
    @cache.view("text") do |view|
      @cache.delete("text")
      @cache.clear
      3.times { @cache.sweep }
      2000.times { |i| @cache.set("other#{i}", "y" * 100_000) }
      assert_equal "x" * 100_000, view.get_string
    end
    assert_nothing_held @cache
  end

  def test_every_way_out_of_the_block_ends_the_view
    view = nil
    catch(:out) { @cache.view("text") { |lent| (view = lent; throw :out) } }
    assert_ended view
    assert_raises(ZeroDivisionError) { @cache.view("text") { |lent| (view = lent; 1 / 0) } }
    assert_ended view
    @cache.view("text") { |lent| (view = lent; break) }
    assert_ended view
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
    before = WalkingWhileLoaded.count # dumping the value has left Strings with Marshal data
    @cache.get("marshal")
    assert_operator WalkingWhileLoaded.found, :<=, before
  end

  # When Marshal loads an object of this class, the object counts the Strings that contain Marshal data.
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
