#!/bin/sh
# Type-checks the page's JavaScript. Where Node or the network is missing, it says so and checks nothing.
tsc="npx --yes --loglevel=error -p typescript@5.9.3 tsc"
if ! $tsc --version >/dev/null 2>&1; then
  echo "The page's JavaScript was not type-checked: that takes Node, and TypeScript, which npx fetches once."
  exit 0
fi
exec $tsc -p "$(dirname "$0")"
