# frozen_string_literal: true

require_relative "helper"
require "fileutils"
require "tmpdir"

# Reads damaged blocks, which the private method set_raw has written.
class DamageTest < Larder::TestCase
  TYPES = [0, 1, 2, 3, 128, 129, 130, 131, 132, 133, 150, *160..168, 254].freeze

  def setup
    shared_only
    @cache = new_cache(size: 2**20)
    @random = Random.new(1)
  end

  def put(type, bytes)
    @cache.send(:set_raw, "key", type, bytes)
  end

  # Marshal may raise any of these exceptions for damaged data.
  def read
    @cache.get("key", :missing)
  rescue StandardError, NoMemoryError
    :raised
  end

  def test_random_bytes_of_every_type
    TYPES.each do |type|
      next if type == 167

      300.times do |i|
        put(type, @random.bytes(i % 40))
        read
        @cache.entry("key")
        @cache.unreadable("key")
        @cache.to_a
      end
    end
    assert_empty @cache.fsck
  end

  def test_fsck_says_what_is_wrong
    path = File.join(Dir.mktmpdir("larder"), "cache")
    cache = new_cache(path: path, size: 2**20)
    100.times { |i| cache.set("key#{i}", "value") }
    texts = []
    File.open(path, "r+b") do |file|
      words = file.read(65_536).unpack("Q*")
      words.each_index.drop(512).select { |i| words[i].between?(5, 40) }.each do |i|
        file.pwrite([words[i] + 1].pack("Q"), i * 8)
        texts = cache.fsck
        file.pwrite([words[i]].pack("Q"), i * 8)
        break if texts.any?
      end
    end
    assert_match(/\Ashard 0: /, texts.first)
    assert_empty cache.fsck
  ensure
    FileUtils.rm_rf(File.dirname(path))
  end

  def test_values_that_are_cut_or_changed
    originals = { array: [1, "text", :symbol, nil, 2.5, "x" * 200, -2**60], hash: { a: 1, "b" => [1, 2].first, nil => "long" * 50 } }
    { 165 => originals[:array], 166 => originals[:hash] }.each do |type, value|
      @cache.set("key", value)
      bytes = @cache.send(:get_raw, "key")
      (0...bytes.bytesize).each do |length|
        put(type, bytes.byteslice(0, length))
        assert_equal :missing, read, "cut to #{length} bytes"
      end
      500.times do
        changed = bytes.dup
        changed.setbyte(@random.rand(bytes.bytesize), @random.rand(256))
        put(type, changed)
        read
      end
      put(type, bytes)
      assert_equal value, read
    end
  end

  def test_marshal_text_that_is_damaged_raises_and_leaks_nothing
    @cache.set("key", [["x" * 20_000]])
    bytes = @cache.send(:get_raw, "key")
    50.times do
      put(167, bytes.byteslice(0, @random.rand(bytes.bytesize)))
      assert_equal :raised, read
    end
    assert_nothing_held @cache
  end
end
