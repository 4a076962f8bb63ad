// Random kernels: what single instructions on fresh operands do not show. Registers are overwritten and read
// again, lanes take different ways, loops end at different times, guards switch lanes off.
//
// NaNs are folded as one NaN: whether a sign or payload survives depends on how ptxas combines instructions.
// Integers are divided by odd numbers: PTX does not say what a division by zero gives.
#include <algorithm>
#include <map>

#include "spec.hpp"

namespace warpgrade::corpus {
namespace {

constexpr int registers_each = 5, predicates = 4, segments = 6;
constexpr char pools[] = "rdfgpqhn";

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

/// Bytes live in 16-bit registers.
char pool_of(char letter) {
  return letter == 'b' ? 'h' : letter;
}
bool is_pool(char letter) {
  return std::string(pools).find(pool_of(letter)) != std::string::npos;
}

/// Exact instructions on whole registers whose result does not depend on what ptxas fuses them with.
std::vector<Spec> usable_specs() {
  std::vector<Spec> usable;
  for (const Family &family : exact_families())
    for (const Spec &spec : family.specs) {
      const Operands operands = parse_signature(spec.signature);
      bool known = is_pool(operands.result) || operands.result == '1' || operands.result == '2';
      for (const std::string &source : operands.sources)
        known = known && (source[0] == '{' || is_pool(source[0]));
      const bool literal_predicate = spec.signature.find('%') != std::string::npos;
      const bool may_fuse = (spec.opcode.starts_with("mul") || spec.opcode.starts_with("add") ||
                             spec.opcode.starts_with("sub")) &&
                            std::string("fgpq").find(spec.signature[0]) != std::string::npos &&
                            spec.opcode.find(".r") == std::string::npos;
      const bool reads_a_sign =
          spec.opcode.starts_with("copysign") || spec.opcode.find("xorsign") != std::string::npos;
      if (known && !literal_predicate && !may_fuse && !reads_a_sign) usable.push_back(spec);
    }
  return usable;
}

/// What ptxas does in part or as a whole also where the guard does not hold (README.md): testp, set with a
/// float or from 16-bit integers.
bool loses_its_guard(const std::string &opcode) {
  return opcode.starts_with("testp.") ||
         (opcode.starts_with("set.") && (opcode.find(".f32.") != std::string::npos ||
                                         opcode.ends_with(".s16") || opcode.ends_with(".u16")));
}

bool divides_integers(const Spec &spec) {
  return (spec.opcode.starts_with("div.") || spec.opcode.starts_with("rem.")) &&
         std::string("rdh").find(spec.signature[0]) != std::string::npos;
}

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : seed_(seed), random_(seed), specs_(usable_specs()) {}

  KernelText write() {
    begin_shared();
    for (int i = 0; i < segments; ++i) {
      body_.line("// segment " + number(static_cast<std::uint64_t>(i)));
      written_.clear();
      segment();
      fold();
    }
    Header header;
    header.input = static_cast<std::uint32_t>(1000 + seed_);
    header.output_bytes = body_.bytes();
    std::string text = kernel_begin(header,
                                    ".shared .align 8 .b8 tile[1024]; .shared .align 4 .b8 sums[16];\n"
                                    ".local .align 8 .b8 own[64];\n");
    text += load_operands(pools);
    text += declarations();
    text += body_.text() + "ret;\n}\n";
    return {"random_" + number(seed_), text};
  }

 private:
  static std::string declarations() {
    std::string text = ".reg .pred %u<" + number(predicates) +
                       ">, %up; .reg .b32 %k, %v, %w, %count; "
                       ".reg .b64 %v8; .reg .b32 %at;\n";
    for (const char letter : std::string(pools)) {
      text += std::string(".reg ") + register_type(letter) + " %" + letter + "<" + number(registers_each) +
              ">;\n";
      for (int i = 0; i < registers_each; ++i) {
        const std::string access = std::string(register_type(letter)).substr(1);
        text += "mov." + access + " %" + letter + number(static_cast<std::uint64_t>(i)) + ", %" + letter +
                std::string(1, static_cast<char>('a' + i % 3)) + ";" + (i + 1 == registers_each ? "\n" : " ");
      }
    }
    return text +
           "mov.b32 %k, 0; setp.lt.s32 %u0, %r0, 0; setp.lt.u32 %u1, %r1, %r2; setp.gt.f32 %u2, %f0, %f1; "
           "setp.lt.s64 %u3, %d0, %d1;\n";
  }

  std::string pick(char letter) {
    return std::string("%") + pool_of(letter) + number(random_.below(registers_each));
  }
  std::string predicate() { return "%u" + number(random_.below(predicates)); }

  void begin_shared() {
    body_.line("mov.b32 %at, tile; mad.lo.u32 %at, %thread, 8, %at; mov.b32 %v, 0;");
    body_.line("setp.lt.u32 %up, %thread, 4; mov.b32 %w, sums; mad.lo.u32 %w, %thread, 4, %w;");
    body_.line("@%up st.shared.b32 [%w], %v; bar.sync 0;");
  }

  const Spec &pick_spec() { return specs_[random_.below(static_cast<std::uint32_t>(specs_.size()))]; }

  /// A register that is not zero: the scratch register of its class.
  std::string divisor(char letter, const std::string &reg) {
    const std::string odd = std::string("%x") + letter;
    body_.line("or.b" + number(8 * bytes_of(letter)) + " " + odd + ", " + reg + ", 1;");
    return odd;
  }

  void instruction(const std::string &guard) {
    const Spec *drawn = &pick_spec();
    while (!guard.empty() && loses_its_guard(drawn->opcode)) drawn = &pick_spec();
    const Spec &spec = *drawn;
    const Operands operands = parse_signature(spec.signature);
    std::string text = guard + spec.opcode + " ";
    if (operands.result == '1') {
      text += predicate();
    } else if (operands.result == '2') {
      text += "%u0|%u1";
    } else {
      const std::string result = pick(operands.result);
      text += result;
      written_[result] = pool_of(operands.result);
    }
    for (std::size_t i = 0; i < operands.sources.size(); ++i) {
      const std::string &source = operands.sources[i];
      std::string operand = source[0] == '{' ? source.substr(1, source.size() - 2) : pick(source[0]);
      if (i == 1 && divides_integers(spec)) operand = divisor(source[0], operand);
      text += ", " + operand;
    }
    body_.line(text + ";");
  }
  void instructions(int count, const std::string &guard = "") {
    for (int i = 0; i < count; ++i) instruction(guard);
  }

  void segment() {
    const std::string label = "L" + number(static_cast<std::uint64_t>(labels_++));
    switch (random_.below(10)) {
      case 0:
      case 1:
        return instructions(6);
      case 2:
      case 3: {  // if, else
        const std::string p = predicate();
        body_.line((random_.one_in(2) ? "@" : "@!") + p + " bra " + label + "_else;");
        instructions(3);
        if (random_.one_in(2)) {
          const std::string q = predicate();
          body_.line("@" + q + " bra " + label + "_end;");
          instructions(2);
        }
        body_.line("bra " + label + "_end;");
        body_.line(label + "_else:");
        instructions(3);
        return body_.line(label + "_end:");
      }
      case 4: {  // each lane its own number of rounds
        body_.line("and.b32 %count, " + pick('r') + ", 3;");
        body_.line(label + "_loop:");
        instructions(3);
        body_.line("add.u32 %count, %count, -1; setp.ge.s32 %up, %count, 0; @%up bra " + label + "_loop;");
        return;
      }
      case 5: {
        const std::string p = predicate();
        for (int i = 0; i < 3; ++i) instructions(2, (random_.one_in(2) ? "@" : "@!") + p + " ");
        return;
      }
      case 6:
        return exchange();
      case 7:
        return local_array();
      case 8:
        return across_lanes();
      default:
        return sums();
    }
  }

  void exchange() {
    const std::string from = pick('d'), to = pick('d');
    body_.line("st.shared.b64 [%at], " + from + "; bar.sync 0;");
    body_.line("xor.b32 %v, %thread, " + number(1 + random_.below(63)) +
               "; mov.b32 %w, tile; mad.lo.u32 %w, %v, 8, %w;");
    body_.line("ld.shared.b64 " + to + ", [%w]; bar.sync 0;");
    written_[to] = 'd';
  }

  void local_array() {
    const std::string to = pick('r');
    for (int i = 0; i < 4; ++i)
      body_.line("st.local.b32 [own+" + number(static_cast<std::uint64_t>(4 * i)) + "], " + pick('r') + ";");
    body_.line("and.b32 %v, " + pick('r') + ", 3; mov.b32 %w, own; mad.lo.u32 %w, %v, 4, %w;");
    body_.line("ld.local.u16 %v, [%w+2]; st.local.u8 [%w], %v; ld.local.b32 " + to + ", [%w];");
    written_[to] = 'r';
  }

  void across_lanes() {
    const std::string to = pick('r');
    const std::string source = pick('r'), other = pick('r');
    switch (random_.below(4)) {
      case 0: {
        const std::string mode = random_.among({"up", "down", "bfly", "idx"});
        const std::string clamp = mode == "up" ? "0" : random_.one_in(2) ? "31" : "0x1807";
        body_.line("shfl.sync." + mode + ".b32 " + to + "|%u3, " + source + ", " + pick('n') + ", " + clamp +
                   ", -1;");
        break;
      }
      case 1:
        body_.line("vote.sync.ballot.b32 " + to + ", " + predicate() + ", -1;");
        break;
      case 2:
        body_.line("and.b32 %v, " + source + ", 7; match.any.sync.b32 " + to + ", %v, -1;");
        break;
      default:
        body_.line(std::string("redux.sync.") +
                   random_.among({"add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"}) + " " +
                   to + ", " + source + ", -1;");
    }
    written_[to] = 'r';
  }

  /// Every lane adds to one of four sums; all read them behind a barrier.
  void sums() {
    const std::string to = pick('r');
    body_.line("and.b32 %v, " + pick('r') + ", 3; mov.b32 %w, sums; mad.lo.u32 %w, %v, 4, %w;");
    const std::string op = random_.among({"add.u32", "xor.b32", "max.s32", "min.u32", "or.b32"});
    if (random_.one_in(2))
      body_.line("red.shared." + op + " [%w], " + pick('r') + ";");
    else
      body_.line("atom.shared." + op + " %v, [%w], " + pick('r') + ";");
    body_.line("bar.sync 0; ld.shared.b32 " + to + ", [%w]; bar.sync 0;");
    written_[to] = 'r';
  }

  void mix(const std::string &word) { body_.line("mad.lo.u32 %k, %k, 0x9E3779B1, " + word + ";"); }

  void fold() {
    for (const auto &[reg, letter] : written_) {
      switch (letter) {
        case 'f':
          body_.line("mov.b32 %v, " + reg + "; testp.notanumber.f32 %up, " + reg +
                     "; selp.b32 %v, 0x7FFFFFFF, %v, %up;");
          mix("%v");
          break;
        case 'd':
        case 'g':
          body_.line("mov.b64 %v8, " + reg + ";");
          if (letter == 'g')
            body_.line("testp.notanumber.f64 %up, " + reg + "; selp.b64 %v8, 0x7FFFFFFFFFFFFFFF, %v8, %up;");
          body_.line("mov.b64 {%v, %w}, %v8;");
          mix("%v");
          mix("%w");
          break;
        case 'p':
        case 'q': {
          const std::string infinity = letter == 'p' ? "0x7C00" : "0x7F80";
          for (const char *part : {"0", "16"}) {
            body_.line("bfe.u32 %v, " + reg + ", " + part +
                       ", 16; and.b32 %w, %v, 0x7FFF; setp.gt.u32 %up, %w, " + infinity +
                       "; selp.b32 %v, 0x7FFF, %v, %up;");
            mix("%v");
          }
          break;
        }
        case 'h':
          body_.line("cvt.u32.u16 %v, " + reg + ";");
          mix("%v");
          break;
        default:
          mix(reg);
      }
    }
    for (int i = 0; i < predicates; ++i)
      body_.line("@%u" + number(static_cast<std::uint64_t>(i)) + " xor.b32 %k, %k, " + number(1u << 8 * i) +
                 ";");
    body_.store('r', "%k");
  }

  std::uint64_t seed_;
  Random random_;
  std::vector<Spec> specs_;
  Body body_;
  std::map<std::string, char> written_;
  int labels_ = 0;
};

}  // namespace

KernelText random_kernel(std::uint64_t seed) {
  return Writer(seed).write();
}

}  // namespace warpgrade::corpus
