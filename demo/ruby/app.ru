# frozen_string_literal: true

# The demonstration's application: looks items up in a cache, and computes what is not there.
#   /item?N   "N:VALUE:hit" or "N:VALUE:miss"
#   /count    "VALUE", one more each time
# DEMO_STORE: memory, file or larder.

require "active_support"
require "active_support/cache"
require "active_support/notifications"
require "digest/sha2" # before threads ask for it
require "rack"

# Compute an item, which takes some milliseconds.
class Item
  ROUNDS = 1000

  def self.compute(number)
    digest = number.to_s
    ROUNDS.times { digest = Digest::SHA256.hexdigest(digest) }
    { number: number, digest: digest, lines: Array.new(100) { |i| "#{digest}-#{i}" } }
  end
end

CACHE =
  case ENV.fetch("DEMO_STORE")
  when "memory" then ActiveSupport::Cache::MemoryStore.new(size: 64 * 2**20)
  when "file" then ActiveSupport::Cache::FileStore.new(ENV.fetch("DEMO_FOLDER"))
  when "larder" then ActiveSupport::Cache.lookup_store(:larder_store, size: 64 * 2**20)
  end

run(lambda do |env|
  body =
    case env["PATH_INFO"]
    when "/item"
      number = env["QUERY_STRING"].to_i
      state = "hit"
      item = CACHE.fetch("item/#{number}") do
        state = "miss"
        Item.compute(number)
      end
      good = item[:number] == number && item[:lines][99] == "#{item[:digest]}-99"
      good ? "#{number}:#{item[:digest][0, 16]}:#{state}" : "wrong"
    when "/count" then (CACHE.increment("requests") || (CACHE.write("requests", 1) && 1)).to_s
    else "ready"
    end
  [200, { "Content-Type" => "text/plain", "Content-Length" => body.bytesize.to_s }, [body]]
end)
