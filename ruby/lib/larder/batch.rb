# frozen_string_literal: true

module Larder
  # Operations that {Cache#batch} runs together. Each method notes its operation and returns the batch.
  class Batch
    # @api private
    def initialize(cache)
      @cache = cache
      @operations = []
    end

    # @return [Integer] operations so far
    def size
      @operations.size
    end
    alias length size

    # The methods of {Cache} with the same names; +[]=+ is set.
    %i[get set fetch delete key? entry increment decrement touch].each do |name|
      define_method(name) do |*arguments, **options, &block|
        @operations << [name, arguments, options, block]
        self
      end
    end
    alias [] get
    alias []= set

    # @api private
    def run
      @operations.map do |name, arguments, options, block|
        @cache.public_send(name, *arguments, **options, &block)
      end
    end
  end
end
