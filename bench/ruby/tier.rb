# frozen_string_literal: true

# Measures the CPU time of a read by Larder::Tier, LarderStore and RedisCacheStore. Larder::Tier reads an entry that this host already has.
# Prints medians of interleaved rounds, and the ratio to LarderStore. Starts its own redis-server and larder-sync.
#
#   ruby -Ibuild/ruby/lib -Iruby/lib bench/ruby/tier.rb [ROUNDS]

require "redis"
require "tmpdir"
require "larder/tier"
require "active_support/cache/larder_store"

READS = 20_000
VALUES = { "small" => "value", "page" => "x" * 20_000, "hash" => { "id" => 1, "tags" => %w[a b c], "at" => Time.now } }.freeze

def cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)

def measured(reads, store, name)
  from = cpu
  reads.times { store.read(name) }
  (cpu - from) / reads * 1e9
end

def wait
  (1..6000).each do
    return if yield

    sleep 0.01
  end
  abort "tier.rb: nothing within a minute"
end

def compare(stores, rounds)
  VALUES.each do |name, value|
    stores.each_value { |store| store.write(name, value) }
    stores.each_value { |store| store.read(name) }
    times = Hash.new { |all, store| all[store] = [] }
    rounds.times { stores.each { |label, store| times[label] << measured(label == "RedisCacheStore" ? READS / 100 : READS, store, name) } }
    medians = times.transform_values { |all| all.sort[all.size / 2] }
    medians.each { |label, ns| puts format("%-8s %-16s %9.0f ns  %6.2f times", name, label, ns, ns / medians["LarderStore"]) }
  end
end

Dir.mktmpdir do |folder|
  socket = "#{folder}/redis.sock"
  path = "/dev/shm/larder-bench-#{Process.pid}"
  started = [spawn("redis-server", "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder, out: File::NULL)]
  begin
    wait { File.socket?(socket) }
    started << spawn(RbConfig.ruby, *$LOAD_PATH.grep(/ruby/).map { |lib| "-I#{lib}" }, File.expand_path("../../ruby/exe/larder-sync", __dir__),
                     "--path=#{path}", "--server=unix:#{socket}", "--prefix=app:", "--bound=60")
    redis = ActiveSupport::Cache::RedisCacheStore.new(url: "unix://#{socket}", namespace: "app")
    tier = Larder::Tier.new(redis, path: path)
    wait { tier.local? }
    larder = ActiveSupport::Cache::LarderStore.new(namespace: "app", expires_in: nil)
    compare({ "LarderStore" => larder, "Tier" => tier, "RedisCacheStore" => redis }, Integer(ARGV.fetch(0, 15)))
    abort "tier.rb: larder-sync has lost the server" unless tier.local?
  ensure
    started.each { |pid| Process.kill(:KILL, pid) && Process.wait(pid) }
    [path, "#{path}.lock"].each { |file| File.delete(file) if File.exist?(file) }
  end
end
