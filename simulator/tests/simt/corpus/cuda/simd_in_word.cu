// warpgrade corpus; 2 blocks of 64 threads; input 304; output 16384 bytes
#include "corpus.cuh"
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  int r = 0;
  rows.put(r++, __vadd4(a, b));
  rows.put(r++, __vsub4(a, b));
  rows.put(r++, __vabsdiffu4(a, b));
  rows.put(r++, __vabsdiffs4(a, b));
  rows.put(r++, __vabs4(a));
  rows.put(r++, __vavgu4(a, b));
  rows.put(r++, __vcmpeq4(a, b));
  rows.put(r++, __vcmpgts4(a, b));
  rows.put(r++, __vcmpltu4(a, b));
  rows.put(r++, __vmaxs4(a, b));
  rows.put(r++, __vminu4(a, b));
  rows.put(r++, __vneg4(a));
  rows.put(r++, __vsadu4(a, b));
  rows.put(r++, __vsads4(a, b));
  rows.put(r++, __vseteq4(a, b));
  rows.put(r++, __vaddus4(a, b));
  rows.put(r++, __vsubss4(a, b));
  rows.put(r++, __vadd2(a, b));
  rows.put(r++, __vsub2(a, b));
  rows.put(r++, __vmaxs2(a, b));
  rows.put(r++, __vminu2(a, b));
  rows.put(r++, __vabsdiffs2(a, b));
  rows.put(r++, __vaddss2(a, b));
  rows.put(r++, __vsubus2(a, b));
  rows.put(r++, __vcmpges2(a, b));
  rows.put(r++, __vsetltu2(a, b));
  rows.put(r++, __vhaddu2(a, b));

  rows.put(r++, __viaddmax_s32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
  rows.put(r++, __vimax3_s32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
  rows.put(r++, __viaddmin_u16x2(a, b, c));
  rows.put(r++, __vimin3_s16x2(a, b, c));
  rows.put(r++, __vimax_s32_relu(static_cast<int>(a), static_cast<int>(b)));
}
