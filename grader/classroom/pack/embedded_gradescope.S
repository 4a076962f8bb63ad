// The two scripts of a Gradescope autograder as bytes in the program.
        .section .rodata
        .global warpgrade_gradescope_setup_begin, warpgrade_gradescope_setup_end
        .global warpgrade_gradescope_run_begin, warpgrade_gradescope_run_end
warpgrade_gradescope_setup_begin:
        .incbin WARPGRADE_GRADESCOPE_SETUP
warpgrade_gradescope_setup_end:
warpgrade_gradescope_run_begin:
        .incbin WARPGRADE_GRADESCOPE_RUN
warpgrade_gradescope_run_end:
        .section .note.GNU-stack,"",%progbits
