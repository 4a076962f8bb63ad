// From instructions to the text of a kernel.
#include <cstdio>
#include <stdexcept>

#include "spec.hpp"

namespace warpgrade::corpus {
namespace {

struct Class {
  char letter;
  const char *declaration;  ///< of its registers
  const char *access;       ///< how memory instructions call it
  char region;              ///< where its operands are
};
constexpr Class classes[] = {{'r', ".b32", "b32", 'r'}, {'d', ".b64", "b64", 'd'}, {'f', ".f32", "f32", 'f'},
                             {'g', ".f64", "f64", 'g'}, {'h', ".b16", "b16", 'h'}, {'b', ".b16", "b16", 'h'},
                             {'i', ".b16", "b16", 'p'}, {'j', ".b16", "b16", 'q'}, {'p', ".b32", "b32", 'p'},
                             {'q', ".b32", "b32", 'q'}, {'n', ".b32", "b32", 'n'}};

const Class &class_of(char letter) {
  for (const Class &c : classes)
    if (c.letter == letter) return c;
  throw std::logic_error(std::string("no class ") + letter);
}
const Region &region_of(char letter) {
  for (const Region &region : regions)
    if (region.letter == class_of(letter).region) return region;
  throw std::logic_error("no region");
}

std::string number(std::uint64_t value) {
  return std::to_string(value);
}

}  // namespace

Operands parse_signature(const std::string &signature) {
  Operands made{signature[0], {}};
  for (std::size_t i = 2; i < signature.size(); ++i) {
    if (signature[i] == '{') {
      const std::size_t end = signature.find('}', i);
      made.sources.push_back(signature.substr(i, end - i + 1));
      i = end;
    } else {
      made.sources.push_back(std::string(1, signature[i]));
    }
  }
  return made;
}

const char *register_type(char letter) {
  return class_of(letter).declaration;
}

std::uint32_t bytes_of(char letter) {
  return class_of(letter).declaration == std::string(".b16") ? 2 : class_of(letter).access[1] == '6' ? 8 : 4;
}

std::string kernel_begin(const Header &header, const std::string &declarations) {
  char line[200];
  std::snprintf(line, sizeof line, header_format, header.blocks, header.threads, header.input,
                header.output_bytes);
  return std::string(line) +
         "\n.version 8.6\n.target sm_90\n.address_size 64\n"
         ".visible .entry k(.param .u64 k_in, .param .u64 k_out, .param .u32 k_skip)\n{\n" +
         declarations +
         ".reg .b64 %in, %out, %o2, %o4, %o8; .reg .b32 %t, %thread, %skip, %m; .reg .pred %ps;\n"
         "ld.param.u64 %in, [k_in]; ld.param.u64 %out, [k_out]; ld.param.u32 %skip, [k_skip];\n"
         "mov.u32 %t, %ctaid.x; mov.u32 %m, %ntid.x; mov.u32 %thread, %tid.x; mad.lo.u32 %t, %t, %m, "
         "%thread;\n"
         "mad.wide.u32 %o2, %t, 2, %out; mad.wide.u32 %o4, %t, 4, %out; mad.wide.u32 %o8, %t, 8, %out;\n";
}

std::string load_operands(const std::string &letters) {
  std::string text =
      ".reg .b64 %i2, %i4, %i8;\n"
      "mad.wide.u32 %i2, %t, 2, %in; mad.wide.u32 %i4, %t, 4, %in; mad.wide.u32 %i8, %t, 8, %in;\n";
  for (const char letter : letters) {
    const Region &region = region_of(letter);
    text += std::string(".reg ") + register_type(letter) + " %" + letter + "a, %" + letter + "b, %" + letter +
            "c, %x" + letter + ";\n";
    for (std::uint32_t k = 0; k < 3; ++k)
      text += std::string("ld.global.") + class_of(letter).access + " %" + letter +
              static_cast<char>('a' + k) + ", [%i" + number(region.bytes) + "+" +
              number(region.begin + k * all_threads * region.bytes) + "];" + (k == 2 ? "\n" : " ");
  }
  return text;
}

void Body::add(const Spec &spec) {
  const Operands operands = parse_signature(spec.signature);
  const bool pair = operands.result == '2', predicate = operands.result == '1' || pair;
  std::string text = spec.opcode + " ";
  text += pair ? "%ux|%uy" : predicate ? "%ux" : std::string("%x") + operands.result;
  int used[128] = {};
  for (const std::string &source : operands.sources) {
    text += ", ";
    if (source[0] == '{') {
      text += source.substr(1, source.size() - 2);
      continue;
    }
    text += std::string("%") + source[0] + static_cast<char>('a' + used[static_cast<int>(source[0])]++);
    note(source[0]);
  }
  line(text + ";");
  if (!predicate) {
    note(operands.result);
    return store(operands.result, std::string("%x") + operands.result);
  }
  collect("%ux");
  if (pair) collect("%uy");
}

void Body::flush_predicates() {
  if (bits_ == 0) return;
  bits_ = 0;
  store('r', "%m");
}

void Body::note(char letter) {
  if (letters_.find(letter) == std::string::npos) letters_ += letter;
}

void Body::collect(const std::string &predicate) {
  if (bits_ == 0) line("mov.b32 %m, 0;");
  line("@" + predicate + " or.b32 %m, %m, " + number(1u << bits_) + ";");
  if (++bits_ == 32) flush_predicates();
}

void Body::store(char letter, const std::string &reg) {
  const std::uint32_t width = bytes_of(letter);
  bytes_ = (bytes_ + width - 1) / width * width;
  line(std::string("st.global.") + class_of(letter).access + " [%o" + number(width) + "+" + number(bytes_) +
       "], " + reg + ";");
  bytes_ += all_threads * width;
}

KernelText family_kernel(const Family &family, std::uint32_t input) {
  Body body;
  bool predicates = false;
  for (const Spec &spec : family.specs) {
    predicates = predicates || spec.signature[0] == '1' || spec.signature[0] == '2';
    body.add(spec);
  }
  body.flush_predicates();
  std::string letters = body.letters();
  if (letters.find('r') == std::string::npos) letters += 'r';
  Header header;
  header.input = input;
  header.output_bytes = body.bytes();
  std::string text = kernel_begin(header, ".reg .pred %ux, %uy, %ua, %ub;\n");
  text += load_operands(letters);
  // Threads whose index modulo 4 is `skip` jump: the others must not notice.
  text += "and.b32 %m, %t, 3; setp.eq.u32 %ps, %m, %skip; @%ps bra DONE;\n";
  text += "setp.lt.s32 %ua, %ra, 0; setp.lt.u32 %ub, %rb, %ra;\n";
  text += body.text() + "DONE:\nret;\n}\n";
  return {family.name, text};
}

}  // namespace warpgrade::corpus
