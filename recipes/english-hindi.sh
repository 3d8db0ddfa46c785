#!/bin/sh
# Both packs of English and Hindi, from one file of pairs to the folders that ship. An hour of one H200.
#
#   recipes/english-hindi.sh DATA WORK
#
# DATA is what recipes/en-hi/train.sh reads. First hi-en is made in WORK/hi-en, with a back-translator of its own; then en-hi in
# WORK/en-hi, where the new hi-en translates back. No pack that ships is read, so all that they know comes from DATA. What is
# there is not made again: the command can be stopped and given once more. DRY_RUN=1 prints the commands instead.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 2 ] || { sed -n '2,/^set/p' "$0" | sed 's/^# \{0,1\}//;$d'; exit 2; }
mkdir -p "$2/hi-en" "$2/en-hi"
work=$(cd "$2" && pwd)

EN_HI='' sh "$here/hi-en/train.sh" "$1" "$work/hi-en"

for file in open.tsv romanised.tsv romanised-test.tsv dev.tsv clean.tsv.zst typed.tsv english.tsv; do # the same for both
    [ ! -f "$work/hi-en/$file" ] || [ -f "$work/en-hi/$file" ] || ln "$work/hi-en/$file" "$work/en-hi/$file"
done
HI_EN="$work/hi-en/hi-en" BEFORE='' sh "$here/en-hi/train.sh" "$1" "$work/en-hi"
