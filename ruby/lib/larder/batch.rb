# frozen_string_literal: true

module Larder
  # Operations that {Cache#batch} runs together. Each method records the operation of {Cache} with its name and arguments, and returns the
  # batch. Keys and values are copied at once.
  class Batch
    unless method_defined?(:run) # for the store in plain Ruby only, because the extension defines #run
      # @api private
      def initialize(cache)
        raise Error, "the batch has a cache" if @cache

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

      def get(*arguments) = call(:get, arguments, {}, nil)
      def delete(key) = call(:delete, [key], {}, nil)
      def key?(key) = call(:key?, [key], {}, nil)
      def set(key, value, **keywords) = call(:set, [key, value], keywords, nil)

      alias [] get
      alias []= set

      private def note(*call)
        raise Error, "the batch has been run" if @run

        @calls << call
        self
      end

      private def own(object) = yield(object)
    end

    def fetch(*arguments, **keywords, &block) = call(:fetch, arguments, keywords, block)
    def entry(key) = call(:entry, [key], {}, nil)
    def increment(*arguments, **keywords) = call(:increment, arguments, keywords, nil)
    def decrement(*arguments, **keywords) = call(:decrement, arguments, keywords, nil)
    def touch(key, **keywords) = call(:touch, [key], keywords, nil)

    alias length size

    # Copy the value first, because copying the key may run code that changes the value. Do not copy the default of a get,
    # because get must return this object itself.
    private def call(name, arguments, keywords, block)
      arguments[1] = own(arguments[1]) { |value| copy(value) } if name == :set && arguments.size > 1
      arguments[0] = own(arguments[0]) { |key| copy_key(key) } unless arguments.empty?
      note(name, arguments, keywords, block)
    end

    # Returns a copy, so that later changes of the object do not change the batch.
    private def copy(object)
      return object if Ractor.shareable?(object)

      String === object ? object.dup : Marshal.load(Marshal.dump(object))
    end

    private def copy_key(key)
      copy(key)
    rescue SystemStackError
      raise ArgumentError, "a key must not contain itself, nor be nested thousands deep"
    end
  end
end
