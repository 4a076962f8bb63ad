#pragma once

constexpr int BX = 16, BY = 4;
constexpr int TILEDIM_M = 32, TILEDIM_N = 32, TILEDIM_K = 16;
constexpr int SMALL_UP_TO = 0;
constexpr int SMALL_BX = 16, SMALL_BY = 4;
constexpr int SMALL_TILEDIM_M = 32, SMALL_TILEDIM_N = 32, SMALL_TILEDIM_K = 16;
