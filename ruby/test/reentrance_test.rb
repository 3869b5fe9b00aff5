# frozen_string_literal: true

require_relative "helper"

# Ruby code that runs while a value is read closes the cache. Each case runs in a child, which must not crash.
class ReentranceTest < Larder::TestCase
  # The child has not loaded the value's encoding (EUC-KR). To find the file of the encoding, Ruby calls #to_path of the objects in
  # $LOAD_PATH. One of them is a Closing, whose #to_path closes the cache.
  SCRIPT = <<~'RUBY'
    require "larder"

    Closing = Struct.new(:cache, :asked) do
      def to_path
        self.asked = true
        cache.close
        "/nowhere"
      end
    end

    reads = {
      "get" => ->(cache) { cache.get("key") },
      "[]" => ->(cache) { cache["key"] },
      "fetch" => ->(cache) { cache.fetch("key") },
      "take" => ->(cache) { cache.take("key") },
      "entry" => ->(cache) { cache.entry("key").value },
      "unreadable" => ->(cache) { cache.unreadable("key").inspect },
      "get_multi" => ->(cache) { cache.get_multi("key")["key"] },
      "each" => ->(cache) { cache.each { |_, value| break value } },
      "batch" => ->(cache) { cache.batch { |batch| batch.get("key") }.first },
      "batch that goes on" => ->(cache) { cache.batch { |batch| (batch.get("key"); batch.get("key")) } },
      "batch with a call" => ->(cache) { cache.batch { |batch| (batch.get("none"); batch.entry("key")) }.last.value },
      "unknown" => ->(cache) { cache.get("unknown").inspect }
    }
    cache = Larder::Cache.new
    cache.send(:set_raw, "unknown", 163, "\x06NO-ONEabc".b) # LRD_COMMON_ENCODED
    [5, 100_000].each do |size|
      Process.wait(fork { cache.set("key", "a".encode("EUC-KR") * size) })
      reads.each do |name, read|
        pid = fork do
          closing = Closing.new(cache)
          $LOAD_PATH.unshift(closing)
          value = begin
            read.call(cache)
          rescue Larder::ClosedError
            "closed"
          end
          print name, closing.asked ? " " : " did not load it ", value == ("a" * size).encode("EUC-KR") ? "good" : value[0, 20], "\n"
          $stdout.flush
          exit!(0)
        end
        print name, " crashed\n" unless Process.wait2(pid).last.success?
        $stdout.flush
      end
    end
  RUBY

  def test_an_encoding_that_is_loaded_while_a_value_is_read
    shared_only
    libraries = $LOAD_PATH.grep(%r{/(build/)?ruby(-asan|-musl)?/lib}).flat_map { |path| ["-I", path] }
    seen = IO.popen([Gem.ruby, "-W0", "--disable=gems", *libraries, "-e", SCRIPT], &:read)
    expected = ["get good", "[] good", "fetch good", "take closed", "entry good", "unreadable nil", "get_multi good", "each good",
                "batch good", "batch that goes on closed", "batch with a call good", "unknown nil"]
    assert_equal expected * 2, seen.lines(chomp: true)
  end

  # A Hash calls eql? for two keys only if a certain byte of their hash codes is equal, as in one of 256 pairs. So this test stores many keys.
  def test_methods_that_are_called_while_a_hash_is_read
    cache = new_cache
    hashes = Array.new(300) { |i| Array.new(8) { |j| [2**62 + 8 * i + j, "value #{j}"] }.to_h }
    hashes.each_with_index { |hash, i| cache.set("key#{i}", hash) }
    [->(i) { cache.get("key#{i}") }, ->(i) { cache.entry("key#{i}").value }, ->(_) { cache.to_a },
     ->(i) { cache.batch { |batch| batch.get("key#{i}") }.first }].each do |read|
      outcome = in_child do
        closing = TracePoint.new(:c_call) { |point| cache.close if point.method_id == :eql? }
        hashes.each_index do |i|
          got = closing.enable { read.call(i) }
          raise "wrong: #{got}" unless got == hashes[i] || got.is_a?(Array)
        rescue Larder::ClosedError
          break
        end
        :whole
      end
      assert_equal :whole, outcome
    end
  end

  # A write encodes the value first, and then makes the key. Making the key runs Ruby code, which searches for the String with the encoded
  # value.
  def test_nobody_finds_the_bytes_that_are_stored_while_the_key_is_made
    key = Class.new do
      def marshal_dump
        ObjectSpace.each_object(String) do |string|
          string.setbyte(-10, 65) if !string.frozen? && string.getbyte(0) == 4 && string.bytesize.between?(100_010, 100_050)
        end
        "key"
      end

      def marshal_load(_) = nil
    end
    self.class.const_set(:Key, key)
    value = [["needle of #{"x" * 100_000}"]]
    cache = new_cache
    cache.set(key.new, value)
    assert cache.map { |_, found| found } == [value], "the value is another one"
  ensure
    self.class.send(:remove_const, :Key)
  end
end
