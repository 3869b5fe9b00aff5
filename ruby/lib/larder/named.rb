# frozen_string_literal: true

module Larder
  # Finds the file of a named cache. PHP uses the same file if +larder.scope+ is the name of the cache (php/src/stores/named.c).
  #
  # A user's folder has several possible names, because another user may have taken the first one. All processes take the first folder that
  # belongs to their user and that no other user may write to.
  #
  # @api private
  module Named
    ROOT = "/dev/shm"
    FOLDERS = 8 # number of candidates for the folder of a user
    private_constant :FOLDERS

    # @return [String] the path of the file; creates the folder of the file if there is none
    def self.path(name, pinned, root = ROOT)
      "#{folder(root)}/#{name}-#{pinned ? "pinned" : "volatile"}"
    end

    # @return [String, nil] the path of the file, if the file exists; creates no folder
    def self.find(name, pinned, root = ROOT)
      folder = folders(root).find { |each| usable?(each) }
      file = "#{folder}/#{name}-#{pinned ? "pinned" : "volatile"}"
      file if folder && File.exist?(file)
    end

    def self.folders(root)
      first = "#{root}/larder-#{Process.euid}"
      [first, *(1...FOLDERS).map { |number| "#{first}.#{number}" }]
    end

    def self.folder(root)
      folders = folders(root)
      folders.find { |folder| usable?(folder) } || folders.find { |folder| made?(folder) } ||
        raise(Error, "#{folders.first} and #{FOLDERS - 1} more like it belong to others, or others may write to them; " \
                     "remove them, or give a path:")
    end

    def self.usable?(folder)
      stat = File.lstat(folder)
      stat.directory? && stat.owned? && (stat.mode & 0o022).zero?
    rescue SystemCallError
      false
    end

    def self.made?(folder)
      Dir.mkdir(folder, 0o700)
      true
    rescue Errno::EEXIST # another process of this user may have created the folder
      usable?(folder)
    rescue SystemCallError => e
      raise Error, "#{folder} cannot be made: #{e.message}; give a path: in a folder that this user may write to"
    end
    private_class_method :folders, :folder, :usable?, :made?
  end
end
