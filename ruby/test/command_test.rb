# frozen_string_literal: true

require_relative "helper"
require "json"
require "larder/open_metrics"
require "net/http"
require "open3"
require "rbconfig"
require "shellwords"
require "tmpdir"

# Tests larder-cache, the command of the gem.
class CommandTest < Larder::TestCase
  def setup
    shared_only
    @name = "command-test-#{Process.pid}"
    @cache = new_cache(name: @name, size: 2**21)
    12.times { |i| @cache.set("user:#{i}", { id: i }) }
    @cache.set("odd \e[2J", "text \e[2J")
    @cache.set([1, 2], "not a String")
    3.times { @cache.get("user:1") }
    @cache.get("none")
  end

  def teardown
    super
    [@cache&.path, "#{@cache&.path}.lock"].each { |file| File.delete(file) if file && File.exist?(file) }
  end

  # Returns the output, the errors and the exit code.
  def larder(*words, name: @name)
    run_command("larder-cache", "--name=#{name}", *words)
  end

  def run_command(command, *words, environment: {})
    libraries = $LOAD_PATH.map { |folder| "-I#{folder}" }
    words.unshift(RbConfig.ruby, "-w", *libraries, File.expand_path("../exe/#{command}", __dir__))
    out, errors, status = Open3.capture3(environment, *words, rlimit_cpu: 30) # the kernel kills a command that does not end
    [out, errors, status.exitstatus]
  end

  def test_statistics_are_those_of_the_cache
    out, errors, code = larder("stats")
    assert_equal ["", 0], [errors, code]
    assert_match(/^entries   14$/, out)
    assert_match(/^reads     3 hits, 1 miss \(75\.0% hits\)$/, out)
    assert_match(/^memory    .* of 2\.0 MiB$/, out)
    assert_match(/^uptime    \S+ since/, out)
    assert_operator out.lines.map(&:size).max, :<=, 80
    assert_equal [3, 14], JSON.parse(larder("stats", "--json").first).values_at("hits", "entries")
  end

  def test_a_full_cache_is_used_to_at_most_100_percent
    full = new_cache(name: "#{@name}-full", size: 2**20, pinned: true)
    (0...8).each { |i| assert_raises(Larder::FullError) { 9999.times { |k| full.set("#{i} #{k}", Random.bytes(40 * (8 - i))) } } }
    out = larder("--pinned", "stats", name: "#{@name}-full").first
    assert_match(/^memory    .* used \(100\.0%\) of 1\.0 MiB$/, out)
  ensure
    [full.path, "#{full.path}.lock"].each { |file| File.delete(file) }
  end

  def test_keys_and_values_cannot_command_the_terminal
    assert_equal (0...12).map { |i| "user:#{i}" }.sort, larder("keys", "user:").first.lines(chomp: true).sort
    assert_equal ["odd \\x1b[2J\n", "text \\x1b[2J\n"], [larder("keys", "odd").first, larder("get", "odd \e[2J").first]
    assert_equal "text \e[2J", larder("get", "odd \e[2J", "--raw").first
    assert_equal ["odd \e[2J"], JSON.parse(larder("keys", "odd", "--json").first)
    assert_equal 2, larder("keys", "--limit=2").first.lines.size
    assert_equal({ "id" => 3 }, JSON.parse(larder("get", "user:3", "--json").first)["value"])
    assert_equal 1, larder("get", "none").last
  end

  def test_bytes_that_are_no_text
    odd = "odd \xff\xfe\e"
    @cache.set(odd, "value")
    assert_equal ["value\n", "", 0], larder("get", odd)
    assert_equal ["value\n", "", 0], in_language_c { larder("get", odd) }
    assert_equal ["odd \\x1b[2J", "odd \\xff\\xfe\\x1b"], larder("keys", "odd").first.lines(chomp: true).sort
    assert_equal ["1 deleted\n", "", 0], larder("clear", "--prefix=#{odd}")
    assert_equal ["", "larder-cache: there is no entry \\xff\n", 1], larder("get", "\xff")
  end

  def in_language_c
    before = ENV.to_h.slice("LC_ALL")
    ENV["LC_ALL"] = "C"
    yield
  ensure
    ENV["LC_ALL"] = before["LC_ALL"]
  end

  def test_every_value_has_a_json_text
    ring = [1]
    ring << ring
    {
      Float::NAN => nil, -Float::INFINITY => nil, [1.5, Float::NAN] => [1.5, nil], "\xffa".b => "\u{fffd}a", "\xff" => "\u{fffd}",
      { "\xff" => { 1 => :b } } => { "\u{fffd}" => { "1" => "b" } }, "é".encode("ISO-8859-1") => "é", "日".encode("UTF-16LE") => "日",
      "+AGE".dup.force_encoding("UTF-7") => "+AGE", (1..2) => "1..2", 2**70 => 2**70, "\u202e\u2028\u007f\u{e0001}" => "\u202e\u2028\u007f\u{e0001}"
    }.each do |value, expected|
      @cache.set("value", value)
      out, errors, code = larder("get", "value", "--json")
      assert_equal ["", 0, expected], [errors, code, JSON.parse(out)["value"]], value.inspect
      refute_match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/, out.chomp)
    end
    ring << ring << { "self" => ring }
    @cache.set("value", ring)
    assert_equal [1, nil, nil, { "self" => nil }], JSON.parse(larder("get", "value", "--json").first)["value"]
    @cache.set("value", (1..120).inject(1) { |inner, _| [inner] })
    assert_match(/\A\{"value":\[{99}null\]{99},/, larder("get", "value", "--json").first)
    refusal = "larder-cache: the value of value has more than 5000000 parts, or 256 MiB of strings, which is too much to print; read it in Ruby\n"
    pair = ->(inner) { Object.new.tap { |object| %i[@a @b].each { |name| object.instance_variable_set(name, inner) } } }
    [(1..100).inject([1]) { |inner, _| [inner, inner] }, (1..100).inject([1]) { |inner, _| Process::Tms.new(inner, inner) },
     [Process::Tms.new, *["x" * 1_000_000] * 1000], [Process::Tms.new, *[{ "k" * 1_000_000 => 1 }] * 1000]].each do |value|
      @cache.set("value", value)
      [%w[--json], []].each { |options| assert_equal ["", refusal, 1], larder("get", "value", *options) }
    end
    @cache.set("value", (1..100).inject([1]) { |inner, _| pair.(inner) })
    assert_equal ["", refusal, 1], larder("get", "value")
    assert_match(/\A\{"value":"#<Object:0x\h+>"/, larder("get", "value", "--json").first)
    @cache.set("value", (1..10).inject({ "a" => 1 }) { |inner, _| { "b" => inner, "c" => inner } })
    assert_equal 1024, larder("get", "value", "--json").first.scan('{"a":1}').size
    assert_equal 1024, larder("get", "value").first.scan(/\{"a" ?=> ?1\}/).size
    @cache.set("\u202e", 1)
    assert_includes larder("keys", "--json").first, '"\u202e"'
    assert_equal "[]\n", larder("fsck", "--json").first
  end

  # The command must not call methods of a value's objects: Net::HTTP::Get#method takes no arguments, and a BasicObject has neither "method"
  # nor "inspect".
  def test_a_value_may_have_objects_without_the_methods_of_others
    library = File.join(Dir.mktmpdir, "bare.rb")
    File.write(library, 'class Bare < BasicObject; def marshal_dump = 1; def marshal_load(_) = nil; def to_s = "bare"; def inspect = "BARE"; end')
    require library
    @cache.set("value", [[Net::HTTP::Get.new("/")], Bare.new])
    load = { "RUBYOPT" => "-W0 -rnet/http -r#{library}" }
    assert_equal ["[[#<Net::HTTP::Get GET>], BARE]\n", "", 0], run_command("larder-cache", "--name=#{@name}", "get", "value", environment: load)
    text = JSON.parse(run_command("larder-cache", "--name=#{@name}", "get", "value", "--json", environment: load).first)["value"]
    assert_match(/\A#<Net::HTTP::Get/, text.first.first)
    assert_equal "bare", text.last
  ensure
    FileUtils.rm_rf(File.dirname(library))
  end

  def test_options_that_a_command_would_not_heed_are_refused
    { %w[watch --json --count=1] => "watch takes no --json", %w[stats --prefix=a] => "stats takes no --prefix",
      %w[fsck --raw] => "fsck takes no --raw", %w[stats --path=/x] => "only one of --name and --path may be given",
      %w[stats --json --openmetrics] => "only one of --json and --openmetrics may be given",
      %w[keys --limit=0] => "--limit must be from 1 to 999999999", ["keys", "--limit=#{2**80}"] => "--limit must be from 1 to 999999999",
      %w[watch --interval=0] => "--interval must be from 0.01 to 1000000000.0" }.each do |words, message|
      assert_equal ["", "larder-cache: #{message}\n", 2], larder(*words)
    end
    %w[larder-cache larder-sync].each { |command| assert_equal ["#{command} #{Larder::VERSION}\n", "", 0], run_command(command, "--version") }
  end

  def test_output_that_is_not_read_or_finds_no_room
    20_000.times { |i| @cache.set("key #{i}", 1) }
    libraries = $LOAD_PATH.map { |folder| "-I#{folder}" }
    command = [RbConfig.ruby, *libraries, File.expand_path("../exe/larder-cache", __dir__), "--name=#{@name}", "keys", "--limit=20000"].shelljoin
    out, errors, = Open3.capture3("#{command} | head -n 1")
    assert_equal [1, ""], [out.lines.size, errors]
    _, errors, status = Open3.capture3("#{command} >/dev/full")
    assert_match(/\Alarder-cache: No space left on device.*\n\z/, errors)
    assert_equal 1, status.exitstatus
  end

  def test_entries_are_deleted_and_the_cache_is_cleared
    assert_equal ["2 deleted\n", "", 0], larder("del", "user:1", "user:2")
    assert_equal ["1 deleted\n", "", 1], larder("del", "user:1", "user:3")
    assert_nil @cache.get("user:3")
    assert_equal ["9 deleted\n", "", 0], larder("clear", "--prefix=user:")
    assert_equal ["the store is right\n", "", 0], larder("fsck")
    assert_equal 2, @cache.size
    assert_equal ["cleared\n", "", 0], larder("clear")
    assert_equal 0, @cache.size
    assert_equal 3, larder("watch", "--count=2", "--interval=0.02").first.lines.size
  end

  def test_it_makes_no_cache_and_refuses_wrong_words
    out, errors, code = larder("stats", name: "#{@name}-none")
    assert_equal ["", 1], [out, code]
    assert_match(/there is no cache command-test-\d+-none of this user/, errors)
    refute_path_exists "#{@cache.path.sub(@name, "#{@name}-none")}"
    assert_equal "larder-cache: get takes 1 argument, not 0\n", larder("get")[1]
    assert_equal "larder-cache: stats takes 0 arguments, not 1\n", larder("stats", "x")[1]
    assert_equal [2, 2, 2, 2], [larder, larder("frob"), larder("get"), larder("stats", name: "../x")].map(&:last)
    assert_equal 1, larder("stats", "--pinned").last
    help, _, code = larder("--help")
    assert_equal 0, code
    assert_operator help.lines.map { |line| line.chomp.size }.max, :<=, 80
  end

  def test_looking_replaces_no_unused_cache_of_another_version_and_makes_none
    path = new_path
    cache = Larder::Cache.new(path: path, size: 2**21, pinned: true, abi: "ruby,codec0")
    cache.set("key", "kept")
    cache.close
    [%w[stats], %w[keys], %w[get key], %w[clear], %w[fsck]].each do |words|
      out, errors, code = run_command("larder-cache", "--path=#{path}", "--pinned", *words)
      assert_equal ["", 1], [out, code], words.first
      assert_match(/has values of another version of Larder \(ABI ruby,codec0\)/, errors)
    end
    assert_equal 1, run_command("larder-cache", "--path=#{path}", "stats").last # fails, because the cache is not pinned
    assert_equal 1, run_command("larder-sync", "--path=#{path}", "--prefix=a:", "--status").last
    assert_equal "kept", new_cache(path: path, pinned: true, abi: "ruby,codec0").get("key")

    %W[--name=#{@name}-none --path=#{path}-none].each do |place|
      out, errors, code = run_command("larder-sync", place, "--prefix=a:", "--status")
      assert_equal ["", 1], [out, code]
      assert_match(/no larder-sync of the prefix "a:" runs on this host/, errors)
    end
    assert_empty Dir.glob(["#{path}-none*", "#{@cache.path.sub(@name, "#{@name}-none")}*"])
    assert_equal 2, run_command("larder-sync", "--name=../x", "--status").last
  end

  def test_looking_replaces_no_unused_volatile_cache_of_another_version
    path = new_path
    Larder::Cache.new(path: path, size: 2**21, abi: "ruby,codec0").tap { |cache| cache.set("key", "kept") }.close
    assert_equal 1, run_command("larder-cache", "--path=#{path}", "stats").last
    assert_equal 1, run_command("larder-sync", "--path=#{path}", "--prefix=a:", "--status").last
    assert_equal "kept", new_cache(path: path, abi: "ruby,codec0").get("key")
  end

  def test_a_cache_that_replaces_an_unused_one_says_so_once
    path = new_path
    Larder::Cache.new(path: path, size: 2**21, abi: "ruby,codec0").close
    said = Array.new(2) { capture_io { Larder::Cache.new(path: path, size: 2**21).close }.last }
    assert_match(/Larder: #{path}: was replaced by an empty store, as no process used it: value ABI "ruby,codec0"/, said.first)
    assert_empty said.last
  end

  def test_a_folder_of_another_user_hides_no_cache
    skip "needs root" unless Process.euid.zero?
    Dir.mktmpdir("larder-command", "/dev/shm") do |root|
      Dir.mkdir("#{root}/larder-0", 0o777)
      File.write("#{root}/larder-0/app-volatile", "")
      File.chown(65_534, 65_534, "#{root}/larder-0")
      Dir.mkdir("#{root}/larder-0.1", 0o700)
      assert_nil Larder::Named.find("app", false, root)
      File.write("#{root}/larder-0.1/app-volatile", "")
      assert_equal "#{root}/larder-0.1/app-volatile", Larder::Named.find("app", false, root)
      assert_equal Larder::Named.path("app", false, root), Larder::Named.find("app", false, root)
    end
  end

  def test_the_command_and_a_worker_give_metrics
    text = Larder::OpenMetrics.text(@name => @cache)
    assert_includes text, "larder_hits_total{cache=\"#{@name}\",store=\"volatile\"} 3\n"
    assert_includes text, "larder_up{cache=\"#{@name}\",store=\"volatile\"} 1\n"
    assert text.end_with?("# EOF\n")
    families = ->(all) { all.scan(/^# TYPE (\S+)/).flatten }
    assert_equal families[text], families[larder("stats", "--openmetrics").first]
    assert_equal families[text].uniq, families[text]
    php = File.read(File.expand_path("../../ops/src/OpenMetrics.php", __dir__))
    assert_empty(families[text].reject { |family| php.include?("'#{family}'") })
  end

  def test_the_metrics_have_all_that_alerts_of_caches_ask_for
    alerts = File.read(File.expand_path("../../ops/monitoring/alerts.yml", __dir__))
    asked = alerts.scan(/^ +expr: (.*)/).flatten.join(" ").scan(/\blarder_\w+/).uniq.reject { |name| name.start_with?("larder_queue_") }
    assert_operator asked.size, :>, 5
    assert_empty asked - Larder::OpenMetrics.text(@name => @cache).scan(/^(larder_\w+)\{/).flatten
  end
end

# With the store in plain Ruby, the metrics contain only what this store counts.
class MetricsTest < Larder::TestCase
  def test_names_are_escaped_and_numbers_are_there
    cache = new_cache(size: 2**20, pinned: true)
    cache.set("a", 1)
    cache.get("a")
    text = Larder::OpenMetrics.text("a\"\n\\" => cache)
    assert_includes text, 'larder_hits_total{cache="a\"\\\\x0a\\\\",store="pinned"} 1'
    assert_includes text, "larder_entries{"
  end

  def test_refusals_have_a_cause
    cache = new_cache(size: 2**20, pinned: true)
    assert_raises(Larder::FullError) { 50.times { |i| cache.set("key #{i}", Random.bytes(100_000)) } }
    refused = Larder::OpenMetrics.text("a" => cache).scan(/^larder_refusals_total\{.*cause="(\w+)"\} (\d+)/).to_h
    assert_equal cache.stats[:refused].to_i, refused.values.sum(&:to_i)
    skip "the store in plain Ruby counts no refusals" unless cache.stats[:shared]
    assert_operator refused["full"].to_i + refused["scattered"].to_i, :>, 0
  end
end
