# frozen_string_literal: true

require_relative "helper"
require "tmpdir"

class ProcessesTest < Larder::TestCase
  def setup
    shared_only
    @cache = new_cache
  end

  def test_children_share_the_cache
    @cache.set("parent", 1)
    assert_equal 1, in_child { @cache.set("child", 2); @cache.get("parent") }
    assert_equal 2, @cache.get("child")
  end

  def test_grandchildren_and_forks_in_threads
    in_child { in_child_quietly { @cache.set("grandchild", 1) } }
    Thread.new { in_child { @cache.set("of thread", 2) } }.join
    assert_equal [1, 2], [@cache.get("grandchild"), @cache.get("of thread")]
  end

  def in_child_quietly(&block)
    Process.wait(fork { (block.call; exit!(0)) })
  end

  def test_counters_are_exact
    pids = Array.new(4) { fork { (5000.times { @cache.increment("n") }; exit!(0)) } }
    assert(pids.all? { |pid| Process.wait2(pid).last.success? })
    assert_equal 20_000, @cache.get("n")
  end

  def test_compare_and_set_loses_nothing
    @cache.set("list", [])
    @cache.set("n", 0)
    pids = Array.new(3) do |worker|
      fork do
        200.times do |i|
          loop do
            entry = @cache.entry("list")
            break if @cache.set("list", entry.value + ["#{worker}-#{i}"], cas: entry.version)
          end
          loop { break if (n = @cache.get("n")) && @cache.compare_and_set("n", n, n + 1) }
        end
        exit!(0)
      end
    end
    assert(pids.all? { |pid| Process.wait2(pid).last.success? })
    assert_equal 600, @cache.get("list").uniq.size
    assert_equal 600, @cache.get("n")
  end

  # Repeats the block until it raises `error`. Only a write notices that the file was changed, and writes look at the file at most once a
  # second.
  def wait_for_error(error, seconds = 30)
    give_up = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
    while Process.clock_gettime(Process::CLOCK_MONOTONIC) < give_up
      begin
        yield
        sleep 0.02
      rescue error => e
        return e
      end
    end
    flunk "no #{error}"
  end

  def test_a_file_that_is_removed_or_truncated_is_noticed_by_writes
    Dir.mktmpdir("larder", "/dev/shm") do |folder|
      path = File.join(folder, "cache")
      [->(file) { File.unlink(file) }, ->(file) { File.truncate(file, 0) }].each do |damage|
        cache = new_cache(path: path, size: 2**20)
        cache.set("a", [1, "x"])
        sleep 0.05 # a writer checks the file's size every few milliseconds; an earlier access gets a SIGBUS
        damage.call(path)
        error = wait_for_error(Larder::MovedError) { cache.set("b", "1" * 100) }
        assert_match(/#{path}/, error.message)
        assert_equal(3, cache.fetch("c") { 3 })
        assert_equal [1, "x"], cache.get("a") unless File.exist?(path)
        cache.close
        again = new_cache(path: path, size: 2**20)
        assert_nil again.get("a")
        assert again.set("a", 2)
        assert_equal 2, again.get("a")
        again.close
      end
    end
  end

  def test_a_name_is_shared_by_processes_that_are_not_related
    name = "test-#{Process.pid}-#{object_id}"
    cache = new_cache(name: name, size: 2**20)
    cache.set("a", [1, "x", :b])
    script = "cache = Larder::Cache.new(name: #{name.inspect}); p cache.get('a'); cache.set('b', {c: 1})"
    library = $LOAD_PATH.grep(/larder|build|ruby/).flat_map { |path| ["-I", path] }
    output = IO.popen([Gem.ruby, *library, "-rlarder", "-e", script], &:read)
    assert_equal [1, "x", :b].inspect, output.chomp
    assert_equal({ c: 1 }, cache.get("b"))
    assert_equal 0o600, File.stat(cache.path).mode & 0o777
    error = assert_raises(Larder::Error) { Larder::Cache.new(name: name, size: 2**21) }
    assert_match(/size/, error.message)
  ensure
    [cache&.path, "#{cache&.path}.lock"].each { |file| File.delete(file) if file && File.exist?(file) }
  end

  def test_names_are_those_that_php_takes
    ["-test-#{Process.pid}", "_test.#{Process.pid}", "-"].each do |name|
      cache = new_cache(name: name, size: 2**20)
      assert_equal "#{name}-volatile", File.basename(cache.path)
      cache.close
    ensure
      [cache&.path, "#{cache&.path}.lock"].each { |file| File.delete(file) if file && File.exist?(file) }
    end
  end

  def test_a_store_of_another_kind_is_left_as_it_is
    Dir.mktmpdir("larder", "/dev/shm") do |folder|
      path = File.join(folder, "cache")
      in_child { Larder::Cache.new(path: path, size: 2**20, pinned: true).set("a", 1) } # no process has it open any more
      error = assert_raises(Larder::Error) { new_cache(path: path) }
      assert_match(/cache is a pinned store, not a volatile one/, error.message)
      assert_equal 1, new_cache(path: path, pinned: true).get("a")
    end
  end

  # Each cache is made by a process that has no other cache open. All processes map a cache at the address that its maker has chosen. So
  # caches with similar names must not get the same address.
  def test_caches_with_like_names_can_be_open_together
    Dir.mktmpdir("larder", "/dev/shm") do |folder|
      names = (0..9).to_h { |digit| [digit, File.join(folder, "cache#{digit}")] }
      names.each { |digit, path| in_child { Larder::Cache.new(path: path, size: 2**20).set("digit", digit) } }
      refused = names.count do |digit, path|
        assert_equal digit, new_cache(path: path).get("digit")
        false
      rescue Larder::Error
        true
      end
      assert_operator refused, :<=, 1 # two caches may get the same address by chance, because each run has another folder
    end
  end

  def test_another_size_makes_a_file_anew_that_nobody_uses
    Dir.mktmpdir("larder", "/dev/shm") do |folder|
      path = File.join(folder, "cache")
      in_child { Larder::Cache.new(path: path, size: 2**20).set("a", 1) }
      cache = new_cache(path: path)
      assert_equal [1, 2**20], [cache.get("a"), cache.stats[:size]]
      assert_match(/size/, in_child { Larder::Cache.new(path: path, size: 2**21) })
      cache.close
      cache = new_cache(path: path, size: 2**21)
      assert_equal [nil, 2**21], [cache.get("a"), cache.stats[:size]]
    end
  end

  def test_at_exit_and_signals
    output = in_child do
      count = 0
      Signal.trap(:USR1) { count += @cache.increment("signals") && 1 }
      parent = Process.pid
      killer = fork { (50.times { (Process.kill(:USR1, parent); sleep 0.001) }; exit!(0)) }
      seen = 0
      until Process.wait(killer, Process::WNOHANG)
        200.times { |i| (@cache.set("k#{i}", "x" * i); seen += 1 if @cache.get("k#{i}") == "x" * i) }
      end
      100.times { @cache.get("x") }
      [seen % 200, seen.positive?, count == @cache.get("signals")]
    end
    assert_equal [0, true, true], output
  end

  def test_exec_and_spawn
    @cache.set("a", 1)
    @cache.view("marshal") { nil }
    assert_equal "x\n", `echo x`
    assert system("true")
    assert_equal 1, @cache.get("a")
  end

  def test_a_killed_writer_leaves_the_old_value
    @cache.set("key", ["old"] * 1000)
    20.times do
      pid = fork { loop { (@cache.set("key", ["new"] * 1000); @cache.set("key", ["old"] * 1000)) } }
      sleep rand * 0.02
      Process.kill(:KILL, pid)
      Process.wait(pid)
      assert_includes [["old"] * 1000, ["new"] * 1000], @cache.get("key")
    end
    assert_nothing_held @cache
  end
end
