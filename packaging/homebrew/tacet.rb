# Tacet for Homebrew on Linux, from source: there are no archives to download, so that only --HEAD is possible. It
# builds the checkout that this file is in, or the repository that HOMEBREW_TACET_REPOSITORY names:
#
#   brew install --HEAD --formula packaging/homebrew/tacet.rb
class Tacet < Formula
  desc "Language and tools for computing on encrypted data"
  license "Apache-2.0"
  head ENV.fetch("HOMEBREW_TACET_REPOSITORY", "file://#{File.expand_path("../..", __dir__)}"), using: :git

  depends_on "boost" => :build
  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "tomlplusplus" => :build
  depends_on "vulkan-headers" => :build
  depends_on "fmt"
  depends_on "isl"
  # Nobody has built it on macOS.
  depends_on :linux
  depends_on "openssl@3"
  depends_on "tbb"
  depends_on "tree-sitter"
  depends_on "zlib"

  def install
    # Newer compilers may have warnings of their own.
    arguments = %w[-DTACET_TESTS=OFF -DTACET_WERROR=OFF]
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *arguments, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
    zsh_completion.install share/"zsh/vendor-completions/_tacet"
    fish_completion.install share/"fish/vendor_completions.d/tacet.fish"
    bash_completion.install share/"bash-completion/completions/tacet"
  end

  test do
    (testpath/"sum.tacet").write <<~TACET
      #version 0.1.0
      val total(n: i64) -> i64 { returns n + 1 }
      tmln at_once(start: Event) -> Event { returns start }
      sptl in_no_buffer(space: BufferSpace) -> BufferSpace { returns space }
      fn count(n: i64) -> i64 impls total, at_once, in_no_buffer { n + 1 }
      pipeline main { count }
    TACET
    assert_match "out = 42", shell_output("#{bin}/tacet run sum.tacet 41")
  end
end
