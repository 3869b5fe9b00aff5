# frozen_string_literal: true

require "socket"
require "uri"

module Larder
  module Hosts
    # Raised if the server does not answer, or refuses a command.
    class ServerFailure < StandardError; end

    # A connection to Redis or Valkey (RESP2). Every wait has a time limit.
    # @api private
    class Line
      CHUNK = 65_536
      SCHEMES = %w[redis rediss tcp tls unix].freeze
      private_constant :CHUNK, :SCHEMES

      # @return [URI::Generic] the parsed address
      # @raise [ArgumentError] if the text is not the address of a server
      def self.address(text)
        uri = URI.parse(text)
        right = uri.scheme == "unix" ? !uri.path.to_s.empty? : host_and_database?(uri)
        return uri if SCHEMES.include?(uri.scheme) && right

        raise ArgumentError, "server must be like redis://10.0.0.1:6379, rediss://10.0.0.1:6379 or unix:/run/redis.sock, not #{text}"
      rescue URI::InvalidURIError
        raise ArgumentError, "server must be like redis://10.0.0.1:6379, rediss://10.0.0.1:6379 or unix:/run/redis.sock, not #{text}"
      end

      # Ruby takes a port modulo 65,536, so a port that is too large would lead to another server.
      def self.host_and_database?(uri)
        !uri.host.to_s.empty? && (uri.port.nil? || uri.port.between?(1, 65_535)) && uri.path.to_s.match?(%r{\A(/\d*)?\z})
      end
      private_class_method :host_and_database?

      # @param uri [URI::Generic] the result of {.address}. It may contain a user and a password; its path is the number of the database.
      # @param timeout [Float] maximum seconds to connect, and to wait for each answer
      def initialize(uri, timeout, ca_file: nil)
        @timeout = timeout
        @buffer = String.new(capacity: CHUNK, encoding: Encoding::BINARY)
        @socket = connect(uri, ca_file)
        log_in(uri)
      rescue *failures => e
        close
        raise ServerFailure, e.message
      rescue ServerFailure
        close
        raise
      end

      def close
        @socket&.close
      rescue *failures
        nil
      end

      def send(*words)
        text = "*#{words.size}\r\n".b
        words.each { |word| text << "$#{word.bytesize}\r\n" << word.b << "\r\n" }
        give_up = now + @timeout
        until text.empty?
          sent = @socket.write_nonblock(text, exception: false)
          if sent.is_a?(Integer)
            text = text.byteslice(sent..)
          else
            wait_for(sent, give_up - now) || raise(ServerFailure, "the connection takes nothing")
          end
        end
      rescue *failures => e
        raise ServerFailure, "the connection was lost: #{e.message}"
      end

      # @return the next message: a String (also for an error), an Integer, an Array or nil
      def read
        give_up = now + @timeout
        until waits?([give_up - now, 0].max)
          raise ServerFailure, format("no answer for %.1f s", @timeout) if now >= give_up
        end
        message = @message.first
        @message = nil
        message
      end

      # Waits for a message.
      # @return [Boolean] false if no message has arrived within +seconds+, or if a signal has arrived
      def waits?(seconds)
        return true if @message || parse

        state = @socket.read_nonblock(CHUNK, exception: false)
        if state.is_a?(Symbol)
          return false unless wait_for(state, seconds)

          state = @socket.read_nonblock(CHUNK, exception: false)
          return false if state.is_a?(Symbol) # only a part of a TLS record has arrived
        end
        raise ServerFailure, "the connection was lost" if state.nil?

        @buffer << state
        parse
      rescue *failures => e
        raise ServerFailure, "the connection was lost: #{e.message}"
      end

      def expect(wanted)
        answer = read
        raise ServerFailure, "the server refused: #{answer}" unless answer == wanted
      end

      private

      # Returns the exceptions that sockets raise. OpenSSL raises its own for an improper end of TLS.
      def failures
        [SystemCallError, SocketError, IOError, *(defined?(OpenSSL::SSL::SSLError) && OpenSSL::SSL::SSLError)]
      end

      def connect(uri, ca_file)
        return UNIXSocket.new(uri.path) if uri.scheme == "unix"

        socket = Socket.tcp(uri.host.delete("[]"), uri.port || 6379, connect_timeout: @timeout)
        socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
        %w[rediss tls].include?(uri.scheme) ? encrypt(socket, uri.host, ca_file) : socket
      end

      def encrypt(socket, host, ca_file)
        require "openssl"
        context = OpenSSL::SSL::SSLContext.new
        context.set_params(ca_file ? { ca_file: ca_file } : {})
        encrypted = OpenSSL::SSL::SSLSocket.new(socket, context)
        encrypted.hostname = host
        encrypted.sync_close = true
        give_up = now + @timeout
        while (state = encrypted.connect_nonblock(exception: false)).is_a?(Symbol)
          @socket = encrypted
          wait_for(state, give_up - now) || raise(ServerFailure, "no answer to TLS")
        end
        encrypted.post_connection_check(host)
        encrypted
      rescue OpenSSL::SSL::SSLError => e
        socket.close
        raise ServerFailure, "TLS: #{e.message}"
      end

      def log_in(uri)
        user = uri.user && URI.decode_www_form_component(uri.user)
        password = uri.password && URI.decode_www_form_component(uri.password)
        if password
          send(*["AUTH", user.to_s.empty? ? nil : user, password].compact)
          expect("OK")
        end
        database = uri.scheme == "unix" ? nil : uri.path.to_s[%r{\A/(\d+)\z}, 1]
        return unless database && database != "0"

        send("SELECT", database)
        expect("OK")
      end

      # @return [Boolean] false if the socket was not ready within +seconds+
      def wait_for(state, seconds)
        seconds = [seconds, 0].max
        io = @socket.to_io
        !(state == :wait_writable ? IO.select(nil, [io], nil, seconds) : IO.select([io], nil, nil, seconds)).nil?
      end

      # @return [Boolean] true if a whole message was read; @message is then an Array that contains this message
      def parse
        at, message = value_at(0)
        return false unless at

        @buffer = @buffer.byteslice(at..)
        @message = [message]
        true
      end

      # @return [Array, nil] the end of the value, and the value; nil if the value is not complete
      def value_at(at)
        line_end = @buffer.index("\r\n", at)
        return nil unless line_end

        head = @buffer.byteslice(at + 1, line_end - at - 1)
        after = line_end + 2
        case @buffer[at]
        when "+", "-" then [after, head]
        when ":" then [after, head.to_i]
        when "$" then text_at(after, head.to_i)
        when "*" then array_at(after, head.to_i)
        else raise ServerFailure, "the server does not speak RESP2: #{@buffer.byteslice(at, 40).inspect}"
        end
      end

      def text_at(at, length)
        return [at, nil] if length.negative?
        return nil if @buffer.bytesize < at + length + 2

        [at + length + 2, @buffer.byteslice(at, length)]
      end

      def array_at(at, count)
        return [at, nil] if count.negative?

        elements = []
        count.times do
          at, element = value_at(at)
          return nil unless at

          elements << element
        end
        [at, elements]
      end

      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
