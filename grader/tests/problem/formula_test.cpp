#include "problem/formula.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpgrade::problem {
namespace {

double value(const std::string &text, const Formula::Variables &variables = {}) {
  return Formula(text).value(variables);
}
std::string error(const std::string &text, const Formula::Variables &variables = {}) {
  try {
    Formula(text).value(variables);
  } catch (const FormulaError &e) {
    return e.what();
  }
  return "";
}

TEST(Formula, FollowsTheUsualOrderOfOperations) {
  EXPECT_EQ(value("2+3*4"), 14);
  EXPECT_EQ(value("(2+3)*4"), 20);
  EXPECT_EQ(value("8-4-2"), 2);
  EXPECT_EQ(value("16/4/2"), 2);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("2*-3"), -6);
  EXPECT_EQ(value(" 1.5e1 + .5 "), 15.5);
  EXPECT_EQ(value("3/2"), 1.5);
}

TEST(Formula, KnowsCeilFloorMinAndMax) {
  EXPECT_EQ(value("ceil(65/64) + floor(65/64)"), 3);
  EXPECT_EQ(value("min(3, max(1, 2))"), 2);
}

TEST(Formula, TakesItsVariablesByName) {
  EXPECT_EQ(value("2*P + P/32 + 1", {{"P", 64}}), 131);
  EXPECT_EQ(Formula("n/64 + ceil(m)").names(), (std::set<std::string>{"m", "n"}));
  EXPECT_EQ(error("2*q", {{"P", 1}, {"N", 2}}), "'2*q': there is no 'q' here (there are: N, P)");
}

TEST(Formula, SaysWhereItIsWrong) {
  EXPECT_EQ(error("2*"), "'2*' is not a formula: expected a number, a name or '(' at its end");
  EXPECT_EQ(error("2 P"), "'2 P' is not a formula: expected an operator at 'P'");
  EXPECT_EQ(error("(1+2"), "'(1+2' is not a formula: expected ')' at its end");
  EXPECT_EQ(error("sin(1)"),
            "'sin(1)' is not a formula: there is no such function (there are ceil, floor, min and max) at "
            "'sin(1)'");
  EXPECT_EQ(error("1/P", {{"P", 0}}), "'1/P' has no value at P=0");
  EXPECT_EQ(error(std::string("2\n\x1b") + "]"), "'2??]' is not a formula: expected an operator at '?]'");
}

TEST(Formula, IfHostileIsRefusedBeforeItCostsAnything) {
  EXPECT_NE(error(std::string(Formula::longest + 1, '1')), "");
  EXPECT_NE(error(std::string(200, '(') + "1" + std::string(200, ')')).find("nested too deep"),
            std::string::npos);
  EXPECT_NE(error(std::string(200, '-') + "1").find("nested too deep"), std::string::npos);
  EXPECT_NE(error("9^9^9^9"), "");
  EXPECT_NE(error(""), "");
  EXPECT_NE(error(std::string("1\0+1", 4)), "");
}

}  // namespace
}  // namespace warpgrade::problem
