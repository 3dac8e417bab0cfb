"""The recipes of other packagers say what is in the repository. Parts are skipped without nix or ruby."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import build_wheel  # noqa: E402

# A nixpkgs in which each package is its name.
FAKE = """
let
  names = [ "fmt" "nlohmann_json" "cli11" "boost" "openssl" "zlib" "onetbb" "vulkan-headers" "tree-sitter"
            "isl" "tomlplusplus" "cmake" "ninja" "gtest" "python3" "nodejs" ];
  pkgs = builtins.listToAttrs (map (name: { inherit name; value = name; }) names) // {
    stdenv.mkDerivation = arguments: arguments;
    mkShell = arguments: arguments;
    lib.licenses.asl20 = "Apache-2.0";
  };
  lib.genAttrs = names: make: builtins.listToAttrs (map (name: { inherit name; value = make name; }) names);
  flake = import %s;
in
flake.outputs {
  self = { outPath = "/source"; shortRev = "abc1234"; };
  nixpkgs = { inherit lib; legacyPackages = { x86_64-linux = pkgs; aarch64-linux = pkgs; }; };
}
"""

# What of Homebrew a formula uses.
BREW = """
class Formula
  class << self
    attr_reader :heads, :needs
    def desc(text) = (text.length <= 80 or abort("the description is too long"))
    def license(text) = (text == "Apache-2.0" or abort("another licence"))
    def head(address, **) = @heads = [address]
    def depends_on(name) = (@needs ||= []) << (name.is_a?(Hash) ? name.keys.first : name).to_s
    def test(&) = nil
  end
end
load ARGV[0]
puts Tacet.heads + Tacet.needs
"""


def found_by_cmake() -> set:
    text = (ROOT / "cmake/TacetDependencies.cmake").read_text(encoding="utf-8")
    return set(re.findall(r"^find_package\((\w+)", text, re.M)) - {"Threads"}


class Recipes(unittest.TestCase):
    def test_the_flake_evaluates_and_has_all_libraries(self):
        if not shutil.which("nix-instantiate"):
            self.skipTest("there is no nix-instantiate")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["nix-instantiate", "--eval", "--strict", "--json", "--store", f"{folder}/store",
                                   "--expr", FAKE % (ROOT / "flake.nix")], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        outputs = json.loads(done.stdout)
        self.assertEqual(set(outputs["packages"]), {"x86_64-linux", "aarch64-linux"})
        made = outputs["packages"]["x86_64-linux"]["default"]
        self.assertEqual((made["pname"], made["version"]), ("tacet", build_wheel.version_of(ROOT)))
        self.assertIn("-DTACET_COMMIT=abc1234", made["cmakeFlags"])
        names = {"fmt": "fmt", "nlohmann_json": "nlohmann_json", "CLI11": "cli11", "Boost": "boost", "OpenSSL": "openssl",
                 "ZLIB": "zlib", "TBB": "onetbb", "TreeSitter": "tree-sitter", "Isl": "isl"}
        self.assertLessEqual({names[one] for one in found_by_cmake() & set(names)}, set(made["buildInputs"]))
        self.assertLessEqual(found_by_cmake() - {"GTest", "benchmark"}, set(names))

    def test_the_formula_builds_this_checkout_with_all_libraries(self):
        if not shutil.which("ruby"):
            self.skipTest("there is no ruby")
        formula = ROOT / "packaging/homebrew/tacet.rb"
        subprocess.run(["ruby", "-wc", str(formula)], check=True, capture_output=True)
        done = subprocess.run(["ruby", "-e", BREW, str(formula)], capture_output=True, text=True, check=False,
                              env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"})
        self.assertEqual(done.returncode, 0, done.stderr)
        head, *needs = done.stdout.split()
        self.assertEqual(head, f"file://{ROOT}")
        names = {"fmt": "fmt", "nlohmann_json": "nlohmann-json", "CLI11": "cli11", "Boost": "boost",
                 "OpenSSL": "openssl@3", "ZLIB": "zlib", "TBB": "tbb", "TreeSitter": "tree-sitter", "Isl": "isl"}
        self.assertLessEqual({names[one] for one in found_by_cmake() & set(names)}, set(needs))
        other = subprocess.run(["ruby", "-e", BREW, str(formula)], capture_output=True, text=True, check=True,
                               env={"PATH": "/usr/bin:/bin", "HOMEBREW_TACET_REPOSITORY": "file:///other"})
        self.assertEqual(other.stdout.split()[0], "file:///other")

    def test_the_recipe_for_containers_names_the_archive_of_this_version(self):
        text = (ROOT / "packaging/Containerfile").read_text(encoding="utf-8")
        self.assertIn(f"ARG VERSION={build_wheel.version_of(ROOT)}\n", text)
        self.assertRegex(text, r"(?m)^ADD tacet-\$\{VERSION\}-linux-x86_64\.tar\.xz ")
        self.assertRegex(text, r"(?m)^USER [1-9]\d*:[1-9]\d*$")


if __name__ == "__main__":
    unittest.main()
