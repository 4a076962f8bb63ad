#pragma once

constexpr int BX = 8, BY = 8;
constexpr int TILEDIM_M = 100, TILEDIM_N = 32, TILEDIM_K = 32;
constexpr int SMALL_UP_TO = 0;
constexpr int SMALL_BX = 8, SMALL_BY = 8;
constexpr int SMALL_TILEDIM_M = 100, SMALL_TILEDIM_N = 32, SMALL_TILEDIM_K = 32;
