# frozen_string_literal: true

module Larder
  # The result of {Cache#entry}: the facts of one entry.
  #
  # @!attribute key     [Object] the key that was given to {Cache#entry}
  # @!attribute value   [Object]
  # @!attribute ttl     [Float, nil] seconds it has to live; nil: for ever
  # @!attribute version [Integer] for +set(cas:)+; another one after each change. 0: an Integer, which changes in place
  # @!attribute flags   [Integer] 32 bits of the user's own
  # @!attribute form    [Symbol] +:ready+, or +:packed+: each read unpacks it
  Entry = Struct.new(:key, :value, :ttl, :version, :flags, :form)
end
