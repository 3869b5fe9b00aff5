# typed: true
# frozen_string_literal: true

require File.expand_path("../Abstract/abstract-php-extension", __dir__)

# Class for Larder Extension
class LarderAT84 < AbstractPhpExtension
  init
  desc "Larder PHP extension"
  homepage "https://example.org/larder"
  url "https://example.org/larder/releases/download/v0.1.0/larder-0.1.0.tar.gz"
  # The checksum of the archive in `url`, from SHA256SUMS of the release.
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  head "https://example.org/larder.git", branch: "main"
  license "MIT"

  # On a Mac, larder/polyfill has the same classes in plain PHP.
  depends_on :linux

  def install
    Dir.chdir "php"
    safe_phpize
    system "./configure", "--prefix=#{prefix}", phpconfig
    system "make"
    prefix.install "modules/#{extension}.so"
    write_config_file
  end
end
