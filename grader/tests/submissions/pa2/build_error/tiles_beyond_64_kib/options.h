#pragma once

constexpr int BX = 32, BY = 8;
constexpr int TILEDIM_M = 128, TILEDIM_N = 128, TILEDIM_K = 128;
constexpr int SMALL_UP_TO = 0;
constexpr int SMALL_BX = 32, SMALL_BY = 8;
constexpr int SMALL_TILEDIM_M = 128, SMALL_TILEDIM_N = 128, SMALL_TILEDIM_K = 128;
