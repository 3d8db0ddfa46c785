#!/bin/sh
# What an encoder is worth: likeness of sentences and words, clusters, senses. TF-IDF and Word2Vec by the same commands.
#   sh recipes/english/scores.sh BENCH-FOLDER WORK-FOLDER PACK
set -eu
bench=$1 work=$2 pack=$3
for list in EN-WS-353-ALL EN-SIMLEX-999 EN-MEN-TR-3k; do
    cp "$bench/word-similarity/$list.txt" "$work/$list.tsv"  # the columns are told by the name
done
for model in "$pack" tf-idf word2vec; do
    learn=; [ "$model" != word2vec ] || learn="--train $work/text.txt"
    # $learn and $how are several words or none
    dhyan evaluate --compute int8 "$model" --task similarity --test "$work/stsb-test.tsv" $learn
    dhyan evaluate --compute int8 "$model" --task clusters --test "$bench/stackoverflow/titles.tsv.xz" $learn
    how=; [ "$model" != "$pack" ] || how="--with-sentence --neighbours 3"  # static baselines have the sentence's vector alone
    dhyan evaluate --compute int8 "$model" --task senses $how \
        --train "$bench/coarsewsd20/train.tsv.xz" --test "$bench/coarsewsd20/test.tsv.xz"
done
for list in EN-WS-353-ALL EN-SIMLEX-999 EN-MEN-TR-3k; do
    dhyan evaluate --compute int8 word2vec --task similarity --train "$work/text.txt" --test "$work/$list.tsv"
    dhyan evaluate --compute int8 "$pack" --task similarity --test "$work/$list.tsv"
done
