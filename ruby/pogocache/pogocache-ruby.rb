# frozen_string_literal: true

# A program that says `require "pogocache-ruby"` runs on Larder, without changes, if this folder is on its load path: ruby -I$(ruby -rlarder
#   -e 'print Larder.pogocache_path') program.rb
require "larder/pogocache"
