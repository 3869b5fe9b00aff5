# frozen_string_literal: true

# The content of an application's cache: translations, routes, settings, metadata of models, rows of queries.
module Catalogue
  Metadata = Struct.new(:model, :table, :fields)
  Field = Struct.new(:name, :type, :null, :length)

  module_function

  def translations
    (0...2000).to_h { |i| ["page.section#{i}.title", "The title of section #{i}, with %<count>s entries"] }
  end

  def routes
    (0...300).to_h { |i| ["route_#{i}", { path: "/area/#{i}/:id", controller: "area#{i}#show", id: "[0-9]+", methods: %w[GET HEAD] }] }
  end

  def settings
    (0...400).to_h { |i| ["group#{i}", { enabled: (i % 3).zero?, limit: i * 10, name: "setting #{i}", options: { a: i, b: "b#{i}" } }] }
  end

  def metadata
    (0...60).to_h do |i|
      fields = (0...12).to_h { |f| ["field#{f}", Field.new("field#{f}", f.odd? ? "string" : "integer", (f % 3).zero?, 255)] }
      ["Entity#{i}", Metadata.new("Entity#{i}", "table_#{i}", fields)]
    end
  end

  # The rows of a query.
  def rows(page)
    (1..50).map { |i| { id: (page * 50) + i, title: "Article #{i} of page #{page}", author: "Author #{i % 7}", price: i * 1.5, published: true } }
  end

  # Returns all values that a page takes from the cache. The block gets a key and a method that makes the value, and returns the cached
  # value.
  def for_page(page)
    {
      translations: yield("translations", method(:translations)), routes: yield("routes", method(:routes)),
      settings: yield("settings", method(:settings)), metadata: yield("metadata", method(:metadata)),
      rows: yield("rows#{page}", -> { rows(page) })
    }
  end
end
