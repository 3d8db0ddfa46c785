#!/bin/sh
# Sentiment from scratch: an encoder that has read, then SST-2, IMDB, and the small pack of both. A few minutes on one
# large GPU. The texts are those of recipes/english/texts.py.
#   sh recipes/sentiment/train.sh BENCH-FOLDER WORK-FOLDER
set -eu
here=$(dirname "$0") bench=$1 work=$2
sst=$bench/sst2 imdb=$bench/imdb
masked=$work/sentiment-masked

train() { # recipe name flags…
    recipe=$1 out=$work/$2
    shift 2
    [ -f "$out/pack.json" ] && return
    if [ -f "$out.training/recipe.toml" ]; then dhyan train --resume "$out.training"; else dhyan train "$recipe" --out "$out" "$@"; fi
}
[ -f "$work/imdb-valid.tsv" ] || python "$here/reviews.py" "$imdb/train.tsv.xz" "$work"
train "$here/masked.toml" sentiment-masked --train "$work/text.txt"
train "$here/sst2.toml" sentiment-sst2 --start-from "$masked" \
    --train "$sst/train-phrases.tsv.xz" --train "$sst/train.tsv.xz" --valid "$sst/valid.tsv.xz"
train "$here/imdb.toml" sentiment-imdb --start-from "$masked" --train "$work/imdb-train.tsv" --valid "$work/imdb-valid.tsv"
train "$here/sentiment.toml" sentiment --start-from "$masked" \
    --train "$sst/train-phrases.tsv.xz" --train "$sst/train.tsv.xz" --train "$work/imdb-train.tsv" \
    --valid "$sst/valid.tsv.xz" --valid "$work/imdb-valid.tsv"

for pack in sentiment-sst2 sentiment; do dhyan evaluate "$work/$pack" --test "$sst/test.tsv.xz"; done
for pack in sentiment-imdb sentiment; do dhyan evaluate "$work/$pack" --test "$imdb/test.tsv.xz"; done
dhyan evaluate tf-idf --task labels --train "$sst/train.tsv.xz" --test "$sst/test.tsv.xz"
dhyan evaluate tf-idf --task labels --train "$imdb/train.tsv.xz" --test "$imdb/test.tsv.xz"
