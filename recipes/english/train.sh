#!/bin/sh
# The English encoder: texts, masked tokens, contrast, and its scores. A few minutes on one large GPU.
#   sh recipes/english/train.sh BENCH-FOLDER ENGLISH-HINDI.tsv.xz WORK-FOLDER
set -eu
here=$(dirname "$0") bench=$1 pairs=$2 work=$3
mkdir -p "$work"
[ -f "$work/stsb-leaked.tsv" ] || python "$here/texts.py" "$bench" "$pairs" "$work"

# `dhyan train` goes on by --resume where it was cut short; what is done is not done again.
train() { # recipe name flags…
    recipe=$1 out=$work/$2
    shift 2
    [ -f "$out/pack.json" ] && return
    if [ -f "$out.training/recipe.toml" ]; then dhyan train --resume "$out.training"; else dhyan train "$recipe" --out "$out" "$@"; fi
}
train "$here/masked.toml" english-masked --train "$work/text.txt"
train "$here/contrastive.toml" english --train "$work/paraphrases.tsv" --train "$work/twins.tsv" \
    --start-from "$work/english-masked"

dhyan evaluate "$work/english" --task similarity --test "$work/stsb-valid.tsv" --compute int8  # what chose the settings
sh "$here/scores.sh" "$bench" "$work" "$work/english"
