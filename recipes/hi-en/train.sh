#!/bin/sh
# The Hindi-to-English pack, from one file of pairs to the folder that ships. Half an hour of one H200.
#
#   recipes/hi-en/train.sh DATA WORK [STAGE…]
#
# DATA has train.tsv.xz (pairs, English first; the third column names the source), sources.tsv (the terms of each source in
# the fourth column), romanised.tsv (Hindi in Latin letters, Hindi, English), flores200-dev.en and .hi, tico19-dev.tsv, the
# test sets flores200-devtest.en and .hi and tatoeba.tsv (English first), and the folder packages/ (see
# collect_open_english.py). Everything is written into WORK. A step whose output is there is skipped, so the script can be
# run again after it was stopped, and after a file of WORK was removed to make it anew. Without a STAGE all are run in order:
#
#   clean           the pairs whose terms allow it: everything usable, once; some of it as people type Hindi
#   english         English that has no Hindi
#   back-translate  a model from English to Hindi gives that English a Hindi, and the pairs' English another: EN_HI, if it
#                   names a pack; else one is trained for it
#   teacher         the teacher reads all of it
#   distil          the teacher translates the Hindi of the pairs
#   student         the student reads the teacher's translations and people's, and learns the teacher's probabilities
#   ship            int8, scores, card
#
# DRY_RUN=1 prints the commands instead. TRAIN_FLAGS are given to every training, to try the chain on little data:
#   TRAIN_FLAGS="--steps 9 --d-model 16 --heads 2 --d-ff 32 --vocabulary 500 --batch-tokens 2000 --no-compile"
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 2 ] || { sed -n '2,/^set/p' "$0" | sed 's/^# \{0,1\}//;$d'; exit 2; }
data=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
shift 2
hindi_first="--columns source=2,target=1"
cd "$work"

. "$here/../steps.sh"

typed() { # OUT SHARE FILE: WORK/OUT.tsv, the same English with Hindi as people type it
    [ -f "$1.tsv" ] || run python "$here/typed.py" "$1.tsv" --share "$2" --words open.tsv --train "$3"
}

clean() {
    [ -f open.tsv ] || run python "$here/open_pairs.py" "$data" open.tsv romanised.tsv romanised-test.tsv
    if [ ! -f dev.tsv ]; then # one row of each in turn: validation while trainings run
        paste "$data/flores200-dev.en" "$data/flores200-dev.hi" > flores-dev.tsv
        paste -d '\n' flores-dev.tsv "$data/tico19-dev.tsv" | head -n 1000 > dev.tsv
    fi
    mix clean clean open.tsv "$here/../en-hi/phrases.tsv" "$here"/../en-hi/written-*.tsv.xz "$here"/../en-hi/hindi-*.tsv.xz
    typed typed 0.3 clean.tsv.zst
}

english() {
    [ -f english.tsv ] || run python "$here/collect_open_english.py" "$data/packages" english.tsv --known open.tsv \
        --test "$data/flores200-dev.en" --test "$data/flores200-devtest.en" --test "$data/tico19-dev.tsv" \
        --test "$data/tatoeba.tsv"
}

back_translate() {
    if [ -n "${EN_HI:-}" ]; then # under the name that the mixes know
        [ -f back/pack.json ] || run dhyan repack "$EN_HI" back
    else
        mix back-mix back clean.tsv.zst
        train back back --train back-mix.tsv.zst --valid dev.tsv --compile
    fi
    mix to-translate-back to-translate-back clean.tsv.zst
    distil back-translated back --train english.tsv --train to-translate-back.tsv.zst --beam 2 --length-penalty 1.0
    typed back-typed 0.25 back-translated.tsv.zst
}

teacher() {
    mix teacher-mix teacher clean.tsv.zst romanised.tsv typed.tsv back-translated.tsv.zst back-typed.tsv
    # shellcheck disable=SC2086  # two words
    train teacher teacher --train teacher-mix.tsv.zst --valid dev.tsv $hindi_first --compile
}

teach() {
    mix to-translate to-translate clean.tsv.zst
    # Of the beam's translations the one nearest to the reference is taken: where the teacher hesitates, people decide.
    distil taught teacher --back --nearest --train to-translate.tsv.zst --beam 4 --length-penalty 1.0
    typed taught-typed 0.2 taught.tsv.zst
}

student() {
    mix student-mix student clean.tsv.zst romanised.tsv typed.tsv back-translated.tsv.zst back-typed.tsv taught.tsv.zst \
        taught-typed.tsv
    # shellcheck disable=SC2086  # two words
    train student student --train student-mix.tsv.zst --valid dev.tsv $hindi_first --teacher teacher --compile
}

ship() { # the length penalty was chosen on FLORES-200 dev and TICO-19 dev
    [ -f int8/hi-en/pack.json ] || run dhyan repack student int8/hi-en --storage int8 --length-penalty 2 --length-offset 10
    # shellcheck disable=SC2086  # two words
    {
        score int8/hi-en flores --source "$data/flores200-devtest.hi" --reference "$data/flores200-devtest.en"
        score int8/hi-en tatoeba --test "$data/tatoeba.tsv" $hindi_first
        score int8/hi-en flores-dev --source "$data/flores200-dev.hi" --reference "$data/flores200-dev.en"
        score int8/hi-en tico-dev --test "$data/tico19-dev.tsv" $hindi_first
    }
    [ -f hi-en/pack.json ] || run dhyan repack int8/hi-en hi-en --licence "CC BY-SA 4.0" --card "$here/card.md" \
        --scores "FLORES-200 devtest=flores.json" --scores "Tatoeba=tatoeba.json" \
        --scores "FLORES-200 dev=flores-dev.json" --scores "TICO-19 dev=tico-dev.json"
}

[ $# -gt 0 ] || set -- clean english back-translate teacher distil student ship
for stage in "$@"; do
    case $stage in
        clean | english | teacher | student | ship) $stage ;;
        back-translate) back_translate ;;
        distil) teach ;;
        *) echo "train.sh: there is no stage '$stage'; run it without arguments to see them" >&2; exit 2 ;;
    esac
done
