// Video instructions. Those of halves and bytes in their usual order have handlers by name (video.cpp); all others are
// one handler that is told what to do.
#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "decode/decoder.hpp"
#include "decode/video.hpp"

namespace warpgrade::simt {
namespace {

struct VideoName {
  std::string_view base;
  VideoKind kind;
};
constexpr VideoName video_names[] = {{"vadd", VideoKind::add},        {"vsub", VideoKind::sub},
                                     {"vavrg", VideoKind::average},   {"vabsdiff", VideoKind::difference},
                                     {"vmin", VideoKind::least},      {"vmax", VideoKind::greatest},
                                     {"vshl", VideoKind::shift_left}, {"vshr", VideoKind::shift_right},
                                     {"vmad", VideoKind::mad},        {"vset", VideoKind::set}};

/// Of one part, two or four; nullptr: no video instruction.
const VideoName *find_video(std::string_view base, std::uint32_t &parts) {
  parts = base.ends_with("2") ? 2 : base.ends_with("4") ? 4 : 1;
  if (parts != 1) base.remove_suffix(1);
  const auto found = std::find_if(std::begin(video_names), std::end(video_names),
                                  [&](const VideoName &one) { return one.base == base; });
  if (found == std::end(video_names)) return nullptr;
  const bool scalar_only = found->kind == VideoKind::shift_left || found->kind == VideoKind::shift_right ||
                           found->kind == VideoKind::mad;
  if (parts == 1 ? found->kind == VideoKind::average : scalar_only) return nullptr;
  return found;
}

std::uint64_t scalar_selector(std::string_view name) {
  if (name.empty()) return scalar_word;
  if (name.size() == 3 && name[1] == 'b' && name[2] < '4')
    return scalar_byte + static_cast<std::uint64_t>(name[2] - '0');
  if (name.size() == 3 && name[1] == 'h' && name[2] < '2')
    return scalar_half + static_cast<std::uint64_t>(name[2] - '0');
  throw Unsupported("a selector of this kind");
}

/// ".h32": which of the parts of {b, a}, 3 bits each, the last digit first.
std::uint64_t parts_selector(std::string_view name, std::uint32_t parts, std::uint64_t usual) {
  if (name.empty()) return usual;
  if (name.size() != parts + 2) throw Unsupported("a selector of this kind");
  std::uint64_t made = 0;
  for (std::uint32_t i = 0; i < parts; ++i)
    made |= static_cast<std::uint64_t>(name[name.size() - 1 - i] - '0') << 3 * i;
  return made;
}

std::uint64_t mask_of(std::string_view name, std::uint32_t parts) {
  if (name.empty()) return (1u << parts) - 1;
  std::uint64_t made = 0;
  for (const char c : name.substr(2)) made |= std::uint64_t{1} << (c - '0');
  if (made >> parts != 0) throw Unsupported("a selector of this kind");
  return made;
}

VideoFinish finish_of(const Opcode &o) {
  // The operation that follows the types, not the one that the name begins with.
  return o.has("add")   ? VideoFinish::add
         : o.has("min") ? VideoFinish::least
         : o.has("max") ? VideoFinish::greatest
                        : VideoFinish::none;
}

std::uint64_t compare_of(const Opcode &o) {
  constexpr std::array<std::string_view, 6> names = {"eq", "ne", "lt", "le", "gt", "ge"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (o.has(names[i])) return i;
  throw Unsupported("a comparison of this kind");
}

/// Forms of which an H100 computed something else than PTX's text says (tests/simt/video.cu).
void refuse_if_gpus_differ(VideoKind kind, const VideoForm &form) {
  if (form.parts == 1 && kind != VideoKind::set && form.into != scalar_word)
    throw Unsupported("a byte or half as its result: GPUs compute something else than PTX describes");
  const auto finish = static_cast<VideoFinish>(form.finish);
  const bool chooses = finish == VideoFinish::least || finish == VideoFinish::greatest;
  const bool may_be_negative =
      !form.signed_d && (form.signed_a || form.signed_b) && !form.saturates && kind != VideoKind::difference;
  if (form.parts == 1 && chooses && may_be_negative)
    throw Unsupported("a minimum or maximum of an unsigned result of signed numbers: GPUs differ from PTX");
  if (form.plus_one) throw Unsupported(".po: GPUs compute something else than PTX describes");
  if (form.scale != 0 && !form.signed_d)
    throw Unsupported(".shr of an unsigned result: GPUs compute something else than PTX describes");
}

}  // namespace

void Decoder::translate_video(const Instruction &instruction, const Opcode &o) {
  std::uint32_t parts = 1;
  const VideoKind kind = find_video(o.base, parts)->kind;
  const std::vector<Operand> &operands = instruction.operands;
  const Operand &d = operand_of(instruction, 0), &a = operand_of(instruction, 1),
                &b = operand_of(instruction, 2);
  const bool bare = d.name.empty() && a.name.empty() && b.name.empty();
  if (parts != 1 && kind != VideoKind::set && bare)
    return translate_arithmetic(instruction, o);  // a handler by name
  VideoForm form{};
  form.kind = static_cast<std::uint64_t>(kind) & 15;
  form.parts = parts & 7;
  const std::size_t types = kind == VideoKind::set ? 2 : 3;
  if (o.types.size() != types) throw Unsupported("types of this kind");
  form.signed_b = is_signed(o.type(0));
  form.signed_a = is_signed(o.type(1));
  form.signed_d = types == 3 && is_signed(o.type(2));
  form.saturates = o.has("sat");
  form.finish = static_cast<std::uint64_t>(finish_of(o)) & 3;
  if (kind == VideoKind::set) form.compare = compare_of(o) & 7;
  form.wraps = o.has("wrap");
  form.plus_one = o.has("po");
  form.scale = o.has("shr7") ? 7 : o.has("shr15") ? 15 : 0;
  form.negative_a = kind == VideoKind::mad && a.negated;
  form.negative_b = kind == VideoKind::mad && b.negated;
  if (parts == 1) {
    form.from_a = scalar_selector(a.name) & 7;
    form.from_b = scalar_selector(b.name) & 7;
    form.into = scalar_selector(d.name) & 7;
  } else {
    constexpr std::uint64_t usual_two[] = {0b001'000, 0b011'010};
    constexpr std::uint64_t usual_four[] = {03210, 07654};
    form.from_a = parts_selector(a.name, parts, parts == 2 ? usual_two[0] : usual_four[0]) & 0xFFF;
    form.from_b = parts_selector(b.name, parts, parts == 2 ? usual_two[1] : usual_four[1]) & 0xFFF;
    form.into = mask_of(d.name, parts) & 15;
  }
  refuse_if_gpus_differ(kind, form);
  Op op;
  op.d = output(d, Width::word);
  op.a = input(a, Width::word);
  op.b = input(b, Width::word);
  op.c = op.a;
  const bool all = parts == 1 ? form.into == scalar_word : form.into == (1u << parts) - 1;
  if (kind == VideoKind::mad || form.finish != 0 || !all) {
    const Operand &c = operand_of(instruction, 3);
    form.negative_c = kind == VideoKind::mad && c.negated;
    op.c = input(c, Width::word);
  }
  if (operands.size() > 4) throw Unsupported("");
  op.immediate = std::bit_cast<std::uint64_t>(form);
  op.run = op.plain = &video;
  op.masked = masked_form(Width::word);
  emit(op, instruction);
}

}  // namespace warpgrade::simt
