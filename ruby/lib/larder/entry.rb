# frozen_string_literal: true

module Larder
  # The facts of one entry, from {Cache#entry}.
  #
  # @!attribute key     [Object] the key that was given to {Cache#entry}
  # @!attribute value   [Object]
  # @!attribute ttl     [Float, nil] seconds until the entry expires, or nil if it does not expire
  # @!attribute version [Integer] for +set(cas:)+; it changes with each write. 0 if the value is an Integer
  # @!attribute flags   [Integer] 32 bits that the program may use
  # @!attribute form    [Symbol] +:ready+, or +:packed+ if each read unpacks the value
  Entry = Struct.new(:key, :value, :ttl, :version, :flags, :form)
end
