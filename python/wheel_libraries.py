# SPDX-License-Identifier: LGPL-2.1-or-later
"""Build the libraries that wheels contain, as static libraries for one C library: glibc 2.28 or musl.

They come from Debian's sources. The compiler is that of Zig (`pip install ziglang`), which brings the headers and stubs of both C
libraries. Everything is below the user's cache folder, and is built once. An algorithm that F2FS does not use is left out.
"""

from __future__ import annotations

import os
import pathlib
import platform
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[1]
PACKAGES = ("zlib", "lz4", "libzstd", "utf8proc", "libdeflate", "bzip2", "xz-utils", "libarchive", "util-linux", "openssl")
TARGETS = {"manylinux_2_28": "linux-gnu.2.28", "musllinux_1_2": "linux-musl"}
# Zig as an ordinary compiler. Meson before 1.4 does not know the name that Zig gives to its linker, which takes the arguments of
# LLD. The preprocessor alone takes no version of glibc.
COMPILER = """#!/bin/sh
target={target}
case " $* " in
*" -Wl,--version "*) echo "LLD 17.0.0 (compatible with GNU linkers)"; exit ;;
*" -E "*) target=${{target%%.*}} ;;
esac
exec "{python}" -m ziglang cc -target "$target" "$@"
"""
SMALL = ("-fPIC", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections", "-fno-sanitize=undefined", "-w")

# Of libcrypto F2FS needs AES, SM4, SHA, HKDF and random numbers.
OPENSSL_WITHOUT = """afalgeng aria async autoalginit autoerrinit autoload-config bf blake2 camellia capieng cast chacha cmac cmp cms comp
    ct deprecated des dgram dh dsa dso dtls ec engine err filenames gost idea legacy makedepend md4 mdc2 module multiblock
    nextprotoneg ocb ocsp padlockeng pinshared poly1305 posix-io psk rc2 rc4 rfc3779 rmd160 scrypt seed shared siphash siv sm2 sm3
    sock srp srtp ssl ssl-trace static-engine stdio tests tls ts ui-console whirlpool""".split()
ARCHIVE_WITHOUT = "acl xattr bsdtar bsdcpio bsdcat xml2 expat openssl nettle mbedtls cng libb2 iconv lzo2 posix-regex-lib".split()
ZLIB = """adler32 compress crc32 deflate gzclose gzlib gzread gzwrite infback inffast inflate inftrees trees uncompr zutil""".split()
BZIP2 = "blocksort huffman crctable randtable compress decompress bzlib".split()


class Libraries:
    """The libraries of one platform tag, such as "musllinux_1_2"."""

    def __init__(self, tag: str) -> None:
        cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
        self.cache = cache / "f2fskit/wheel"
        self.folder = self.cache / tag
        self.root = self.folder / "root"
        self.target = f"{platform.machine()}-{TARGETS[tag]}"

    def environment(self) -> dict[str, str]:
        """Return the environment in which programs for the platform are built."""
        tools = {name.upper(): str(self.folder / "bin" / name) for name in ("cc", "ar", "ranlib")}
        return {**os.environ, **tools, "PKG_CONFIG_LIBDIR": str(self.root / "lib/pkgconfig"), "PKG_CONFIG_PATH": ""}

    def make(self) -> None:
        """Build the missing libraries."""
        self._write_tools()
        steps = (self._plain, self._xz, self._archive, self._util_linux, self._openssl)
        marks = {step: self.folder / f"made{step.__name__}" for step in steps}
        if all(mark.exists() for mark in marks.values()):
            return
        print(f"wheel: building libraries in {self.root}", file=sys.stderr)
        if not all(any((self.cache / "src").glob(f"{name}-[0-9]*/")) for name in PACKAGES):
            subprocess.run([TOP / ".ci/debian-sources", self.cache, *PACKAGES], check=True)
        for step, mark in marks.items():
            if not mark.exists():
                step()
                mark.touch()

    # ---- how to build

    def _write_tools(self) -> None:
        for name in ("bin", "root/include", "root/lib/pkgconfig"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        for name in ("cc", "ar", "ranlib"):
            script = self.folder / "bin" / name
            plain = f'#!/bin/sh\nexec "{sys.executable}" -m ziglang {name} "$@"\n'
            script.write_text(COMPILER.format(target=self.target, python=sys.executable) if name == "cc" else plain)
            script.chmod(0o755)

    def _run(self, folder: pathlib.Path, *words: object) -> None:
        with open(self.folder / "log", "ab") as log:
            done = subprocess.run([str(word) for word in words], cwd=folder, env=self.environment(), stdout=log, stderr=log)
        if done.returncode:
            sys.exit(f"wheel: {words[0]} failed in {folder}, see {self.folder}/log")

    def _sources(self, name: str) -> pathlib.Path:
        """Return an own copy of the sources of a package."""
        found, = (self.cache / "src").glob(f"{name}-[0-9]*/")
        copy = self.folder / "build" / name
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(found, copy, symlinks=True)
        return copy

    def _describe(self, package: str, name: str, version: str, further: str = "") -> None:
        (self.root / f"lib/pkgconfig/{package}.pc").write_text(
            f"Name: {name}\nDescription: built for wheels\nVersion: {version}\n"
            f"Libs: -L{self.root}/lib -l{name} {further}\nCflags: -I{self.root}/include\n")  # fmt: skip

    def _library(self, folder: pathlib.Path, name: str, sources: list[pathlib.Path], flags: tuple[str, ...]) -> None:
        """Compile sources into one static library."""
        objects = folder / "wheel-objects"
        objects.mkdir()
        for source in sources:
            self._run(objects, self.folder / "bin/cc", "-O2", *SMALL, *flags, f"-I{folder}", "-c", source, "-o",
                      f"{source.stem}.{len(source.parent.name)}.o")
        self._run(objects, self.folder / "bin/ar", "rcs", self.root / f"lib/lib{name}.a", *sorted(objects.glob("*.o")))

    def _headers(self, folder: pathlib.Path, *names: str) -> None:
        for name in names:
            shutil.copy(folder / name, self.root / "include")

    def _configure(self, folder: pathlib.Path, *options: str) -> None:
        flags = " ".join(("-Os", *SMALL, f"-I{self.root}/include"))
        self._run(folder, "./configure", f"--host={self.target.split('.')[0]}", "--disable-shared", "--enable-static", "--disable-nls",
                  f"CFLAGS={flags}", f"LDFLAGS=-L{self.root}/lib", *options)

    def _take(self, folder: pathlib.Path, target: str) -> None:
        """Make a target, without the tools that would write the Makefiles again."""
        kept = (f"{name}=true" for name in ("ACLOCAL", "AUTOCONF", "AUTOHEADER", "AUTOMAKE", "MAKEINFO"))
        self._run(folder, "make", f"-j{os.cpu_count()}", *kept, target)

    # ---- the libraries

    def _plain(self) -> None:
        """Build the libraries that need no configuration."""
        zlib = self._sources("zlib")
        shutil.copy(zlib / "zconf.h.in", zlib / "zconf.h")
        self._library(zlib, "z", [zlib / f"{name}.c" for name in ZLIB], ("-DHAVE_UNISTD_H", "-D_LARGEFILE64_SOURCE=1"))
        self._headers(zlib, "zlib.h", "zconf.h")
        self._describe("zlib", "z", "1.2.13")
        lz4 = self._sources("lz4") / "lib"
        self._library(lz4, "lz4", [lz4 / f"{name}.c" for name in ("lz4", "lz4hc", "lz4frame", "xxhash")], ())
        self._headers(lz4, "lz4.h", "lz4hc.h", "lz4frame.h")
        self._describe("liblz4", "lz4", "1.9.4")
        zstd = self._sources("libzstd") / "lib"
        parts = [source for part in ("common", "compress", "decompress") for source in sorted((zstd / part).glob("*.c"))]
        self._library(zstd, "zstd", parts, ("-DZSTD_DISABLE_ASM", "-DXXH_NAMESPACE=ZSTD_", "-DZSTDLIB_VISIBLE="))
        self._headers(zstd, "zstd.h", "zstd_errors.h")
        self._describe("libzstd", "zstd", "1.5.4")
        utf8proc = self._sources("utf8proc")
        self._library(utf8proc, "utf8proc", [utf8proc / "utf8proc.c"], ("-DUTF8PROC_STATIC",))
        header = (utf8proc / "utf8proc.h").read_text()
        (self.root / "include/utf8proc.h").write_text("#define UTF8PROC_STATIC\n" + header)
        self._describe("libutf8proc", "utf8proc", "2.8.0")
        deflate = self._sources("libdeflate")
        parts = sorted((deflate / "lib").glob("*.c")) + sorted((deflate / "lib").glob("*/*.c"))
        self._library(deflate, "deflate", parts, ("-DLIBDEFLATEEXPORT=",))
        self._headers(deflate, "libdeflate.h")
        self._describe("libdeflate", "deflate", "1.14")
        bzip2 = self._sources("bzip2")
        self._library(bzip2, "bz2", [bzip2 / f"{name}.c" for name in BZIP2], ())
        self._headers(bzip2, "bzlib.h")

    def _xz(self) -> None:
        folder = self._sources("xz-utils")
        self._configure(folder, "--disable-xz", "--disable-xzdec", "--disable-lzmadec", "--disable-lzmainfo", "--disable-scripts",
                        "--disable-doc", f"--prefix={self.root}")  # fmt: skip
        self._take(folder / "src/liblzma", "install")

    def _archive(self) -> None:
        folder = self._sources("libarchive")
        self._configure(folder, *(f"--without-{name}" for name in ARCHIVE_WITHOUT), *(f"--disable-{name}" for name in ARCHIVE_WITHOUT))
        self._take(folder, "libarchive.la")
        shutil.copy(folder / ".libs/libarchive.a", self.root / "lib")
        self._headers(folder / "libarchive", "archive.h", "archive_entry.h")
        self._describe("libarchive", "archive", "3.6.2", "-llzma -lbz2 -lzstd -llz4 -lz")

    def _util_linux(self) -> None:
        folder = self._sources("util-linux")
        self._configure(folder, "--disable-all-programs", "--enable-libblkid", "--enable-libuuid", "--without-systemd", "--without-udev",
                        "--without-ncurses", "--without-python", "--disable-asciidoc", "--disable-widechar")  # fmt: skip
        for name in ("blkid", "uuid"):
            self._take(folder, f"lib{name}.la")
            shutil.copy(folder / f".libs/lib{name}.a", self.root / "lib")
            (self.root / "include" / name).mkdir(exist_ok=True)
            shutil.copy(folder / f"lib{name}/src/{name}.h", self.root / "include" / name)
            self._describe(name, name, "2.38.1")

    def _openssl(self) -> None:
        folder = self._sources("openssl")
        machine = platform.machine()
        self._run(folder, "./Configure", f"linux-{machine}", *(f"no-{name}" for name in OPENSSL_WITHOUT), f"--prefix={self.root}",
                  "--libdir=lib", "--openssldir=/etc/ssl", "-Os", *SMALL)  # fmt: skip
        self._take(folder, "build_generated")
        self._take(folder, "libcrypto.a")
        shutil.copy(folder / "libcrypto.a", self.root / "lib")
        shutil.copytree(folder / "include/openssl", self.root / "include/openssl", dirs_exist_ok=True)
        self._describe("libcrypto", "crypto", "3.0.20")


if __name__ == "__main__":
    for word in sys.argv[1:] or TARGETS:
        Libraries(word).make()
