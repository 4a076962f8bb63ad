// The parts of HTML pages as bytes in the program; CMakeLists.txt says where they lie.
        .section .rodata
.macro embed name, file
        .global warpgrade_html_\name\()_begin, warpgrade_html_\name\()_end
warpgrade_html_\name\()_begin:
        .incbin "\file"
warpgrade_html_\name\()_end:
        .byte 0
.endm
        embed page, "html/page.mustache"
        embed style, "html/style.css"
        embed submission_body, "html/submission.mustache"
        embed class_body, "html/class.mustache"
        embed leaderboard_body, "html/leaderboard.mustache"
        embed service_body, "html/service.mustache"
        embed charts, "html/charts.js"
        embed submission, "html/submission.js"
        embed class_page, "html/class.js"
        embed debug_body, "html/debug.mustache"
        embed player_body, "html/player.mustache"
        embed debug, "html/debug.js"
        embed live, "html/live.js"
        embed chart_library, WARPGRADE_CHART_LIBRARY
        .section .note.GNU-stack,"",%progbits
