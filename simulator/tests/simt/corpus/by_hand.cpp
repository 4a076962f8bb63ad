// Memory spaces, vectors, atomics, operations across lanes: what needs addresses and neighbours.
#include "spec.hpp"

namespace warpgrade::corpus {
namespace {

std::string number(std::uint64_t value) {
  return std::to_string(value);
}
std::string signed_number(int value) {
  return std::to_string(value);
}

KernelText finished(const std::string &name, const Body &body, std::uint32_t input,
                    const std::string &operands, const std::string &declarations) {
  Header header;
  header.input = input;
  header.output_bytes = body.bytes();
  return {name, kernel_begin(header, ".reg .pred %ux, %uy, %ua, %ub;\n" + declarations) +
                    load_operands(operands) + "setp.lt.s32 %ua, %ra, 0; setp.lt.u32 %ub, %rb, %ra;\n" +
                    body.text() + "ret;\n}\n"};
}

/// Each width and vector length, aligned, from the bytes behind the operands; narrow ones extend.
void add_loads(Body &body, const std::string &space, const std::string &base) {
  for (const char *t : {"u8", "s8", "b8"})
    for (const char *d : {"h", "r"}) {
      body.line("ld" + space + "." + t + " %x" + d + ", [" + base + "+1];");
      body.store(d[0], std::string("%x") + d);
    }
  for (const char *t : {"u16", "s16", "b16"})
    for (const char *d : {"h", "r", "d"}) {
      body.line("ld" + space + "." + t + " %x" + d + ", [" + base + "+2];");
      body.store(d[0], std::string("%x") + d);
    }
  for (const char *t : {"u32", "s32"}) {
    body.line("ld" + space + "." + t + " %xd, [" + base + "+4];");
    body.store('d', "%xd");
  }
  for (const char *t : {"f32", "b32"}) {
    body.line("ld" + space + "." + t + (t[0] == 'f' ? " %xf, [" : " %xr, [") + base + "+8];");
    body.store(t[0] == 'f' ? 'f' : 'r', t[0] == 'f' ? "%xf" : "%xr");
  }
  for (const char *t : {"u64", "f64"}) {
    body.line("ld" + space + "." + t + (t[0] == 'f' ? " %xg, [" : " %xd, [") + base + "+8];");
    body.store(t[0] == 'f' ? 'g' : 'd', t[0] == 'f' ? "%xg" : "%xd");
  }
}

void add_vectors(Body &body, const std::string &space, const std::string &base) {
  const auto all = [&](char letter, std::initializer_list<const char *> registers) {
    for (const char *one : registers) body.store(letter, one);
  };
  body.line("ld" + space + ".v2.u8 {%v0, %v1}, [" + base + "];");
  all('r', {"%v0", "%v1"});
  body.line("ld" + space + ".v4.s8 {%v0, %v1, %v2, %v3}, [" + base + "+4];");
  all('r', {"%v0", "%v1", "%v2", "%v3"});
  body.line("ld" + space + ".v2.s16 {%v0, %v1}, [" + base + "+4];");
  all('r', {"%v0", "%v1"});
  body.line("ld" + space + ".v4.u16 {%v0, %v1, %v2, %v3}, [" + base + "+8];");
  all('r', {"%v0", "%v1", "%v2", "%v3"});
  body.line("ld" + space + ".v2.b32 {%v0, %v1}, [" + base + "+8];");
  all('r', {"%v0", "%v1"});
  body.line("ld" + space + ".v4.b32 {%v0, %v1, %v2, %v3}, [" + base + "];");
  all('r', {"%v0", "%v1", "%v2", "%v3"});
  body.line("ld" + space + ".v2.u64 {%w0, %w1}, [" + base + "];");
  all('d', {"%w0", "%w1"});
}

/// Stores of each width over bytes that are known, then read back.
void add_stores(Body &body, const std::string &space, const std::string &base) {
  body.line("st" + space + ".v4.b32 [" + base + "], {%ra, %rb, %rc, %ra};");
  body.line("st" + space + ".v2.b32 [" + base + "+16], {%rb, %rc};");
  body.line("st" + space + ".b64 [" + base + "+24], %da;");
  body.line("st" + space + ".v2.b64 [" + base + "+32], {%db, %dc};");
  body.line("st" + space + ".b8 [" + base + "+1], %rc;");
  body.line("st" + space + ".u8 [" + base + "+7], %ha;");
  body.line("st" + space + ".b16 [" + base + "+10], %hb;");
  body.line("st" + space + ".s16 [" + base + "+12], %rc;");
  body.line("st" + space + ".v2.b8 [" + base + "+18], {%ra, %rb};");
  body.line("st" + space + ".v4.b8 [" + base + "+20], {%ra, %rb, %rc, %ra};");
  body.line("st" + space + ".v2.b16 [" + base + "+28], {%ha, %hc};");
  body.line("st" + space + ".v4.b16 [" + base + "+32], {%ha, %hb, %hc, %ha};");
  body.line("st" + space + ".f32 [" + base + "+40], %fa;");
  body.line("st" + space + ".b32 [" + base + "+44], 0x12345678;");
  for (int i = 0; i < 6; ++i) {
    body.line("ld" + space + ".b64 %xd, [" + base + "+" + signed_number(8 * i) + "];");
    body.store('d', "%xd");
  }
}

const char *const vectors = ".reg .b32 %v<4>, %z; .reg .b64 %w<4>, %own, %gen, %zz; .reg .b32 %slot;\n";

KernelText global_memory() {
  Body body;
  body.line("mad.wide.u32 %own, %t, 16, %in; mad.wide.u32 %gen, %t, 1, %in;");
  add_loads(body, ".global", "%own");
  add_vectors(body, ".global.nc", "%own");
  for (const char *how : {".global.nc", ".global.ca", ".global.cg", ".global.cs", ".global.lu", ".global.cv",
                          ".volatile.global", ".relaxed.gpu.global", ".acquire.sys.global", ".weak.global",
                          ".global.L1::no_allocate", ".global.L2::128B", ".global.L1::evict_last", ""}) {
    body.line(std::string("ld") + how + ".b32 %xr, [%own+12];");
    body.store('r', "%xr");
  }
  body.line("ldu.global.b32 %xr, [%in+64];");
  body.store('r', "%xr");
  body.line("prefetch.global.L1 [%own]; prefetch.global.L2 [%own]; prefetchu.L1 [%own];");
  body.line("ld.global.u8 %xr, [%gen+3];");
  body.store('r', "%xr");
  return finished("memory_global", body, 201, "rdfgh", vectors);
}

KernelText shared_memory() {
  Body body;
  body.line("mov.u32 %slot, tile; mad.lo.u32 %slot, %thread, 48, %slot;");
  add_stores(body, ".shared", "%slot");
  add_loads(body, ".shared", "%slot");
  add_vectors(body, ".shared", "%slot");
  body.line("bar.sync 0; xor.b32 %z, %thread, 37; mov.u32 %slot, tile; mad.lo.u32 %slot, %z, 48, %slot;");
  add_vectors(body, ".volatile.shared", "%slot");
  body.line("cvta.shared.u64 %gen, tile; mad.wide.u32 %gen, %z, 48, %gen;");
  add_loads(body, "", "%gen");
  body.line("isspacep.shared %ux, %gen; isspacep.global %uy, %gen;");
  body.collect("%ux");
  body.collect("%uy");
  body.line("isspacep.shared %ux, %in; isspacep.global %uy, %in;");
  body.collect("%ux");
  body.collect("%uy");
  body.line("isspacep.local %ux, %gen; isspacep.const %uy, %in;");
  body.collect("%ux");
  body.collect("%uy");
  body.flush_predicates();
  return finished("memory_shared", body, 202, "rdfgh",
                  std::string(vectors) + ".shared .align 16 .b8 tile[3072];\n");
}

KernelText local_memory() {
  Body body;
  body.line("mov.u64 %own, mine;");
  add_stores(body, ".local", "%own");
  add_loads(body, ".local", "%own");
  add_vectors(body, ".local", "%own");
  body.line("cvta.local.u64 %gen, %own; and.b32 %z, %ra, 28; cvt.u64.u32 %zz, %z; add.u64 %gen, %gen, %zz;");
  body.line("st.b32 [%gen], %rb; ld.b32 %xr, [%gen];");
  body.store('r', "%xr");
  body.line("isspacep.local %ux, %gen;");
  body.collect("%ux");
  body.flush_predicates();
  for (int i = 0; i < 6; ++i) {
    body.line("ld.local.b64 %xd, [%own+" + signed_number(8 * i) + "];");
    body.store('d', "%xd");
  }
  return finished("memory_local", body, 203, "rdfgh",
                  std::string(vectors) + ".local .align 16 .b8 mine[48];\n");
}

KernelText constant_memory() {
  Body body;
  body.line("and.b32 %z, %t, 15; mov.u64 %own, table; mad.wide.u32 %own, %z, 16, %own;");
  add_loads(body, ".const", "%own");
  add_vectors(body, ".const", "%own");
  body.line("ld.const.b32 %xr, [table+20];");
  body.store('r', "%xr");
  body.line("cvta.const.u64 %gen, %own; ld.b32 %xr, [%gen+4];");
  body.store('r', "%xr");
  body.line("ld.global.b32 %xr, [words+8];");
  body.store('r', "%xr");
  body.line("mov.u64 %gen, words; ld.global.u8 %xr, [%gen+13];");
  body.store('r', "%xr");
  body.line("ld.global.u64 %gen, [pointer]; ld.b32 %xr, [%gen];");
  body.store('r', "%xr");
  KernelText made = finished("memory_constant", body, 204, "rdfgh", vectors);
  std::string table = ".const .align 16 .b8 table[256] = {";
  Random random(204);
  for (int i = 0; i < 256; ++i) table += (i ? "," : "") + number(random.next() & 255);
  table +=
      "};\n.global .align 4 .u32 words[4] = {1, 0xFFFFFFFF, 77, 0x80000001};\n"
      ".global .align 8 .u64 pointer = generic(words)+12;\n";
  made.ptx.insert(made.ptx.find(".visible"), table);
  return made;
}

/// One slot a thread: the old value and the new one are what they are in any order.
void own_slots(Body &body, const std::string &space, const std::string &slot) {
  const auto both = [&](const std::string &op, const std::string &type, char letter,
                        const std::string &operands) {
    const std::string reg = std::string("%x") + letter,
                      access = letter == 'd' || letter == 'g' ? "b64" : "b32";
    body.line("st" + space + "." + access + " [" + slot + "], %" + letter + "c; atom" + space + "." + op +
              "." + type + " " + reg + ", [" + slot + "], " + operands + ";");
    body.store(letter, reg);
    body.line("ld" + space + "." + access + " " + reg + ", [" + slot + "];  // after " + op + "." + type);
    body.store(letter, reg);
  };
  for (const char *t : {"u32", "s32"}) {
    for (const char *op : {"add", "min", "max"}) both(op, t, 'r', "%ra");
  }
  for (const char *op : {"inc", "dec"}) both(op, "u32", 'r', "%ra");
  for (const char *op : {"and", "or", "xor", "exch"}) both(op, "b32", 'r', "%rb");
  both("cas", "b32", 'r', "%rc, %ra");
  both("cas", "b32", 'r', "%rb, %ra");
  both("add", "u64", 'd', "%da");
  for (const char *t : {"u64", "s64"})
    for (const char *op : {"min", "max"}) both(op, t, 'd', "%da");
  for (const char *op : {"and", "or", "xor", "exch"}) both(op, "b64", 'd', "%db");
  both("cas", "b64", 'd', "%dc, %da");
  both("cas", "b64", 'd', "%db, %da");
  both("add", "f32", 'f', "%fa");
  both("add", "f64", 'g', "%ga");
  both("add.noftz", "f16x2", 'p', "%pa");
  both("add.noftz", "bf16x2", 'q', "%qa");
  body.line("st" + space + ".b32 [" + slot + "], %pc; atom" + space + ".add.noftz.f16 %xi, [" + slot +
            "+2], %ia;");
  body.store('i', "%xi");
  body.line("ld" + space + ".b32 %xr, [" + slot + "];  // after add.f16");
  body.store('r', "%xr");
  body.line("st" + space + ".b32 [" + slot + "], %qc; atom" + space + ".add.noftz.bf16 %xj, [" + slot +
            "], %ja;");
  body.store('j', "%xj");
  body.line("ld" + space + ".b32 %xr, [" + slot + "];  // after add.bf16");
  body.store('r', "%xr");
  body.line("st" + space + ".b32 [" + slot + "], %rc; atom" + space + ".cas.b16 %xh, [" + slot +
            "+2], %ha, %hb;");
  body.store('h', "%xh");
  body.line("ld" + space + ".b32 %xr, [" + slot + "];  // after cas.b16");
  body.store('r', "%xr");
}

KernelText atomics_global() {
  Body body;
  body.line("mov.u64 %own, slots; mad.wide.u32 %own, %t, 8, %own;");
  own_slots(body, ".global", "%own");
  KernelText made = finished("atomics_global", body, 205, "rdfghpqij", vectors);
  made.ptx.insert(made.ptx.find(".visible"), ".global .align 8 .b8 slots[1024];\n");
  return made;
}

KernelText atomics_shared() {
  Body body;
  body.line("mov.u32 %slot, tile; mad.lo.u32 %slot, %thread, 8, %slot;");
  own_slots(body, ".shared", "%slot");
  return finished("atomics_shared", body, 206, "rdfghpqij",
                  std::string(vectors) + ".shared .align 8 .b8 tile[512];\n");
}

/// All threads of the block on few words; operations that give one result in any order.
KernelText reductions() {
  Body body;
  body.line(
      "mov.u32 %slot, tile; and.b32 %z, %rc, 3; mad.lo.u32 %slot, %z, 8, %slot; cvta.shared.u64 %gen, tile; "
      "mad.wide.u32 %gen, %z, 8, %gen;");
  body.line("setp.lt.u32 %uy, %thread, 4; mov.u32 %v1, tile; mad.lo.u32 %v1, %thread, 8, %v1;");
  const auto one = [&](const std::string &op, char letter, const std::string &operand,
                       const std::string &start) {
    const std::string access = letter == 'd' || letter == 'g' ? "b64" : "b32",
                      reg = std::string("%x") + letter;
    const std::string zero = access == "b64" ? "%zz" : "%z";
    body.line("bar.sync 0; mov." + access + " " + zero + ", " + start + "; @%uy st.shared." + access +
              " [%v1], " + zero + "; bar.sync 0;");
    body.line("red.shared." + op + " [%slot], " + operand + "; red." + op + " [%gen], " + operand +
              "; bar.sync 0;");
    body.line("ld.shared." + access + " " + reg + ", [%slot];  // after two red." + op);
    body.store(letter, reg);
  };
  one("add.u32", 'r', "%ra", "5");
  one("add.s32", 'r', "%rb", "-5");
  one("add.u64", 'd', "%da", "7");
  for (const char *t : {"u32", "s32"})
    for (const char *op : {"min", "max"}) one(std::string(op) + "." + t, 'r', "%ra", "99");
  for (const char *t : {"u64", "s64"})
    for (const char *op : {"min", "max"}) one(std::string(op) + "." + t, 'd', "%da", "99");
  for (const char *op : {"and", "or", "xor"}) {
    one(std::string(op) + ".b32", 'r', "%rb", "0x5A5A5A5A");
    one(std::string(op) + ".b64", 'd', "%db", "0x5A5A5A5A5A5A5A5A");
  }
  one("inc.u32", 'r', "20", "0");
  one("dec.u32", 'r', "20", "3");
  // Small multiples of 1/4: every sum is exact.
  body.line(
      "and.b32 %v0, %ra, 15; cvt.rn.f32.u32 %xf, %v0; mul.rn.f32 %xf, %xf, 0f3E800000; mov.f32 %fa, %xf; "
      "cvt.f64.f32 %ga, %fa; cvt.rn.f16x2.f32 %pa, %fa, %fa;");
  one("add.f32", 'f', "%fa", "0");
  one("add.f64", 'g', "%ga", "0");
  one("add.noftz.f16x2", 'p', "%pa", "0");
  return finished("reductions", body, 207, "rdfgp",
                  std::string(vectors) + ".shared .align 8 .b8 tile[512];\n");
}

KernelText shuffles() {
  Body body;
  for (const char *mode : {"up", "down", "bfly", "idx"})
    for (const char *clamp : {"31", "0", "0x1F", "0x1C03", "0x181F", "0x1007", "%nb"})
      for (const char *lane : {"1", "3", "17", "%na"}) {
        const bool by_register = clamp[0] == '%' || lane[0] == '%';
        if (by_register && (clamp[0] == '0' || lane[0] != '%')) continue;
        body.line(std::string("shfl.sync.") + mode + ".b32 %xr|%ux, %ra, " + lane + ", " + clamp + ", -1;");
        body.store('r', "%xr");
        body.collect("%ux");
      }
  body.flush_predicates();
  for (const char *mode : {"all", "any", "uni"})
    for (const char *p : {"%ua", "!%ub", "%ux"}) {
      body.line(std::string("vote.sync.") + mode + ".pred %uy, " + p + ", -1;");
      body.collect("%uy");
    }
  body.flush_predicates();
  body.line("vote.sync.ballot.b32 %xr, %ua, -1;");
  body.store('r', "%xr");
  body.line("vote.sync.ballot.b32 %xr, !%ub, 0xFFFFFFFF;");
  body.store('r', "%xr");
  body.line("activemask.b32 %xr;");
  body.store('r', "%xr");
  // Half of the warp at a time, each with its own mask.
  body.line("and.b32 %v0, %t, 16; setp.eq.u32 %ux, %v0, 0; @%ux bra LOW;");
  body.line(
      "shfl.sync.bfly.b32 %v1, %rb, 5, 31, 0xFFFF0000; vote.sync.ballot.b32 %v2, %ua, 0xFFFF0000; bra BOTH;");
  body.line(
      "LOW:\nshfl.sync.down.b32 %v1, %rc, 2, 0x100F, 0x0000FFFF; vote.sync.ballot.b32 %v2, %ub, 0x0000FFFF;");
  body.line("BOTH:\nbar.warp.sync -1;");
  body.store('r', "%v1");
  body.store('r', "%v2");
  for (const char *special :
       {"%laneid", "%lanemask_lt", "%lanemask_le", "%lanemask_gt", "%lanemask_ge", "%lanemask_eq", "%tid.x",
        "%ntid.x", "%ctaid.x", "%nctaid.x", "%tid.y", "%nctaid.z"}) {
    body.line(std::string("mov.u32 %xr, ") + special + ";");
    body.store('r', "%xr");
  }
  return finished("shuffles", body, 208, "rn", vectors);
}

KernelText matches() {
  Body body;
  body.line(
      "and.b32 %v0, %ra, 3; and.b64 %w0, %da, 1; mov.b32 %v1, 7; mov.u32 %v2, %laneid; shr.u32 %v2, %v2, 4;");
  for (const char *value : {"%ra", "%v0", "%v1", "%v2"}) {
    body.line(std::string("match.any.sync.b32 %xr, ") + value + ", -1;");
    body.store('r', "%xr");
    body.line(std::string("match.all.sync.b32 %xr|%ux, ") + value + ", -1;");
    body.store('r', "%xr");
    body.collect("%ux");
  }
  for (const char *value : {"%da", "%w0"}) {
    body.line(std::string("match.any.sync.b64 %xr, ") + value + ", -1;");
    body.store('r', "%xr");
    body.line(std::string("match.all.sync.b64 %xr|%ux, ") + value + ", -1;");
    body.store('r', "%xr");
    body.collect("%ux");
  }
  for (const char *op :
       {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32"}) {
    body.line(std::string("redux.sync.") + op + " %xr, %ra, -1;");
    body.store('r', "%xr");
  }
  // Lanes that are even: the others are elsewhere.
  body.line("and.b32 %v3, %t, 1; setp.eq.u32 %uy, %v3, 0; mov.b32 %v1, 0; @!%uy bra ODD;");
  body.line("redux.sync.add.u32 %v1, %rb, 0x55555555;");
  body.line("ODD:");
  body.store('r', "%v1");
  for (const char *op :
       {"red.popc.u32 %xr, 0, %ua;", "red.popc.u32 %xr, 1, !%ub;", "red.popc.u32 %xr, 2, 64, %ua;"}) {
    body.line(std::string("bar.") + op);
    body.store('r', "%xr");
  }
  for (const char *op :
       {"red.and.pred %ux, 0, %ua;", "red.or.pred %ux, 0, !%ub;", "red.and.pred %ux, 3, %uy;"}) {
    body.line(std::string("bar.") + op);
    body.collect("%ux");
  }
  body.line(
      "barrier.sync 0; barrier.sync 1, 64; bar.warp.sync -1; membar.cta; membar.gl; membar.sys; "
      "fence.acq_rel.cta; fence.sc.gpu; fence.acq_rel.sys; nanosleep.u32 10;");
  body.line("barrier.red.popc.u32 %xr, 0, %ub;");
  body.store('r', "%xr");
  body.flush_predicates();
  return finished("match_and_reduce", body, 209, "rd", vectors);
}

/// Carries, packing, and what else writes more than one register.
KernelText sequences() {
  Body body;
  const auto two = [&](const std::string &first, const std::string &second) {
    body.line(first + " %v0, %ra, %rb; " + second + " %xr, %rb, %rc;  // behind " + first);
    body.store('r', "%xr");
    body.store('r', "%v0");
  };
  for (const char *t : {"u32", "s32"}) {
    const std::string type = t;
    two("add.cc." + type, "addc." + type);
    two("sub.cc." + type, "subc." + type);
    two("add.cc." + type, "addc.cc." + type);
    two("sub.cc." + type, "subc.cc." + type);
    body.line("addc." + type + " %xr, 0, 0;  // the carry of subc.cc." + type);
    body.store('r', "%xr");
    for (const char *part : {"lo", "hi"}) {
      body.line("mad." + std::string(part) + ".cc." + type + " %v0, %ra, %rb, %rc; madc.hi." + type +
                " %xr, %ra, %rb, %rc;");
      body.store('r', "%xr");
      body.store('r', "%v0");
      body.line("add.cc.u32 %v0, %ra, %rb; madc." + std::string(part) + ".cc." + type +
                " %xr, %ra, %rb, %rc;");
      body.store('r', "%xr");
      body.line("addc.u32 %xr, %ra, 0;");
      body.store('r', "%xr");
    }
  }
  for (const char *t : {"u64", "s64"}) {
    const std::string type = t;
    body.line("add.cc." + type + " %w0, %da, %db; addc." + type + " %xd, %db, %dc;");
    body.store('d', "%xd");
    body.store('d', "%w0");
    body.line("sub.cc." + type + " %w0, %da, %db; subc.cc." + type + " %xd, %db, %dc;");
    body.store('d', "%xd");
    body.line("subc." + type + " %xd, %da, 0;");
    body.store('d', "%xd");
  }
  body.line("mov.b64 %xd, {%ra, %rb};");
  body.store('d', "%xd");
  body.line("mov.b64 {%xr, %v0}, %da;");
  body.store('r', "%xr");
  body.store('r', "%v0");
  body.line("mov.b32 %xr, {%ha, %hb};");
  body.store('r', "%xr");
  body.line("mov.b32 {%xh, _}, %rb;");
  body.store('h', "%xh");
  body.line("mov.b32 {_, %xh}, %rb;");
  body.store('h', "%xh");
  body.line("mov.b64 %xd, {%ha, %hb, %hc, %ha};");
  body.store('d', "%xd");
  body.line(".reg .b16 %s<4>; mov.b64 {%s0, %s1, %s2, %s3}, %da;");
  for (const char *s : {"%s0", "%s1", "%s2", "%s3"}) body.store('h', s);
  body.line("mov.b64 %xg, %da;");
  body.store('g', "%xg");
  body.line("mov.b32 %xf, %ra;");
  body.store('f', "%xf");
  for (const char *op :
       {"vabsdiff4.u32.u32.u32 %xr, %ra, %rb, %rc;", "vabsdiff4.u32.u32.u32.add %xr, %ra, %rb, %rc;",
        "vabsdiff4.s32.s32.s32 %xr, %ra, %rb, %rc;"}) {
    body.line(op);
    body.store('r', "%xr");
  }
  return finished("sequences", body, 210, "rdfgh", vectors);
}

/// Which of several NaNs double precision keeps: all eight combinations of operands that are one.
KernelText nan_order() {
  std::string text = R"(// warpgrade corpus; 2 blocks of 64 threads; input 401; output 8192 bytes
.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_in, .param .u64 k_out, .param .u32 k_skip)
{
.reg .b64 %in, %out, %o8, %i8; .reg .b32 %t, %thread, %m, %v; .reg .pred %p;
.reg .b64 %da, %db, %dc; .reg .f64 %ga, %gb, %gc, %xg;
ld.param.u64 %in, [k_in]; ld.param.u64 %out, [k_out];
mov.u32 %t, %ctaid.x; mov.u32 %m, %ntid.x; mov.u32 %thread, %tid.x; mad.lo.u32 %t, %t, %m, %thread;
mad.wide.u32 %o8, %t, 8, %out; mad.wide.u32 %i8, %t, 8, %in;
ld.global.b64 %da, [%i8+1536]; ld.global.b64 %db, [%i8+2560]; ld.global.b64 %dc, [%i8+3584];
and.b32 %v, %t, 1; setp.ne.u32 %p, %v, 0; @%p or.b64 %da, %da, 0x7FF0000000000001;
and.b32 %v, %t, 2; setp.ne.u32 %p, %v, 0; @%p or.b64 %db, %db, 0x7FF0000000000002;
and.b32 %v, %t, 4; setp.ne.u32 %p, %v, 0; @%p or.b64 %dc, %dc, 0x7FF0000000000003;
mov.b64 %ga, %da; mov.b64 %gb, %db; mov.b64 %gc, %dc;
)";
  int offset = 0;
  for (const char *op : {"fma.rn", "fma.rz", "add.rn", "mul.rn", "sub.rn", "div.rn", "min", "max"}) {
    text += std::string(op) + ".f64 %xg, %ga, %gb" + (op[0] == 'f' ? ", %gc;\n" : ";\n");
    text += "st.global.f64 [%o8+" + signed_number(offset) + "], %xg;\n";
    offset += 1024;
  }
  return {"nan_order", text + "ret;\n}\n"};
}

}  // namespace

std::vector<KernelText> kernels_by_hand() {
  return {global_memory(),  shared_memory(),  local_memory(), constant_memory(),
          atomics_global(), atomics_shared(), reductions(),   shuffles(),
          matches(),        sequences(),      nan_order()};
}

}  // namespace warpgrade::corpus
