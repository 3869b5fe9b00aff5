# shellcheck shell=sh disable=SC2154
# The case `larder` of installRemoteModule() in install-php-extensions, which defines the variables used here. Builds the unchanged archive
# of a release.
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
