// Files as bytes in the program; setup/CMakeLists.txt says which.
        .section .rodata
        .balign 16
        .global warpgrade_worker_begin, warpgrade_worker_end, warpgrade_server_begin, warpgrade_server_end
warpgrade_worker_begin:
        .incbin WARPGRADE_WORKER
warpgrade_worker_end:
        .global warpgrade_worker_clang_begin, warpgrade_worker_clang_end
warpgrade_worker_clang_begin:
        .incbin WARPGRADE_WORKER_CLANG
warpgrade_worker_clang_end:
warpgrade_server_begin:
        .incbin WARPGRADE_SERVER
warpgrade_server_end:
        .global warpgrade_simulator_begin, warpgrade_simulator_end
warpgrade_simulator_begin:
        .incbin WARPGRADE_SIMULATOR
warpgrade_simulator_end:
        .section .note.GNU-stack,"",%progbits
