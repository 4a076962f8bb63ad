// warpgrade corpus; 2 blocks of 64 threads; input 302; output 20480 bytes
#include "corpus.cuh"
CORPUS_KERNEL {
  CORPUS_OPERANDS;
  int r = 0;
  rows.put(r++, __double2int_rn(ga));
  rows.put(r++, __double2int_rd(gb));
  rows.put(r++, __double2uint_ru(ga));
  rows.put(r, __double2ll_rz(ga)), r += 2;
  rows.put(r, __double2ull_rn(gb)), r += 2;
  rows.put(r++, __double2float_rz(ga));
  rows.put(r++, __double2float_ru(gb));
  rows.put(r, __ll2double_ru(static_cast<long long>(a) * static_cast<int>(b))), r += 2;
  rows.put(r, __dadd_rz(ga, gb)), r += 2;
  rows.put(r, __dmul_ru(ga, gb)), r += 2;
  rows.put(r, __fma_rd(ga, gb, gc)), r += 2;
  rows.put(r, __ddiv_rn(ga, gb)), r += 2;
  rows.put(r, __drcp_ru(ga)), r += 2;
  rows.put(r, __dsqrt_rz(gb)), r += 2;
  rows.put(r, floor(ga)), r += 2;
  rows.put(r, rint(gb)), r += 2;
  rows.put(r, round(ga)), r += 2;
  rows.put(r, fmin(ga, gb)), r += 2;
  rows.put(r, fmax(gb, gc)), r += 2;
  rows.put(r, copysign(fabs(ga), gb)), r += 2;
  rows.put(r++, __double2hiint(ga) ^ __double2loint(gb));
  rows.put(r, __hiloint2double(static_cast<int>(a), static_cast<int>(b)) > ga ? gb : gc), r += 2;
  rows.put(r, fma(ga, gb, gc) + static_cast<double>(fa)), r += 2;
}
