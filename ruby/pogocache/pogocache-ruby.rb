# frozen_string_literal: true

# For programs that say `require "pogocache-ruby"`: put this folder on the load path, and they run on Larder as they are.
#   ruby -I$(ruby -rlarder -e 'print Larder.pogocache_path') program.rb
require "larder/pogocache"
