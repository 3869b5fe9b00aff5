# frozen_string_literal: true

require "larder"

module Larder
  # Prints the statistics of caches in the text format of OpenMetrics 1.0, for the alert rules and the Grafana dashboard of
  # +ops/monitoring+.
  #
  # @example a route of Rails that Prometheus scrapes
  #   get "/metrics", to: ->(_) { [200, { "content-type" => Larder::OpenMetrics::TYPE }, [Larder::OpenMetrics.text("rails" => Rails.cache.cache)]] }
  module OpenMetrics
    TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    # the families by name: [type, unit, help, field of Cache#stats, divisor]
    FAMILIES = {
      "larder_hits" => [:counter, nil, "Look-ups that found an entry.", :hits],
      "larder_misses" => [:counter, nil, "Look-ups that found none.", :misses],
      "larder_inserts" => [:counter, nil, "Entries stored under a key that had none.", :inserts],
      "larder_replaces" => [:counter, nil, "Entries stored in the place of another.", :replaces],
      "larder_deletes" => [:counter, nil, "Entries deleted.", :deletes],
      "larder_evictions" => [:counter, nil, "Entries that gave way to others.", :evicted],
      "larder_expirations" => [:counter, nil, "Entries removed after their time to live.", :expired],
      "larder_refusals" => [:counter, nil, "Writes that the store could not take.", :refused],
      "larder_copies" => [:counter, nil, "Reads answered with a copy, because too much was held.", :copies],
      "larder_deaths" => [:counter, nil, "Threads that died without leaving the store.", :deaths],
      "larder_recoveries" => [:counter, nil, "Deaths inside a write, which was undone.", :recoveries],
      "larder_busy" => [:counter, nil, "Calls that did not get a lock in time.", :busy],
      "larder_size_bytes" => [:gauge, "bytes", "Size of the store.", :size],
      "larder_used_bytes" => [:gauge, "bytes", "Memory of live entries.", :live_bytes],
      "larder_claimed_bytes" => [:gauge, "bytes", "Memory in pages that are in use.", :page_bytes],
      "larder_entries" => [:gauge, nil, "Live entries.", :entries],
      "larder_packed_entries" => [:gauge, nil, "Live entries that are packed.", :packed_entries],
      "larder_threads" => [:gauge, nil, "Threads that use the store.", :slots_used],
      "larder_uptime_seconds" => [:gauge, "seconds", "Time since the store was created.", :age_ms, 1000.0],
      "larder_evicted_age_seconds" => [:gauge, "seconds", "Age of entries evicted lately.", :evicted_age_ms, 1000.0]
    }.freeze
    private_constant :FAMILIES

    # @param caches [Hash{String => Cache}] each cache with a name for the label +cache+
    # @return [String]
    def self.text(caches)
      all = caches.map { |name, cache| [labels(name, cache), cache.stats] }
      families = FAMILIES.map { |family, facts| self.family(family, all, *facts) }
      "#{families.join}# TYPE larder_up gauge\n# HELP larder_up 1 if the process that was asked can use the store, else 0.\n" \
        "#{all.map { |labels, _| "larder_up{#{labels}} 1\n" }.join}# EOF\n"
    end

    def self.family(name, all, type, unit, help, field, divisor = nil)
      head = "# TYPE #{name} #{type}\n#{"# UNIT #{name} #{unit}\n" if unit}# HELP #{name} #{help}\n"
      all.each_with_object(head) do |(labels, stats), text|
        number = stats[field] or next # the store in plain Ruby has fewer statistics
        text << "#{name}#{"_total" if type == :counter}{#{labels}} #{divisor ? number / divisor : number}\n"
      end
    end

    def self.labels(name, cache)
      escaped = Larder.printable(name.to_s).gsub(/[\\"]/) { |part| "\\#{part}" }
      "cache=\"#{escaped}\",store=\"#{cache.pinned? ? "pinned" : "volatile"}\""
    end
    private_class_method :family, :labels
  end
end
