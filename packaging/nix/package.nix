# SPDX-License-Identifier: LGPL-2.1-or-later
# f2fskit for nixpkgs: callPackage ./package.nix { }
{
  lib,
  stdenv,
  meson,
  ninja,
  pkg-config,
  python3,
  cairo,
  file,
  fuse3,
  libarchive,
  libdeflate,
  libedit,
  libuuid,
  lz4,
  openssl,
  sqlite,
  utf8proc,
  util-linux,
  zlib,
  zstd,
}:

stdenv.mkDerivation {
  pname = "f2fskit";
  version = "0.1.0";
  src = lib.cleanSource ../..;

  nativeBuildInputs = [
    meson
    ninja
    pkg-config
    (python3.withPackages (packages: [ packages.cffi ]))
  ];
  buildInputs = [
    cairo
    file
    fuse3
    libarchive
    libdeflate
    libedit
    libuuid
    lz4
    openssl
    python3
    sqlite
    utf8proc
    util-linux
    zlib
    zstd
  ];
  propagatedBuildInputs = [ python3.pkgs.cffi ];

  postPatch = "patchShebangs completions man python";

  # There are no common folders in which libraries could be found at their first use.
  mesonFlags = [
    "-Ddlopen=disabled"
    "-Dmanual=disabled"
    "-Dtests=false"
  ];

  doInstallCheck = true;
  installCheckPhase = ''
    mkdir root && echo f2fs >root/hostname
    $out/sbin/mkfs.f2fs -q --root-dir root disk.img 64M
    [ "$($out/sbin/f2fs disk.img cat /hostname)" = f2fs ]
    $out/sbin/fsck.f2fs -n disk.img
  '';

  meta = {
    description = "Tools, library and Python module for F2FS volumes and images";
    license = lib.licenses.lgpl21Plus;
    platforms = lib.platforms.linux;
    mainProgram = "f2fs";
  };
}
