# frozen_string_literal: true

# Puma for bench/apps/run.php: as many workers as php-fpm has, one thread each, on a Unix socket.
workers Integer(ENV.fetch("BENCH_WORKERS"))
threads 1, 1
preload_app!
environment "production"
bind "unix://#{ENV.fetch("BENCH_FOLDER")}/puma.sock"
rackup File.join(__dir__, "config.ru")
worker_check_interval 1 # replace killed workers soon
quiet
