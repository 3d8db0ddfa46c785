# The steps that recipes of several stages are made of; a script sets `here`, its own folder, and reads this file. A step
# whose output is there is skipped. DRY_RUN=1 prints the commands instead; TRAIN_FLAGS are given to every training.

run() {
    if [ -n "${DRY_RUN:-}" ]; then echo "$@"; else "$@"; fi
}

mix() { # OUT MIX FILES…: OUT.tsv.zst
    out=$1.tsv.zst mix=$here/mixes/$2.toml
    shift 2
    [ -f "$out" ] && return
    for file; do
        shift
        set -- "$@" --train "$file"
    done
    run dhyan mix "$mix" "$@" --out "$out"
}

train() { # OUT RECIPE FLAGS…: the pack OUT; a training that was stopped is resumed
    out=$1 recipe=$here/$2.toml
    shift 2
    [ -f "$out/pack.json" ] && return
    if [ -f "$out.training/recipe.toml" ]; then
        run dhyan train --resume "$out.training"
    else
        # shellcheck disable=SC2086  # several flags
        run dhyan train "$recipe" --out "$out" "$@" ${TRAIN_FLAGS:-}
    fi
}

distil() { # OUT TEACHER FLAGS…: OUT.tsv.zst, whose rows are named TEACHER/SOURCE
    out=$1.tsv.zst teacher=$2
    shift 2
    [ -f "$out" ] || run dhyan distil "$teacher" --out "$out" "$@"
}

interpolate() { # FIRST SECOND SHARE OUT
    [ -f "$4/pack.json" ] || run dhyan interpolate "$@"
}

score() { # PACK NAME TEST-SET…: NAME.json
    pack=$1 name=$2
    shift 2
    [ -s "$name.json" ] && return
    run dhyan evaluate "$pack" "$@" --compute int8 --json > "$name.json.part"
    if [ -n "${DRY_RUN:-}" ]; then cat "$name.json.part"; rm "$name.json.part"; else mv "$name.json.part" "$name.json"; fi
}
