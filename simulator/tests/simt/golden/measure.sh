#!/bin/bash
# Measures the second golden set on an NVIDIA GPU: needs nvcc, ncu, cuobjdump, compute-sanitizer and python3, and leave to
# read the GPU's counters. Takes about a minute.
#
#   measure.sh OUT     leaves in the folder OUT: h200_kernels2.csv (a row a launch), sass_counts.csv (a row a kernel),
#                      sass.txt.gz (the machine code), sanitizer.txt, log.txt (versions, metrics this GPU lacks)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: measure.sh OUT}
mkdir -p "$out"
out=$(cd "$out" && pwd)
exec > >(tee "$out/log.txt") 2>&1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here"

flags=(-std=c++17 -arch=sm_90 -lineinfo -I"$here/../../../../solutions/hw6" -Xcompiler -O2)
nvcc --version | tail -n 2
ncu --version | tail -n 1
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
nvcc "${flags[@]}" -o "$work/main2" main2.cu &
first=$!
nvcc "${flags[@]}" -o "$work/main1" main.cu &
wait $first $!  # without names it would wait for tee as well
"$work/main2" | { grep -v ^launched || true; }

for program in main1 main2; do cuobjdump -sass "$work/$program"; done > "$work/sass.txt"
gzip -c "$work/sass.txt" > "$out/sass.txt.gz"

# Metric and column, in the order of the columns. The first ones are those of h200_kernels.csv.
cat > "$work/wanted" <<'TEXT'
l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum global_load_requests
l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum global_load_sectors
l1tex__t_requests_pipe_lsu_mem_global_op_st.sum global_store_requests
l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum global_store_sectors
smsp__inst_executed_op_shared_ld.sum shared_load_requests
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum shared_load_wavefronts
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum shared_load_conflicts
smsp__inst_executed_op_shared_st.sum shared_store_requests
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum shared_store_wavefronts
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum shared_store_conflicts
smsp__sass_thread_inst_executed_op_ffma_pred_on.sum ffma_threads
smsp__sass_thread_inst_executed_op_fadd_pred_on.sum fadd_threads
smsp__sass_thread_inst_executed_op_fmul_pred_on.sum fmul_threads
smsp__sass_thread_inst_executed_op_dfma_pred_on.sum dfma_threads
smsp__inst_executed.sum warp_instructions
smsp__thread_inst_executed_per_inst_executed.ratio threads_per_instruction
smsp__sass_thread_inst_executed_op_hfma_pred_on.sum hfma_threads
smsp__sass_thread_inst_executed_op_dadd_pred_on.sum dadd_threads
smsp__sass_thread_inst_executed_op_dmul_pred_on.sum dmul_threads
l1tex__t_requests_pipe_lsu_mem_global_op_red.sum global_red_requests
l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum global_red_sectors
l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum global_atom_requests
l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum global_atom_sectors
smsp__inst_executed_op_global_ld.sum global_load_instructions
smsp__inst_executed_op_global_st.sum global_store_instructions
smsp__inst_executed_op_global_red.sum global_red_instructions
smsp__inst_executed_op_global_atom.sum global_atom_instructions
smsp__inst_executed_op_shared_atom.sum shared_atom_instructions
smsp__inst_executed_op_shared_atom_dot_alu.sum shared_atom_alu_instructions
smsp__inst_executed_op_shared_atom_dot_cas.sum shared_atom_cas_instructions
smsp__inst_executed_op_shared.sum shared_instructions
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum shared_atom_wavefronts
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum shared_atom_conflicts
l1tex__data_pipe_lsu_wavefronts_mem_shared.sum shared_wavefronts
l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum shared_conflicts
smsp__inst_executed_op_ldgsts.sum ldgsts_instructions
smsp__inst_executed_op_ldgsts_cache_access.sum ldgsts_access_instructions
smsp__inst_executed_op_ldgsts_cache_bypass.sum ldgsts_bypass_instructions
l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts.sum ldgsts_requests
l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access.sum ldgsts_access_requests
l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum ldgsts_bypass_requests
l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts.sum ldgsts_sectors
l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum ldgsts_access_sectors
l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum ldgsts_bypass_sectors
l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum ldgsts_wavefronts
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum ldgsts_conflicts
l1tex__data_pipe_lsu_wavefronts_mem_shared_cmd_ldgsts.sum ldgsts_command_wavefronts
l1tex__data_bank_writes.sum bank_writes
l1tex__data_bank_reads.sum bank_reads
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum sass_shared_load_wavefronts
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum sass_shared_store_wavefronts
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum sass_ldgsts_wavefronts
TEXT
ncu --query-metrics | awk '/^[a-z]/ { print $1 }' | sort -u > "$work/known"
wc -l < "$work/known"
while read -r metric column; do
  if grep -qx "${metric%.*}" "$work/known"; then
    echo "$metric $column" >> "$work/taken"
  else
    echo "no metric ${metric%.*} here"
  fi
done < "$work/wanted"
echo "related metrics of this GPU:"
grep -E 'ldgsts|shared_atom|mem_shared' "$work/known" | tr '\n' ' '
echo

ncu --clock-control none --csv --page raw --print-units base --metrics "$(cut -d' ' -f1 "$work/taken" | paste -sd,)" \
  "$work/main2" > "$work/ncu.csv"
python3 - "$work" "$out" <<'PYTHON'
import csv, re, sys
work, out = sys.argv[1:]
lines = open(f"{work}/ncu.csv").read().splitlines()
launches = [line.split(",", 1)[1] for line in lines if line.startswith("launched,")]
taken = [line.split() for line in open(f"{work}/taken")]
rows = [row for row in csv.DictReader(line for line in lines if line.startswith('"')) if row["ID"]]
if not any(line == "OK" for line in lines) or len(rows) != len(launches):
    sys.exit(f"{len(launches)} launches, {len(rows)} rows, last line {lines[-1]!r}")
def number(text):
    value = float(text.replace(",", ""))
    return str(int(value)) if value == int(value) else str(round(value, 2))
with open(f"{out}/h200_kernels2.csv", "w") as file:
    print("kernel,M,N,K," + ",".join(column for _, column in taken), file=file)
    for launch, row in zip(launches, rows):
        print(launch + "," + ",".join(number(row[metric] or "0") if row[metric] != "n/a" else "" for metric, _ in taken), file=file)

# Static counts of the machine code: widths of shared and global accesses, and how many of them have a guard.
kinds, counts, name = [], {}, None
for line in open(f"{work}/sass.txt"):
    if found := re.match(r"\s*Function : (\S+)", line):
        name = found[1]
        counts[name] = {}
    found = re.match(r"\s+/\*[0-9a-f]{4,}\*/\s+(@!?U?P\S+\s+)?([A-Z][A-Z0-9_.]*)", line)
    if not found or not name:
        continue
    parts = found[2].split(".")
    if parts[0] not in ("LDS", "STS", "LDG", "STG", "LDGSTS", "ATOMS", "ATOMG", "ATOM", "RED", "REDG", "SHFL", "BAR", "BRA", "LDSM", "UBLKCP"):
        continue
    keep = [p for p in parts[1:] if p in ("U8", "S8", "U16", "S16", "64", "128", "CAS", "CAST", "ADD", "POPC", "BYPASS", "SPIN", "INC")]
    kind = ".".join([parts[0]] + keep) + ("@P" if found[1] else "")
    counts[name][kind] = counts[name].get(kind, 0) + 1
kinds = sorted({kind for one in counts.values() for kind in one})
with open(f"{out}/sass_counts.csv", "w") as file:
    print("kernel," + ",".join(kinds), file=file)
    for name, one in counts.items():
        print(name + "," + ",".join(str(one.get(kind, 0)) for kind in kinds), file=file)
PYTHON

for tool in memcheck racecheck; do
  echo "== $tool"
  compute-sanitizer --tool "$tool" "$work/main2" small | tail -n 4
done > "$out/sanitizer.txt" 2>&1
cat "$out/sanitizer.txt"
wc -l "$out"/*.csv
