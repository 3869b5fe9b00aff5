# frozen_string_literal: true

# A Rails application for bench/apps/run.php: GET /page/N renders rows with translations, settings, routes and metadata, all from
# Rails.cache. BENCH_CACHE names the store: none (a file store, the default of Rails), memory, redis, larder.

require "rails"
require "action_controller/railtie"
require "action_view/railtie"
require_relative "catalogue"

class Bench < Rails::Application
  config.root = ENV.fetch("BENCH_FOLDER")
  config.load_defaults "6.1"
  config.eager_load = true
  config.consider_all_requests_local = true
  config.secret_key_base = "a long secret of a benchmark" * 4
  config.hosts.clear
  config.logger = Logger.new($stderr, level: :error)
  config.cache_store =
    case ENV.fetch("BENCH_CACHE")
    when "memory" then [:memory_store, { size: 128 * 2**20 }]
    when "redis" then [:redis_cache_store, { url: "unix://#{ENV.fetch("BENCH_REDIS")}" }]
    when "larder" then [:larder_store, { size: 128 * 2**20 }]
    else [:file_store, File.join(ENV.fetch("BENCH_FOLDER"), "cache")]
    end
  routes.append do
    get "/status", to: "pages#status"
    get "/page/:id", to: "pages#show"
  end
end

class PagesController < ActionController::Base
  prepend_view_path File.join(__dir__, "views")

  def status
    render plain: "ready"
  end

  def show
    @page = params[:id].to_i
    @cached = Catalogue.for_page(@page) { |key, maker| Rails.cache.fetch(key) { maker.call } }
  end
end

Rails.application.initialize!
run Rails.application
