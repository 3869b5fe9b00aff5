# shellcheck shell=sh disable=SC2154
# The case of install-php-extensions, in installRemoteModule(): the release's archive is built as it is, on Debian and on Alpine. The variables are those of that script.
		larder)
			if test -z "$installRemoteModule_version"; then
				installRemoteModule_version=0.1.0
			fi
			installRemoteModule_src="$(getPackageSource "https://example.org/larder/releases/download/v$installRemoteModule_version/larder-$installRemoteModule_version.tar.gz")"
			cd -- "$installRemoteModule_src/php"
			phpize
			./configure
			make -j"$(getProcessorCount)" install
			cd - >/dev/null
			installRemoteModule_manuallyInstalled=1
			;;
