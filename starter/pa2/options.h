// The geometry of your kernel, as numbers for you to tune. They are compiled into matmul.cu and checked by
// pa2.h.
//
// A block has BX threads in x and BY threads in y. It computes TILEDIM_M x TILEDIM_N elements of C, so each
// thread computes (TILEDIM_M / BY) x (TILEDIM_N / BX) of them. The block walks along K in strides of
// TILEDIM_K.
//
//     ./grade tune matmul -D BX=16,32 -D BY=8,16       measures all combinations
#pragma once

// TODO(1): choose. These values work, but they are not a good choice.
constexpr int BX = 8, BY = 8;
constexpr int TILEDIM_M = 64, TILEDIM_N = 32, TILEDIM_K = 32;

// A second geometry, for C with at most SMALL_UP_TO rows and columns: too few large tiles would leave the GPU
// idle. With SMALL_UP_TO = 0, it is never used.
// TODO(2): choose again.
constexpr int SMALL_UP_TO = 0;
constexpr int SMALL_BX = 8, SMALL_BY = 8;
constexpr int SMALL_TILEDIM_M = 64, SMALL_TILEDIM_N = 32, SMALL_TILEDIM_K = 32;
