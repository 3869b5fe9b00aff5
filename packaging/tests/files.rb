# frozen_string_literal: true

# Checks the files that only other machines run: workflows, templates, recipes of distributions, examples.
#   ruby packaging/tests/files.rb             prints each fault on a line
#   ruby packaging/tests/files.rb --control   plants faults and checks that each is found

require "English"
require "json"
require "open3"
require "yaml"

ROOT = File.expand_path("../..", __dir__)
Dir.chdir(ROOT)

# Collects the faults of the project's files.
class Files
  WORKFLOWS = ".github/workflows/*.yml"
  HASH = /\A[\w.-]+(\/[\w.-]+)+@\h{40}\z/.freeze

  attr_reader :problems

  def initialize
    @problems = []
    @version = File.read("VERSION").strip
  end

  def all
    (Dir[".github/**/*.yml"] + Dir["packaging/**/*.yml"] + ["mkdocs.yml"]).each { |file| yaml(file, File.read(file)) }
    Dir[WORKFLOWS].each { |file| workflow(file, File.read(file)) }
    versions
    shell
    programs
    compose("packaging/compose/compose.yml", File.read("packaging/compose/compose.yml"))
    kubernetes(File.read("docs/kubernetes.md"))
    composer(File.read("composer.json"))
    problems
  end

  def wrong(file, text)
    problems << "#{file}: #{text}"
  end

  def yaml(file, text)
    YAML.safe_load(text, aliases: true)
  rescue Psych::Exception => e
    wrong(file, e.message)
    nil
  end

  def targets
    @targets ||= (["Makefile"] + Dir["mk/*.mk"]).flat_map { |file| File.read(file).scan(/^([a-z0-9][a-z0-9 -]*):/) }
                                                .flat_map { |(names)| names.split }
  end

  def workflow(file, text)
    loaded = yaml(file, text) or return
    wrong(file, "has no permissions") unless loaded["permissions"]
    loaded.fetch("jobs", {}).each do |name, job|
      wrong(file, "#{name} has no timeout-minutes") unless job["timeout-minutes"]
      job.fetch("steps", []).each { |step| step(file, step) }
      (job.dig("strategy", "matrix", "make") || []).each { |words| step(file, { "run" => "make #{words}" }) }
    end
    text.scan(/uses: (\S+)(.*)/) { |used, rest| wrong(file, "#{used}: no version in a comment") unless rest.match?(/\A # v\d/) }
  end

  def step(file, step)
    wrong(file, "#{step["uses"]} is not pinned by its commit") if step["uses"] && !step["uses"].match?(HASH)
    run = step["run"] or return
    # Forbid ${{ }} in scripts: its value becomes a part of the script, and a title or a branch name may contain commands. Only matrix.make
    # is allowed, because the workflow itself defines its value.
    run = run.gsub(/make \$\{\{ matrix\.make \}\}/, "make")
    wrong(file, "an expression in a script: #{run}") if run.include?("${{")
    run.scan(/(?:^|[;&|] *)make ([^\n;&|]*)/) do |(words)|
      words.gsub(/[A-Z_]+=("[^"]*"|'[^']*'|\S*)/, "").split.each { |word| wrong(file, "make has no target #{word}") unless targets.include?(word) }
    end
    run.scan(/(?:^|[;&|] *)(\.?[\w-]+\/[\w\/.-]+)/) { |(path)| wrong(file, "no file #{path}") unless path.start_with?("build/") || File.exist?(path) }
  end

  def versions
    {
      "packaging/alpine/APKBUILD" => /^pkgver=(.*)$/,
      "packaging/rpm/php-pecl-larder.spec" => /^Version: *(.*)$/,
      "packaging/homebrew/larder@8.4.rb" => /larder-(.*)\.tar\.gz/,
      "packaging/static-php-cli/ext-larder.yml" => /larder-(.*)\.tar\.gz/,
      "packaging/docker-php-extension-installer/larder.sh" => /installRemoteModule_version=([\d.]+)/,
    }.each do |file, pattern|
      said = File.read(file)[pattern, 1]
      wrong(file, "says version #{said}, VERSION says #{@version}") unless said == @version
    end
  end

  def command(file, *words, input: "")
    out, status = Open3.capture2e(*words, stdin_data: input)
    wrong(file, out.strip.lines.last(3).join.strip) unless status.success?
    out
  end

  def shell
    command("packaging/alpine/APKBUILD", "sh", "-n", "packaging/alpine/APKBUILD")
    recipe = "packaging/docker-php-extension-installer/larder.sh"
    command(recipe, "sh", "-n", input: "case x in\n#{File.read(recipe)}\nesac\n")
    %w[debian alpine].each do |name|
      file = "packaging/docker/Dockerfile.#{name}"
      out = command(file, "php", "-n", "packaging/tests/dockerfile.php", file, "/srv/context")
      command(file, "bash", "-n", input: out)
    end
  end

  def programs
    command("packaging/homebrew/larder@8.4.rb", "ruby", "-c", "packaging/homebrew/larder@8.4.rb")
    command("packaging/static-php-cli/larder.php", "php", "-n", "-l", "packaging/static-php-cli/larder.php")
    spec = "packaging/rpm/php-pecl-larder.spec"
    command(spec, "rpmspec", "-P", spec) if installed?("rpmspec")
  end

  def installed?(name)
    ENV["PATH"].split(":").any? { |folder| File.executable?(File.join(folder, name)) }
  end

  # Check the services of a compose file. Each file that a service mounts must exist, and so must the Dockerfile of the service.
  def compose(file, text)
    loaded = yaml(file, text) or return
    loaded["services"].each_value do |service|
      (service["volumes"] || []).each do |volume|
        path = volume.split(":").first
        wrong(file, "#{path} is not there") unless File.exist?(File.join(File.dirname(file), path))
      end
      build = service["build"] or next
      path = File.join(File.dirname(file), build["context"], build["dockerfile"])
      wrong(file, "#{path} is not there") unless File.exist?(path)
    end
  end

  def kubernetes(text)
    text.scan(/^```yaml\n(.*?)^```/m) do |(block)|
      pod = yaml("docs/kubernetes.md", block)&.dig("spec", "template", "spec") or next wrong("docs/kubernetes.md", "no pod")
      volumes = pod["volumes"].to_h { |volume| [volume["name"], volume] }
      wrong("docs/kubernetes.md", "processes are not shared") unless pod["shareProcessNamespace"]
      wrong("docs/kubernetes.md", "no memory in a volume") unless volumes.values.any? { |volume| volume.dig("emptyDir", "medium") == "Memory" }
      pod["containers"].each do |container|
        wrong("docs/kubernetes.md", "#{container["name"]} has no limit") unless container.dig("resources", "limits", "memory")
        container["volumeMounts"].each { |mount| wrong("docs/kubernetes.md", "no volume #{mount["name"]}") unless volumes[mount["name"]] }
      end
    end
  end

  # Check the settings for PIE 1.4, which must build from source only if there is no prebuilt archive.
  def composer(text)
    settings = JSON.parse(text)["php-ext"]
    methods = %w[pre-packaged-binary composer-default]
    wrong("composer.json", "download-url-method is not #{methods}") unless settings["download-url-method"] == methods
    wrong("composer.json", "no folder #{settings["build-path"]}") unless File.exist?(File.join(settings["build-path"], "config.m4"))
  end
end

def control(name, files)
  abort("not found: #{name}") if files.problems.empty?
  puts "found  #{name}: #{files.problems.first}"
end

if ARGV == ["--control"]
  good = File.read(Dir[Files::WORKFLOWS].min)
  sound = Files.new.tap { |files| files.workflow("sound", good) }
  abort("found without a fault: #{sound.problems}") unless sound.problems.empty?
  {
    "an action pinned by a tag" => good.sub(/@\h{40}/, "@v4"),
    "an action without its version" => good.sub(/ # v[\d.]+/, ""),
    "a target that is not there" => good.sub("make deb", "make debs"),
    "no permissions" => good.sub(/^permissions:.*\n( .*\n)+/, ""),
    "an expression in a script" => good.sub("run: make deb", "run: make deb ${{ github.head_ref }}"),
    "no YAML" => "a: [",
  }.each do |name, text|
    abort("cannot plant: #{name}") if text == good
    control(name, Files.new.tap { |files| files.workflow("planted", text) })
  end
  control("a volume that is not there", Files.new.tap do |files|
    files.compose("packaging/compose/compose.yml", "services: {a: {volumes: ['./nothing:/x']}}")
  end)
  control("a pod without limits", Files.new.tap do |files|
    files.kubernetes(File.read("docs/kubernetes.md").sub(/limits:.*/, "none: 1"))
  end)
  control("no prebuilt archives", Files.new.tap do |files|
    files.composer(File.read("composer.json").sub("pre-packaged-binary", "pre-packaged-source"))
  end)
else
  problems = Files.new.all
  puts problems
  exit(problems.empty?)
end
