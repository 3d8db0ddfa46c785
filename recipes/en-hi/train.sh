#!/bin/sh
# The English-to-Hindi pack, from one file of pairs to the folder that ships. An hour and a half of one H200.
#
#   sh recipes/en-hi/train.sh DATA WORK [STAGE…]
#
# DATA has train.tsv.xz (pairs, the third column names the source), tico19-dev.tsv (validation), the test sets
# flores200-devtest.en and .hi, tatoeba.tsv, and the folders bench/ (English of the benchmarks) and packages/ (see
# package_texts.py). Everything is written into WORK. A step whose output is there is skipped, so the script can be run
# again after it was stopped, and after a file of WORK was removed to make it anew. Without a STAGE all are run in order:
#
#   clean           the pairs to translate: everything usable, once; English that has no Hindi
#   teachers        teachers 1 to 3: each reads what the one before has translated, and translates
#   first-student   the student learns from the second and the third teacher's translations
#   back-translate  a model from Hindi to English gives the Hindi that there is another English
#   styles          teacher 4 reads a style tag before every text, and translates in one style
#   second-student  the student goes on with that, and is finetuned with everyday phrases
#   more-english    far more English, translated by teacher 4
#   word-level      teacher 5 has the student's vocabulary; the student learns its probabilities, word by word
#   finetune        the short last phase, of which six tenths are taken
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
pairs=$data/train.tsv.xz valid=$data/tico19-dev.tsv phrases=$here/phrases.tsv
cd "$work"

. "$here/../steps.sh"

clean() {
    mix to-translate to-translate "$pairs"
    [ -f english.txt ] || run python "$here/collect_english.py" "$data/bench" english.txt
}

teachers() {
    mix teacher-1 teacher-1 "$pairs"
    train teacher-1 teacher --train teacher-1.tsv.zst --valid "$valid" \
        --steps 4200 --dropout 0.2 --validate-every 1400 --save-every 2300
    distil taught-1 teacher-1 --train to-translate.tsv.zst --train english.txt
    for n in 2 3; do
        mix teacher-$n teacher-2-3 "$pairs" taught-$((n - 1)).tsv.zst
        train teacher-$n teacher --train teacher-$n.tsv.zst --valid "$valid" --compile
        # Of the beam's translations the one nearest to the reference is taken: where the teacher hesitates, people decide.
        distil taught-$n teacher-$n --train to-translate.tsv.zst --train english.txt --nearest --length-penalty 1.6
    done
}

first_student() {
    mix student-2 student-2-3 taught-2.tsv.zst "$pairs"
    train student-2 student --train student-2.tsv.zst --valid "$valid" --compile
    mix student-3 student-2-3 taught-3.tsv.zst "$pairs"
    train student-3 student --train student-3.tsv.zst --valid "$valid" --compile \
        --start-from student-2 --steps 4000 --learning-rate 1.5e-3 --warmup 300
}

back_translate() {
    mix prose to-translate-back to-translate.tsv.zst
    train back back --train to-translate.tsv.zst --valid "$valid" --columns source=2,target=1 --compile
    distil back-translated back --back --train prose.tsv.zst
}

styles() {
    mix teacher-4 teacher-4 "$pairs" "$phrases" taught-3.tsv.zst back-translated.tsv.zst
    # Validation requests style ⑨, the third teacher's, whose translations it has most of.
    [ -f valid-9.tsv ] || sed 's/^/⑨ /' "$valid" > valid-9.tsv
    train teacher-4 teacher --train teacher-4.tsv.zst --valid valid-9.tsv --compile \
        --steps 5500 --validate-every 1375 --save-every 1375
    distil taught-4 teacher-4 --style-tag ④ --train prose.tsv.zst --train english.txt --nearest --length-penalty 2.0
}

second_student() {
    mix student-4 student-4 taught-4.tsv.zst taught-3.tsv.zst "$pairs" "$phrases"
    train student-4 student --train student-4.tsv.zst --valid "$valid" --compile \
        --start-from student-3 --learning-rate 1.5e-3 --warmup 300 --storage bfloat16
    mix finetune-4 finetune taught-4.tsv.zst "$pairs" back-translated.tsv.zst "$phrases"
    train finetuned-4 finetune --start-from student-4 --train finetune-4.tsv.zst
    interpolate student-4 finetuned-4 0.5 student-4b
}

more_english() {
    if [ ! -f more.tsv ] || [ ! -f talk.tsv ]; then
        run python "$here/collect_more_english.py" "$data/packages" "$data/bench" back-translated.tsv.zst more.tsv talk.tsv \
            --known english.txt --known "$pairs" --test "$data/flores200-devtest.en" --test "$data/tatoeba.tsv" \
            --test "$valid"
    fi
    distil taught-more teacher-4 --style-tag ④ --train more.tsv --length-penalty 2.0
    distil taught-talk teacher-4 --style-tag ① --train talk.tsv
}

word_level() {
    mix teacher-5 teacher-5 "$pairs" "$phrases" taught-4.tsv.zst back-translated.tsv.zst
    train teacher-5 teacher --start-from teacher-4 --vocabulary-of student-4b --train teacher-5.tsv.zst \
        --valid "$valid" --compile --steps 2800 --learning-rate 6e-4 --warmup 150 --validate-every 1400 --save-every 1400
    mix student-5 student-5 taught-4.tsv.zst taught-more.tsv.zst taught-talk.tsv.zst taught-3.tsv.zst "$pairs" "$phrases"
    train student-5 student --train student-5.tsv.zst --valid "$valid" --compile --start-from student-4b \
        --teacher teacher-5 --teacher-weight 0.6 --steps 15500 --learning-rate 1.5e-3 --warmup 300 \
        --metric loss --validate-every 1500 --save-every 1500 --storage bfloat16
}

finetune() {
    mix finetune-5 finetune taught-4.tsv.zst taught-more.tsv.zst taught-talk.tsv.zst "$pairs" back-translated.tsv.zst \
        "$phrases"
    train finetuned-5 finetune --start-from student-5 --train finetune-5.tsv.zst
    interpolate student-5 finetuned-5 0.6 student
}

ship() { # the length penalty was chosen on TICO-19 dev and on everyday talk
    [ -f int8/en-hi/pack.json ] || run dhyan repack student int8/en-hi --storage int8 --length-penalty 4 --length-offset 10
    score int8/en-hi flores --source "$data/flores200-devtest.en" --reference "$data/flores200-devtest.hi"
    score int8/en-hi tatoeba --test "$data/tatoeba.tsv"
    score int8/en-hi tico --test "$valid"
    [ -f en-hi/pack.json ] || run dhyan repack int8/en-hi en-hi --licence "CC BY-NC-SA 4.0" --card "$here/card.md" \
        --scores "FLORES-200 devtest=flores.json" --scores "Tatoeba=tatoeba.json" --scores "TICO-19 dev=tico.json"
}

[ $# -gt 0 ] || set -- clean teachers first-student back-translate styles second-student more-english word-level finetune ship
for stage in "$@"; do
    case $stage in
        clean | teachers | styles | finetune | ship) $stage ;;
        first-student) first_student ;;
        back-translate) back_translate ;;
        second-student) second_student ;;
        more-english) more_english ;;
        word-level) word_level ;;
        *) echo "train.sh: there is no stage '$stage'; run it without arguments to see them" >&2; exit 2 ;;
    esac
done
