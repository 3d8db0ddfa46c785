;; The arithmetic of the model in a browser tab: WebAssembly with 128-bit SIMD, the part of it that every browser has.
;; `python recipes/browser/build_kernels.py` makes kernels.wasm of this file. Whoever calls it is engines/kernels.js.
;;
;; All numbers live in one memory that the caller gives; every parameter that is not a count is an address in bytes.
;; Rows are padded with zeros: d_model, d_ff and the heads of one row to a multiple of 16, so that no loop has a rest.
;;
;; A product of int8 weights. They lie in panels of 16 outputs: two inputs of output 0, the same two inputs of
;; output 1, … of output 15, then the next two inputs. So one load brings 4 outputs × 2 inputs, and
;; i32x4.dot_i16x8_s multiplies them by the same two activations and adds each pair: four sums grow in one register,
;; and nothing has to be added up across lanes in the end. Activations are whole numbers, as int16; four rows lie
;; interleaved, pair by pair, and rows that are left over lie by themselves.
(module
  (import "dhyan" "memory" (memory 1))

  ;; ------------------------------------------------------------------------------------------------ weights → panel

  ;; 16 rows of `inputs` int8 numbers each → one panel. inputs: a multiple of 2.
  (func (export "packPanel") (param $rows i32) (param $inputs i32) (param $panel i32)
    (local $row i32) (local $from i32) (local $to i32) (local $end i32)
    (loop $each_row
      (local.set $from (i32.add (local.get $rows) (i32.mul (local.get $row) (local.get $inputs))))
      (local.set $end (i32.add (local.get $from) (local.get $inputs)))
      (local.set $to (i32.add (local.get $panel) (i32.shl (local.get $row) (i32.const 1))))
      (loop $each_pair
        (i32.store16 (local.get $to) (i32.load16_u (local.get $from)))
        (local.set $to (i32.add (local.get $to) (i32.const 32)))
        (br_if $each_pair
          (i32.lt_u (local.tee $from (i32.add (local.get $from) (i32.const 2))) (local.get $end))))
      (br_if $each_row (i32.lt_u (local.tee $row (i32.add (local.get $row) (i32.const 1))) (i32.const 16)))))

  ;; One row out of the panels, as float32: out[k] = number · scale. The embedding of a token.
  (func (export "unpackRow")
    (param $panels i32) (param $row i32) (param $inputs i32) (param $scale f32) (param $out i32)
    (local $from i32) (local $end i32)
    (local.set $from  ;; the row's panel, and its place in each pair of inputs
      (i32.add
        (i32.add
          (local.get $panels)
          (i32.mul (i32.and (local.get $row) (i32.const -16)) (local.get $inputs)))
        (i32.shl (i32.and (local.get $row) (i32.const 15)) (i32.const 1))))
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $inputs) (i32.const 2))))
    (loop $each_pair
      (f32.store (local.get $out)
        (f32.mul (f32.convert_i32_s (i32.load8_s (local.get $from))) (local.get $scale)))
      (f32.store offset=4 (local.get $out)
        (f32.mul (f32.convert_i32_s (i32.load8_s offset=1 (local.get $from))) (local.get $scale)))
      (local.set $from (i32.add (local.get $from) (i32.const 32)))
      (br_if $each_pair
        (i32.lt_u (local.tee $out (i32.add (local.get $out) (i32.const 8))) (local.get $end)))))

  ;; ------------------------------------------------------------------------------------------- activations → int16

  ;; One row of float32 → whole numbers from −levels to levels, as int16, with one scale: levels / the largest, rounded
  ;; to nearest (ties to even). Two neighbours are written together, `step` bytes after the last two.
  ;; → what a number is worth.
  (func $quantize_row
    (param $x i32) (param $count i32) (param $out i32) (param $step i32) (param $levels f32) (result f32)
    (local $from i32) (local $end i32) (local $most f32) (local $a v128) (local $b v128) (local $scale v128)
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $from (local.get $x))
    (loop $largest
      (local.set $a (f32x4.max (local.get $a) (f32x4.abs (v128.load (local.get $from)))))
      (local.set $b (f32x4.max (local.get $b) (f32x4.abs (v128.load offset=16 (local.get $from)))))
      (br_if $largest
        (i32.lt_u (local.tee $from (i32.add (local.get $from) (i32.const 32))) (local.get $end))))
    (local.set $a (f32x4.max (local.get $a) (local.get $b)))
    (local.set $most
      (f32.max
        (f32.max (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a)))
        (f32.max (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a)))))
    (if (f32.eq (local.get $most) (f32.const 0)) (then (local.set $most (local.get $levels))))
    (local.set $scale (f32x4.splat (f32.div (local.get $levels) (local.get $most))))
    (loop $round
      (local.set $a
        (i16x8.narrow_i32x4_s
          (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.mul (v128.load (local.get $x)) (local.get $scale))))
          (i32x4.trunc_sat_f32x4_s
            (f32x4.nearest (f32x4.mul (v128.load offset=16 (local.get $x)) (local.get $scale))))))
      (v128.store32_lane 0 (local.get $out) (local.get $a))
      (v128.store32_lane 1 (local.tee $out (i32.add (local.get $out) (local.get $step))) (local.get $a))
      (v128.store32_lane 2 (local.tee $out (i32.add (local.get $out) (local.get $step))) (local.get $a))
      (v128.store32_lane 3 (local.tee $out (i32.add (local.get $out) (local.get $step))) (local.get $a))
      (local.set $out (i32.add (local.get $out) (local.get $step)))
      (br_if $round (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 32))) (local.get $end))))
    (f32.div (local.get $most) (local.get $levels)))

  ;; Rows of float32, `stride` bytes apart → whole numbers as `multiply` wants it, and a scale for each row.
  (func $quantize (export "quantize")
    (param $x i32) (param $stride i32) (param $rows i32) (param $count i32) (param $out i32) (param $scales i32)
    (param $levels f32)
    (local $row i32) (local $whole i32)
    (local.set $whole (i32.and (local.get $rows) (i32.const -4)))  ;; rows that come in fours
    (loop $each_row
      (f32.store (local.get $scales)
        (call $quantize_row
          (local.get $x)
          (local.get $count)
          (i32.add
            (i32.add
              (local.get $out)
              (i32.mul
                (i32.shl (local.get $count) (i32.const 1))
                (select
                  (i32.and (local.get $row) (i32.const -4))
                  (local.get $row)
                  (i32.lt_u (local.get $row) (local.get $whole)))))
            (select
              (i32.shl (i32.and (local.get $row) (i32.const 3)) (i32.const 2))
              (i32.const 0)
              (i32.lt_u (local.get $row) (local.get $whole))))
          (select (i32.const 16) (i32.const 4) (i32.lt_u (local.get $row) (local.get $whole)))
          (local.get $levels)))
      (local.set $scales (i32.add (local.get $scales) (i32.const 4)))
      (local.set $x (i32.add (local.get $x) (local.get $stride)))
      (br_if $each_row
        (i32.lt_u (local.tee $row (i32.add (local.get $row) (i32.const 1))) (local.get $rows)))))

  ;; ------------------------------------------------------------------------------------------------- int8 products

  ;; Four sums of whole numbers → four outputs: sum · activation's scale · weights' scales + biases; then, by `mode`,
  ;; 0: as they are; 1: negative ones become 0 (ReLU); 2: added to what is there (the residual connection).
  (func $finish
    (param $sums v128) (param $x_scale f32) (param $scales i32) (param $biases i32) (param $out i32) (param $mode i32)
    (local $y v128)
    (local.set $y
      (f32x4.add
        (f32x4.mul
          (f32x4.mul (f32x4.convert_i32x4_s (local.get $sums)) (f32x4.splat (local.get $x_scale)))
          (v128.load (local.get $scales)))
        (v128.load (local.get $biases))))
    (if (local.get $mode)
      (then
        (if (i32.eq (local.get $mode) (i32.const 1))
          (then (local.set $y (f32x4.max (local.get $y) (v128.const f32x4 0 0 0 0))))
          (else (local.set $y (f32x4.add (local.get $y) (v128.load (local.get $out))))))))
    (v128.store (local.get $out) (local.get $y)))

  ;; Four rows of activations × half a panel: 4 × 8 sums at once in registers.
  (func $four_rows
    (param $x i32) (param $x_scales i32) (param $w i32) (param $scales i32) (param $biases i32)
    (param $out i32) (param $stride i32) (param $inputs i32) (param $mode i32)
    (local $end i32) (local $v v128) (local $w0 v128) (local $w1 v128) (local $s f32)
    (local $a0 v128) (local $a1 v128) (local $b0 v128) (local $b1 v128)
    (local $c0 v128) (local $c1 v128) (local $d0 v128) (local $d1 v128)
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $inputs) (i32.const 3))))
    (loop $two_pairs
      ;; inputs 0 and 1
      (local.set $w0 (v128.load8x8_s (local.get $w)))
      (local.set $w1 (v128.load8x8_s offset=8 (local.get $w)))
      (local.set $v (v128.load32_splat (local.get $x)))
      (local.set $a0 (i32x4.add (local.get $a0) (i32x4.dot_i16x8_s (local.get $w0) (local.get $v))))
      (local.set $a1 (i32x4.add (local.get $a1) (i32x4.dot_i16x8_s (local.get $w1) (local.get $v))))
      (local.set $v (v128.load32_splat offset=4 (local.get $x)))
      (local.set $b0 (i32x4.add (local.get $b0) (i32x4.dot_i16x8_s (local.get $w0) (local.get $v))))
      (local.set $b1 (i32x4.add (local.get $b1) (i32x4.dot_i16x8_s (local.get $w1) (local.get $v))))
      (local.set $v (v128.load32_splat offset=8 (local.get $x)))
      (local.set $c0 (i32x4.add (local.get $c0) (i32x4.dot_i16x8_s (local.get $w0) (local.get $v))))
      (local.set $c1 (i32x4.add (local.get $c1) (i32x4.dot_i16x8_s (local.get $w1) (local.get $v))))
      (local.set $v (v128.load32_splat offset=12 (local.get $x)))
      (local.set $d0 (i32x4.add (local.get $d0) (i32x4.dot_i16x8_s (local.get $w0) (local.get $v))))
      (local.set $d1 (i32x4.add (local.get $d1) (i32x4.dot_i16x8_s (local.get $w1) (local.get $v))))
      ;; inputs 2 and 3
      (local.set $w0 (v128.load8x8_s offset=32 (local.get $w)))
      (local.set $w1 (v128.load8x8_s offset=40 (local.get $w)))
      (local.set $v (v128.load32_splat offset=16 (local.get $x)))
      (local.set $a0 (i32x4.add (local.get $a0) (i32x4.dot_i16x8_s (local.get $w0) (local.get $v))))
      (local.set $a1 (i32x4.add (local.get $a1) (i32x4.dot_i16x8_s (local.get $w1) (local.get $v))))
      (local.set $v (v128.load32_splat offset=20 (local.get $x)))
      (local.set $b0 (i32x4.add (local.get $b0) (i32x4.dot_i16x8_s (local.get $w0) (local.get $v))))
      (local.set $b1 (i32x4.add (local.get $b1) (i32x4.dot_i16x8_s (local.get $w1) (local.get $v))))
      (local.set $v (v128.load32_splat offset=24 (local.get $x)))
      (local.set $c0 (i32x4.add (local.get $c0) (i32x4.dot_i16x8_s (local.get $w0) (local.get $v))))
      (local.set $c1 (i32x4.add (local.get $c1) (i32x4.dot_i16x8_s (local.get $w1) (local.get $v))))
      (local.set $v (v128.load32_splat offset=28 (local.get $x)))
      (local.set $d0 (i32x4.add (local.get $d0) (i32x4.dot_i16x8_s (local.get $w0) (local.get $v))))
      (local.set $d1 (i32x4.add (local.get $d1) (i32x4.dot_i16x8_s (local.get $w1) (local.get $v))))
      (local.set $w (i32.add (local.get $w) (i32.const 64)))
      (br_if $two_pairs (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 32))) (local.get $end))))
    (local.set $s (f32.load (local.get $x_scales)))
    (call $finish (local.get $a0) (local.get $s) (local.get $scales) (local.get $biases) (local.get $out)
      (local.get $mode))
    (call $finish (local.get $a1) (local.get $s) (i32.add (local.get $scales) (i32.const 16))
      (i32.add (local.get $biases) (i32.const 16)) (i32.add (local.get $out) (i32.const 16)) (local.get $mode))
    (local.set $out (i32.add (local.get $out) (local.get $stride)))
    (local.set $s (f32.load offset=4 (local.get $x_scales)))
    (call $finish (local.get $b0) (local.get $s) (local.get $scales) (local.get $biases) (local.get $out)
      (local.get $mode))
    (call $finish (local.get $b1) (local.get $s) (i32.add (local.get $scales) (i32.const 16))
      (i32.add (local.get $biases) (i32.const 16)) (i32.add (local.get $out) (i32.const 16)) (local.get $mode))
    (local.set $out (i32.add (local.get $out) (local.get $stride)))
    (local.set $s (f32.load offset=8 (local.get $x_scales)))
    (call $finish (local.get $c0) (local.get $s) (local.get $scales) (local.get $biases) (local.get $out)
      (local.get $mode))
    (call $finish (local.get $c1) (local.get $s) (i32.add (local.get $scales) (i32.const 16))
      (i32.add (local.get $biases) (i32.const 16)) (i32.add (local.get $out) (i32.const 16)) (local.get $mode))
    (local.set $out (i32.add (local.get $out) (local.get $stride)))
    (local.set $s (f32.load offset=12 (local.get $x_scales)))
    (call $finish (local.get $d0) (local.get $s) (local.get $scales) (local.get $biases) (local.get $out)
      (local.get $mode))
    (call $finish (local.get $d1) (local.get $s) (i32.add (local.get $scales) (i32.const 16))
      (i32.add (local.get $biases) (i32.const 16)) (i32.add (local.get $out) (i32.const 16)) (local.get $mode)))

  ;; One row of activations × a whole panel: 16 sums at once.
  (func $one_row
    (param $x i32) (param $s f32) (param $w i32) (param $scales i32) (param $biases i32)
    (param $out i32) (param $inputs i32) (param $mode i32)
    (local $end i32) (local $v v128) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $inputs) (i32.const 1))))
    (loop $four_pairs
      (local.set $v (v128.load32_splat (local.get $x)))
      (local.set $a
        (i32x4.add (local.get $a) (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $w)) (local.get $v))))
      (local.set $b
        (i32x4.add (local.get $b) (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $w)) (local.get $v))))
      (local.set $c
        (i32x4.add (local.get $c) (i32x4.dot_i16x8_s (v128.load8x8_s offset=16 (local.get $w)) (local.get $v))))
      (local.set $d
        (i32x4.add (local.get $d) (i32x4.dot_i16x8_s (v128.load8x8_s offset=24 (local.get $w)) (local.get $v))))
      (local.set $v (v128.load32_splat offset=4 (local.get $x)))
      (local.set $a
        (i32x4.add (local.get $a) (i32x4.dot_i16x8_s (v128.load8x8_s offset=32 (local.get $w)) (local.get $v))))
      (local.set $b
        (i32x4.add (local.get $b) (i32x4.dot_i16x8_s (v128.load8x8_s offset=40 (local.get $w)) (local.get $v))))
      (local.set $c
        (i32x4.add (local.get $c) (i32x4.dot_i16x8_s (v128.load8x8_s offset=48 (local.get $w)) (local.get $v))))
      (local.set $d
        (i32x4.add (local.get $d) (i32x4.dot_i16x8_s (v128.load8x8_s offset=56 (local.get $w)) (local.get $v))))
      (local.set $v (v128.load32_splat offset=8 (local.get $x)))
      (local.set $a
        (i32x4.add (local.get $a) (i32x4.dot_i16x8_s (v128.load8x8_s offset=64 (local.get $w)) (local.get $v))))
      (local.set $b
        (i32x4.add (local.get $b) (i32x4.dot_i16x8_s (v128.load8x8_s offset=72 (local.get $w)) (local.get $v))))
      (local.set $c
        (i32x4.add (local.get $c) (i32x4.dot_i16x8_s (v128.load8x8_s offset=80 (local.get $w)) (local.get $v))))
      (local.set $d
        (i32x4.add (local.get $d) (i32x4.dot_i16x8_s (v128.load8x8_s offset=88 (local.get $w)) (local.get $v))))
      (local.set $v (v128.load32_splat offset=12 (local.get $x)))
      (local.set $a
        (i32x4.add (local.get $a) (i32x4.dot_i16x8_s (v128.load8x8_s offset=96 (local.get $w)) (local.get $v))))
      (local.set $b
        (i32x4.add (local.get $b) (i32x4.dot_i16x8_s (v128.load8x8_s offset=104 (local.get $w)) (local.get $v))))
      (local.set $c
        (i32x4.add (local.get $c) (i32x4.dot_i16x8_s (v128.load8x8_s offset=112 (local.get $w)) (local.get $v))))
      (local.set $d
        (i32x4.add (local.get $d) (i32x4.dot_i16x8_s (v128.load8x8_s offset=120 (local.get $w)) (local.get $v))))
      (local.set $w (i32.add (local.get $w) (i32.const 128)))
      (br_if $four_pairs (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $end))))
    (call $finish (local.get $a) (local.get $s) (local.get $scales) (local.get $biases) (local.get $out)
      (local.get $mode))
    (call $finish (local.get $b) (local.get $s) (i32.add (local.get $scales) (i32.const 16))
      (i32.add (local.get $biases) (i32.const 16)) (i32.add (local.get $out) (i32.const 16)) (local.get $mode))
    (call $finish (local.get $c) (local.get $s) (i32.add (local.get $scales) (i32.const 32))
      (i32.add (local.get $biases) (i32.const 32)) (i32.add (local.get $out) (i32.const 32)) (local.get $mode))
    (call $finish (local.get $d) (local.get $s) (i32.add (local.get $scales) (i32.const 48))
      (i32.add (local.get $biases) (i32.const 48)) (i32.add (local.get $out) (i32.const 48)) (local.get $mode)))

  ;; (rows, inputs) quantised activations × (outputs, inputs) weights in panels → (rows, outputs) float32, `stride`
  ;; bytes from row to row. A panel is read once from memory and stays near while all rows meet it.
  (func (export "multiply")
    (param $x i32) (param $x_scales i32) (param $w i32) (param $scales i32) (param $biases i32)
    (param $out i32) (param $stride i32) (param $rows i32) (param $outputs i32) (param $inputs i32) (param $mode i32)
    (local $panel i32) (local $row i32) (local $xp i32) (local $op i32) (local $size i32)
    (local.set $size (i32.shl (local.get $inputs) (i32.const 4)))  ;; of a panel
    (loop $each_panel
      (local.set $row (i32.const 0))
      (local.set $xp (local.get $x))
      (local.set $op (local.get $out))
      (block $no_fours
        (loop $fours
          (br_if $no_fours (i32.gt_u (i32.add (local.get $row) (i32.const 4)) (local.get $rows)))
          (call $four_rows (local.get $xp)
            (i32.add (local.get $x_scales) (i32.shl (local.get $row) (i32.const 2)))
            (local.get $w) (local.get $scales) (local.get $biases) (local.get $op) (local.get $stride)
            (local.get $inputs) (local.get $mode))
          (call $four_rows (local.get $xp)
            (i32.add (local.get $x_scales) (i32.shl (local.get $row) (i32.const 2)))
            (i32.add (local.get $w) (i32.const 16))
            (i32.add (local.get $scales) (i32.const 32))
            (i32.add (local.get $biases) (i32.const 32))
            (i32.add (local.get $op) (i32.const 32))
            (local.get $stride) (local.get $inputs) (local.get $mode))
          (local.set $row (i32.add (local.get $row) (i32.const 4)))
          (local.set $xp (i32.add (local.get $xp) (i32.shl (local.get $inputs) (i32.const 3))))
          (local.set $op (i32.add (local.get $op) (i32.shl (local.get $stride) (i32.const 2))))
          (br $fours)))
      (block $no_rest
        (loop $rest
          (br_if $no_rest (i32.ge_u (local.get $row) (local.get $rows)))
          (call $one_row (local.get $xp)
            (f32.load (i32.add (local.get $x_scales) (i32.shl (local.get $row) (i32.const 2))))
            (local.get $w) (local.get $scales) (local.get $biases) (local.get $op) (local.get $inputs)
            (local.get $mode))
          (local.set $row (i32.add (local.get $row) (i32.const 1)))
          (local.set $xp (i32.add (local.get $xp) (i32.shl (local.get $inputs) (i32.const 1))))
          (local.set $op (i32.add (local.get $op) (local.get $stride)))
          (br $rest)))
      (local.set $w (i32.add (local.get $w) (local.get $size)))
      (local.set $scales (i32.add (local.get $scales) (i32.const 64)))
      (local.set $biases (i32.add (local.get $biases) (i32.const 64)))
      (local.set $out (i32.add (local.get $out) (i32.const 64)))
      (br_if $each_panel
        (i32.gt_s (local.tee $outputs (i32.sub (local.get $outputs) (i32.const 16))) (i32.const 0)))))

  ;; ---------------------------------------------------------------------------------------------- float32 products

  (func $sum4 (param $v v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
      (f32.add (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v)))))

  ;; out[m, n] = Σ a[m, k] · b[n, k]: rows of a × rows of b, float32. For numbers that are explained, which are exact.
  ;; count: a multiple of 4. `b` has a multiple of 4 rows.
  (func (export "multiplyFloats")
    (param $a i32) (param $b i32) (param $out i32) (param $rows i32) (param $outputs i32) (param $count i32)
    (local $bytes i32) (local $n i32) (local $p i32) (local $end i32) (local $bp i32) (local $v v128)
    (local $b1 i32) (local $b2 i32) (local $b3 i32)
    (local $s0 v128) (local $s1 v128) (local $s2 v128) (local $s3 v128)
    (local.set $bytes (i32.shl (local.get $count) (i32.const 2)))
    (loop $each_row
      (local.set $n (i32.const 0))
      (local.set $bp (local.get $b))
      (local.set $end (i32.add (local.get $a) (local.get $bytes)))
      (loop $four_outputs
        (local.set $p (local.get $a))
        (local.set $b1 (i32.add (local.get $bp) (local.get $bytes)))
        (local.set $b2 (i32.add (local.get $b1) (local.get $bytes)))
        (local.set $b3 (i32.add (local.get $b2) (local.get $bytes)))
        (local.set $s0 (v128.const f32x4 0 0 0 0))
        (local.set $s1 (v128.const f32x4 0 0 0 0))
        (local.set $s2 (v128.const f32x4 0 0 0 0))
        (local.set $s3 (v128.const f32x4 0 0 0 0))
        (loop $along
          (local.set $v (v128.load (local.get $p)))
          (local.set $s0 (f32x4.add (local.get $s0) (f32x4.mul (local.get $v) (v128.load (local.get $bp)))))
          (local.set $s1 (f32x4.add (local.get $s1) (f32x4.mul (local.get $v) (v128.load (local.get $b1)))))
          (local.set $s2 (f32x4.add (local.get $s2) (f32x4.mul (local.get $v) (v128.load (local.get $b2)))))
          (local.set $s3 (f32x4.add (local.get $s3) (f32x4.mul (local.get $v) (v128.load (local.get $b3)))))
          (local.set $bp (i32.add (local.get $bp) (i32.const 16)))
          (local.set $b1 (i32.add (local.get $b1) (i32.const 16)))
          (local.set $b2 (i32.add (local.get $b2) (i32.const 16)))
          (local.set $b3 (i32.add (local.get $b3) (i32.const 16)))
          (br_if $along (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 16))) (local.get $end))))
        (f32.store (local.get $out) (call $sum4 (local.get $s0)))
        (f32.store offset=4 (local.get $out) (call $sum4 (local.get $s1)))
        (f32.store offset=8 (local.get $out) (call $sum4 (local.get $s2)))
        (f32.store offset=12 (local.get $out) (call $sum4 (local.get $s3)))
        (local.set $bp (local.get $b3))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (br_if $four_outputs
          (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 4))) (local.get $outputs))))
      (local.set $a (local.get $end))
      (br_if $each_row (i32.gt_s (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))) (i32.const 0)))))

  ;; out[m, n] = scale[n] · Σ a[m, k] · b[n, k]: rows of float32 × rows of int8 as they are stored, for numbers that are
  ;; explained. Strides are bytes from row to row. outputs: a multiple of 2; count: of 8. Two rows of b stay in the cache
  ;; while all rows of a go past them, four at a time, then those that are left over.
  (func (export "multiplyMixed")
    (param $a i32) (param $a_stride i32) (param $b i32) (param $b_stride i32) (param $scales i32)
    (param $out i32) (param $out_stride i32) (param $rows i32) (param $outputs i32) (param $count i32)
    (local $left i32) (local $to i32) (local $end i32) (local $from i32)
    (local $q0 i32) (local $q1 i32) (local $p0 i32) (local $p1 i32) (local $p2 i32) (local $p3 i32)
    (local $v v128) (local $w v128) (local $l0 v128) (local $h0 v128) (local $l1 v128) (local $h1 v128)
    (local $c00 v128) (local $c01 v128) (local $c10 v128) (local $c11 v128)
    (local $c20 v128) (local $c21 v128) (local $c30 v128) (local $c31 v128)
    (loop $two_outputs
      (local.set $left (local.get $rows))
      (local.set $from (local.get $a))
      (local.set $to (local.get $out))
      (local.set $end (i32.add (local.get $b) (local.get $count)))
      (block $no_four (loop $four_rows
        (br_if $no_four (i32.lt_s (local.get $left) (i32.const 4)))
        (local.set $p0 (local.get $from))
        (local.set $p1 (i32.add (local.get $p0) (local.get $a_stride)))
        (local.set $p2 (i32.add (local.get $p1) (local.get $a_stride)))
        (local.set $p3 (i32.add (local.get $p2) (local.get $a_stride)))
        (local.set $from (i32.add (local.get $p3) (local.get $a_stride)))
        (local.set $c00 (v128.const f32x4 0 0 0 0))
        (local.set $c01 (v128.const f32x4 0 0 0 0))
        (local.set $c10 (v128.const f32x4 0 0 0 0))
        (local.set $c11 (v128.const f32x4 0 0 0 0))
        (local.set $c20 (v128.const f32x4 0 0 0 0))
        (local.set $c21 (v128.const f32x4 0 0 0 0))
        (local.set $c30 (v128.const f32x4 0 0 0 0))
        (local.set $c31 (v128.const f32x4 0 0 0 0))
        (local.set $q0 (local.get $b))
        (local.set $q1 (i32.add (local.get $b) (local.get $b_stride)))
        (loop $along_four
          (local.set $w (v128.load8x8_s (local.get $q0)))
          (local.set $l0 (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $w))))
          (local.set $h0 (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $w))))
          (local.set $w (v128.load8x8_s (local.get $q1)))
          (local.set $l1 (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $w))))
          (local.set $h1 (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $w))))
          (local.set $v (v128.load (local.get $p0)))
          (local.set $c00 (f32x4.add (local.get $c00) (f32x4.mul (local.get $v) (local.get $l0))))
          (local.set $c01 (f32x4.add (local.get $c01) (f32x4.mul (local.get $v) (local.get $l1))))
          (local.set $v (v128.load offset=16 (local.get $p0)))
          (local.set $c00 (f32x4.add (local.get $c00) (f32x4.mul (local.get $v) (local.get $h0))))
          (local.set $c01 (f32x4.add (local.get $c01) (f32x4.mul (local.get $v) (local.get $h1))))
          (local.set $v (v128.load (local.get $p1)))
          (local.set $c10 (f32x4.add (local.get $c10) (f32x4.mul (local.get $v) (local.get $l0))))
          (local.set $c11 (f32x4.add (local.get $c11) (f32x4.mul (local.get $v) (local.get $l1))))
          (local.set $v (v128.load offset=16 (local.get $p1)))
          (local.set $c10 (f32x4.add (local.get $c10) (f32x4.mul (local.get $v) (local.get $h0))))
          (local.set $c11 (f32x4.add (local.get $c11) (f32x4.mul (local.get $v) (local.get $h1))))
          (local.set $v (v128.load (local.get $p2)))
          (local.set $c20 (f32x4.add (local.get $c20) (f32x4.mul (local.get $v) (local.get $l0))))
          (local.set $c21 (f32x4.add (local.get $c21) (f32x4.mul (local.get $v) (local.get $l1))))
          (local.set $v (v128.load offset=16 (local.get $p2)))
          (local.set $c20 (f32x4.add (local.get $c20) (f32x4.mul (local.get $v) (local.get $h0))))
          (local.set $c21 (f32x4.add (local.get $c21) (f32x4.mul (local.get $v) (local.get $h1))))
          (local.set $v (v128.load (local.get $p3)))
          (local.set $c30 (f32x4.add (local.get $c30) (f32x4.mul (local.get $v) (local.get $l0))))
          (local.set $c31 (f32x4.add (local.get $c31) (f32x4.mul (local.get $v) (local.get $l1))))
          (local.set $v (v128.load offset=16 (local.get $p3)))
          (local.set $c30 (f32x4.add (local.get $c30) (f32x4.mul (local.get $v) (local.get $h0))))
          (local.set $c31 (f32x4.add (local.get $c31) (f32x4.mul (local.get $v) (local.get $h1))))
          (local.set $p0 (i32.add (local.get $p0) (i32.const 32)))
          (local.set $p1 (i32.add (local.get $p1) (i32.const 32)))
          (local.set $p2 (i32.add (local.get $p2) (i32.const 32)))
          (local.set $p3 (i32.add (local.get $p3) (i32.const 32)))
          (local.set $q1 (i32.add (local.get $q1) (i32.const 8)))
          (br_if $along_four (i32.lt_u (local.tee $q0 (i32.add (local.get $q0) (i32.const 8))) (local.get $end))))
        (f32.store (local.get $to) (f32.mul (call $sum4 (local.get $c00)) (f32.load (local.get $scales))))
        (f32.store offset=4 (local.get $to)
          (f32.mul (call $sum4 (local.get $c01)) (f32.load offset=4 (local.get $scales))))
        (local.set $to (i32.add (local.get $to) (local.get $out_stride)))
        (f32.store (local.get $to) (f32.mul (call $sum4 (local.get $c10)) (f32.load (local.get $scales))))
        (f32.store offset=4 (local.get $to)
          (f32.mul (call $sum4 (local.get $c11)) (f32.load offset=4 (local.get $scales))))
        (local.set $to (i32.add (local.get $to) (local.get $out_stride)))
        (f32.store (local.get $to) (f32.mul (call $sum4 (local.get $c20)) (f32.load (local.get $scales))))
        (f32.store offset=4 (local.get $to)
          (f32.mul (call $sum4 (local.get $c21)) (f32.load offset=4 (local.get $scales))))
        (local.set $to (i32.add (local.get $to) (local.get $out_stride)))
        (f32.store (local.get $to) (f32.mul (call $sum4 (local.get $c30)) (f32.load (local.get $scales))))
        (f32.store offset=4 (local.get $to)
          (f32.mul (call $sum4 (local.get $c31)) (f32.load offset=4 (local.get $scales))))
        (local.set $to (i32.add (local.get $to) (local.get $out_stride)))
        (local.set $left (i32.sub (local.get $left) (i32.const 4)))
        (br $four_rows)))
      (block $none (loop $one_row
        (br_if $none (i32.eqz (local.get $left)))
        (local.set $p0 (local.get $from))
        (local.set $from (i32.add (local.get $p0) (local.get $a_stride)))
        (local.set $c00 (v128.const f32x4 0 0 0 0))
        (local.set $c01 (v128.const f32x4 0 0 0 0))
        (local.set $q0 (local.get $b))
        (local.set $q1 (i32.add (local.get $b) (local.get $b_stride)))
        (loop $along_one
          (local.set $w (v128.load8x8_s (local.get $q0)))
          (local.set $l0 (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $w))))
          (local.set $h0 (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $w))))
          (local.set $w (v128.load8x8_s (local.get $q1)))
          (local.set $l1 (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $w))))
          (local.set $h1 (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $w))))
          (local.set $v (v128.load (local.get $p0)))
          (local.set $c00 (f32x4.add (local.get $c00) (f32x4.mul (local.get $v) (local.get $l0))))
          (local.set $c01 (f32x4.add (local.get $c01) (f32x4.mul (local.get $v) (local.get $l1))))
          (local.set $v (v128.load offset=16 (local.get $p0)))
          (local.set $c00 (f32x4.add (local.get $c00) (f32x4.mul (local.get $v) (local.get $h0))))
          (local.set $c01 (f32x4.add (local.get $c01) (f32x4.mul (local.get $v) (local.get $h1))))
          (local.set $p0 (i32.add (local.get $p0) (i32.const 32)))
          (local.set $q1 (i32.add (local.get $q1) (i32.const 8)))
          (br_if $along_one (i32.lt_u (local.tee $q0 (i32.add (local.get $q0) (i32.const 8))) (local.get $end))))
        (f32.store (local.get $to) (f32.mul (call $sum4 (local.get $c00)) (f32.load (local.get $scales))))
        (f32.store offset=4 (local.get $to)
          (f32.mul (call $sum4 (local.get $c01)) (f32.load offset=4 (local.get $scales))))
        (local.set $to (i32.add (local.get $to) (local.get $out_stride)))
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br $one_row)))
      (local.set $b (i32.add (local.get $b) (i32.shl (local.get $b_stride) (i32.const 1))))
      (local.set $scales (i32.add (local.get $scales) (i32.const 8)))
      (local.set $out (i32.add (local.get $out) (i32.const 8)))
      (br_if $two_outputs
        (i32.gt_s (local.tee $outputs (i32.sub (local.get $outputs) (i32.const 2))) (i32.const 0)))))

  ;; -------------------------------------------------------------------------------------------------------- e to x

  ;; out[i] = exp(x[i] − shift) → their sum. count: a multiple of 4. exp(x) = 2ⁿ · exp(r) with |r| ≤ ln 2 / 2, and for
  ;; exp(r) the first terms of its series, their factors fitted so that the last bit alone may be wrong.
  (func $exponentials (export "exponentials")
    (param $x i32) (param $count i32) (param $shift f32) (param $out i32) (result f32)
    (local $end i32) (local $v v128) (local $n v128) (local $r v128) (local $y v128) (local $sum v128) (local $s v128)
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $s (f32x4.splat (local.get $shift)))
    (loop $four
      (local.set $v
        (f32x4.min
          (f32x4.max
            (f32x4.sub (v128.load (local.get $x)) (local.get $s))
            (v128.const f32x4 -87.3 -87.3 -87.3 -87.3))
          (v128.const f32x4 88 88 88 88)))
      (local.set $n
        (f32x4.nearest
          (f32x4.mul (local.get $v) (v128.const f32x4 1.44269504 1.44269504 1.44269504 1.44269504))))
      (local.set $r  ;; less n · ln 2, in two parts so that nothing of it is lost
        (f32x4.sub
          (f32x4.sub
            (local.get $v)
            (f32x4.mul (local.get $n) (v128.const f32x4 0.693359375 0.693359375 0.693359375 0.693359375)))
          (f32x4.mul (local.get $n)
            (v128.const f32x4 -2.12194440e-4 -2.12194440e-4 -2.12194440e-4 -2.12194440e-4))))
      (local.set $y (v128.const f32x4 1.9875691500e-4 1.9875691500e-4 1.9875691500e-4 1.9875691500e-4))
      (local.set $y
        (f32x4.add (f32x4.mul (local.get $y) (local.get $r))
          (v128.const f32x4 1.3981999507e-3 1.3981999507e-3 1.3981999507e-3 1.3981999507e-3)))
      (local.set $y
        (f32x4.add (f32x4.mul (local.get $y) (local.get $r))
          (v128.const f32x4 8.3334519073e-3 8.3334519073e-3 8.3334519073e-3 8.3334519073e-3)))
      (local.set $y
        (f32x4.add (f32x4.mul (local.get $y) (local.get $r))
          (v128.const f32x4 4.1665795894e-2 4.1665795894e-2 4.1665795894e-2 4.1665795894e-2)))
      (local.set $y
        (f32x4.add (f32x4.mul (local.get $y) (local.get $r))
          (v128.const f32x4 1.6666665459e-1 1.6666665459e-1 1.6666665459e-1 1.6666665459e-1)))
      (local.set $y
        (f32x4.add (f32x4.mul (local.get $y) (local.get $r))
          (v128.const f32x4 5.0000001201e-1 5.0000001201e-1 5.0000001201e-1 5.0000001201e-1)))
      (local.set $y
        (f32x4.add
          (f32x4.add
            (f32x4.mul (f32x4.mul (local.get $y) (local.get $r)) (local.get $r))
            (local.get $r))
          (v128.const f32x4 1 1 1 1)))
      (local.set $y  ;; 2ⁿ is a float32 whose exponent is n
        (f32x4.mul
          (local.get $y)
          (i32x4.shl
            (i32x4.add (i32x4.trunc_sat_f32x4_s (local.get $n)) (v128.const i32x4 127 127 127 127))
            (i32.const 23))))
      (local.set $sum (f32x4.add (local.get $sum) (local.get $y)))
      (v128.store (local.get $out) (local.get $y))
      (local.set $out (i32.add (local.get $out) (i32.const 16)))
      (br_if $four (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $end))))
    (call $sum4 (local.get $sum)))

  ;; ---------------------------------------------------------------------------------------------------- activations

  ;; GELU(x) = x · (1 + erf(x / √2)) / 2, in place; erf after Abramowitz and Stegun, 7.1.26. scratch: as large as x.
  (func (export "gelu") (param $x i32) (param $count i32) (param $scratch i32)
    (local $p i32) (local $e i32) (local $end i32) (local $v v128) (local $z v128) (local $t v128) (local $y v128)
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $p (local.get $x))
    (local.set $e (local.get $scratch))
    (loop $squares  ;; −(x / √2)²
      (local.set $v (v128.load (local.get $p)))
      (v128.store (local.get $e)
        (f32x4.mul (f32x4.mul (local.get $v) (local.get $v)) (v128.const f32x4 -0.5 -0.5 -0.5 -0.5)))
      (local.set $e (i32.add (local.get $e) (i32.const 16)))
      (br_if $squares (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 16))) (local.get $end))))
    (drop
      (call $exponentials (local.get $scratch) (local.get $count) (f32.const 0) (local.get $scratch)))
    (loop $four
      (local.set $v (v128.load (local.get $x)))
      (local.set $z
        (f32x4.mul (f32x4.abs (local.get $v))
          (v128.const f32x4 0.70710678118 0.70710678118 0.70710678118 0.70710678118)))
      (local.set $t
        (f32x4.div (v128.const f32x4 1 1 1 1)
          (f32x4.add (v128.const f32x4 1 1 1 1)
            (f32x4.mul (local.get $z) (v128.const f32x4 0.3275911 0.3275911 0.3275911 0.3275911)))))
      (local.set $y (v128.const f32x4 1.061405429 1.061405429 1.061405429 1.061405429))
      (local.set $y
        (f32x4.add (f32x4.mul (local.get $y) (local.get $t))
          (v128.const f32x4 -1.453152027 -1.453152027 -1.453152027 -1.453152027)))
      (local.set $y
        (f32x4.add (f32x4.mul (local.get $y) (local.get $t))
          (v128.const f32x4 1.421413741 1.421413741 1.421413741 1.421413741)))
      (local.set $y
        (f32x4.add (f32x4.mul (local.get $y) (local.get $t))
          (v128.const f32x4 -0.284496736 -0.284496736 -0.284496736 -0.284496736)))
      (local.set $y
        (f32x4.add (f32x4.mul (local.get $y) (local.get $t))
          (v128.const f32x4 0.254829592 0.254829592 0.254829592 0.254829592)))
      (local.set $y  ;; erf of |x| / √2, with the sign of x
        (v128.or
          (f32x4.sub (v128.const f32x4 1 1 1 1)
            (f32x4.mul (f32x4.mul (local.get $y) (local.get $t)) (v128.load (local.get $scratch))))
          (v128.and (local.get $v)
            (v128.const i32x4 0x80000000 0x80000000 0x80000000 0x80000000))))
      (v128.store (local.get $x)
        (f32x4.mul
          (f32x4.mul (local.get $v) (v128.const f32x4 0.5 0.5 0.5 0.5))
          (f32x4.add (local.get $y) (v128.const f32x4 1 1 1 1))))
      (local.set $scratch (i32.add (local.get $scratch) (i32.const 16)))
      (br_if $four (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $end)))))

  ;; SwiGLU, in place: x[i] = x[i] / (1 + exp(−x[i])) · gate[i].
  (func (export "swiglu") (param $x i32) (param $gate i32) (param $count i32) (param $scratch i32)
    (local $p i32) (local $e i32) (local $end i32)
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $p (local.get $x))
    (local.set $e (local.get $scratch))
    (loop $negatives
      (v128.store (local.get $e) (f32x4.neg (v128.load (local.get $p))))
      (local.set $e (i32.add (local.get $e) (i32.const 16)))
      (br_if $negatives (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 16))) (local.get $end))))
    (drop
      (call $exponentials (local.get $scratch) (local.get $count) (f32.const 0) (local.get $scratch)))
    (loop $four
      (v128.store (local.get $x)
        (f32x4.mul
          (f32x4.div (v128.load (local.get $x))
            (f32x4.add (v128.const f32x4 1 1 1 1) (v128.load (local.get $scratch))))
          (v128.load (local.get $gate))))
      (local.set $scratch (i32.add (local.get $scratch) (i32.const 16)))
      (local.set $gate (i32.add (local.get $gate) (i32.const 16)))
      (br_if $four (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $end)))))

  ;; ------------------------------------------------------------------------------------------------ sums and norms

  ;; x += y
  (func (export "add") (param $x i32) (param $y i32) (param $count i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $count) (i32.const 2))))
    (loop $four
      (v128.store (local.get $x) (f32x4.add (v128.load (local.get $x)) (v128.load (local.get $y))))
      (local.set $y (i32.add (local.get $y) (i32.const 16)))
      (br_if $four (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $end)))))

  ;; (x − μ) / √(σ² + 1e-5) · γ + β for each of the rows, which lie one behind the other. size: numbers of a row;
  ;; padded: the same with the zeros behind them, where γ and β are 0 too. x and out may be the same.
  (func (export "layerNorm")
    (param $x i32) (param $rows i32) (param $padded i32) (param $size i32)
    (param $gamma i32) (param $beta i32) (param $out i32)
    (local $p i32) (local $end i32) (local $at i32) (local $v v128) (local $sum v128) (local $other v128)
    (local $mean f32) (local $inverse v128) (local $m v128)
    (loop $each_row
      (local.set $end (i32.add (local.get $x) (i32.shl (local.get $padded) (i32.const 2))))
      (local.set $sum (v128.const f32x4 0 0 0 0))
      (local.set $other (v128.const f32x4 0 0 0 0))
      (local.set $p (local.get $x))
      (loop $adding
        (local.set $sum (f32x4.add (local.get $sum) (v128.load (local.get $p))))
        (local.set $other (f32x4.add (local.get $other) (v128.load offset=16 (local.get $p))))
        (br_if $adding (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 32))) (local.get $end))))
      (local.set $mean
        (f32.div
          (call $sum4 (f32x4.add (local.get $sum) (local.get $other)))
          (f32.convert_i32_u (local.get $size))))
      (local.set $m (f32x4.splat (local.get $mean)))
      (local.set $sum (v128.const f32x4 0 0 0 0))
      (local.set $other (v128.const f32x4 0 0 0 0))
      (local.set $p (local.get $x))
      (loop $squaring
        (local.set $v (f32x4.sub (v128.load (local.get $p)) (local.get $m)))
        (local.set $sum (f32x4.add (local.get $sum) (f32x4.mul (local.get $v) (local.get $v))))
        (local.set $v (f32x4.sub (v128.load offset=16 (local.get $p)) (local.get $m)))
        (local.set $other (f32x4.add (local.get $other) (f32x4.mul (local.get $v) (local.get $v))))
        (br_if $squaring (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 32))) (local.get $end))))
      (local.set $inverse  ;; the zeros behind a row are no part of it: their (0 − μ)² are taken off again
        (f32x4.splat
          (f32.div (f32.const 1)
            (f32.sqrt
              (f32.add
                (f32.div
                  (f32.sub
                    (call $sum4 (f32x4.add (local.get $sum) (local.get $other)))
                    (f32.mul
                      (f32.convert_i32_u (i32.sub (local.get $padded) (local.get $size)))
                      (f32.mul (local.get $mean) (local.get $mean))))
                  (f32.convert_i32_u (local.get $size)))
                (f32.const 1e-5))))))
      (local.set $at (i32.const 0))
      (loop $writing
        (v128.store (local.get $out)
          (f32x4.add
            (f32x4.mul
              (f32x4.mul (f32x4.sub (v128.load (local.get $x)) (local.get $m)) (local.get $inverse))
              (v128.load (i32.add (local.get $gamma) (local.get $at))))
            (v128.load (i32.add (local.get $beta) (local.get $at)))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (br_if $writing (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $end))))
      (br_if $each_row (i32.gt_s (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))) (i32.const 0)))))

  ;; ------------------------------------------------------------------------------------------------------ positions

  ;; Turns each pair of numbers of all heads of one row by its angle: x · cos + (its partner) · ∓sin. cosines, sines:
  ;; of one head, each angle twice, the sines with their signs (−, +).
  (func (export "rotate") (param $x i32) (param $heads i32) (param $size i32) (param $cosines i32) (param $sines i32)
    (local $at i32) (local $bytes i32) (local $v v128)
    (local.set $bytes (i32.shl (local.get $size) (i32.const 2)))
    (loop $each_head
      (local.set $at (i32.const 0))
      (loop $four
        (local.set $v (v128.load (local.get $x)))
        (v128.store (local.get $x)
          (f32x4.add
            (f32x4.mul (local.get $v) (v128.load (i32.add (local.get $cosines) (local.get $at))))
            (f32x4.mul
              (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $v) (local.get $v))
              (v128.load (i32.add (local.get $sines) (local.get $at))))))
        (local.set $x (i32.add (local.get $x) (i32.const 16)))
        (br_if $four (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $bytes))))
      (br_if $each_head (i32.gt_s (local.tee $heads (i32.sub (local.get $heads) (i32.const 1))) (i32.const 0)))))

  ;; ------------------------------------------------------------------------------------------------------ attention

  ;; softmax(q · Kᵀ · scale + bias) · V for some queries and all heads. Where a key's row lies is read in a table of
  ;; addresses, so that hypotheses that share a past share its rows. Query m has the table `table + m · tableStep`
  ;; and sees its first `keys + m · keysStep` entries. keyAt, valueAt: bytes from the beginning of a row to its keys
  ;; and values. slopes: 0, or a float32 per head, and −slope · |position − key| is added (ALiBi); query m stands at
  ;; `position + m · positionStep`. scores: room for the largest number of keys, and 4.
  (func (export "attend")
    (param $q i32) (param $q_stride i32) (param $queries i32) (param $table i32) (param $table_step i32)
    (param $keys i32) (param $keys_step i32) (param $key_at i32) (param $value_at i32)
    (param $heads i32) (param $size i32) (param $scale f32) (param $slopes i32) (param $position i32)
    (param $position_step i32)
    (param $out i32) (param $out_stride i32) (param $scores i32)
    (local $head i32) (local $bytes i32) (local $entry i32) (local $last i32) (local $to i32) (local $p i32)
    (local $end i32) (local $row i32) (local $most f32) (local $s f32) (local $slope f32) (local $offset i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $w v128) (local $j i32)
    (local.set $bytes (i32.shl (local.get $size) (i32.const 2)))
    (loop $each_query
      (local.set $last (i32.add (local.get $table) (i32.shl (local.get $keys) (i32.const 2))))
      (local.set $head (i32.const 0))
      (local.set $offset (i32.const 0))
      (loop $each_head
        (local.set $slope
          (if (result f32) (local.get $slopes)
            (then (f32.load (i32.add (local.get $slopes) (i32.shl (local.get $head) (i32.const 2)))))
            (else (f32.const 0))))
        ;; scores
        (local.set $entry (local.get $table))
        (local.set $to (local.get $scores))
        (local.set $most (f32.const -3.4e38))
        (local.set $j (i32.const 0))
        (local.set $end (i32.add (i32.add (local.get $q) (local.get $offset)) (local.get $bytes)))
        (loop $each_key
          (local.set $row
            (i32.add (i32.add (i32.load (local.get $entry)) (local.get $key_at)) (local.get $offset)))
          (local.set $p (i32.add (local.get $q) (local.get $offset)))
          (local.set $a (v128.const f32x4 0 0 0 0))
          (local.set $b (v128.const f32x4 0 0 0 0))
          (local.set $c (v128.const f32x4 0 0 0 0))
          (local.set $d (v128.const f32x4 0 0 0 0))
          (loop $along
            (local.set $a
              (f32x4.add (local.get $a) (f32x4.mul (v128.load (local.get $p)) (v128.load (local.get $row)))))
            (local.set $b
              (f32x4.add (local.get $b)
                (f32x4.mul (v128.load offset=16 (local.get $p)) (v128.load offset=16 (local.get $row)))))
            (local.set $c
              (f32x4.add (local.get $c)
                (f32x4.mul (v128.load offset=32 (local.get $p)) (v128.load offset=32 (local.get $row)))))
            (local.set $d
              (f32x4.add (local.get $d)
                (f32x4.mul (v128.load offset=48 (local.get $p)) (v128.load offset=48 (local.get $row)))))
            (local.set $row (i32.add (local.get $row) (i32.const 64)))
            (br_if $along (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 64))) (local.get $end))))
          (local.set $s
            (f32.mul
              (call $sum4
                (f32x4.add (f32x4.add (local.get $a) (local.get $b)) (f32x4.add (local.get $c) (local.get $d))))
              (local.get $scale)))
          (local.set $s
            (f32.sub (local.get $s)
              (f32.mul (local.get $slope)
                (f32.abs (f32.convert_i32_s (i32.sub (local.get $position) (local.get $j)))))))
          (local.set $most (f32.max (local.get $most) (local.get $s)))
          (f32.store (local.get $to) (local.get $s))
          (local.set $to (i32.add (local.get $to) (i32.const 4)))
          (local.set $j (i32.add (local.get $j) (i32.const 1)))
          (br_if $each_key
            (i32.lt_u (local.tee $entry (i32.add (local.get $entry) (i32.const 4))) (local.get $last))))
        ;; up to a multiple of four, with what has no weight
        (v128.store align=4 (local.get $to) (v128.const f32x4 -3e38 -3e38 -3e38 -3e38))
        (local.set $s
          (f32.div (f32.const 1)
            (call $exponentials
              (local.get $scores)
              (i32.and (i32.add (local.get $keys) (i32.const 3)) (i32.const -4))
              (local.get $most)
              (local.get $scores))))
        ;; values: 16 numbers at a time
        (local.set $p (i32.const 0))
        (loop $sixteen
          (local.set $entry (local.get $table))
          (local.set $to (local.get $scores))
          (local.set $a (v128.const f32x4 0 0 0 0))
          (local.set $b (v128.const f32x4 0 0 0 0))
          (local.set $c (v128.const f32x4 0 0 0 0))
          (local.set $d (v128.const f32x4 0 0 0 0))
          (local.set $j (i32.add (i32.add (local.get $value_at) (local.get $offset)) (local.get $p)))
          (loop $each_value
            (local.set $w (v128.load32_splat (local.get $to)))
            (local.set $row (i32.add (i32.load (local.get $entry)) (local.get $j)))
            (local.set $a (f32x4.add (local.get $a) (f32x4.mul (local.get $w) (v128.load (local.get $row)))))
            (local.set $b
              (f32x4.add (local.get $b) (f32x4.mul (local.get $w) (v128.load offset=16 (local.get $row)))))
            (local.set $c
              (f32x4.add (local.get $c) (f32x4.mul (local.get $w) (v128.load offset=32 (local.get $row)))))
            (local.set $d
              (f32x4.add (local.get $d) (f32x4.mul (local.get $w) (v128.load offset=48 (local.get $row)))))
            (local.set $to (i32.add (local.get $to) (i32.const 4)))
            (br_if $each_value
              (i32.lt_u (local.tee $entry (i32.add (local.get $entry) (i32.const 4))) (local.get $last))))
          (local.set $w (f32x4.splat (local.get $s)))
          (local.set $row (i32.add (i32.add (local.get $out) (local.get $offset)) (local.get $p)))
          (v128.store (local.get $row) (f32x4.mul (local.get $a) (local.get $w)))
          (v128.store offset=16 (local.get $row) (f32x4.mul (local.get $b) (local.get $w)))
          (v128.store offset=32 (local.get $row) (f32x4.mul (local.get $c) (local.get $w)))
          (v128.store offset=48 (local.get $row) (f32x4.mul (local.get $d) (local.get $w)))
          (br_if $sixteen (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 64))) (local.get $bytes))))
        (local.set $offset (i32.add (local.get $offset) (local.get $bytes)))
        (br_if $each_head (i32.lt_u (local.tee $head (i32.add (local.get $head) (i32.const 1))) (local.get $heads))))
      (local.set $q (i32.add (local.get $q) (local.get $q_stride)))
      (local.set $out (i32.add (local.get $out) (local.get $out_stride)))
      (local.set $table (i32.add (local.get $table) (local.get $table_step)))
      (local.set $keys (i32.add (local.get $keys) (local.get $keys_step)))
      (local.set $position (i32.add (local.get $position) (local.get $position_step)))
      (br_if $each_query
        (i32.gt_s (local.tee $queries (i32.sub (local.get $queries) (i32.const 1))) (i32.const 0)))))

  ;; ------------------------------------------------------------------------------------------------ the next token

  ;; The k largest of `count` numbers (a multiple of 4), largest first: their values and where they stand. One pass:
  ;; most numbers are below the smallest of those that are kept, and are dropped four at a time.
  (func (export "topK") (param $x i32) (param $count i32) (param $k i32) (param $values i32) (param $places i32)
    (local $i i32) (local $lane i32) (local $least f32) (local $v f32) (local $at i32) (local $last i32)
    (local.set $last (i32.shl (i32.sub (local.get $k) (i32.const 1)) (i32.const 2)))
    (loop $empty
      (f32.store (i32.add (local.get $values) (local.get $at)) (f32.const -inf))
      (i32.store (i32.add (local.get $places) (local.get $at)) (i32.const 0))
      (br_if $empty (i32.le_u (local.tee $at (i32.add (local.get $at) (i32.const 4))) (local.get $last))))
    (local.set $least (f32.const -inf))
    (loop $four
      (if (v128.any_true (f32x4.gt (v128.load (local.get $x)) (f32x4.splat (local.get $least))))
        (then
          (local.set $lane (i32.const 0))
          (loop $each
            (local.set $v (f32.load (i32.add (local.get $x) (i32.shl (local.get $lane) (i32.const 2)))))
            (if (f32.gt (local.get $v) (local.get $least))
              (then  ;; what is smaller moves one place down, and the last falls out
                (local.set $at (local.get $last))
                (block $found
                  (loop $down
                    (br_if $found (i32.eqz (local.get $at)))
                    (br_if $found
                      (f32.ge
                        (f32.load (i32.sub (i32.add (local.get $values) (local.get $at)) (i32.const 4)))
                        (local.get $v)))
                    (f32.store (i32.add (local.get $values) (local.get $at))
                      (f32.load (i32.sub (i32.add (local.get $values) (local.get $at)) (i32.const 4))))
                    (i32.store (i32.add (local.get $places) (local.get $at))
                      (i32.load (i32.sub (i32.add (local.get $places) (local.get $at)) (i32.const 4))))
                    (local.set $at (i32.sub (local.get $at) (i32.const 4)))
                    (br $down)))
                (f32.store (i32.add (local.get $values) (local.get $at)) (local.get $v))
                (i32.store (i32.add (local.get $places) (local.get $at))
                  (i32.add (local.get $i) (local.get $lane)))
                (local.set $least (f32.load (i32.add (local.get $values) (local.get $last))))))
            (br_if $each
              (i32.lt_u (local.tee $lane (i32.add (local.get $lane) (i32.const 1))) (i32.const 4))))))
      (local.set $x (i32.add (local.get $x) (i32.const 16)))
      (br_if $four (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 4))) (local.get $count)))))
)
