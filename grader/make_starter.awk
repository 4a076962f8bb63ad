# Turns one solution file into the file that students get:  awk -f grader/make_starter.awk solution > starter
#
#   // TODO(n): what to do        n = 1, 2, ...: announces region n, in this order; stays
#   // STUB: code                 becomes `code`; optional, between TODO(n) and BEGIN SOLUTION
#   // BEGIN SOLUTION             this line, what follows and the END line are dropped
#   // END SOLUTION
#
#   // BEGIN FIX                  of a bug hunt: this line, what follows and the END line are dropped without a trace,
#   // FAULT: code                and `code` takes their place; the right code comes after it
#   // END FIX
#
# The markers stand on lines of their own, exactly so spelt; in YAML files # stands for //. A file without any is copied. Whatever looks like a
# marker and is none stops the build, and so does a region without its TODO(n): a misspelt marker would hand out the
# answer. Prints `file:line: reason` to standard error and exits with 1 on such a fault.
function stop(line, why) {
  print FILENAME ":" line ": " why > "/dev/stderr"
  failed = 1
  exit 1
}

FNR == 1 { comment = "^[ \t]*" (FILENAME ~ /\.yaml$/ ? "#" : "//") " " }

sub(/\r$/, "") { stop(FNR, "ends in a carriage return; solutions/ uses plain newlines") }

$0 ~ comment "BEGIN FIX$" {
  if (open || mending) stop(FNR, "BEGIN FIX inside the region that began in line " (open ? open : mending))
  mending = FNR
  mended = 0
  next
}
$0 ~ comment "END FIX$" {
  if (!mending) stop(FNR, "END FIX without BEGIN FIX")
  mending = 0
  next
}
$0 ~ comment "FAULT: .*[^ \t]" {
  if (!mending) stop(FNR, "FAULT belongs after BEGIN FIX")
  if (mended) stop(FNR, "FAULT belongs before the code of the fix")
  sub(/(\/\/|#) FAULT: /, "")
  print
  next
}
$0 ~ comment "BEGIN SOLUTION$" {
  if (mending) stop(FNR, "BEGIN SOLUTION inside the FIX that began in line " mending)
  if (open) stop(FNR, "BEGIN SOLUTION inside the region that began in line " open)
  if (todos != ++regions) stop(FNR, "region " regions " has no TODO(" regions ") above it")
  open = FNR
  next
}
$0 ~ comment "END SOLUTION$" {
  if (!open) stop(FNR, "END SOLUTION without BEGIN SOLUTION")
  open = 0
  next
}
$0 ~ comment "STUB: [^ \t]" {
  if (open || todos != regions + 1) stop(FNR, "STUB belongs between TODO(n) and BEGIN SOLUTION")
  sub(/(\/\/|#) STUB: /, "")
  print
  next
}
$0 ~ comment "TODO\\([0-9]+\\): [^ \t]" {
  if (open) stop(FNR, "TODO inside a solution: students would never see it")
  match($0, /[0-9]+/)
  if (substr($0, RSTART, RLENGTH) + 0 != ++todos) stop(FNR, "expected TODO(" todos ") here")
  if (todos != regions + 1) stop(FNR, "TODO(" todos - 1 ") above has no region of its own")
  print
  next
}
toupper($0) ~ /(BEGIN|END|START|STOP)[ \t_-]*(OF[ \t_-]*)?(THE[ \t_-]*)?SOL[A-Z]*|(BEGIN|END)[ \t_-]*(OF[ \t_-]*)?(THE[ \t_-]*)?FIX|STUB[ \t]*:|(^|[^A-Z])FAULT[ \t]*:|TODO/ {
  stop(FNR, "looks like a marker and is none: " $0)
}
mending { mended = 1 }
!open && !mending { print }

END {
  if (failed) exit 1
  if (open) stop(open, "BEGIN SOLUTION is never closed by END SOLUTION")
  if (mending) stop(mending, "BEGIN FIX is never closed by END FIX")
  if (todos != regions) stop(FNR, "TODO(" todos ") has no region")
}
