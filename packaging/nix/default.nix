# SPDX-License-Identifier: LGPL-2.1-or-later
# Build this tree: nix-build packaging/nix
{
  pkgs ? import <nixpkgs> { },
}:
pkgs.callPackage ./package.nix { }
