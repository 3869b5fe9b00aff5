# frozen_string_literal: true

require "tier_helper"
require "socket"

begin
  require "redis"
  require "larder/tier"
rescue LoadError => e
  warn "rails_tier_test: skipped, #{e.message}"
end

module Larder
  # Tests Larder::Tier in a Rails application on two hosts. A host is a network namespace with Puma, two workers and a larder-sync. The
  # server is in a third namespace. Pages are requested through sockets in the file system, which no cut link affects.
  class RailsTierTest < TestCase
    include TierHelper

    HOSTS = { "a" => 1, "b" => 2 }.freeze
    WORKERS = 2
    BOUND = 1.0
    BATCH = 20 # pages
    # Put this before a command. Its process then ends when the test ends, even if the test is killed.
    TIED = %w[setpriv --pdeathsig KILL].freeze

    # A page of the application: its text, the pid of its worker, and true if the worker used local copies.
    Page = Struct.new(:line, :worker, :local)

    # +written+ is an Array with [number, time] for each confirmed write to the key, the newest last.
    History = Struct.new(:key, :written)

    def setup
      super
      skip "ip, nsenter, unshare or setpriv is missing" unless %w[ip nsenter unshare setpriv].all? { |name| command?(name) }
      skip "Rails or Puma is missing" unless system(RbConfig.ruby, "-e", 'require "action_controller/railtie"; require "puma"', err: File::NULL)
      skip "network namespaces are not permitted" unless quietly(*%w[unshare --net ip link add to type veth peer name from])

      @random = Random.new(Minitest.respond_to?(:seed) && Minitest.seed ? Minitest.seed : 1)
      connect
      start_server("--protected-mode", "no", "--bind", *HOSTS.each_value.map { |number| "10.77.#{number}.1" }, within: within("net"))
      @pumas = HOSTS.keys.to_h { |host| [host, start_host(host)] }
      HOSTS.each_key { |host| eventually { workers(host).size == WORKERS && local?(host) } }
    end

    # The workers of a killed Puma end later than Puma. Kill them first, because they use the folder that is removed here.
    def teardown
      @pumas&.each do |host, pid|
        orphans = workers(host)
        stop(pid)
        orphans.each { |worker| kill_if_there(worker) }
      end
      super
    end

    def kill_if_there(pid)
      Process.kill(:KILL, pid)
    rescue Errno::ESRCH
      nil
    end

    def command?(name) = ENV["PATH"].split(":").any? { |folder| File.executable?("#{folder}/#{name}") }

    def quietly(*command) = system(*command, %i[out err] => File::NULL)

    # Makes the namespaces and connects them. A namespace ends with its last process.
    def connect
      @spaces = ["net", *HOSTS.keys].to_h { |space| [space, start(*TIED, "unshare", "--net", "sleep", "infinity")] }
      mine = File.readlink("/proc/self/ns/net")
      @spaces.each_value { |pid| eventually { File.readlink("/proc/#{pid}/ns/net") != mine } }
      HOSTS.each do |host, number|
        ip("net", "link", "add", "to-#{host}", "type", "veth", "peer", "name", "eth", "netns", @spaces[host].to_s)
        ip("net", "addr", "add", "10.77.#{number}.1/24", "dev", "to-#{host}")
        ip(host, "addr", "add", "10.77.#{number}.2/24", "dev", "eth")
        ip(host, "link", "set", "eth", "up")
        ip(host, "link", "set", "lo", "up")
        link(host, "up")
      end
    end

    def within(space) = [*TIED, "nsenter", "--target", @spaces[space].to_s, "--net"]

    def ip(space, *command) = assert(system(*within(space), "ip", *command), "ip #{command.join(" ")}")

    # Cuts or mends the link of a host. The server's end of the link is cut, so that the host's packets are lost without an error.
    def link(host, state) = ip("net", "link", "set", "to-#{host}", state)

    def start_host(host)
      server = "redis://10.77.#{HOSTS[host]}.1:6379"
      start_sync(host, "--server=#{server}", "--bound=#{BOUND}", "--size=#{4 * 2**20}", within: within(host))
      environment = { "RAILS_ENV" => "production", "HOST_LOG" => "#{@folder}/#{host}.log", "HOST_PATH" => path_of(host), "HOST_SERVER" => server }
      start(environment, *within(host), RbConfig.ruby, *$LOAD_PATH.map { |folder| "-I#{folder}" }, "-rpuma/cli", "-e", "Puma::CLI.new(ARGV).run",
            "--", "--quiet", "--workers", WORKERS.to_s, "--threads", "2:2", "--bind", "unix://#{@folder}/#{host}.sock",
            "#{__dir__}/rails_tier.ru", %i[out err] => "#{@folder}/#{host}.puma")
    end

    def workers(host)
      pid = @pumas[host]
      File.read("/proc/#{pid}/task/#{pid}/children").split.map(&:to_i)
    rescue Errno::ENOENT # Puma has ended
      []
    end

    # @return [Page, nil] nil if the worker was killed meanwhile, or Puma does not listen yet
    def page(host, name, key, number = nil)
      socket = UNIXSocket.new("#{@folder}/#{host}.sock")
      socket.write("GET /#{name}?key=#{key}&number=#{number} HTTP/1.0\r\nHost: #{host}\r\n\r\n")
      text = +""
      loop do
        flunk "Puma of #{host} does not answer" unless socket.wait_readable(PATIENCE)
        text << (socket.read_nonblock(65_536, exception: false) || break)
      end
      head, body = text.split("\r\n\r\n", 2)
      return nil if body.nil? || body.empty?

      assert_match(%r{\AHTTP/1.\d 200 OK}, head, -> { tail_of_log(host) })
      assert_match(/\A<p>#{key}: .*<\/p>\z/, body)
      Page.new(body[/: (.*)<\/p>/, 1], head[/^X-Worker: (\d+)/i, 1].to_i, head[/^X-Local: true/i] != nil)
    rescue Errno::ECONNRESET, Errno::EPIPE, Errno::ECONNREFUSED, Errno::ENOENT
      nil
    ensure
      socket&.close
    end

    def tail_of_log(host) = File.exist?(log = "#{@folder}/#{host}.log") ? File.readlines(log).last(15).join : "no log"

    def line(...) = eventually { page(...) }.line

    def local?(host) = page(host, "read", "none")&.local

    # Waits until every worker of a host has shown a page with the line `expected`.
    def assert_shown(expected, host, name, key)
      seen = {}
      eventually do
        found = page(host, name, key)
        seen[found.worker] = found.line
        seen.values_at(*workers(host)) == [expected] * WORKERS
      end
    end

    def test_pages_of_both_hosts_agree
      assert_equal "true", line("a", "write", "item", 1)
      HOSTS.each_key { |host| assert_shown("1", host, "read", "item") }
      HOSTS.each_key { |host| assert_read_from_memory(host, "item") }
      assert_equal "true", line("b", "write", "item", 2)
      HOSTS.each_key { |host| assert_shown("2", host, "read", "item") }
      assert_equal "3", line("a", "fetch", "computed", 3)
      HOSTS.each_key { |host| assert_equal "3", line(host, "fetch", "computed", 4) }
      assert_equal "true", line("b", "remove", "item")
      HOSTS.each_key { |host| assert_shown("nil", host, "read", "item") }
      builder = line("a", "fragment", "part")
      HOSTS.each_key { |host| assert_shown(builder, host, "fragment", "part") }
    end

    # Checks that all workers make pages from copies, without a request to the server.
    def assert_read_from_memory(host, key)
      eventually do # under load larder-sync may be late; the server is then asked once more
        before = reads
        asked = Array.new(BATCH) { page(host, "read", key).worker }
        asked.uniq.size == WORKERS && reads == before
      end
    end

    # One host writes, and both hosts read. One host loses its link, and workers of both hosts are killed. No page may show a number that
    # was overwritten more than BOUND seconds before the request.
    def test_no_page_is_stale_beyond_the_bound
      @stale = @killed = @looks = 0
      @old = Hash.new(0)
      HOSTS.keys.permutation(2) { |writer, cut| watch(writer, cut) }
      assert_equal 0, @stale, "stale pages of #{@looks}, with #{@killed} workers killed"
    end

    def watch(writer, cut)
      @history = History.new("#{writer}-0", [])
      @done = false
      @pausing = Mutex.new
      writing = Thread.new { write(writer) }
      writing.report_on_exception = false
      old = @old[cut]
      look_until do # a machine may be too busy to request a page within the bound
        round(cut)
        @old[cut] > old
      end
      mended = line(cut, "read", @history.key)
      look_until { line(cut, "read", @history.key) != mended }
      @done = true
      writing.value
      eventually { page(writer, "write", "#{writer}-end", 5).line == "true" }
      HOSTS.each_key { |host| assert_shown("5", host, "read", "#{writer}-end") }
    ensure
      @done = true
      writing&.join
    end

    def round(cut)
      HOSTS.each_key { |host| kill(host) }
      look_until { HOSTS.keys.map { |host| look(host)&.local }.all? && @history.written.size > BATCH }
      @pausing.synchronize do
        look_until { asks_nothing { look(cut)&.local } } # the host has a copy
        link(cut, "down")
      end
      look_until { look(cut)&.local == false }
      kill(cut)
      5.times { HOSTS.each_key { |host| look(host) } } # a page of the host that is cut waits for the server, in vain
      link(cut, "up")
      look_until { HOSTS.keys.map { |host| look(host)&.local }.all? }
    end

    # After a write without an answer, the last number of its key is unknown, so go on with another key.
    def write(host)
      number = 0
      until @done
        number += 1
        @pausing.synchronize do
          if page(host, "write", @history.key, number)&.line == "true"
            @history.written << [number, now]
          else
            @history = History.new("#{host}-#{number}", [])
          end
        end
        sleep 0.005
      end
    end

    # Calls the block, which requests pages by #look, until it returns true.
    def look_until
      give_up = now + PATIENCE
      flunk "nothing within #{PATIENCE} s" if now > give_up until yield
    end

    # @return [Boolean] true if the block returns true, and the server was not asked meanwhile
    def asks_nothing
      before = reads
      yield && reads == before
    end

    # Requests a page, and counts it if its number is old.
    # @return [Page, nil]
    def look(host)
      history = @history
      begun = now
      written = history.written.dup
      found = page(host, "read", history.key)
      return found if found.nil? || found.line == "nil"

      number = Integer(found.line)
      newest = written.last&.first
      least = written.reverse_each.find { |_, at| at < begun - BOUND }&.first
      @looks += 1
      @old[host] += 1 if newest && number < newest
      @stale += 1 if least && number < least
      found
    end

    # Kills a worker. Puma starts another one.
    def kill(host)
      eventually { Process.kill(:KILL, workers(host).sample(random: @random)) }
      @killed += 1
    end
  end
end
