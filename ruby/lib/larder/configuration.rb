# frozen_string_literal: true

module Larder
  # The defaults of the options of {Cache#initialize}.
  Configuration = Struct.new(:name, :path, :size, :namespace, :pinned, :ttl, :flags, :form, :abi,
                             keyword_init: true) do
    # @return [Hash] the options that were set
    def given
      to_h.compact
    end
  end

  @defaults = {}.freeze

  class << self
    # Sets defaults for the caches that are opened from now on.
    # @example
    #   Larder.configure { |config| config.size = 256 * 2**20; config.ttl = 3600 }
    # @yieldparam config [Configuration]
    # @return [Hash] the defaults, frozen
    def configure
      configuration = Configuration.new(**@defaults)
      yield configuration
      @defaults = Ractor.make_shareable(configuration.given, copy: true)
    end

    # @return [Hash] the defaults that {configure} has set
    attr_reader :defaults
  end
end
