// The runtimes that ./simt run puts in the place of CUDA's, one for each toolkit, and what it puts in the place of NCCL.
        .section .rodata
        .balign 16
        .global warpgrade_cudart12_begin, warpgrade_cudart12_end, warpgrade_cudart13_begin, warpgrade_cudart13_end
warpgrade_cudart12_begin:
        .incbin WARPGRADE_CUDART_12
warpgrade_cudart12_end:
warpgrade_cudart13_begin:
        .incbin WARPGRADE_CUDART_13
warpgrade_cudart13_end:
        .global warpgrade_nccl_begin, warpgrade_nccl_end
        .balign 16
warpgrade_nccl_begin:
        .incbin WARPGRADE_NCCL
warpgrade_nccl_end:
        .section .note.GNU-stack,"",%progbits
