// The parts of the workspace's page as bytes in the program; CMakeLists.txt says where they lie.
        .section .rodata
.macro embed name, file
        .global warpgrade_workspace_\name\()_begin, warpgrade_workspace_\name\()_end
warpgrade_workspace_\name\()_begin:
        .incbin "\file"
warpgrade_workspace_\name\()_end:
        .byte 0
.endm
        embed body, "html/workspace.mustache"
        embed style, "html/workspace.css"
        embed script, "html/workspace.js"
        embed editor, WARPGRADE_EDITOR
        embed licences, WARPGRADE_EDITOR_LICENCES
        .section .note.GNU-stack,"",%progbits
