# frozen_string_literal: true

module Larder
  # The bytes of a String, lent to the block of {Cache#view}. Methods return copies of parts.
  #
  # When the block has ended, all methods of the view, its slices and its enumerators raise {ClosedError}, except {#null?}. A view cannot be
  # sent to another Ractor.
  #
  # A view has some of the methods of IO::Buffer. It is not an IO::Buffer, because an IO::Buffer could still read the memory after the block has
  # ended.
  class View
    include Comparable

    # The formats of String#unpack for the types of IO::Buffer#get_value. Upper case: big-endian.
    TYPES = { U8: "C", S8: "c", u16: "S<", U16: "S>", s16: "s<", S16: "s>", u32: "L<", U32: "L>", s32: "l<", S32: "l>",
              u64: "Q<", U64: "Q>", s64: "q<", S64: "q>", f32: "e", F32: "g", f64: "E", F64: "G" }.freeze
    SIZES = TYPES.to_h { |type, _| [type, type[/\d+/].to_i / 8] }.freeze
    PIECE = 65_536 # maximum number of bytes that are copied and written at one time
    private_constant :TYPES, :SIZES, :PIECE

    # @!method size
    #   @return [Integer] the number of bytes
    # @!method null?
    #   @return [Boolean] true if the block has ended, so that the view cannot be read any more
    # @!method get_string(offset = 0, length = nil, encoding = Encoding::BINARY)
    #   @param length [Integer, nil] bytes, or nil for all bytes that follow
    #   @return [String] a copy of the bytes
    #   @raise [ArgumentError, TypeError] the message names the argument
    # @!method slice(offset = 0, length = nil)
    #   @return [View] a view of a part of these bytes. It copies nothing, and ends when this view ends.
    # @!method getbyte(index)
    #   @return [Integer, nil] the byte at the index, as String#getbyte returns it
    # @!method byteindex(string, offset = 0)
    #   @return [Integer, nil] the offset at which the bytes of the String begin, or nil if the view does not contain them
    # @!method <=>(other)
    #   @param other [String, View]
    #   @return [Integer, nil] the result of comparing the bytes; the encoding does not matter

    def empty?
      size.zero?
    end

    # @param type [Symbol] as for IO::Buffer#get_value, such as +:U8+, +:u32+ (little-endian), +:F64+ (big-endian)
    # @param offset [Integer] bytes
    # @return [Integer, Float]
    # @raise [ArgumentError, TypeError] the message names the argument
    def get_value(type, offset)
      format = TYPES[type] or raise ArgumentError, "type must be one of #{TYPES.keys.join(", ")}, not #{type.inspect}"
      get_string(offset, SIZES[type]).unpack1(format)
    end

    # @param types [Array<Symbol>] the types of the values, which lie one after another
    # @param offset [Integer] the offset of the first value in bytes
    # @return [Array<Integer, Float>]
    # @raise [ArgumentError, TypeError] the message names the argument
    # @see #get_value
    def get_values(types, offset)
      raise TypeError, "types must be an Array, not #{types.class}" unless types.is_a?(Array)

      types.map do |type|
        value = get_value(type, offset)
        offset += SIZES[type]
        value
      end
    end

    # @yieldparam byte [Integer]
    def each_byte
      return enum_for(:each_byte) { size } unless block_given?

      size.times { |index| yield getbyte(index) }
      self
    end

    # @param prefix [String]
    # @raise [TypeError] the message names the argument
    def start_with?(prefix)
      raise TypeError, "prefix must be a String, not #{prefix.class}" unless prefix.is_a?(String)

      prefix.bytesize <= size && slice(0, prefix.bytesize) == prefix
    end

    # Writes all bytes. Copies only a small part at a time.
    # @param io [#write]
    # @return [Integer] the number of written bytes
    # @raise [TypeError] the message names the argument
    def write_to(io)
      raise TypeError, "io must have a method write, not be #{io.class}" unless io.respond_to?(:write)

      0.step(size - 1, PIECE).sum { |offset| io.write(get_string(offset, [PIECE, size - offset].min)) }
    end

    def inspect
      "#<#{self.class} #{null? ? "ended" : "of #{Larder.counted(size, "byte")}"}>"
    end
  end
end
