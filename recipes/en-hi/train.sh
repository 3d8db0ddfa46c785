#!/bin/sh
# The English-to-Hindi pack, from one file of pairs to the folder that ships. Half an hour of one H200.
#
#   recipes/en-hi/train.sh DATA WORK [STAGE…]
#
# DATA is what recipes/hi-en/train.sh reads, and ui.tsv (labels of user interfaces, Hindi). Everything is written into WORK.
# A step whose output is there is skipped, so the script can be run again after it was stopped, and after a file of WORK was
# removed to make it anew. Without a STAGE all are run in order:
#
#   clean           the pairs whose terms allow it, once, and English that has no Hindi: the first stages of recipes/hi-en
#   made            rows made by rules: placeholders, copied spans, styles
#   back-translate  the Hindi-to-English pack gives the pairs' Hindi another English; the pack before gives English a Hindi
#   teacher         the teacher reads all of it
#   distil          the teacher translates the English of the pairs, and the English that has no Hindi
#   student         the student reads the teacher's translations and people's, and learns the teacher's probabilities
#   finetune        a short last phase with everyday phrases and the student's own translations by beam search
#   ship            int8, scores, card
#
# One more stage is run only when it is named:
#
#   polish          a phase that a CPU does in an hour, after which nothing ships: the pack POLISH (the one that ships, unless it
#                   is set) goes on with everyday phrases, and with careful sentences in its own words
#
# HI_EN is the pack that translates back: the one that ships, unless it is set. BEFORE is the pack before: the one that ships,
# unless it is set. The teacher has its vocabulary, and the student goes on from its weights. BEFORE= trains both from scratch,
# the student for twice the steps. DRY_RUN=1 prints the commands instead.
# TRAIN_FLAGS are given to every training, to try the chain on little data:
#   TRAIN_FLAGS="--steps 9 --d-model 16 --heads 2 --d-ff 32 --vocabulary 1500 --batch-tokens 2000 --no-compile"
# shellcheck disable=SC2086  # $search is several flags
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 2 ] || { sed -n '2,/^set/p' "$0" | sed 's/^# \{0,1\}//;$d'; exit 2; }
data=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
shift 2
hi_en=${HI_EN:-$here/../../src/dhyan/packs/hi-en}
before=${BEFORE-$here/../../src/dhyan/packs/en-hi}
polish=${POLISH:-$here/../../src/dhyan/packs/en-hi}
search="--beam 4 --length-penalty 4 --length-offset 10"
cd "$work"

. "$here/../steps.sh"

made_of() { # OUT KIND SHARE FILE [FLAGS…]: WORK/OUT.tsv
    made=$1.tsv kind=$2 share=$3 file=$4
    shift 4
    [ -f "$made" ] || run python "$here/made_rows.py" "$kind" "$made" --share "$share" --train "$file" "$@"
}

clean() {
    sh "$here/../hi-en/train.sh" "$data" "$work" clean english
}

made() {
    [ -f ui.tsv ] || awk -F '\t' -v OFS='\t' '!seen[$1]++ { print $1, $2, "written-ui" }' "$data/ui.tsv" > ui.tsv
    made_of markup markup 1 open.tsv --clean "$here/../hi-en/mixes/clean.toml"
    made_of letters letters 24 "$here/placeholder_phrases.tsv"
    made_of placeholders placeholders 0.12 clean.tsv.zst
    made_of copied copied 0.06 clean.tsv.zst
    made_of styles styles 1 clean.tsv.zst
}

back_translate() {
    mix to-translate-back to-translate-back clean.tsv.zst
    distil back-translated "$hi_en" --back --train to-translate-back.tsv.zst --beam 2 --length-penalty 1.0
    [ -n "$before" ] || return 0
    [ -f before/pack.json ] || run dhyan repack "$before" before # under the name that the mixes know
    distil before-translated before --train english.tsv $search
}

teacher() {
    mix teacher-mix teacher clean.tsv.zst ui.tsv markup.tsv letters.tsv placeholders.tsv copied.tsv styles.tsv \
        back-translated.tsv.zst ${before:+before-translated.tsv.zst}
    train teacher teacher --train teacher-mix.tsv.zst --valid dev.tsv --compile ${before:+--vocabulary-of before}
}

teach() {
    mix to-translate to-translate clean.tsv.zst
    mix back-english back-english back-translated.tsv.zst
    # Of the beam's translations the one nearest to the reference is taken: where the teacher hesitates, people decide.
    distil taught teacher --nearest --train to-translate.tsv.zst --train english.tsv --train back-english.tsv.zst $search
    made_of taught-placeholders placeholders 0.08 taught.tsv.zst
    made_of taught-copied copied 0.04 taught.tsv.zst
    made_of taught-styles styles 0.4 taught.tsv.zst
}

student() {
    mix student-mix student clean.tsv.zst ui.tsv markup.tsv letters.tsv placeholders.tsv copied.tsv styles.tsv \
        taught.tsv.zst taught-placeholders.tsv taught-copied.tsv taught-styles.tsv
    train student student --train student-mix.tsv.zst --valid dev.tsv --teacher teacher --compile \
        ${before:+--start-from before --steps 5200 --learning-rate 2e-3 --warmup 400}
}

finetune() {
    distil own student --train to-translate.tsv.zst --train english.tsv $search
    mix finetune-mix finetune clean.tsv.zst ui.tsv markup.tsv letters.tsv placeholders.tsv copied.tsv styles.tsv \
        taught.tsv.zst taught-placeholders.tsv taught-copied.tsv own.tsv.zst
    train finetuned finetune --start-from student --train finetune-mix.tsv.zst --valid dev.tsv
    interpolate student finetuned 0.3 interpolated
}

polish() {
    [ -f unpolished/pack.json ] || run dhyan repack "$polish" unpolished # under the name that the mix knows
    mix to-polish to-polish clean.tsv.zst
    # In a wide beam there is more that is near to the reference.
    distil own-careful unpolished --nearest --train to-polish.tsv.zst --beam 8 --length-penalty 4 --length-offset 10
    mix polish-mix polish clean.tsv.zst ui.tsv letters.tsv placeholders.tsv copied.tsv styles.tsv own-careful.tsv.zst
    train polished polish --start-from unpolished --train polish-mix.tsv.zst
}

# Share and length penalty were chosen on FLORES-200 dev, TICO-19 dev and the list of everyday talk; for another student
# benchmarks/decoding_settings.py says which beam and penalty suit it (docs/measured/runtime-speed.md).
ship() {
    [ -f int8/en-hi/pack.json ] || run dhyan repack interpolated int8/en-hi --storage int8 --length-penalty 4 --length-offset 10
    score int8/en-hi flores --source "$data/flores200-devtest.en" --reference "$data/flores200-devtest.hi"
    score int8/en-hi tatoeba --test "$data/tatoeba.tsv"
    score int8/en-hi flores-dev --source "$data/flores200-dev.en" --reference "$data/flores200-dev.hi"
    score int8/en-hi tico-dev --test "$data/tico19-dev.tsv"
    [ -f en-hi/pack.json ] || run dhyan repack int8/en-hi en-hi --licence "CC BY-SA 4.0" --card "$here/card.md" \
        --scores "FLORES-200 devtest=flores.json" --scores "Tatoeba=tatoeba.json" \
        --scores "FLORES-200 dev=flores-dev.json" --scores "TICO-19 dev=tico-dev.json"
}

[ $# -gt 0 ] || set -- clean made back-translate teacher distil student finetune ship
for stage in "$@"; do
    case $stage in
        clean | made | teacher | student | finetune | polish | ship) $stage ;;
        back-translate) back_translate ;;
        distil) teach ;;
        *) echo "train.sh: there is no stage '$stage'; run it without arguments to see them" >&2; exit 2 ;;
    esac
done
