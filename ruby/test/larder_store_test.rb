# frozen_string_literal: true

require_relative "helper"

begin
  $VERBOSE = false
  require "active_support"
  require "active_support/cache"
  require "active_support/core_ext/numeric/time"
  require "active_support/testing/time_helpers"
  require "active_support/version"
ensure
  $VERBOSE = true
end
require "active_support/cache/larder_store"
require "logger"
require "stringio"
require "tmpdir"

class LarderStoreTest < Larder::TestCase
  include ActiveSupport::Testing::TimeHelpers

  # From Active Support 7.1 on, the class Store itself ignores negative times to live, and refuses an empty key.
  LENIENT = ActiveSupport.gem_version < Gem::Version.new("7.1")
  PAST = LENIENT ? [0, -5, -0.5] : [0]
  NAMES_KEYS = ActiveSupport.gem_version >= Gem::Version.new("7.2")

  Record = Struct.new(:id, :cache_version) do
    def cache_key = "records/#{id}"
    def to_param = id.to_s
  end

  def setup
    @store = new_store
  end

  def new_store(**options)
    ActiveSupport::Cache.lookup_store(:larder_store, { size: 16 * 2**20 }.merge(options)).tap { |store| (@caches ||= []) << store.cache }
  end

  def test_what_expires_at_once_replaces_what_was_there
    PAST.each do |seconds|
      ["old", 1, { a: 1 }].each do |old|
        @store.write("a", old)
        assert_equal true, @store.write("a", old, expires_in: seconds)
        assert_nil @store.read("a")
        assert_equal false, @store.exist?("a")
        @store.write("a", old)
        @store.write("a", old, expires_in: LENIENT ? seconds - 300 : 0, race_condition_ttl: 10)
        assert_nil @store.read("a")
        @store.write("a", old)
        assert_equal false, @store.write("a", "new", expires_in: seconds, unless_exist: true)
        assert_equal old, @store.read("a")
        @store.delete("a")
      end
    end
  end

  # An increment of a missing entry returns the amount, as MemoryStore does from Rails 7.1 on.
  def test_counters_that_expire_at_once
    memory = ActiveSupport::Cache::MemoryStore.new
    [*PAST, 0.seconds].each do |seconds|
      2.times { assert_equal [3, -3], [@store.increment("n", 3, expires_in: seconds), @store.decrement("n", 3, expires_in: seconds)] }
      [@store, memory].each do |store|
        store.increment("n", 3, expires_in: seconds)
        store.write("written", 3, expires_in: seconds)
        assert_equal [false, false, nil, nil], [store.exist?("n"), store.exist?("written"), store.read("n"), store.read("written")]
        assert_equal true, store.write("n", 1, unless_exist: true)
        assert_equal 2, store.increment("n", 1)
        store.clear
      end
      @store.write("text", "5", expires_in: seconds, race_condition_ttl: 10)
      assert_equal 1, @store.increment("text", 1, expires_in: seconds)
      assert_equal false, @store.exist?("text")
      @store.write("text", "5", expires_in: seconds, race_condition_ttl: 10)
      assert_equal 1, @store.increment("text")
      assert_nil @store.cache.entry("text").ttl
      @store.clear
    end
    @store.write("n", 5)
    assert_equal 6, @store.increment("n", 1, expires_in: 0) # an existing entry keeps its time to live
    assert_equal 6, @store.read("n")
    default = new_store(expires_in: 0)
    assert_equal [1, false], [default.increment("n"), default.exist?("n")]
  end

  def test_no_message_commands_the_terminal_or_forges_a_line_of_the_log
    store = new_store
    store.logger = Logger.new(log = StringIO.new, formatter: ->(*, message) { "#{message}\n" })
    store.send(:tell, Larder::Error.new("red \e[31m\nforged \u{9b}2J \u{202e}ö"))
    store.send(:tell, Larder::Error.new("no UTF-8: \xff\e".b))
    assert_equal "LarderStore: Larder::Error: red \\x1b[31m\\x0aforged \\xc2\\x9b2J \\xe2\\x80\\xaeö\n" \
                 "LarderStore: Larder::Error: no UTF-8: \\xff\\x1b\n", log.string
  end

  def test_a_file_that_is_removed_is_opened_again
    shared_only
    Dir.mktmpdir("larder", "/dev/shm") do |folder|
      store = new_store(path: path = File.join(folder, "cache"))
      store.logger = Logger.new(log = StringIO.new)
      assert store.write("a", "x" * 100)
      File.unlink(path)
      give_up = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 30
      sleep 0.02 while store.write("a", "x" * 100) && Process.clock_gettime(Process::CLOCK_MONOTONIC) < give_up
      assert_match(/MovedError/, log.string)
      assert File.exist?(path)
      assert_nil store.read("a")
      assert store.write("a", "y")
      assert_equal "y", store.read("a")
      store.cache.close
    end
  end

  def test_what_concerns_all_entries_goes_to_the_file_that_is_there
    shared_only
    Dir.mktmpdir("larder", "/dev/shm") do |folder|
      operations = { clear: [], delete_matched: [/a/], cleanup: [], prune: [0] }
      stores = operations.to_h do |operation, _|
        store = new_store(path: path = File.join(folder, operation.to_s))
        store.write("a", "x")
        File.unlink(path)
        in_child { Larder::Cache.new(path: path, size: 16 * 2**20).set("a", "of another process") }
        [operation, store]
      end
      sleep 1.1 # the store looks at its file once a second
      operations.each do |operation, arguments|
        (store = stores[operation]).public_send(operation, *arguments)
        assert_equal operation == :cleanup ? 1 : 0, store.cache.size
        assert store.write("a", "y")
        assert_equal("y", in_child { Larder::Cache.new(path: File.join(folder, operation.to_s)).entry("a") && store.read("a") })
        store.cache.close
      end
    end
  end

  def test_raw_values_expire_in_time
    @store.write("a", "x", raw: true, expires_in: 0.05, race_condition_ttl: 10)
    @store.write("n", 5, raw: true, expires_in: 0.05, race_condition_ttl: 10)
    sleep 0.1
    assert_equal [nil, nil], [@store.read("a", raw: true), @store.read("n", raw: true)]
  end

  def test_integers_are_kept_for_race_condition_ttl
    @store.write("n", 5, expires_in: 60, race_condition_ttl: 20)
    assert_equal 5, @store.read("n")
    travel 61
    assert_equal(6, @store.fetch("n", expires_in: 60, race_condition_ttl: 20) { @store.read("n") + 1 })
    assert_equal [6, 7], [@store.read("n"), @store.increment("n")]
    assert_in_delta 60, @store.cache.entry("n").ttl, 30 # a counter now
    assert_nil @store.tap { |store| store.write("m", 5, race_condition_ttl: 20) }.cache.entry("m").ttl
  end

  # A program may use an entry as a lock, and take it by a write with unless_exist. So an entry that has expired must not refuse this write.
  def test_unless_exist_replaces_what_is_kept_for_race_condition_ttl
    store = new_store(race_condition_ttl: 10)
    [true, "text", 5].each do |value|
      seconds = [0.05, 0.5, 5].find do |long| # on a busy machine, the entry may expire before the second write: try a longer time
        store.clear
        assert_equal true, store.write("lock", value, unless_exist: true, expires_in: long)
        !store.write("lock", value, unless_exist: true, expires_in: long)
      end
      sleep seconds * 2
      assert_equal true, store.write("lock", value, unless_exist: true, expires_in: 60)
      assert_equal false, store.write("lock", value, unless_exist: true, expires_in: 60)
      store.clear
    end
  end

  def test_nothing_expires_in_a_pinned_store
    assert_raises(ArgumentError) { new_store(pinned: true, expires_in: 60) }
    store = new_store(pinned: true)
    [-> { store.write("a", 1, expires_in: 60) }, -> { store.fetch("a", expires_in: 60) { 1 } },
     -> { store.increment("a", 1, expires_in: 60) }].each { |call| assert_match(/ttl/, assert_raises(ArgumentError, &call).message) }
    assert_equal [true, "x"], [store.write("a", "x"), store.read("a")]
  end

  # From Active Support 7.2 on, events contain the key with its namespace.
  def test_events_name_keys
    store = new_store(namespace: "space")
    seen = events do
      [store.write("n", 1), store.read("n"), store.increment("n"), store.decrement("n")]
      [store.delete_matched(/x/), store.delete_matched("x*"), store.prune(5)]
    end
    pattern = store.send(:key_matcher, /x/, store.options).inspect
    expected = { write: "n", read: "n", increment: "n", decrement: "n", delete_matched: ["/x/", "x*"], prune: 5 }
    expected.merge!(write: "space:n", read: "space:n", increment: "space:n", decrement: "space:n") if NAMES_KEYS
    expected[:delete_matched] = [pattern, "space:x*"] if NAMES_KEYS
    named = seen.group_by(&:first).transform_values { |found| found.map { |_, payload| payload[:key] } }
    assert_equal expected, named.transform_values { |keys| keys.one? ? keys.first : keys }
  end

  def test_amounts_are_told_with_their_sign
    seen = events { [[:increment, 2], [:increment, -2], [:decrement, 3], [:decrement, -3]].each { |name, by| @store.public_send(name, "n", by) } }
    assert_equal [2, -2, 3, -3], seen.map { |_, payload| payload[:amount] }
  end

  def teardown
    travel_back
    super
  end

  def events(pattern = /cache_.*active_support/)
    seen = []
    subscriber = ActiveSupport::Notifications.subscribe(pattern) { |name, *, payload| seen << [name[/cache_(\w+\??)/, 1].to_sym, payload] }
    yield
    seen
  ensure
    ActiveSupport::Notifications.unsubscribe(subscriber)
  end

  def test_is_found_by_its_name
    assert_instance_of ActiveSupport::Cache::LarderStore, @store
    assert_equal true, ActiveSupport::Cache::LarderStore.supports_cache_versioning?
    assert_raises(ArgumentError) { new_store(size: 5) }
    assert_raises(TypeError) { new_store(cache: {}) }
    cache = new_cache
    assert_same cache, new_store(cache: cache).cache
  end

  def test_write_and_read
    [1, nil, false, true, 1.5, "text", "bytes\xff".b, :symbol, [1, [2]], { a: { b: 1 } }, Time.at(0), 2**80, "x" * 100_000].each do |value|
      assert_equal true, @store.write("key", value)
      assert_equal [value], [@store.read("key")]
      assert_equal true, @store.exist?("key")
    end
    assert_nil @store.read("none")
    assert_equal false, @store.exist?("none")
    assert_equal [true, false], [@store.delete("key"), @store.delete("key")]
  end

  def test_durations_are_times_to_live
    cache = @store.cache
    cache.set("a", "x", ttl: 10.minutes)
    cache.fetch("b", ttl: 10.minutes, stale: 1.second, wait: 1.second) { "x" }
    cache.increment("c", ttl: 10.minutes)
    %w[a b c].each { |key| assert_in_delta 600, cache.entry(key).ttl, 300 }
  end

  def test_durations_are_no_counters
    @store.write("duration", 5.minutes)
    assert_equal [5.minutes, ActiveSupport::Duration], [@store.read("duration"), @store.read("duration").class]
    @store.write("raw", 5.minutes, raw: true)
    assert_equal "300", @store.read("raw", raw: true)
    assert_equal({ "a" => 1.day, "b" => [1.day] }, (@store.write_multi("a" => 1.day, "b" => [1.day]); @store.read_multi("a", "b")))
    assert_equal 301, @store.increment("duration")
    @store.write("race", 5.minutes, expires_in: 0.01, race_condition_ttl: 10)
    sleep 0.03
    assert_equal(5.minutes, @store.fetch("race", race_condition_ttl: 10) { @store.read("race") })
  end

  def test_values_are_copies
    @store.write("key", text = "text".dup)
    text << "changed"
    @store.read("key") << "changed"
    assert_equal "text", @store.read("key")
  end

  def test_keys
    { ["a", 1] => "a/1", { b: 1, a: 2 } => "a=2/b=1", :sym => "sym", 5 => "5", Record.new(7) => "records/7" }.each do |key, text|
      @store.write(key, key.to_s)
      assert_equal key.to_s, @store.read(text)
    end
    @store.write("ä", 1)
    assert_equal 1, @store.read("ä".b)
    long = "k" * 100_000
    @store.write(long, 1)
    @store.write("#{long}2", 2)
    assert_equal [1, 2], [@store.read(long), @store.read("#{long}2")]
    return unless LENIENT

    @store.write("", 3)
    assert_equal 3, @store.read("")
  end

  def test_fetch
    assert_equal 1, @store.fetch("a") { 1 }
    assert_equal 1, @store.fetch("a") { flunk }
    assert_equal 2, @store.fetch("a", force: true) { 2 }
    assert_nil @store.fetch("none")
    assert_raises(ArgumentError) { @store.fetch("a", force: true) }
    assert_nil @store.fetch("nil") { nil }
    assert_nil @store.fetch("nil") { flunk }
    assert_nil @store.fetch("skipped", skip_nil: true) { nil }
    refute @store.exist?("skipped")
    assert_equal false, @store.fetch("false") { false }
    assert_equal false, @store.fetch("false") { flunk }
    assert_equal "k!", @store.fetch("k") { |key| "#{key}!" }
  end

  def test_multi
    assert @store.write_multi({ "a" => "A", "b" => 2 })
    assert_equal({ "a" => "A", "b" => 2 }, @store.read_multi("a", "b", "none"))
    assert_equal({ "a" => "A", "c" => "c!" }, @store.fetch_multi("a", "c") { |key| "#{key}!" })
    assert_equal "c!", @store.read("c")
    assert_raises(ArgumentError) { @store.fetch_multi("a") }
    assert_equal 2, @store.delete_multi(%w[a b none])
    @store.write_multi({ "d" => "x" }, expires_in: 60)
    travel 61 do
      assert_equal({}, @store.read_multi("d"))
    end
  end

  def test_multi_with_parts_that_fail
    @store.write_multi({ "good" => 1, "unreadable" => "x", "large" => "x" * 10_000_000, "last" => 2 }, compress: false)
    @store.cache.set("unreadable", "\x04\bo:\x11NoSuchClassx")
    assert_equal({ "good" => 1, "last" => 2 }, @store.read_multi("good", "unreadable", "large", "last"))
    assert_equal({ "good" => 1, "unreadable" => "new" }, @store.fetch_multi("good", "unreadable") { "new" })
    assert_equal "new", @store.read("unreadable")
  end

  def test_expires_in
    @store.write("a", "x", expires_in: 60)
    @store.write("b", "x")
    assert_in_delta 60, @store.cache.entry("a").ttl, 30
    travel 61 do
      assert_nil @store.read("a")
      assert_equal "x", @store.read("b")
      refute @store.exist?("a")
    end
    default = new_store(expires_in: 60)
    default.write("a", "x")
    default.write("b", "x", expires_in: 1000)
    travel(61) { assert_equal [nil, "x"], [default.read("a"), default.read("b")] }
    @store.write("n", 5, expires_in: 0.02)
    sleep 0.06
    assert_nil @store.read("n")
  end

  def test_race_condition_ttl
    @store.write("a", "old", expires_in: 60, race_condition_ttl: 20)
    travel 61
    seen = nil
    value = @store.fetch("a", expires_in: 60, race_condition_ttl: 20) do
      seen = @store.read("a") # the value that another process would read meanwhile
      "new"
    end
    assert_equal %w[new old], [value, seen]
    assert_equal "new", @store.read("a")
    @store.write("b", "old", expires_in: 60, race_condition_ttl: 5)
    travel 66
    @store.fetch("b", expires_in: 60, race_condition_ttl: 5) { (seen = @store.read("b"); "new") }
    assert_nil seen
    assert_raises(ZeroDivisionError) do
      @store.write("c", "old", expires_in: 60, race_condition_ttl: 20)
      travel 61
      @store.fetch("c", expires_in: 60, race_condition_ttl: 20) { 1 / 0 }
    end
    assert_equal "old", @store.read("c")
  end

  def test_a_process_that_computes_may_die_again_and_again
    ["old", 7, { a: 1 }].each do |value|
      @store.write("a", value, expires_in: 60, race_condition_ttl: 20)
      3.times do
        travel 61
        seen = left = nil
        assert_raises(ZeroDivisionError) do
          @store.fetch("a", expires_in: 60, race_condition_ttl: 60) do
            seen = @store.read("a")
            left = @store.cache.entry("a").ttl
            1 / 0
          end
        end
        assert_equal value, seen
        assert_operator left, :>, 300 # in real time: travel does not move the machine's clock
      end
    end
  end

  def test_versions
    @store.write("a", "one", version: 1)
    assert_equal "one", @store.read("a", version: 1)
    assert_nil @store.read("a", version: 2)
    assert_equal "one", @store.read("a")
    @store.write("n", 5, version: 1)
    assert_nil @store.read("n", version: 2)
    old = Record.new(1, "v1")
    new = Record.new(1, "v2")
    @store.write(old, "old")
    assert_equal ["old", nil], [@store.read(old), @store.read(new)]
    assert_equal "new", @store.fetch(new) { "new" }
    assert_equal [nil, "new"], [@store.read(old), @store.read(new)]
    assert_equal({ new => "new" }, @store.read_multi(new))
    refute @store.exist?(old)
  end

  def test_namespaces
    one = new_store(cache: @store.cache, namespace: "one")
    two = new_store(cache: @store.cache, namespace: -> { "two" })
    one.write("a", 1)
    two.write("a", 2)
    @store.write("a", 3)
    assert_equal [1, 2, 3], [one, two, @store].map { |store| store.read("a") }
    assert_equal [1, 2], [@store.read("one:a"), @store.read("a", namespace: "two")]
    assert_equal({ "a" => 1 }, one.read_multi("a"))
    assert_equal 2, one.increment("a")
    one.delete_matched(/a/)
    assert_equal [nil, 2, 3], [one, two, @store].map { |store| store.read("a") }
    one.write("a", 1)
    two.clear
    assert_equal [1, nil, 3], [one, two, @store].map { |store| store.read("a") }
    @store.clear
    assert_equal 0, @store.cache.size
  end

  def test_compression
    text = "text " * 10_000
    @store.write("plain", text)
    @store.write("compressed", text, compress: true)
    @store.write("threshold", text, compress: true, compress_threshold: 2**20)
    @store.write("form", text, form: :packed)
    @store.fetch("fetched", compress: true) { [text] }
    @store.write_multi({ "several" => text }, compress: true)
    @store.write("raw", text, raw: true, compress: true)
    always = new_store(compress: true)
    always.write("a", [text])
    always.fetch("b") { text }
    always.write("c", text, compress: false)
    always.write("d", "short" * 100)
    assert_equal [text] * 5, %w[plain compressed threshold form several].map { |key| @store.read(key) }
    assert_equal [text, [text]], [@store.read("raw", raw: true), @store.read("fetched")]
    assert_equal [[text], text, text], %w[a b c].map { |key| always.read(key) }
    return if FALLBACK # the store in plain Ruby never packs values

    assert_equal %i[ready packed ready packed packed packed packed],
                 %w[plain compressed threshold form fetched several raw].map { |key| @store.cache.entry(key).form }
    assert_equal %i[packed packed ready ready], %w[a b c d].map { |key| always.cache.entry(key).form }
    @store.cache.each { |key, _| assert_operator @store.cache.send(:get_raw, key).bytesize, :<, 1000, key if @store.cache.entry(key).form == :packed }
  end

  def test_an_unknown_form_names_the_three
    assert_match(/:auto, :ready or :packed, not :zip/, assert_raises(ArgumentError) { new_store(form: :zip) }.message)
    assert_match(/:auto, :ready or :packed, not :zip/, assert_raises(ArgumentError) { @store.write("a", "x", form: :zip) }.message)
  end

  Pretender = Struct.new(:text) do
    def is_a?(klass) = klass == String || super
  end

  def test_compression_of_what_pretends_to_be_a_string
    value = Pretender.new("x" * 5000)
    assert @store.write("a", value, compress: true)
    assert_equal value, @store.read("a")
    assert_equal :packed, @store.cache.entry("a").form unless FALLBACK
  end

  # If the program gives a coder, the option +compress+ turns on Active Support's own compression instead of Larder's.
  def test_compression_by_a_coder_of_the_program
    text = "text " * 10_000
    coder = Module.new do
      def self.dump(entry) = "dumped#{Marshal.dump(entry)}"
      def self.dump_compressed(entry, threshold) = "compressed#{Marshal.dump(entry.compressed(threshold))}"
      def self.load(text) = Marshal.load(text.delete_prefix("dumped").delete_prefix("compressed"))
    end
    store = new_store(coder: coder, compress: true)
    store.write("a", text)
    assert_equal text, store.read("a")
    assert_equal :ready, store.cache.entry("a").form
    assert_operator store.cache.get("a").bytesize, :<, 10_000
  end

  def test_several_names_within_a_local_cache
    @store.with_local_cache do
      @store.write("a", "of another space", namespace: "other")
      @store.write("a", "old", version: 1)
      @store.write("other:a", "of none")
      assert_equal({ "a" => "old" }, @store.read_multi("a", version: 1))
      assert_empty @store.read_multi("a", version: 2)
      assert_equal({ "a" => "new" }, @store.fetch_multi("a", version: 2) { "new" })
      assert_equal({ "other:a" => "mine" }, @store.fetch_multi("other:a", namespace: "mine") { "mine" })
      @store.write("short", "old", expires_in: 0.01)
      sleep 0.02
      assert_equal({ "short" => "new" }, @store.fetch_multi("short") { "new" })
      @store.cache.clear
      assert_equal({ "short" => "new" }, @store.read_multi("short")) # the local cache has kept the new value
    end
  end

  def test_counters
    assert_equal 1, @store.increment("n")
    assert_equal 6, @store.increment("n", 5)
    assert_equal 4, @store.decrement("n", 2)
    assert_equal 4, @store.read("n")
    assert_equal "4", @store.read("n", raw: true)
    @store.write("m", 7)
    assert_equal 8, @store.increment("m")
    @store.write("raw", 1, raw: true)
    assert_equal 2, @store.increment("raw")
    @store.write("text", "5")
    assert_equal 6, @store.increment("text")
    { nil => 1, false => 1, 1.5 => 2 }.each do |value, wanted|
      @store.write("other", value)
      assert_equal wanted, @store.increment("other")
    end
    @store.write("raw text", "5", raw: true)
    assert_equal 6, @store.increment("raw text")
    @store.write("word", "word")
    assert_equal 1, @store.increment("word")
    assert_equal(-1, @store.decrement("none"))
  end

  def test_an_increment_of_another_version_begins_anew
    [7, { a: 1 }].each do |old|
      @store.write("records/1", old, version: "old")
      assert_equal 2, @store.increment("records/1", 2, version: "new")
      assert_equal 2, @store.read("records/1", version: "new")
    end
    @store.write("v", 7, version: "same")
    assert_equal [8, 7], [@store.increment("v", version: "same"), @store.decrement("v")]
  end

  def test_increment_keeps_a_version
    [{}, { raw: false }, { race_condition_ttl: 10 }].each do |options|
      @store.write("v", 5, version: 1, expires_in: 1000, **options)
      assert_equal [8, 7], [@store.increment("v", 3), @store.decrement("v")]
      assert_equal [7, 7, nil], [@store.read("v"), @store.read("v", version: 1), @store.read("v", version: 2)]
      @store.write("v", 5, version: 1, expires_in: 1000, **options)
      @store.increment("v")
      assert_in_delta 1000, @store.cache.entry("v").ttl, 500
    end
    @store.write("v", 5, version: 1)
    @store.increment("v")
    assert_equal [6, nil, nil], [@store.read("v", version: 1), @store.read("v", version: 2), @store.cache.entry("v").ttl]
  end

  def test_increment_with_expiry
    @store.increment("n", 1, expires_in: 1000)
    @store.increment("n", 1, expires_in: 5)
    assert_in_delta 1000, @store.cache.entry("n").ttl, 500
    @store.write("m", 1, expires_in: 1000)
    @store.increment("m")
    assert_in_delta 1000, @store.cache.entry("m").ttl, 500
    @store.increment("short", 1, expires_in: 0.02)
    sleep 0.06
    assert_equal 1, @store.increment("short", 1, expires_in: 10)
  end

  def test_counters_are_exact_across_processes
    shared_only
    pids = Array.new(4) { fork { (1000.times { @store.increment("n") }; exit!(0)) } }
    assert(pids.all? { |pid| Process.wait2(pid).last.success? })
    assert_equal 4000, @store.read("n")
    assert_equal 1, @store.increment("ip:1.2.3.4", 1, expires_in: 60)
  end

  def test_workers_share_the_store
    shared_only
    in_child { @store.write("child", { a: [1] }) }
    assert_equal({ a: [1] }, @store.read("child"))
  end

  def test_raw_values
    @store.write("a", "bytes\xff".b, raw: true)
    assert_equal "bytes\xff".b, @store.read("a", raw: true)
    @store.write("b", :symbol, raw: true)
    assert_equal "symbol", @store.read("b", raw: true)
    assert_equal({ "a" => "bytes\xff".b }, @store.read_multi("a", raw: true))
    assert_equal "symbol", @store.fetch("b", raw: true) { flunk }
  end

  def test_unless_exist
    assert_equal true, @store.write("a", "x", unless_exist: true)
    assert_equal false, @store.write("a", "y", unless_exist: true)
    assert_equal "x", @store.read("a")
    assert_equal false, @store.write("a", 5, unless_exist: true)
  end

  def test_delete_matched
    @store.write_multi({ "views/1" => 1, "views/2" => 1, "users/1" => 1 })
    @store.delete_matched(/\Aviews/)
    assert_equal %w[users/1], @store.cache.keys
    @store.delete_matched(/users.*1/)
    assert_empty @store.cache.keys
    assert_raises(ArgumentError) { @store.delete_matched(:views) }
  end

  def test_delete_matched_takes_a_glob
    names = ["rack::attack:1", "rack::attack:2", "hello", "hallo", "hbllo", "h*llo", "h]llo", "a^b", "a\nb"]
    { "rack::attack*" => names.first(2), "h?llo" => names[2..6], "h[ae]llo" => %w[hello hallo], "h[^e]llo" => names[3..6],
      "h[a-b]llo" => %w[hallo hbllo], "h\\*llo" => ["h*llo"], "h[\\]]llo" => ["h]llo"], "ello" => [], "a[b^]b" => ["a^b"],
      "a*b" => ["a^b", "a\nb"], "h[]llo" => [], "*" => names, "(" => [] }.each do |glob, matched|
      [@store, new_store(namespace: "n*")].each do |store|
        names.each { |name| store.write(name, 1) }
        store.cache.set("other", 1)
        store.delete_matched(glob)
        left = names.reject { |name| store.exist?(name) }
        assert_equal matched.sort, left.sort, glob
        assert store.cache.key?("other") || (glob == "*" && store.equal?(@store))
      end
    end
    assert_raises(ArgumentError) { @store.delete_matched("[z-a]") }
  end

  # Minitest loads a part of Rails. Rack::Attack then expects Rails::Railtie, so load this class first.
  def require_rack_attack
    require "rails/railtie" if defined?(Rails)
    require "rack/attack"
  rescue LoadError
    skip "there is no Rack::Attack"
  end

  def test_rack_attack_resets_its_counters
    require_rack_attack
    counters = Rack::Attack::Cache.new
    counters.store = @store
    @store.write("other", 1)
    assert_equal [1, 2], Array.new(2) { counters.count("login:1", 86_400 * 365) }
    counters.reset!
    assert_equal [1, 1], [counters.count("login:1", 86_400 * 365), @store.read("other")]
  end

  # Requests these paths from an application behind Rack::Attack. Returns the status of each answer.
  def statuses(paths)
    app = Rack::Attack.new(->(_env) { [200, {}, ["ok"]] })
    paths.map { |path| app.call({ "REQUEST_METHOD" => "GET", "PATH_INFO" => path, "REMOTE_ADDR" => "1.2.3.4", "rack.input" => nil }).first }
  end

  def test_rack_attack_limits_and_bans
    require_rack_attack
    Rack::Attack.cache.store = @store
    Rack::Attack.throttle("ip", limit: 2, period: 86_400 * 365, &:ip)
    assert_equal [200, 200, 429, 429], statuses(%w[/ / / /])
    Rack::Attack.clear_configuration
    Rack::Attack.blocklist("fail2ban") do |request|
      Rack::Attack::Fail2Ban.filter(request.ip, maxretry: 2, findtime: 86_400 * 365, bantime: 600) { request.path == "/private" }
    end
    assert_equal [200, 403, 403, 403], statuses(%w[/ /private /private /])
    Rack::Attack::Fail2Ban.reset("1.2.3.4", findtime: 86_400 * 365)
    Rack::Attack.clear_configuration
    Rack::Attack.blocklist("allow2ban") do |request|
      Rack::Attack::Allow2Ban.filter(request.ip, maxretry: 2, findtime: 86_400 * 365, bantime: 600) { request.path == "/scarce" }
    end
    assert_equal [200, 200, 200, 403, 403], statuses(%w[/ /scarce /scarce /scarce /])
  ensure
    if defined?(Rack::Attack)
      Rack::Attack.clear_configuration
      Rack::Attack.instance_variable_set(:@cache, nil)
    end
  end

  def test_read_that_deletes
    ["text", 5, nil, [1], { a: 1 }, [[1]]].each do |value|
      @store.write("a", value)
      assert_equal [value, false], [@store.read("a", delete: true), @store.exist?("a")]
    end
    @store.write("raw", "text", raw: true)
    assert_equal ["text", nil], Array.new(2) { @store.read("raw", raw: true, delete: true) }
    @store.write("versioned", 1, version: 1)
    assert_nil @store.read("versioned", version: 2, delete: true)
    @store.write("kept", "x")
    assert_equal %w[x x], [@store.read("kept", delete: false), @store.read("kept")]
    @store.with_local_cache do
      @store.write("a", "x")
      assert_equal %w[x x], [@store.read("a"), @store.read("a", delete: true)]
      assert_equal [nil, nil], [@store.read("a"), @store.read("a", delete: true)]
      @store.write("a", "y")
      @store.cache.delete("a") # acts as another process that has taken the entry
      assert_nil @store.read("a", delete: true)
    end
  end

  def test_one_process_reads_what_is_deleted_with_it
    shared_only
    300.times { |i| @store.write("token#{i}", i.even? ? i : "token #{i}") }
    reader, writer = IO.pipe
    children = Array.new(3) do
      fork do
        taken = Array.new(300) { |i| @store.read("token#{i}", delete: true) ? i : nil }.compact
        writer.write(taken.map { |i| "#{i}\n" }.join)
        exit!(0)
      end
    end
    children.each { |pid| assert_predicate Process.wait2(pid).last, :success? }
    writer.close
    assert_equal (0...300).to_a, reader.read.split.map(&:to_i).sort
  end

  def test_clear_cleanup_prune
    @store.write("a", "x", expires_in: 0.01)
    50.times { |i| @store.write("k#{i}", "x" * 1000, compress: false) }
    sleep 0.02
    @store.cleanup
    assert_nil @store.read("a")
    @store.prune(20_000)
    assert_operator @store.cache.bytesize, :<=, 20_000
    @store.prune(0.75 * 20_000) # MemoryStore takes a Float, too
    assert_operator @store.cache.bytesize, :<=, 15_000
    @store.prune(-1)
    assert_empty @store.cache.keys
    @store.write("a", 1)
    @store.clear
    assert_equal 0, @store.cache.size
    assert_kind_of Hash, @store.stats
    assert_match(/LarderStore/, @store.inspect)
  end

  class Gone
    def initialize = @a = 1
  end

  def test_unreadable_entries_are_misses
    [false, true].each do |compress|
      value = [Gone.new, compress ? "x" * 10_000 : nil]
      @store.write("a", value, compress: compress)
      gone = Gone
      self.class.send(:remove_const, :Gone)
      assert_nil @store.read("a")
      assert_equal 1, @store.fetch("a") { 1 }
      assert_equal({}, @store.read_multi("b"))
      self.class.const_set(:Gone, gone)
    end
    increment_what_cannot_be_loaded unless ActiveSupport::VERSION::MAJOR < 7
    ["garbage", "\x04\b", "\x04\bi\x06", "", 1.5, :symbol, [1, 2, 3, 4], []].each do |payload|
      @store.cache.set("a", payload)
      assert_nil @store.read("a")
      refute @store.exist?("a")
    end
  end

  def test_unless_exist_takes_what_cannot_be_loaded_for_a_miss
    gone = Gone
    @store.write("a", gone.new)
    @store.write("b", gone.new)
    self.class.send(:remove_const, :Gone)
    assert_nil @store.read("a")
    refute @store.exist?("a")
    assert_equal true, @store.write("b", "ended", unless_exist: true, expires_in: -1) if ActiveSupport::VERSION::MAJOR < 7
    assert_equal true, @store.write("a", "new", unless_exist: true)
    assert_equal false, @store.write("a", "newer", unless_exist: true)
    assert_equal "new", @store.read("a")
    ["garbage", "\x04\bi\x06", "", 1.5, [1, 2, 3, 4]].each_with_index do |payload, i|
      @store.cache.set("p#{i}", payload)
      assert_nil @store.read("p#{i}")
      assert_equal true, @store.write("p#{i}", "new", unless_exist: true), payload.inspect
      assert_equal "new", @store.read("p#{i}")
    end
  ensure
    self.class.const_set(:Gone, gone)
  end

  def test_increment_takes_what_cannot_be_loaded_for_a_miss
    { increment: 2, decrement: -2 }.each do |name, wanted|
      gone = Gone
      @store.write("a", [Gone.new])
      @store.cache.set(@store.send(:normalize_key, "b", {}), [Gone.new])
      self.class.send(:remove_const, :Gone)
      2.times { |i| assert_equal [wanted * (i + 1)] * 2, [@store.public_send(name, "a", 2), @store.public_send(name, "b", 2)] }
      @store.clear
    ensure
      self.class.const_set(:Gone, gone)
    end
  end

  def increment_what_cannot_be_loaded
    version = ActiveSupport::Cache.format_version
    versions = ActiveSupport.gem_version < Gem::Version.new("7.1") ? [version] : [7.0, 7.1]
    versions.each do |format|
      ActiveSupport::Cache.format_version = format
      (store = new_store).write("a", [Gone.new])
      gone = Gone
      self.class.send(:remove_const, :Gone)
      assert_equal [nil, 1, 2], [store.read("a"), store.increment("a"), store.increment("a")]
    ensure
      self.class.const_set(:Gone, gone)
    end
  ensure
    ActiveSupport::Cache.format_version = version
  end

  def test_failures_to_write_are_logged_and_false
    log = StringIO.new
    ActiveSupport::Cache::Store.logger = Logger.new(log, level: :error)
    assert_equal false, @store.write("a", "x" * 10_000_000, compress: false)
    assert_match(/TooLarge/, log.string)
    pinned = new_store(size: 2**20, pinned: true)
    results = Array.new(2000) { |i| pinned.write("k#{i}", "x" * 1000, compress: false) }
    assert_equal [true, false], results.uniq
    assert_match(/FullError/, log.string)
    assert_equal "x" * 1000, pinned.read("k0")
    assert_equal 5, pinned.fetch("new", compress: false) { 5 }
    assert_raises(TypeError) { @store.write("a", proc {}) }
  ensure
    ActiveSupport::Cache::Store.logger = nil
  end

  def test_another_size_than_that_of_a_file_in_use_is_warned_of
    shared_only
    Dir.mktmpdir("larder", "/dev/shm") do |folder|
      old = new_store(path: path = File.join(folder, "cache"), size: 2**21)
      old.write("a", "x")
      store = nil
      _, warning = capture_io { store = new_store(path: path, size: 2**22) }
      assert_match(/size of 2097152 bytes, not 4194304/, warning)
      assert_equal ["x", 2**21], [store.read("a"), store.cache.stats[:size]]
      assert_raises(Larder::MismatchError) { new_store(path: path, size: 2**22, pinned: true) }
      assert_raises(Larder::MismatchError) { Larder::Cache.new(path: path, size: 2**22) }
    end
  end

  def test_failures_are_reported
    skip "there is no error reporter" unless ActiveSupport.respond_to?(:error_reporter)
    reports = []
    subscriber = Object.new
    subscriber.define_singleton_method(:report) { |error, **facts| reports << [error.class, facts.slice(:handled, :severity)] }
    before = ActiveSupport.error_reporter
    ActiveSupport.error_reporter = ActiveSupport::ErrorReporter.new(subscriber)
    assert_equal false, @store.write("a", "x" * 10_000_000, compress: false)
    assert_equal [[Larder::TooLargeError, { handled: true, severity: :warning }]], reports
  ensure
    ActiveSupport.error_reporter = before if reports
  end

  def test_instrumentation
    seen = events do
      @store.write("a", 1)
      @store.read("a")
      @store.fetch("b") { 1 }
      @store.fetch("b") { 1 }
      @store.increment("a")
      @store.delete("a")
      @store.exist?("a")
      @store.read_multi("a", "b")
      @store.write_multi({ "c" => 1 })
      @store.delete_matched(/c/)
      @store.cleanup
    end
    assert_equal %i[write read read generate write read fetch_hit increment delete exist? read_multi write_multi delete_matched
                    cleanup], seen.map(&:first)
    assert_equal true, seen[1].last[:hit]
    assert_equal "ActiveSupport::Cache::LarderStore", seen[0].last[:store]
    assert_equal ["b"], seen[10].last[:hits]
    silent = events { @store.mute { @store.read("a") } }
    assert_equal 1, silent.size
  end

  def test_local_cache
    @store.with_local_cache do
      @store.write("a", "x")
      @store.cache.set("a", "behind its back")
      assert_equal "x", @store.read("a")
      assert_nil @store.read("none")
      @store.cache.set("none", 5)
      assert_nil @store.read("none")
      assert_equal 1, @store.increment("n")
      assert_equal 1, @store.read("n")
      @store.cache.increment("n")
      assert_equal 3, @store.increment("n")
      assert_equal({ "a" => "x" }, @store.read_multi("a"))
      @store.write("list", [1])
      @store.read("list") << 2
      assert_equal [1], @store.read("list")
      @store.delete("a")
      assert_nil @store.read("a")
      @store.write("b", "x")
      @store.clear
      assert_nil @store.read("b")
    end
    assert_respond_to @store, :middleware
  end

  # Active Support 6.1 copies each value of its local cache by Marshal. Later releases keep the entry in its stored form.
  def test_local_cache_copies_nothing_that_was_read
    skip "for Active Support 6.1" unless ActiveSupport::VERSION::MAJOR < 7
    @store.write("list", [1, "two"])
    @store.write("text", "x")
    calls = []
    tracer = TracePoint.new(:c_call) { |call| calls << call.method_id if call.self == Marshal }
    @store.with_local_cache do
      tracer.enable do
        assert_equal [[1, "two"]] * 2, Array.new(2) { @store.read("list") }
        assert_equal %w[x x], Array.new(2) { @store.read("text") }
      end
      @store.read("list") << 3
      assert_equal [1, "two"], @store.read("list")
      @store.cache.set("text", "behind its back")
      assert_equal "x", @store.read("text")
    end
    assert_empty calls
  end

  class Coder
    attr_reader :dumped

    def dump(entry)
      (@dumped ||= []) << entry.value
      Marshal.dump(entry).reverse
    end

    def load(payload)
      Marshal.load(payload.reverse)
    end
  end

  def test_coder
    coder = Coder.new
    store = new_store(coder: coder)
    [1, "text", [1]].each do |value|
      store.write("a", value)
      assert_equal value, store.read("a")
    end
    assert_equal [1, "text", [1]], coder.dumped
  end

  def test_threads
    threads = Array.new(4) do |worker|
      Thread.new do
        100.times { |i| (@store.write("#{worker}-#{i}", [i]); raise "wrong" unless @store.read("#{worker}-#{i}") == [i]) }
        :good
      end
    end
    assert_equal [:good], threads.map(&:value).uniq
  end
end
