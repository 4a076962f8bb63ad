// Arrays of structures: laid out as a compiler does it, compared and named member by member.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "problem/arrays.hpp"

namespace warpgrade::problem {
namespace {

struct Particle {
  float x;
  std::uint8_t kind;
  double mass;
  std::int16_t charge;
};
static_assert(sizeof(Particle) == 24);

/// out[i] = in[i], for structures.
class Particles : public ArrayProblem {
 public:
  Particles()
      : ArrayProblem({.name = "particles",
                      .launcher = "int n, const Particle *in, Particle *out",
                      .integers = {{"n", 0, 1000}}}) {}
  Reference reference(const Case &c, const std::vector<run::HostBuffer> &in) const override {
    Reference ref;
    for (std::int64_t i = 0; i < c.integers[0]; ++i) {
      const Particle p = at(in[0], static_cast<std::size_t>(i));
      for (const double value : {double{p.x}, double(p.kind), p.mass, double(p.charge)})
        ref.want.push_back(value);
      for (const double scale : {1.0, 0.0, 1.0, 0.0}) ref.scale.push_back(scale);
    }
    return ref;
  }
  static Particle at(const run::HostBuffer &buffer, std::size_t i) {
    Particle p;
    std::memcpy(&p, buffer.bytes.data() + i * sizeof p, sizeof p);
    return p;
  }
  static void put(run::HostBuffer &buffer, std::size_t i, const Particle &p) {
    std::memcpy(buffer.bytes.data() + i * sizeof p, &p, sizeof p);
  }

 protected:
  std::vector<Array> arrays(const Case &c) const override {
    const auto n = static_cast<std::uint64_t>(c.integers[0]);
    const std::vector<Field> fields = {{"x"}, {"kind", Type::u8}, {"mass", Type::f64}, {"charge", Type::i16}};
    return {{.name = "in", .elements = n, .fields = fields},
            {.name = "out", .elements = n, .is_output = true, .columns = 4, .fields = fields}};
  }
  std::uint64_t element(const Case &, std::uint64_t, std::size_t array, std::uint64_t i) const override {
    const auto value = static_cast<int>(i / 4 + 100 * array);
    switch (i % 4) {
      case 0:
        return bits_of(static_cast<float>(value) + 0.5f);
      case 1:
        return bits_of(static_cast<std::uint8_t>(value));
      case 2:
        return bits_of(value + 0.25);
      default:
        return bits_of(static_cast<std::int16_t>(-value));
    }
  }
};

const Particles particles;
const Case eight{{8}, {}};

std::vector<run::HostBuffer> copied() {
  auto buffers = particles.inputs(eight, 1);
  buffers[1].bytes = buffers[0].bytes;
  return buffers;
}
Comparison compared(const std::vector<run::HostBuffer> &result, double bound = 1e-6) {
  const auto in = particles.inputs(eight, 1);
  return particles.compare(eight, in, particles.reference(eight, in), result, bound);
}

TEST(Structures, AreLaidOutAsTheCompilerDoesIt) {
  const auto in = particles.inputs(eight, 1);
  ASSERT_EQ(in[0].bytes.size(), 8 * sizeof(Particle));
  EXPECT_EQ(in[0].element_bytes, sizeof(Particle));
  EXPECT_EQ(particles.buffers(eight)[1].bytes, 8 * sizeof(Particle));
  const Particle p = Particles::at(in[0], 5);
  EXPECT_EQ(p.x, 5.5f);
  EXPECT_EQ(p.kind, 5);
  EXPECT_EQ(p.mass, 5.25);
  EXPECT_EQ(p.charge, -5);
}

TEST(Structures, AreComparedMemberByMemberAndNamedByElementAndMember) {
  EXPECT_EQ(compared(copied()).wrong, 0U);
  EXPECT_EQ(compared(copied()).checked, 32U);
  auto wrong = copied();
  Particle p = Particles::at(wrong[1], 6);
  p.mass += 1;
  ++p.charge;
  Particles::put(wrong[1], 6, p);
  const Comparison found = compared(wrong);
  EXPECT_EQ(found.wrong, 2U);
  ASSERT_EQ(found.first.size(), 2U);
  EXPECT_EQ(found.first[0].where, "out[1, 2].mass");
  EXPECT_EQ(found.first[0].want, 6.25);
  EXPECT_EQ(found.first[1].where, "out[1, 2].charge");
  EXPECT_EQ(found.map.height, 2);
  EXPECT_EQ(found.map.width, 4);
}

TEST(Structures, MayHoldAnythingBetweenTheirMembers) {
  auto other = copied();
  for (const std::size_t buffer : {0U, 1U}) other[buffer].bytes[3 * sizeof(Particle) + 5] = std::byte{0xff};
  EXPECT_EQ(compared(other).wrong, 0U);
  EXPECT_TRUE(compared(other).changed_inputs.empty());
  other[0].bytes[3 * sizeof(Particle) + 4] = std::byte{0xff};
  EXPECT_EQ(compared(other).changed_inputs.at(0), "the read-only in (1 element)");
}

TEST(Structures, HaveEachMemberAtItsOffset) {
  const auto buffers = copied();
  const Reference want = particles.reference(eight, particles.inputs(eight, 1));
  const auto places = particles.places(eight);
  ASSERT_EQ(places.size(), want.want.size());
  for (std::size_t e = 0; e < places.size(); ++e) {
    std::uint64_t bits = 0;
    const std::size_t size = bytes_of(places[e].type);
    std::memcpy(&bits, buffers[places[e].buffer].bytes.data() + places[e].element * size, size);
    EXPECT_EQ(value_of(places[e].type, bits), want.want[e]) << e;
  }
}

TEST(Structures, AreExchangedAsAWhole) {
  const auto in = particles.inputs(eight, 1);
  const auto exchanged = with_exchanged_elements(particles, eight, in, 3);
  int moved = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const Particle p = Particles::at(exchanged[0], i);
    EXPECT_EQ(p.x, static_cast<float>(p.kind) + 0.5f);
    EXPECT_EQ(p.mass, p.kind + 0.25);
    moved += p.kind != static_cast<int>(i);
  }
  EXPECT_EQ(moved, 2);
}

}  // namespace
}  // namespace warpgrade::problem
