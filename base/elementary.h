#pragma once

/// Functions of one double that give the same bits on every machine, unlike those of C libraries:
/// only sums, products, quotients, square roots and scaling by powers of two are used, each of
/// which IEEE 754 defines to the last bit. They are off by at most 2^-50 of what they give, the
/// sine and the cosine by at most 2^-50 up to 2^40 and by 2^-45 up to 2^56.
///
/// What follows from them reaches compiled programs, which a browser and a server must agree on.
namespace tacet::elementary {

auto exp(double x) -> double;
/// Of 0 minus infinity, of negative numbers not a number.
auto log(double x) -> double;
auto tanh(double x) -> double;
/// 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
auto erf(double x) -> double;
/// Of radians.
auto sin(double x) -> double;
auto cos(double x) -> double;

}  // namespace tacet::elementary
