# frozen_string_literal: true

require "tier_helper"

begin
  require "redis"
  require "larder/tier"
  require "larder/hosts/sync"
rescue LoadError => e
  warn "tier_test: skipped, #{e.message}"
end

module Larder
  # Tests Larder::Tier and larder-sync with a redis-server. Each host is a cache with a larder-sync of its own.
  class TierTest < TestCase
    include TierHelper

    BOUND = 1.0

    def setup
      super
      start_server("--port", "0")
    end

    def sync(host, server: "unix:#{@socket}", bound: BOUND)
      start_sync(host, "--server=#{server}", "--bound=#{bound}")
    end

    def store
      ActiveSupport::Cache::RedisCacheStore.new(url: "unix://#{@socket}", namespace: "app", reconnect_attempts: 0)
    end

    def tier(host, server: store)
      Tier.new(server, cache: new_cache(path: path_of(host), size: 4 * 2**20))
    end

    def synced(host, **options)
      tier = tier(host)
      pid = sync(host, **options)
      eventually { tier.local? }
      [tier, pid]
    end

    def test_a_value_is_read_from_the_server_once_and_then_from_memory
      here, = synced("a")
      there, = synced("b")
      here.write("list", [1, { "a" => :b }], expires_in: 600)
      2.times { assert_equal [1, { "a" => :b }], there.read("list") }
      eventually do # under load larder-sync may be late; the server is then asked once more
        before = reads
        there.read("list") && reads == before
      end
      here.write("list", "new")
      assert_equal "new", here.read("list")
      eventually { there.read("list") == "new" }
      there.delete("list")
      assert_nil there.read("list")
      eventually { here.read("list").nil? }
    end

    def test_reads_are_those_of_the_store_behind
      tier, = synced("a")
      plain = store
      values = { "nil" => nil, "false" => false, "text" => "text", "bytes" => "\xff\x00".b, "number" => 2**70, "time" => Time.at(1) }
      values.each { |name, value| tier.write(name, value) }
      2.times do
        values.each { |name, value| value.nil? ? assert_nil(tier.read(name)) : assert_equal(value, tier.read(name)) }
        assert_equal values, tier.read_multi(*values.keys)
        assert_equal plain.read_multi(*values.keys), tier.read_multi(*values.keys)
        assert(tier.exist?("nil"))
        refute(tier.exist?("none"))
      end
      tier.write("versioned", 1, version: 1)
      2.times { assert_nil tier.read("versioned", version: 2) }
      tier.write("raw", 5, raw: true)
      2.times { assert_equal "5", tier.read("raw", raw: true) }
      assert_equal 7, tier.increment("raw", 2)
      life = { expires_in: 600 }
      assert_equal [1, 0, -1], [tier.increment("n", **life), tier.decrement("n", **life), tier.decrement("n", 1, life)]
      assert_in_delta 600_000, client.pttl("app:n"), 60_000
      assert_equal "7", tier.read("raw", raw: true)
      tier.write_multi({ "m1" => 1, "m2" => 2 }, expires_in: 600)
      assert_equal({ "m1" => 1, "m2" => 2 }, tier.read_multi("m1", "m2", "m3"))
      assert_equal 2, tier.delete_multi(%w[m1 m2])
      assert_equal({}, tier.read_multi("m1", "m2"))
      calls = 0
      2.times { assert_equal [1], tier.fetch("computed") { calls += 1 and [calls] } }
      assert_equal 1, calls
      tier.delete_matched("computed")
      assert_nil tier.read("computed")
      tier.clear
      assert_nil tier.read("text")
    end

    # Many names take one request to the server, or none once the host has copies.
    def test_many_names_are_read_in_one_request
      tier, = synced("a")
      values = (1..20).to_h { |number| ["name#{number}", number] }
      values.each { |name, value| store.write(name, value, expires_in: name == "name1" ? 600 : nil, version: name == "name2" ? 1 : nil) }
      alone = tier("b")
      before = requests
      assert_equal values, alone.read_multi(*values.keys)
      assert_equal [0, 1], requests.zip(before).map { |now, then_| now - then_ }
      eventually do # under load larder-sync may be late; the server is then asked once more
        before = requests
        assert_equal values, tier.read_multi(*values.keys)
        requests == before
      end
      assert_equal 0, requests.first
      assert_equal values.keys.reverse, tier.read_multi(*values.keys.reverse).keys
      assert_equal 7, tier.read("name7")
      assert_equal({ "name3" => 3 }, tier.read_multi("name2", "none", "name3", version: 2).slice("name2", "none", "name3"))
      store.write("name4", "new")
      eventually { tier.read_multi("name3", "name4") == { "name3" => 3, "name4" => "new" } }
      other = tier.write("name5", "elsewhere", namespace: "other") && tier.read_multi("name5", namespace: "other")
      assert_equal({ "name5" => "elsewhere" }, other)
      client.set("app:raw", "text")
      2.times { assert_equal({ "raw" => "text" }, tier.read_multi("raw", "none", raw: true)) }
    end

    def requests = client.info("commandstats").values_at("get", "mget").map { |command| command ? command["calls"].to_i : 0 }

    def test_any_true_value_of_raw_has_copies
      tier, = synced("a")
      client.set("app:raw", "text")
      eventually do
        before = reads
        assert_equal "text", tier.read("raw", raw: 1)
        reads == before
      end
    end

    # larder-sync listens to one server, so copies of another server's entries would stay old.
    def test_a_store_of_several_servers_is_refused
      several = ActiveSupport::Cache::RedisCacheStore.new(url: ["unix://#{@socket}", "unix://#{@socket}2"], namespace: "app")
      assert_match(/server must have one address, not several/, assert_raises(ArgumentError) { Tier.new(several, cache: new_cache) }.message)
    end

    def test_a_store_that_is_no_redis_has_no_copies
      tier, = synced("a")
      memory = ActiveSupport::Cache::MemoryStore.new(namespace: "app")
      over = Tier.new(memory, cache: tier.cache)
      2.times do |value|
        memory.write("key", value, expires_in: 600)
        assert_equal value, over.read("key")
        assert_equal({ "key" => value }, over.read_multi("key"))
      end
    end

    # A killed server does not close the TLS connection properly.
    def test_a_connection_with_tls_that_breaks_is_a_failure_of_the_server
      require "openssl"
      key = OpenSSL::PKey::EC.generate("prime256v1")
      certificate = OpenSSL::X509::Certificate.new
      certificate.version = 2
      certificate.serial = 1
      certificate.subject = certificate.issuer = OpenSSL::X509::Name.parse("/CN=larder")
      certificate.not_before = Time.now - 86_400
      certificate.not_after = Time.now + 86_400
      certificate.public_key = key
      extensions = OpenSSL::X509::ExtensionFactory.new(certificate, certificate)
      certificate.add_extension(extensions.create_extension("basicConstraints", "CA:TRUE", true))
      certificate.add_extension(extensions.create_extension("subjectAltName", "IP:127.0.0.1"))
      certificate.sign(key, "SHA256")
      File.write("#{@folder}/ca.pem", certificate.to_pem)
      listener = TCPServer.new("127.0.0.1", 0)
      context = OpenSSL::SSL::SSLContext.new
      context.add_certificate(certificate, key)
      server = Thread.new do
        2.times do
          encrypted = OpenSSL::SSL::SSLSocket.new(listener.accept, context)
          encrypted.accept
          encrypted.readpartial(100)
          encrypted.write("+PONG\r\n")
          encrypted.readpartial(100)
        rescue OpenSSL::SSL::SSLError # the client does not know the certificate
          nil
        ensure
          encrypted.to_io.close
        end
      end
      uri = Hosts::Line.address("rediss://127.0.0.1:#{listener.local_address.ip_port}")
      assert_match(/certificate verify failed/, assert_raises(Hosts::ServerFailure) { Hosts::Line.new(uri, PATIENCE) }.message)
      line = Hosts::Line.new(uri, PATIENCE, ca_file: "#{@folder}/ca.pem")
      line.send("PING")
      assert_equal "PONG", line.read
      line.send("PING")
      assert_match(/the connection was lost/, assert_raises(Hosts::ServerFailure) { line.read }.message)
    ensure
      line&.close
      server&.join
      listener&.close
    end

    def test_a_copy_ends_with_the_entry_on_the_server
      tier, = synced("a")
      tier.write("short", "value", expires_in: 0.2)
      tier.write("raw", "value", expires_in: 0.2, raw: true)
      tier.read("short")
      tier.read("raw", raw: true)
      sleep 0.25
      assert_nil tier.read("short")
      assert_nil tier.read("raw", raw: true)
    end

    # The server answers after the entry has expired, but before it has removed the entry.
    def test_a_copy_of_a_late_answer_does_not_outlive_the_entry
      tier, = synced("a")
      local = tier.instance_variable_get(:@local)
      tier.define_singleton_method(:lives) do |keys, _entries|
        sleep 0.4
        keys.to_h { |key| [key, { "app:short" => 0.3, "app:long" => 60.0 }[key]] }
      end
      { "short" => nil, "long" => "value", "endless" => "value" }.each do |key, wanted|
        client.set("app:#{key}", "value")
        sleep 0.2 # wait for the invalidation
        copy = nil
        (wanted ? 20 : 3).times do # a read leaves no copy if an invalidation arrives meanwhile, so read again
          assert_equal "value", tier.read(key, raw: true)
          break if (copy = local.get(local.generation, "app:#{key}"))
        end
        wanted.nil? ? assert_nil(copy, key) : assert_equal(wanted, copy && copy[1], key)
      end
      assert_operator tier.cache.entry("#{local.generation}app:long").ttl, :<=, 59.6
    end

    def test_a_value_that_was_read_before_an_invalidation_is_not_kept
      tier, = synced("a")
      server = tier.server
      client.set("app:key", "old")
      another = client
      original = server.method(:read_entry)
      server.define_singleton_method(:read_entry) do |key, **options|
        original.call(key, **options).tap do
          another.set("app:key", "new")
          sleep 0.3 # the invalidation arrives before the value does, unless the machine is very busy
        end
      end
      assert_equal "old", tier.read("key", raw: true)
      server.singleton_class.send(:remove_method, :read_entry)
      assert_equal "new", eventually { (found = tier.read("key", raw: true)) == "new" && found }
    end

    # No read may return a value that was overwritten more than one bound before, even if the connection is cut, or a process is stopped or
    # killed.
    def test_nothing_is_stale_beyond_the_bound
      proxy = Proxy.new(@socket, "#{@folder}/proxy.sock")
      tier, pid = synced("a", server: "unix:#{@folder}/proxy.sock", bound: 0.3)
      direct = client
      written = []
      writer = Thread.new do
        (1..).each do |number|
          direct.set("app:number", number)
          written << [number, now]
          break if @done

          sleep 0.002
        end
      end
      stale = used = 0
      check = lambda do |seconds|
        give_up = now + seconds
        while now < give_up
          used += 1 if tier.local?
          begun = now
          least = written.reverse_each.find { |_, at| at < begun - 0.3 - 0.05 }&.first
          found = tier.read("number", raw: true)
          stale += 1 if least && found.to_i < least
          sleep 0.001
        end
      end
      check.call(1)
      proxy.cut
      check.call(1)
      proxy.mend
      eventually { tier.local? }
      check.call(0.5)
      Process.kill(:STOP, pid)
      check.call(1)
      Process.kill(:CONT, pid)
      check.call(0.5)
      stop(pid)
      check.call(1)
      sync("a", server: "unix:#{@folder}/proxy.sock", bound: 0.3)
      eventually { tier.local? }
      check.call(0.5)
      assert_equal 0, stale
      assert_operator used, :>, 0
    ensure
      @done = true
      writer&.join
      proxy&.close
    end

    def test_killed_readers_leave_no_lease_that_others_wait_for
      tier, = synced("a")
      client.set("app:key", "value")
      5.times do
        reader = fork do
          tier.server.define_singleton_method(:read_entry) { |*, **| Process.kill(:KILL, Process.pid) }
          tier.read("key", raw: true)
        end
        Process.wait(reader)
        assert_equal "value", tier.read("key", raw: true)
      end
    end

    def test_a_standby_takes_over_and_the_status_says_who_leads
      tier, first = synced("a")
      second = sync("a")
      eventually { Hosts::Sync.status(tier.cache, "app:").values_at("state", "pid") == ["leading", first] }
      stop(first)
      eventually { Hosts::Sync.status(tier.cache, "app:").values_at("state", "pid") == ["leading", second] }
      eventually { tier.local? }
      stop(second)
      eventually { %w[dead].include?(Hosts::Sync.status(tier.cache, "app:")&.fetch("state")) || Hosts::Sync.status(tier.cache, "app:").nil? }
      eventually { !tier.local? }
    end

    def test_a_new_file_of_the_copies_is_used
      tier = Tier.new(store, path: path_of("a"), size: 4 * 2**20)
      pid = sync("a")
      eventually { tier.local? }
      File.delete(path_of("a"))
      stop(pid)
      eventually { !tier.local? }
      sync("a")
      eventually { tier.local? }
      tier.write("key", "value")
      eventually do
        before = reads
        assert_equal "value", tier.read("key")
        reads == before
      end
    end

    def test_a_record_that_is_prolonged_late_ends_no_later
      cache = new_cache
      [:prolong, :begin].each do |step|
        sync = Hosts::Sync.new(cache, Hosts::Line.address("unix:#{@socket}"), "app:", bound: BOUND)
        local = sync.instance_variable_get(:@local)
        local.begin(BOUND)
        stops = 0
        original = local.method(step)
        local.define_singleton_method(step) do |seconds|
          sleep 0.3 if (stops += 1) == 1
          original.call(seconds)
        end
        { "@sent" => now, "@before" => now, "@vouching" => step == :prolong }.each { |name, value| sync.instance_variable_set(name, value) }
        sync.send(:vouch)
        read_at = now
        record = cache.entry("\0tier:app:") # nil if larder-sync was stopped for longer than the bound
        assert_operator read_at + record.ttl, :<=, sync.instance_variable_get(:@until) + 0.01 if record
        assert_operator stops, :>, 0
      end
    end

    def test_without_larder_sync_and_for_other_keys_the_server_is_asked
      tier = tier("a")
      refute_predicate tier, :local?
      tier.write("key", 1)
      assert_equal 1, tier.read("key")
      store.write("key", 2)
      assert_equal 2, tier.read("key")
      memory = Tier.new(ActiveSupport::Cache::MemoryStore.new, cache: tier.cache)
      memory.write("key", "mine")
      assert_equal "mine", memory.read("key")
    end

    def test_arguments_are_checked
      cache = new_cache
      assert_match(/server must be an ActiveSupport::Cache::Store, not String/, assert_raises(TypeError) { Tier.new("x", cache: cache) }.message)
      assert_match(/name, path or cache is missing/, assert_raises(ArgumentError) { Tier.new(store) }.message)
      assert_match(/unknown option: nam/, assert_raises(ArgumentError) { Tier.new(store, nam: "x") }.message)
      assert_match(/prefix must be a String, not Integer/, assert_raises(TypeError) { Tier.new(store, cache: cache, prefix: 1) }.message)
      %w[redis://a redis://a:1/ redis://a:65535/12 tls://u:p@[::1]:1/0].each { |text| assert_equal text, Hosts::Line.address(text).to_s }
      %w[10.0.0.1 http://a redis:// unix: redis://a:0 redis://a:65536 redis://a:99999 redis://a/x redis://a/1/ redis://a/-1].each do |text|
        assert_match(/server must be like redis:/, assert_raises(ArgumentError) { Hosts::Line.address(text) }.message)
      end
      uri = Hosts::Line.address("unix:#{@socket}")
      assert_match(/bound must be in 0.05..3600.0, not 0.01/, assert_raises(ArgumentError) { Hosts::Sync.new(cache, uri, "", bound: 0.01) }.message)
    end

    # Passes bytes between unix sockets, until it is cut.
    class Proxy
      def initialize(to, at)
        @to = to
        @listener = UNIXServer.new(at)
        @open = []
        @mutex = Mutex.new
        @thread = Thread.new { loop { take(@listener.accept) } }
        @thread.report_on_exception = false
      end

      # Drops all bytes on open connections, without closing them. Closes new connections at once.
      def cut
        @mutex.synchronize { @cut = true }
      end

      def mend
        @mutex.synchronize do
          @cut = false
          @open.each { |io| io.close unless io.closed? }
          @open.clear
        end
      end

      def close
        @thread.kill
        @listener.close
        mend
      end

      private

      def take(client)
        return client.close if @cut

        server = UNIXSocket.new(@to)
        @mutex.synchronize { @open.push(client, server) }
        [[client, server], [server, client]].each do |from, to|
          Thread.new do
            loop do
              bytes = from.readpartial(65_536)
              to.write(bytes) unless @cut
            end
          rescue IOError, SystemCallError
            [from, to].each { |io| io.close unless io.closed? }
          end
        end
      end
    end
  end
end
