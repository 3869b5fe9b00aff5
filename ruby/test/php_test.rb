# frozen_string_literal: true

require_relative "helper"
require "fileutils"
require "json"
require "tmpdir"

# Tests stores that PHP and Ruby share. Needs PHP and its extension (make php).
class PhpTest < Larder::TestCase
  EXTENSION = File.expand_path("../../php/modules/larder.so", __dir__)

  def setup
    shared_only
    skip "PHP's extension is not built" unless File.exist?(EXTENSION)
    @folder = Dir.mktmpdir("larder-php", "/dev/shm")
    Dir.mkdir("#{@folder}/larder-#{Process.euid}", 0o700) # as PHP does if it opens the store first
  end

  def teardown
    super
    FileUtils.rm_rf(@folder) if @folder
  end

  def path = "#{@folder}/larder-#{Process.euid}/ruby-volatile"

  # Runs PHP code and returns its output.
  def php(code, folder: @folder, scope: "ruby", settings: [])
    command = ["php", "-n", "-d", "extension=#{EXTENSION}", "-d", "larder.enable_cli=1", "-d", "larder.path=#{folder}",
               "-d", "larder.scope=#{scope}", *settings, "-d", "larder.volatile_size=4M", "-d", "larder.pinned_size=4M",
               "-r", "use Larder\\VolatileCache; use Larder\\PinnedCache; #{code}"]
    output = IO.popen(command, err: %i[child out], &:read)
    assert_predicate $?, :success?, output
    output
  end

  def open_cache(**options)
    new_cache(path: path, **options)
  end

  def test_view_lends_phps_strings
    sizes = [0, 1, 39, 40, 63, 64, 65, 1000, 100_000]
    php("foreach ([#{sizes.join(", ")}] as $size) VolatileCache::set(\"s$size\", str_repeat('z', $size)); VolatileCache::set('list', ['a']);")
    cache = open_cache
    sizes.each { |size| assert_equal(size, cache.view("s#{size}") { |bytes| bytes.size.zero? ? 0 : bytes.get_string.count("z") }) }
    assert_raises(TypeError) { cache.view("list") { flunk } }
    assert_nothing_held cache
  end

  PACKED = <<~'PHP'
    $ints = [0, 63, 64, 319, 320, 65535, 65536, 4294967295, 4294967296, PHP_INT_MAX, -1, -256, -257, -4294967297, PHP_INT_MIN];
    $hash = ['null' => null, 'no' => false, 'yes' => true, 'float' => 1 / 3, 'price' => -19.99, 'time' => '2024-02-29 23:59:59',
        'digits' => '1234567', 'empty' => '', 'one' => 'x', 'again' => 'again', 'same' => 'again', 'long' => str_repeat('word ', 50)];
    $values = ['ints' => $ints, 'large' => range(70000, 70100), 'hash' => $hash, 'mixed' => [3 => 'three', 'k' => 1, -5 => 'minus five'],
        'text' => str_repeat('some text ', 100), 'many' => array_map(fn($i) => "value $i", range(1, 3000))];
    foreach ($values as $key => $value) if (!VolatileCache::set($key, $value)) echo "not stored: $key";
  PHP

  def test_ruby_reads_what_php_has_packed
    php(PACKED, scope: "ready", settings: ["-d", "larder.form=ready"])
    forms = php(PACKED + "foreach ($values as $key => $v) echo VolatileCache::keyInfo($key)->form, ' ';", settings: ["-d", "larder.form=packed"])
    assert_equal "packed " * 6, forms
    keys = %w[ints large hash mixed text many]
    ready = new_cache(path: path.sub("ruby-volatile", "ready-volatile"))
    expected = keys.to_h { |key| [key, ready.get(key)] }
    ready.close
    cache = open_cache
    keys.each do |key|
      refute_nil expected[key], key
      assert_equal expected[key], cache.get(key), key
    end
    assert_equal "2024-02-29 23:59:59", cache.get("hash")["time"]
    assert_equal 3000, cache.get("many").size
    assert_nothing_held cache
  end

  def test_php_reads_what_ruby_has_packed
    php("VolatileCache::set('x', 1);")
    cache = open_cache(form: :packed)
    text = "some text ä " * 50
    list = Array.new(100) { |i| ["value #{i}", i, i / 2.0, nil, true][i % 5] }
    hash = { "text" => text, "number" => -5, 7 => "seven" }
    { text: text, binary: "\xff\0".b * 200, utf16: text.encode("UTF-16LE"), list: list, hash: hash, object: [[text]] }.each do |key, value|
      assert cache.set(key, value)
      assert_equal [:packed, value], [cache.entry(key).form, cache.get(key)], key
    end
    cache.set("flagged", list, flags: 5)
    code = "echo json_encode(array_map(fn($k) => VolatileCache::get($k), ['text', 'list', 'hash', 'object', 'flagged'])), \
      md5(VolatileCache::get('binary')), strlen(VolatileCache::get('utf16')), VolatileCache::keyInfo('text')->form;"
    expected = JSON.generate([text, list, hash.transform_keys(&:to_s), nil, list])
    got = php(code.delete("\\"))
    assert_equal JSON.parse(expected), JSON.parse(got[/\A\[.*\]/m])
    assert got.end_with?("#{text.encode("UTF-16LE").bytesize}packed"), got[-80..]
  end

  def test_keys_that_are_one_in_php
    php("VolatileCache::set('x', 1);")
    cache = open_cache
    hash = { 1 => "one", "1" => "text", "a" => 1, a: 2 }
    cache.set("hash", hash)
    assert_equal '{"1":"text","a":2}', php("echo json_encode(VolatileCache::get('hash'));")
    assert_equal hash, cache.get("hash")
  end

  # PHP has ended before Ruby opens the store. The entries stay in the file.
  def test_ruby_reads_what_php_has_stored
    php(<<~'PHP')
      VolatileCache::set('int', 5);
      VolatileCache::set('min', PHP_INT_MIN);
      VolatileCache::set('float', 1.5);
      VolatileCache::set('true', true);
      VolatileCache::set('false', false);
      VolatileCache::set('null', null);
      VolatileCache::set('short', 'äö');
      VolatileCache::set('empty', '');
      VolatileCache::set('long', str_repeat('long ä ', 1000));
      VolatileCache::set('bytes', "\xff\x00" . str_repeat('x', 100));
      VolatileCache::set('none', []);
      VolatileCache::set('list', [1, 'two', 3.5, null, true, false, str_repeat('x', 100), '', 'a']);
      VolatileCache::set('map', ['name' => 'Ada', 5 => 'five', -1 => 'minus', 'flag' => true, '' => 'empty', 'long' => str_repeat('k', 300)]);
      $holes = [1, 2, 3]; unset($holes[1]);
      VolatileCache::set('holes', $holes);
      $rows = []; for ($i = 0; $i < 1000; $i++) $rows["key$i"] = "value $i";
      VolatileCache::set('rows', $rows);
      $removed = ['a' => 1, 'b' => 2, 'c' => 3]; unset($removed['b']);
      VolatileCache::set('removed', $removed);
      VolatileCache::set('ttl', 'x', 1000);
      VolatileCache::set('nested', [[1]]);
      VolatileCache::set('object', new ArrayObject([1]));
      VolatileCache::set("\x04\x08i", 1);
      VolatileCache::pool('list')->set('in', 'a pool');
    PHP
    cache = open_cache
    expected = {
      "int" => 5, "min" => -2**63, "float" => 1.5, "true" => true, "false" => false, "null" => nil, "short" => "äö", "empty" => "",
      "long" => "long ä " * 1000, "bytes" => "\xff\x00".b + "x" * 100, "none" => [], :list => [1, "two", 3.5, nil, true, false, "x" * 100, "", "a"],
      :map => { "name" => "Ada", 5 => "five", -1 => "minus", "flag" => true, "" => "empty", "long" => "k" * 300 },
      "holes" => { 0 => 1, 2 => 3 }, "rows" => (0...1000).to_h { |i| ["key#{i}", "value #{i}"] }, "removed" => { "a" => 1, "c" => 3 },
      "\x04\bi" => 1
    }
    expected.each { |key, value| assert_equal [value], [cache.get(key, :missing)], key.inspect }
    assert_equal Encoding::UTF_8, cache.get("short").encoding
    assert_in_delta 1000, cache.entry("ttl").ttl, 500
    assert_equal %w[missing missing], [cache.get("nested", "missing"), cache.get("object", "missing")]
    assert_match(/not flat/, cache.unreadable("nested"))
    assert_match(/object|serialized/, cache.unreadable("object"))
    assert_nil cache.unreadable("int")
    assert_equal [*expected.keys.map(&:to_s), "ttl"].sort, cache.each.map(&:first).sort
    assert_equal [*expected.keys.map(&:to_s), "ttl", "nested", "object"].sort, cache.keys.sort
    assert_raises(TypeError) { cache.get(5) }
    assert_raises(TypeError) { cache.set([1], 1) }
    assert_raises(TypeError) { cache.get("") }
    assert_match(/reserved/, assert_raises(ArgumentError) { cache.delete("\0lrdrlist") }.message)
    assert_equal 1, cache.delete_matched(/list/)
    assert_equal "a pool", php("echo VolatileCache::pool('list')->get('in');")
  end

  def test_broadcasts_semaphores_and_limits_are_one
    php("Larder\\Broadcast::open('flags')->publish(['beta' => true]); VolatileCache::throttle('limit', 5, 86400, 3);")
    flags = new_cache(path: path.sub("-volatile", "-pinned"), pinned: true).broadcast("flags")
    assert_equal [{ "beta" => true }, 1], [flags.value, flags.version]
    assert_equal 2, flags.publish({ "beta" => false, "rate" => 0.5 })
    cache = open_cache
    permit = cache.semaphore("pdf", permits: 2).acquire
    assert_equal [true, 1], cache.throttle("limit", limit: 5, per: 86_400).to_a.first(2)
    assert_equal '[{"beta":false,"rate":0.5},2,1,0]', php(<<~'PHP')
      $flags = Larder\Broadcast::open('flags');
      echo json_encode([$flags->value, $flags->version, Larder\Semaphore::count('pdf', 2), VolatileCache::throttle('limit', 5, 86400)->remaining]);
    PHP
    assert permit.release
  end

  VALUES = {
    "int" => 7, "big" => 2**63 - 1, "float" => -2.5, "true" => true, "false" => false, "null" => nil, "text" => "äö" * 100, "short" => "x",
    "empty" => "", "symbol" => :name, "list" => [1, "two", nil, true, 1.5], "none" => [],
    "hash" => { "name" => "Ada", 5 => nil, :symbol => 1.5, "7" => "digits" }, "wide" => [2**62, -2**62 - 1, 2**63 - 1, -2**63],
    "no hash" => {}, "large" => Array.new(3000) { |i| "value #{i}" }, "flagged" => "f", "utf16" => "ab".encode("UTF-16LE")
  }.freeze

  def test_php_reads_what_ruby_has_stored
    php("VolatileCache::set('made', 'by PHP');")
    cache = open_cache
    assert_equal "by PHP", cache.get("made")
    VALUES.each { |key, value| cache.set(key, value, flags: key == "flagged" ? 5 : 0) }
    cache.set("struct", [[1]])
    cache.set("ttl", "x", ttl: 1000)
    cache.set("damaged", [1, 2])
    output = php(<<~'PHP')
      $found = [];
      foreach (['int', 'big', 'float', 'true', 'false', 'null', 'text', 'short', 'empty', 'symbol', 'list', 'none', 'hash', 'wide', 'no hash',
                'large', 'flagged', 'made'] as $key)
          $found[$key] = VolatileCache::get($key, 'missing');
      $found['utf16'] = bin2hex(VolatileCache::get('utf16'));
      $found['struct'] = VolatileCache::get('struct', 'missing');
      $found['several'] = VolatileCache::getMultiple(['int', 'list', 'struct']);
      $found['again'] = VolatileCache::get('large') === VolatileCache::get('large');
      $found['incremented'] = VolatileCache::increment('int');
      $copy = VolatileCache::get('hash'); $copy['new'] = 1;
      VolatileCache::set('from php', ['copied' => 'yes', 'number' => count($copy)]);
      echo json_encode($found);
    PHP
    found = JSON.parse(output)
    expected = VALUES.transform_values { |value| value.is_a?(Symbol) ? value.to_s : value }
                     .merge("hash" => { "name" => "Ada", "5" => nil, "symbol" => 1.5, "7" => "digits" },
                            "no hash" => [], "made" => "by PHP",
                            "utf16" => "61006200", "struct" => "missing", "again" => true, "incremented" => 8)
    expected.each { |key, value| assert_equal [value], [found[key]], key }
    assert_equal [7, [1, "two", nil, true, 1.5]], found["several"].values_at("int", "list")
    assert_equal 8, cache.get("int")
    assert_equal({ "copied" => "yes", "number" => 5 }, cache.get("from php"))
    assert_equal [[1]], cache.get("struct")
  end

  # The setting larder.scope in PHP and the option +name+ in Ruby select the same store if neither language gives a path.
  def test_a_name_is_one_cache
    name = "test-#{Process.pid}-#{object_id}"
    php("VolatileCache::set('from', ['php', 1]); PinnedCache::set('kept', 'by PHP');", folder: "", scope: name)
    volatile = new_cache(name: name)
    pinned = new_cache(name: name, pinned: true)
    assert_equal ["php", 1], volatile.get("from")
    assert_equal "by PHP", pinned.get("kept")
    volatile.set("back", { "from" => "ruby" })
    pinned.increment("count", 5)
    found = php("echo json_encode([VolatileCache::get('back'), PinnedCache::get('count')]);", folder: "", scope: name)
    assert_equal [{ "from" => "ruby" }, 5], JSON.parse(found)
  ensure
    [volatile, pinned].compact.each { |cache| FileUtils.rm_f([cache.path, "#{cache.path}.lock"]) }
  end

  # Other users may write to the first folder, and the second is a file. So both languages must take the third.
  def test_both_choose_the_same_folder
    first = "#{@folder}/larder-#{Process.euid}"
    File.chmod(0o777, first)
    File.write("#{first}.1", "")
    php("VolatileCache::set('from', 'php');")
    assert_equal "#{first}.2/ruby-volatile", Larder::Named.path("ruby", false, @folder)
    assert_equal "php", new_cache(path: Larder::Named.path("ruby", false, @folder)).get("from")
    assert_equal 0o700, File.stat("#{first}.2").mode & 0o777
    FileUtils.rm_rf("#{first}.2")
    assert_equal "#{first}.2/ruby-volatile", Larder::Named.path("ruby", false, @folder)
    assert_equal 0o700, File.stat("#{first}.2").mode & 0o777
    (2..7).each { |number| FileUtils.rm_rf("#{first}.#{number}") && File.write("#{first}.#{number}", "") }
    error = assert_raises(Larder::Error) { Larder::Named.path("ruby", false, @folder) }
    assert_match(/belong to others/, error.message)
  end

  def test_both_at_once
    php("VolatileCache::set('n', 0);")
    cache = open_cache
    reader = Thread.new do
      2000.times do
        cache.increment("n")
        cache.set("shared", ["ruby", 1, "x" * 200])
        value = cache.get("shared")
        raise "wrong #{value.inspect}" unless [["ruby", 1, "x" * 200], ["php", 2, "y" * 200]].include?(value)
      end
    end
    output = php(<<~'PHP')
      for ($i = 0; $i < 2000; $i++) {
          VolatileCache::increment('n');
          VolatileCache::set('shared', ['php', 2, str_repeat('y', 200)]);
          $value = VolatileCache::get('shared');
          if ($value !== ['ruby', 1, str_repeat('x', 200)] && $value !== ['php', 2, str_repeat('y', 200)]) { echo 'wrong '; var_dump($value); }
      }
    PHP
    reader.join
    assert_empty output
    assert_equal 4000, cache.get("n")
    assert_empty cache.fsck
  end

  def test_ruby_makes_the_store_with_phps_abi
    build = `php -i`[/^PHP Extension Build => API(.*)$/, 1]
    codec = File.read(File.expand_path("../../php/src/format/format.h", __dir__))[/LARDER_CODEC (\d+)/, 1]
    refute_nil codec
    cache = open_cache(abi: "php#{build},8,codec#{codec}", size: 4 * 2**20)
    cache.set("from ruby", [1, "two"])
    assert_equal '[1,"two"]', php("echo json_encode(VolatileCache::get('from ruby'));")
    cache.close
    # Without the option abi, Ruby makes a store that PHP cannot read, and PHP reports this.
    File.delete(path)
    open_cache(size: 4 * 2**20).set("a", 1)
    assert_match(/value ABI "ruby/, php("var_dump(VolatileCache::get('a'));"))
  end
end
