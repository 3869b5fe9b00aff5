# frozen_string_literal: true

module Larder
  # Operations that {Cache#batch} runs together. Each method has the arguments of the method of {Cache} with its name, notes
  # the operation and returns the batch. Keys and small values are taken as they are then.
  class Batch
    # What the extension does not note by itself.
    names = %i[fetch entry increment decrement touch]
    unless method_defined?(:run)
      names += %i[get set delete key?]

      # The store in plain Ruby.
      # @api private
      def initialize(cache)
        @cache = cache
        @calls = []
      end

      # @return [Integer] operations so far
      def size
        @calls.size
      end

      # @api private
      def run
        raise Error, "the batch has been run" if @run

        @run = true
        @calls.map do |name, arguments, keywords, block|
          @cache.public_send(name, *arguments, **keywords, &block)
        end
      end

      private def call(*call)
        raise Error, "the batch has been run" if @run

        @calls << (call[0] == :set ? [:set, [call[1][0], Marshal.load(Marshal.dump(call[1][1]))], *call[2..]] : call)
        self
      end
    end

    names.each do |name|
      define_method(name) do |*arguments, **keywords, &block|
        call(name, arguments, keywords, block)
      end
    end

    unless method_defined?(:[])
      alias [] get
      alias []= set
    end
    alias length size
  end
end
