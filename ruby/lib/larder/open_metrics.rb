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

    # name of a family => [type, unit, help, field of Cache#stats, divisor]
    FAMILIES = {
      "larder_hits" => [:counter, nil, "Look-ups that found an entry.", :hits],
      "larder_misses" => [:counter, nil, "Look-ups that found none.", :misses],
      "larder_inserts" => [:counter, nil, "Entries stored under a key that had none.", :inserts],
      "larder_replaces" => [:counter, nil, "Entries stored in the place of another.", :replaces],
      "larder_deletes" => [:counter, nil, "Entries deleted.", :deletes],
      "larder_evictions" => [:counter, nil, "Entries that gave way to others.", :evicted],
      "larder_expirations" => [:counter, nil, "Entries removed after their time to live.", :expired],
      "larder_ghost_hits" => [:counter, nil, "Entries stored again soon after they were evicted.", :ghost_hits],
      "larder_packs" => [:counter, nil, "Values stored packed.", :packs],
      "larder_falls" => [:counter, nil, "Ready values that were packed, because memory was short.", :falls],
      "larder_rises" => [:counter, nil, "Packed values that were made ready again.", :rises],
      "larder_unpacks" => [:counter, nil, "Reads that unpacked a value.", :unpacks],
      "larder_deaths" => [:counter, nil, "Threads that died without leaving the store.", :deaths],
      "larder_recoveries" => [:counter, nil, "Deaths inside a write, which was undone.", :recoveries],
      "larder_repairs" => [:counter, nil, "Repairs that dropped damaged entries or messages.", :emptied_shards],
      "larder_memory_short" => [:counter, nil, "Times that the file system had no room for more memory of the store.", :memory_short],
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
    # the families with a label +cause+: [help, field of Cache#stats]. The field +FIELD_CAUSE+ has the number for each cause.
    CAUSES = {
      "larder_refusals" => ["Writes that the store could not take, by cause.", :refused],
      "larder_copies" => ["Reads answered with a copy, by what the thread held too much of or too long.", :copies]
    }.freeze
    private_constant :FAMILIES, :CAUSES

    # @param caches [Hash{String => Cache}] each cache with a name for the label +cache+
    # @return [String]
    def self.text(caches)
      all = caches.map { |name, cache| [labels(name, cache), cache.stats] }
      families = FAMILIES.map { |family, facts| self.family(family, all, *facts) }
      families += CAUSES.map { |family, facts| causes(family, all, *facts) }
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

    def self.causes(name, all, help, field)
      all.each_with_object(+"# TYPE #{name} counter\n# HELP #{name} #{help}\n") do |(labels, stats), text|
        total = stats[field] or next
        numbers = stats.filter_map { |key, number| [key[/\A#{field}_(.+)/, 1], number] if key.start_with?("#{field}_") }.to_h
        numbers.merge("other" => [total - numbers.values.sum, 0].max).each do |cause, number|
          text << "#{name}_total{#{labels},cause=\"#{cause}\"} #{number}\n"
        end
      end
    end

    def self.labels(name, cache)
      escaped = Larder.printable(name.to_s).gsub(/[\\"]/) { |part| "\\#{part}" }
      "cache=\"#{escaped}\",store=\"#{cache.pinned? ? "pinned" : "volatile"}\""
    end
    private_class_method :family, :causes, :labels
  end
end
