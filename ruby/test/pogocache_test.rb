# frozen_string_literal: true

require_relative "helper"
require "larder/pogocache"

class PogocacheTest < Larder::TestCase
  def setup
    @cache = open_cache
  end

  def open_cache(...)
    Pogocache::Cache.new(...).tap { |cache| (@caches ||= []) << cache }
  end

  def test_the_options_of_the_readme_are_accepted
    cache = open_cache(usecas: true, nosixpack: true)
    cache.set("key1", { number: 1, value: nil })
    assert_equal({ number: 1, value: nil }, cache.get("key1"))
    assert_equal true, open_cache(nosixpac: true, unknown: 1).set("a", 1, { unknown: 2 })
  end

  def test_objects_as_keys_and_values
    entries = { "name" => "Ada", :name => "symbol", [] => "array", {} => { a: :b }, 5 => [1] * 100, nil => nil,
                [:name] => 1, [[:name]] => 2, [[[:name]]] => 3, ["name"] => 4, [1, :name] => 5 }
    entries.each { |key, value| @cache[key] = value }
    entries.each { |key, value| assert_equal [value, key], [@cache[key], @cache.entry(key)[:key]] }
    assert_equal entries, @cache.each.to_h
    assert_equal(entries.values, @cache.batch { |batch| entries.each_key { |key| batch.get(key) } })
    assert_equal ["Ada", "symbol"], [@cache.get("name"), @cache.get(:name)]
    assert_nil @cache.get("none")
  end

  def test_fetch_does_not_store_and_knows_false
    assert_equal :fallback, @cache.fetch(:none) { :fallback }
    assert_nil @cache.get(:none)
    assert_nil @cache.fetch(:none)
    @cache.set(:no, false)
    assert_equal false, @cache.fetch(:no) { flunk }
  end

  def test_entry
    @cache.set(:test, { an: :entry }, flags: 5, ttl: 3_600_000_000_000)
    entry = @cache.entry(:test)
    assert_equal %i[cas expires flags key shard time value], entry.keys.sort
    assert_equal [:test, { an: :entry }, 5], entry.values_at(:key, :value, :flags)
    assert_in_delta 3600, (entry[:expires] - entry[:time]) / 1e9, 1800
    assert_equal true, @cache.set(:test, 1, cas: entry[:cas])
    @cache.set("x", "y")
    old = @cache.entry("x")[:cas]
    @cache.set("x", "z")
    assert_equal false, @cache.set("x", "w", cas: old)
    assert_equal 0, @cache.entry("x")[:expires]
    assert_nil @cache.entry(:none)
  end

  def test_bad_times_name_the_argument
    [{ ttl: "5" }, { expires: "tomorrow" }, { ttl: Float::NAN }, { expires: Float::NAN }, { ttl: 1i }].each do |options|
      error = assert_raises(TypeError) { @cache.set("a", 1, options) }
      assert_match(/\A#{options.keys.first} must be a number/, error.message)
    end
    assert_nil @cache.get("a")
    %i[ttl expires].each { |name| assert @cache.set("a", 1, name => Float::INFINITY) }
    assert_equal 1, @cache.get("a")
  end

  def test_ttl_is_in_nanoseconds
    @cache.set("short", 1, ttl: 1)
    @cache.set("long", 1, ttl: 3_600_000_000_000)
    @cache.set("none", 1, ttl: nil)
    sleep 0.01
    assert_equal [nil, 1, 1], %w[short long none].map { |key| @cache.get(key) }
    assert_equal %i[swept kept], @cache.sweep.keys
  end

  def test_count_size_bytesize_clear_delete
    %w[a b c].each { |key| @cache.set(key, "value of #{key}") }
    assert_equal [3, 3], [@cache.count, @cache.size]
    assert_operator @cache.bytesize, :>, 0
    assert_equal true, @cache.delete("a")
    assert_equal 2, @cache.count
    assert_equal 1, @cache.count { |key, _| key == "b" }
    @cache.clear
    assert_equal 0, @cache.count
  end

  def test_each
    @cache.set("a", 1)
    @cache.set(:b, 2)
    assert_equal ["a", :b], (@cache.each { |key, _| key }).sort_by(&:to_s)
    assert_equal [["a", 1], [:b, 2]], @cache.each.sort_by { |key, _| key.to_s }
    assert_equal({ "a" => 1, :b => 2 }, @cache.to_h)
    assert_raises(ZeroDivisionError) { @cache.each { 1 / 0 } }
    @cache.set("c", 3) # no deadlock
    @cache.clear
    assert_empty @cache.each
  end

  def test_counters_and_batch
    assert_equal [1, 3, 2], [@cache.increment("n"), @cache.increment("n", 2), @cache.decrement("n")]
    assert_equal [true, 5, true, nil], @cache.batch { |batch| (batch.set(:k, 5); batch.get(:k); batch.delete(:k); batch[:k]) }
  end

  def test_counters_begin_with_one
    assert_equal [1, 0, -1], Array.new(3) { @cache.decrement(:test) }
    assert_equal [1, 2, 3], Array.new(3) { @cache.increment(:other) }
    @cache[:test] = 10
    assert_equal 9, @cache.decrement(:test)
    @cache.set("text", "5", ttl: 3_600_000_000_000)
    assert_equal [6, 4], [@cache.increment("text"), @cache.decrement("text", 2)]
    assert_operator @cache.entry("text")[:expires], :>, 0
    @cache["nil"] = nil
    assert_equal 1, @cache.decrement("nil")
    assert_raises(TypeError) { @cache.increment("text", "1") }
  end

  def test_what_a_cache_of_rails_has
    %w[name1 last_name1 name2 last_name2].each { |key| @cache[key] = key }
    @cache[:last_name3] = 1
    @cache[["last"]] = 1
    assert_equal 6, @cache.keys.size
    assert_includes @cache.keys, :last_name3
    assert_includes @cache.keys, ["last"]
    assert_equal 4, @cache.delete_matched(/last/)
    assert_equal %w[name1 name2], @cache.keys.sort
    assert_equal [nil, nil, false], [@cache.prune, @cache.prune(100), @cache.pruning?]
    assert_equal({ swept: 0, kept: 2 }, @cache.cleanup)
    assert_equal [5, nil], [@cache.synchronize { 5 }, @cache.synchronize]
    assert_equal 6, @cache.total
    assert_in_delta Time.now.to_i, Pogocache::Cache.now, 3600
    assert_in_delta Time.now.to_i, Pogocache.now / Pogocache::SECOND, 3600
    assert_equal 3600 * Pogocache::SECOND, Pogocache::HOUR
  end

  def test_a_binary_key_matches_no_text
    ["\xff".b, "é1", "a"].each { |key| @cache.set(key, 1) }
    assert_equal [1, 0, 1], [@cache.delete_matched(/é/), @cache.delete_matched(/é/), @cache.delete_matched("a")]
    assert_equal ["\xff".b], @cache.keys
    assert_match(/by must be an Integer/, assert_raises(TypeError) { @cache.decrement("n", nil) }.message)
  end

  def test_configure
    Pogocache.configure { |configuration| configuration.default_opts = { nshards: 1010 } }
    assert_equal 1010, open_cache.nshards
  ensure
    Pogocache.configure { |configuration| configuration.default_opts = {} }
  end

  def test_caches_are_apart
    other = open_cache
    @cache.set("name", "Ada")
    assert_nil other.get("name")
  end

  # Runs the parts of the gem's own benchmark that store and read. The program requires the library by the name of the gem's file.
  def test_a_program_for_the_gem_runs_as_it_is
    program = <<~RUBY
      require 'pogocache-ruby'
      store = Pogocache::Cache.new(usecas: true, nosixpack: true)
      batch_store = Pogocache::Cache.new
      1000.times { |i| store.set("key\#{i}", { number: i, value: nil}) }
      print 1000.times.sum { |i| store.get("key\#{i}")[:number] }
    RUBY
    libraries = [Larder.pogocache_path, *$LOAD_PATH].flat_map { |path| ["-I", path] }
    assert_equal "499500", IO.popen([Gem.ruby, *libraries, "-e", program], &:read)
  end
end
