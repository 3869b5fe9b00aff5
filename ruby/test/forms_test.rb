# frozen_string_literal: true

require_relative "helper"
require_relative "random_values"

# Tests the two forms of a value: ready, and packed (compressed) if memory is short.
class FormsTest < Larder::TestCase
  TEXT = ("some text that repeats itself, " * 40).freeze
  Point = Struct.new(:x, :y, :text)
  VALUES = {
    utf8: TEXT, binary: TEXT.b, ascii: TEXT.dup.force_encoding("US-ASCII"), utf16: TEXT.encode("UTF-16LE"),
    array: Array.new(100) { |i| "value #{i}" }, hash: Array.new(100) { |i| [:"key#{i}", i * 0.5] }.to_h, symbol: ("name" * 50).to_sym,
    nested: [[TEXT], { a: [TEXT, nil] }], object: Point.new(1, 2, TEXT)
  }.freeze

  def form_of(cache, key) = cache.entry(key).form

  # Stores more values than the cache has room for, so that it packs values.
  def press(cache)
    noise = Random.new(1)
    2000.times { |i| cache.set("noise#{i}", noise.bytes(2000)) }
  end

  def test_every_kind_of_value_comes_back
    cache = new_cache(form: :packed)
    VALUES.each do |key, value|
      [0, 7].each do |flags|
        assert cache.set(key, value, flags: flags)
        entry = cache.entry(key)
        assert_equal [value, flags], [entry.value, entry.flags], key
        assert_equal value, cache.get(key)
        assert_equal FALLBACK ? :ready : :packed, entry.form, key
      end
      assert_equal value.encoding, cache.get(key).encoding if value.is_a?(String)
    end
    assert_equal VALUES, cache.each.to_h.transform_keys(&:to_sym)
    assert_equal VALUES.values, cache.batch { |batch| VALUES.each_key { |key| batch.get(key) } }
    assert_equal VALUES[:hash], cache.take("hash")
    assert_nil cache.entry("hash")
    assert_empty cache.fsck
  end

  def test_short_values_and_counters_are_never_packed
    cache = new_cache(form: :packed)
    [nil, 5, 2.5, "x" * 127, :a, [1, 2], { a: 1 }].each { |value| assert_equal :ready, cache.set("key", value) && form_of(cache, "key") }
    cache.set("noise", Random.bytes(10_000)) # random bytes do not compress, so the value stays ready
    assert_equal :ready, form_of(cache, "noise")
  end

  def test_a_call_and_a_cache_choose_the_form
    shared_only
    cache = new_cache
    cache.set("a", TEXT)
    cache.set("b", TEXT, form: :packed)
    cache.fetch("c", form: :packed) { TEXT }
    cache.set_multi({ "d" => TEXT }, form: :packed)
    cache.batch { |batch| batch.set("e", TEXT, form: :packed).set("f", TEXT) }
    assert_equal %i[ready packed packed packed packed ready], %w[a b c d e f].map { |key| form_of(cache, key) }
    packed = new_cache(form: :packed)
    packed["a"] = TEXT
    packed.batch { |batch| batch["b"] = TEXT }
    packed.set("c", TEXT, form: :ready)
    assert_equal %i[packed packed ready], %w[a b c].map { |key| form_of(packed, key) }
    stats = packed.stats
    assert_equal [2, 2, 2], stats.values_at(:packs, :packed_entries, :unpacks)
    assert_operator stats[:packed_bytes], :<, stats[:packed_ready] / 4
  end

  def test_an_unknown_form_names_the_three
    cache = new_cache
    [-> { cache.set("a", 1, form: :zip) }, -> { cache.set("a", 1, form: "packed") }, -> { cache.fetch("a", form: 1) { 1 } },
     -> { new_cache(form: :zip) }, -> { new_cache(form: 5) }].each do |call|
      assert_match(/:auto, :ready or :packed, not/, assert_raises(ArgumentError, &call).message)
    end
    refute cache.key?("a")
    assert_equal %i[auto ready], [cache.form, new_cache(form: :ready).form]
  end

  def test_nothing_is_packed_while_all_fits
    shared_only
    cache = new_cache(size: 4 * 2**20)
    100.times { |i| cache.set("key#{i}", TEXT) }
    3.times { 100.times { |i| cache.get("key#{i}") } }
    assert_equal [0, 0, 0], cache.stats.values_at(:packs, :unpacks, :evicted)
  end

  def test_values_are_packed_while_entries_are_evicted
    shared_only
    cache = new_cache(size: 2**20)
    press(cache)
    50.times { |i| cache.set("text#{i}", TEXT) }
    assert_includes Array.new(50) { |i| cache.entry("text#{i}")&.form }, :packed
    50.times { |i| assert_includes [nil, TEXT], cache.get("text#{i}") }
    ready = new_cache(size: 2**20, form: :ready)
    press(ready)
    ready.set("text", TEXT)
    assert_equal :ready, form_of(ready, "text")
    assert_equal 0, ready.stats[:packs]
  end

  def test_ready_values_fall_back_before_they_are_evicted
    shared_only
    cache = new_cache(size: 2**20)
    (0...).each { |i| break if cache.stats[:evicted].positive? || !cache.set("text#{i}", "#{i} #{TEXT}") }
    before = cache.stats
    200.times { |i| cache.set("more#{i}", "#{i} #{TEXT}") }
    after = cache.stats
    assert_operator after[:falls], :>, 100
    assert_operator after[:entries] - before[:entries], :>, 150
    assert_empty cache.fsck
    cache.each { |key, value| assert_equal "#{key[/\d+/]} #{TEXT}", value }
  end

  def test_a_value_that_is_read_often_becomes_ready_again
    shared_only
    cache = new_cache(size: 2**20)
    press(cache)
    cache.set("text", TEXT, ttl: 500)
    cache.set("asked", TEXT, form: :packed)
    before = cache.entry("text")
    assert_equal :packed, before.form
    5000.times do
      assert_equal [TEXT, TEXT], [cache.get("text"), cache.get("asked")]
      break if form_of(cache, "text") == :ready
    end
    after = cache.entry("text")
    assert_equal :ready, after.form
    assert_equal before.version, after.version
    assert_in_delta 500, after.ttl, 100
    assert_equal :packed, form_of(cache, "asked")
    assert_operator cache.stats[:rises], :>=, 1
  end

  def test_view_lends_an_unpacked_copy
    cache = new_cache(form: :packed)
    cache.set("text", TEXT)
    kept = nil
    cache.view("text") do |view|
      kept = view
      cache.set("text", "newer" * 100)
      GC.start
      GC.compact if GC.respond_to?(:compact)
      assert_equal TEXT.bytesize, view.size
      assert_equal TEXT, view.get_string(0, nil, Encoding::UTF_8)
      assert_equal "text", view.slice(5, 4).get_string
    end
    assert_raises(Larder::ClosedError) { kept.size }
    cache.set("list", [TEXT])
    assert_raises(TypeError) { cache.view("list") { flunk } }
    assert_nothing_held cache unless FALLBACK
  end

  # The collector frees the fiber, but the view must keep its bytes.
  def test_a_view_outlives_its_abandoned_fiber
    shared_only
    %i[ready packed].each do |form|
      cache = new_cache(size: 2**20, form: form)
      cache.set("text", TEXT)
      view = abandoned_view(cache)
      cache.delete("text")
      3.times { GC.start }
      400.times { |i| cache.set("other#{i}", "y" * TEXT.bytesize, form: :ready) }
      assert_equal TEXT, view.get_string(0, nil, Encoding::UTF_8), form
    end
  end

  def abandoned_view(cache)
    views = []
    5.times { Fiber.new { cache.view("text") { |view| (views << view; Fiber.yield) } }.resume }
    views.first
  end

  def test_a_damaged_packed_value_is_a_miss_and_is_found
    shared_only
    path = new_path
    cache = new_cache(path: path, size: 2**20, form: :packed)
    cache.set("text", TEXT)
    bytes = cache.send(:get_raw, "text")
    at = File.binread(path).index(bytes)
    refute_nil at
    [1, 5, 12, 20, bytes.bytesize - 1].each do |place|
      File.open(path, "r+b") { |file| file.pwrite([bytes.getbyte(place) ^ 1].pack("C"), at + place) }
      misses = cache.stats[:misses]
      assert_equal :none, cache.get("text", :none), place
      assert_equal 1, cache.stats[:misses] - misses
      assert_match(/packed/, cache.fsck.join("\n"))
      assert_match(/damaged/, cache.unreadable("text"))
      assert_equal TEXT, cache.fetch("other#{place}") { TEXT }
      File.open(path, "r+b") { |file| file.pwrite([bytes.getbyte(place)].pack("C"), at + place) }
    end
    assert_equal TEXT, cache.get("text")
    assert_empty cache.fsck
  end

  def test_made_up_packed_values
    shared_only
    cache = new_cache(size: 2**20)
    random = Random.new(3)
    cache.set("text", TEXT, form: :packed)
    bytes = cache.send(:get_raw, "text")
    500.times do |i|
      changed = i.even? ? random.bytes(random.rand(60)) : bytes.dup.tap { |copy| copy.setbyte(random.rand(copy.bytesize), random.rand(256)) }
      cache.send(:set_raw, "key", 250, changed)
      assert_includes [:none, TEXT], cache.get("key", :none)
      assert_includes [nil, "key"], cache.entry("key")&.key
      cache.unreadable("key")
      cache.to_a
      cache.view("key", &:size) rescue assert_kind_of TypeError, $!
    end
    assert_nothing_held cache
  end

  # LARDER_RANDOM_VALUES: the number of values.
  def test_random_values_are_equal_after_packing
    cache = new_cache(size: 16 * 2**20, form: :packed)
    values = RandomValues.new(Integer(ENV.fetch("LARDER_RANDOM_SEED", "47")))
    Integer(ENV.fetch("LARDER_RANDOM_VALUES", "2000")).times do |i|
      value = values.next
      cache.set("key", value)
      back = cache.get("key")
      assert RandomValues.same?(value, back), "value #{i}: #{value.inspect} is #{back.inspect}"
    end
    assert_operator cache.stats[:packs], :>, 500 unless FALLBACK
  end
end
