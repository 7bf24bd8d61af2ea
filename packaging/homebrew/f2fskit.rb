# SPDX-License-Identifier: LGPL-2.1-or-later
# Formula for Homebrew on Linux: brew install --build-from-source ./f2fskit.rb, with HOMEBREW_F2FSKIT_ARCHIVE set to the path
# of the archive of `meson dist`.
class F2fskit < Formula
  desc "Tools, library and Python module for F2FS volumes and images"
  homepage "https://example.org/f2fskit"
  url "file://#{ENV.fetch("HOMEBREW_F2FSKIT_ARCHIVE", "/nonexistent/f2fskit-0.1.0.tar.xz")}"
  version "0.1.0"
  license "LGPL-2.1-or-later"

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkg-config" => :build
  depends_on "libarchive"
  depends_on "libdeflate"
  depends_on :linux
  depends_on "lz4"
  depends_on "openssl@3"
  depends_on "utf8proc"
  depends_on "util-linux"
  depends_on "zlib"
  depends_on "zstd"

  def install
    # Libraries outside of the loader's folders have to be linked.
    system "meson", "setup", "build", *std_meson_args, "-Ddlopen=disabled", "-Dpython=disabled", "-Dmanual=disabled",
           "-Dtests=false"
    system "meson", "compile", "-C", "build"
    system "meson", "install", "-C", "build"
  end

  test do
    (testpath/"root/hostname").write "f2fs\n"
    system sbin/"mkfs.f2fs", "-q", "--root-dir", "root", "disk.img", "64M"
    assert_equal "f2fs\n", shell_output("#{sbin}/f2fs disk.img cat /hostname")
    system sbin/"fsck.f2fs", "-n", "disk.img"
  end
end
