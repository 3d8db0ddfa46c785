#!/bin/sh
# What the data is worth: models of the student's size, trained on pairs alone, each on other pairs. Seven minutes of one H200.
#
#   recipes/en-hi/ablate.sh DATA WORK
#
# DATA and WORK are those of train.sh, whose stages `clean` and `made` must have run. A step whose output is there is skipped.
# DRY_RUN=1 prints the commands instead; TRAIN_FLAGS are given to every training.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 2 ] || { sed -n '2,/^set/p' "$0" | sed 's/^# \{0,1\}//;$d'; exit 2; }
data=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
cd "$work"

. "$here/../steps.sh"

[ -f others.tsv ] || run python "$here/../hi-en/open_pairs.py" "$data" again.tsv again-romanised.tsv again-test.tsv others.tsv
[ -f others-clean.tsv.zst ] || run dhyan mix "$here/../hi-en/mixes/clean.toml" --train others.tsv --out others-clean.tsv.zst
mix pairs-mix teacher clean.tsv.zst
mix without-careful-mix without-careful clean.tsv.zst
mix all-terms-mix all-terms clean.tsv.zst others-clean.tsv.zst
search="--beam 4 --length-penalty 4 --length-offset 10"
for pairs in pairs without-careful all-terms; do
    train "$pairs" ../hi-en/back --train "$pairs-mix.tsv.zst" --valid dev.tsv --steps 1200 --validate-every 1200 --save-every 1200 \
        --vocabulary-of "$here/../../src/dhyan/packs/en-hi" --vocabulary 9900 --compile
    # shellcheck disable=SC2086  # several flags
    {
        score "$pairs" "$pairs-flores" --source "$data/flores200-dev.en" --reference "$data/flores200-dev.hi" $search
        score "$pairs" "$pairs-tico" --test "$data/tico19-dev.tsv" $search
    }
done
