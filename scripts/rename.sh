#!/bin/sh
# Renames the module, and the packages of npm, in a clone:
#
#   scripts/rename.sh github.com/OWNER/NAME [NPM-NAME]
#
# The names as they are stand in go.mod and package.json. Recorded data in testdata keeps them. Then run
# make generate, and UPDATE_GOLDEN=1 go test ./hooks/pi -run TestEveryFile.
set -eu
cd "$(dirname "$0")/.."
module=${1:?usage: scripts/rename.sh github.com/OWNER/NAME [NPM-NAME]}
old=$(sed -n 's/^module //p' go.mod)
old_npm=$(sed -n 's/^  "name": "\(.*\)",$/\1/p' package.json)
npm=${2:-$old_npm}

project=${module#*/} old_project=${old#*/}
owner=${project%%/*} old_owner=${old_project%%/*}
case $project in
*/*/* | */ | /*) project='' ;;
*/*) ;;
*) project='' ;;
esac
[ -n "$project" ] || { echo "rename.sh: $module is not github.com/OWNER/NAME" >&2; exit 2; }

export old module old_project project old_owner owner old_npm npm
# shellcheck disable=SC2016 # it is Perl
find . -type f -not -path './.git/*' -not -path './bin/*' -not -path './dist/*' -not -path './testdata/*' -not -path './scripts/rename.sh' -print0 |
	xargs -0 grep -lIE "$old_owner|npm:$old_npm|npx $old_npm|PackageName =" | tr '\n' '\0' |
	xargs -0 perl -pi -e '
		BEGIN { %e = %ENV; ($old_base) = $e{old_npm} =~ m{([^/]+)$}; ($base) = $e{npm} =~ m{([^/]+)$} }
		s/\Q$e{old}\E/$e{module}/g;
		s/(?<![@\w])\Q$e{old_project}\E/$e{project}/g;
		s/\@\Q$e{old_owner}\/$old_base\E-/\@$e{owner}\/$base-/g;
		s/(?<![@\w])\Q$e{old_owner}\E\//$e{owner}\//g;
		s/(owner: *)\Q$e{old_owner}\E/$1$e{owner}/g;
		s/(npx (?:--yes )?|npm:|npm install -g )\Q$e{old_npm}\E\b/$1$e{npm}/g;
		s/^(  "name": "|const PackageName = ")\Q$e{old_npm}\E"/$1$e{npm}"/;
	'
# Imports are sorted by their names.
find . -name '*.go' -not -path './testdata/*' -not -path '*/testdata/*' -print0 | xargs -0 gofmt -w
