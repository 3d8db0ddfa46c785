#!/bin/sh
# Sentiment from scratch: an encoder that has read, then IMDB, then SST-2, and the small pack of both. A few minutes on one
# large GPU. The texts and english-masked are those of recipes/english/train.sh in the same WORK-FOLDER.
#   sh recipes/sentiment/train.sh BENCH-FOLDER WORK-FOLDER
set -eu
here=$(dirname "$0") bench=$1 work=$2
sst=$bench/sst2 imdb=$bench/imdb

train() { # recipe name flags…
    recipe=$1 out=$work/$2
    shift 2
    [ -f "$out/pack.json" ] && return
    if [ -f "$out.training/recipe.toml" ]; then dhyan train --resume "$out.training"; else dhyan train "$recipe" --out "$out" "$@"; fi
}
[ -f "$work/imdb-valid.tsv" ] || python "$here/reviews.py" "$imdb/train.tsv.xz" "$work"
train "$here/masked.toml" sentiment-masked --train "$work/text.txt"
sentences="--train $sst/train-phrases.tsv.xz --train $sst/train.tsv.xz"  # several words, and so without quotes below
train "$here/imdb.toml" english-imdb --start-from "$work/english-masked" \
    --train "$work/imdb-train.tsv" --valid "$work/imdb-valid.tsv"
for seed in 1 2 3; do  # sentences from reviews
    train "$here/sst2.toml" english-sst2-$seed --seed $seed --start-from "$work/english-imdb" \
        $sentences --valid "$sst/valid.tsv.xz"
done
train "$here/sentiment.toml" sentiment --start-from "$work/sentiment-masked" \
    $sentences $sentences $sentences --no-drop-duplicates --train "$work/imdb-train.tsv" \
    --valid "$sst/valid.tsv.xz" --valid "$work/imdb-valid.tsv"

for pack in english-sst2-1 english-sst2-2 english-sst2-3 sentiment; do dhyan evaluate "$work/$pack" --test "$sst/test.tsv.xz" --compute int8; done
for pack in english-imdb sentiment; do dhyan evaluate "$work/$pack" --test "$imdb/test.tsv.xz" --compute int8; done
dhyan evaluate tf-idf --task labels --train "$sst/train.tsv.xz" --test "$sst/test.tsv.xz"
dhyan evaluate tf-idf --task labels --train "$imdb/train.tsv.xz" --test "$imdb/test.tsv.xz"
