# frozen_string_literal: true

# The Rails application of rails_tier_test.rb: pages that read and change entries of Rails.cache. Puma runs it.
# HOST_LOG, HOST_PATH, HOST_SERVER: the log, the file of the copies, and the address of the server.

require "action_controller/railtie"
require "larder/tier"

class Pages < Rails::Application
  TIMEOUT = 0.3
  config.load_defaults Rails::VERSION::STRING[/\A\d+\.\d+/]
  config.root = __dir__
  config.eager_load = true
  config.logger = Logger.new(ENV.fetch("HOST_LOG"))
  config.secret_key_base = "for this test only, " * 4
  config.cache_store = Larder::Tier.new(
    ActiveSupport::Cache::RedisCacheStore.new(url: ENV.fetch("HOST_SERVER"), namespace: "app", connect_timeout: TIMEOUT,
                                              read_timeout: TIMEOUT, write_timeout: TIMEOUT, reconnect_attempts: 0),
    path: ENV.fetch("HOST_PATH"), size: 4 * 2**20
  )
end

# Each page names its key and shows one line. Headers say which worker made it, and if the copies of this host were in use.
class PagesController < ActionController::Base
  LINE = "<p><%= @key %>: <%= @line %></p>"
  FRAGMENT = "<p><% cache(@key, skip_digest: true) do %><%= @key %>: built by <%= Process.pid %><% end %></p>"

  before_action do
    @key = params[:key]
    response.headers["X-Worker"] = Process.pid.to_s
    response.headers["X-Local"] = Rails.cache.local?.to_s
  end

  def read = line(Rails.cache.read(@key)&.fetch(:number))
  def write = line(Rails.cache.write(@key, { number: params[:number].to_i }) ? true : false)
  def remove = line(Rails.cache.delete(@key) ? true : false)
  def fetch = line(Rails.cache.fetch(@key) { { number: params[:number].to_i } }[:number])
  def fragment = render(inline: FRAGMENT)

  private

  def line(value)
    @line = value.inspect
    render inline: LINE
  end
end

Pages.initialize!
Pages.routes.draw { %w[read write remove fetch fragment].each { |name| get name, to: "pages##{name}" } }

run Pages
