# frozen_string_literal: true

module Larder
  # What {Cache#view} lends. Its memory is given back when the block ends, so it cannot become another buffer's.
  class View < IO::Buffer
    undef_method :transfer
  end
end
