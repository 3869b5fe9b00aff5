# frozen_string_literal: true

# Makes values of every kind that a cache stores, many with repetitions, so that packing saves memory.
class RandomValues
  Point = Struct.new(:x, :y)
  WORDS = %w[alpha beta gamma delta äöü status created_at http://example.org/ 日本 null].freeze
  ENCODINGS = [Encoding::UTF_8, Encoding::BINARY, Encoding::US_ASCII, Encoding::UTF_16LE, Encoding::ISO_8859_1].freeze

  def initialize(seed)
    @random = Random.new(seed)
  end

  def next
    case @random.rand(10)
    when 0 then scalar
    when 1, 2 then string
    when 3, 4 then list
    when 5, 6 then hash
    when 7 then rows
    when 8 then nested(0)
    else [Point.new(scalar, text), Time.at(@random.rand(2**31)), 2**@random.rand(200), Rational(1, 3)] * @random.rand(1..20)
    end
  end

  # Returns true if two values are the same: 0.0 and -0.0 differ, NaN equals itself, and a String's encoding counts.
  def self.same?(one, other)
    return false unless one.class == other.class

    case one
    when Float then [one].pack("G") == [other].pack("G")
    when String then one == other && one.encoding == other.encoding
    when Array then one.size == other.size && one.zip(other).all? { |a, b| same?(a, b) }
    when Hash then same?(one.to_a, other.to_a)
    when Point then same?(one.to_a, other.to_a)
    else one == other
    end
  end

  private

  def scalar
    case @random.rand(8)
    when 0 then nil
    when 1 then @random.rand(2).zero?
    when 2 then @random.rand(-100..100)
    when 3 then @random.rand(-2**62..2**62)
    when 4 then [0.0, -0.0, 1 / 3.0, Float::INFINITY, Float::NAN, @random.rand].sample(random: @random)
    when 5 then :"name#{@random.rand(10)}"
    else text
    end
  end

  def text
    Array.new(@random.rand(6)) { WORDS.sample(random: @random) }.join(" ")
  end

  def string
    bytes = @random.rand(3).zero? ? @random.bytes(@random.rand(2000)) : (text + @random.rand(1000).to_s) * @random.rand(100)
    encoding = ENCODINGS.sample(random: @random)
    encoding == Encoding::UTF_8 ? bytes.dup.force_encoding(encoding) : bytes.b.force_encoding(encoding)
  end

  def list
    Array.new(@random.rand(200)) { scalar }
  end

  def hash
    Array.new(@random.rand(100)) { [[text, :"k#{@random.rand(50)}", @random.rand(1000)].sample(random: @random), scalar] }.to_h
  end

  def rows
    Array.new(@random.rand(50)) { |i| { id: i, "name" => text, price: @random.rand(10_000) / 100.0, active: i.even? } }
  end

  def nested(depth)
    return scalar if depth > 4 || @random.rand(6).zero?

    @random.rand(2).zero? ? Array.new(@random.rand(6)) { nested(depth + 1) } : Array.new(@random.rand(6)) { |i| ["k#{i}", nested(depth + 1)] }.to_h
  end
end
