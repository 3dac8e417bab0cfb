# Tacet for Nix: `nix build`, `nix run . -- version`, `nix develop`. It builds this checkout with the libraries of
# the nixpkgs that the registry names; `--override-input nixpkgs REFERENCE` takes others.
{
  description = "A language and tools for computing on encrypted data";

  inputs.nixpkgs.url = "nixpkgs";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      forEachSystem = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      version = builtins.head
        (builtins.match ".*project\\(tacet VERSION ([0-9.]+).*" (builtins.readFile ./CMakeLists.txt));
      librariesOf = pkgs: [
        pkgs.fmt
        pkgs.nlohmann_json
        pkgs.cli11
        pkgs.boost
        pkgs.openssl
        pkgs.zlib
        (pkgs.onetbb or pkgs.tbb_2022)
        pkgs.vulkan-headers
        pkgs.tree-sitter
        pkgs.isl
        pkgs.tomlplusplus
      ];
      toolsOf = pkgs: [ pkgs.cmake pkgs.ninja ];
    in
    {
      packages = forEachSystem (pkgs: {
        default = pkgs.stdenv.mkDerivation {
          pname = "tacet";
          inherit version;
          src = self;
          nativeBuildInputs = toolsOf pkgs;
          buildInputs = librariesOf pkgs;
          cmakeFlags = [
            "-DCMAKE_BUILD_TYPE=Release"
            "-DTACET_TESTS=OFF"
            "-DTACET_WERROR=OFF"
            "-DTACET_COMMIT=${self.shortRev or "unknown"}"
          ];
          doInstallCheck = true;
          installCheckPhase = "$out/bin/tacet run $src/examples/recursive_sum.tacet 1 100";
          meta = {
            description = "A language and tools for computing on encrypted data";
            license = pkgs.lib.licenses.asl20;
            mainProgram = "tacet";
            platforms = systems;
          };
        };
      });

      devShells = forEachSystem (pkgs: {
        default = pkgs.mkShell {
          packages = toolsOf pkgs ++ librariesOf pkgs ++ [ pkgs.gtest pkgs.python3 pkgs.nodejs ];
        };
      });
    };
}
