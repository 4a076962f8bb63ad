// Handed in a file that holds a comment only.
// Verdict: build_error, the launcher that the grader calls is not there.
